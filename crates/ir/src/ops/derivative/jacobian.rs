//! `jacobian` and `hessian`: all directions at once. The linear part of a function is run for many tangents by its batched
//! form, or its transpose for many cotangents; where an op has no such form, in a `scan`. Elements of a tensor are counted with
//! the first axis fastest.
//!
//! Where the places of zeros are known, stated by attributes or found ([`crate::derive::structure`]), directions that meet in no row are added up and one run serves them all (Curtis, Powell &
//! Reid 1974): a band of half width `k` takes `2k + 1`, blocks of `b` elements take `b`.
use super::super::constant::IOTA;
use super::super::elementwise::{AND, LE};
use super::super::index::TAKE;
use super::{GRAD, derivative_of};
use crate::DType;
use crate::attr::{Attr, Attrs};
use crate::builder::Builder;
use crate::code::Code;
use crate::derive::{Derive, Linearized, Structure as Found, callee, instance};
use crate::diag::{Error, Result};
use crate::extent::{CmpOp, Extent};
use crate::func::{Func, Op, ValueId};
use crate::infer::InferCx;
use crate::module::FuncId;
use crate::op::NewOp;
use crate::ops::control::{Gather, ScanDims};
use crate::types::Type;

mod sparse;

/// Where derivatives may differ from zero.
#[derive(Clone, Copy, PartialEq)]
enum Structure {
    Anywhere,
    /// At most so far apart.
    Band(i64),
    /// In the same so many.
    Blocks(i64),
}
fn structure(attrs: &Attrs) -> Result<Structure> {
    let number = |name: &'static str, least: i64| match attrs.get(name) {
        Some(Attr::Int(k)) if *k >= least && *k < 1 << 31 => Ok(Some(*k)),
        Some(_) => Err(Error::new(Code::E0511, format!("`{name}` is at least {least}")).attr(name)),
        None => Ok(None),
    };
    match (number("band", 0)?, number("blocks", 1)?) {
        (None, None) => Ok(Structure::Anywhere),
        (Some(k), None) => Ok(Structure::Band(k)),
        (None, Some(b)) => Ok(Structure::Blocks(b)),
        _ => Err(Error::new(Code::E0511, "`band` and `blocks` exclude each other").attr("blocks")),
    }
}
/// Types of the results: `ys` by `xs`.
pub(super) fn types(cx: &mut InferCx, f: &Func, ys: &[Type], xs: &[Type]) -> Result<Vec<Type>> {
    let how = structure(cx.attrs())?;
    if let Some(x) = xs.iter().find(|x| x.dtype.is_complex()) {
        let text = format!("@{} is to be differentiated by each element of {}", f.name, cx.show(x));
        return Err(Error::new(Code::E0511, text)
            .help("by a complex number there are two derivatives: take its real and imaginary part as parameters"));
    }
    if how != Structure::Anywhere && cx.attrs().flag("dense") {
        return Err(Error::new(
            Code::E0511,
            "`dense` says that nothing is known of zeros, `band` and `blocks` say what is",
        )
        .attr("dense")
        .help("leave out one of them"));
    }
    let reverse = cx.attrs().word("mode") == Some("reverse");
    if reverse && (how != Structure::Anywhere || ys.iter().any(|y| y.dtype.is_complex())) {
        let text = "`mode = reverse` takes real results and no `band` or `blocks`";
        return Err(Error::new(Code::E0511, text).attr("mode").help("leave out `mode`"));
    }
    let mut out = vec![];
    for y in ys {
        for x in xs {
            if how != Structure::Anywhere {
                match (&y.dims[..], &x.dims[..]) {
                    ([m], [n]) => cx.demand(m, CmpOp::Eq, n, crate::Part::Op, "elements of result and parameter")?,
                    _ => {
                        let text = format!("`band` and `blocks` are of vectors, not {} by {}", cx.show(y), cx.show(x));
                        return Err(Error::new(Code::E0511, text).help("reshape parameter and result to one axis each"));
                    }
                }
            }
            out.push(y.with_dims([&y.dims[..], &x.dims[..]].concat()));
        }
    }
    Ok(out)
}

pub(super) fn expand(b: &mut Builder, d: &dyn Derive, op: &NewOp, second: bool) -> Result<Vec<ValueId>> {
    let sym = callee(&op.attrs)?;
    let wrt = op.attrs.indices("wrt");
    let f = if second { derivative_of(b.module(), sym.func, &wrt, &GRAD)? } else { sym.func };
    let cx = Jacobian { f, extents: &sym.extents, args: &op.operands, wrt: &wrt, looks: !op.attrs.flag("dense") };
    let how = structure(&op.attrs)?;
    let func = b.module().func(f)?;
    if how != Structure::Anywhere {
        return cx.forward(b, d, &func, how);
    }
    let xs: Vec<Type> = wrt.iter().map(|&w| b.func().ty(op.operands[w]).clone()).collect();
    if cx.choice(d, &func, &xs, op.attrs.word("mode"))?.forward {
        cx.forward(b, d, &func, how)
    } else {
        cx.reverse(b, d, &func)
    }
}
/// The way that will be taken, in words.
pub(super) fn explain(d: &dyn Derive, caller: &Func, op: &Op, second: bool) -> Result<String> {
    let sym = callee(&op.attrs)?;
    let wrt = op.attrs.indices("wrt");
    let f = if second { derivative_of(d.module(), sym.func, &wrt, &GRAD)? } else { sym.func };
    let cx = Jacobian { f, extents: &sym.extents, args: &op.operands, wrt: &wrt, looks: !op.attrs.flag("dense") };
    let func = d.module().func(f)?;
    let xs: Vec<Type> = wrt.iter().map(|&w| caller.ty(op.operands[w]).clone()).collect();
    let name = format!("{}(@{})", op.def.name, d.module().func_name(sym.func));
    Ok(match structure(&op.attrs)? {
        Structure::Band(k) => format!("{name} forward, {} directions: band = {k} is stated", 2 * k + 1),
        Structure::Blocks(k) => format!("{name} forward, {k} directions: blocks = {k} is stated"),
        Structure::Anywhere => {
            let how = cx.choice(d, &func, &xs, op.attrs.word("mode"))?;
            let number = |n: i64| if n == i64::MAX { "as many as elements".to_owned() } else { n.to_string() };
            let (word, of) = if how.forward { ("forward", "directions") } else { ("reverse", "results") };
            format!("{name} {word}, {} of {} {of}{}", number(how.runs), number(how.all), how.zeros)
        }
    })
}
struct Jacobian<'a> {
    f: FuncId,
    extents: &'a [Extent],
    args: &'a [ValueId],
    wrt: &'a [usize],
    /// Whether zeros are looked for.
    looks: bool,
}
/// The way to take.
struct Choice {
    forward: bool,
    /// How many runs of the linear part, or of its transpose, that takes, and would without zeros; `i64::MAX` where no number
    /// is known.
    runs: i64,
    all: i64,
    /// What zeros were found, in words.
    zeros: String,
}
fn count(t: &Type) -> Result<Extent> {
    t.dims.iter().try_fold(Extent::exact(1), |n, d| n.mul(d))
}
impl Jacobian<'_> {
    fn active(&self, params: usize) -> Vec<bool> {
        (0..params).map(|i| self.wrt.contains(&i)).collect()
    }
    /// Forward or reverse: what takes fewer runs, as far as numbers are known. Real results of other dtypes than the parameters',
    /// and complex ones, only go forward.
    fn choice(&self, d: &dyn Derive, f: &Func, xs: &[Type], mode: Option<&str>) -> Result<Choice> {
        let ys: Vec<&Type> = f.result_types.iter().filter(|t| t.dtype.is_inexact()).collect();
        let only = ys.iter().any(|y| xs.iter().any(|x| x.dtype != y.dtype));
        let mut all = [0i64, 0];
        for (list, sum) in [xs.iter().collect(), ys].iter().zip(&mut all) {
            for t in list {
                // Scalars are few whatever else is.
                *sum = sum.saturating_add(count(t)?.as_exact().unwrap_or(i64::MAX));
            }
        }
        let mut runs = all;
        let mut zeros = String::new();
        let l = d.linearize(self.f, &self.active(f.params().len()))?;
        if let Some(found) = self.found(d, &l)? {
            let extents: Vec<Extent> =
                l.extents.iter().map(|e| instance(e, self.extents, &Default::default())).collect::<Result<_>>()?;
            let found = found.iter().map(|s| sparse::of(s, &extents)).collect::<Result<Vec<_>>>()?;
            runs[0] = found.iter().fold(0i64, |n, s| n.saturating_add(sparse::runs(&s.digits, &sparse::periods(s))));
            runs[1] = 0;
            for i in 0..l.out.iter().filter(|o| **o).count() {
                let whole = f.result_types.iter().zip(&l.out).filter(|p| *p.1).nth(i);
                let (parts, periods) = match sparse::across(&found, i) {
                    Some(a) => (a.parts, a.periods),
                    None => (whole.map(|t| t.0.dims.to_vec()).unwrap_or_default(), vec![]),
                };
                runs[1] = runs[1].saturating_add(sparse::runs(&parts, &periods));
            }
            let order: Vec<usize> = sorted(self.wrt);
            for (s, w) in found.iter().zip(order) {
                if let Some(text) = sparse::words(s) {
                    zeros.push_str(&format!("; by %{}: {text}", f.value(f.params()[w]).name));
                }
            }
        }
        let forward = match mode {
            Some("forward") => true,
            Some("reverse") => false,
            _ => only || runs[0] <= runs[1],
        };
        let k = usize::from(!forward);
        Ok(Choice { forward, runs: runs[k], all: all[k], zeros })
    }
    /// What the results of the linear part depend on in each of its tangents, where zeros are looked for.
    fn found(&self, d: &dyn Derive, l: &Linearized) -> Result<Option<Vec<Found>>> {
        if !self.looks || !l.out.contains(&true) {
            return Ok(None);
        }
        let Some(lin) = d.in_one_piece(l.lin)? else { return Ok(None) };
        let tangents = lin.params().get(l.residuals..).unwrap_or_default();
        Ok(Some(tangents.iter().map(|&t| crate::derive::structure(&lin, t)).collect::<Result<_>>()?))
    }
    /// A call of the linear part, or of its transpose, for all of `seeds`, which has the index of the direction last; every
    /// result so too. Results that depend on no direction are `None`.
    fn run(
        &self,
        b: &mut Builder,
        d: &dyn Derive,
        f: FuncId,
        extents: &[Extent],
        residuals: &[ValueId],
        seeds: ValueId,
    ) -> Result<Vec<Option<ValueId>>> {
        let ty = b.ty(seeds);
        let last = ty.rank() - 1;
        let n = ty.dims[last].clone();
        let mut axes = vec![None; residuals.len()];
        axes.push(Some(last));
        let args = [residuals, &[seeds]].concat();
        match d.batched(f, &axes, None) {
            Ok(all) => {
                let extents = extents.iter().cloned().chain([n]).collect();
                let ys = b.call(all.func, Some(extents), &args)?.0;
                let mut out = vec![];
                for (y, axis) in ys.into_iter().zip(&all.axes) {
                    out.push(match axis {
                        None => None,
                        Some(axis) => {
                            let rank = b.ty(y).rank();
                            let perm: Vec<usize> = (0..rank).filter(|a| a != axis).chain([*axis]).collect();
                            Some(b.transpose(y, &perm)?)
                        }
                    });
                }
                Ok(out)
            }
            // One direction after the other.
            Err(e) if e.data().code == Code::E0508 => {
                let opened = b.open("body");
                let seed = b.param(ty.without(&[last]), "seed");
                let ys = b.call(f, Some(extents.to_vec()), &[residuals, &[seed]].concat())?.0;
                let collect = ys.iter().map(|&y| Gather::Stack(b.func().ty(y).rank())).collect();
                let body = b.close(opened, ys);
                let dims = ScanDims { length: n, cut: vec![last], collect, ..ScanDims::default() };
                Ok(b.scan(&[seeds], &dims, body)?.into_iter().map(Some).collect())
            }
            Err(e) => Err(e),
        }
    }
    /// The forward part, once: results, then residuals; and the linear part's extents.
    fn primal(&self, b: &mut Builder, l: &Linearized) -> Result<(Vec<ValueId>, Vec<Extent>)> {
        let (ys, pack) = b.call(l.fwd, Some(self.extents.to_vec()), self.args)?;
        let extents = l.extents.iter().map(|e| instance(e, self.extents, &pack)).collect::<Result<Vec<_>>>()?;
        Ok((ys, extents))
    }
    fn forward(&self, b: &mut Builder, d: &dyn Derive, f: &Func, how: Structure) -> Result<Vec<ValueId>> {
        let floats: Vec<usize> = (0..f.result_types.len()).filter(|&i| f.result_types[i].dtype.is_inexact()).collect();
        let mut by_param = vec![];
        for &w in self.wrt {
            let active: Vec<bool> = (0..f.params().len()).map(|i| i == w).collect();
            let l = d.linearize(self.f, &active)?;
            let (ys, extents) = self.primal(b, &l)?;
            let (ys, residuals) = ys.split_at(l.out.len());
            let x = b.ty(self.args[w]);
            let n = count(&x)?;
            let zeros = match how {
                Structure::Anywhere => self.found(d, &l)?.and_then(|mut f| f.pop()),
                _ => None,
            };
            let zeros = zeros.map(|s| sparse::of(&s, &extents)).transpose()?;
            let periods = zeros.as_ref().map(sparse::periods).filter(|p| p.iter().any(Option::is_some));
            let zeros = zeros.zip(periods);
            let p = match how {
                Structure::Anywhere => n.clone(),
                Structure::Band(k) => Extent::exact(2 * k + 1),
                Structure::Blocks(k) => Extent::exact(k),
            };
            let seeds = match &zeros {
                Some((s, periods)) => sparse::seeds(b, &x, &s.digits, periods)?,
                None => seeds(b, &x, &n, &p)?,
            };
            let made = if l.out.contains(&true) { self.run(b, d, l.lin, &extents, residuals, seeds)? } else { vec![] };
            let mut made = made.into_iter();
            let dys: Vec<Option<ValueId>> =
                l.out.iter().map(|&o| if o { made.next().flatten() } else { None }).collect();
            let mut column = vec![];
            for &i in &floats {
                let y = b.ty(ys[i]);
                let ty = y.with_dims([&y.dims[..], &x.dims[..]].concat());
                let at = l.out[..i].iter().filter(|o| **o).count();
                column.push(match dys.get(i).copied().flatten() {
                    None => b.zeros(&ty)?,
                    Some(v) => match &zeros {
                        Some((s, periods)) => sparse::forward(b, v, &ty, (s, periods), at)?,
                        None if how == Structure::Anywhere => b.reshape_first(v, &ty)?,
                        None => spread(b, v, &ty, &p, how)?,
                    },
                });
            }
            by_param.push(column);
        }
        Ok((0..floats.len()).flat_map(|i| by_param.iter().map(move |c| c[i])).collect())
    }
    fn reverse(&self, b: &mut Builder, d: &dyn Derive, f: &Func) -> Result<Vec<ValueId>> {
        let active = self.active(f.params().len());
        let order = sorted(self.wrt);
        let l = d.linearize(self.f, &active)?;
        let (ys, extents) = self.primal(b, &l)?;
        let (ys, residuals) = ys.split_at(l.out.len());
        let found = self.found(d, &l)?.unwrap_or_default();
        let found = found.iter().map(|s| sparse::of(s, &extents)).collect::<Result<Vec<_>>>()?;
        let linear: Vec<bool> = (0..l.residuals + l.tangents).map(|i| i >= l.residuals).collect();
        let mut out = vec![];
        for (i, t) in f.result_types.iter().enumerate().filter(|t| t.1.dtype.is_inexact()) {
            let y = b.ty(ys[i]).with_dtype(t.dtype);
            let mut cts = vec![None; l.tangents];
            let mut zeros = None;
            if l.out[i] {
                let at = l.out[..i].iter().filter(|o| **o).count();
                let nonzero: Vec<bool> = (0..l.out.iter().filter(|o| **o).count()).map(|k| k == at).collect();
                let t = d.transpose(l.lin, &linear, &nonzero)?;
                let m = count(&y)?;
                zeros = sparse::across(&found, at).filter(|a| a.periods.iter().any(Option::is_some));
                let seeds = match &zeros {
                    Some(a) => sparse::seeds(b, &y, &a.parts, &a.periods)?,
                    None => seeds(b, &y, &m, &m)?,
                };
                if t.out.contains(&true) {
                    let mut made = self.run(b, d, t.func, &extents, residuals, seeds)?.into_iter();
                    cts = t.out.iter().map(|&o| if o { made.next().flatten() } else { None }).collect();
                }
            }
            for &w in self.wrt {
                let x = b.ty(self.args[w]);
                let ty = y.with_dims([&y.dims[..], &x.dims[..]].concat());
                let k = order.iter().position(|&o| o == w).unwrap_or(0);
                let ct = cts.get(k).copied().flatten();
                out.push(match ct {
                    None => b.zeros(&ty)?,
                    Some(c) => {
                        let rank = b.ty(c).rank();
                        let perm: Vec<usize> = std::iter::once(rank - 1).chain(0..rank - 1).collect();
                        let c = b.transpose(c, &perm)?;
                        match (&zeros, found.get(k)) {
                            (Some(a), Some(s)) => sparse::reverse(b, c, &ty, (a, s), k)?,
                            _ => b.reshape_first(c, &ty)?,
                        }
                    }
                });
            }
        }
        Ok(out)
    }
}
/// The parameters that `wrt` names, in their own order.
fn sorted(wrt: &[usize]) -> Vec<usize> {
    let mut order = wrt.to_vec();
    order.sort_unstable();
    order
}
fn iota(b: &mut Builder, dims: &[Extent], axis: usize) -> Result<ValueId> {
    let new = NewOp::new(&IOTA, &[]).attr("axis", Attr::Int(axis as i64));
    b.emit1(new.types(vec![Type::new(DType::I64, dims.to_vec())]))
}
/// Direction `c` of `p` is 1 at the elements `j` of `n` with `j mod p = c`: the axes of `ty`, then that of directions.
fn seeds(b: &mut Builder, ty: &Type, n: &Extent, p: &Extent) -> Result<ValueId> {
    let dims = [n.clone(), p.clone()];
    let (mut j, c) = (iota(b, &dims, 0)?, iota(b, &dims, 1)?);
    if n != p {
        j = modulo(b, j, p)?;
    }
    let on = b.eq(j, c)?;
    let flat = b.convert(on, ty.dtype)?;
    let all = ty.with_dims([&ty.dims[..], std::slice::from_ref(p)].concat());
    b.reshape_first(flat, &all)
}
fn modulo(b: &mut Builder, j: ValueId, p: &Extent) -> Result<ValueId> {
    let ty = b.ty(j);
    let p = b.dim_value(p.clone())?;
    let p = b.broadcast(p, &ty, &[])?;
    b.rem(j, p)
}
/// The matrix `ty` whose columns `v` has added up.
fn spread(b: &mut Builder, v: ValueId, ty: &Type, p: &Extent, how: Structure) -> Result<ValueId> {
    let n = ty.dims[1].clone();
    let j = iota(b, &[n], 0)?;
    let color = modulo(b, j, p)?;
    let wide = b.emit1(NewOp::new(&TAKE, &[v, color]).attr("axis", Attr::Int(1)))?;
    b.state_type(wide, ty)?;
    let dims = b.ty(wide).dims.to_vec();
    let (i, j) = (iota(b, &dims, 0)?, iota(b, &dims, 1)?);
    let on = match how {
        Structure::Blocks(k) => {
            let size = b.splat(&Type::new(DType::I64, dims), k as f64)?;
            let (i, j) = (b.div(i, size)?, b.div(j, size)?);
            b.eq(i, j)?
        }
        Structure::Band(k) => {
            let size = b.splat(&Type::new(DType::I64, dims), k as f64)?;
            let far = b.sub(i, j)?;
            let back = b.sub(j, i)?;
            let (low, high) = (b.emit1(NewOp::new(&LE, &[far, size]))?, b.emit1(NewOp::new(&LE, &[back, size]))?);
            b.emit1(NewOp::new(&AND, &[low, high]))?
        }
        Structure::Anywhere => return Ok(wide),
    };
    let zero = b.like(wide, 0.0)?;
    b.select(on, wide, zero)
}
