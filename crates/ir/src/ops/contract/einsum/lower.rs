//! An `einsum` as products of two: diagonals are views, labels that one operand has alone are summed first, a product that
//! sums over something is a `dot_general`, which takes axes in any order and gives them in that of the result, any other is
//! elementwise.
use super::plan::{Minimize, Network, Order, Plan, Step, plan};
use super::spec::{Label, Spec, distinct};
use crate::attr::Attrs;
use crate::builder::Builder;
use crate::code::Code;
use crate::diag::{Error, Result};
use crate::extent::{Atom, CmpOp, Constraint, Extent};
use crate::func::{Func, Op, SymDecl, ValueId};
use crate::op::NewOp;
use crate::ops::contract::{DOT_GENERAL, DotDims};
use crate::ops::control::{Gather, ScanDims};
use crate::ops::linalg::as_spectral;
use crate::ops::shape::{EMBED_DIAG, EXTRACT_DIAG};
use crate::types::Type;
use std::fmt::Write;

/// What a symbol is taken for where nothing says how large it is.
const ASSUMED: i64 = 128;

/// An `einsum` with its labels numbered in the order in which they come.
#[derive(Clone, Debug)]
pub struct Einsum {
    /// The text.
    pub spec: Spec,
    /// The labels.
    pub labels: Vec<Label>,
    /// The extent of each.
    pub extents: Vec<Extent>,
    /// What each is taken for, at least 1.
    pub sizes: Vec<f64>,
    terms: Vec<Vec<usize>>,
    out: Vec<usize>,
    conj: Vec<usize>,
    minimize: Minimize,
    limit: Option<f64>,
    path: Option<Vec<Vec<usize>>>,
}
impl Einsum {
    /// From attributes that inference has checked, for operands of these types, of a function with these symbols.
    pub fn of(a: &Attrs, types: &[Type], syms: &[SymDecl]) -> Result<Einsum> {
        let ranks: Vec<usize> = types.iter().map(Type::rank).collect();
        let spec = Spec::parse(a.str("spec").unwrap_or_default(), &ranks)?;
        let labels = spec.labels();
        let number = |l: &Label| labels.iter().position(|m| m == l).unwrap_or(0);
        let numbers = |list: &Vec<Label>| list.iter().map(number).collect::<Vec<_>>();
        let terms: Vec<Vec<usize>> = spec.terms.iter().map(numbers).collect();
        let mut extents = vec![Extent::exact(1); labels.len()];
        for (term, ty) in terms.iter().zip(types).rev() {
            term.iter().zip(ty.dims.iter()).rev().for_each(|(&l, d)| extents[l] = d.clone());
        }
        let assume = a.indices("assume");
        let size = |(l, e): (usize, &Extent)| match (e.as_exact(), assume.get(l)) {
            (Some(n), _) => n.max(1) as f64,
            (None, Some(&n)) if n > 0 => n as f64,
            _ => {
                let taken = |a: Atom| match a {
                    Atom::Sym(s) => syms.get(s.0 as usize).and_then(|s| s.likely),
                    Atom::Exist(_) => None,
                };
                let all = e.subst(&|a| Some(Extent::exact(taken(a).unwrap_or(ASSUMED))));
                all.ok().and_then(|e| e.as_exact()).unwrap_or(ASSUMED).max(1) as f64
            }
        };
        let sizes = extents.iter().enumerate().map(size).collect();
        let minimize = match a.word("minimize") {
            Some("size") => Minimize::Size,
            Some("both") => Minimize::Both,
            _ => Minimize::Flops,
        };
        Ok(Einsum {
            out: numbers(&spec.out),
            conj: a.indices("conj"),
            limit: a.get("memory_limit").map(|_| a.int("memory_limit") as f64),
            path: a.get("path").map(|_| super::path(a)),
            spec,
            labels,
            extents,
            sizes,
            terms,
            minimize,
        })
    }
    /// Labels that operand `i` has alone, which are summed before anything else.
    fn alone(&self, i: usize) -> Vec<usize> {
        let elsewhere =
            |l: usize| self.out.contains(&l) || self.terms.iter().enumerate().any(|(j, t)| j != i && t.contains(&l));
        distinct(self.terms[i].iter().copied()).into_iter().filter(|&l| !elsewhere(l)).collect()
    }
    /// What is left to be ordered: operands without diagonals and without labels that they have alone.
    pub fn network(&self) -> Network {
        let input = |i: usize| {
            let alone = self.alone(i);
            distinct(self.terms[i].iter().copied()).into_iter().filter(|l| !alone.contains(l)).collect()
        };
        Network {
            inputs: (0..self.terms.len()).map(input).collect(),
            output: distinct(self.out.iter().copied()),
            sizes: self.sizes.clone(),
        }
    }
    /// The order in which operands are multiplied.
    pub fn plan(&self) -> Plan {
        let order = match &self.path {
            Some(p) => Order::Path(p),
            None => Order::Tree(&self.spec.order),
        };
        plan(&self.network(), order, self.minimize, self.limit)
    }
    /// Whether somebody wishes this order, and not just that of the fewest operations.
    fn is_ordered(&self) -> bool {
        let chosen = self.path.is_some() || !self.spec.is_flat();
        self.terms.len() > 2 && (chosen || self.minimize != Minimize::Flops || self.limit.is_some())
    }
    fn ty(&self, like: &Type, labels: &[usize]) -> Type {
        like.with_dims(labels.iter().map(|&l| self.extents[l].clone()).collect::<Vec<_>>())
    }
}

/// The rule that expands.
pub(super) fn expand(b: &mut Builder, op: &NewOp) -> Result<Vec<ValueId>> {
    expand_by(b, op, false)
}
/// The same; `spectral`: products that make a function of a matrix of its singular or eigenvalues are seen as that.
pub(super) fn expand_by(b: &mut Builder, op: &NewOp, spectral: bool) -> Result<Vec<ValueId>> {
    let types: Vec<Type> = op.operands.iter().map(|&v| b.ty(v)).collect();
    let e = Einsum::of(&op.attrs, &types, &b.func().syms)?;
    let p = e.plan();
    let mut cx = Lower { b, e: &e, p: &p, spectral };
    Ok(vec![cx.all(&op.operands)?])
}

/// A value with the label of each axis, none twice; `conj`: its conjugate is meant.
#[derive(Clone, Debug)]
struct Factor {
    value: ValueId,
    labels: Vec<usize>,
    conj: bool,
}
struct Lower<'a, 'm> {
    b: &'a mut Builder<'m>,
    e: &'a Einsum,
    p: &'a Plan,
    spectral: bool,
}
impl Lower<'_, '_> {
    fn all(&mut self, operands: &[ValueId]) -> Result<ValueId> {
        let e = self.e;
        self.state(operands)?;
        let mut made = vec![];
        for (i, &v) in operands.iter().enumerate() {
            let f = Factor { value: v, labels: e.terms[i].clone(), conj: e.conj.contains(&i) };
            let f = self.diagonals(f)?;
            made.push(Some(self.summed(f, &e.alone(i))?));
        }
        let wanted = distinct(e.out.iter().copied());
        let n = operands.len();
        let cut = |f: &Option<Factor>| f.as_ref().is_some_and(|f| f.labels.iter().any(|l| self.p.sliced.contains(l)));
        let mut inside: Vec<bool> = made.iter().map(cut).collect();
        for s in &self.p.steps {
            inside.push(s.of.iter().any(|&i| inside[i]));
        }
        let last = self.p.steps.len();
        for (k, s) in self.p.steps.iter().enumerate() {
            let f =
                if inside[n + k] { None } else { Some(self.step(&made, s, (k + 1 == last).then_some(&wanted[..]))?) };
            made.push(f);
        }
        let f = match made.last().cloned().flatten() {
            Some(f) => f,
            None => self.sliced(made, &inside, &self.p.sliced.clone())?,
        };
        let f = self.plain(f)?;
        self.ordered(f)
    }
    /// Extents of equal labels that are not known to be equal are said to be: what the op asked goes with it.
    fn state(&mut self, operands: &[ValueId]) -> Result<()> {
        let mut equal = vec![];
        for (term, &v) in self.e.terms.iter().zip(operands) {
            for (&l, d) in term.iter().zip(self.b.func().ty(v).dims.iter()) {
                if *d != self.e.extents[l] {
                    equal.push(Constraint { lhs: self.e.extents[l].clone(), op: CmpOp::Eq, rhs: d.clone() });
                }
            }
        }
        self.b.state(equal)
    }
    /// Each label once.
    fn diagonals(&mut self, mut f: Factor) -> Result<Factor> {
        while let Some((p, q)) = repeated(&f.labels) {
            let rest: Vec<usize> = (0..f.labels.len()).filter(|i| *i != p && *i != q).collect();
            let x = self.b.transpose(f.value, &[&[p, q][..], &rest].concat())?;
            let label = f.labels[p];
            f.labels = std::iter::once(label).chain(rest.iter().map(|&i| f.labels[i])).collect();
            f.value = self.b.emit1(NewOp::new(&EXTRACT_DIAG, &[x]))?;
        }
        Ok(f)
    }
    fn summed(&mut self, mut f: Factor, labels: &[usize]) -> Result<Factor> {
        let axes: Vec<usize> = (0..f.labels.len()).filter(|&a| labels.contains(&f.labels[a])).collect();
        f.value = self.b.reduce_sum(f.value, &axes)?;
        f.labels.retain(|l| !labels.contains(l));
        Ok(f)
    }
    /// The value itself, conjugated where that is meant.
    fn plain(&mut self, f: Factor) -> Result<Factor> {
        let value = if f.conj { self.b.conj_if_complex(f.value)? } else { f.value };
        Ok(Factor { value, conj: false, ..f })
    }
    fn step(&mut self, made: &[Option<Factor>], s: &Step, wanted: Option<&[usize]>) -> Result<Factor> {
        let [x, y] = s.of.map(|i| made.get(i).cloned().flatten());
        let (Some(x), Some(y)) = (x, y) else { return Err(Error::bug(Code::E0599, "a product before its factors")) };
        let summed = x.labels.iter().chain(&y.labels).any(|l| !s.labels.contains(l));
        // In the order that is wanted, as far as it is there: labels of a loop are not.
        let order: Option<Vec<usize>> = wanted.map(|w| {
            w.iter()
                .copied()
                .filter(|l| s.labels.contains(l) && (x.labels.contains(l) || y.labels.contains(l)))
                .collect()
        });
        if summed { self.dot(x, y, &s.labels, order) } else { self.product(x, y, order) }
    }
    /// Summed over what both have and nobody needs.
    fn dot(&mut self, x: Factor, y: Factor, kept: &[usize], order: Option<Vec<usize>>) -> Result<Factor> {
        let place = |f: &Factor, l: usize| f.labels.iter().position(|&m| m == l);
        let mut d = DotDims { conj_lhs: x.conj, conj_rhs: y.conj, kept: self.e.is_ordered(), ..DotDims::default() };
        let mut labels = [vec![], vec![], vec![]];
        for (i, &l) in x.labels.iter().enumerate() {
            match place(&y, l) {
                Some(j) if kept.contains(&l) => {
                    d.batch[0].push(i);
                    d.batch[1].push(j);
                    labels[2].push(l);
                }
                Some(j) => {
                    d.contract[0].push(i);
                    d.contract[1].push(j);
                }
                None => labels[0].push(l),
            }
        }
        labels[1].extend(y.labels.iter().filter(|&&l| place(&x, l).is_none()));
        let mut labels = labels.concat();
        if let Some(order) = order {
            let out: Vec<usize> = order.iter().filter_map(|l| labels.iter().position(|m| m == l)).collect();
            d.out = Some(out);
            labels = order;
        }
        let op = NewOp::new(&DOT_GENERAL, &[x.value, y.value]).attrs(d.attrs());
        let known = if self.spectral { as_spectral(self.b, &op)?.and_then(|v| v.first().copied()) } else { None };
        let value = match known {
            Some(v) => v,
            None => self.b.emit1(op)?,
        };
        Ok(Factor { value, labels, conj: false })
    }
    /// Elementwise, each factor repeated along what it does not have.
    fn product(&mut self, x: Factor, y: Factor, order: Option<Vec<usize>>) -> Result<Factor> {
        let (x, y) = (self.plain(x)?, self.plain(y)?);
        // Along the axes of the factor with more of them, then the others.
        let (long, short) = if y.labels.len() > x.labels.len() { (&y, &x) } else { (&x, &y) };
        let labels = order.unwrap_or_else(|| distinct(long.labels.iter().chain(&short.labels).copied()));
        let ty = self.e.ty(&self.b.ty(x.value), &labels);
        let mut wide = vec![];
        for f in [&x, &y] {
            let dims: Vec<usize> = f.labels.iter().filter_map(|l| labels.iter().position(|m| m == l)).collect();
            wide.push(if dims.len() == labels.len() {
                let perm: Vec<usize> = labels.iter().filter_map(|l| f.labels.iter().position(|m| m == l)).collect();
                self.b.transpose(f.value, &perm)?
            } else {
                self.b.broadcast(f.value, &ty, &dims)?
            });
        }
        Ok(Factor { value: self.b.mul(wide[0], wide[1])?, labels, conj: false })
    }
    /// The steps within the loops over these labels, one loop in another: results are added, or stacked where the label is one
    /// of the result.
    fn sliced(&mut self, mut made: Vec<Option<Factor>>, inside: &[bool], labels: &[usize]) -> Result<Factor> {
        let e = self.e;
        let n = e.terms.len();
        let wanted = distinct(e.out.iter().copied());
        let Some((&l, rest)) = labels.split_first() else {
            for (k, s) in self.p.steps.iter().enumerate() {
                if inside[n + k] {
                    made[n + k] = Some(self.step(&made, s, (k + 1 == self.p.steps.len()).then_some(&wanted[..]))?);
                }
            }
            let last = made.last().cloned().flatten();
            let f = last.ok_or_else(|| Error::bug(Code::E0599, "an `einsum` without a product in its loop"))?;
            return self.plain(f);
        };
        let (mut cut, mut xs, mut axes) = (vec![], vec![], vec![]);
        for (i, f) in made.iter().enumerate() {
            if let Some(f) = f
                && let Some(a) = f.labels.iter().position(|&m| m == l)
            {
                cut.push(i);
                xs.push(f.value);
                axes.push(a);
            }
        }
        let stacked = wanted.contains(&l);
        let like = self
            .b
            .ty(xs.first().copied().ok_or_else(|| Error::bug(Code::E0599, "a loop over a label that is gone"))?);
        // What a trip gives: the labels of the result but those of this loop and the loops around it.
        let outer: Vec<usize> = self.p.sliced.iter().copied().take_while(|&s| s != l).chain([l]).collect();
        let left = |m: &&usize| !outer.contains(*m);
        let inner: Vec<usize> = wanted.iter().filter(left).copied().collect();
        let opened = self.b.open("body");
        let ty = e.ty(&like, &inner);
        let carry = if stacked { None } else { Some(self.b.param(ty.clone(), "sum")) };
        for (&i, &a) in cut.iter().zip(&axes) {
            if let Some(f) = &mut made[i] {
                let piece = self.b.ty(f.value).without(&[a]);
                f.value = self.b.param(piece, "");
                f.labels.remove(a);
            }
        }
        let done = self.sliced(made, inside, rest);
        let f = match done {
            Ok(f) => f,
            Err(e) => {
                self.b.suspend(opened);
                return Err(e);
            }
        };
        let y = self.in_order(f, &inner)?;
        let yields = match carry {
            Some(c) => vec![self.b.add(c, y)?],
            None => vec![y],
        };
        let body = self.b.close(opened, yields);
        let mut dims = ScanDims {
            carry: 0,
            length: e.extents[l].clone(),
            cut: axes,
            collect: vec![],
            reverse: false,
            ..ScanDims::default()
        };
        let mut labels = inner.clone();
        if carry.is_some() {
            dims.carry = 1;
            xs.insert(0, self.b.zeros(&ty)?);
        } else {
            dims.collect.push(Gather::Stack(inner.len()));
            labels.push(l);
        }
        let value = self.b.scan(&xs, &dims, body)?;
        let value = value.first().copied().ok_or_else(|| Error::bug(Code::E0599, "a loop without a result"))?;
        Ok(Factor { value, labels, conj: false })
    }
    fn in_order(&mut self, f: Factor, labels: &[usize]) -> Result<ValueId> {
        let perm: Vec<usize> = labels.iter().filter_map(|l| f.labels.iter().position(|m| m == l)).collect();
        self.b.transpose(f.value, &perm)
    }
    /// With the axes of the result, those that it has several times included.
    fn ordered(&mut self, mut f: Factor) -> Result<ValueId> {
        let out = &self.e.out;
        for l in distinct(out.iter().copied()) {
            for _ in 1..out.iter().filter(|&&m| m == l).count() {
                let p = f.labels.iter().position(|&m| m == l).unwrap_or(0);
                let rest: Vec<usize> = (0..f.labels.len()).filter(|&i| i != p).collect();
                let x = self.b.transpose(f.value, &[&[p][..], &rest].concat())?;
                f.labels = [l, l].into_iter().chain(rest.iter().map(|&i| f.labels[i])).collect();
                f.value = self.b.emit1(NewOp::new(&EMBED_DIAG, &[x]))?;
            }
        }
        // Axes of one label are alike: each is taken once.
        let mut perm: Vec<usize> = vec![];
        for l in out {
            perm.extend((0..f.labels.len()).find(|i| f.labels[*i] == *l && !perm.contains(i)));
        }
        self.b.transpose(f.value, &perm)
    }
}
/// The first two places of a label that stands twice.
fn repeated(labels: &[usize]) -> Option<(usize, usize)> {
    (0..labels.len()).find_map(|p| (p + 1..labels.len()).find(|&q| labels[p] == labels[q]).map(|q| (p, q)))
}

/// The plan of an `einsum` as text: what is multiplied step by step, its operations, and its elements.
pub fn table(f: &Func, op: &Op) -> Result<String> {
    let types = f.types(&op.operands);
    let e = Einsum::of(&op.attrs, &types, &f.syms)?;
    let p = e.plan();
    let net = e.network();
    let names: Vec<String> = op.operands.iter().map(|&v| format!("%{}", f.value(v).name)).collect();
    let text = |labels: &[usize]| {
        let list = labels.iter().filter_map(|&l| e.labels.get(l).copied()).collect();
        Spec::of(vec![list], vec![]).to_string().trim_end_matches("->").to_owned()
    };
    let mut rows = vec![["step", "factors", "product", "flops", "elements"].map(str::to_owned)];
    for (i, (term, input)) in e.terms.iter().zip(&net.inputs).enumerate() {
        if *term != *input {
            let size = |v: &[usize]| v.iter().map(|&l| e.sizes[l]).product::<f64>();
            let (all, made) = (size(&distinct(term.iter().copied())), size(input));
            let flops = if e.alone(i).is_empty() { 0.0 } else { all };
            let row = [String::new(), names[i].clone(), format!("{} -> {}", text(term), text(input))];
            rows.push([&row[..], &[number(flops), number(made)]].concat().try_into().unwrap_or_default());
        }
    }
    let mut made: Vec<(String, Vec<usize>)> = names.into_iter().zip(net.inputs).collect();
    for (k, s) in p.steps.iter().enumerate() {
        let name = |i: usize| made.get(i).map_or_else(String::new, |m| m.0.clone());
        let labels = |i: usize| made.get(i).map_or_else(String::new, |m| text(&m.1));
        let factors = format!("{} {}", name(s.of[0]), name(s.of[1]));
        let product = format!("{},{} -> {}", labels(s.of[0]), labels(s.of[1]), text(&s.labels));
        rows.push([(k + 1).to_string(), factors, product, number(s.flops), number(s.elements)]);
        made.push((format!("({})", k + 1), s.labels.clone()));
    }
    let mut out = format!("einsum \"{}\"\n", e.spec);
    let open = |l: &usize| e.extents.get(*l).is_some_and(|x| x.as_exact().is_none());
    let taken: Vec<String> =
        (0..e.labels.len()).filter(open).map(|l| format!("{} = {}", e.labels[l], e.sizes[l])).collect();
    if !taken.is_empty() {
        let _ = writeln!(out, "  taken for the extents of labels: {}", taken.join(", "));
    }
    let width = |c: usize| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    for r in &rows {
        let cell = |c: usize| {
            let gap = " ".repeat(widths[c] - r[c].chars().count());
            if c == 1 || c == 2 { format!("{}{gap}", r[c]) } else { format!("{gap}{}", r[c]) }
        };
        let line: Vec<String> = (0..5).map(cell).collect();
        let _ = writeln!(out, "  {}", line.join("  ").trim_end());
    }
    if !p.sliced.is_empty() {
        let names: Vec<String> = p.sliced.iter().map(|&l| format!("{} ({} trips)", e.labels[l], e.sizes[l])).collect();
        let _ = writeln!(out, "  in a loop over {}", names.join(", "));
    }
    let _ = writeln!(out, "  flops {}, largest product {}", number(p.flops), number(p.largest));
    Ok(out)
}
/// A count: whole as far as it is exact.
fn number(x: f64) -> String {
    if x < 1e15 { format!("{x}") } else { format!("{x:.3e}") }
}
