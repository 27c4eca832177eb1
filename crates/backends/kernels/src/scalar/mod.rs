//! What every [`ScalarOp`] means on every dtype (TFIR §5), as loops over elements.
//!
//! One table serves the interpreter (an element at a time or whole tensors, [`Kernel::apply`]) and the CPU engine's tapes
//! ([`Kernel::run`] on raw tiles). [`kernel`] is total over the catalogue: `None` means that the op is a type error there.
//! Loops of cheap ops vectorise (for AVX-512 or AVX2 where the machine has it); results are the same bits on every path.
//!
//! Choices where TFIR is silent: `max`/`min` order −0 below +0; integer `pow(0, -n)` is 0; `digamma` is NaN at its poles,
//! `lgamma` +inf; `zeta(s, q)` at `q` = 0, −1, … is +inf for even `s` and NaN otherwise, NaN for `s < 1`; `polygamma` of an
//! order that is no natural number is NaN (all as JAX).
pub mod bessel;
mod big;
pub mod complex;
mod dd;
mod gamma;
mod inverse;
mod loops;
pub mod num;
pub(crate) mod quotient;
pub(crate) mod remainder;
mod special;
mod table;
mod turns;

pub use crate::kernel::{Kernel, KernelFn, Src};
use tfc_ir::{Code, DType, Element, Error, Result, ScalarOp, Tensor, with_dtype};

/// The kernel of `op` from operands of dtypes `from` to `to`; `None` where the op is not defined on them. Those from outside
/// have loops of their own: [`exact`](crate::choose::exact) has all.
pub fn kernel(op: ScalarOp, from: &[DType], to: DType) -> Option<Kernel> {
    let k = match (op.arity(), from) {
        (1, &[a]) => table::unary(op, a, to),
        (2, &[a, _]) => table::binary(op, a),
        (3, &[_, b, _]) => table::ternary(op, b),
        _ => None,
    }?;
    (k.from[..k.arity] == *from && k.to == to).then_some(k)
}

/// The dtype that `op` gives on operands of dtypes `from` (for `convert`, which needs to be told: `None`).
pub fn result_dtype(op: ScalarOp, from: &[DType]) -> Option<DType> {
    DType::ALL.into_iter().find(|&to| op != ScalarOp::Convert && kernel(op, from, to).is_some())
}

impl Kernel {
    /// The op on whole tensors; operands have one shape, or are scalars that serve every element. The result is dense
    /// with its last axis fastest. `E0705` where there is no memory for it.
    pub fn apply(&self, args: &[Tensor]) -> Result<Tensor> {
        self.apply_while(args, &mut || Ok(()))
    }

    /// [`Kernel::apply`], which asks before every so many elements whether it may go on.
    ///
    /// # Errors
    /// Those of `go_on` besides.
    pub fn apply_while(&self, args: &[Tensor], go_on: &mut dyn FnMut() -> Result<()>) -> Result<Tensor> {
        /// Elements between two questions: about a millisecond of the dearest function.
        const RUN: usize = 1 << 16;
        if args.len() != self.arity || args.iter().zip(&self.from).any(|(t, &d)| t.dtype() != d) {
            return Err(Error::new(Code::E0702, "operands of a scalar kernel have the wrong dtypes"));
        }
        let shape = args.iter().map(Tensor::shape).find(|s| !s.is_empty()).unwrap_or(&[]).to_vec();
        if args.iter().any(|t| t.rank() != 0 && t.shape() != shape) {
            return Err(Error::new(Code::E0702, "operands of a scalar kernel have different shapes"));
        }
        let n = tfc_ir::tensor::element_count(&shape)?;
        // Where there is no room for the result there is none for dense operands either, and that would end the process.
        with_dtype!(self.to, T => tfc_ir::tensor::buffer::<T>(n).map(drop))?;
        let held = args.iter().map(logical).collect::<Result<Vec<_>>>()?;
        let mut src = [Src::NONE; 3];
        for (s, t) in src.iter_mut().zip(&held) {
            let stride = isize::from(t.rank() != 0);
            *s = with_dtype!(t.dtype(), T => t.storage::<T>().and_then(|v| v.get(t.offset()..))
                .map_or(Src::NONE, |v| Src { stride, ..Src::slice(v) }));
        }
        with_dtype!(self.to, T => {
            let mut out = tfc_ir::tensor::buffer(n)?;
            out.resize(n, T::default());
            for at in (0..n).step_by(RUN) {
                go_on()?;
                let mut from = src;
                for (s, d) in from.iter_mut().zip(&self.from).take(self.arity) {
                    s.ptr = s.ptr.wrapping_offset(at as isize * s.stride * d.size() as isize);
                }
                // SAFETY: each operand is dense with `n` elements of the checked dtype, or one element of stride 0, and is
                // displaced to element `at`; `out` is fresh, with room for `n` elements of the kernel's result dtype.
                unsafe { (self.f)(RUN.min(n - at), &from, out.as_mut_ptr().add(at).cast()) };
            }
            Tensor::from_logical(&shape, out)
        })
    }
}

/// The same elements, dense in logical order.
fn logical(t: &Tensor) -> Result<Tensor> {
    if t.is_order(&tfc_ir::tensor::row_major(t.shape())) {
        return Ok(t.clone());
    }
    with_dtype!(t.dtype(), T => Tensor::from_logical(t.shape(), t.to_vec::<T>()?))
}

/// `op` on one element each, by Rust type; `None` where the op is not defined on these types.
pub fn apply1<A: Element, R: Element>(op: ScalarOp, a: A) -> Option<R> {
    let k = kernel(op, &[A::DTYPE], R::DTYPE)?;
    let mut r = R::default();
    // SAFETY: one element each, of the kernel's dtypes.
    unsafe { (k.f)(1, &[Src::splat(&a), Src::NONE, Src::NONE], std::ptr::from_mut(&mut r).cast()) };
    Some(r)
}

/// `op` on one pair of elements, by Rust type; `None` where the op is not defined on these types.
pub fn apply2<A: Element, R: Element>(op: ScalarOp, a: A, b: A) -> Option<R> {
    let k = kernel(op, &[A::DTYPE, A::DTYPE], R::DTYPE)?;
    let mut r = R::default();
    // SAFETY: one element each, of the kernel's dtypes.
    unsafe { (k.f)(1, &[Src::splat(&a), Src::splat(&b), Src::NONE], std::ptr::from_mut(&mut r).cast()) };
    Some(r)
}
