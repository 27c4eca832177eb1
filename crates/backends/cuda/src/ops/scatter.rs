//! `scatter`: updates take effect in their order, whatever the combination.
//!
//! * Few windows: where two updates of one element lie at the same place of their windows, a thread takes a place of all windows, one
//!   window after the other; otherwise one thread takes all.
//! * Many: they are sorted by where they go ([`super::radix`]), which leaves those that go to one place in their order; a thread takes these.
use tfc_ir::ops::index::IndexDims;
use tfc_ir::{Result, ops};
use tfc_plan::plan::{KernelStep, Slot};
use tfc_plan::space::Space;

use super::index::starts;
use super::radix::{Buffers, Passes};
use super::{Rows, Site, Step, long, misfit};
use crate::device::Arg;
use crate::program::Texts;
use crate::run::frame::{Ctx, Frame};
use crate::run::launch::{loops, threads};
use crate::text::scalar::ctype;
use crate::text::{Kernel, Param};
use tfc_device::steps::closure::Closure;
use tfc_device::steps::index::{combination, disjoint, places, shares};

pub(super) const CORE: Rows = &[(&ops::index::SCATTER, scatter)];

/// Windows from which on they are sorted.
const MANY: usize = 256;

fn param(ty: String, name: &str) -> Param {
    Param { ty, name: name.into() }
}

struct Scatter {
    dims: IndexDims,
    kernel: String,
    /// Only updates at the same place of their windows can go to the same element.
    disjoint: bool,
    window: usize,
    rank: usize,
    operand_rank: usize,
    /// Windows are moved inside.
    clamp: bool,
    /// What a combination takes from outside.
    outside: Vec<Slot>,
    /// Where each update goes, as a number to be sorted by; what sorts; and updates of one place in their order.
    keys: String,
    passes: Passes,
    runs: String,
}
fn scatter(site: &Site, texts: &mut Texts) -> Result<Box<dyn Step>> {
    let (x, index, u) = (site.operand(0)?, site.operand(1)?, site.operand(2)?);
    let asked = !site.op().regions.is_empty();
    let a = site.attrs();
    let dims = IndexDims::of_scatter(a, index);
    let disjoint = disjoint(site, &dims)?;
    let clamp = a.word("out_of_bounds") == Some("clamp");
    let (t, it) = (ctype(x.dtype), ctype(index.dtype));
    let (combine, op) = combination(site);
    let args = ["old".to_owned(), "update".to_owned()];
    let region = if asked { Some(Closure::of(site, texts, &args, "        ")?) } else { None };
    let value = match (&region, op) {
        (Some(c), _) => c.yields.first().ok_or_else(|| site.misfit())?.clone(),
        (_, Some(op)) => texts.functions.apply(op, &[("old", x.dtype), ("update", x.dtype)], x.dtype)?,
        _ => "update".into(),
    };
    let old =
        if op.is_some() || region.is_some() { format!("const {t} old = y(to);\n        ") } else { String::new() };
    let (window, rank) = (dims.window.len().max(1), u.rank().max(1));
    let region_text = region.as_ref().map(|c| match c.text.trim_start() {
        "" => String::new(),
        text => format!("{text}        "),
    });
    let body = format!(
        "  for (i64 w = thread_of_grid(); w < within.count(); w += threads_of_grid()) {{
    const auto x_ = within.index(w);
    for (i64 b = 0; b < windows.count(); b++) {{
      const auto z_ = windows.index(b);
      const i64 from = windows.place(2, z_);
      i64 place = windows.place(1, z_);
      bool inside = by.fits != 0;
      {}      if (inside) {{
        const i64 to = place + within.place(1, x_);
        const {t} update = u(windows.place(0, z_) + within.place(0, x_));
        {old}{region}y(to) = {value};
      }}
    }}
  }}
",
        starts(dims.map.len(), clamp, "from").replace('\n', "\n      ").trim_end_matches(' ').to_owned(),
        region = region_text.clone().unwrap_or_default(),
    );
    let mut params = vec![
        param(format!("Out<{t}>"), "y"),
        param(format!("In<{it}>"), "index"),
        param(format!("In<{t}>"), "u"),
        param(format!("Starts<{}>", dims.map.len().max(1)), "by"),
        param(format!("Loops<{window}, 3>"), "within"),
        param(format!("Loops<{rank}, 3>"), "windows"),
    ];
    let (outer, outside) = region.map_or_else(Default::default, |c| (c.params.clone(), c.slots()));
    params.extend(outer.iter().cloned());
    let kernel = texts.add(Kernel { name: format!("scatter_{combine}_{t}"), params, body });
    let keys = keys(texts, &dims, it, rank, clamp);
    let passes = Passes::of(texts, 4)?;
    // Only the last update of a place that sets it is to be seen.
    let each = if op.is_some() || region_text.is_some() {
        format!(
            "    {t} old = y(to);
    for (i64 q = p; q < windows.count() && bits(q * 4) == key; q++) {{
      const {t} update = u(windows.place(0, windows.index(order(q * 4))) + within.place(0, x_));
      {}old = {value};
    }}
    y(to) = old;
",
            region_text.unwrap_or_default()
        )
    } else {
        "    i64 q = p;
    while (q + 1 < windows.count() && bits((q + 1) * 4) == key) q++;
    y(to) = u(windows.place(0, windows.index(order(q * 4))) + within.place(0, x_));
"
        .into()
    };
    let mut params = vec![
        param(format!("Out<{t}>"), "y"),
        param(format!("In<{t}>"), "u"),
        param("In<u32>".into(), "bits"),
        param("In<u32>".into(), "order"),
        param("i64".into(), "none"),
        param("i64".into(), "size"),
        param(format!("Loops<{window}, 3>"), "within"),
        param(format!("Loops<{rank}, 3>"), "windows"),
    ];
    params.extend(outer);
    let runs = texts.add(Kernel {
        name: format!("scatter_{combine}_{t}_runs"),
        params,
        body: format!(
            "  const i64 width = within.count();
  for (i64 g = thread_of_grid(); g < windows.count() * width; g += threads_of_grid()) {{
    // The first update of a place takes those behind it along.
    const i64 p = g / width;
    const u32 key = bits(p * 4);
    if (key == (u32)none || (p > 0 && bits((p - 1) * 4) == key)) continue;
    const auto x_ = within.index(g % width);
    const i64 to = key * size + within.place(1, x_);
{each}  }}
"
        ),
    });
    Ok(Box::new(Scatter {
        dims,
        kernel,
        disjoint,
        window,
        rank,
        operand_rank: x.rank(),
        clamp,
        outside,
        keys,
        passes,
        runs,
    }))
}
/// The kernel that numbers the places to which updates go: of those that go nowhere, it is `none`.
fn keys(texts: &mut Texts, dims: &IndexDims, it: &str, rank: usize, clamp: bool) -> String {
    let body = format!(
        "  for (i64 g = thread_of_grid(); g < windows.count(); g += threads_of_grid()) {{
    const auto z_ = windows.index(g);
    const i64 from = windows.place(2, z_);
    i64 place = windows.place(1, z_);
    bool inside = by.fits != 0;
    {}    bits(g * 4) = inside ? (u32)(place / size) : (u32)none;
    order(g * 4) = (u32)g;
  }}
",
        starts(dims.map.len(), clamp, "from").replace('\n', "\n    ").trim_end_matches(' ').to_owned()
    );
    texts.add(Kernel {
        name: "scatter_keys".into(),
        params: vec![
            param(format!("In<{it}>"), "index"),
            param("Out<u32>".into(), "bits"),
            param("Out<u32>".into(), "order"),
            param("i64".into(), "none"),
            param("i64".into(), "size"),
            param(format!("Starts<{}>", dims.map.len().max(1)), "by"),
            param(format!("Loops<{rank}, 3>"), "windows"),
        ],
        body,
    })
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
        if windows.len() >= MANY
            && u32::try_from(windows.len()).is_ok()
            && let Some(none) = Self::span(frame, dst)
        {
            return self.sorted((frame, ctx), slots, (&within, &windows), none);
        }
        let ptr = |s: Slot| Arg::Ptr(frame.ptr[s as usize]);
        let by = places(frame, &self.dims, slots, dst);
        let mut args = vec![ptr(dst), ptr(index), ptr(u), by, loops(&within, self.window), loops(&windows, self.rank)];
        args.extend(Closure::args(&self.outside, frame));
        let shape = if self.disjoint { threads(within.len()) } else { crate::run::launch::one() };
        ctx.module.launch(&self.kernel, shape, &args)
    }
    /// Along axes where windows have one element, an update that would be dropped lands behind the true end.
    fn pads(&self, _: &Frame, step: &KernelStep, more: &dyn Fn(Slot, usize) -> bool) -> bool {
        let (&[x, index, u], &[dst]) = (&step.args[..], &step.dsts[..]) else { return false };
        let single = |a: usize| self.dims.collapsed.contains(&a);
        let mut axes = (0..self.operand_rank).filter(|&a| more(x, a) || more(dst, a));
        let fixed = |s: Slot| (0..self.rank.max(self.dims.vector + 1)).all(|a| !more(s, a));
        !self.clamp && axes.all(single) && fixed(index) && fixed(u)
    }
}
impl Scatter {
    /// Elements between the first and the last of a slot, both counted, where they can be numbered by 32 bits.
    fn span(frame: &Frame, s: Slot) -> Option<usize> {
        let size = frame.size(s) as isize;
        let along = frame.dims(s).iter().zip(frame.strides(s)).map(|(&n, &by)| {
            let fits = n <= 1 || (by >= 0 && by % size == 0);
            fits.then(|| (n.max(1) - 1).saturating_mul((by / size).unsigned_abs()))
        });
        let last = along.sum::<Option<usize>>()?;
        (last < u32::MAX as usize - 1).then_some(last + 1)
    }
    /// Updates that go to one place side by side, in their order: a thread takes all of them.
    fn sorted(
        &self,
        (frame, ctx): (&mut Frame, &mut Ctx),
        slots: [Slot; 3],
        (within, windows): (&Space, &Space),
        none: usize,
    ) -> Result<()> {
        let [dst, index, u] = slots;
        let all = windows.len();
        let mut b = Buffers::of((frame, ctx), 0, (1, all), 4)?;
        let ptr = |s: Slot| Arg::Ptr(frame.ptr[s as usize]);
        let sizes = [long(none), long(frame.size(dst))];
        let (by, around) = (places(frame, &self.dims, slots, dst), loops(windows, self.rank));
        let pointers = [ptr(index), Arg::Ptr(b.bits[0]), Arg::Ptr(b.order[0])];
        let (y, updates) = (ptr(dst), ptr(u));
        ctx.module.launch(&self.keys, threads(all), &[&pointers[..], &sizes[..], &[by, around.clone()]].concat())?;
        // As many digits as the largest number has.
        let digits = (usize::BITS - none.leading_zeros()).div_ceil(8) as usize;
        self.passes.run((frame, ctx), Buffers::SCRATCH, &mut b, digits)?;
        let mut args = vec![y, updates, Arg::Ptr(b.bits[0]), Arg::Ptr(b.order[0])];
        args.extend(sizes);
        args.extend([loops(within, self.window), around]);
        args.extend(Closure::args(&self.outside, frame));
        ctx.module.launch(&self.runs, threads(all.saturating_mul(within.len())), &args)
    }
}
