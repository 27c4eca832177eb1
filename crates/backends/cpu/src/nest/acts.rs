//! What a nest of loops does, step by step, apart from any machine: acts on cells, each of which holds one value, and on elements
//! of arrays in memory. What differs from run to run (addresses, strides, extents) are numbers of a table.
use tfc_ir::DType;
use tfc_plan::region::body::{Region, Role};

/// A place for one value in the frame, by number.
pub(crate) type Cell = u32;
/// A number of the table, by its position.
pub(crate) type Num = u32;

/// Where an address begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    /// A number of the table is the address.
    Num(Num),
    /// A cell holds the address.
    Cell(Cell),
}
/// Elements from the beginning of an address: an index times a stride.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Term {
    /// The cell of the index, and its type.
    pub(crate) index: Cell,
    /// The type of the index.
    pub(crate) dtype: DType,
    /// The last place: an index beyond it, or before 0, is moved there. Without one the index is inside.
    pub(crate) room: Option<Num>,
    /// Bytes from one place to the next.
    pub(crate) stride: Num,
}
/// The address of an element, or of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Spot {
    /// Where it begins.
    pub(crate) base: Base,
    /// Bytes that are added.
    pub(crate) add: Option<Num>,
    /// Indices that are added.
    pub(crate) by: Vec<Term>,
}
impl Spot {
    /// Where an address begins, and nothing else.
    pub(crate) fn of(base: Base) -> Spot {
        Spot { base, add: None, by: vec![] }
    }
    /// Calls `f` for each cell that the address is computed from.
    pub(crate) fn reads(&self, f: &mut dyn FnMut(Cell)) {
        if let Base::Cell(c) = self.base {
            f(c);
        }
        self.by.iter().for_each(|t| f(t.index));
    }
}
/// Arithmetic without a branch; `cells[k]` is the cell of operand `k` of the region.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Piece {
    /// What is computed.
    pub(crate) region: Region,
    /// The cell of each operand.
    pub(crate) cells: Vec<Cell>,
}
/// What is done, in order.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Act {
    /// Arithmetic.
    Piece(Piece),
    /// A value of so many bytes goes from cell to cell.
    Copy { from: Cell, to: Cell, size: u32 },
    /// A cell is 0.
    Zero { to: Cell },
    /// A cell holds an address from here on.
    Address { to: Cell, of: Spot },
    /// An element is read.
    Get { to: Cell, at: Spot, size: u32 },
    /// An element is written.
    Put { from: Cell, at: Spot, size: u32 },
    /// Something is done where all of these indices lie between 0 and a last place.
    Inside { indices: Vec<(Cell, DType, Num)>, then: Vec<Act> },
    /// The first way where a flag holds, else the second.
    Either { flag: Cell, ways: [Vec<Act>; 2] },
    /// The way that an index names; the last, where it names none.
    Nth { index: Cell, dtype: DType, ways: Vec<Vec<Act>> },
    /// A loop.
    Loop(Box<Round>),
}
impl Act {
    /// Calls `f` for each cell that the act reads, but for those that acts inside it read.
    pub(crate) fn reads(&self, f: &mut dyn FnMut(Cell)) {
        match self {
            Act::Piece(p) => {
                let read = p.region.operands.iter().zip(&p.cells).filter(|o| o.0.role == Role::In);
                read.for_each(|o| f(*o.1));
            }
            Act::Copy { from, .. } => f(*from),
            Act::Zero { .. } => {}
            Act::Address { of, .. } => of.reads(f),
            Act::Get { at, .. } => at.reads(f),
            Act::Put { from, at, .. } => {
                f(*from);
                at.reads(f);
            }
            Act::Inside { indices, .. } => indices.iter().for_each(|i| f(i.0)),
            Act::Either { flag, .. } => f(*flag),
            Act::Nth { index, .. } => f(*index),
            Act::Loop(l) => l.test.iter().for_each(|t| f(t.1)),
        }
    }
    /// The blocks of acts inside the act.
    pub(crate) fn blocks(&self) -> Vec<&[Act]> {
        match self {
            Act::Inside { then, .. } => vec![then],
            Act::Either { ways, .. } => ways.iter().map(|w| &w[..]).collect(),
            Act::Nth { ways, .. } => ways.iter().map(|w| &w[..]).collect(),
            Act::Loop(l) => l.test.iter().map(|t| &t.0[..]).chain([&l.body[..]]).collect(),
            _ => vec![],
        }
    }
    /// The blocks of acts inside the act, to be changed.
    pub(crate) fn blocks_mut(&mut self) -> Vec<&mut Vec<Act>> {
        match self {
            Act::Inside { then, .. } => vec![then],
            Act::Either { ways, .. } => ways.iter_mut().collect(),
            Act::Nth { ways, .. } => ways.iter_mut().collect(),
            Act::Loop(l) => l.test.iter_mut().map(|t| &mut t.0).chain([&mut l.body]).collect(),
            _ => vec![],
        }
    }
    /// Calls `f` for each of these acts in order, those inside one after it.
    pub(crate) fn each<'a>(acts: &'a [Act], f: &mut dyn FnMut(&'a Act)) {
        for a in acts {
            f(a);
            a.blocks().into_iter().for_each(|b| Act::each(b, f));
        }
    }
    /// The same, to change each.
    pub(crate) fn each_mut(acts: &mut [Act], f: &mut dyn FnMut(&mut Act)) {
        for a in acts {
            f(a);
            a.blocks_mut().into_iter().for_each(|b| Act::each_mut(b, f));
        }
    }
}
/// A loop.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Round {
    /// The cell that counts trips, and where it begins: 0 where no number says so.
    pub(crate) count: Cell,
    /// The count of the first trip.
    pub(crate) from: Option<Num>,
    /// The loop ends before the trip of this count.
    pub(crate) to: Option<Num>,
    /// What is computed before each trip, and the flag that says whether the trip begins.
    pub(crate) test: Option<(Vec<Act>, Cell)>,
    /// A number that becomes 1 where the flag ended the loop.
    pub(crate) over: Option<Num>,
    /// The cell of the index that a trip works on, and the last index, from which a reversed loop counts down.
    pub(crate) index: Option<(Cell, Option<Num>)>,
    /// A trip.
    pub(crate) body: Vec<Act>,
}
/// The whole function.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Acts {
    /// Number of cells.
    pub(crate) cells: u32,
    /// What is done.
    pub(crate) all: Vec<Act>,
    /// What goes out at the end: cell, number, bytes.
    pub(crate) out: Vec<(Cell, Num, u32)>,
}
