//! Calls back into the program that loaded the plugin: what `jax.pure_callback`, `jax.debug.print` and others become.
//!
//! The op `jax.callback` is a family of its own: a StableHLO `custom_call @jax.callback` with the number of what is to be called. Whoever
//! registers such calls gives one function for all ([`tfc_pjrt_on_callback`]); its arguments and results are dense, the last axis fastest.
use std::ffi::{c_char, c_int, c_void};
use std::sync::RwLock;

use tfc::backends::cpu::{self, KernelCx};
use tfc::ir::op::{Batch, Effect, Law, Linearize, OnSmall, Slot, SlotKind};
use tfc::ir::tensor::foreign::{Layout, borrowed};
use tfc::ir::tensor::{element_count, row_major};
use tfc::ir::{Code, Error, Family, OpDef, OpSet, Result, Type, with_dtype};
use tfc::prelude::Tensor;

/// Characters that there is room for in what a call says of its failure.
const ROOM: usize = 8192;
/// The function for all calls: number, count and addresses of arguments, the same of results, room for a message, and how much. Anything
/// but 0 is a failure.
pub type Called =
    unsafe extern "C" fn(i64, usize, *const *const c_void, usize, *const *mut c_void, *mut c_char, usize) -> c_int;
static CALLED: RwLock<Option<Called>> = RwLock::new(None);

/// From now on calls go to that function; to none, where it is null: then they are errors.
#[unsafe(no_mangle)]
pub extern "C" fn tfc_pjrt_on_callback(f: Option<Called>) {
    *CALLED.write().unwrap_or_else(|e| e.into_inner()) = f;
}

/// `jax.callback`.
pub static CALLBACK: OpDef = OpDef {
    name: "jax.callback",
    doc: "Calls a function outside of the program, by its number. Calls are made in the order of the program, each as often as it is run, \
          whether their results are used or not.",
    operands: &["args…"],
    slots: &[Slot::required("id", SlotKind::Int)],
    needs_type: true,
    infer: |cx| {
        let all: Vec<Type> = (0..).map_while(|i| cx.written(i).cloned()).collect();
        if let Some(t) = all.iter().find(|t| t.exact_shape().is_none()) {
            let e =
                Error::new(Code::E0204, format!("a result of `jax.callback` has {} axes of unknown extents", t.rank()));
            return Err(e.help("a call's results have shapes that are known"));
        }
        Ok(all)
    },
    effect: Effect::Assert,
    linearize: Linearize::Never("what is called is not known"),
    batch: Batch::Never("what is called is not known"),
    law: Law::None("what is called is not known"),
    small: OnSmall::Kept,
    ..OpDef::BASE
};
/// The row.
pub static FAMILY: Family = &[&CALLBACK];

/// The built-in ops and this one.
///
/// # Errors
/// None, as long as no built-in op has its name.
pub fn ops() -> Result<OpSet> {
    OpSet::core().with(FAMILY)
}
/// Kernels of the engine, and of this op.
pub fn kernels() -> tfc::Kernels {
    let mut all = tfc::Kernels::default();
    all.cpu = all.cpu.with_kernel(&CALLBACK, |_| Ok(Call));
    all
}
#[derive(Debug)]
struct Call;
impl cpu::Kernel for Call {
    fn run(&self, cx: &mut KernelCx) -> Result<()> {
        let site = cx.site();
        let (id, n) = (site.attrs().int("id"), site.op().operands.len());
        let types: Vec<Type> = (0..site.op().results.len()).filter_map(|i| site.result(i).cloned()).collect();
        let given = (0..n).map(|i| cx.tensor(i)).collect::<Result<Vec<Tensor>>>()?;
        let made = call(id, &given, &types)?;
        made.iter().enumerate().try_for_each(|(i, t)| cx.give(i, t))
    }
}
/// The same elements, the last axis fastest.
fn rows(t: &Tensor) -> Result<Tensor> {
    if t.is_order(&row_major(t.shape())) {
        return Ok(t.clone());
    }
    with_dtype!(t.dtype(), T => Tensor::from_logical(t.shape(), t.to_vec::<T>()?))
}
fn call(id: i64, given: &[Tensor], types: &[Type]) -> Result<Vec<Tensor>> {
    let called = *CALLED.read().unwrap_or_else(|e| e.into_inner());
    let Some(f) = called else {
        let e = Error::new(Code::E0802, "the program calls back, and nobody is there to be called");
        return Err(e.help("the wheel `tfc-jax` registers what is to be called"));
    };
    let given = given.iter().map(rows).collect::<Result<Vec<Tensor>>>()?;
    let first = |t: &Tensor| t.data().address().wrapping_add(t.offset() * t.dtype().size()).cast::<c_void>();
    let arguments: Vec<*const c_void> = given.iter().map(first).collect();
    // Words, so that any element is aligned.
    let mut memory = vec![];
    for t in types {
        let shape = t.exact_shape().unwrap_or_default();
        let bytes = element_count(&shape)?.checked_mul(t.dtype.size());
        let words = bytes.ok_or_else(|| Error::new(Code::E0705, "a result has too many bytes"))?.div_ceil(8).max(1);
        memory.push((shape, vec![0u64; words]));
    }
    let results: Vec<*mut c_void> = memory.iter_mut().map(|m| m.1.as_mut_ptr().cast()).collect();
    let mut message = vec![0u8; ROOM];
    // SAFETY: lists have as many entries as is said; arguments are read, results and message written, all during the call alone.
    let failed = unsafe {
        f(
            id,
            arguments.len(),
            arguments.as_ptr(),
            results.len(),
            results.as_ptr(),
            message.as_mut_ptr().cast(),
            message.len(),
        )
    };
    if failed != 0 {
        let end = message.iter().position(|&b| b == 0).unwrap_or(message.len());
        let said = String::from_utf8_lossy(message.get(..end).unwrap_or_default()).into_owned();
        return Err(Error::new(Code::E0802, format!("a function that the program calls failed: {said}")));
    }
    let one = |((shape, mut words), t): ((Vec<usize>, Vec<u64>), &Type)| {
        let layout = Layout::new(t.dtype, shape.clone(), Some(row_major(&shape)))?;
        let at = words.as_mut_ptr().cast();
        // SAFETY: the words are the elements, and live as long as the tensor does; moving the vector leaves them where they are.
        unsafe { borrowed(at, layout, Box::new(words)) }
    };
    memory.into_iter().zip(types).map(one).collect()
}
