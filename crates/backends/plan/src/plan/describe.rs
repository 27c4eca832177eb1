//! A plan as text, for `--emit plan`: storages with their sizes as extent expressions, then steps over slots.
use std::fmt::Write;

use super::*;

/// What only the engine knows of a plan.
pub trait Made {
    /// Bytes that the kernel of a step needs at most, where it is known.
    fn scratch(&self, step: &KernelStep) -> Option<usize>;
    /// A fused region over loops that read `over`.
    fn fused(&self, run: &Run, over: &str) -> String;
    /// Whether the trips of a loop are one function of machine code, where the machine has such code.
    fn one_function(&self, _: &Loop) -> bool {
        false
    }
}

/// The plan as text.
pub fn describe(plan: &Plan, made: &dyn Made) -> String {
    let mut d = Describe { plan, made, out: String::new() };
    d.all();
    d.out
}
/// The first line of a step's text.
pub fn first_line(plan: &Plan, made: &dyn Made, what: &Do) -> String {
    let mut d = Describe { plan, made, out: String::new() };
    d.step(0, what);
    d.out.lines().next().unwrap_or_default().into()
}
/// What steps need besides buffers and results.
#[derive(Default)]
struct More {
    /// Bytes of the largest table: a frame's steps share one.
    table: usize,
    /// Stacks that stand side by side instead of in their buffers, and the bytes that they take.
    beside: std::collections::BTreeSet<Store>,
    stacks: usize,
    /// Steps whose scratch the plan does not know.
    others: Vec<String>,
}
struct Describe<'a> {
    plan: &'a Plan,
    made: &'a dyn Made,
    out: String,
}
impl Describe<'_> {
    fn ext(&self, e: Ext) -> String {
        self.plan.exts.get(e as usize).map_or_else(|| "?".into(), |x| x.display(&*self.plan.func).to_string())
    }
    fn exts(&self, list: &[Ext]) -> String {
        list.iter().map(|&e| self.ext(e)).collect::<Vec<_>>().join(", ")
    }
    fn shape(&self, dims: &[Ext]) -> String {
        format!("[{}]", self.exts(dims))
    }
    fn slot(&self, s: Slot) -> String {
        match self.plan.slots.get(s as usize) {
            Some(d) if d.name.is_empty() => format!("s{s}"),
            Some(d) => format!("s{s}:{}", d.name),
            None => "?".into(),
        }
    }
    fn list(&self, s: &[Slot]) -> String {
        s.iter().map(|&x| self.slot(x)).collect::<Vec<_>>().join(", ")
    }
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", depth * 2);
    }
    fn all(&mut self) {
        let p = self.plan;
        let text = format!("plan @{}: {} slots, {} buffers", p.func.name, p.slots.len(), p.bufs);
        self.line(0, &text);
        for b in 0..p.bufs as u32 {
            let mut sizes: Vec<String> = vec![];
            for s in p.stores.iter().filter(|s| s.buf == b && !s.escapes) {
                let t = format!("{}{}", s.dtype, self.shape(&s.dims));
                if !sizes.contains(&t) && sizes.len() < 4 {
                    sizes.push(t);
                }
            }
            self.line(1, &format!("buffer {b}: {}", sizes.join(" | ")));
        }
        let peak = self.peak();
        self.line(1, &format!("memory: {peak}"));
        self.line(1, &format!("arguments: {}", self.list(&p.params)));
        self.block(1, &p.body);
        self.line(1, &format!("results: {}", self.list(&p.results)));
    }
    /// Bytes of all buffers and results, and of tables that steps keep: at most what `--time` measures as the peak. Steps
    /// with scratch of their own are named. Storage that turns out not to be needed (a `reshape` that is a view, scalars
    /// that stay in registers) is counted.
    fn peak(&self) -> String {
        let p = self.plan;
        let mut more = More::default();
        self.more(&p.body, &mut more);
        let mut exact = more.table.saturating_add(more.stacks);
        let mut terms = std::collections::BTreeMap::<String, usize>::new();
        let stores = || (0..).zip(&p.stores).filter(|(r, s)| !s.escapes && !more.beside.contains(r)).map(|x| x.1);
        let buffers = (0..p.bufs as u32).map(|b| stores().filter(|s| s.buf == b).collect());
        let results = p.escaping.iter().filter_map(|&r| p.stores.get(r as usize)).map(|s| vec![s]);
        for users in buffers.chain(results).collect::<Vec<Vec<&StoreDecl>>>() {
            let (mut largest, mut open) = (0, vec![]);
            for s in users {
                let sizes =
                    || s.dims.iter().map(|&e| p.exts[e as usize].as_exact().and_then(|n| usize::try_from(n).ok()));
                match sizes().try_fold(s.size, |n, d| n.checked_mul(d?)) {
                    Some(n) if !s.grows => largest = largest.max(n),
                    _ => {
                        let dims = s.dims.iter().map(|&e| format!("*({})", self.ext(e))).collect::<String>();
                        let t = format!("{}{dims}{}", s.size, if s.grows { " or more" } else { "" });
                        if !open.contains(&t) {
                            open.push(t);
                        }
                    }
                }
            }
            if open.is_empty() {
                exact += largest;
            } else {
                let t = if open.len() == 1 { open.remove(0) } else { format!("max({})", open.join(", ")) };
                *terms.entry(t).or_default() += 1;
            }
        }
        let mut list: Vec<String> =
            terms.into_iter().map(|(t, n)| if n == 1 { t } else { format!("{n} * {t}") }).collect();
        if exact > 0 || list.is_empty() {
            list.push(exact.to_string());
        }
        let calls = if p.frames > 0 { ", and what functions called need" } else { "" };
        let scratch =
            if more.others.is_empty() { String::new() } else { format!(", and scratch of {}", more.others.join(", ")) };
        format!("{} bytes{scratch}{calls}", list.join(" + "))
    }
    /// What the steps of `block` need besides.
    fn more(&self, block: &Block, more: &mut More) {
        for s in block {
            match &s.what {
                Do::Kernel(k) => {
                    match self.made.scratch(k) {
                        Some(n) => more.table = more.table.max(n),
                        None if more.others.iter().any(|o| o == self.name(k)) => {}
                        None => more.others.push(self.name(k).into()),
                    }
                    k.regions.iter().for_each(|r| self.more(&r.block, more));
                }
                Do::Cond(c) => c.ways.iter().for_each(|w| self.more(&w.block, more)),
                Do::Loop(l) => {
                    l.cond.iter().for_each(|(b, _)| self.more(b, more));
                    self.more(&l.body, more);
                    let trips = || usize::try_from(self.plan.exts.get(l.trips as usize)?.as_exact()?).ok();
                    if let Some(trips) = trips().filter(|_| l.cond.is_none()) {
                        let (side, row) = l.beside(self.plan);
                        more.stacks = more
                            .stacks
                            .saturating_add(trips.saturating_mul(row as usize * usize::from(!side.is_empty())));
                        more.beside.extend(side.iter().map(|&(j, _)| l.ys[j].store));
                    }
                }
                _ => {}
            }
        }
    }
    fn name(&self, k: &KernelStep) -> &'static str {
        self.plan.func.op(k.op).def.name
    }
    fn place(&self, s: Slot) -> String {
        let Some(d) = self.plan.slots.get(s as usize) else { return String::new() };
        let at = match d.place {
            Place::Own(r) | Place::Around(r) => match self.plan.stores.get(r as usize) {
                Some(x) if x.escapes => "result".to_string(),
                Some(x) => format!("buffer {}", x.buf),
                None => String::new(),
            },
            Place::Part { of, .. } => format!("part of s{of}"),
            Place::View => "view".into(),
            Place::Given => "of the loop".into(),
            Place::Arg(i) => format!("argument {i}"),
            Place::Const(i) => format!("constant {i}"),
        };
        let over = if d.over == NONE { String::new() } else { format!(", in place of s{}", d.over) };
        format!("{} {}{} ({at}{over})", self.slot(s), d.dtype, self.shape(&d.dims))
    }
    fn region(&self, r: &Run) -> String {
        let outs: Vec<String> = r.outs.iter().map(|&s| self.place(s)).collect();
        let text = self.made.fused(r, &self.shape(&r.loops));
        format!("{} = {text} ({})", outs.join(", "), self.list(&r.reads().collect::<Vec<_>>()))
    }
    fn block(&mut self, depth: usize, b: &Block) {
        for s in b {
            self.step(depth, &s.what);
        }
    }
    fn step(&mut self, depth: usize, what: &Do) {
        let one = |d: &Self, name: &str, dst: Slot, src: &[Slot]| format!("{} = {name}({})", d.place(dst), d.list(src));
        let text = match what {
            Do::Run(r) => self.region(r),
            Do::View(v) => {
                let at: Vec<Slot> =
                    v.start.iter().filter_map(|s| if let Start::Index(i) = s.1 { Some(i) } else { None }).collect();
                let name = if at.is_empty() { "view" } else { "dynamic view" };
                one(self, name, v.dst, &[&[v.src], &at[..]].concat())
            }
            Do::Reshape { src, dst, how, .. } => {
                one(self, if *how == Reading::Bits { "bitcast" } else { "reshape" }, *dst, &[*src])
            }
            Do::Copy { src, dst } => one(self, "copy", *dst, &[*src]),
            Do::Bind { src, exist } => {
                format!("bind {} to {}", tfc_ir::Extent::exist(*exist).display(&*self.plan.func), self.slot(*src))
            }
            Do::Guard { cond, what, .. } => format!("guard {} ({what})", cond.display(&*self.plan.func)),
            Do::Kernel(k) => {
                let outs: Vec<String> = k.dsts.iter().map(|&s| self.place(s)).collect();
                let made = if outs.is_empty() { String::new() } else { format!("{} = ", outs.join(", ")) };
                let with: Vec<String> = k.exts.iter().map(|(n, v)| format!(" {n} = [{}]", self.exts(v))).collect();
                let text = format!("{made}{}({}){}", self.name(k), self.list(&k.args), with.concat());
                let more = if k.then.is_some() { ", and on parts of it" } else { "" };
                self.line(depth, &format!("{text}{more}"));
                if let Some(r) = &k.then {
                    let text = self.region(r);
                    self.line(depth + 1, &text);
                }
                for (i, r) in k.regions.iter().enumerate() {
                    self.line(depth, &format!("region {i} of {}", self.list(&r.params)));
                    self.block(depth + 1, &r.block);
                    self.line(depth, &format!("yields {}", self.list(&r.yields)));
                }
                return;
            }
            Do::Call(c) => {
                let outs: Vec<String> = c.results.iter().map(|&s| self.place(s)).collect();
                format!("{} = call @{}({})", outs.join(", "), c.name, self.list(&c.args))
            }
            Do::Cond(c) => {
                for (i, w) in c.ways.iter().enumerate() {
                    let text = match (c.by, i) {
                        (By::Flag, 0) => format!("if {}", self.slot(c.choice)),
                        (By::Flag, _) => "else".into(),
                        (By::Index, i) if i + 1 == c.ways.len() => format!("else, by {}", self.slot(c.choice)),
                        (By::Index, i) => format!("if {} is {i}", self.slot(c.choice)),
                    };
                    self.line(depth, &text);
                    self.block(depth + 1, &w.block);
                }
                let list: Vec<String> = c.outs.iter().map(|&o| self.place(o)).collect();
                format!("end: {}", list.join(", "))
            }
            Do::Loop(l) => return self.a_loop(depth, l),
        };
        self.line(depth, &text);
    }
    fn a_loop(&mut self, depth: usize, l: &Loop) {
        let one = if self.made.one_function(l) { ", one function" } else { "" };
        match &l.cond {
            None => self.line(depth, &format!("scan {} trips{one}", self.ext(l.trips))),
            Some((b, flag)) => {
                self.line(depth, &format!("while{one}"));
                self.block(depth + 1, b);
                self.line(depth, &format!("is {}", self.slot(*flag)));
            }
        }
        for c in &l.carries {
            let how = match (c.same, c.direct) {
                (true, _) => "unchanged",
                _ if c.buffers != Buffers::Two => "parts replaced in place",
                _ if c.grows => "copied, grows",
                (_, true) => "computed in place",
                _ => "copied",
            };
            let text = format!(
                "carry {} from {}, next {} ({how})",
                self.list(&c.params),
                self.slot(c.init),
                self.slot(c.yielded)
            );
            self.line(depth + 1, &text);
        }
        for (src, p, axis) in &l.xs {
            self.line(depth + 1, &format!("cut {} from {} along {axis}", self.slot(*p), self.slot(*src)));
        }
        for y in &l.ys {
            let how = match (y.joined, y.direct) {
                (true, _) => "joined",
                (_, true) => "computed in place",
                _ => "copied",
            };
            self.line(depth + 1, &format!("collect {} into {} ({how})", self.slot(y.yielded), self.place(y.result)));
        }
        self.block(depth + 1, &l.body);
        let list: Vec<Slot> = l.carries.iter().map(|c| c.result).collect();
        self.line(depth, &format!("end: {}", self.list(&list)));
    }
}
