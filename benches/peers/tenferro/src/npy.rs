//! Arrays in `.npy` files: `f4` and `f8`, either order in, column-major out.
use std::path::Path;
use tenferro_runtime::{DType, Tensor};

/// An array's element type and shape, and the array in column-major order.
pub fn read(path: &Path) -> Result<Tensor, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let wrong = || format!("{}: not an .npy file of version 1", path.display());
    let length = usize::from(u16::from_le_bytes(bytes.get(8..10).ok_or_else(wrong)?.try_into().unwrap()));
    let header = std::str::from_utf8(bytes.get(10..10 + length).ok_or_else(wrong)?).map_err(|_| wrong())?;
    let after = |key: &str| header.split_once(key).map(|x| x.1).ok_or_else(wrong);
    let shape = after("'shape': (")?.split(')').next().unwrap_or_default();
    let shape: Vec<usize> = shape.split(',').filter_map(|n| n.trim().parse().ok()).collect();
    let column_major = after("'fortran_order': ")?.starts_with("True") || shape.len() < 2;
    if !column_major {
        return Err(format!("{}: row-major", path.display()));
    }
    let data = &bytes[10 + length..];
    let tensor = match after("'descr': '")?.get(..3) {
        Some("<f4") => {
            let all = data.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
            Tensor::from_vec_col_major(shape, all)
        }
        Some("<f8") => {
            let all = data.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
            Tensor::from_vec_col_major(shape, all)
        }
        _ => return Err(format!("{}: neither f4 nor f8", path.display())),
    };
    tensor.map_err(|e| e.to_string())
}

/// Writes a column-major array.
pub fn write(path: &Path, t: &Tensor) -> Result<(), String> {
    let (kind, data): (_, Vec<u8>) = match t.dtype() {
        DType::F32 => ("<f4", slice::<f32>(t)?.iter().flat_map(|x| x.to_le_bytes()).collect()),
        _ => ("<f8", slice::<f64>(t)?.iter().flat_map(|x| x.to_le_bytes()).collect()),
    };
    let shape: String = t.shape().iter().map(|n| format!("{n},")).collect();
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': True, 'shape': ({shape}), }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(data);
    std::fs::write(path, out).map_err(|e| e.to_string())
}
fn slice<T: tenferro_tensor::TensorScalar>(t: &Tensor) -> Result<&[T], String> {
    t.as_slice::<T>().map_err(|e| e.to_string())
}
