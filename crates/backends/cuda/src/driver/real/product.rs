//! Products by cuBLASLt: layouts, what is added by it, the algorithm that suits the addresses.
use std::ffi::c_void;

use cudarc::cublaslt::sys as lt;
use tfc_ir::{DType, Result};

use super::{Inner, lt_status, none};
use crate::device::Ptr;
use crate::libraries::{Added, Matrix, Product};

/// Addresses are multiples of so much at most, as far as a library makes something of it.
const MOST_ALIGNED: u32 = 256;

struct Layout(lt::cublasLtMatrixLayout_t);
impl Drop for Layout {
    fn drop(&mut self) {
        // SAFETY: `cublasLtMatrixLayoutCreate` gave it.
        unsafe { lt::cublasLtMatrixLayoutDestroy(self.0) };
    }
}
impl Layout {
    fn new(p: &Product, d: lt::cudaDataType_t, x: &Matrix, [rows, cols]: [usize; 2]) -> Result<Layout> {
        let (rows, cols) = if x.transposed { (cols, rows) } else { (rows, cols) };
        let mut l = std::ptr::null_mut();
        // SAFETY: it writes the handle, which is destroyed with the layout.
        lt_status("cublasLtMatrixLayoutCreate", unsafe {
            lt::cublasLtMatrixLayoutCreate(&raw mut l, d, rows as u64, cols as u64, x.ld as i64)
        })?;
        let l = Layout(l);
        if p.batch > 1 {
            use lt::cublasLtMatrixLayoutAttribute_t as A;
            let (count, step) = (p.batch as i32, x.step as i64);
            let set = |a: A, at: *const c_void, size| {
                // SAFETY: an attribute of that size.
                let r = unsafe { lt::cublasLtMatrixLayoutSetAttribute(l.0, a, at, size) };
                lt_status("cublasLtMatrixLayoutSetAttribute", r)
            };
            set(A::CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, (&raw const count).cast(), 4)?;
            set(A::CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, (&raw const step).cast(), 8)?;
        }
        Ok(l)
    }
}
struct Of(lt::cublasLtMatmulDesc_t);
impl Drop for Of {
    fn drop(&mut self) {
        // SAFETY: `cublasLtMatmulDescCreate` gave it.
        unsafe { lt::cublasLtMatmulDescDestroy(self.0) };
    }
}
impl Of {
    /// What is multiplied and added, in these types.
    fn new(p: &Product, compute: lt::cublasComputeType_t, scale: lt::cudaDataType_t) -> Result<Of> {
        use lt::cublasLtMatmulDescAttributes_t as A;
        let mut of = std::ptr::null_mut();
        // SAFETY: it writes the handle, which is destroyed with the description.
        lt_status("cublasLtMatmulDescCreate", unsafe { lt::cublasLtMatmulDescCreate(&raw mut of, compute, scale) })?;
        let of = Of(of);
        let set = |a: A, at: *const c_void, size| {
            // SAFETY: an attribute of that size.
            let r = unsafe { lt::cublasLtMatmulDescSetAttribute(of.0, a, at, size) };
            lt_status("cublasLtMatmulDescSetAttribute", r)
        };
        for (x, attribute) in [(&p.a, A::CUBLASLT_MATMUL_DESC_TRANSA), (&p.b, A::CUBLASLT_MATMUL_DESC_TRANSB)] {
            // CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C
            let op = i32::from(x.transposed) + i32::from(x.conj);
            set(attribute, (&raw const op).cast(), 4)?;
        }
        if let Some(Added::Column(at)) = p.plus.map(|s| s.what) {
            let epilogue = lt::cublasLtEpilogue_t::CUBLASLT_EPILOGUE_BIAS as u32;
            set(A::CUBLASLT_MATMUL_DESC_EPILOGUE, (&raw const epilogue).cast(), 4)?;
            set(A::CUBLASLT_MATMUL_DESC_BIAS_POINTER, (&raw const at.0).cast(), 8)?;
        }
        Ok(of)
    }
}
struct Preference(lt::cublasLtMatmulPreference_t);
impl Drop for Preference {
    fn drop(&mut self) {
        // SAFETY: `cublasLtMatmulPreferenceCreate` gave it.
        unsafe { lt::cublasLtMatmulPreferenceDestroy(self.0) };
    }
}
impl Preference {
    /// Algorithms for these addresses that get along with so much work memory.
    fn new(work: usize, at: [Ptr; 4]) -> Result<Preference> {
        use lt::cublasLtMatmulPreferenceAttributes_t as A;
        let mut p = std::ptr::null_mut();
        // SAFETY: it writes the handle, which is destroyed with the preference.
        lt_status("cublasLtMatmulPreferenceCreate", unsafe { lt::cublasLtMatmulPreferenceCreate(&raw mut p) })?;
        let p = Preference(p);
        let set = |a: A, at: *const c_void, size| {
            // SAFETY: an attribute of that size.
            let r = unsafe { lt::cublasLtMatmulPreferenceSetAttribute(p.0, a, at, size) };
            lt_status("cublasLtMatmulPreferenceSetAttribute", r)
        };
        let work = work as u64;
        set(A::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, (&raw const work).cast(), 8)?;
        // Parts of a sum are not added up in the result, where what is added may lie already.
        use lt::cublasLtReductionScheme_t as R;
        let schemes = R::CUBLASLT_REDUCTION_SCHEME_MASK as u32 & !(R::CUBLASLT_REDUCTION_SCHEME_INPLACE as u32);
        set(A::CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, (&raw const schemes).cast(), 4)?;
        let which = [
            A::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
            A::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
            A::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
            A::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES,
        ];
        for (a, at) in which.into_iter().zip(at) {
            let bytes = 1u32 << at.0.trailing_zeros().min(MOST_ALIGNED.trailing_zeros());
            set(a, (&raw const bytes).cast(), 4)?;
        }
        Ok(p)
    }
}
/// A factor, in any of the types.
fn factor(d: DType, x: f64) -> [u64; 2] {
    match d {
        DType::F32 | DType::C32 => [u64::from((x as f32).to_bits()), 0],
        _ => [x.to_bits(), 0],
    }
}
fn types(p: &Product) -> Result<(lt::cublasComputeType_t, lt::cudaDataType_t)> {
    use lt::{cublasComputeType_t as C, cudaDataType_t as T};
    let single = if p.tf32 { C::CUBLAS_COMPUTE_32F_FAST_TF32 } else { C::CUBLAS_COMPUTE_32F };
    Ok(match p.dtype {
        DType::F32 => (single, T::CUDA_R_32F),
        DType::C32 => (single, T::CUDA_C_32F),
        DType::F64 => (C::CUBLAS_COMPUTE_64F, T::CUDA_R_64F),
        DType::C64 => (C::CUBLAS_COMPUTE_64F, T::CUDA_C_64F),
        d => return Err(none(d)),
    })
}
impl Inner {
    /// `cublasLtMatmul`, by the algorithm that the library thinks best for these addresses; whether there is one.
    pub(super) fn product(&self, p: &Product, work: (Ptr, usize)) -> Result<bool> {
        let h = self.lt()?;
        self.enter()?;
        let ((compute, d), [m, n, k]) = (types(p)?, p.mnk);
        let of = Of::new(p, compute, d)?;
        // Where nothing is added, C is the result itself, and is not read: beta is 0.
        let (added, beta) = match p.plus.map(|s| (s.what, s.minus_added)) {
            Some((Added::Matrix(x), minus)) => (x, if minus { -1.0 } else { 1.0 }),
            Some((Added::Column(_), _)) | None => (p.c, 0.0),
        };
        let a = Layout::new(p, d, &p.a, [m, k])?;
        let b = Layout::new(p, d, &p.b, [k, n])?;
        let (c, out) = (Layout::new(p, d, &added, [m, n])?, Layout::new(p, d, &p.c, [m, n])?);
        let preference = Preference::new(work.1, [p.a.at, p.b.at, added.at, p.c.at])?;
        let (mut found, mut count) = (std::mem::MaybeUninit::uninit(), 0);
        // SAFETY: it writes at most one result, and how many.
        let r = unsafe {
            lt::cublasLtMatmulAlgoGetHeuristic(
                h,
                of.0,
                a.0,
                b.0,
                c.0,
                out.0,
                preference.0,
                1,
                found.as_mut_ptr(),
                &raw mut count,
            )
        };
        if r == lt::cublasStatus_t::CUBLAS_STATUS_NOT_SUPPORTED {
            return Ok(false);
        }
        lt_status("cublasLtMatmulAlgoGetHeuristic", r)?;
        if count < 1 {
            return Ok(false);
        }
        // SAFETY: one result has been written.
        let found: lt::cublasLtMatmulHeuristicResult_t = unsafe { found.assume_init() };
        if found.state != lt::cublasStatus_t::CUBLAS_STATUS_SUCCESS {
            return Ok(false);
        }
        let alpha = factor(p.dtype, if p.plus.is_some_and(|s| s.minus_product) { -1.0 } else { 1.0 });
        let beta = factor(p.dtype, beta);
        // SAFETY: layouts say where elements are; factors are of the type that was said, and read before it returns.
        lt_status("cublasLtMatmul", unsafe {
            lt::cublasLtMatmul(
                h,
                of.0,
                alpha.as_ptr().cast(),
                p.a.at.0 as *const c_void,
                a.0,
                p.b.at.0 as *const c_void,
                b.0,
                beta.as_ptr().cast(),
                added.at.0 as *const c_void,
                c.0,
                p.c.at.0 as *mut c_void,
                out.0,
                &raw const found.algo,
                work.0.0 as *mut c_void,
                work.1,
                self.stream.cast(),
            )
        })?;
        Ok(true)
    }
}
