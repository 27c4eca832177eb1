//! CUDA C: what the kernels of a program are written as.
//!
//! The text is for people too. Kernels and variables are named after values of the program; what every kernel needs, indices
//! from strides and how threads share elements, is said once, in `prelude.cuh` and `walks.cuh`. Formulas of elementary functions are those of the
//! CPU's vector math, written down instead of done ([`scalar`]).
pub mod moves;
pub mod region;
pub mod scalar;

/// Loops and places; numbers' bits and complex numbers, and how threads share elements, stand where its markers are.
const PRELUDE: &str = include_str!("prelude.cuh");
/// Packs, teams and tiles.
const WALKS: &str = include_str!("walks.cuh");

/// The text that comes before all kernels.
pub fn prelude() -> String {
    PRELUDE.replace("//@ scalars\n", scalar::PRELUDE).replace("//@ walks\n", WALKS)
}

/// A parameter of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Type of the parameter as written: `In<f32>`, `Out<f64>`, `Loops<2, 3>`, `i64`.
    pub ty: String,
    /// Name of the parameter.
    pub name: String,
}
/// A kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// Name of the kernel.
    pub name: String,
    /// Parameters of the kernel in order.
    pub params: Vec<Param>,
    /// What stands between its braces, each line ended.
    pub body: String,
}
/// Kernels that are compiled together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Source {
    /// Device functions of which they make use, in the order in which they have to stand.
    pub functions: scalar::Functions,
    /// The kernels.
    pub kernels: Vec<Kernel>,
}
impl Kernel {
    /// The kernel as text.
    pub fn text(&self) -> String {
        let params: Vec<String> = self.params.iter().map(|p| format!("{} {}", p.ty, p.name)).collect();
        // Of teams the type says how many threads a block may have: there have to be registers for them, and for one block.
        let most = self.params.iter().find_map(|p| p.ty.strip_prefix("Team<")?.strip_suffix('>'));
        let bounds = most.map_or_else(String::new, |n| format!("__launch_bounds__({n}, 1) "));
        format!("extern \"C\" __global__ void {bounds}{}({})\n{{\n{}}}\n", self.name, params.join(", "), self.body)
    }
}
impl Source {
    /// The kernels and the functions of which they make use, without the prelude.
    pub fn program(&self) -> String {
        let mut out = self.functions.text();
        for k in &self.kernels {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&k.text());
        }
        out
    }
    /// All that a compiler needs.
    pub fn text(&self) -> String {
        format!("{}\n{}", prelude(), self.program())
    }
}
