//! How a kernel is called: its operands, its loop, and the two with the dtypes that the loop is for. Scalar functions and
//! vector math both make such loops, and stand beside each other on this.
use tfc_ir::{DType, Element};

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

/// A scalar function on particular dtypes, as a loop. Only this crate makes one: that the loop is one for these dtypes is what
/// [`Kernel::apply`] relies on.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    pub(crate) f: KernelFn,
    pub(crate) arity: usize,
    pub(crate) from: [DType; 3],
    pub(crate) to: DType,
    pub(crate) cheap: bool,
}
impl Kernel {
    /// The loop.
    pub fn f(&self) -> KernelFn {
        self.f
    }
    /// Number of operands.
    pub fn arity(&self) -> usize {
        self.arity
    }
    /// Operand dtypes, as many as operands.
    pub fn from(&self) -> &[DType] {
        &self.from[..self.arity]
    }
    /// Result dtype.
    pub fn to(&self) -> DType {
        self.to
    }
    /// Whether an element is a few instructions (add, compare, select), rather than a library function.
    pub fn cheap(&self) -> bool {
        self.cheap
    }
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
}
