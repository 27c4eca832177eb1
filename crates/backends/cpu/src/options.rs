//! What callers choose: when a function is compiled, and at each call.
use super::kernels::Kernels;

/// What compiling may choose.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    /// Kernels of ops: the built-in ones, and those of outside families.
    pub kernels: Kernels,
    /// Threads, of which no more are used than the process may use (0: all of these).
    pub threads: usize,
    /// Speed before exactness: a product that only a sum reads is contracted with it into a multiply-add, and denormal
    /// numbers are flushed to zero while the function runs, as operands and as results.
    pub fast_math: bool,
}
/// What a call may choose.
#[derive(Clone, Default)]
pub struct RunOptions {
    /// Most bytes of memory (`E0715`), arguments not counted.
    pub memory: Option<usize>,
    /// Bytes of them that are in use already, by the arguments say.
    pub taken: usize,
    /// Asked between trips of loops whether the run may go on (`E0714`): its time, and `Budget::cancel`. A loop inside compiled code that
    /// runs a nest as a whole is asked for before that code begins.
    pub budget: Option<tfc_ir::Budget>,
    /// Most trips of all loops together (`E0713`).
    pub fuel: Option<u64>,
    /// Where `print` goes; nowhere by default.
    pub print: Option<tfc_engine::Printing>,
    /// Collects what each step takes.
    pub profile: Option<tfc_engine::Profile>,
    /// Told how far the outermost loop is, but for one that is one piece of machine code.
    pub progress: Option<tfc_engine::Progress>,
}
