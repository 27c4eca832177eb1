//! Running ops in order: values, extents, checks of every result, and limits.
use super::{Kernels, RunOptions, grid, small};
use std::sync::Arc;
use tfc_engine::{Printed, outside, shapes};
use tfc_ir::op::Expand;
use tfc_ir::{
    Attrs, BODY, Binder, Code, DType, Error, ExtentEnv, Finished, Func, FuncId, Held, Module, Op, OpId, RegionId,
    Result, SymRef, Tensor, ValueId,
};
use tfc_kernels::choose;

/// Functions and regions nest at most this deep: the interpreter recurses with them.
const MAX_DEPTH: usize = 200;

/// The state of a run.
pub(super) struct Machine<'m> {
    module: &'m Module,
    kernels: &'m Kernels,
    options: &'m RunOptions,
    ran: u64,
    /// Bytes of the tensors that ops have made.
    live: Held,
    depth: usize,
}

/// The values and extents of one activation of a function.
pub(super) struct Activation {
    values: Vec<Option<Tensor>>,
    /// What each counts in the account of memory: a view of what is counted already counts nothing.
    counted: Vec<usize>,
    env: ExtentEnv,
}

/// The bytes that `t` keeps in memory, if nothing else does.
fn bytes(t: &Tensor) -> usize {
    t.len().min(t.data().len()).saturating_mul(t.dtype().size())
}

impl<'m> Machine<'m> {
    pub(super) fn new(module: &'m Module, kernels: &'m Kernels, options: &'m RunOptions) -> Result<Machine<'m>> {
        Ok(Machine { module, kernels, options, ran: 0, live: options.budget.hold(0)?, depth: 0 })
    }
    /// Runs a function whose extents follow from its arguments.
    pub(super) fn enter(&mut self, func: &Arc<Finished>, args: &[Tensor]) -> Result<Vec<Tensor>> {
        let given: Vec<_> = args.iter().map(|t| (t.dtype(), t.shape())).collect();
        let env = shapes::enter(func, &given)?;
        self.activate(func, env, args)
    }
    /// Runs a function whose extents are given.
    fn call(&mut self, id: FuncId, extents: Vec<i64>, args: &[Tensor]) -> Result<Vec<Tensor>> {
        let func = self.module.func(id)?;
        let env = ExtentEnv { syms: extents.into_iter().map(Some).collect(), exists: vec![] };
        shapes::check_wheres(&func, &env)?;
        self.activate(&func, env, args)
    }
    fn activate(&mut self, func: &Arc<Finished>, mut env: ExtentEnv, args: &[Tensor]) -> Result<Vec<Tensor>> {
        env.exists = vec![None; func.exists.len()];
        let n = func.values.len();
        let mut frame = Activation { values: vec![None; n], counted: vec![0; n], env };
        let r = self.region(func, &mut frame, BODY, args);
        self.live.resize(self.live.bytes().saturating_sub(frame.counted.iter().sum()))?;
        let r = r?;
        self.check_header(func, &mut frame, &r)?;
        Ok(r)
    }
    /// Results against the header's types, whose existentials are a pack of their own.
    fn check_header(&self, func: &Func, frame: &mut Activation, results: &[Tensor]) -> Result<()> {
        shapes::unbind(func, Binder::Header, &mut frame.env);
        for (ty, t) in func.result_types.iter().zip(results) {
            shapes::bind_from_shape(ty, t.shape(), &mut frame.env);
        }
        for (i, (ty, t)) in func.result_types.iter().zip(results).enumerate() {
            agrees(func, ty, t, &frame.env).map_err(|e| e.context(format!("result {i} of @{}: ", func.name)))?;
        }
        for c in func.wheres.iter().filter(|c| shapes::mentions_existential(c)) {
            shapes::check(
                func,
                &frame.env,
                c,
                Code::E0421,
                &format!("`where` on the results of @{}", func.name),
                func.span,
            )?;
        }
        Ok(())
    }
    fn region(
        &mut self,
        func: &Arc<Finished>,
        frame: &mut Activation,
        r: RegionId,
        args: &[Tensor],
    ) -> Result<Vec<Tensor>> {
        if self.depth >= MAX_DEPTH {
            return Err(Error::new(Code::E0719, format!("calls and regions nest deeper than {MAX_DEPTH}"))
                .help("run the pass `inline`, or use the cpu backend"));
        }
        self.depth += 1;
        let result = self.region_inside(func, frame, r, args);
        self.depth -= 1;
        result
    }
    fn region_inside(
        &mut self,
        func: &Arc<Finished>,
        frame: &mut Activation,
        r: RegionId,
        args: &[Tensor],
    ) -> Result<Vec<Tensor>> {
        let region = func.region(r);
        if region.params.len() != args.len() {
            return Err(internal(format!("region `{}` gets {} arguments", region.label, args.len())));
        }
        shapes::unbind(func, Binder::Params(r), &mut frame.env);
        for (&p, t) in region.params.iter().zip(args) {
            shapes::bind_from_shape(func.ty(p), t.shape(), &mut frame.env);
        }
        for (i, (&p, t)) in region.params.iter().zip(args).enumerate() {
            agrees(func, func.ty(p), t, &frame.env)
                .map_err(|e| e.context(format!("parameter {i} of region `{}`: ", region.label)))?;
            // Whoever made it has counted it.
            self.set(frame, p, t.clone(), 0)?;
        }
        for c in &region.wheres {
            shapes::check(
                func,
                &frame.env,
                c,
                Code::E0421,
                &format!("`where` of region `{}`", region.label),
                region.span,
            )?;
        }
        for &o in &region.ops {
            self.op(func, frame, o).map_err(|e| e.or_span(func.op(o).span))?;
        }
        for g in &region.guards {
            shapes::check(func, &frame.env, &g.cond, Code::E0420, &g.what, region.span)?;
        }
        region.yields.iter().map(|&v| value(frame, v)).collect()
    }
    /// Gives a value its tensor, which counts `bytes`.
    fn set(&mut self, frame: &mut Activation, v: ValueId, t: Tensor, bytes: usize) -> Result<()> {
        let (Some(slot), Some(counted)) = (frame.values.get_mut(v.ix()), frame.counted.get_mut(v.ix())) else {
            return Err(internal("a value is not of its function"));
        };
        let live = self.live.bytes().saturating_sub(std::mem::replace(counted, 0));
        *slot = Some(t);
        self.live.resize(live)?;
        self.live.resize(live.saturating_add(bytes))?;
        *counted = bytes;
        Ok(())
    }
    /// What result `t` of an op on `operands` adds to the memory in use.
    fn adds(&self, t: &Tensor, operands: &[Tensor]) -> usize {
        let mut known = operands
            .iter()
            .map(Tensor::data)
            .chain(self.module.data.iter().filter_map(|d| Some(d.value.as_ref()?.data())));
        if known.any(|d| d.same_storage(t.data())) { 0 } else { bytes(t) }
    }
    fn op(&mut self, func: &Arc<Finished>, frame: &mut Activation, o: OpId) -> Result<()> {
        self.spend()?;
        let op = func.op(o);
        shapes::unbind(func, Binder::Op(o), &mut frame.env);
        shapes::guards(func, op, &frame.env)?;
        self.reserve(func, frame, op)?;
        let args = op.operands.iter().map(|&v| value(frame, v)).collect::<Result<Vec<_>>>()?;
        let before = if op.guards.is_empty() { ExtentEnv::default() } else { frame.env.clone() };
        let seen = args.clone();
        let results = OpCx { machine: self, frame, func: func.clone(), id: o, args, wide: false }.evaluate();
        grid::over()?;
        let results = results?;
        if let Some(watch) = &self.options.watch {
            let (def, span, depth) = (op.def, op.span, self.depth);
            watch(&tfc_engine::Step { def, span, depth, operands: &seen, results: &results });
        }
        if results.len() != op.results.len() {
            return Err(internal(format!("`{}` gave {} results", op.def.name, results.len())));
        }
        for (&v, t) in op.results.iter().zip(&results) {
            shapes::bind_from_shape(func.ty(v), t.shape(), &mut frame.env);
        }
        for c in &op.wheres {
            shapes::check(func, &frame.env, c, Code::E0420, &format!("`{}`", op.def.name), op.span)?;
        }
        shapes::late_guards(func, op, &before, &frame.env)?;
        for g in &op.guards {
            if let Some((i, axis)) = g.found
                && let Some(&n) = results.get(i).and_then(|t| t.shape().get(axis))
            {
                shapes::found(func, &frame.env, g, n, op.span)?;
            }
        }
        for (i, (&v, t)) in op.results.iter().zip(results).enumerate() {
            agrees(func, func.ty(v), &t, &frame.env)
                .map_err(|e| e.context(format!("result {i} of `{}`: ", op.def.name)))?;
            let adds = self.adds(&t, &seen);
            self.set(frame, v, t, adds)?;
        }
        Ok(())
    }
    /// One op's worth of fuel and time.
    fn spend(&mut self) -> Result<()> {
        self.ran += 1;
        if self.options.fuel.is_some_and(|f| self.ran > f) {
            return Err(Error::new(Code::E0713, format!("the run was stopped after {} ops", self.ran - 1))
                .help("raise the limit on ops, or look for a loop that does not end"));
        }
        self.options.budget.check()
    }
    /// Refuses results that are too large, before anything is allocated for them.
    fn reserve(&self, func: &Func, frame: &Activation, op: &Op) -> Result<()> {
        // Data is there already, and counted by whoever read it.
        if op.attrs.iter().any(|a| matches!(a.1, tfc_ir::Attr::Data(_))) {
            return Ok(());
        }
        for &v in &op.results {
            let ty = func.ty(v);
            match shapes::shape(func, ty, &frame.env) {
                Ok(s) => self.room(&s, ty.dtype)?,
                // Bound by the op itself.
                Err(e) if e.data().code == Code::E0408 => {}
                // A statement inside asked for the negative extent, and is the one to name.
                Err(e) if e.data().code == Code::E0402 && made_inside(op) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }
    fn room(&self, shape: &[usize], dtype: DType) -> Result<()> {
        let n = tfc_ir::tensor::element_count(shape)?.saturating_mul(dtype.size());
        let taken = self.options.budget.hold(n).map(drop);
        taken.map_err(|e| e.context(format!("{dtype}{shape:?}: ")))
    }
}

/// Whether the results are those of statements of a region or of a callee.
fn made_inside(op: &Op) -> bool {
    !op.regions.is_empty() || op.attrs.iter().any(|a| matches!(a.1, tfc_ir::Attr::Sym(_)))
}
fn value(frame: &Activation, v: ValueId) -> Result<Tensor> {
    frame.values.get(v.ix()).cloned().flatten().ok_or_else(|| internal("a value is used before it is computed"))
}
/// A verified module never leads here.
fn internal(text: impl Into<String>) -> Error {
    Error::bug(Code::E0718, text)
}
/// Checks that `t` has the type `ty` under `env`.
fn agrees(func: &Func, ty: &tfc_ir::Type, t: &Tensor, env: &ExtentEnv) -> Result<()> {
    let shape = shapes::shape(func, ty, env)?;
    if t.dtype() == ty.dtype && t.shape() == shape {
        return Ok(());
    }
    let text = format!("{}{:?} does not have the type {}", t.dtype(), t.shape(), ty.display(func));
    Err(internal(text))
}

/// What a kernel sees of the op that it evaluates.
pub struct OpCx<'a, 'm> {
    machine: &'a mut Machine<'m>,
    frame: &'a mut Activation,
    func: Arc<Finished>,
    id: OpId,
    args: Vec<Tensor>,
    /// Whether small dtypes are wide ones for the kernel.
    wide: bool,
}
impl OpCx<'_, '_> {
    fn evaluate(&mut self) -> Result<Vec<Tensor>> {
        let op = self.func.op(self.id);
        let small = self.args.iter().map(Tensor::dtype).chain(op.results.iter().map(|&v| self.func.ty(v).dtype));
        let keeps = op.def.keeps_small(&op.attrs, op.regions.len()) || op.def.is(&tfc_ir::ops::elementwise::BITCAST);
        // What moves tiny elements does so as it moves wide ones: there and back nothing is lost.
        let moves = matches!(op.def.small, tfc_ir::op::OnSmall::Kept | tfc_ir::op::OnSmall::KeptWhere(_))
            && op.regions.is_empty();
        let tiny = moves && !op.def.calls() && self.args.iter().any(|t| t.dtype().is_tiny());
        if keeps && !tiny || !small.into_iter().any(DType::is_small) {
            return self.by_kernel();
        }
        let to = op.results.iter().map(|&v| self.func.ty(v).dtype).collect::<Vec<_>>();
        if let (Some(scalar), [to]) = (op.def.scalar, &to[..])
            && let Some(own) = small::own(scalar, &self.args, *to)
        {
            return own.map(|t| vec![t]);
        }
        self.args = self.args.iter().map(small::widened).collect::<Result<_>>()?;
        self.wide = true;
        let results = self.by_kernel()?;
        results.iter().zip(to).map(|(t, d)| small::narrowed(t, d)).collect()
    }
    fn by_kernel(&mut self) -> Result<Vec<Tensor>> {
        let def = self.op().def;
        if let Some(k) = self.machine.kernels.get(def) {
            return if k.outside { self.outside(&k.kernel) } else { (k.kernel)(self) };
        }
        if let Some(op) = def.scalar {
            return self.elementwise(op);
        }
        let e = Error::new(Code::E0801, format!("the interpreter has no kernel for `{}`", def.name));
        Err(match def.expand {
            Expand::Derivative(_) => e.help("run the pass `expand-ad` first"),
            Expand::Composite(_) => e.help("run the pass `expand` first"),
            _ => e.help("use another backend, or add a kernel with `Kernels::with`"),
        })
    }
    /// Runs the kernel of an outside row and checks what it gives.
    fn outside(&mut self, kernel: &super::Kernel) -> Result<Vec<Tensor>> {
        let (op, depth) = (self.op().def.name, self.machine.depth);
        // A panic inside of a region that the kernel runs is not the kernel's.
        let results = outside::call(op, self, |cx| kernel(cx), |cx| cx.machine.depth != depth)?;
        let types: Vec<_> = self.op().results.iter().map(|&v| self.func.ty(v).clone()).collect();
        if results.len() != types.len() {
            return Err(outside::wrong_count(op, results.len(), types.len()));
        }
        for (i, (ty, t)) in types.iter().zip(&results).enumerate() {
            shapes::bind_from_shape(ty, t.shape(), &mut self.frame.env);
            let shape = shapes::shape(&self.func, ty, &self.frame.env);
            let dtype = if self.wide { ty.dtype.wide() } else { ty.dtype };
            if t.dtype() != dtype || shape.is_ok_and(|s| s != t.shape()) {
                let shown = shapes::shape(&self.func, ty, &self.frame.env).map(|s| format!("{dtype}{s:?}"));
                let shown = shown.unwrap_or_else(|_| ty.display(&*self.func).to_string());
                return Err(outside::wrong_type(op, i, format_args!("{}{:?}", t.dtype(), t.shape()), shown));
            }
        }
        Ok(results)
    }
    fn elementwise(&mut self, op: tfc_ir::ScalarOp) -> Result<Vec<Tensor>> {
        let from: Vec<DType> = self.args.iter().map(Tensor::dtype).collect();
        let to = self.dtype(self.result(0)?);
        let k = choose::exact(op, &from, to);
        let k =
            k.ok_or_else(|| Error::new(Code::E0801, format!("`{}` is not defined from {from:?} to {to}", op.name())))?;
        let budget = &self.machine.options.budget;
        outside::functions(|| Ok(vec![k.apply_while(&self.args, &mut || budget.check())?]))
    }
    /// The module.
    pub fn module(&self) -> &Module {
        self.machine.module
    }
    /// The function that holds the op.
    pub fn func(&self) -> &Func {
        &self.func
    }
    /// The op.
    pub fn op(&self) -> &Op {
        self.func.op(self.id)
    }
    /// Attributes of the op.
    pub fn attrs(&self) -> &Attrs {
        &self.op().attrs
    }
    /// Operands of the op.
    pub fn args(&self) -> &[Tensor] {
        &self.args
    }
    /// Operand `i`.
    pub fn arg(&self, i: usize) -> Result<&Tensor> {
        self.args.get(i).ok_or_else(|| internal(format!("`{}` lacks operand {i}", self.op().def.name)))
    }
    fn result(&self, i: usize) -> Result<ValueId> {
        let r = self.op().results.get(i).copied();
        r.ok_or_else(|| internal(format!("`{}` lacks result {i}", self.op().def.name)))
    }
    /// Dtype and shape of result `i`; its existentials must be bound.
    pub fn result_shape(&self, i: usize) -> Result<(DType, Vec<usize>)> {
        let ty = self.func.ty(self.result(i)?);
        Ok((self.dtype(self.result(i)?), shapes::shape(&self.func, ty, &self.frame.env)?))
    }
    /// The dtype of a value as the kernel sees it.
    fn dtype(&self, v: ValueId) -> DType {
        let d = self.func.ty(v).dtype;
        if self.wide { d.wide() } else { d }
    }
    /// The existentials that are whole extents of result `i` take these values, where they have none.
    pub fn bind_result(&mut self, i: usize, shape: &[usize]) -> Result<()> {
        let ty = self.func.ty(self.result(i)?).clone();
        shapes::bind_from_shape(&ty, shape, &mut self.frame.env);
        Ok(())
    }
    /// The extents in effect.
    pub fn env(&mut self) -> &mut ExtentEnv {
        &mut self.frame.env
    }
    /// The value of an extent.
    pub fn extent(&self, e: &tfc_ir::Extent) -> Result<i64> {
        e.eval(&self.frame.env)
    }
    /// The values of an attribute that holds extents; empty where absent.
    pub fn extents(&self, name: &str) -> Result<Vec<i64>> {
        self.attrs().extents(name).iter().map(|e| self.extent(e)).collect()
    }
    /// Runs region `i` of the op.
    pub fn region(&mut self, i: usize, args: &[Tensor]) -> Result<Vec<Tensor>> {
        let r = self.op().regions.get(i).copied();
        let r = r.ok_or_else(|| internal(format!("`{}` lacks region {i}", self.op().def.name)))?;
        let func = self.func.clone();
        self.machine.region(&func, self.frame, r, args)
    }
    /// Calls a function with the extents of `sym`.
    pub fn call(&mut self, sym: &SymRef, args: &[Tensor]) -> Result<Vec<Tensor>> {
        let extents = sym.extents.iter().map(|e| self.extent(e)).collect::<Result<Vec<_>>>()?;
        self.machine.call(sym.func, extents, args)
    }
    /// Takes memory that no result type announces, until what is returned is dropped.
    pub(super) fn hold(&self, bytes: usize) -> Result<Held> {
        self.machine.options.budget.hold(bytes)
    }
    /// Asks for memory that no result type announces.
    pub fn room(&self, shape: &[usize], dtype: DType) -> Result<()> {
        self.machine.room(shape, dtype)
    }
    /// Hands a tensor to the run's `print`.
    pub(super) fn print(&self, what: &Printed, t: &Tensor) -> Result<()> {
        self.machine.options.print.as_ref().map_or(Ok(()), |p| p.print(what, || Ok(t.clone())))
    }
}
