//! Regions: loops, operands that walk them with strides of their own, a body of scalar nodes in order.
use tfc_ir::{DType, ScalarOp};

/// What the region does with an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Read.
    In,
    /// Written, every element once.
    Out,
    /// Written with the result of a reduction; its stride along reduced loops is 0.
    Reduced,
}
/// An operand of a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand {
    /// Element type.
    pub dtype: DType,
    /// What happens to it.
    pub role: Role,
}
/// A scalar step of a region. Node ids are positions in the body; arguments come earlier.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Node {
    /// The element of an operand.
    Load(u32),
    /// A constant: its bytes and type.
    Const([u8; 16], DType),
    /// A scalar function of nodes; the result type.
    Apply(ScalarOp, [u32; 3], DType),
    /// Writes a node to an operand of role `Out`.
    Store(u32, u32),
    /// Folds a node into an operand of role `Reduced`.
    Red(ScalarOp, u32, u32),
}
/// A loop nest over a body of scalar nodes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Region {
    /// Its operands.
    pub operands: Vec<Operand>,
    /// Its body.
    pub body: Vec<Node>,
}
impl Region {
    /// Adds an operand.
    pub fn operand(&mut self, dtype: DType, role: Role) -> u32 {
        self.operands.push(Operand { dtype, role });
        self.operands.len() as u32 - 1
    }
    /// Adds a node.
    pub fn node(&mut self, n: Node) -> u32 {
        self.body.push(n);
        self.body.len() as u32 - 1
    }
    /// The element type of a node.
    pub fn dtype(&self, n: u32) -> Option<DType> {
        match self.body.get(n as usize)? {
            Node::Load(k) => self.operands.get(*k as usize).map(|o| o.dtype),
            Node::Const(_, d) | Node::Apply(_, _, d) => Some(*d),
            Node::Store(..) | Node::Red(..) => None,
        }
    }
}
