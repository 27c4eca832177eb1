//! Generated programs: random statements, loops and branches over symbolic extents. Each must print, parse and verify;
//! the interpreter on the program as written and the CPU engine on the optimised one must agree, for several sizes, and
//! so must their gradients.
use std::sync::Arc;
use tfc_cpu::{CompileOptions, Cpu, RunOptions};
use tfc_interp::{Interp, RunOptions as InterpOptions};
use tfc_ir::ops::contract::DotDims;
use tfc_ir::ops::control::WHILE;
use tfc_ir::ops::derivative::VJP;
use tfc_ir::ops::{
    control::{Gather, ScanDims},
    reduce, shape,
};
use tfc_ir::*;
use tfc_testkit::Rng;

struct Gen<'a, 'm> {
    rng: &'a mut Rng,
    b: &'a mut Builder<'m>,
    pool: Vec<ValueId>,
}
impl<'m> Gen<'_, 'm> {
    fn any(&mut self) -> ValueId {
        // Recent values are likelier: programs become deep, not broad.
        let n = self.pool.len();
        let back = self.rng.below(n).min(self.rng.below(n));
        self.pool[n - 1 - back]
    }
    fn of_rank(&mut self, rank: usize) -> Option<ValueId> {
        let list: Vec<_> = self.pool.iter().copied().filter(|&v| self.b.func().ty(v).rank() == rank).collect();
        if list.is_empty() { None } else { Some(list[self.rng.below(list.len())]) }
    }
    fn like(&mut self, v: ValueId) -> ValueId {
        let ty = self.b.ty(v);
        let list: Vec<_> = self.pool.iter().copied().filter(|&x| *self.b.func().ty(x) == ty).collect();
        list[self.rng.below(list.len())]
    }
    /// A smooth function into −1…1.
    fn bounded(&mut self, v: ValueId) -> Result<ValueId> {
        match self.rng.below(3) {
            0 => self.b.tanh(v),
            1 => self.b.sin(v),
            _ => {
                let l = self.b.logistic(v)?;
                self.b.cos(l)
            }
        }
    }
    fn step(&mut self, depth: usize) -> Result<()> {
        let v = self.any();
        let ty = self.b.ty(v);
        let new = match self.rng.below(if depth < 2 { 15 } else { 11 }) {
            0 | 1 => self.bounded(v)?,
            2 => {
                let w = self.like(v);
                let s = if self.rng.below(2) == 0 { self.b.add(v, w)? } else { self.b.sub(v, w)? };
                self.bounded(s)?
            }
            3 => {
                let w = self.like(v);
                let p = self.b.mul(v, w)?;
                self.bounded(p)?
            }
            4 => {
                let w = self.like(v);
                let p = self.b.lt(v, w)?;
                let n = self.b.neg(w)?;
                self.b.select(p, v, n)?
            }
            5 if ty.rank() > 0 => {
                let axis = self.rng.below(ty.rank());
                let s = self.b.reduce_sum(v, &[axis])?;
                self.bounded(s)?
            }
            6 if ty.rank() > 0 => {
                let axis = self.rng.below(ty.rank());
                self.b.emit1(NewOp::new(&reduce::REDUCE_MAX, &[v]).attr("axes", Attr::ints(&[axis])))?
            }
            7 if ty.rank() == 2 => {
                if self.rng.below(2) == 0 {
                    self.b.transpose(v, &[1, 0])?
                } else {
                    self.b.emit1(NewOp::new(&shape::REVERSE, &[v]).attr("axes", Attr::ints(&[1usize])))?
                }
            }
            8 => self.spread(v)?,
            9 => self.contract(v)?,
            10 => self.pad_and_cut(v)?,
            11 => return self.scan(depth),
            12 => self.repeat(v, depth)?,
            13 => self.branch(v, depth)?,
            _ => self.bounded(v)?,
        };
        self.pool.push(new);
        Ok(())
    }
    /// A scalar over a vector, or a vector over a matrix.
    fn spread(&mut self, v: ValueId) -> Result<ValueId> {
        let Some(w) = self.of_rank(2) else { return self.bounded(v) };
        let (small, big) = (self.b.ty(v), self.b.ty(w));
        let dims: Vec<usize> = match small.rank() {
            0 => vec![],
            1 => match (0..2).find(|&i| big.dims[i] == small.dims[0]) {
                Some(i) => vec![i],
                None => return self.bounded(v),
            },
            _ => return self.bounded(v),
        };
        let s = self.b.broadcast(v, &big, &dims)?;
        let p = self.b.mul(s, w)?;
        self.bounded(p)
    }
    fn contract(&mut self, v: ValueId) -> Result<ValueId> {
        let Some(w) = self.of_rank(2) else { return self.bounded(v) };
        let (x, y) = (self.b.ty(v), self.b.ty(w));
        if x.rank() == 0 {
            return self.bounded(v);
        }
        let i = self.rng.below(x.rank());
        let Some(j) = (0..2).find(|&j| y.dims[j] == x.dims[i]) else { return self.bounded(v) };
        let rank = x.rank();
        let mut d = DotDims { contract: [vec![i], vec![j]], ..DotDims::default() };
        if rank == 2 && self.rng.below(2) == 0 {
            d.out = Some(vec![1, 0]);
        }
        let p = self.b.dot(v, w, &d)?;
        self.bounded(p)
    }
    fn pad_and_cut(&mut self, v: ValueId) -> Result<ValueId> {
        let ty = self.b.ty(v);
        if ty.rank() == 0 {
            return self.bounded(v);
        }
        let ones = |x: i64| Attr::extents(vec![Extent::exact(x); ty.rank()]);
        let fill = self.b.splat(&Type::scalar(DType::F64), 0.25)?;
        let op = NewOp::new(&shape::PAD, &[v, fill]).attr("low", ones(2)).attr("high", ones(1));
        let big = self.b.emit1(op)?;
        let start = self.rng.below(3) as i64;
        let limit: Vec<_> = ty.dims.iter().map(|d| d.add(&Extent::exact(start))).collect::<Result<_>>()?;
        self.b.emit1(NewOp::new(&shape::SLICE, &[big]).attr("start", ones(start)).attr("limit", Attr::extents(limit)))
    }
    /// A few statements on `params` and outer values; gives values of the types of `params`.
    fn block(&mut self, params: &[ValueId], depth: usize) -> Result<Vec<ValueId>> {
        let mut pool = self.pool.clone();
        pool.extend(params);
        let mut inner = Gen { rng: &mut *self.rng, b: &mut *self.b, pool };
        for _ in 0..3 {
            inner.step(depth + 1)?;
        }
        let mut out = vec![];
        for &p in params {
            let x = inner.like(p);
            let y = inner.b.mul(x, p)?;
            out.push(inner.bounded(y)?);
        }
        Ok(out)
    }
    fn scan(&mut self, depth: usize) -> Result<()> {
        let Some(xs) = self.of_rank(2) else { return Ok(()) };
        let axis = self.rng.below(2);
        let t = self.b.ty(xs);
        let el = t.without(&[axis]);
        let carry = self.b.zeros(&el)?;
        let opened = self.b.open("body");
        let c = self.b.param(el.clone(), "c");
        let x = self.b.param(el.clone(), "x");
        let ys = self.block(&[c, x], depth)?;
        let body = self.b.close(opened, ys);
        let reverse = self.rng.below(2) == 0;
        let dims = ScanDims {
            carry: 1,
            length: t.dims[axis].clone(),
            cut: vec![axis],
            collect: vec![Gather::Stack(axis)],
            reverse,
            ..ScanDims::default()
        };
        let rs = self.b.scan(&[carry, xs], &dims, body)?;
        self.pool.extend(rs);
        Ok(())
    }
    fn repeat(&mut self, v: ValueId, depth: usize) -> Result<ValueId> {
        let (ty, count) = (self.b.ty(v), Type::scalar(DType::I64));
        let trips = 1.0 + self.rng.below(4) as f64;
        let zero = self.b.zeros(&count)?;
        let cond = self.b.region("cond", &[(count.clone(), "i"), (ty.clone(), "h")], |b, q| {
            let n = b.like(q[0], trips)?;
            Ok(vec![b.lt(q[0], n)?])
        })?;
        let opened = self.b.open("body");
        let i = self.b.param(count, "i");
        let h = self.b.param(ty, "h");
        let one = self.b.like(i, 1.0)?;
        let next = self.b.add(i, one)?;
        let ys = self.block(&[h], depth)?;
        let body = self.b.close(opened, vec![next, ys[0]]);
        let rs = self.b.emit(NewOp::new(&WHILE, &[zero, v]).regions(vec![cond, body]))?;
        Ok(rs[1])
    }
    fn branch(&mut self, v: ValueId, depth: usize) -> Result<ValueId> {
        let ty = self.b.ty(v);
        let axes: Vec<usize> = (0..ty.rank()).collect();
        let s = self.b.reduce_sum(v, &axes)?;
        let level = self.b.like(s, 0.1)?;
        let p = self.b.gt(s, level)?;
        let mut regions = vec![];
        for label in ["then", "else"] {
            let opened = self.b.open(label);
            let a = self.b.param(ty.clone(), "a");
            let ys = self.block(&[a], depth)?;
            regions.push(self.b.close(opened, ys));
        }
        Ok(self.b.cond(p, &[v], regions[0], regions[1])?[0])
    }
}

/// `@main<m, n>(f64[m, n], f64[n], f64[m], f64[])` and `@vjp`, its gradient with respect to everything.
fn program(seed: u64) -> Result<Module> {
    let mut m = Module::new(Arc::new(OpSet::core()));
    m.name = Some("generated".into());
    let mut rng = Rng::new(seed);
    let mut b = Builder::new(&m, "main");
    b.export(true);
    let rows = Extent::sym(b.sym("m", Span::default()));
    let cols = Extent::sym(b.sym("n", Span::default()));
    for s in [&rows, &cols] {
        b.add_where(Constraint { lhs: s.clone(), op: CmpOp::Ge, rhs: Extent::exact(1) });
    }
    let ty = |dims: &[&Extent]| Type::new(DType::F64, dims.iter().map(|&d| d.clone()).collect::<Vec<_>>());
    let params = [ty(&[&rows, &cols]), ty(&[&cols]), ty(&[&rows]), ty(&[])];
    let pool: Vec<_> = params.iter().zip(["a", "b", "c", "d"]).map(|(t, n)| b.param(t.clone(), n)).collect();
    let mut g = Gen { rng: &mut rng, b: &mut b, pool };
    for _ in 0..12 {
        g.step(0)?;
    }
    let mut returns: Vec<ValueId> = (0..2).map(|_| g.any()).collect();
    returns.push(*g.pool.last().unwrap());
    let f = b.finish(returns)?;
    let results = f.result_types.clone();
    let main = m.add(f);
    let mut v = Builder::new(&m, "vjp");
    v.copy_syms(&*m.func(main)?);
    v.export(true);
    let mut xs: Vec<_> = params.iter().zip(["a", "b", "c", "d"]).map(|(t, n)| v.param(t.clone(), n)).collect();
    xs.extend(results.iter().map(|t| v.param(t.clone(), "ct")));
    let op = NewOp::new(&VJP, &xs).attr("callee", Attr::Sym(main.into())).attr("wrt", Attr::ints(&[0usize, 1, 2, 3]));
    let ys = v.emit(op)?;
    m.add(v.finish(ys)?);
    Ok(m)
}
fn inputs(m: &Module, f: FuncId, sizes: (i64, i64), seed: u64) -> Vec<Tensor> {
    let f = m.func(f).unwrap();
    let env = ExtentEnv { syms: vec![Some(sizes.0), Some(sizes.1)], exists: vec![] };
    let mut rng = Rng::new(seed);
    f.params()
        .iter()
        .map(|&p| {
            let shape: Vec<usize> = f.ty(p).dims.iter().map(|d| d.eval(&env).unwrap() as usize).collect();
            Tensor::from_logical(&shape, (0..shape.iter().product()).map(|_| rng.unit()).collect::<Vec<f64>>()).unwrap()
        })
        .collect()
}
fn close(a: &[Tensor], b: &[Tensor]) -> std::result::Result<(), String> {
    for (k, (x, y)) in a.iter().zip(b).enumerate() {
        if x.shape() != y.shape() {
            return Err(format!("result {k}: shapes {:?} and {:?}", x.shape(), y.shape()));
        }
        let (x, y) = (x.to_logical::<f64>().unwrap(), y.to_logical::<f64>().unwrap());
        let scale = 1.0 + x.iter().fold(0.0f64, |a, b| a.max(b.abs()));
        for (p, q) in x.iter().zip(&y) {
            if (p - q).abs() > 1e-8 * scale {
                return Err(format!("result {k}: {p} and {q}"));
            }
        }
    }
    Ok(())
}
/// What is printed parses, verifies and prints as the same.
fn reads_back(m: &Module) -> std::result::Result<(), String> {
    let text = print::module(m);
    if let Some((f, e)) = verify::module(m).first() {
        return Err(format!("verify @{}: {e}", f.name));
    }
    let parsed = tfc_frontend::text::parse_module(text.as_bytes(), m.op_set())
        .map_err(|d| format!("what was printed does not parse: {}\n{text}", d[0]))?;
    let again = print::module(&parsed.module);
    if again != text {
        return Err(format!("printing what was parsed gives other text\n{text}\n---\n{again}"));
    }
    Ok(())
}
fn check(seed: u64) -> std::result::Result<(), String> {
    let show = |e: Error| e.to_string();
    let m = program(seed).map_err(show)?;
    reads_back(&m)?;
    for level in 0..3 {
        let mut wrong = None;
        let mut see = |r: tfc_passes::Report| {
            if r.changed
                && wrong.is_none()
                && let Err(e) = reads_back(r.module)
            {
                wrong = Some(format!("-O{level}, after pass `{}`: {e}", r.pass.name));
            }
        };
        tfc_passes::level(level).run(&mut m.fork(), &mut see).map_err(|e| format!("-O{level}: {e}"))?;
        wrong.map_or(Ok(()), Err)?;
    }
    let mut plain = m.fork();
    let ad = tfc_passes::Pipeline::parse("expand-ad").map_err(show)?;
    ad.run(&mut plain, &mut |_| {}).map_err(|e| format!("expand-ad: {e}"))?;
    let mut fast = m.fork();
    tfc_passes::level(2).run(&mut fast, &mut |_| {}).map_err(|e| format!("O2: {e}"))?;
    for name in ["main", "vjp"] {
        let (f, g) = (plain.find(name).unwrap(), fast.find(name).unwrap());
        let exe = Cpu::compile(&fast, g, &CompileOptions::default()).map_err(|e| format!("compile @{name}: {e}"))?;
        for sizes in [(3, 4), (1, 1), (2, 7), (5, 2)] {
            let args = inputs(&m, f, sizes, seed);
            let want = Interp::new(&plain)
                .run(f, &args, &InterpOptions::default())
                .map_err(|e| format!("interp @{name}: {e}"))?;
            let got = exe.run(&args, &RunOptions::default()).map_err(|e| format!("cpu @{name} at {sizes:?}: {e}"))?;
            close(&want, &got).map_err(|e| format!("@{name} at {sizes:?}: {e}"))?;
        }
    }
    Ok(())
}
fn check_all(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        if let Err(e) = check(seed) {
            let text = program(seed).map(|m| print::module(&m)).unwrap_or_default();
            panic!("seed {seed}: {e}\n{text}");
        }
    }
}

#[test]
fn engines_agree_on_generated_programs() {
    tfc_cpu::poison_memory();
    check_all(0..150);
}
#[test]
#[ignore = "the long run: minutes"]
fn engines_agree_on_many_generated_programs() {
    tfc_cpu::poison_memory();
    check_all(1000..20_000);
}
