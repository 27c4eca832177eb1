//! Scalar functions as C.
/// Device functions that kernels use.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Functions {}
impl Functions {
    /// As text.
    pub fn text(&self) -> String {
        String::new()
    }
}
