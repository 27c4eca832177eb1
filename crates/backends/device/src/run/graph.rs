//! Calls that the host does not decide are taken down once and then started as a whole: a CUDA graph for each layout of arguments.
//!
//! The first call with a layout runs as any other, and says whether the host had to wait for something. If it had not, the second one
//! keeps its memory, and what it starts is taken down once more; from the third on, arguments are copied to where they were, the graph
//! is started, and results are copied from where they were. Calls with limits or with somewhere to print always run step by step.
use tfc_ir::{Code, DType, Result, Tensor};

use super::frame::{Held, bytes_of, download};
use crate::device::{Device, Ptr, Recorded};

/// Most graphs of a program: layouts beyond that run step by step.
const MOST: usize = 8;

/// A layout of arguments: element types, extents, strides.
pub type Key = Vec<(DType, Vec<usize>, Vec<isize>)>;

/// The layout of arguments.
pub fn key(args: &[&Tensor]) -> Key {
    args.iter().map(|t| (t.dtype(), t.shape().to_vec(), t.strides().to_vec())).collect()
}
/// What is known of a layout.
enum State {
    /// The host need not wait.
    Seen,
    /// The block has to run anew each time, or cannot be taken down.
    Never,
    Taken(Graph),
}
/// What to do with a call.
pub enum Way {
    /// Run it, and say how it went.
    Run,
    /// Run it, keep its memory, and take it down.
    Take,
    /// The block has been taken down.
    Start(usize),
    /// Run it.
    Plain,
}
/// A call that was taken down.
pub struct Graph {
    /// What starts it.
    pub recorded: Box<dyn Recorded>,
    /// Memory of its frame.
    pub held: Held,
    /// Memory of arguments, as they lie.
    pub args: Vec<Option<Ptr>>,
    /// Results: where they lie, the first axis fastest.
    pub results: Vec<(Ptr, DType, Vec<usize>)>,
}
/// Graphs of a program.
#[derive(Default)]
pub struct Graphs(Vec<(Key, State)>);
impl Graphs {
    /// What to do with a call.
    pub fn way(&self, key: &Key) -> Way {
        match self.0.iter().position(|k| k.0 == *key).map(|i| (i, &self.0[i].1)) {
            Some((_, State::Seen)) => Way::Take,
            Some((i, State::Taken(_))) => Way::Start(i),
            Some((_, State::Never)) => Way::Plain,
            None if self.0.len() >= MOST => Way::Plain,
            None => Way::Run,
        }
    }
    /// How the first call with a layout went.
    pub fn seen(&mut self, key: Key, waited: bool) {
        self.0.push((key, if waited { State::Never } else { State::Seen }));
    }
    /// What became of the second one.
    pub fn taken(&mut self, key: &Key, graph: Option<Graph>) {
        if let Some(k) = self.0.iter_mut().find(|k| k.0 == *key) {
            k.1 = graph.map_or(State::Never, State::Taken);
        }
    }
    /// Starts a graph.
    ///
    /// # Errors
    /// What the device reports.
    pub fn start(&self, device: &dyn Device, i: usize, args: &[&Tensor]) -> Result<Vec<Tensor>> {
        let Some((_, State::Taken(g))) = self.0.get(i) else {
            return Err(tfc_ir::Error::bug(Code::E0718, "a graph that was not taken down"));
        };
        for (t, p) in args.iter().zip(&g.args) {
            if let Some(p) = p {
                device.upload(*p, &bytes_of(t).0)?;
            }
        }
        g.recorded.start()?;
        g.results.iter().map(|(p, d, dims)| download(device, *p, *d, dims)).collect()
    }
    /// Gives everything back.
    pub fn release(&mut self, device: &dyn Device) {
        for (_, s) in self.0.drain(..) {
            if let State::Taken(mut g) = s {
                // What starts it goes before what it works on.
                drop(g.recorded);
                g.held.all().iter().for_each(|b| device.free(b.at));
                g.args.into_iter().flatten().for_each(|p| device.free(p));
            }
        }
    }
}
