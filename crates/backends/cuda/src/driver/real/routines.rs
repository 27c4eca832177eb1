//! Routines of cuSOLVER: what work memory they ask for, and their calls, by routine and element type.
use std::ffi::{c_int, c_void};

use cudarc::cusolver::sys as solver;
use tfc_ir::{DType, Result};

use super::{Inner, int, none, solved};
use crate::device::Ptr;
use crate::libraries::{Call, Routine};

impl Inner {
    pub(super) fn solver_work(&self, c: &Call) -> Result<(usize, usize)> {
        let (h, p) = self.solver()?;
        self.enter()?;
        let (mut dev, mut host) = (0usize, 0usize);
        let (d, r, a) = (solver_type(c.dtype)?, solver_type(c.dtype.real())?, c.a.0 as *const c_void);
        let fill = solver::cublasFillMode_t::CUBLAS_FILL_MODE_LOWER;
        let vectors = solver::cusolverEigMode_t::CUSOLVER_EIG_MODE_VECTOR;
        let (to, and) = (&raw mut dev, &raw mut host);
        // SAFETY: they look at extents and types only, and write both numbers.
        let status = unsafe {
            match c.routine {
                Routine::Cholesky { n } => {
                    solver::cusolverDnXpotrf_bufferSize(h, p, fill, n as i64, d, a, n as i64, d, to, and)
                }
                Routine::Lu { m, n, .. } => {
                    solver::cusolverDnXgetrf_bufferSize(h, p, m as i64, n as i64, d, a, m as i64, d, to, and)
                }
                Routine::Qr { m, n, tau } => {
                    let tau = tau.0 as *const c_void;
                    solver::cusolverDnXgeqrf_bufferSize(h, p, m as i64, n as i64, d, a, m as i64, d, tau, d, to, and)
                }
                Routine::Reflections { m, n, k, tau } => {
                    let (m, n, k) = (int(m)?, int(n)?, int(k)?);
                    let mut count = 0;
                    /// Asks the function of a type.
                    macro_rules! room {
                        ($f:ident, $t:ty) => {
                            solver::$f(h, m, n, k, a.cast::<$t>(), m, tau.0 as *const $t, &raw mut count)
                        };
                    }
                    let r = match c.dtype {
                        DType::F32 => room!(cusolverDnSorgqr_bufferSize, f32),
                        DType::F64 => room!(cusolverDnDorgqr_bufferSize, f64),
                        DType::C32 => room!(cusolverDnCungqr_bufferSize, solver::cuComplex),
                        _ => room!(cusolverDnZungqr_bufferSize, solver::cuDoubleComplex),
                    };
                    dev = usize::try_from(count).unwrap_or(0) * c.dtype.size();
                    r
                }
                Routine::Eigen { n, values } => {
                    let w = values.0 as *const c_void;
                    solver::cusolverDnXsyevd_bufferSize(h, p, vectors, fill, n as i64, d, a, n as i64, r, w, d, to, and)
                }
                Routine::Eigens { n, values, count } => {
                    let (n, w, count) = (n as i64, values.0 as *const c_void, count as i64);
                    solver::cusolverDnXsyevBatched_bufferSize(h, p, vectors, fill, n, d, a, n, r, w, d, to, and, count)
                }
                Routine::General { n, values } => {
                    let (n, w, complex) = (n as i64, values.0 as *const c_void, solver_type(complex(c.dtype))?);
                    let (none, no) = (std::ptr::null(), solver::cusolverEigMode_t::CUSOLVER_EIG_MODE_NOVECTOR);
                    solver::cusolverDnXgeev_bufferSize(
                        h, p, no, no, n, d, a, n, complex, w, d, none, n, d, none, n, d, to, and,
                    )
                }
                Routine::Jacobi { m, n, s, u, v } => {
                    let (m, n, mut count, how) = (int(m)?, int(n)?, 0, JacobiInfo::new()?);
                    /// Asks the function of a type.
                    macro_rules! room {
                        ($f:ident, $t:ty, $r:ty) => {{
                            let (s, u, v) = (s.0 as *const $r, u.0 as *const $t, v.0 as *const $t);
                            solver::$f(h, vectors, 1, m, n, a.cast::<$t>(), m, s, u, m, v, n, &raw mut count, how.0)
                        }};
                    }
                    let r = match c.dtype {
                        DType::F32 => room!(cusolverDnSgesvdj_bufferSize, f32, f32),
                        DType::F64 => room!(cusolverDnDgesvdj_bufferSize, f64, f64),
                        DType::C32 => room!(cusolverDnCgesvdj_bufferSize, solver::cuComplex, f32),
                        _ => room!(cusolverDnZgesvdj_bufferSize, solver::cuDoubleComplex, f64),
                    };
                    dev = usize::try_from(count).unwrap_or(0) * c.dtype.size();
                    r
                }
                Routine::Svd { m, n, s, u, vt } => {
                    let [s, u, vt] = [s, u, vt].map(|x| x.0 as *const c_void);
                    let (few, m, n) = (b'S' as i8, m as i64, n as i64);
                    solver::cusolverDnXgesvd_bufferSize(
                        h, p, few, few, m, n, d, a, m, r, s, d, u, m, d, vt, n, d, to, and,
                    )
                }
            }
        };
        solved("cuSOLVER's bufferSize", status)?;
        Ok((dev, host))
    }
    pub(super) fn solve(&self, c: &Call, work: (Ptr, usize), host: &mut [u8]) -> Result<()> {
        let (h, p) = self.solver()?;
        self.enter()?;
        let (d, r, a) = (solver_type(c.dtype)?, solver_type(c.dtype.real())?, c.a.0 as *mut c_void);
        let fill = solver::cublasFillMode_t::CUBLAS_FILL_MODE_LOWER;
        let vectors = solver::cusolverEigMode_t::CUSOLVER_EIG_MODE_VECTOR;
        let (dev, bytes, info) = (work.0.0 as *mut c_void, work.1, c.info.0 as *mut c_int);
        let (there, length) = (host.as_mut_ptr().cast::<c_void>(), host.len());
        // SAFETY: addresses of the device with these extents, and as much work memory as was asked for, which lives until the stream
        // has been waited for.
        let (name, status) = unsafe {
            match c.routine {
                Routine::Cholesky { n } => {
                    let n = n as i64;
                    ("potrf", solver::cusolverDnXpotrf(h, p, fill, n, d, a, n, d, dev, bytes, there, length, info))
                }
                Routine::Lu { m, n, pivots } => {
                    let (m, n, pivots) = (m as i64, n as i64, pivots.0 as *mut i64);
                    ("getrf", solver::cusolverDnXgetrf(h, p, m, n, d, a, m, pivots, d, dev, bytes, there, length, info))
                }
                Routine::Qr { m, n, tau } => {
                    let (m, n, tau) = (m as i64, n as i64, tau.0 as *mut c_void);
                    ("geqrf", solver::cusolverDnXgeqrf(h, p, m, n, d, a, m, d, tau, d, dev, bytes, there, length, info))
                }
                Routine::Reflections { m, n, k, tau } => {
                    let (m, n, k, count) = (int(m)?, int(n)?, int(k)?, int(bytes / c.dtype.size())?);
                    /// Calls the function of a type.
                    macro_rules! run {
                        ($f:ident, $t:ty) => {
                            solver::$f(h, m, n, k, a.cast::<$t>(), m, tau.0 as *const $t, dev.cast::<$t>(), count, info)
                        };
                    }
                    let r = match c.dtype {
                        DType::F32 => run!(cusolverDnSorgqr, f32),
                        DType::F64 => run!(cusolverDnDorgqr, f64),
                        DType::C32 => run!(cusolverDnCungqr, solver::cuComplex),
                        _ => run!(cusolverDnZungqr, solver::cuDoubleComplex),
                    };
                    ("orgqr", r)
                }
                Routine::Eigen { n, values } => {
                    let (n, w) = (n as i64, values.0 as *mut c_void);
                    let r = solver::cusolverDnXsyevd(
                        h, p, vectors, fill, n, d, a, n, r, w, d, dev, bytes, there, length, info,
                    );
                    ("syevd", r)
                }
                Routine::Eigens { n, values, count } => {
                    let (n, w, count) = (n as i64, values.0 as *mut c_void, count as i64);
                    let r = solver::cusolverDnXsyevBatched(
                        h, p, vectors, fill, n, d, a, n, r, w, d, dev, bytes, there, length, info, count,
                    );
                    ("syevBatched", r)
                }
                Routine::General { n, values } => {
                    let (n, w, complex) = (n as i64, values.0 as *mut c_void, solver_type(complex(c.dtype))?);
                    let (none, no) = (std::ptr::null_mut(), solver::cusolverEigMode_t::CUSOLVER_EIG_MODE_NOVECTOR);
                    // Of a real matrix values are complex all the same.
                    let r = solver::cusolverDnXgeev(
                        h, p, no, no, n, d, a, n, complex, w, d, none, n, d, none, n, d, dev, bytes, there, length,
                        info,
                    );
                    ("geev", r)
                }
                Routine::Jacobi { m, n, s, u, v } => {
                    let (m, n, count, how) = (int(m)?, int(n)?, int(bytes / c.dtype.size())?, JacobiInfo::new()?);
                    /// Calls the function of a type.
                    macro_rules! run {
                        ($f:ident, $t:ty, $r:ty) => {{
                            let (a, dev) = (a.cast::<$t>(), dev.cast::<$t>());
                            let (s, u, v) = (s.0 as *mut $r, u.0 as *mut $t, v.0 as *mut $t);
                            solver::$f(h, vectors, 1, m, n, a, m, s, u, m, v, n, dev, count, info, how.0)
                        }};
                    }
                    let r = match c.dtype {
                        DType::F32 => run!(cusolverDnSgesvdj, f32, f32),
                        DType::F64 => run!(cusolverDnDgesvdj, f64, f64),
                        DType::C32 => run!(cusolverDnCgesvdj, solver::cuComplex, f32),
                        _ => run!(cusolverDnZgesvdj, solver::cuDoubleComplex, f64),
                    };
                    ("gesvdj", r)
                }
                Routine::Svd { m, n, s, u, vt } => {
                    let [s, u, vt] = [s, u, vt].map(|x| x.0 as *mut c_void);
                    let (few, m, n) = (b'S' as i8, m as i64, n as i64);
                    let r = solver::cusolverDnXgesvd(
                        h, p, few, few, m, n, d, a, m, r, s, d, u, m, d, vt, n, d, dev, bytes, there, length, info,
                    );
                    ("gesvd", r)
                }
            }
        };
        solved(&format!("cuSOLVER's {name}"), status)
    }
    pub(super) fn has(&self, symbol: &'static str) -> Result<bool> {
        self.solver()?;
        // SAFETY: the library is there; what is asked for is whether there is a symbol, which is not called as what it is not.
        let found = unsafe { solver::culib().get::<unsafe extern "C" fn()>(symbol.as_bytes()) };
        Ok(found.is_ok())
    }
}
/// How Jacobi's method is to go: to rounding, values in descending order, as it is made.
struct JacobiInfo(solver::gesvdjInfo_t);
impl JacobiInfo {
    fn new() -> Result<JacobiInfo> {
        let mut i = std::ptr::null_mut();
        // SAFETY: it writes the handle, which is destroyed with this.
        solved("cusolverDnCreateGesvdjInfo", unsafe { solver::cusolverDnCreateGesvdjInfo(&raw mut i) })?;
        Ok(JacobiInfo(i))
    }
}
impl Drop for JacobiInfo {
    fn drop(&mut self) {
        // SAFETY: `new` made it. What fails here harms nobody.
        unsafe { solver::cusolverDnDestroyGesvdjInfo(self.0) };
    }
}
/// Complex numbers with parts of that type.
fn complex(d: DType) -> DType {
    if d.real() == DType::F32 { DType::C32 } else { DType::C64 }
}
fn solver_type(d: DType) -> Result<solver::cudaDataType> {
    use solver::cudaDataType as T;
    Ok(match d {
        DType::F32 => T::CUDA_R_32F,
        DType::F64 => T::CUDA_R_64F,
        DType::C32 => T::CUDA_C_32F,
        DType::C64 => T::CUDA_C_64F,
        d => return Err(none(d)),
    })
}
