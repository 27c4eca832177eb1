//! `gather` and `scatter`. Where a window begins follows from an index vector, which the thread of an element reads itself.
use tfc_device::device::Arg;
use tfc_device::run::frame::{Ctx, Frame};
use tfc_device::run::launch::{loops, one, threads};
use tfc_device::steps::closure::Closure;
use tfc_device::steps::index::{Gather, combination, disjoint, places, shares};
use tfc_device::steps::misfit;
use tfc_ir::ops::index::IndexDims;
use tfc_ir::{DType, Error, Result, ops};
use tfc_plan::plan::{KernelStep, Slot};

use super::{Made, Rows, Site, Step, Wgsl, Written};
use crate::text::scalar::literal;
use crate::text::{Kernel, Nest, moves, over, param, read, type_of, typed, write};

pub(super) fn core() -> Rows<Wgsl> {
    vec![(&ops::index::GATHER, gather), (&ops::index::SCATTER, scatter)]
}
/// Statements that add to `place` where the window begins whose index vector lies at `vector`, and say whether it is `inside`.
fn starts(texts: Written, d: DType, components: usize, clamp: bool, pad: &str) -> String {
    let (mut out, name) = (String::new(), format!("index_{}", type_of(d)));
    texts.functions.need(&name);
    for k in 0..components {
        let s = read(d, "index_", &format!("vector + {k} * p.by_vector"));
        let check = if clamp { String::new() } else { format!("inside = inside && s >= 0 && s <= p.by_last{k}; ") };
        out += &format!(
            "{pad}{{ let s = {name}({s}); {check}place += clamp(s, 0, max(p.by_last{k}, 0)) * p.by_stride{k}; }}\n"
        );
    }
    out
}
/// What elements of that type are moved as.
fn moved(site: &Site, d: DType) -> Result<DType> {
    moves::word(d.size()).ok_or_else(|| -> Error { site.unsupported::<Wgsl>(&format!("of {d}")) })
}
fn gather(site: &Site, texts: Written) -> Made {
    let (index, y) = (site.operand(1)?, site.result(0)?);
    let dims = IndexDims::of_gather(site.attrs(), index);
    let clamp = site.attrs().word("out_of_bounds") != Some("zero");
    let d = moved(site, y.dtype)?;
    let (t, it, rank) = (type_of(d), type_of(index.dtype), y.rank().max(1));
    let at = Nest { name: "at", rank };
    let lines = format!(
        "    {}
    let vector = {};
    var place = {};
    var inside = p.by_fits != 0;
{}    var v = {};
    if inside {{ v = {}; }}
    {}
",
        at.index("i", "x"),
        at.place(2, "x"),
        at.place(1, "x"),
        starts(texts, index.dtype, dims.map.len(), clamp, "    "),
        typed(&literal([0; 16], d), d),
        read(d, "x_", "place"),
        write(d, "y_", &at.place(0, "x"), "v"),
    );
    let kernel = texts.add(Kernel {
        name: format!("gather_{t}"),
        params: vec![
            param(format!("In<{t}>"), "x_"),
            param(format!("In<{it}>"), "index_"),
            param(format!("Out<{t}>"), "y_"),
            param(format!("Starts<{}>", dims.map.len().max(1)), "by"),
            param(format!("Loops<{rank}, 3>"), "at"),
        ],
        body: over(&at.count(), &lines),
    });
    Ok(Box::new(Gather::of(site, dims, kernel)?))
}

/// A scatter: updates take effect in their order. Where two updates of one element lie at the same place of their windows, a thread takes
/// a place of all windows, one window after the other; otherwise one thread takes all.
struct Scatter {
    dims: IndexDims,
    kernel: String,
    disjoint: bool,
    window: usize,
    rank: usize,
    /// What a combination takes from outside.
    outside: Vec<Slot>,
}
fn scatter(site: &Site, texts: Written) -> Made {
    let (x, index, u) = (site.operand(0)?, site.operand(1)?, site.operand(2)?);
    let asked = !site.op().regions.is_empty();
    let a = site.attrs();
    let dims = IndexDims::of_scatter(a, index);
    let disjoint = disjoint(site, &dims)?;
    let clamp = a.word("out_of_bounds") == Some("clamp");
    let (combine, op) = combination(site);
    let args = ["old".to_owned(), "update".to_owned()];
    let region = if asked { Some(Closure::of(site, texts, &args, "        ")?) } else { None };
    // What is only moved is moved as a word.
    let d = if op.is_some() || asked { x.dtype } else { moved(site, x.dtype)? };
    let value = match (&region, op) {
        (Some(c), _) => c.yields.first().ok_or_else(|| site.misfit())?.clone(),
        (_, Some(op)) => texts.functions.apply(op, &[("old", d), ("update", d)], d)?,
        _ => "update".into(),
    };
    let (t, window, rank) = (type_of(d), dims.window.len().max(1), u.rank().max(1));
    let (within, windows) = (Nest { name: "within", rank: window }, Nest { name: "windows", rank });
    let old =
        if op.is_some() || asked { format!("        let old = {};\n", read(d, "y_", "to")) } else { String::new() };
    let lines = format!(
        "    {}
    for (var b = 0; b < {}; b++) {{
      {}
      let vector = {};
      var place = {};
      var inside = p.by_fits != 0;
{}      if inside {{
        let to = place + {};
        let update = {};
{old}{}        {}
      }}
    }}
",
        within.index("i", "x"),
        windows.count(),
        windows.index("b", "z"),
        windows.place(2, "z"),
        windows.place(1, "z"),
        starts(texts, index.dtype, dims.map.len(), clamp, "      "),
        within.place(1, "x"),
        read(d, "u_", &format!("{} + {}", windows.place(0, "z"), within.place(0, "x"))),
        region.as_ref().map_or("", |c| c.text.as_str()),
        write(d, "y_", "to", &value),
    );
    let mut params = vec![
        param(format!("Out<{t}>"), "y_"),
        param(format!("In<{}>", type_of(index.dtype)), "index_"),
        param(format!("In<{t}>"), "u_"),
        param(format!("Starts<{}>", dims.map.len().max(1)), "by"),
        param(format!("Loops<{window}, 3>"), "within"),
        param(format!("Loops<{rank}, 3>"), "windows"),
    ];
    let (outer, outside) = region.map_or_else(Default::default, |c| (c.params.clone(), c.slots()));
    params.extend(outer);
    let body = over(&within.count(), &lines);
    let kernel = texts.add(Kernel { name: format!("scatter_{combine}_{t}"), params, body });
    Ok(Box::new(Scatter { dims, kernel, disjoint, window, rank, outside }))
}
impl Step for Scatter {
    fn run(&self, frame: &mut Frame, ctx: &mut Ctx, step: &KernelStep) -> Result<()> {
        let (&[x, index, u], &[dst]) = (&step.args[..], &step.dsts[..]) else { return Err(misfit()) };
        if frame.decl(dst).over != x {
            frame.copy_slot(ctx, x, dst)?;
        }
        let slots = [dst, index, u];
        let (within, windows) = shares(frame, &self.dims, slots, self.disjoint);
        if within.is_empty() || windows.is_empty() {
            return Ok(());
        }
        let ptr = |s: Slot| Arg::Ptr(frame.ptr[s as usize]);
        let by = places(frame, &self.dims, slots, dst);
        let mut args = vec![ptr(dst), ptr(index), ptr(u), by, loops(&within, self.window), loops(&windows, self.rank)];
        args.extend(Closure::args(&self.outside, frame));
        let shape = if self.disjoint { threads(within.len()) } else { one() };
        ctx.module.launch(&self.kernel, shape, &args)
    }
}
