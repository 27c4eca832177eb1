//! What runs a program, for the line that every run says.
use crate::args::BackendName;

/// Cores that this process may use.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// The widest vectors of this machine that kernels use.
pub(crate) fn simd() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            return "avx512";
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return "avx2";
        }
        "sse2"
    }
    #[cfg(target_arch = "aarch64")]
    return "neon";
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return "scalar";
}

/// `cpu, 2 threads, avx512`.
pub(crate) fn line(backend: BackendName, threads: Option<u32>) -> String {
    match backend {
        BackendName::Cpu => {
            let n = threads.map_or_else(cores, |n| n as usize);
            format!("cpu, {n} thread{}, {}", if n == 1 { "" } else { "s" }, simd())
        }
        BackendName::Interp => "interp, 1 thread".into(),
        other => format!("{other:?}").to_lowercase(),
    }
}
