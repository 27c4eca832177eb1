//! Which engine runs fused loops on this machine, for which instruction set, and why: what `tfc doctor` says. Nothing is
//! decided here; each part is asked what it would do.
use tfc_ir::Result;
pub use tfc_kernels::limit::known;
use tfc_kernels::vmath::Isa;

/// The engine of fused loops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// `jit` compiles loops when a program is compiled, `tape` runs kernels that were compiled ahead of time.
    pub engine: &'static str,
    /// The instruction set of its loops: `avx512`, `avx2`, `neon`, or `scalar`.
    pub isa: &'static str,
    /// Why these and not the other ones.
    pub why: String,
}

/// Name of the instruction set that kernels use.
pub fn isa() -> &'static str {
    match Isa::chosen() {
        Some(Isa::Avx512) => "avx512",
        Some(Isa::Avx2) => "avx2",
        // Kernels for one element at a time are compiled for what every machine of the architecture has.
        _ if cfg!(target_arch = "aarch64") => "neon",
        _ => "scalar",
    }
}

/// What runs fused loops under the environment of this process.
///
/// # Errors
/// `E0803` where `TFC_CPU` names no engine.
pub fn choice() -> Result<Choice> {
    known()?;
    let (engine, why) = match (tfc_kernels::limit::asked(), super::jit::available()) {
        (Some(a @ ("tape" | "avx2" | "scalar")), _) => ("tape", format!("TFC_CPU={a} asks for it")),
        (_, Ok(())) => ("jit", "the best that this machine can run".to_owned()),
        (Some(_), Err(no)) => ("tape", format!("TFC_CPU=jit asks for jit, but {no}")),
        (None, Err(no)) => ("tape", format!("no jit: {no}")),
    };
    Ok(Choice { engine, isa: isa(), why })
}

/// What is tested from inside.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    fn what_is_said_agrees_with_what_kernels_use() {
        let c = super::choice().unwrap();
        assert!(["jit", "tape"].contains(&c.engine) && !c.why.is_empty(), "{c:?}");
        assert_eq!(
            c.isa == "avx512",
            tfc_kernels::vmath::Isa::chosen() == Some(tfc_kernels::vmath::Isa::Avx512),
            "{c:?}"
        );
    }
    /// All of them.
    pub const ALL: &[fn()] = &[what_is_said_agrees_with_what_kernels_use];
}
