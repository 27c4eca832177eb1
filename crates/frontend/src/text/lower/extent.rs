//! Extents, types and conditions: written form to normal form.
use super::super::ast::{Cmp, CmpOp, Dim, DimKind, Type, Word};
use super::func::{FuncCx, Unknown};
use tfc_ir::extent::{self, Constraint, Extent};
use tfc_ir::words::nearest;
use tfc_ir::{Code, DType, Diagnostic, Span};

/// Functions of extents, with the least and greatest number of arguments.
const FUNCTIONS: [(&str, usize, usize); 5] =
    [("min", 2, usize::MAX), ("max", 2, usize::MAX), ("floordiv", 2, 2), ("ceildiv", 2, 2), ("mod", 2, 2)];

impl<'a> FuncCx<'_, 'a> {
    /// The type; `None` where something was reported.
    pub(super) fn ty(&mut self, t: &Type<'a>, unknown: Unknown) -> Option<tfc_ir::Type> {
        let dtype = self.dtype(&t.dtype);
        let mut dims = vec![];
        let mut ok = true;
        for d in &t.dims {
            match self.extent(d, unknown) {
                Some(e) => match e.as_exact() {
                    Some(n) if n < 0 => {
                        let d = Diagnostic::error(Code::E0402, d.span, format!("extent {n} is negative"));
                        self.error(d.help("an extent is a size: 0 or more"));
                        ok = false;
                    }
                    _ => dims.push(e),
                },
                None => ok = false,
            }
        }
        ok.then_some(tfc_ir::Type::new(dtype?, dims))
    }

    pub(super) fn dtype(&mut self, w: &Word) -> Option<DType> {
        let dtype = DType::from_name(w.text);
        if dtype.is_none() {
            self.error(reserved(w));
        }
        dtype
    }

    /// Several extents; `None` where something was reported.
    pub(super) fn extents(&mut self, dims: &[Dim<'a>], unknown: Unknown) -> Option<Vec<Extent>> {
        // All are looked at, so that all mistakes are reported.
        let all: Vec<_> = dims.iter().map(|d| self.extent(d, unknown)).collect();
        all.into_iter().collect()
    }

    /// The normal form; `None` where something was reported.
    pub(super) fn extent(&mut self, d: &Dim<'a>, unknown: Unknown) -> Option<Extent> {
        match &d.kind {
            DimKind::Error => None,
            DimKind::Int(text) => match text.parse() {
                Ok(n) => Some(Extent::exact(n)),
                Err(_) => {
                    let e = Diagnostic::error(Code::E0011, d.span, "integer does not fit into 64 bits");
                    self.error(e.help("extents are at most 9223372036854775807"));
                    None
                }
            },
            DimKind::Var(name) => self.variable(name, d.span),
            DimKind::Exist(name) => self.existential(name, d.span, unknown),
            DimKind::Sum(terms) => {
                self.fold(terms.iter().map(|(m, t)| (*m, t)), Extent::exact(0), d.span, unknown, |a, b, minus| {
                    if minus { a.sub(b) } else { a.add(b) }
                })
            }
            DimKind::Prod(factors) => {
                self.fold(factors.iter().map(|f| (false, f)), Extent::exact(1), d.span, unknown, |a, b, _| a.mul(b))
            }
            DimKind::Call(name, args) => self.function(name, args, d.span, unknown),
        }
    }

    /// Left fold over operands; exact ones are gathered apart, so that a million of them cost no normal form each.
    fn fold<'d>(
        &mut self,
        operands: impl Iterator<Item = (bool, &'d Dim<'a>)>,
        unit: Extent,
        span: Span,
        unknown: Unknown,
        apply: impl Fn(&Extent, &Extent, bool) -> tfc_ir::Result<Extent>,
    ) -> Option<Extent>
    where
        'a: 'd,
    {
        let (mut exact, mut rest) = (unit.clone(), unit);
        for (minus, d) in operands {
            let e = self.extent(d, unknown)?;
            let slot = if e.as_exact().is_some() { &mut exact } else { &mut rest };
            match apply(slot, &e, minus) {
                Ok(sum) => *slot = sum,
                Err(e) => {
                    self.error(e.into_diagnostic(span));
                    return None;
                }
            }
        }
        apply(&rest, &exact, false).map_err(|e| self.error(e.into_diagnostic(span))).ok()
    }

    fn variable(&mut self, name: &'a str, span: Span) -> Option<Extent> {
        if let Some(&s) = self.syms.get(name) {
            return Some(Extent::sym(s));
        }
        if let Some(n) = self.file.extent(name) {
            return Some(Extent::from(n));
        }
        let d = Diagnostic::error(Code::E0307, span, format!("extent `{name}` is not declared"));
        let help = if self.exists.get(name).is_some() {
            format!("the value-dependent extent is written `?{name}`")
        } else if let Some(near) = nearest(name, self.syms.keys().copied()) {
            format!("did you mean `{near}`?")
        } else {
            format!("declare it: `func @{}<{name}>(…)`", self.b.func().name)
        };
        self.error(d.help(help));
        None
    }

    fn existential(&mut self, name: &'a str, span: Span, unknown: Unknown) -> Option<Extent> {
        if let Some(e) = self.exists.get(name) {
            return Some(Extent::exist(e));
        }
        if unknown == Unknown::Binds {
            let e = self.b.exist(name, span);
            // The name was just looked up: it is free.
            let _ = self.exists.define(name, e, span);
            return Some(Extent::exist(e));
        }
        let d = Diagnostic::error(Code::E0401, span, format!("extent `?{name}` is not bound here"));
        let d = match self.exists.ended(name) {
            Some(first) => d.also(first, "bound here, in a region that has ended"),
            None => d,
        };
        let help = match nearest(name, self.exists.names()) {
            Some(near) => format!("did you mean `?{near}`?"),
            None if self.syms.contains_key(name) => format!("the extent parameter is written `{name}`"),
            None => format!("bind it first: `extent(%k, shape[?{name}])`, or the result of an op that decides it"),
        };
        self.error(d.help(help));
        None
    }

    fn function(&mut self, name: &Word, args: &[Dim<'a>], span: Span, unknown: Unknown) -> Option<Extent> {
        let Some((_, least, most)) = FUNCTIONS.iter().find(|f| f.0 == name.text) else {
            let d = Diagnostic::error(Code::E0310, name.span, format!("`{}` is no function of extents", name.text));
            let near = nearest(name.text, FUNCTIONS.iter().map(|f| f.0));
            self.error(d.help(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "extents know `+ - *` and min, max, floordiv, ceildiv, mod".into(),
            }));
            return None;
        };
        if args.len() < *least || args.len() > *most {
            let d = Diagnostic::error(
                Code::E0310,
                span,
                format!("`{}` takes {least} extents, not {}", name.text, args.len()),
            );
            self.error(d);
            return None;
        }
        let args = self.extents(args, unknown)?;
        let mut args = args.into_iter();
        let first = args.next()?;
        let result = args.try_fold(first, |a, b| match name.text {
            "min" => Extent::min(&a, &b),
            "max" => Extent::max(&a, &b),
            "floordiv" => a.floordiv(&b),
            "ceildiv" => a.ceildiv(&b),
            _ => a.modulo(&b),
        });
        result.map_err(|e| self.error(e.into_diagnostic(span))).ok()
    }

    /// Conditions; `None` where something was reported.
    pub(super) fn conditions(&mut self, list: &[Cmp<'a>]) -> Option<Vec<Constraint>> {
        let all: Vec<_> = list.iter().map(|c| self.condition(c)).collect();
        all.into_iter().collect()
    }

    fn condition(&mut self, c: &Cmp<'a>) -> Option<Constraint> {
        let (lhs, rhs) = (self.extent(&c.lhs, Unknown::Error), self.extent(&c.rhs, Unknown::Error));
        let op = match c.op {
            CmpOp::Le => extent::CmpOp::Le,
            CmpOp::Ge => extent::CmpOp::Ge,
            CmpOp::Eq => extent::CmpOp::Eq,
        };
        Some(Constraint { lhs: lhs?, op, rhs: rhs? })
    }
}

/// A name of a dtype that has no tensors yet.
pub(super) fn reserved(w: &Word) -> Diagnostic {
    let d = Diagnostic::error(Code::E0201, w.span, format!("`{}` is reserved, not yet supported", w.text));
    d.help("hold such numbers as bf16, or their bits as u8")
}
