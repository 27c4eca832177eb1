//! What stands for operands. In tfir 1.0 that is a name; since 1.1 also a literal, a call, a conversion, or what is picked from
//! one of them. Each becomes statements of its own in front of the one that it stands in, so nothing behind the text front end
//! knows them.
use super::super::ast::{Attr, AttrKind, Expr, Stmt, Word};
use super::func::FuncCx;
use super::literal;
use super::stmt::Built;
use tfc_ir::ops::elementwise::CONVERT;
use tfc_ir::{Code, DType, Diagnostic, Error, Extent, FuncId, NewOp, OpDef, RegionId, Result, Span, Type, ValueId};

/// An argument that stands for a value.
#[derive(Clone, Copy)]
pub(super) enum Given<'s, 'a> {
    Expr(&'s Expr<'a>),
    Literal(&'s Attr<'a>),
}
impl<'a> Given<'_, 'a> {
    fn span(&self) -> Span {
        match self {
            Given::Expr(e) => e.span(),
            Given::Literal(a) => a.span,
        }
    }
    fn name(&self) -> Option<&'a str> {
        match self {
            Given::Expr(Expr::Name(w)) => Some(w.text),
            _ => None,
        }
    }
}

/// What has become of it.
pub(super) struct Operand<'a> {
    pub(super) span: Span,
    /// Its name, where it is no more than that.
    pub(super) name: Option<&'a str>,
    /// `None` where something was reported.
    pub(super) made: Option<Made>,
}
/// A value, and where it has new axes.
#[derive(Clone)]
pub(super) struct Made {
    pub(super) value: ValueId,
    /// One entry an axis, where some axis is written `_`: whether the value has that axis.
    pub(super) axes: Option<Vec<bool>>,
}
impl Made {
    pub(super) fn plain(value: ValueId) -> Made {
        Made { value, axes: None }
    }
}

/// What is known of the types of operands besides their own.
#[derive(Clone, Copy, Default)]
pub(super) struct Known<'k> {
    /// Regions of the statement.
    pub(super) regions: &'k [RegionId],
    /// The function that it names.
    pub(super) callee: Option<FuncId>,
    /// What the elements of the result should be.
    pub(super) dtype: Option<DType>,
}

impl<'a> FuncCx<'_, 'a> {
    /// The operands of an op of row `def`.
    pub(super) fn operands(&mut self, def: &OpDef, given: &[Given<'_, 'a>], known: Known) -> Vec<Operand<'a>> {
        let mut out: Vec<_> =
            given.iter().map(|g| Operand { span: g.span(), name: g.name(), made: None }).collect::<Vec<_>>();
        for (o, g) in out.iter_mut().zip(given) {
            if let Given::Expr(Expr::Name(w)) = g {
                o.made = self.operand(w).flatten().map(Made::plain);
            }
        }
        for (i, g) in given.iter().enumerate() {
            if let Given::Expr(e) = g
                && !matches!(e, Expr::Name(_))
            {
                let dtype = self.dtype_beside(def, &out, i, known.dtype);
                let made = self.made(e, dtype, None);
                if let Some(o) = out.get_mut(i) {
                    o.made = made;
                }
            }
        }
        let shape = if def.spreads() { self.common_shape(&out) } else { None };
        for (i, g) in given.iter().enumerate() {
            if let Given::Literal(a) = g {
                self.newer("a literal as an operand", a.span);
                let of = self.type_of(def, given.len(), i, known);
                let dtype = of.as_ref().map(|t| t.dtype).or_else(|| self.dtype_beside(def, &out, i, known.dtype));
                let dims = of.map(|t| t.dims.to_vec()).or_else(|| shape.clone().filter(|_| def.shares_dtype(i)));
                let made = self.constant(a, dtype, dims);
                if let Some(o) = out.get_mut(i) {
                    o.made = made.map(Made::plain);
                }
            }
        }
        if def.spreads() {
            // A list of numbers has axes too.
            let shape = shape.or_else(|| self.common_shape(&out));
            self.spread(def, shape, &mut out);
        }
        for o in &mut out {
            if let Some(made) = &o.made
                && made.axes.is_some()
            {
                o.made = self.shaped(made, &[], o.span).map(Made::plain);
            }
        }
        out
    }

    /// Adds the operands that are left out at the end, where the function that the statement names says what they are.
    pub(super) fn defaults(&mut self, s: &Stmt<'a>, callee: Option<FuncId>, out: &mut Vec<Operand<'a>>) {
        let Some(f) = callee.and_then(|f| self.file.module.func(f).ok()) else { return };
        let left_out = f.params().get(out.len()..).unwrap_or_default();
        if f.defaults.is_empty() || left_out.iter().any(|&p| f.default_of(p).is_none()) {
            return;
        }
        for &p in left_out {
            let Some(t) = f.default_of(p).cloned() else { return };
            let v = self.spanned(s.op.span, |cx| {
                let v = if t.rank() == f.ty(p).rank() { cx.b.constant(t) } else { cx.b.filled(t, f.ty(p)) }?;
                Ok(cx.b.hint(v, f.value(p).name.clone()))
            });
            out.push(Operand { span: s.op.span, name: None, made: v.map(Made::plain) });
        }
    }

    /// Reports a form of tfir 1.1 in a file of an earlier version, once a file.
    pub(super) fn newer(&mut self, what: &str, span: Span) {
        let minor = self.file.minor;
        if minor >= 1 {
            return;
        }
        self.broken = true;
        if !self.file.told_newer.replace(true) {
            let text = format!("{what} is of tfir 1.1, the file of tfir 1.{minor}");
            self.error(Diagnostic::error(Code::E0116, span, text).help("begin the file with `tfir 1.1`"));
        }
    }

    /// The elements of the operands with which operand `i` shares its dtype.
    fn dtype_beside(&self, def: &OpDef, out: &[Operand], i: usize, known: Option<DType>) -> Option<DType> {
        if !def.shares_dtype(i) {
            return None;
        }
        let among = out.iter().enumerate().filter(|(k, _)| def.shares_dtype(*k));
        let first = among.filter_map(|(_, o)| o.made.as_ref()).next();
        first.map(|m| self.b.func().ty(m.value).dtype).or(known)
    }

    /// The type of operand `i` of `n`, where a region or a function says it.
    fn type_of(&self, def: &OpDef, n: usize, i: usize, known: Known) -> Option<Type> {
        if let Some(f) = known.callee.and_then(|f| self.file.module.func(f).ok()) {
            let params = &f.body().params;
            let Some(&p) = params.get(i) else {
                // Behind the function's own stand tangents, or cotangents: numbers as it computes with.
                let dtype = params.iter().map(|&p| f.ty(p).dtype).find(|d| d.is_inexact())?;
                return Some(Type::scalar(dtype));
            };
            let ty = f.ty(p);
            // A symbol of the callee's means nothing here.
            return Some(if ty.exact_shape().is_some() { ty.clone() } else { Type::scalar(ty.dtype) });
        }
        let region =
            known.regions.iter().find_map(|&r| Some(self.b.func().region(r)).filter(|r| !r.params.is_empty()))?;
        // Operands that decide which region runs come first, and are no parameters.
        let ty = self.b.func().ty(*region.params.get(i.checked_sub(n.checked_sub(region.params.len())?)?)?);
        (def.slot("combine").is_none() && !ty.mentions_existential()).then(|| ty.clone())
    }

    /// The extents that elementwise operands have together, where one has axes; one that is written `_` by all of them is 1.
    fn common_shape(&self, out: &[Operand]) -> Option<Vec<Extent>> {
        let made: Vec<(&[Extent], Option<&[bool]>)> = out
            .iter()
            .filter_map(|o| o.made.as_ref())
            .map(|m| (&*self.b.func().ty(m.value).dims, m.axes.as_deref()))
            .collect();
        let whole = made.iter().filter(|m| m.1.is_none()).map(|m| m.0.len()).max().filter(|&r| r > 0);
        let rank = whole.or_else(|| made.iter().filter_map(|m| m.1.map(<[bool]>::len)).max())?;
        let own = |(dims, axes): &(&[Extent], Option<&[bool]>), k: usize| match axes {
            None if dims.len() == rank => dims.get(k).cloned(),
            Some(axes) if axes.len() == rank && axes.get(k) == Some(&true) => {
                dims.get(axes.iter().take(k).filter(|&&a| a).count()).cloned()
            }
            _ => None,
        };
        Some((0..rank).map(|k| made.iter().find_map(|m| own(m, k)).unwrap_or(Extent::exact(1))).collect())
    }

    /// Repeats scalars, and operands with new axes, along the axes of the others.
    fn spread(&mut self, def: &OpDef, shape: Option<Vec<Extent>>, out: &mut [Operand]) {
        let Some(shape) = shape else { return };
        for (i, o) in out.iter_mut().enumerate() {
            let Some(made) = &o.made else { continue };
            let ty = self.b.ty(made.value);
            o.made = match &made.axes {
                Some(axes) if axes.len() != shape.len() => {
                    let text = format!("this has {} axes, its partner {}", axes.len(), shape.len());
                    let d = Diagnostic::error(Code::E0205, o.span, text);
                    self.error(d.help(
                        "write one entry an axis: `:` for one that it has, `_` for one along which it is repeated",
                    ));
                    None
                }
                Some(_) => self.shaped(made, &shape, o.span).map(Made::plain),
                // What a file of an earlier version says so is wrong, as it was.
                None if ty.is_scalar() && def.shares_dtype(i) && self.file.minor >= 1 => {
                    let to = ty.with_dims(shape.clone());
                    let name = self.b.name(made.value);
                    let v = self.spanned(o.span, |cx| cx.b.broadcast(made.value, &to, &[]));
                    v.map(|v| Made::plain(self.b.hint(v, name)))
                }
                None => Some(made.clone()),
            };
        }
    }

    /// The value with its new axes, which have the extents of `shape`, or 1.
    pub(super) fn shaped(&mut self, made: &Made, shape: &[Extent], span: Span) -> Option<ValueId> {
        let Some(axes) = &made.axes else { return Some(made.value) };
        let ty = self.b.ty(made.value);
        let mut own = ty.dims.iter();
        let dims: Vec<Extent> = axes
            .iter()
            .enumerate()
            .map(|(k, &kept)| match kept {
                true => own.next().cloned().unwrap_or(Extent::exact(1)),
                false => shape.get(k).cloned().unwrap_or(Extent::exact(1)),
            })
            .collect();
        let at: Vec<usize> = axes.iter().enumerate().filter(|a| *a.1).map(|a| a.0).collect();
        let name = self.b.name(made.value);
        let v = self.spanned(span, |cx| cx.b.broadcast(made.value, &ty.with_dims(dims), &at))?;
        Some(self.b.hint(v, name))
    }

    /// What an expression gives. `dtype`: what a literal in it is to be; `ty`: the type that is written for it.
    pub(super) fn made(&mut self, e: &Expr<'a>, dtype: Option<DType>, ty: Option<&Type>) -> Option<Made> {
        match e {
            Expr::Name(w) => self.operand(w).flatten().map(Made::plain),
            Expr::Literal(a) => {
                self.newer("a literal here", a.span);
                self.constant(a, dtype, ty.map(|t| t.dims.to_vec())).map(Made::plain)
            }
            Expr::Call(s) => {
                self.newer("a call as an operand", s.span);
                self.nested(s, dtype).map(Made::plain)
            }
            Expr::Convert(span, to, of) => {
                self.newer("a conversion by the name of a dtype", *span);
                self.conversion(*span, to, of, ty).map(Made::plain)
            }
            Expr::Pick(of, picks) => {
                let made = self.made(of, dtype, None)?;
                self.parts_of(made, picks, ty)
            }
        }
    }

    /// The result of a call that is no statement.
    fn nested(&mut self, s: &Stmt<'a>, dtype: Option<DType>) -> Option<ValueId> {
        let Some(def) = self.row(s) else {
            self.loose_operands(s);
            return None;
        };
        let regions = self.regions(s, Some(def));
        let Some(Built::Values(values)) = self.build(s, def, regions, &[], dtype) else {
            self.broken = true;
            return None;
        };
        if let [value] = values[..] {
            let op = def.name.rsplit('.').next().unwrap_or(def.name);
            let name = self.making.map_or(op.into(), |making| format!("{making}_{op}"));
            return Some(self.b.hint(value, name));
        }
        let text = format!("an operand is one value, `{}` gives {}", def.name, values.len());
        let d = Diagnostic::error(Code::E0211, s.op.span, text);
        self.error(match values.is_empty() {
            true => d.help("let it stand in a statement of its own"),
            false => d.help("let it stand in a statement of its own, which names its results"),
        });
        None
    }

    fn conversion(&mut self, span: Span, to: &Word<'a>, of: &Expr<'a>, ty: Option<&Type>) -> Option<ValueId> {
        let to = self.dtype(to)?;
        if let Expr::Literal(a) = of {
            return self.constant(a, Some(to), ty.map(|t| t.dims.to_vec()));
        }
        let made = self.made(of, None, None)?;
        let value = self.shaped(&made, &[], of.span())?;
        let new = NewOp::new(&CONVERT, &[value]).types(vec![self.b.ty(value).with_dtype(to)]);
        let (v, name) = (self.emitted(span, new, ty)?, self.b.name(value));
        Some(self.b.hint(v, name))
    }

    /// A literal as a value: of that dtype, otherwise of its own; a number is repeated along `dims`.
    fn constant(&mut self, a: &Attr<'a>, dtype: Option<DType>, dims: Option<Vec<Extent>>) -> Option<ValueId> {
        if matches!(a.kind, AttrKind::Error) {
            self.broken = true;
            return None;
        }
        let of = dtype.map(|d| Type::new(d, dims.clone().unwrap_or_default()));
        let value = literal::tensor(a, of.as_ref());
        let t = self.or_report(value)?;
        let ty = Type::new(t.dtype(), dims.filter(|_| t.rank() == 0).unwrap_or_default());
        self.spanned(a.span, |cx| if ty.is_scalar() { cx.b.constant(t) } else { cx.b.filled(t, &ty) })
    }

    /// Adds an op whose result has that type, where one is written.
    pub(super) fn emitted(&mut self, span: Span, new: NewOp, ty: Option<&Type>) -> Option<ValueId> {
        let new = if ty.is_some() { new.types(ty.cloned().into_iter().collect()) } else { new };
        self.spanned(span, |cx| cx.b.emit1(new))
    }
    /// What `f` builds stands at `span`, and so does what is wrong with it.
    pub(super) fn spanned<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> Result<T, Error>) -> Option<T> {
        let loc = self.loc;
        let old = self.b.set_loc(loc, span);
        let made = f(self);
        self.b.set_loc(old.0, old.1);
        made.map_err(|e| self.error(e.into_diagnostic(span))).ok()
    }
}
