//! Windows summed where they overlap.
use tfc_device::steps::overlap::OverlapAdd;
use tfc_ir::{Result, ScalarOp, ops};

use super::{Rows, Site, Step};
use crate::program::Texts;
use crate::text::scalar::{ctype, literal};
use crate::text::{Kernel, Param};

pub(super) const CORE: Rows = &[(&ops::shape::OVERLAP_ADD, overlap)];

fn overlap(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let axes = site.attrs().indices("axes");
    let d = site.result(0)?.dtype;
    let rank = site.result(0)?.rank();
    let t = ctype(d);
    let n = axes.len();
    let sum = texts.functions.apply(ScalarOp::Add, &[("sum", d), ("x(place)", d)], d)?;
    let zero = literal([0; 16], d);
    let mut body = format!(
        "  for (i64 i = thread_of_grid(); i < at.count(); i += threads_of_grid()) {{
    const auto x_ = at.index(i);
    {t} sum = {zero};
    for (i64 e = 0; e < windows.count(); e++) {{
      const auto w = windows.index(e);
      i64 place = at.place(0, x_) + windows.place(0, w);
      bool inside = true;
"
    );
    for (k, &a) in axes.iter().enumerate() {
        // Axis `a` of the result; the last axis of the window is its first loop.
        let l = n - 1 - k;
        body += &format!(
            "      {{
        const i64 p = x_.at[{a}] - w.at[{l}] * windows.stride[1][{l}];
        const i64 s = p / windows.stride[2][{l}];
        inside = inside && p >= 0 && p % windows.stride[2][{l}] == 0 && s < windows.stride[3][{l}];
        place += (s - x_.at[{a}]) * at.stride[0][{a}];
      }}
"
        );
    }
    body += &format!("      if (inside) sum = {sum};\n    }}\n    y(at.place(1, x_)) = sum;\n  }}\n");
    let param = |ty: String, name: &str| Param { ty, name: name.into() };
    let kernel = texts.add(Kernel {
        name: format!("overlap_add_{t}"),
        params: vec![
            param(format!("In<{t}>"), "x"),
            param(format!("Out<{t}>"), "y"),
            param(format!("Loops<{}, 2>", rank.max(1)), "at"),
            param(format!("Loops<{}, 4>", n.max(1)), "windows"),
        ],
        body,
    });
    Ok(Box::new(OverlapAdd::of(site, kernel)))
}
