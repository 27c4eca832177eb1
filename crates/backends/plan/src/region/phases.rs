//! The cut into phases. A graph of scalar values over loops, some of which reductions fold away, is
//! cut into *phases* that run one after the other on each row (or panel of columns) while it is in cache: softmax is
//! `max` | `exp(x - m)` and its sum | the quotient.
//!
//! A value is *full* if it differs along the reduced loops, and *kept* otherwise. A phase ends at a reduction whose result
//! later values read. Kept values are computed once for each kept index, between the full phases. A full value that a later
//! phase reads is computed again where that costs a few instructions, otherwise it is kept in a buffer of one row: in the
//! row of an output that is written later, where there is one.
use tfc_ir::{DType, ScalarOp};

use super::body::{Node, Operand, Region, Role};

/// A value of the graph. Arguments come before their users.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Val {
    /// The element of an operand.
    Load(u32),
    /// A constant: its bytes and type.
    Const([u8; 16], DType),
    /// A scalar function of values; the result type.
    Apply(ScalarOp, [u32; 3], DType),
    /// The fold of a value along the reduced loops.
    Reduce(ScalarOp, u32, DType),
}
/// Scalar values over loops, before they are cut into phases.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Operands, and whether each walks a reduced loop.
    pub operands: Vec<(Operand, bool)>,
    /// Values.
    pub vals: Vec<Val>,
}
/// What runs over a whole row, or once for each kept index.
#[derive(Clone, Debug)]
pub struct Part {
    /// What runs.
    pub region: Region,
    /// Outputs of the region and inputs of it that are one memory.
    pub aliased: Vec<(u32, u32)>,
    /// The whole's operand that each operand of the region is.
    pub operands: Box<[u32]>,
    /// Whether the value is computed once for each kept index, and not for each element.
    pub kept: bool,
}
/// A graph cut into parts that run one after the other. Operands are those of the graph, then buffers of one row, then kept
/// values.
#[derive(Clone, Debug)]
pub struct Cutting {
    /// Roles of the graph's operands.
    pub roles: Vec<Role>,
    /// Bytes of an element of each row buffer.
    pub temps: Vec<usize>,
    /// Number of kept values.
    pub kept: usize,
    /// What runs, in order.
    pub parts: Vec<Part>,
}

impl Cutting {
    /// A region of one phase.
    pub fn single(region: Region) -> Cutting {
        let roles: Vec<Role> = region.operands.iter().map(|o| o.role).collect();
        let operands = (0..roles.len() as u32).collect();
        let parts = vec![Part { region, aliased: vec![], operands, kept: false }];
        Cutting { roles, temps: vec![], kept: 0, parts }
    }
}

/// Cost of computing a value once more, above which it is kept in a row buffer.
const AGAIN: u32 = 8;
const NONE: u32 = u32::MAX;

/// Where a value that crosses phases is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Home {
    Nowhere,
    /// The operand of the program with this number.
    At(u32),
}
struct Cut<'a> {
    g: &'a Graph,
    outs: &'a [(u32, u32)],
    full: Vec<bool>,
    /// Full: the phase that computes it. Kept: the phase after which it is computed, -1 before all.
    time: Vec<i32>,
    /// Cost of computing it from operands and kept values.
    again: Vec<u32>,
    home: Vec<Home>,
    /// Kept values that something reads.
    wanted: Vec<bool>,
    temps: Vec<(usize, DType)>,
    kept: Vec<DType>,
    /// Values that each phase computes or reads.
    seen: Vec<Vec<bool>>,
}

impl Graph {
    /// Adds an operand; `full`: whether it walks a reduced loop.
    pub fn operand(&mut self, dtype: DType, role: Role, full: bool) -> u32 {
        self.operands.push((Operand { dtype, role }, full));
        self.operands.len() as u32 - 1
    }
    /// Adds a value.
    pub fn val(&mut self, v: Val) -> u32 {
        self.vals.push(v);
        self.vals.len() as u32 - 1
    }
    /// The most phases that it may be cut into.
    pub fn phases(&self) -> usize {
        let last = Cut::new(self, &[]).time.into_iter().max().unwrap_or(0).max(0) as usize;
        // One more, where what the last reduction gives is written along whole rows; kept values between all.
        2 * (last + 2) + 1
    }
    fn dtype(&self, v: u32) -> DType {
        match self.vals[v as usize] {
            Val::Load(k) => self.operands[k as usize].0.dtype,
            Val::Const(_, d) | Val::Apply(_, _, d) | Val::Reduce(_, _, d) => d,
        }
    }
    /// Whether the region has a reduction.
    pub fn reduces(&self) -> bool {
        self.vals.iter().any(|v| matches!(v, Val::Reduce(..)))
    }
    /// Cuts the graph into phases. `outs`: value and the operand that receives it.
    pub fn cut(&self, outs: &[(u32, u32)]) -> Cutting {
        if !self.reduces() {
            return Cutting::single(self.flat(outs));
        }
        let mut cut = Cut::new(self, outs);
        cut.demand();
        cut.emit()
    }
    /// All values as one region.
    pub fn flat(&self, outs: &[(u32, u32)]) -> Region {
        let mut r = Region { operands: self.operands.iter().map(|o| o.0).collect(), body: vec![] };
        for v in &self.vals {
            r.node(match *v {
                Val::Load(k) => Node::Load(k),
                Val::Const(b, d) => Node::Const(b, d),
                Val::Apply(op, a, d) => Node::Apply(op, a, d),
                Val::Reduce(op, a, d) => Node::Apply(op, [a, a, a], d),
            });
        }
        for &(v, k) in outs {
            r.node(Node::Store(k, v));
        }
        r
    }
}

fn args(v: &Val) -> &[u32] {
    match v {
        Val::Apply(op, a, _) => &a[..op.arity()],
        Val::Reduce(_, a, _) => std::slice::from_ref(a),
        _ => &[],
    }
}

impl<'a> Cut<'a> {
    fn new(g: &'a Graph, outs: &'a [(u32, u32)]) -> Cut<'a> {
        let n = g.vals.len();
        let (mut full, mut time, mut again) = (vec![false; n], vec![-1i32; n], vec![0u32; n]);
        for (i, v) in g.vals.iter().enumerate() {
            let a = args(v);
            let any = a.iter().any(|&x| full[x as usize]);
            // When a full value may read these.
            let whole = a.iter().map(|&x| time[x as usize] + i32::from(!full[x as usize])).max().unwrap_or(-1).max(0);
            (full[i], time[i]) = match *v {
                Val::Load(k) if g.operands[k as usize].1 => (true, 0),
                Val::Load(_) | Val::Const(..) => (false, -1),
                Val::Apply(..) if any => (true, whole),
                Val::Apply(..) => (false, a.iter().map(|&x| time[x as usize]).max().unwrap_or(-1)),
                Val::Reduce(..) => (false, whole),
            };
            if let (Val::Apply(op, ..), true) = (v, any) {
                again[i] = a.iter().fold(op.cost(), |c, &x| c.saturating_add(again[x as usize]));
            }
        }
        let stores = outs.iter().map(|&(v, _)| if full[v as usize] { time[v as usize] } else { time[v as usize] + 1 });
        let last = time.iter().copied().chain(stores).max().map_or(0, |t| t.max(0)) as usize;
        Cut {
            g,
            outs,
            full,
            time,
            again,
            home: vec![Home::Nowhere; n],
            wanted: vec![false; n],
            temps: vec![],
            kept: vec![],
            seen: vec![vec![false; n]; last + 1],
        }
    }
    /// The operand in which a value is stored anyway.
    fn out_of(&self, v: u32) -> Option<u32> {
        self.outs.iter().find(|o| o.0 == v).map(|o| o.1)
    }
    /// Outputs along whole rows that phase `t` stores: value and operand.
    fn row_stores(&self, t: usize) -> impl Iterator<Item = (u32, u32)> {
        self.outs.iter().copied().filter(move |&(v, k)| {
            let (full, time) = (self.full[v as usize], self.time[v as usize]);
            self.g.operands[k as usize].1 && (if full { time } else { time + 1 }) == t as i32
        })
    }
    /// Outputs of one element a kept index that receive `v`.
    fn kept_stores(&self, v: u32) -> impl Iterator<Item = u32> {
        self.outs.iter().filter(move |o| o.0 == v && !self.g.operands[o.1 as usize].1).map(|o| o.1)
    }
    /// Finds what each phase has to compute, from the last to the first.
    fn demand(&mut self) {
        for &(v, k) in self.outs {
            if !self.g.operands[k as usize].1 {
                self.want(v);
            }
        }
        for t in (0..self.seen.len()).rev() {
            let here = |c: &Cut, v: u32| c.time[v as usize] == t as i32;
            let mut stack: Vec<u32> = self.row_stores(t).map(|o| o.0).collect();
            for (i, v) in self.g.vals.iter().enumerate() {
                match v {
                    Val::Reduce(_, x, _) if self.wanted[i] && here(self, i as u32) => stack.push(*x),
                    Val::Apply(..) if self.full[i] && self.home[i] != Home::Nowhere && here(self, i as u32) => {
                        stack.push(i as u32);
                    }
                    _ => {}
                }
            }
            while let Some(v) = stack.pop() {
                if std::mem::replace(&mut self.seen[t][v as usize], true) {
                    continue;
                }
                if !self.full[v as usize] {
                    self.want(v);
                    continue;
                }
                let Val::Apply(..) = self.g.vals[v as usize] else { continue };
                let before = self.time[v as usize] < t as i32;
                if before && (self.again[v as usize] > AGAIN || self.home[v as usize] != Home::Nowhere) {
                    self.keep(v, t);
                } else {
                    stack.extend_from_slice(args(&self.g.vals[v as usize]));
                }
            }
        }
    }
    /// Notes that a kept value is read.
    fn want(&mut self, v: u32) {
        let mut stack = vec![v];
        while let Some(v) = stack.pop() {
            if std::mem::replace(&mut self.wanted[v as usize], true) {
                continue;
            }
            if let Val::Apply(..) = self.g.vals[v as usize] {
                stack.extend_from_slice(args(&self.g.vals[v as usize]));
            }
        }
    }
    /// Gives a full value that phase `t` reads again a place: its own output, the row of an output that is written no
    /// earlier than in phase `t`, or a buffer.
    fn keep(&mut self, v: u32, t: usize) {
        if self.home[v as usize] != Home::Nowhere {
            return;
        }
        let d = self.g.dtype(v);
        let own = self.out_of(v).filter(|&k| self.g.operands[k as usize].1);
        let later = || {
            let free = |k: u32| !self.home.contains(&Home::At(k));
            let fits = |&&(o, k): &&(u32, u32)| {
                self.full[o as usize]
                    && self.time[o as usize] >= t as i32
                    && self.g.dtype(o) == d
                    && free(k)
                    && matches!(self.g.vals[o as usize], Val::Apply(..))
            };
            self.outs.iter().find(fits).map(|o| o.1)
        };
        let at = own.or_else(later).unwrap_or_else(|| {
            let k = NONE - 1 - self.temps.len() as u32;
            self.temps.push((d.size(), d));
            k
        });
        self.home[v as usize] = Home::At(at);
    }

    fn emit(mut self) -> Cutting {
        let no = self.g.operands.len() as u32;
        let temps: Vec<usize> = self.temps.iter().map(|t| t.0).collect();
        // Row buffers were numbered from above while their number was not known.
        for h in &mut self.home {
            if let Home::At(k) = h
                && *k >= NONE - temps.len() as u32
            {
                *k = no + (NONE - 1 - *k);
            }
        }
        let first_kept = no + temps.len() as u32;
        self.place_kept(first_kept);
        let mut parts = vec![];
        for t in -1..self.seen.len() as i32 {
            if t >= 0 {
                parts.extend(self.full_phase(t as usize));
            }
            parts.extend(self.kept_phase(t));
        }
        let roles = self.g.operands.iter().map(|o| o.0.role).collect();
        Cutting { roles, temps, kept: self.kept.len(), parts }
    }
    /// Numbers the kept values that cross phases.
    fn place_kept(&mut self, first: u32) {
        for i in 0..self.g.vals.len() {
            let v = &self.g.vals[i];
            if !self.wanted[i] || self.full[i] || matches!(v, Val::Load(_) | Val::Const(..)) {
                continue;
            }
            let outs = self.kept_stores(i as u32).count();
            let read = self.seen.iter().any(|s| s[i]) || {
                let user = |(j, u): (usize, &Val)| {
                    let inside = matches!(u, Val::Apply(..)) && self.wanted[j] && args(u).contains(&(i as u32));
                    inside && (matches!(v, Val::Reduce(..)) || self.time[j] > self.time[i])
                };
                self.g.vals.iter().enumerate().any(user)
            };
            if read || (matches!(v, Val::Reduce(..)) && outs != 1) {
                self.home[i] = Home::At(first + self.kept.len() as u32);
                self.kept.push(self.g.dtype(i as u32));
            }
        }
    }
    fn full_phase(&self, t: usize) -> Option<Part> {
        let mut p = Emit::new(self);
        for (i, v) in self.g.vals.iter().enumerate() {
            if self.seen[t][i] && self.full[i] && self.home_before(i, t as i32).is_none() {
                p.compute(i as u32, v);
            }
        }
        for (i, v) in self.g.vals.iter().enumerate() {
            let here = self.time[i] == t as i32;
            match *v {
                Val::Apply(..) if here && self.full[i] && self.seen[t][i] => {
                    // Its own output is written below.
                    if let Home::At(k) = self.home[i]
                        && !self.outs.contains(&(i as u32, k))
                    {
                        p.store(k, i as u32);
                    }
                }
                Val::Reduce(op, x, d) if here && self.wanted[i] => {
                    let k = match self.home[i] {
                        Home::At(k) => k,
                        Home::Nowhere => self.out_of(i as u32).unwrap_or(0),
                    };
                    p.reduce(op, k, x, d);
                }
                _ => {}
            }
        }
        for (v, k) in self.row_stores(t) {
            p.store(k, v);
        }
        p.finish(false)
    }
    /// Where a full value was left by a phase before `t`.
    fn home_before(&self, i: usize, t: i32) -> Option<u32> {
        match self.home[i] {
            Home::At(k) if self.full[i] && self.time[i] < t => Some(k),
            _ => None,
        }
    }
    fn kept_phase(&self, t: i32) -> Option<Part> {
        let mut p = Emit::new(self);
        for (i, v) in self.g.vals.iter().enumerate() {
            if self.full[i] || !self.wanted[i] {
                continue;
            }
            let (computed, here) = (matches!(v, Val::Apply(..)), self.time[i] == t);
            if computed && here {
                p.compute(i as u32, v);
                if let Home::At(k) = self.home[i] {
                    p.store(k, i as u32);
                }
            }
            // What a phase leaves in a kept value goes to the outputs from there; loads and constants at the start.
            let early = !computed && !matches!(v, Val::Reduce(..)) && t == -1;
            let reduced = matches!(v, Val::Reduce(..)) && here && self.home[i] != Home::Nowhere;
            if (computed && here) || early || reduced {
                for k in self.kept_stores(i as u32) {
                    p.store(k, i as u32);
                }
            }
        }
        p.finish(true)
    }
}

/// A phase being written: the program's operands become the region's as they are used.
struct Emit<'c, 'a> {
    cut: &'c Cut<'a>,
    region: Region,
    operands: Vec<u32>,
    /// Node of each value.
    node: Vec<u32>,
    /// Node of each operand that has been loaded.
    loads: Vec<(u32, u32)>,
}
impl<'c, 'a> Emit<'c, 'a> {
    fn new(cut: &'c Cut<'a>) -> Emit<'c, 'a> {
        let node = vec![NONE; cut.g.vals.len()];
        Emit { cut, region: Region::default(), operands: vec![], node, loads: vec![] }
    }
    fn operand(&mut self, k: u32, dtype: DType, role: Role) -> u32 {
        if let Some(i) = self.operands.iter().position(|&x| x == k)
            && self.region.operands[i].role == role
        {
            return i as u32;
        }
        self.operands.push(k);
        self.region.operand(dtype, role)
    }
    fn load(&mut self, k: u32, dtype: DType) -> u32 {
        if let Some(l) = self.loads.iter().find(|l| l.0 == k) {
            return l.1;
        }
        let o = self.operand(k, dtype, Role::In);
        let n = self.region.node(Node::Load(o));
        self.loads.push((k, n));
        n
    }
    /// The node of a value that this phase reads.
    fn read(&mut self, v: u32) -> u32 {
        if self.node[v as usize] != NONE {
            return self.node[v as usize];
        }
        let n = match (self.cut.g.vals[v as usize], self.cut.home[v as usize]) {
            (Val::Load(k), _) => self.load(k, self.cut.g.operands[k as usize].0.dtype),
            (Val::Const(b, d), _) => self.region.node(Node::Const(b, d)),
            (_, Home::At(k)) => self.load(k, self.cut.g.dtype(v)),
            // Every value that another phase reads was given a home.
            (_, Home::Nowhere) => NONE,
        };
        self.node[v as usize] = n;
        n
    }
    fn compute(&mut self, v: u32, val: &Val) {
        if let Val::Apply(op, a, d) = *val {
            let mut x = [0; 3];
            for (x, &a) in x.iter_mut().zip(&a[..op.arity()]) {
                *x = self.read(a);
            }
            self.node[v as usize] = self.region.node(Node::Apply(op, x, d));
        }
    }
    fn store(&mut self, k: u32, v: u32) {
        let n = self.read(v);
        let o = self.operand(k, self.cut.g.dtype(v), Role::Out);
        self.region.node(Node::Store(o, n));
    }
    fn reduce(&mut self, op: ScalarOp, k: u32, v: u32, d: DType) {
        let n = self.read(v);
        let o = self.operand(k, d, Role::Reduced);
        self.region.node(Node::Red(op, o, n));
    }
    fn finish(self, kept: bool) -> Option<Part> {
        if !self.region.body.iter().any(|n| matches!(n, Node::Store(..) | Node::Red(..))) {
            return None;
        }
        let same = |role: Role| self.region.operands.iter().enumerate().filter(move |o| o.1.role == role).map(|o| o.0);
        let mut aliased = vec![];
        for o in same(Role::Out) {
            aliased
                .extend(same(Role::In).filter(|&i| self.operands[i] == self.operands[o]).map(|i| (o as u32, i as u32)));
        }
        Some(Part { region: self.region, aliased, operands: self.operands.into(), kept })
    }
}
