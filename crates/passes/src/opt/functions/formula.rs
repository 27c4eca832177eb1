//! Formulas of elementwise rows and of loops on elements: how a program writes a function, or how its derivative is worked out.
//!
//! A formula is written with a [`Pen`], whose values [`E`] are computed with like numbers, and is then compared with what a
//! program holds (`holds`) or built into a function ([`Formula::build`]).
use super::pattern::Term;
use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};
use tfc_ir::ops::control::{STOP_GRADIENT, WHILE};
use tfc_ir::ops::elementwise as e;
use tfc_ir::{Builder, DType, NewOp, OpDef, Result, Type, ValueId};

/// A part of a formula. Its own parts have smaller numbers.
pub(super) enum Part {
    /// The variable of that number.
    Var(usize),
    /// A number, in the dtype of the variables.
    Num(f64),
    /// An integer, in the dtype of the formula's counters.
    Int(i64),
    /// A truth value.
    Flag(bool),
    /// A row on parts.
    Row(&'static OpDef, Vec<usize>),
    /// An integer in the dtype of the variables.
    Real(usize),
    /// Whether any element holds.
    Any(usize),
    /// The carry of that number of the loop whose carries begin at this part.
    Carry(usize, usize),
    /// A loop whose carries begin at part `first`.
    Loop { first: usize, starts: Vec<Start>, cond: usize, body: Vec<usize> },
    /// The last value of a carry of the loop that is this part.
    Last(usize, usize),
}
/// What a carry starts as.
#[derive(Clone, Copy)]
pub(super) struct Start {
    at: usize,
    /// Whether one number stands for all elements.
    single: bool,
}
impl Start {
    pub(super) fn at(&self) -> usize {
        self.at
    }
}
/// What writes a formula, of variables of this dtype.
pub(super) struct Pen {
    parts: RefCell<Vec<Part>>,
    pub(super) dtype: DType,
}
/// A value of a formula that is being written.
#[derive(Clone, Copy)]
pub(super) struct E<'p> {
    pen: &'p Pen,
    at: usize,
}
/// What writes a formula of these variables.
pub(super) type Writer = for<'p> fn(&'p Pen, &[E<'p>]) -> E<'p>;

impl Pen {
    fn put(&self, part: Part) -> E<'_> {
        let mut parts = self.parts.borrow_mut();
        parts.push(part);
        E { pen: self, at: parts.len() - 1 }
    }
    fn row(&self, row: &'static OpDef, args: &[E]) -> E<'_> {
        self.put(Part::Row(row, args.iter().map(|a| a.at).collect()))
    }
    pub(super) fn num(&self, x: f64) -> E<'_> {
        self.put(Part::Num(x))
    }
    pub(super) fn int(&self, x: i64) -> E<'_> {
        self.put(Part::Int(x))
    }
    pub(super) fn flag(&self, x: bool) -> E<'_> {
        self.put(Part::Flag(x))
    }
    /// The distance from 1 to the next number.
    pub(super) fn epsilon(&self) -> f64 {
        if self.dtype == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON }
    }
    /// A carry of the shape of the variables.
    pub(super) fn each<'p>(&'p self, start: E<'p>) -> (E<'p>, bool) {
        (start, false)
    }
    /// A carry that is one number for all elements.
    pub(super) fn single<'p>(&'p self, start: E<'p>) -> (E<'p>, bool) {
        (start, true)
    }
    /// A loop: what its carries are in the end.
    pub(super) fn repeat<'p>(
        &'p self,
        starts: &[(E<'p>, bool)],
        cond: impl FnOnce(&[E<'p>]) -> E<'p>,
        body: impl FnOnce(&[E<'p>]) -> Vec<E<'p>>,
    ) -> Vec<E<'p>> {
        let first = self.parts.borrow().len();
        let carries: Vec<E> = (0..starts.len()).map(|i| self.put(Part::Carry(first, i))).collect();
        let (cond, body) = (cond(&carries).at, body(&carries).iter().map(|y| y.at).collect());
        let starts: Vec<Start> = starts.iter().map(|&(s, single)| Start { at: s.at, single }).collect();
        let made = self.put(Part::Loop { first, starts, cond, body }).at;
        carries.iter().enumerate().map(|(i, _)| self.put(Part::Last(made, i))).collect()
    }
    fn term<'p>(&'p self, term: &Term, vars: &[E<'p>]) -> E<'p> {
        match term {
            Term::Var(i) => vars[*i],
            Term::Num(x) => self.num(*x),
            Term::Op(row, args) => {
                let args: Vec<E> = args.iter().map(|a| self.term(a, vars)).collect();
                self.row(row, &args)
            }
        }
    }
}

macro_rules! operators { ($($trait:ident $f:ident $row:ident,)*) => { $(
    impl<'p> $trait for E<'p> {
        type Output = E<'p>;
        fn $f(self, other: E<'p>) -> E<'p> { self.pen.row(&e::$row, &[self, other]) }
    }
    impl<'p> $trait<f64> for E<'p> {
        type Output = E<'p>;
        fn $f(self, other: f64) -> E<'p> { self.pen.row(&e::$row, &[self, self.pen.num(other)]) }
    }
    impl<'p> $trait<E<'p>> for f64 {
        type Output = E<'p>;
        fn $f(self, other: E<'p>) -> E<'p> { other.pen.row(&e::$row, &[other.pen.num(self), other]) }
    }
)* } }
operators! { Add add ADD, Sub sub SUB, Mul mul MUL, Div div DIV, }
impl<'p> Neg for E<'p> {
    type Output = E<'p>;
    fn neg(self) -> E<'p> {
        self.pen.row(&e::NEG, &[self])
    }
}
macro_rules! unary { ($($f:ident $row:ident,)*) => { impl<'p> E<'p> { $(
    pub(super) fn $f(self) -> E<'p> { self.pen.row(&e::$row, &[self]) }
)* } } }
macro_rules! binary { ($($f:ident $row:ident,)*) => { impl<'p> E<'p> { $(
    pub(super) fn $f(self, other: E<'p>) -> E<'p> { self.pen.row(&e::$row, &[self, other]) }
)* } } }
unary! { abs ABS, exp EXP, log LOG, log1p LOG1P, lgamma LGAMMA, not NOT, floor FLOOR, sign SIGN,
sin SIN, sqrt SQRT, is_finite IS_FINITE, }
binary! { lt LT, le LE, gt GT, ge GE, eq EQ, ne NE, and AND, or OR, rem REM, }
impl<'p> E<'p> {
    /// `yes` where this holds, `no` elsewhere.
    pub(super) fn select(self, yes: E<'p>, no: E<'p>) -> E<'p> {
        self.pen.row(&e::SELECT, &[self, yes, no])
    }
    /// The same value, which no derivative goes through.
    pub(super) fn fixed(self) -> E<'p> {
        self.pen.row(&STOP_GRADIENT, &[self])
    }
    /// This integer as a number.
    pub(super) fn real(self) -> E<'p> {
        self.pen.put(Part::Real(self.at))
    }
    /// Whether any element holds.
    pub(super) fn any(self) -> E<'p> {
        self.pen.put(Part::Any(self.at))
    }
}

/// A formula that is written.
pub(super) struct Formula {
    pub(super) parts: Vec<Part>,
    pub(super) root: usize,
    pub(super) vars: usize,
    pub(super) dtype: DType,
}
impl Formula {
    fn written(vars: usize, dtype: DType, write: impl for<'p> FnOnce(&'p Pen, &[E<'p>]) -> E<'p>) -> Formula {
        let pen = Pen { parts: RefCell::default(), dtype };
        let root = {
            let vars: Vec<E> = (0..vars).map(|i| pen.put(Part::Var(i))).collect();
            write(&pen, &vars).at
        };
        Formula { parts: pen.parts.into_inner(), root, vars, dtype }
    }
    /// What `writer` writes.
    pub(super) fn new(vars: usize, dtype: DType, writer: Writer) -> Formula {
        Formula::written(vars, dtype, writer)
    }
    /// A term.
    pub(super) fn of(vars: usize, dtype: DType, term: &Term) -> Formula {
        Formula::written(vars, dtype, |pen, vars| pen.term(term, vars))
    }
    /// The row that gives its value.
    pub(super) fn row(&self) -> Option<&'static OpDef> {
        if let Some(Part::Row(row, _)) = self.parts.get(self.root) { Some(row) } else { None }
    }
    /// Writes it on these variables; `index` is the dtype of its counters.
    pub(super) fn build(&self, b: &mut Builder, vars: &[ValueId], index: DType) -> Result<ValueId> {
        let mut w = Write { f: self, b, vars, index, made: vec![None; self.parts.len()], inside: vec![] };
        w.part(self.root)
    }
}
struct Write<'a, 'b, 'm> {
    f: &'a Formula,
    b: &'b mut Builder<'m>,
    vars: &'a [ValueId],
    index: DType,
    made: Vec<Option<ValueId>>,
    /// Parts that were written in the regions around.
    inside: Vec<Vec<usize>>,
}
impl Write<'_, '_, '_> {
    fn set(&mut self, at: usize, v: ValueId) {
        self.made[at] = Some(v);
        if let Some(inside) = self.inside.last_mut() {
            inside.push(at);
        }
    }
    fn constant(&self, at: usize) -> Option<(DType, f64)> {
        match self.f.parts[at] {
            Part::Num(x) => Some((self.f.dtype, x)),
            Part::Int(x) => Some((self.index, x as f64)),
            Part::Flag(x) => Some((DType::Bool, f64::from(u8::from(x)))),
            _ => None,
        }
    }
    /// A part; a constant as one number.
    fn part(&mut self, at: usize) -> Result<ValueId> {
        if let Some(v) = self.made[at] {
            return Ok(v);
        }
        if let Some((dtype, x)) = self.constant(at) {
            return self.b.splat(&Type::scalar(dtype), x);
        }
        let f = self.f;
        let v = match &f.parts[at] {
            Part::Var(i) => self.vars[*i],
            Part::Row(row, args) => {
                let args = self.alike(args)?;
                self.b.emit1(NewOp::new(row, &args))?
            }
            Part::Real(x) => {
                let x = self.part(*x)?;
                self.b.convert(x, self.f.dtype)?
            }
            Part::Any(x) => {
                let x = self.part(*x)?;
                let axes: Vec<usize> = (0..self.b.ty(x).rank()).collect();
                if axes.is_empty() { x } else { self.b.any_along(x, &axes)? }
            }
            Part::Loop { .. } => return self.repeated(at).map(|_| self.vars[0]),
            Part::Last(made, i) => {
                let (made, i) = (*made, *i);
                self.repeated(made)?[i]
            }
            // What a loop carries is set where the loop is written.
            Part::Carry(..) | Part::Num(_) | Part::Int(_) | Part::Flag(_) => self.vars[0],
        };
        self.set(at, v);
        Ok(v)
    }
    /// Operands of a row, in the shape of the largest.
    fn alike(&mut self, args: &[usize]) -> Result<Vec<ValueId>> {
        let mut made = vec![];
        for &a in args {
            made.push(if self.constant(a).is_some() { None } else { Some(self.part(a)?) });
        }
        let dims = made.iter().flatten().map(|&v| self.b.ty(v)).max_by_key(Type::rank);
        let shape = |dtype: DType| dims.as_ref().map_or(Type::scalar(dtype), |t| t.with_dtype(dtype));
        let mut out = vec![];
        for (&a, v) in args.iter().zip(made) {
            out.push(match (v, self.constant(a)) {
                (Some(v), _) => self.shaped(v, &shape(self.b.ty(v).dtype))?,
                (None, Some((dtype, x))) => self.b.splat(&shape(dtype), x)?,
                (None, None) => self.vars[0],
            });
        }
        Ok(out)
    }
    /// One number for each element, or what is that already.
    fn shaped(&mut self, v: ValueId, ty: &Type) -> Result<ValueId> {
        if self.b.ty(v).is_scalar() { self.b.broadcast(v, ty, &[]) } else { Ok(v) }
    }
    fn carried(&mut self, start: Start) -> Result<ValueId> {
        let ty = |w: &Self, dtype: DType| w.b.ty(w.vars[0]).with_dtype(dtype);
        match self.constant(start.at) {
            Some((dtype, x)) if !start.single => self.b.splat(&ty(self, dtype), x),
            _ => {
                let v = self.part(start.at)?;
                let whole = ty(self, self.b.ty(v).dtype);
                if start.single { Ok(v) } else { self.shaped(v, &whole) }
            }
        }
    }
    fn repeated(&mut self, at: usize) -> Result<Vec<ValueId>> {
        let f = self.f;
        let Part::Loop { first, starts, cond, body } = &f.parts[at] else { return Ok(vec![]) };
        let last = |w: &Self| -> Option<Vec<ValueId>> {
            let of = |i: usize| f.parts.iter().position(|p| matches!(p, Part::Last(l, j) if *l == at && *j == i));
            (0..starts.len()).map(|i| w.made[of(i)?]).collect()
        };
        if let Some(known) = last(self) {
            return Ok(known);
        }
        let operands = starts.iter().map(|s| self.carried(*s)).collect::<Result<Vec<_>>>()?;
        // What the loop only reads is written before it.
        let mut reads = vec![*cond];
        reads.extend(body);
        for before in self.before(&reads, *first) {
            self.part(before)?;
        }
        let types: Vec<Type> = operands.iter().map(|&v| self.b.ty(v)).collect();
        let condition = self.region("cond", *first, &types, &[*cond], None)?;
        let next = self.region("body", *first, &types, body, Some(&types))?;
        let rs = self.b.emit(NewOp::new(&WHILE, &operands).regions(vec![condition, next]))?;
        for (p, part) in f.parts.iter().enumerate() {
            if let Part::Last(l, i) = part
                && *l == at
            {
                self.set(p, rs[*i]);
            }
        }
        Ok(rs)
    }
    /// Parts before part `first` that these need.
    fn before(&self, roots: &[usize], first: usize) -> Vec<usize> {
        let (mut seen, mut todo, mut out) = (vec![false; self.f.parts.len()], roots.to_vec(), vec![]);
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            match &self.f.parts[at] {
                _ if at < first => out.extend((self.constant(at).is_none()).then_some(at)),
                Part::Row(_, args) => todo.extend(args),
                Part::Real(x) | Part::Any(x) | Part::Last(x, _) => todo.push(*x),
                Part::Loop { starts, cond, body, .. } => {
                    todo.extend(starts.iter().map(|s| s.at).chain([*cond]).chain(body.iter().copied()));
                }
                _ => {}
            }
        }
        out.sort_unstable();
        out
    }
    fn region(
        &mut self,
        label: &str,
        first: usize,
        params: &[Type],
        yields: &[usize],
        types: Option<&[Type]>,
    ) -> Result<tfc_ir::RegionId> {
        let opened = self.b.open(label);
        self.inside.push(vec![]);
        for (i, ty) in params.iter().enumerate() {
            let p = self.b.param(ty.clone(), "c");
            self.set(first + i, p);
        }
        let mut ys = vec![];
        for (i, &y) in yields.iter().enumerate() {
            let v = self.part(y)?;
            ys.push(match types {
                Some(types) => self.shaped(v, &types[i])?,
                None => v,
            });
        }
        for at in self.inside.pop().unwrap_or_default() {
            self.made[at] = None;
        }
        Ok(self.b.close(opened, ys))
    }
}
