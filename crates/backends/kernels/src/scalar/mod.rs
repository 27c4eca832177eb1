//! What every [`ScalarOp`] means on every dtype (TFIR §5), as loops over elements.
//!
//! One table serves the interpreter (an element at a time or whole tensors, [`Kernel::apply`]) and the CPU engine's tapes
//! ([`Kernel::run`] on raw tiles). [`kernel`] is total over the catalogue: `None` means that the op is a type error there.
//! Loops of cheap ops vectorise (for AVX-512 or AVX2 where the machine has it); results are the same bits on every path.
//!
//! Choices where TFIR is silent: `max`/`min` order −0 below +0; integer `pow(0, -n)` is 0; `digamma` is NaN at its poles,
//! `lgamma` +inf; `zeta(s, q)` at `q` = 0, −1, … is +inf for even `s` and NaN otherwise, NaN for `s < 1`; `polygamma` of an
//! order that is no natural number is NaN (all as JAX).
mod bessel;
mod big;
pub mod complex;
mod dd;
mod gamma;
mod inverse;
mod loops;
pub mod num;
mod special;
mod table;
mod turns;

use tfc_ir::{DType, Element, Error, Result, ScalarOp, Tensor, with_dtype};

/// One operand of a kernel: address of the first element and distance between elements.
#[derive(Clone, Copy, Debug)]
pub struct Src {
    /// Address of element 0, aligned for the operand's type.
    pub ptr: *const u8,
    /// Distance from one element to the next, in elements. 0 (one value for all) and 1 are the fast cases.
    pub stride: isize,
}
impl Src {
    /// An operand that is not there (in the unused places of `run`'s array).
    pub const NONE: Src = Src { ptr: std::ptr::null(), stride: 0 };
    /// Elements of a slice.
    pub fn slice<T: Element>(s: &[T]) -> Src {
        Src { ptr: s.as_ptr().cast(), stride: 1 }
    }
    /// One value for every lane.
    pub fn splat<T: Element>(x: &T) -> Src {
        Src { ptr: std::ptr::from_ref(x).cast(), stride: 0 }
    }
}

/// `dst[i] = op(src0[i], …)` for `i < n`; see [`Kernel::run`] for the contract.
pub type KernelFn = unsafe fn(n: usize, src: &[Src; 3], dst: *mut u8);

/// A scalar function on particular dtypes, as a loop.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// The loop.
    pub f: KernelFn,
    /// Number of operands.
    pub arity: usize,
    /// Operand dtypes (the first `arity` count).
    pub from: [DType; 3],
    /// Result dtype.
    pub to: DType,
    /// Is an element a few instructions (add, compare, select), rather than a library function?
    pub cheap: bool,
}

/// The kernel of `op` from operands of dtypes `from` to `to`; `None` where the op is not defined on them.
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
    DType::SUPPORTED.into_iter().find(|&to| op != ScalarOp::Convert && kernel(op, from, to).is_some())
}

impl Kernel {
    /// Runs `n` elements.
    ///
    /// # Safety
    /// For `i < n` and each operand `k`, `src[k].ptr` displaced by `i * src[k].stride` elements of `from[k]` is readable,
    /// aligned and holds a valid value; `dst` is writable and aligned for `n` dense elements of `to`. `dst` overlaps no
    /// operand, except that it may *be* an operand of stride 1 whose elements have the same size (in-place).
    pub unsafe fn run(&self, n: usize, src: &[Src; 3], dst: *mut u8) {
        // SAFETY: the caller's promise is the loop's.
        unsafe { (self.f)(n, src, dst) }
    }

    /// The op on whole tensors; operands have one shape, or are scalars that serve every element. The result is dense
    /// with its last axis fastest. `E0705` where there is no memory for it.
    pub fn apply(&self, args: &[Tensor]) -> Result<Tensor> {
        if args.len() != self.arity || args.iter().zip(&self.from).any(|(t, &d)| t.dtype() != d) {
            return Err(Error::new("E0702", "operands of a scalar kernel have the wrong dtypes"));
        }
        let shape = args.iter().map(Tensor::shape).find(|s| !s.is_empty()).unwrap_or(&[]).to_vec();
        if args.iter().any(|t| t.rank() != 0 && t.shape() != shape) {
            return Err(Error::new("E0702", "operands of a scalar kernel have different shapes"));
        }
        let held: Vec<Tensor> = args.iter().map(logical).collect();
        let n: usize = shape.iter().product();
        let mut src = [Src::NONE; 3];
        for (s, t) in src.iter_mut().zip(&held) {
            let stride = isize::from(t.rank() != 0);
            *s = with_dtype!(t.dtype(), T => t.storage::<T>().and_then(|v| v.get(t.offset()..))
                .map_or(Src::NONE, |v| Src { stride, ..Src::slice(v) }), _ => Src::NONE);
        }
        with_dtype!(self.to, T => {
            let mut out = tfc_ir::tensor::buffer(n)?;
            out.resize(n, T::default());
            if n > 0 {
                // SAFETY: each operand is dense with `n` elements of the checked dtype, or one element of stride 0;
                // `out` is fresh, of the kernel's result dtype.
                unsafe { (self.f)(n, &src, out.as_mut_ptr().cast()) };
            }
            Ok(Tensor::from_logical(&shape, out))
        }, _ => Err(Error::new("E0201", format!("`{}` is reserved, not yet supported", self.to))))
    }
}

/// The same elements, dense in logical order.
fn logical(t: &Tensor) -> Tensor {
    if t.is_order(&tfc_ir::tensor::row_major(t.shape())) {
        return t.clone();
    }
    with_dtype!(t.dtype(), T => Tensor::from_logical(t.shape(), t.to_logical::<T>().unwrap_or_default()), _ => t.clone())
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
