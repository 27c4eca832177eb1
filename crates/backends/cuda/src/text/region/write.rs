//! Lines of kernels: scalar values of a phase as variables, loops over the elements that a thread has at a time.
use std::fmt::Write;

use tfc_ir::{DType, Result};
use tfc_plan::region::body::{Node, Role};
use tfc_plan::region::phases::Part;

use super::super::scalar::{Functions, ctype, literal};
use tfc_device::region::{Form, Site, Walk};

/// A kernel's body as it grows.
pub(super) struct Writer<'s, 'a> {
    pub(super) site: &'s Site<'a>,
    pub(super) form: Form,
    pub(super) functions: &'s mut Functions,
    pub(super) out: String,
    depth: usize,
    /// Kept values that have been declared.
    kept: Vec<u32>,
    /// Variables so far.
    number: usize,
    /// Whether elements are those of arrays, of which index `j` is meant.
    pub(super) lanes: bool,
    /// Variables of operands that are the same for all elements.
    still: Vec<(u32, String)>,
    /// Rows that are in registers.
    pub(super) held: Vec<u32>,
    /// Rows of which the phase that is being written has a chunk at a time.
    pub(super) passing: Vec<u32>,
}
impl<'s, 'a> Writer<'s, 'a> {
    pub(super) fn new(site: &'s Site<'a>, form: Form, functions: &'s mut Functions) -> Writer<'s, 'a> {
        let (kept, still, held, passing) = (vec![], vec![], vec![], vec![]);
        let (out, number) = (String::new(), 0);
        Writer { site, form, functions, out, depth: 1, kept, number, lanes: false, still, held, passing }
    }
    pub(super) fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", self.depth * 2);
    }
    pub(super) fn open(&mut self, text: &str) {
        self.line(text);
        self.depth += 1;
    }
    pub(super) fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }
    pub(super) fn variable(&mut self, prefix: &str) -> String {
        self.number += 1;
        format!("{prefix}{}", self.number)
    }
    /// The variable of a kept value.
    pub(super) fn declare(&mut self, k: u32) -> String {
        if !self.kept.contains(&k) {
            self.kept.push(k);
        }
        self.kept_name(k)
    }
    fn kept_name(&self, k: u32) -> String {
        format!("kept{}", k - self.site.first_kept())
    }
    /// What an operand or a row is called.
    pub(super) fn name(&self, k: u32) -> String {
        match k.checked_sub(self.site.operands()) {
            Some(row) => format!("row{row}"),
            None => self.site.names[k as usize].clone(),
        }
    }
    /// Chunks of a row that are in registers at a time, where there is more than one array of them.
    fn chunks(&self) -> Option<usize> {
        if let Walk::Once(chunks) = self.form.walk { Some(chunks) } else { None }
    }
    /// The array of an operand's elements that the thread has.
    pub(super) fn array(&self, k: u32) -> String {
        let name = self.name(k);
        let chunk = if self.is_held(k) { "[c]" } else { "" };
        format!("{name}{}{chunk}", if name.ends_with('_') { "v" } else { "_v" })
    }
    /// Whether all chunks of the row are in registers.
    fn is_held(&self, k: u32) -> bool {
        self.chunks().is_some() && !self.passing.contains(&k)
    }
    /// Bytes from an operand's first element to the one that is being computed.
    pub(super) fn offset(&self, k: u32, kept: bool) -> Result<String> {
        if k >= self.site.operands() {
            let size = self.site.dtype(k).map_or(1, DType::size);
            let i = if self.lanes { "i.at" } else { "i" };
            return Ok(format!("(blockIdx.x * row.padded() + {i}) * {size}"));
        }
        Ok(match self.form.walk {
            Walk::Elements | Walk::Packs => format!("at.place({k}, x)"),
            Walk::Tiles => format!("at.place({k}, i.x)"),
            _ if kept || !self.site.is_full(k) => format!("kept.place({k}, at)"),
            _ => format!("kept.place({k}, at) + row.place({k}, x)"),
        })
    }
    /// Where an operand's element is, for the phase that is being written.
    fn place(&self, p: &Part, o: u32) -> Result<String> {
        let k = p.operands[o as usize];
        if self.lanes && !p.kept && self.site.is_full(k) {
            return Ok(format!("{}[j]", self.array(k)));
        }
        Ok(format!("{}({})", self.name(k), self.offset(k, p.kept)?))
    }
    /// Loads what is the same for all elements that a phase is about to compute.
    pub(super) fn still(&mut self, p: &Part) -> Result<()> {
        self.still.clear();
        for n in &p.region.body {
            let Node::Load(o) = *n else { continue };
            let k = p.operands[o as usize];
            if self.site.is_full(k) || k >= self.site.operands() {
                continue;
            }
            let at = if self.site.reduces() { self.offset(k, true)? } else { "0".into() };
            let (t, v) = (ctype(p.region.operands[o as usize].dtype), self.variable("t"));
            self.line(&format!("const {t} {v} = {}({at});", self.name(k)));
            self.still.push((k, v));
        }
        Ok(())
    }
    /// Values of a phase as variables: the names of its nodes.
    pub(super) fn nodes(&mut self, p: &Part) -> Result<Vec<String>> {
        let mut names: Vec<String> = Vec::with_capacity(p.region.body.len());
        for (i, n) in p.region.body.iter().enumerate() {
            let name = match *n {
                Node::Load(o) => {
                    let k = p.operands[o as usize];
                    let still = self.still.iter().find(|s| s.0 == k && !p.kept).map(|s| s.1.clone());
                    if k >= self.site.first_kept() {
                        self.kept_name(k)
                    } else if let Some(v) = still {
                        v
                    } else {
                        let (t, e) = (ctype(p.region.operands[o as usize].dtype), self.place(p, o)?);
                        let v = self.variable("t");
                        self.line(&format!("const {t} {v} = {e};"));
                        v
                    }
                }
                Node::Const(b, d) => literal(b, d),
                Node::Apply(op, a, d) => {
                    let args: Vec<(String, DType)> = a[..op.arity()]
                        .iter()
                        .map(|&x| (names[x as usize].clone(), p.region.dtype(x).unwrap_or(d)))
                        .collect();
                    let args: Vec<(&str, DType)> = args.iter().map(|(n, d)| (n.as_str(), *d)).collect();
                    let e = self.functions.apply(op, &args, d)?;
                    let v = self.variable("t");
                    self.line(&format!("const {} {v} = {e};", ctype(d)));
                    v
                }
                Node::Store(..) | Node::Red(..) => String::new(),
            };
            debug_assert_eq!(names.len(), i);
            names.push(name);
        }
        Ok(names)
    }
    /// What is computed once for each kept index, or for each element where nothing is reduced.
    pub(super) fn body(&mut self, p: &Part) -> Result<()> {
        let names = self.nodes(p)?;
        for n in &p.region.body {
            if let Node::Store(o, x) = *n {
                self.store(p, o, &names[x as usize])?;
            }
        }
        Ok(())
    }
    pub(super) fn store(&mut self, p: &Part, o: u32, value: &str) -> Result<()> {
        let k = p.operands[o as usize];
        if k >= self.site.first_kept() {
            let t = ctype(p.region.operands[o as usize].dtype);
            let known = self.kept.contains(&k);
            let name = self.declare(k);
            self.line(&if known { format!("{name} = {value};") } else { format!("const {t} {name} = {value};") });
        } else if p.kept {
            self.store_kept(k, value);
        } else {
            let to = self.place(p, o)?;
            self.line(&format!("{to} = {value};"));
        }
        Ok(())
    }
    /// One element for each kept index: one thread of the team writes it. Parts leave that to the kernel that folds them.
    pub(super) fn store_kept(&mut self, k: u32, value: &str) {
        if self.form.walk != Walk::Parts {
            let line =
                format!("if (has && team.lane() == 0) {}(kept.place({k}, at)) = {value};", self.site.names[k as usize]);
            self.line(&line);
        }
    }
    /// Operands and rows that a phase loads, or stores, element by element; each once.
    pub(super) fn touched(&self, p: &Part, role: Role) -> Vec<u32> {
        let mut all = vec![];
        for (&k, o) in p.operands.iter().zip(&p.region.operands) {
            if o.role == role && self.site.is_full(k) && !all.contains(&k) {
                all.push(k);
            }
        }
        all
    }
    /// Declares arrays for the elements that a thread has, `n` neighbours each.
    pub(super) fn arrays(&mut self, all: &[u32], n: usize) -> Result<()> {
        for &k in all {
            let Some(d) = self.site.dtype(k) else { continue };
            let name = self.array(k).replace("[c]", &self.chunks().map_or_else(String::new, |c| format!("[{c}]")));
            self.line(&format!("Pack<{}, {n}> {name};", ctype(d)));
        }
        Ok(())
    }
    /// Moves elements between memory and arrays: `read` or `write`.
    pub(super) fn moved(&mut self, how: &str, k: u32) -> Result<()> {
        let (array, name) = (self.array(k), self.name(k));
        // Of a row in registers, everything from its first element on, or a chunk.
        let once = self.chunks().is_some();
        let (array, offset) = (array.replace("[c]", ""), self.offset(k, once)?);
        let array = if once && !self.is_held(k) { format!("c, {array}") } else { array };
        let stride = match self.form.walk {
            _ if k >= self.site.operands() => self.site.dtype(k).map_or(1, DType::size).to_string(),
            Walk::Packs => format!("at.stride[{k}][0]"),
            Walk::Tiles => format!("at.stride[{k}]"),
            _ => format!("row.stride[{k}][0]"),
        };
        self.line(&format!("i.{how}({array}, {name}, {offset}, {stride});"));
        Ok(())
    }
    /// The loop over the elements that a thread has at a time.
    pub(super) fn each(&mut self, n: usize, body: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.line("#pragma unroll");
        self.open(&format!("for (int j = 0; j < {n}; j++) {{"));
        self.line(if self.chunks().is_some() { "if (!i.has(c, j)) continue;" } else { "if (!i.has(j)) break;" });
        self.lanes = true;
        body(self)?;
        self.lanes = false;
        self.close();
        Ok(())
    }
}
