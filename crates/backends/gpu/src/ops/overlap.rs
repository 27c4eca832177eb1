//! Windows summed where they overlap.
use tfc_device::steps::overlap::OverlapAdd;
use tfc_ir::{ScalarOp, ops};

use super::{Made, Rows, Site, Wgsl, Written};
use crate::text::scalar::literal;
use crate::text::{Kernel, Nest, over, param, read, type_of, typed, write};

pub(super) fn core() -> Rows<Wgsl> {
    vec![(&ops::shape::OVERLAP_ADD, overlap)]
}
fn overlap(site: &Site, texts: Written) -> Made {
    let axes = site.attrs().indices("axes");
    let (d, rank, n) = (site.result(0)?.dtype, site.result(0)?.rank(), axes.len());
    let t = type_of(d);
    let (at, windows) = (Nest { name: "at", rank: rank.max(1) }, Nest { name: "windows", rank: n.max(1) });
    let sum = texts.functions.apply(ScalarOp::Add, &[("sum", d), ("e", d)], d)?;
    let mut lines = format!(
        "    {}
    var sum = {};
    for (var j = 0; j < {}; j++) {{
      {}
      var place = {} + {};
      var inside = true;
",
        at.index("i", "x"),
        typed(&literal([0; 16], d), d),
        windows.count(),
        windows.index("j", "w"),
        at.place(0, "x"),
        windows.place(0, "w"),
    );
    for (k, &a) in axes.iter().enumerate() {
        // Axis `a` of the result; the last axis of the window is its first loop.
        let l = n - 1 - k;
        lines += &format!(
            "      {{
        let q = x{a} - w{l} * p.windows_1_{l};
        let s = q / p.windows_2_{l};
        inside = inside && q >= 0 && q % p.windows_2_{l} == 0 && s < p.windows_3_{l};
        place += (s - x{a}) * p.at_0_{a};
      }}
"
        );
    }
    lines += &format!(
        "      if inside {{ let e = {}; sum = {sum}; }}\n    }}\n    {}\n",
        read(d, "x_", "place"),
        write(d, "y_", &at.place(1, "x"), "sum")
    );
    let kernel = texts.add(Kernel {
        name: format!("overlap_add_{t}"),
        params: vec![
            param(format!("In<{t}>"), "x_"),
            param(format!("Out<{t}>"), "y_"),
            param(format!("Loops<{}, 2>", rank.max(1)), "at"),
            param(format!("Loops<{}, 4>", n.max(1)), "windows"),
        ],
        body: over(&at.count(), &lines),
    });
    Ok(Box::new(OverlapAdd::of(site, kernel)))
}
