//! Tapes: a [`Region`] ready to run tile by tile, as instructions over a table of sources (operands, constants, L1 slots).
//! Sizes and strides come at each call; a tape serves them all.
//!
//! No copies in or out: the first use of an operand reads the caller's array, the last op before a store writes it.
use tfc_ir::{Code, DType, Error, Result, ScalarOp};

use super::code::Codes;
use super::fold::{Fold, MOST_LANES, fold};
use tfc_kernels::choose::{Choice, choose};
use tfc_kernels::scalar::KernelFn;
use tfc_plan::region::body::{Node, Region, Role};

/// One instruction: a kernel over table entries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ins {
    /// The loop; `None` copies `size` bytes an element.
    pub(crate) f: Option<KernelFn>,
    /// Table entry written.
    pub(crate) dst: u32,
    /// Table entries read.
    pub(crate) src: [u32; 3],
    /// Bytes of an element of the result.
    pub(crate) size: u8,
}
/// A reduction at the end of each tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RedIns {
    /// Kernels of the reduction.
    pub(crate) fold: Fold,
    /// Table entry folded.
    pub(crate) src: u32,
    /// Operand that receives the result.
    pub(crate) operand: u32,
    /// Bytes of an element.
    pub(crate) size: usize,
}
/// The bytes of an element, aligned for any type.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub(crate) struct Aligned(pub(crate) [u8; 16]);
/// A region ready to run. Table entries: operands, then constants, then slots.
#[derive(Clone, Debug)]
pub(crate) struct Tape {
    /// Operands: bytes of an element, and the role.
    pub(crate) operands: Vec<(usize, Role)>,
    /// Of each complex operand, which machine code sees as two, the table entry of its imaginary parts.
    pub(crate) imaginary: Vec<Option<u32>>,
    /// Constants.
    pub(crate) consts: Vec<Aligned>,
    /// Number of slots.
    pub(crate) slots: usize,
    /// Instructions.
    pub(crate) ins: Vec<Ins>,
    /// Reductions.
    pub(crate) reds: Vec<RedIns>,
    /// Elements of a tile.
    pub(crate) tile: usize,
    /// Bytes of the widest element.
    pub(crate) wide: usize,
    /// Estimated cost of one element in picoseconds.
    pub(crate) cost_ps: u64,
    /// For each `Out` operand: which `In` operands may be the same memory with the same strides.
    pub(crate) in_place: Vec<(u32, u32)>,
    /// Machine code that does the same.
    pub(crate) codes: Codes,
}

/// Estimated cost of an element besides instructions, in picoseconds.
pub(crate) const TAPE_PS: u64 = 200;
/// Bytes of a slot: with its neighbours it stays in L1.
const SLOT: usize = 4096;
const L1: usize = 32 * 1024;
const NONE: u32 = u32::MAX;

struct Lower<'a> {
    r: &'a Region,
    last: Vec<usize>,
    place: Vec<u32>,
    /// Slots that hold nothing, with the entry numbers of this tape.
    free: Vec<u32>,
    first_slot: u32,
    slots: u32,
}
impl Lower<'_> {
    fn slot(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.first_slot + self.slots - 1
        })
    }
    /// Gives the slot of a node back after its last use at `at`.
    fn release(&mut self, n: u32, at: usize) {
        let (i, p) = (n as usize, self.place[n as usize]);
        if self.last[i] == at && p >= self.first_slot && p != NONE && !self.free.contains(&p) {
            self.free.push(p);
        }
    }
}

impl Tape {
    /// Compiles a region, where each of these pairs of an output and an input is one memory. `E0801` where a scalar function
    /// has no kernel for its types.
    pub(crate) fn aliased(r: &Region, aliased: &[(u32, u32)]) -> Result<Tape> {
        let (last, direct) = uses(r, aliased);
        let consts: Vec<Aligned> =
            r.body.iter().filter_map(|n| if let Node::Const(b, _) = n { Some(Aligned(*b)) } else { None }).collect();
        let first_slot = (r.operands.len() + consts.len()) as u32;
        let mut lw = Lower { r, last, place: vec![NONE; r.body.len()], free: vec![], first_slot, slots: 0 };
        let (mut ins, mut reds, mut cost, mut ci) = (vec![], vec![], TAPE_PS, r.operands.len() as u32);
        let mut written = vec![NONE; r.operands.len()];
        let mut read = vec![0usize; r.operands.len()];
        for (i, n) in r.body.iter().enumerate() {
            match *n {
                Node::Load(k) => lw.place[i] = k,
                Node::Const(..) => {
                    lw.place[i] = ci;
                    ci += 1;
                }
                Node::Apply(op, a, to) => {
                    let args = &a[..op.arity()];
                    let Choice { f, picoseconds } = find(lw.r, op, args, to)?;
                    cost += picoseconds;
                    let mut src = [0u32; 3];
                    for (s, &x) in src.iter_mut().zip(args) {
                        *s = lw.place[x as usize];
                        if let Node::Load(k) = r.body[x as usize] {
                            read[k as usize] = ins.len();
                        }
                    }
                    // A slot freed here may become the destination where the element sizes agree.
                    let same = |x: &&u32| r.dtype(**x).map(DType::size) == Some(to.size());
                    args.iter().filter(same).for_each(|&x| lw.release(x, i));
                    let dst = if direct[i] == NONE { lw.slot() } else { direct[i] };
                    args.iter().filter(|x| !same(x)).for_each(|&x| lw.release(x, i));
                    if direct[i] != NONE {
                        written[direct[i] as usize] = ins.len() as u32;
                    }
                    lw.place[i] = dst;
                    ins.push(Ins { f: Some(f), dst, src, size: to.size() as u8 });
                }
                Node::Store(k, n) => {
                    let size = r.operands[k as usize].dtype.size() as u8;
                    if lw.place[n as usize] != k {
                        if let Node::Load(k) = r.body[n as usize] {
                            read[k as usize] = ins.len();
                        }
                        written[k as usize] = ins.len() as u32;
                        ins.push(Ins { f: None, dst: k, src: [lw.place[n as usize], 0, 0], size });
                    }
                    lw.release(n, i);
                }
                Node::Red(op, k, n) => {
                    let d = r.operands[k as usize].dtype;
                    let f = fold(op, d).ok_or_else(|| no_kernel(op, &[d], d))?;
                    if let Node::Load(k) = r.body[n as usize] {
                        read[k as usize] = usize::MAX;
                    }
                    let mut src = lw.place[n as usize];
                    if let Node::Const(..) = r.body[n as usize] {
                        // A fold reads elements: a constant is spread over a slot that lives to the end of the tile.
                        lw.slots += 1;
                        let dst = first_slot + lw.slots - 1;
                        ins.push(Ins { f: None, dst, src: [src, 0, 0], size: d.size() as u8 });
                        src = dst;
                    }
                    reds.push(RedIns { fold: f, src, operand: k, size: d.size() });
                    cost += 150;
                }
            }
        }
        let (wide, tile) = tile(r, lw.slots as usize);
        let in_place = pairs(r, &written, &read);
        let operands: Vec<_> = r.operands.iter().map(|o| (o.dtype.size(), o.role)).collect();
        let mut behind = operands.len() as u32..;
        let imaginary = r.operands.iter().map(|o| if o.dtype.is_complex() { behind.next() } else { None }).collect();
        Ok(Tape {
            operands,
            imaginary,
            consts,
            slots: lw.slots as usize,
            ins,
            reds,
            tile,
            wide,
            cost_ps: cost,
            in_place,
            codes: Codes::new(r),
        })
    }
    /// Number of table entries.
    pub(crate) fn entries(&self) -> usize {
        self.operands.len() + self.consts.len() + self.slots
    }
    /// Number of complex operands.
    pub(crate) fn complex(&self) -> usize {
        self.imaginary.iter().flatten().count()
    }
}

/// Last use of each node (a reduced node lives to the end of the tile), and the operand each node is written to directly.
fn uses(r: &Region, aliased: &[(u32, u32)]) -> (Vec<usize>, Vec<u32>) {
    let mut last: Vec<usize> = (0..r.body.len()).collect();
    let mut direct = vec![NONE; r.body.len()];
    // Where an input that is the memory of an output is read for the last time.
    let mut read: Vec<(u32, usize)> = aliased.iter().map(|a| (a.0, 0)).collect();
    for (i, n) in r.body.iter().enumerate() {
        let (args, until): (&[u32], usize) = match n {
            Node::Apply(op, a, _) => (&a[..op.arity()], i),
            Node::Store(_, x) => (std::slice::from_ref(x), i),
            Node::Red(_, _, x) => (std::slice::from_ref(x), usize::MAX),
            _ => continue,
        };
        for (x, pair) in read.iter_mut().zip(aliased) {
            if args.iter().any(|&a| r.body[a as usize] == Node::Load(pair.1)) {
                x.1 = x.1.max(until);
            }
        }
    }
    for (i, n) in r.body.iter().enumerate() {
        match *n {
            Node::Apply(op, a, _) => a[..op.arity()].iter().for_each(|&x| last[x as usize] = i),
            Node::Store(k, x) => {
                let fresh = matches!(r.body[x as usize], Node::Apply(..))
                    && direct[x as usize] == NONE
                    && read.iter().all(|a| a.0 != k || a.1 <= x as usize);
                if fresh {
                    direct[x as usize] = k;
                }
                last[x as usize] = i;
            }
            Node::Red(_, _, x) => last[x as usize] = usize::MAX,
            _ => {}
        }
    }
    (last, direct)
}
/// Bytes of the widest element, and how many elements of it make a tile: what lives together stays in L1.
fn tile(r: &Region, slots: usize) -> (usize, usize) {
    let nodes = (0..r.body.len() as u32).filter_map(|n| r.dtype(n));
    let wide = r.operands.iter().map(|o| o.dtype).chain(nodes).map(DType::size).max().unwrap_or(8);
    let live = slots + r.operands.len().min(4);
    (wide, (SLOT / wide).min(L1 / (live.max(1) * wide)).max(128) / MOST_LANES * MOST_LANES)
}
/// Which inputs are read for the last time no later than an output is first written, with elements of one size.
fn pairs(r: &Region, written: &[u32], read: &[usize]) -> Vec<(u32, u32)> {
    let mut v = vec![];
    for (o, out) in r.operands.iter().enumerate().filter(|o| o.1.role == Role::Out && written[o.0] != NONE) {
        for (i, inp) in r.operands.iter().enumerate().filter(|i| i.1.role == Role::In) {
            if read[i] <= written[o] as usize && inp.dtype.size() == out.dtype.size() {
                v.push((o as u32, i as u32));
            }
        }
    }
    v
}
fn find(r: &Region, op: ScalarOp, args: &[u32], to: DType) -> Result<Choice> {
    let mut from = [DType::Bool; 3];
    for (f, &a) in from.iter_mut().zip(args) {
        *f = r.dtype(a).ok_or_else(|| Error::new(Code::E0801, "a fused region reads a node without a value"))?;
    }
    let from = &from[..args.len()];
    choose(op, from, to).ok_or_else(|| no_kernel(op, from, to))
}
fn no_kernel(op: ScalarOp, from: &[DType], to: DType) -> Error {
    let from: Vec<&str> = from.iter().map(|d| d.name()).collect();
    Error::new(Code::E0801, format!("`{}` from {} to {to} has no kernel on the CPU", op.name(), from.join(", ")))
}
