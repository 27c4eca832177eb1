//! Types of the text as types of the IR: what has no counterpart is named.
use super::super::ast::{Type as Written, TypeKind};
use super::quantised::Quant;
use std::sync::Arc;
use tfc_ir::{Code, DType, Diagnostic, Extent, Type};

/// The dtype of an element type's name, where there is one.
pub(super) fn dtype(name: &str) -> Option<DType> {
    Some(match name {
        "i1" => DType::Bool,
        "i8" | "si8" => DType::I8,
        "i16" | "si16" => DType::I16,
        "ui8" => DType::U8,
        "ui16" => DType::U16,
        "bf16" => DType::BF16,
        "f16" => DType::F16,
        "i32" | "si32" => DType::I32,
        "i64" | "si64" => DType::I64,
        "ui32" => DType::U32,
        "ui64" => DType::U64,
        "f32" => DType::F32,
        "f64" => DType::F64,
        "complex<f32>" => DType::C32,
        "complex<f64>" => DType::C64,
        "i2" | "si2" => DType::I2,
        "i4" | "si4" => DType::I4,
        "ui2" => DType::U2,
        "ui4" => DType::U4,
        "f4E2M1FN" => DType::F4E2M1FN,
        "f6E2M3FN" => DType::F6E2M3FN,
        "f6E3M2FN" => DType::F6E3M2FN,
        "f8E3M4" => DType::F8E3M4,
        "f8E4M3" => DType::F8E4M3,
        "f8E4M3B11FNUZ" => DType::F8E4M3B11FNUZ,
        "f8E4M3FN" => DType::F8E4M3FN,
        "f8E4M3FNUZ" => DType::F8E4M3FNUZ,
        "f8E5M2" => DType::F8E5M2,
        "f8E5M2FNUZ" => DType::F8E5M2FNUZ,
        _ => return None,
    })
}

/// A type as far as it is written: extents that are `?` are not.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// Of a quantised tensor the dtype of the numbers that it stands for.
    pub(super) dtype: DType,
    pub(super) dims: Vec<Option<usize>>,
    pub(super) quant: Option<Arc<Quant>>,
}
impl Pattern {
    /// Is `t` such a type? Of an extent that is not known before the program runs nothing is asked.
    pub(super) fn fits(&self, t: &Type) -> bool {
        let fit = |(want, is): (&Option<usize>, &Extent)| match (want, is.as_exact()) {
            (Some(n), Some(m)) => i64::try_from(*n) == Ok(m),
            _ => true,
        };
        self.dtype == t.dtype && self.dims.len() == t.rank() && self.dims.iter().zip(t.dims.iter()).all(fit)
    }
    /// The type, where every extent is written.
    pub(super) fn exact(&self) -> Option<Type> {
        let dims: Option<Vec<usize>> = self.dims.iter().copied().collect();
        Some(Type::exact(self.dtype, &dims?))
    }
    /// The type in which values of it are held: of a quantised tensor its integers.
    pub(super) fn held(&self) -> Pattern {
        let dtype = self.quant.as_ref().map_or(self.dtype, |q| q.storage);
        Pattern { dtype, dims: self.dims.clone(), quant: None }
    }
    /// The type as a message shows it.
    pub(super) fn show(&self) -> String {
        let dims: Vec<String> = self.dims.iter().map(|d| d.map_or("?".to_owned(), |n| n.to_string())).collect();
        let kind = if self.quant.is_some() { "quantised " } else { "" };
        format!("{kind}{}[{}]", self.dtype, dims.join(", "))
    }
}

/// A tensor's type, or why there is none.
pub(super) fn tensor(t: &Written) -> Result<Type, Box<Diagnostic>> {
    pattern(t)?.exact().ok_or_else(|| {
        let d = Diagnostic::error(Code::E0241, t.span, "extents `?` are not read here");
        Box::new(d.help("they are where an operand's extents, or a value that is one, tell them"))
    })
}

/// What is written of a tensor's type, or why it is none.
pub(super) fn pattern(t: &Written) -> Result<Pattern, Box<Diagnostic>> {
    let refuse = |text: String, help: &str| Err(Box::new(Diagnostic::error(Code::E0241, t.span, text).help(help)));
    const ELEMENTS: &str = "elements are i1, i2 to i64, ui2 to ui64, f4 to f8 but f8E8M0FNU, bf16, f16, f32, f64, complex<f32> or complex<f64>";
    match &t.kind {
        TypeKind::Tensor(dims, element, false) if element.starts_with("!quant") => {
            let Some(q) = Quant::of(element) else {
                let shown: String = element.chars().take(60).collect();
                return refuse(
                    format!("the quantised elements `{shown}` are not read"),
                    "they are written `!quant.uniform<i8:f32, 0.5:3>`, or `!quant.uniform<i8:f32:1, {0.5:3, 0.25}>` with a scale an index \
                     of axis 1; integers have at most 32 bits",
                );
            };
            let plain = Written { span: t.span, kind: TypeKind::Tensor(dims.clone(), "f32", false) };
            let p = Pattern { dtype: q.expressed(), quant: Some(Arc::new(q)), ..pattern(&plain)? };
            match p.quant.as_ref().is_some_and(|q| q.suits(&p)) {
                true => Ok(p),
                false => refuse("scales are not as many as indices of their axis".into(), "write one an index"),
            }
        }
        TypeKind::Tensor(_, _, true) => {
            refuse("encodings of tensors (sparse ones) are not read".into(), "write plain tensors")
        }
        TypeKind::Tensor(dims, element, _) => match dtype(element) {
            Some(dtype) => {
                let known: Vec<usize> =
                    dims.iter().flatten().map(|&n| usize::try_from(n).unwrap_or(usize::MAX)).collect();
                if tfc_ir::tensor::element_count(&known).is_err() {
                    return refuse("the tensor has more elements than can be counted".into(), "write a smaller type");
                }
                let dims = dims.iter().map(|d| d.and_then(|n| usize::try_from(n).ok())).collect();
                Ok(Pattern { dtype, dims, quant: None })
            }
            None => refuse(format!("elements of type `{element}` are not read"), ELEMENTS),
        },
        // What has an effect runs in the order of the program, so that a token says nothing: it is a tensor without elements.
        TypeKind::Token => Ok(Pattern { dtype: DType::Bool, dims: vec![Some(0)], quant: None }),
        TypeKind::Tuple(_) => {
            refuse("a tuple cannot stand here".into(), "tuples go through `tuple`, calls and results")
        }
        TypeKind::Other(text) => {
            let shown: String = text.chars().take(40).collect();
            refuse(format!("the type `{shown}` is not read"), "values are tensors, or tuples of them")
        }
    }
}

/// The tensors that a type holds, tuples taken apart.
pub(super) fn flat(t: &Written) -> Result<Vec<Pattern>, Box<Diagnostic>> {
    match &t.kind {
        // Depth is limited by the parser.
        TypeKind::Tuple(parts) => Ok(parts.iter().map(flat).collect::<Result<Vec<_>, _>>()?.concat()),
        _ => Ok(vec![pattern(t)?]),
    }
}
/// Whether some extent is `?`.
pub(super) fn is_open(t: &Written) -> bool {
    match &t.kind {
        TypeKind::Tensor(dims, _, _) => dims.contains(&None),
        TypeKind::Tuple(parts) => parts.iter().any(is_open),
        _ => false,
    }
}
