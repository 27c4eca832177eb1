//! Kernels as text, whatever the language.

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
    /// Functions of which they make use, as text.
    pub functions: String,
    /// The kernels.
    pub kernels: Vec<Kernel>,
}
