//! CUDA C: what the kernels of a program are written as.
//!
//! The text is for people too. Kernels and variables are named after values of the program; what every kernel needs, indices
//! from strides and how threads share elements, is said once, in `prelude.cuh` and `walks.cuh`. Formulas of elementary functions are those of the
//! CPU's vector math, written down instead of done ([`scalar`]).
pub mod moves;
pub mod region;
pub mod scalar;

pub use tfc_device::text::{Kernel, Param, Source};

/// Loops and places; numbers' bits and complex numbers, and how threads share elements, stand where its markers are.
const PRELUDE: &str = include_str!("prelude.cuh");
/// Packs, teams and tiles.
const WALKS: &str = include_str!("walks.cuh");

/// The text that comes before all kernels.
pub fn prelude() -> String {
    PRELUDE.replace("//@ scalars\n", scalar::PRELUDE).replace("//@ walks\n", WALKS)
}

/// Kernels as CUDA C has them.
pub trait Written {
    /// The text, without the prelude.
    fn program(&self) -> String;
    /// All that a compiler needs.
    fn text(&self) -> String {
        format!("{}\n{}", prelude(), self.program())
    }
}
impl Written for Kernel {
    fn program(&self) -> String {
        let params: Vec<String> = self.params.iter().map(|p| format!("{} {}", p.ty, p.name)).collect();
        // Of teams the type says how many threads a block may have: there have to be registers for them, and for one block.
        let most = self.params.iter().find_map(|p| p.ty.strip_prefix("Team<")?.strip_suffix('>'));
        let bounds = most.map_or_else(String::new, |n| format!("__launch_bounds__({n}, 1) "));
        format!("extern \"C\" __global__ void {bounds}{}({})\n{{\n{}}}\n", self.name, params.join(", "), self.body)
    }
}
impl Written for Source {
    fn program(&self) -> String {
        let mut out = self.functions.clone();
        for k in &self.kernels {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&k.program());
        }
        out
    }
}
