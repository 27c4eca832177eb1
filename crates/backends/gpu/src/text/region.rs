//! Fused regions as kernels: elements that all threads of the grid share, or teams of threads of a workgroup that walk a row each
//! (`tfc_device::region` says what is what).
use std::fmt::Write;

use tfc_device::region::{Form, Site, Walk};
use tfc_ir::{DType, Result, ScalarOp};
use tfc_plan::region::body::{Node, Role};
use tfc_plan::region::phases::Part;

use super::scalar::{Functions, identity, literal};
use super::{GROUP, Kernel, Nest, param, read, shared_out, type_of, typed, write};

/// The kernel of a region in that form, under that name.
///
/// # Errors
/// `E1304` where a scalar function or an element type has no text.
pub fn kernel(site: &Site, form: Form, name: String, functions: &mut Functions) -> Result<Kernel> {
    let operands = site.cutting.roles.len();
    let mut params = vec![];
    for k in 0..operands {
        let way = if site.cutting.roles[k] == Role::In { "In" } else { "Out" };
        params.push(param(format!("{way}<{}>", type_of(site.dtypes[k])), &site.names[k]));
    }
    let mut w = Writer { site, form, functions, out: String::new(), depth: 1, kept: vec![], number: 0, shared: vec![] };
    if form.walk == Walk::Elements {
        params.push(param(format!("Loops<{}, {operands}>", form.kept), "at"));
        w.elements()?;
    } else {
        for (i, d) in site.rows()?.into_iter().enumerate() {
            params.push(param(format!("Out<{}>", type_of(d)), &format!("row{i}_")));
        }
        params.push(param(format!("Loops<{}, {operands}>", form.kept), "kept"));
        params.push(param(format!("Loops<{}, {operands}>", form.reduced), "row"));
        params.push(param(format!("Team<{GROUP}>"), "team"));
        w.teams()?;
    }
    params.extend(w.shared.iter().map(|d| param(format!("Shared<{}, {GROUP}>", stored(*d)), &part(*d))));
    Ok(Kernel { name, params, body: w.out })
}
/// How a workgroup shares numbers of that type: flags as words.
fn stored(d: DType) -> &'static str {
    if d == DType::Bool { "u32" } else { type_of(d) }
}
/// The array in which a workgroup shares them.
fn part(d: DType) -> String {
    format!("part_{}", type_of(d))
}
/// What a phase folds.
struct Fold {
    op: ScalarOp,
    /// Which operand or kept value it is.
    k: u32,
    dtype: DType,
    /// Variable of the reduction.
    name: String,
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
    /// Types of which the workgroup shares numbers.
    shared: Vec<DType>,
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
    fn variable(&mut self, prefix: &str) -> String {
        self.number += 1;
        format!("{prefix}{}", self.number)
    }
    fn nest(&self, name: &'static str) -> Nest<'static> {
        Nest { name, rank: if name == "row" { self.form.reduced } else { self.form.kept } }
    }
    fn elements(&mut self) -> Result<()> {
        let at = self.nest("at");
        let site = self.site;
        for p in &site.cutting.parts {
            self.open(&shared_out(&at.count()));
            self.line(&at.index("i", "x"));
            self.body(p)?;
            self.close();
        }
        Ok(())
    }
    fn teams(&mut self) -> Result<()> {
        let (kept, site) = (self.nest("kept"), self.site);
        self.line("let each = i32(p.threads / p.team_lanes);");
        self.line("let lane = thread / p.team_step % p.team_lanes;");
        self.line("let mine = i32(thread / (p.team_lanes * p.team_step) * p.team_step + thread % p.team_step);");
        let (count, by) = (kept.count(), "i32(blocks.x) * each");
        self.open(&format!("for (var first = i32(block.x) * each; first < {count}; first += {by}) {{"));
        self.line(&format!("let has = thread < p.threads && first + mine < {count};"));
        self.line("let k = select(first, first + mine, has);");
        self.line(&kept.index("k", "k"));
        self.kept.clear();
        for p in &site.cutting.parts {
            if p.kept { self.body(p)? } else { self.phase(p)? }
        }
        self.close();
        Ok(())
    }
    /// A phase along a row.
    fn phase(&mut self, p: &Part) -> Result<()> {
        let mut folds = vec![];
        for n in &p.region.body {
            let Node::Red(op, o, _) = *n else { continue };
            let (k, dtype) = (p.operands[o as usize], p.region.operands[o as usize].dtype);
            let name = if k >= self.site.first_kept() { self.kept_name(k) } else { self.variable("s") };
            let first = identity(op, dtype)?;
            self.kept.push(k);
            self.line(&format!("var {name} = {};", typed(&first, dtype)));
            folds.push(Fold { op, k, dtype, name });
        }
        let row = self.nest("row");
        self.open(&format!("for (var i = i32(lane); has && i < {}; i += i32(p.team_lanes)) {{", row.count()));
        self.line(&row.index("i", "x"));
        let names = self.nodes(p)?;
        let mut next = folds.iter();
        for n in &p.region.body {
            match *n {
                Node::Store(o, x) => self.store(p, o, &names[x as usize])?,
                Node::Red(_, _, x) => {
                    if let Some(f) = next.next() {
                        let e = self.functions.combine(f.op, &f.name, &names[x as usize], f.dtype)?;
                        self.line(&format!("{} = {e};", f.name));
                    }
                }
                _ => {}
            }
        }
        self.close();
        folds.into_iter().try_for_each(|f| self.joined(&f))
    }
    /// What the threads of a team have, folded: halves onto halves. Every thread of the team gets it.
    fn joined(&mut self, f: &Fold) -> Result<()> {
        if !self.shared.contains(&f.dtype) {
            self.shared.push(f.dtype);
        }
        let (all, name) = (part(f.dtype), &f.name);
        let flag = f.dtype == DType::Bool;
        let into = |x: &str| if flag { format!("select(0u, 1u, {x})") } else { x.to_owned() };
        let from = |x: &str| if flag { format!("({x} != 0u)") } else { x.to_owned() };
        let (a, b) = (from(&format!("{all}[thread]")), from(&format!("{all}[thread + by * p.team_step]")));
        let e = self.functions.combine(f.op, "a", "b", f.dtype)?;
        self.line(&format!("{all}[thread] = {};", into(name)));
        self.line("workgroupBarrier();");
        self.open("for (var by = p.team_lanes / 2u; by > 0u; by /= 2u) {");
        self.line(&format!("if lane < by {{ let a = {a}; let b = {b}; {all}[thread] = {}; }}", into(&e)));
        self.line("workgroupBarrier();");
        self.close();
        self.line(&format!("{name} = {};", from(&format!("{all}[thread - lane * p.team_step]"))));
        self.line("workgroupBarrier();");
        if f.k < self.site.operands() {
            self.store_kept(f.k, f.dtype, &f.name);
        }
        Ok(())
    }
    fn kept_name(&self, k: u32) -> String {
        format!("kept{}", k - self.site.first_kept())
    }
    /// What an operand or a row is called.
    fn name(&self, k: u32) -> String {
        match k.checked_sub(self.site.operands()) {
            Some(row) => format!("row{row}_"),
            None => self.site.names[k as usize].clone(),
        }
    }
    /// Bytes from an operand's first element to the one that is being computed.
    fn place(&self, k: u32, kept: bool) -> String {
        if k >= self.site.operands() {
            let size = self.site.dtype(k).map_or(1, DType::size);
            // Rows follow each other, each as long as a multiple of 16.
            return format!("(i32(block.x) * (({} + 15) / 16 * 16) + i) * {size}", self.nest("row").count());
        }
        let k = k as usize;
        if self.form.walk == Walk::Elements {
            return self.nest("at").place(k, "x");
        }
        let at = self.nest("kept").place(k, "k");
        match kept || !self.site.is_full(k as u32) {
            true => at,
            false => format!("{at} + {}", self.nest("row").place(k, "x")),
        }
    }
    /// Values of a phase as variables: the names of its nodes.
    fn nodes(&mut self, p: &Part) -> Result<Vec<String>> {
        let held = held(p);
        let mut names: Vec<String> = Vec::with_capacity(p.region.body.len());
        for (i, n) in p.region.body.iter().enumerate() {
            let name = match *n {
                Node::Load(o) => {
                    let (k, d) = (p.operands[o as usize], p.region.operands[o as usize].dtype);
                    if k >= self.site.first_kept() {
                        self.kept_name(k)
                    } else {
                        let (v, place) = (self.variable("t"), self.place(k, p.kept));
                        self.line(&format!("let {v} = {};", read(d, &self.name(k), &place)));
                        v
                    }
                }
                Node::Const(b, d) => literal(b, d),
                Node::Apply(op, a, d) => {
                    let args: Vec<(&str, DType)> = a[..op.arity()]
                        .iter()
                        .map(|&x| (names[x as usize].as_str(), p.region.dtype(x).unwrap_or(d)))
                        .collect();
                    let mut e = self.functions.apply(op, &args, d)?;
                    if held[i] {
                        e = self.functions.held(&e, d);
                    }
                    let v = self.variable("t");
                    self.line(&format!("let {v} = {};", typed(&e, d)));
                    v
                }
                Node::Store(..) | Node::Red(..) => String::new(),
            };
            names.push(name);
        }
        Ok(names)
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
    fn store(&mut self, p: &Part, o: u32, value: &str) -> Result<()> {
        let (k, d) = (p.operands[o as usize], p.region.operands[o as usize].dtype);
        if k >= self.site.first_kept() {
            let name = self.kept_name(k);
            if self.kept.contains(&k) {
                self.line(&format!("{name} = {value};"));
            } else {
                self.kept.push(k);
                self.line(&format!("var {name} = {};", typed(value, d)));
            }
        } else if p.kept {
            self.store_kept(k, d, value);
        } else {
            let text = write(d, &self.name(k), &self.place(k, false), value);
            self.line(&text);
        }
        Ok(())
    }
    /// One element for each kept index: one thread of the team writes it.
    fn store_kept(&mut self, k: u32, d: DType, value: &str) {
        let text = write(d, &self.name(k), &self.place(k, true), value);
        self.line(&format!("if has && lane == 0u {{ {text} }}"));
    }
}
/// Which nodes of a phase a compiler could take apart: sums and products of floats that become part of a sum.
fn held(p: &Part) -> Vec<bool> {
    use ScalarOp::{Add, Mul, Sub};
    let body = &p.region.body;
    let mut held = vec![false; body.len()];
    for n in body {
        let args: &[u32] = match n {
            Node::Apply(Add | Sub, a, _) => &a[..2],
            Node::Red(Add, _, x) => std::slice::from_ref(x),
            _ => continue,
        };
        for &x in args {
            let folds = matches!(body.get(x as usize), Some(Node::Apply(Add | Sub | Mul, _, DType::F32)));
            held[x as usize] |= folds;
        }
    }
    held
}
