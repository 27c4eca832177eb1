//! What a language of kernels has to say: the text of regions, of copies, and of the ops that have steps of their own.
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::sync::Arc;

use tfc_ir::{DType, Result, ScalarOp};

use crate::device::Device;
use crate::program::CompiledFunction;
use crate::region::{Extents, Form, Site, Walk, forms};
use crate::rehearsal::AllTaken;
use crate::steps::Rows;
use crate::text::{Kernel, Source};

/// A language that kernels are written in, and the devices that take it.
pub trait Dialect: Clone + Debug + Default + Send + Sync + 'static {
    /// Name of the backend on the command line.
    const BACKEND: &'static str;
    /// The backends that run what this one has no kernel for, as errors name them.
    const INSTEAD: &'static str;
    /// Operands of a kernel, at most.
    const MOST_OPERANDS: usize = usize::MAX;
    /// Functions that kernels make use of, as far as they have been asked for.
    type Functions: Clone + Debug + Default + Send + Sync;

    /// The device that the environment names.
    ///
    /// # Errors
    /// `E1305` there is none; `E1301` what it needs is not there.
    fn of_environment() -> Result<Arc<dyn Device>>;
    /// Whether kernels have numbers of that type.
    fn takes(_: DType) -> bool {
        true
    }
    /// What elements of that type are called.
    fn element(d: DType) -> &'static str;
    /// A constant: its bytes and type.
    fn literal(bytes: [u8; 16], d: DType) -> String;
    /// A scalar function as an expression; operands may be evaluated more than once.
    ///
    /// # Errors
    /// `E1304` where a function of these element types has no text.
    fn apply(functions: &mut Self::Functions, op: ScalarOp, args: &[(&str, DType)], to: DType) -> Result<String>;
    /// The statement that gives a value a name.
    fn let_(d: DType, name: &str, value: &str) -> String;
    /// The element of a parameter so many bytes behind its first one.
    fn read(d: DType, name: &str, place: &str) -> String;
    /// A scalar's bits as one of another type of that size.
    fn bits(x: &str, from: DType, to: DType) -> Option<String>;
    /// The functions as text, in the order in which they have to stand.
    fn functions(of: &Self::Functions) -> String;
    /// The forms of a region that are written.
    fn forms(site: &Site, extents: Extents) -> Vec<Form> {
        forms(site, extents)
    }
    /// The kernel of a region in that form, under that name.
    ///
    /// # Errors
    /// `E1304` where a scalar function or an element type has no text.
    fn region(site: &Site, form: Form, name: String, functions: &mut Self::Functions) -> Result<Kernel>;
    /// The kernel that copies elements of that size along so many loops, walking so; `None` where the dialect has none.
    fn copy(walk: Walk, size: usize, rank: usize) -> Option<Kernel>;
    /// What the dialect has for built-in rows.
    fn core() -> Vec<Rows<Self>>;
    /// What kernels may take on devices that are not here, for people; nothing where nobody predicts it.
    fn predicted(_code: &CompiledFunction, _taken: &AllTaken, _source: &Source) -> String {
        String::new()
    }
}

/// Kernels written so far.
#[derive(Debug)]
pub struct Texts<D: Dialect> {
    /// Functions that they make use of.
    pub functions: D::Functions,
    kernels: Vec<Kernel>,
    /// Parameters and body to name.
    known: HashMap<(String, String), String>,
    names: BTreeMap<String, u32>,
}
impl<D: Dialect> Default for Texts<D> {
    fn default() -> Self {
        Texts { functions: D::Functions::default(), kernels: vec![], known: HashMap::new(), names: BTreeMap::new() }
    }
}
impl<D: Dialect> Texts<D> {
    /// Adds a kernel and says its name: the one it has, a number behind it where another one is called so, or that of a kernel
    /// with the same text.
    pub fn add(&mut self, mut k: Kernel) -> String {
        let params: Vec<String> = k.params.iter().map(|p| format!("{} {}", p.ty, p.name)).collect();
        let key = (params.join(", "), k.body.clone());
        if let Some(name) = self.known.get(&key) {
            return name.clone();
        }
        let n = self.names.entry(k.name.clone()).or_default();
        *n += 1;
        if *n > 1 {
            k.name = format!("{}_{n}", k.name);
        }
        self.known.insert(key, k.name.clone());
        self.kernels.push(k.clone());
        k.name
    }
    /// All of them.
    pub fn source(self) -> Source {
        Source { functions: D::functions(&self.functions), kernels: self.kernels }
    }
}
