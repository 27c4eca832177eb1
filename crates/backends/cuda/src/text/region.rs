//! Fused regions as kernels.
//!
//! Without a reduction, a thread computes one element after the other. With one, a region is cut into phases (as for every
//! engine) that a kernel runs one after the other for each kept index, in one of two ways:
//!
//! * **rows**: a block a kept index. Its threads share the reduced indices, and fold what they have in shared memory, by a tree.
//! * **each**: a thread a kept index, for rows that are short, or kept indices that lie side by side in memory.
//!
//! What is kept from phase to phase for a kept index is a variable, that every thread of the block computes; a row that is kept
//! is a row of a buffer, one for each block. A thread reads from such a row, and from an output that it wrote earlier, only what
//! it has written itself.
//!
//! Kernels come as written, with a loop for each loop of the region, and *flat*, with the loops in one (two, with a
//! reduction): most calls' strides allow that.
use std::collections::BTreeSet;
use std::fmt::Write;

use tfc_ir::{DType, Result};
use tfc_plan::region::body::{Node, Role};
use tfc_plan::region::phases::{Cutting, Part};

use super::scalar::{Functions, ctype, identity, literal};
use super::{Kernel, Param};

/// Threads of a block that folds a row, at most: fixed, so that results do not depend on the device.
pub const MOST_THREADS: u32 = 256;

/// How a region is walked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Walk {
    /// No reduction: a thread an element.
    Elements,
    /// A block a kept index.
    Rows,
    /// A thread a kept index.
    Each,
}
/// A kernel of a region.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Form {
    /// How it is walked.
    pub walk: Walk,
    /// Loops over kept indices (all loops, without a reduction).
    pub kept: usize,
    /// Loops over reduced indices.
    pub reduced: usize,
}
/// A region to be written.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// Its phases.
    pub cutting: &'a Cutting,
    /// Names of its operands.
    pub names: &'a [String],
    /// Element types of its operands.
    pub dtypes: &'a [DType],
}

/// Names for C: what is no letter, digit or `_` becomes `_`; unique, and none of C's own.
pub fn c_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    names
        .map(|n| {
            let mut base: String = n.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            // Variables of kernels themselves end in a digit or are reserved: operands do not.
            if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit() || c == '_') {
                base.insert(0, 'v');
            }
            base.push('_');
            let mut name = base.clone();
            let mut k = 1;
            while !seen.insert(name.clone()) {
                k += 1;
                name = format!("{base}{k}_");
            }
            name
        })
        .collect()
}

/// The kernel of a region in that form, under that name.
///
/// # Errors
/// `E1304` where a scalar function has no text.
pub fn kernel(site: &Site, form: Form, name: String, functions: &mut Functions) -> Result<Kernel> {
    let operands = site.cutting.roles.len();
    let mut params = vec![];
    for k in 0..operands {
        let written = site.cutting.roles[k] != Role::In;
        let ty = format!("{}<{}>", if written { "Out" } else { "In" }, ctype(site.dtypes[k])?);
        params.push(Param { ty, name: site.names[k].clone() });
    }
    for (i, d) in site.rows()?.into_iter().enumerate() {
        params.push(Param { ty: format!("Out<{}>", ctype(d)?), name: format!("row{i}") });
    }
    let at = if form.walk == Walk::Elements { "at" } else { "kept" };
    params.push(Param { ty: format!("Loops<{}, {operands}>", form.kept), name: at.into() });
    if form.walk != Walk::Elements {
        params.push(Param { ty: format!("Loops<{}, {operands}>", form.reduced), name: "row".into() });
    }
    let mut w = Writer { site, form, functions, out: String::new(), depth: 1, kept: vec![], number: 0 };
    w.kernel()?;
    Ok(Kernel { name, params, body: w.out })
}
impl Site<'_> {
    /// Element types of the row buffers.
    ///
    /// # Errors
    /// `E0718` where nothing writes one.
    pub fn rows(&self) -> Result<Vec<DType>> {
        let c = self.cutting;
        let no = c.roles.len() as u32;
        let of = |k: u32| {
            let mut all = c.parts.iter().flat_map(|p| p.operands.iter().zip(&p.region.operands));
            all.find(|o| *o.0 == k).map(|o| o.1.dtype)
        };
        let missing = || tfc_ir::Error::new("E0718", "a row that no phase writes");
        (0..c.temps.len() as u32).map(|i| of(no + i).ok_or_else(missing)).collect()
    }
}

struct Writer<'s, 'a> {
    site: &'s Site<'a>,
    form: Form,
    functions: &'s mut Functions,
    out: String,
    depth: usize,
    /// Kept values that have been declared.
    kept: Vec<u32>,
    /// Variables so far.
    number: usize,
}
impl Writer<'_, '_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", self.depth * 2);
    }
    fn open(&mut self, text: &str) {
        self.line(text);
        self.depth += 1;
    }
    fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }
    fn operands(&self) -> u32 {
        self.site.cutting.roles.len() as u32
    }
    /// The first number of a kept value.
    fn first_kept(&self) -> u32 {
        self.operands() + self.site.cutting.temps.len() as u32
    }
    fn kernel(&mut self) -> Result<()> {
        let parts = &self.site.cutting.parts;
        match self.form.walk {
            Walk::Elements => {
                self.open("for (i64 i = thread_of_grid(); i < at.count(); i += threads_of_grid()) {");
                self.line("const auto x = at.index(i);");
                for p in parts {
                    self.body(p)?;
                }
                self.close();
            }
            walk => {
                self.open(match walk {
                    Walk::Rows => "for (i64 k = blockIdx.x; k < kept.count(); k += gridDim.x) {",
                    _ => "for (i64 k = thread_of_grid(); k < kept.count(); k += threads_of_grid()) {",
                });
                self.line("const auto at = kept.index(k);");
                for p in parts {
                    if p.kept { self.body(p)? } else { self.phase(p)? }
                }
                self.close();
            }
        }
        Ok(())
    }
    /// A phase over a row.
    fn phase(&mut self, p: &Part) -> Result<()> {
        let reds: Vec<_> = p
            .region
            .body
            .iter()
            .filter_map(|n| if let Node::Red(op, o, x) = *n { Some((op, o, x)) } else { None })
            .collect();
        let mut folds = vec![];
        for &(op, o, x) in &reds {
            let k = p.operands[o as usize];
            let d = p.region.operands[o as usize].dtype;
            let _ = x;
            let name = if k >= self.first_kept() { self.declare(k) } else { self.variable("s") };
            self.line(&format!("{} {name} = {};", ctype(d)?, identity(op, d)?));
            folds.push((op, k, d, name));
        }
        self.open(match self.form.walk {
            Walk::Rows => "for (i64 i = threadIdx.x; i < row.count(); i += blockDim.x) {",
            _ => "for (i64 i = 0; i < row.count(); i++) {",
        });
        self.line("const auto x = row.index(i);");
        let names = self.nodes(p)?;
        let mut next = folds.iter();
        for n in &p.region.body {
            match *n {
                Node::Store(o, x) => self.store(p, o, &names[x as usize])?,
                Node::Red(_, _, x) => {
                    if let Some((op, _, d, name)) = next.next() {
                        let e = self.functions.combine(*op, name, &names[x as usize], *d)?;
                        self.line(&format!("{name} = {e};"));
                    }
                }
                _ => {}
            }
        }
        self.close();
        for (op, k, d, name) in folds {
            if self.form.walk == Walk::Rows {
                let t = ctype(d)?;
                let e = self.functions.combine(op, "a", "b", d)?;
                self.line(&format!("{name} = fold_block({name}, []({t} a, {t} b) {{ return {e}; }});"));
            }
            if k < self.operands() {
                self.store_kept(k, &name);
            }
        }
        Ok(())
    }
    /// What is computed once for each kept index, or for each element where nothing is reduced.
    fn body(&mut self, p: &Part) -> Result<()> {
        let names = self.nodes(p)?;
        for n in &p.region.body {
            if let Node::Store(o, x) = *n {
                self.store(p, o, &names[x as usize])?;
            }
        }
        Ok(())
    }
    fn variable(&mut self, prefix: &str) -> String {
        self.number += 1;
        format!("{prefix}{}", self.number)
    }
    /// The variable of a kept value.
    fn declare(&mut self, k: u32) -> String {
        if !self.kept.contains(&k) {
            self.kept.push(k);
        }
        self.kept_name(k)
    }
    fn kept_name(&self, k: u32) -> String {
        format!("kept{}", k - self.first_kept())
    }
    /// Where an operand's element is, for the phase that is being written.
    fn place(&self, p: &Part, o: u32) -> String {
        let k = p.operands[o as usize];
        if k >= self.operands() {
            let size = p.region.operands[o as usize].dtype.size();
            let who = if self.form.walk == Walk::Rows { "blockIdx.x" } else { "thread_of_grid()" };
            return format!("row{}(({who} * row.count() + i) * {size})", k - self.operands());
        }
        let name = &self.site.names[k as usize];
        match (self.form.walk, p.kept) {
            (Walk::Elements, _) => format!("{name}(at.place({k}, x))"),
            (_, true) => format!("{name}(kept.place({k}, at))"),
            (_, false) => format!("{name}(kept.place({k}, at) + row.place({k}, x))"),
        }
    }
    /// Values of a phase as variables: the names of its nodes.
    fn nodes(&mut self, p: &Part) -> Result<Vec<String>> {
        let mut names: Vec<String> = Vec::with_capacity(p.region.body.len());
        for (i, n) in p.region.body.iter().enumerate() {
            let name = match *n {
                Node::Load(o) => {
                    let k = p.operands[o as usize];
                    if k >= self.first_kept() {
                        self.kept_name(k)
                    } else {
                        let (t, e) = (ctype(p.region.operands[o as usize].dtype)?, self.place(p, o));
                        let v = self.variable("t");
                        self.line(&format!("const {t} {v} = {e};"));
                        v
                    }
                }
                Node::Const(b, d) => literal(b, d)?,
                Node::Apply(op, a, d) => {
                    let args: Vec<(String, DType)> = a[..op.arity()]
                        .iter()
                        .map(|&x| (names[x as usize].clone(), p.region.dtype(x).unwrap_or(d)))
                        .collect();
                    let args: Vec<(&str, DType)> = args.iter().map(|(n, d)| (n.as_str(), *d)).collect();
                    let e = self.functions.apply(op, &args, d)?;
                    let v = self.variable("t");
                    self.line(&format!("const {} {v} = {e};", ctype(d)?));
                    v
                }
                Node::Store(..) | Node::Red(..) => String::new(),
            };
            debug_assert_eq!(names.len(), i);
            names.push(name);
        }
        Ok(names)
    }
    fn store(&mut self, p: &Part, o: u32, value: &str) -> Result<()> {
        let k = p.operands[o as usize];
        if k >= self.first_kept() {
            let t = ctype(p.region.operands[o as usize].dtype)?;
            let known = self.kept.contains(&k);
            let name = self.declare(k);
            self.line(&if known { format!("{name} = {value};") } else { format!("const {t} {name} = {value};") });
        } else if p.kept && self.form.walk != Walk::Elements {
            self.store_kept(k, value);
        } else {
            let to = self.place(p, o);
            self.line(&format!("{to} = {value};"));
        }
        Ok(())
    }
    /// One element for each kept index: one thread writes it.
    fn store_kept(&mut self, k: u32, value: &str) {
        let one = if self.form.walk == Walk::Rows { "if (threadIdx.x == 0) " } else { "" };
        let line = format!("{one}{}(kept.place({k}, at)) = {value};", self.site.names[k as usize]);
        self.line(&line);
    }
}
