//! Types of the text as types of the IR: what has no counterpart is named.
use super::super::ast::{Type as Written, TypeKind};
use tfc_ir::{DType, Diagnostic, Type};

/// The dtype of an element type's name, where there is one.
pub(super) fn dtype(name: &str) -> Option<DType> {
    Some(match name {
        "i1" => DType::Bool,
        "i32" | "si32" => DType::I32,
        "i64" | "si64" => DType::I64,
        "ui32" => DType::U32,
        "ui64" => DType::U64,
        "f32" => DType::F32,
        "f64" => DType::F64,
        "complex<f32>" => DType::C32,
        "complex<f64>" => DType::C64,
        _ => return None,
    })
}

/// A tensor's type, or why there is none.
pub(super) fn tensor(t: &Written) -> Result<Type, Box<Diagnostic>> {
    let refuse = |text: String, help: &str| Err(Box::new(Diagnostic::error("E0241", t.span, text).help(help)));
    const ELEMENTS: &str = "elements are i1, i32, i64, ui32, ui64, f32, f64, complex<f32> or complex<f64>";
    match &t.kind {
        TypeKind::Tensor(_, element, _) if element.starts_with("!quant") => {
            refuse("quantized elements are not read".into(), ELEMENTS)
        }
        TypeKind::Tensor(_, _, true) => {
            refuse("encodings of tensors (sparse, bounded) are not read".into(), "write plain tensors")
        }
        TypeKind::Tensor(dims, _, _) if dims.contains(&None) => {
            refuse("extents `?` are not read".into(), "export the program for the extents that it is to have")
        }
        TypeKind::Tensor(dims, element, _) => match dtype(element) {
            Some(d) => {
                let dims: Option<Vec<usize>> = dims.iter().map(|n| usize::try_from((*n)?).ok()).collect();
                let dims = dims.filter(|d| tfc_ir::tensor::element_count(d).is_ok());
                match dims {
                    Some(dims) => Ok(Type::exact(d, &dims)),
                    None => refuse("the tensor has more elements than can be counted".into(), "write a smaller type"),
                }
            }
            None => refuse(format!("elements of type `{element}` are not read"), ELEMENTS),
        },
        TypeKind::Token => refuse("tokens are not read".into(), "leave out what orders side effects"),
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
pub(super) fn flat(t: &Written) -> Result<Vec<Type>, Box<Diagnostic>> {
    match &t.kind {
        // Depth is limited by the parser.
        TypeKind::Tuple(parts) => Ok(parts.iter().map(flat).collect::<Result<Vec<_>, _>>()?.concat()),
        _ => Ok(vec![tensor(t)?]),
    }
}
