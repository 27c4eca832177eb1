//! Regions over no loop: programs of scalars. Every value has a cell in a small area, so nothing is allocated and no table
//! is filled; ops that are alike and do not depend on each other become *lanes* of one vector instruction, wherever they
//! come from. That is what makes many scalar leaves (32 equations of a system) cost little more than one vector.
//!
//! Lanes change no bits: kernels give each element the same bits whatever their number. A program of few lanes that is
//! long, or runs in a loop, is compiled to machine code where that can be; it works on the same cells.
use std::collections::{HashMap, HashSet};

use tfc_ir::{DType, ScalarOp};

use super::trips::Source;
use crate::jit::{self, Access, Code as Text};
use crate::machine::mem::Ptr;
use tfc_kernels::choose::choose;
use tfc_kernels::scalar::{KernelFn, Src};
use tfc_plan::region::phases::{Graph, Val};

/// A value that goes in or out: an operand of the region and its cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cell {
    /// Operand.
    pub(crate) operand: u32,
    /// Offset in the area.
    pub(crate) at: u32,
    /// Bytes.
    pub(crate) size: u32,
}
/// What an instruction does. One lane of the commonest functions is done on the spot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Code {
    Call,
    Move,
    Gather,
    AddF64,
    SubF64,
    MulF64,
    DivF64,
    NegF64,
    LtF64,
    GtF64,
    AddF32,
    SubF32,
    MulF32,
    DivF32,
    NegF32,
    AddI64,
    SubI64,
    LtI64,
}
#[derive(Clone, Copy, Debug)]
struct Ins {
    code: Code,
    /// Lanes; bytes of a move; elements that are gathered from the places in the list at `src[0]`, of `src[1]` bytes.
    n: u32,
    dst: u32,
    src: [u32; 3],
    /// Elements from one lane to the next: 0 or 1.
    step: [u8; 3],
    f: Option<KernelFn>,
}
/// A program of scalars.
#[derive(Clone, Debug)]
pub(crate) struct Scalars {
    /// Bytes of its area, which is aligned to a cache line.
    pub(crate) bytes: usize,
    consts: Box<[(u32, [u8; 16], u32)]>,
    /// What is read before it runs.
    pub(crate) loads: Box<[Cell]>,
    /// What is written after it has run.
    pub(crate) stores: Box<[Cell]>,
    ins: Box<[Ins]>,
    /// Places that are gathered.
    lists: Box<[u32]>,
    /// Machine code in place of the instructions: it finds the cells of the operands in a table in the area.
    text: Option<(Text, u32)>,
    /// The cell of each operand.
    cells: Box<[u32]>,
    /// Operands that are results as they are.
    handed: Box<[u32]>,
    /// In a loop: what it was compiled from, so that trips can be joined.
    pub(crate) source: Option<Box<Source>>,
}

/// Ops from which on a program without lanes is worth machine code: outside loops and inside.
const LONG: [usize; 2] = [24, 3];
/// Lanes of an instruction from which on it is worth more than machine code for each of them.
const LANES_WORTH: usize = 6;

/// No cell yet.
const NOWHERE: u32 = u32::MAX;

/// Copies one element.
///
/// # Safety
/// Both hold `size` bytes: 1, 2, 4, 8 or 16.
#[inline(always)]
pub(crate) unsafe fn copy_element(to: *mut u8, from: *const u8, size: u32) {
    // SAFETY: by contract.
    unsafe {
        match size {
            8 => to.cast::<u64>().write_unaligned(from.cast::<u64>().read_unaligned()),
            4 => to.cast::<u32>().write_unaligned(from.cast::<u32>().read_unaligned()),
            1 => to.write(from.read()),
            n => std::ptr::copy_nonoverlapping(from, to, n as usize),
        }
    }
}

/// Lays cells out and emits instructions.
#[derive(Default)]
struct Layout {
    bytes: u32,
    consts: Vec<(u32, [u8; 16], u32)>,
    ins: Vec<Ins>,
    lists: Vec<u32>,
    /// Lanes that were brought together: where they come from, where they are.
    gathered: HashMap<Vec<u32>, u32>,
    splats: HashMap<(u32, [u8; 16]), u32>,
}
impl Layout {
    fn cells(&mut self, lanes: usize, size: u32) -> u32 {
        let align = if lanes as u32 * size >= 64 { 64 } else { size.max(1) };
        let at = self.bytes.next_multiple_of(align);
        self.bytes = at + lanes as u32 * size;
        at
    }
    fn constant(&mut self, bits: [u8; 16], size: u32) -> u32 {
        if let Some(&at) = self.splats.get(&(size, bits)) {
            return at;
        }
        let at = self.cells(1, size);
        self.consts.push((at, bits, size));
        self.splats.insert((size, bits), at);
        at
    }
    /// Lanes at these offsets as one operand: offset and step.
    fn operand(&mut self, lanes: &[u32], size: u32) -> (u32, u8) {
        let first = lanes[0];
        if lanes.iter().all(|&x| x == first) {
            return (first, u8::from(lanes.len() == 1));
        }
        if lanes.iter().enumerate().all(|(i, &x)| x == first + i as u32 * size) {
            return (first, 1);
        }
        if let Some(&at) = self.gathered.get(lanes) {
            return (at, 1);
        }
        let at = self.cells(lanes.len(), size);
        let mut runs: Vec<(usize, usize)> = vec![];
        for (i, &x) in lanes.iter().enumerate() {
            match runs.last_mut() {
                Some((first, n)) if x == lanes[*first] + *n as u32 * size => *n += 1,
                _ => runs.push((i, 1)),
            }
        }
        let mut emit = |code, n, dst, src| self.ins.push(Ins { code, n, dst, src, step: [0; 3], f: None });
        if runs.len() > 4 {
            emit(Code::Gather, lanes.len() as u32, at, [self.lists.len() as u32, size, 0]);
            self.lists.extend_from_slice(lanes);
        } else {
            for (i, n) in runs {
                emit(Code::Move, n as u32 * size, at + i as u32 * size, [lanes[i], 0, 0]);
            }
        }
        self.gathered.insert(lanes.to_vec(), at);
        (at, 1)
    }
}
/// The code of this function where one lane of it is computed on the spot; else a call.
fn short(op: ScalarOp, from: DType, to: DType) -> Code {
    use ScalarOp as S;
    match (op, from, to) {
        (S::Add, DType::F64, _) => Code::AddF64,
        (S::Sub, DType::F64, _) => Code::SubF64,
        (S::Mul, DType::F64, _) => Code::MulF64,
        (S::Div, DType::F64, _) => Code::DivF64,
        (S::Neg, DType::F64, _) => Code::NegF64,
        (S::Lt, DType::F64, _) => Code::LtF64,
        (S::Gt, DType::F64, _) => Code::GtF64,
        (S::Add, DType::F32, _) => Code::AddF32,
        (S::Sub, DType::F32, _) => Code::SubF32,
        (S::Mul, DType::F32, _) => Code::MulF32,
        (S::Div, DType::F32, _) => Code::DivF32,
        (S::Neg, DType::F32, _) => Code::NegF32,
        (S::Add, DType::I64, _) => Code::AddI64,
        (S::Sub, DType::I64, _) => Code::SubI64,
        (S::Lt, DType::I64, _) => Code::LtI64,
        _ => Code::Call,
    }
}
/// Level, function, element types of operands and result: what lanes have in common.
type Key = (u32, ScalarOp, [DType; 3], DType);

/// A graph being compiled.
struct Compiler<'a> {
    g: &'a Graph,
    l: Layout,
    /// The cell of each value.
    at: Vec<u32>,
    dtype: Vec<DType>,
}
impl Compiler<'_> {
    /// Ops that are alike and as far from the inputs, level by level.
    fn groups(&mut self) -> Option<Vec<(Key, Vec<usize>)>> {
        let mut level = vec![0u32; self.g.vals.len()];
        let mut groups: Vec<(Key, Vec<usize>)> = vec![];
        let mut known: HashMap<Key, usize> = HashMap::new();
        for (i, v) in self.g.vals.iter().enumerate() {
            self.dtype.push(match *v {
                Val::Load(k) => self.g.operands.get(k as usize)?.0.dtype,
                Val::Const(_, d) | Val::Apply(_, _, d) => d,
                Val::Reduce(..) => return None,
            });
            if let Val::Apply(op, a, to) = *v {
                let mut from = [DType::Bool; 3];
                for (f, &x) in from.iter_mut().zip(&a[..op.arity()]) {
                    *f = self.dtype[x as usize];
                    level[i] = level[i].max(level[x as usize] + 1);
                }
                let key = (level[i], op, from, to);
                let k = *known.entry(key).or_insert_with(|| {
                    groups.push((key, vec![]));
                    groups.len() - 1
                });
                groups[k].1.push(i);
            }
        }
        groups.sort_by_key(|g| g.0.0);
        Some(groups)
    }
    fn bits(&self, x: u32) -> Option<[u8; 16]> {
        if let Val::Const(b, _) = self.g.vals[x as usize] { Some(b) } else { None }
    }
    /// Operand `j` of these lanes: offset and step.
    fn argument(&mut self, lanes: &[usize], j: usize, size: u32) -> (u32, u8) {
        let g = self.g;
        let arg = |&i: &usize| if let Val::Apply(_, a, _) = g.vals[i] { Some(a[j]) } else { None };
        let args: Vec<u32> = lanes.iter().filter_map(arg).collect();
        // What is read for the first time stands side by side in the order of the lanes.
        let mut seen = HashSet::new();
        let first_read = |x: &u32| self.at[*x as usize] == NOWHERE && matches!(g.vals[*x as usize], Val::Load(_));
        let new: Vec<u32> = args.iter().copied().filter(first_read).filter(|&x| seen.insert(x)).collect();
        if !new.is_empty() {
            let first = self.l.cells(new.len(), size);
            for (i, &x) in new.iter().enumerate() {
                self.at[x as usize] = first + i as u32 * size;
            }
        }
        let all: Option<Vec<[u8; 16]>> = args.iter().map(|&x| self.bits(x)).collect();
        if let Some(b) = all.filter(|b| b.iter().any(|x| *x != b[0])) {
            // Constants that differ from lane to lane stand side by side from the start.
            let first = self.l.cells(lanes.len(), size);
            self.l.consts.extend(b.iter().enumerate().map(|(i, b)| (first + i as u32 * size, *b, size)));
            return (first, 1);
        }
        let mut places = vec![];
        for &x in &args {
            places.push(match self.bits(x) {
                Some(b) => self.l.constant(b, size),
                None => self.at[x as usize],
            });
        }
        self.l.operand(&places, size)
    }
    /// The instruction of a group. `None` where it has no kernel.
    fn emit(&mut self, (_, op, from, to): Key, lanes: &[usize]) -> Option<()> {
        let (n, arity, size) = (lanes.len(), op.arity(), to.size() as u32);
        let f = Some(choose(op, &from[..arity], to)?.f);
        let code = if n == 1 { short(op, from[0], to) } else { Code::Call };
        let mut ins = Ins { code, n: n as u32, dst: 0, src: [0; 3], step: [0; 3], f };
        for j in 0..arity {
            (ins.src[j], ins.step[j]) = self.argument(lanes, j, from[j].size() as u32);
        }
        ins.dst = self.l.cells(n, size);
        for (k, &i) in lanes.iter().enumerate() {
            self.at[i] = ins.dst + k as u32 * size;
        }
        self.l.ins.push(ins);
        Some(())
    }
    /// Places what goes in and out.
    fn finish(mut self, outs: &[(u32, u32)], text: Option<Text>) -> Scalars {
        let g = self.g;
        let mut cells = vec![0; g.operands.len()];
        let (mut loads, mut stores) = (vec![], vec![]);
        for (i, v) in g.vals.iter().enumerate() {
            if let Val::Load(k) = *v {
                let size = self.dtype[i].size() as u32;
                if self.at[i] == NOWHERE {
                    self.at[i] = self.l.cells(1, size);
                }
                cells[k as usize] = self.at[i];
                loads.push(Cell { operand: k, at: self.at[i], size });
            }
        }
        loads.sort_by_key(|c| c.at);
        for &(v, operand) in outs {
            let size = self.dtype[v as usize].size() as u32;
            let at = match self.bits(v) {
                // Code writes every result to a cell of its own.
                _ if text.is_some() => self.l.cells(1, size),
                Some(b) => self.l.constant(b, size),
                None => self.at[v as usize],
            };
            cells[operand as usize] = at;
            stores.push(Cell { operand, at, size });
        }
        let as_is = |o: &(u32, u32)| if let Val::Load(k) = g.vals[o.0 as usize] { Some(k) } else { None };
        let handed = outs.iter().filter_map(as_is).collect();
        let mut l = self.l;
        let text = text.map(|t| {
            let at = l.bytes.next_multiple_of(16);
            l.bytes = at + (g.operands.len() * size_of::<Src>()) as u32;
            (t, at)
        });
        Scalars {
            bytes: (l.bytes as usize).next_multiple_of(64),
            consts: l.consts.into(),
            loads: loads.into(),
            stores: stores.into(),
            ins: l.ins.into(),
            lists: l.lists.into(),
            text,
            cells: cells.into(),
            handed,
            source: None,
        }
    }
}

impl Scalars {
    /// Compiles a graph over no loop; `outs`: value and the operand that receives it; `hot`: it runs in a loop. `None` where
    /// something has no kernel.
    pub(crate) fn new(g: &Graph, outs: &[(u32, u32)], hot: bool) -> Option<Scalars> {
        let mut c = Compiler { g, l: Layout::default(), at: vec![NOWHERE; g.vals.len()], dtype: vec![] };
        let groups = c.groups()?;
        for (key, lanes) in &groups {
            c.emit(*key, lanes)?;
        }
        let ops: usize = groups.iter().map(|g| g.1.len()).sum();
        let mut text = None;
        // In a loop an instruction of lanes, with what brings them together, takes as long as so many ops of machine code.
        let alone = if hot { ops < LANES_WORTH * c.l.ins.len() } else { ops < 2 * groups.len() };
        if ops >= LONG[usize::from(hot)] && alone {
            let one = jit::Options { one: true, ..jit::Options::default() };
            text = jit::compile(&g.flat(outs), &vec![Access::Splat; g.operands.len()], &one);
        }
        let source = hot.then(|| Box::new((g.clone(), outs.to_vec())));
        Some(Scalars { source, ..c.finish(outs, text) })
    }
    /// Whether the program is machine code.
    pub(crate) fn is_code(&self) -> bool {
        self.text.is_some()
    }
    /// Number of instructions.
    pub(crate) fn len(&self) -> usize {
        self.ins.len()
    }
    /// Writes the constants, and the table of cells for machine code.
    ///
    /// # Safety
    /// The area has `bytes` bytes and stays where it is.
    pub(crate) unsafe fn init(&self, area: Ptr) {
        for &(at, bits, size) in &self.consts {
            // SAFETY: cells lie in the area.
            unsafe { copy_element(area.0.add(at as usize), bits.as_ptr(), size) };
        }
        if let Some((_, at)) = self.text {
            for (k, &cell) in self.cells.iter().enumerate() {
                let src = Src { ptr: area.at(cell as isize).0, stride: 1 };
                // SAFETY: the table has a place for each operand.
                unsafe { area.at(at as isize).0.cast::<Src>().add(k).write(src) };
            }
        }
    }
    /// Is it machine code, and is operand `k` read for computing only? Then a result may be written to the cell of `k`:
    /// code reads every operand before it writes a result.
    pub(crate) fn may_write(&self, k: u32) -> bool {
        self.text.is_some() && !self.handed.contains(&k)
    }
    /// Lets machine code find operand `k` in another cell.
    ///
    /// # Safety
    /// The area has been initialised; the cell, which lies in it, is free for this use.
    pub(crate) unsafe fn move_operand(&self, area: Ptr, k: u32, cell: u32) {
        if let Some((_, at)) = self.text {
            let src = Src { ptr: area.at(cell as isize).0, stride: 1 };
            // SAFETY: the table has a place for each operand.
            unsafe { area.at(at as isize).0.cast::<Src>().add(k as usize).write(src) };
        }
    }
    /// Reads the operands, runs, writes the results.
    ///
    /// # Safety
    /// The area has been initialised; `operand(k)` is the address of operand `k`.
    pub(crate) unsafe fn whole(&self, area: Ptr, operand: impl Fn(u32) -> Ptr) {
        // SAFETY: by contract.
        unsafe {
            for c in &self.loads {
                copy_element(area.0.add(c.at as usize), operand(c.operand).0, c.size);
            }
            self.run(area);
            for c in &self.stores {
                copy_element(operand(c.operand).0, area.0.add(c.at as usize), c.size);
            }
        }
    }
    /// Runs on the cells.
    ///
    /// # Safety
    /// The area has been initialised and the cells of all loads hold values.
    pub(crate) unsafe fn run(&self, area: Ptr) {
        let p = |o: u32| area.0.wrapping_add(o as usize);
        if let Some((t, at)) = &self.text {
            // SAFETY: the table holds the cells of the operands; every result has a cell of its own.
            return unsafe { t.run(1, p(*at).cast(), std::ptr::null_mut()) };
        }
        macro_rules! lane {
            ($i:expr, $t:ty, $r:ty, $x:ident, $y:ident, $e:expr) => {{
                let ($x, $y) = (p($i.src[0]).cast::<$t>().read(), p($i.src[1]).cast::<$t>().read());
                p($i.dst).cast::<$r>().write($e)
            }};
        }
        for i in &self.ins {
            // SAFETY: cells of the right types, aligned to their size; each is written once, before it is read.
            unsafe {
                match i.code {
                    Code::Call => {
                        if let Some(f) = i.f {
                            let s = |k: usize| Src { ptr: p(i.src[k]), stride: i.step[k] as isize };
                            f(i.n as usize, &[s(0), s(1), s(2)], p(i.dst));
                        }
                    }
                    Code::Move => std::ptr::copy_nonoverlapping(p(i.src[0]), p(i.dst), i.n as usize),
                    Code::Gather => {
                        let (first, size) = (i.src[0] as usize, i.src[1]);
                        for k in 0..i.n {
                            let from = *self.lists.get_unchecked(first + k as usize);
                            copy_element(p(i.dst + k * size), p(from), size);
                        }
                    }
                    Code::AddF64 => lane!(i, f64, f64, x, y, x + y),
                    Code::SubF64 => lane!(i, f64, f64, x, y, x - y),
                    Code::MulF64 => lane!(i, f64, f64, x, y, x * y),
                    Code::DivF64 => lane!(i, f64, f64, x, y, x / y),
                    Code::NegF64 => p(i.dst).cast::<f64>().write(-p(i.src[0]).cast::<f64>().read()),
                    Code::LtF64 => lane!(i, f64, bool, x, y, x < y),
                    Code::GtF64 => lane!(i, f64, bool, x, y, x > y),
                    Code::AddF32 => lane!(i, f32, f32, x, y, x + y),
                    Code::SubF32 => lane!(i, f32, f32, x, y, x - y),
                    Code::MulF32 => lane!(i, f32, f32, x, y, x * y),
                    Code::DivF32 => lane!(i, f32, f32, x, y, x / y),
                    Code::NegF32 => p(i.dst).cast::<f32>().write(-p(i.src[0]).cast::<f32>().read()),
                    Code::AddI64 => lane!(i, i64, i64, x, y, x.wrapping_add(y)),
                    Code::SubI64 => lane!(i, i64, i64, x, y, x.wrapping_sub(y)),
                    Code::LtI64 => lane!(i, i64, bool, x, y, x < y),
                }
            }
        }
    }
}
