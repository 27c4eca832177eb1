//! CUDA C: what the kernels of a program are written as.
//!
//! The text is for people too. Kernels and variables are named after values of the program; what every kernel needs, indices
//! from strides and folds over a block, is said once, in `prelude.cuh`. Formulas of elementary functions are those of the
//! CPU's vector math, written down instead of done ([`scalar`]).
pub mod moves;
pub mod region;
pub mod scalar;

/// Loops, places, folds; numbers' bits and complex numbers stand where its marker is.
const PRELUDE: &str = include_str!("prelude.cuh");

/// The text that comes before all kernels.
pub fn prelude() -> String {
    PRELUDE.replace("//@ scalars\n", scalar::PRELUDE)
}

/// A parameter of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its type as written: `In<f32>`, `Out<f64>`, `Loops<2, 3>`, `i64`.
    pub ty: String,
    /// Its name.
    pub name: String,
}
/// A kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Its parameters in order.
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
        format!("extern \"C\" __global__ void {}({})\n{{\n{}}}\n", self.name, params.join(", "), self.body)
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
