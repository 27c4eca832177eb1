//! `gather`, and what it has in common with `scatter` ([`super::scatter`]). Where a window begins follows from an index vector, which the
//! thread of an element reads itself.
use tfc_device::steps::index::Gather;
use tfc_ir::ops::index::IndexDims;
use tfc_ir::{Result, ops};

use super::{Rows, Site, Step};
use crate::program::Texts;
use crate::text::moves::word;
use crate::text::scalar::ctype;
use crate::text::{Kernel, Param};

pub(super) const CORE: Rows = &[(&ops::index::GATHER, gather)];

fn param(ty: String, name: &str) -> Param {
    Param { ty, name: name.into() }
}
/// Statements that add to `place` where the window begins whose index vector lies at `from`, and say whether it is `inside`.
pub(super) fn starts(components: usize, clamp: bool, from: &str) -> String {
    let mut out = String::new();
    for k in 0..components {
        let check = if clamp { "" } else { " inside = inside && s >= 0 && s <= by.last[K];" };
        let line = format!(
            "{{ i64 s = wide(index({from} + K * by.vector));{check} s = s < 0 ? 0 : s; s = s > by.last[K] ? by.last[K] : s; place += s * by.stride[K]; }}\n"
        );
        out += &line.replace('K', &k.to_string());
    }
    out
}
fn gather(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let (index, y) = (site.operand(1)?, site.result(0)?);
    let dims = IndexDims::of_gather(site.attrs(), index);
    let clamp = site.attrs().word("out_of_bounds") != Some("zero");
    let (t, it) = (word(y.dtype.size()), ctype(index.dtype));
    let rank = y.rank().max(1);
    let zero = if t == "c64" { "c64{0.0, 0.0}" } else { "0" };
    let body = format!(
        "  for (i64 i = thread_of_grid(); i < at.count(); i += threads_of_grid()) {{
    const auto x_ = at.index(i);
    const i64 from = at.place(2, x_);
    i64 place = at.place(1, x_);
    bool inside = by.fits != 0;
    {}    y(at.place(0, x_)) = inside ? x(place) : {zero};
  }}
",
        starts(dims.map.len(), clamp, "from").replace('\n', "\n    ").trim_end_matches(' ').to_owned()
    );
    let kernel = texts.add(Kernel {
        name: format!("gather_{t}"),
        params: vec![
            param(format!("In<{t}>"), "x"),
            param(format!("In<{it}>"), "index"),
            param(format!("Out<{t}>"), "y"),
            param(format!("Starts<{}>", dims.map.len().max(1)), "by"),
            param(format!("Loops<{rank}, 3>"), "at"),
        ],
        body,
    });
    Ok(Box::new(Gather::of(site, dims, kernel)?))
}
