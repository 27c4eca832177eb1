//! The CPU engine against the interpreter on generated programs: elementwise ops, views, reductions, products, branches
//! and loops over `f64[m, n]` with symbolic extents; one plan serves several sizes, two threads give the bits of one.
use std::sync::Arc;

use tfc_cpu::{CompileOptions, Cpu, Executable, RunOptions};
use tfc_interp::{Interp, RunOptions as InterpOptions};
use tfc_ir::ops::{constant, control, extents, fused, reduce, shape};
use tfc_ir::sample::{Domain, Draw};
use tfc_ir::{Attr, Builder, DType, Extent, FuncId, Module, NewOp, OpSet, Result, Span, Tensor, Type, ValueId};

struct Gen<'b, 'm> {
    b: &'b mut Builder<'m>,
    r: Draw,
    /// `f64[m, n]`, and the extents.
    ty: Type,
    m: Extent,
    n: Extent,
    helper: FuncId,
}
type V = ValueId;
impl Gen<'_, '_> {
    fn below(&mut self, n: usize) -> usize {
        (self.r.bits() % n as u64) as usize
    }
    fn pick(&mut self, v: &[V]) -> V {
        let i = self.below(v.len());
        v[i]
    }
    /// Keeps values of moderate size.
    fn tame(&mut self, x: V) -> Result<V> {
        self.b.tanh(x)
    }
    fn unary(&mut self, x: V) -> Result<V> {
        match self.below(4) {
            0 => self.b.neg(x),
            1 => self.b.sin(x),
            2 => self.b.abs(x),
            _ => self.b.tanh(x),
        }
    }
    fn binary(&mut self, x: V, y: V) -> Result<V> {
        match self.below(5) {
            0 => self.b.add(x, y),
            1 => self.b.sub(x, y),
            2 => self.b.max(x, y),
            3 => {
                let p = self.b.lt(x, y)?;
                self.b.select(p, x, y)
            }
            _ => self.b.mul(x, y),
        }
    }
    fn less_mean(&mut self, x: V) -> Result<V> {
        let axis = self.below(2);
        let op = if self.below(2) == 0 { &reduce::REDUCE_SUM } else { &reduce::REDUCE_MAX };
        let s = self.b.emit1(NewOp::new(op, &[x]).attr("axes", Attr::ints(&[axis])))?;
        let s = self.tame(s)?;
        let ty = self.ty.clone();
        let w = self.b.broadcast(s, &ty, &[1 - axis])?;
        self.b.sub(x, w)
    }
    fn transposed(&mut self, x: V, y: V) -> Result<V> {
        let (a, b) = (self.b.transpose(x, &[1, 0])?, self.b.transpose(y, &[1, 0])?);
        let c = self.binary(a, b)?;
        self.b.transpose(c, &[1, 0])
    }
    fn product(&mut self, x: V, y: V) -> Result<V> {
        let inner = tfc_ir::ops::contract::DotDims { contract: [vec![0], vec![0]], ..Default::default() };
        let g = self.b.dot(x, y, &inner)?;
        let g = self.tame(g)?;
        let outer = tfc_ir::ops::contract::DotDims { contract: [vec![1], vec![self.below(2)]], ..Default::default() };
        let z = self.b.dot(x, g, &outer)?;
        self.tame(z)
    }
    fn reshaped(&mut self, x: V) -> Result<V> {
        let flat = Type::new(DType::F64, [self.m.mul(&self.n)?]);
        let order = if self.below(2) == 0 { "first" } else { "last" };
        let a = self.b.emit1(NewOp::new(&shape::RESHAPE, &[x]).attr("order", Attr::word(order)).types(vec![flat]))?;
        let a = self.unary(a)?;
        let ty = self.ty.clone();
        self.b.emit1(NewOp::new(&shape::RESHAPE, &[a]).attr("order", Attr::word(order)).types(vec![ty]))
    }
    fn shifted(&mut self, x: V) -> Result<V> {
        let (one, zero) = (Extent::exact(1), Extent::exact(0));
        let s = NewOp::new(&shape::SLICE, &[x])
            .attr("start", Attr::extents([one.clone(), zero.clone()]))
            .attr("limit", Attr::extents([self.m.clone(), self.n.clone()]));
        let a = self.b.emit1(s)?;
        let v = self.b.splat(&Type::scalar(DType::F64), 0.25)?;
        let (low, high) = if self.below(2) == 0 { (one, zero) } else { (zero.clone(), one) };
        let p = NewOp::new(&shape::PAD, &[a, v])
            .attr("low", Attr::extents([low, Extent::exact(0)]))
            .attr("high", Attr::extents([high, Extent::exact(0)]));
        self.b.emit1(p)
    }
    fn joined(&mut self, x: V, y: V) -> Result<V> {
        let c = self.b.emit1(NewOp::new(&shape::CONCAT, &[x, y]).attr("axis", Attr::Int(1)))?;
        let two = self.n.mul(&Extent::exact(2))?;
        let s = NewOp::new(&shape::SLICE, &[c])
            .attr("start", Attr::extents([Extent::exact(0), Extent::exact(0)]))
            .attr("limit", Attr::extents([self.m.clone(), two]))
            .attr("stride", Attr::ints(&[1, 2]));
        let a = self.b.emit1(s)?;
        self.b.emit1(NewOp::new(&shape::REVERSE, &[a]).attr("axes", Attr::ints(&[0])))
    }
    fn updated(&mut self, x: V, y: V) -> Result<V> {
        let i = self.b.splat(&Type::scalar(DType::I64), 1.0)?;
        let z = self.b.splat(&Type::scalar(DType::I64), 0.0)?;
        let one = [self.m.clone(), Extent::exact(1)];
        let u = self.b.emit1(NewOp::new(&shape::DYNAMIC_SLICE, &[y, z, i]).attr("sizes", Attr::extents(one)))?;
        self.b.emit1(NewOp::new(&shape::DYNAMIC_UPDATE_SLICE, &[x, u, z, i]))
    }
    fn branch(&mut self, x: V, y: V) -> Result<V> {
        let s = self.b.reduce_sum(x, &[0, 1])?;
        let zero = self.b.like(s, 0.0)?;
        let p = self.b.lt(zero, s)?;
        let ty = self.ty.clone();
        let kind = self.below(3);
        let then = self.b.region("then", &[(ty.clone(), "a")], |b, a| {
            if kind == 0 {
                return Ok(vec![a[0], y]);
            }
            let t = b.sin(a[0])?;
            let u = b.mul(t, y)?;
            Ok(vec![u, t])
        })?;
        let other = self.b.region("else", &[(ty, "a")], |b, a| {
            let t = b.neg(a[0])?;
            Ok(if kind == 1 { vec![y, t] } else { vec![t, t] })
        })?;
        let rs = self.b.cond(p, &[x], then, other)?;
        self.b.sub(rs[0], rs[1])
    }
    fn scan(&mut self, x: V, y: V) -> Result<V> {
        let axis = self.below(2);
        let (ty, el) = (self.ty.clone(), self.ty.without(&[axis]));
        let kind = self.below(4);
        let reverse = self.below(2) == 0;
        let c0 = self.b.reduce_sum(y, &[axis])?;
        let c0 = self.tame(c0)?;
        let c1 = self.b.zeros(&el)?;
        let body = self.b.region("body", &[(el.clone(), "c"), (el.clone(), "d"), (el, "x")], |b, p| {
            let s = b.sin(p[2])?;
            let t = b.mul(p[0], s)?;
            // Bounded: a growing state would make every rounding error visible.
            let u = b.add(t, p[1])?;
            let u = b.tanh(u)?;
            Ok(match kind {
                // Swapped carries, a collected parameter.
                0 => vec![p[1], u, p[2]],
                // One value carried twice and collected.
                1 => vec![u, u, u],
                // A carry that never changes.
                2 => vec![p[0], u, t],
                _ => vec![u, t, s],
            })
        })?;
        let attrs = tfc_ir::Attrs::of([
            ("carry", Attr::Int(2)),
            ("axis", Attr::ints(&[axis, axis])),
            ("reverse", Attr::Bool(reverse)),
        ]);
        let rs = self.b.emit(NewOp::new(&control::SCAN, &[c0, c1, x]).attrs(attrs).regions(vec![body]))?;
        let w = self.b.add(rs[0], rs[1])?;
        let w = self.tame(w)?;
        let w = self.b.broadcast(w, &ty, &[1 - axis])?;
        self.b.add(rs[2], w)
    }
    fn repeat(&mut self, x: V, y: V) -> Result<V> {
        let i = Type::scalar(DType::I64);
        let ty = self.ty.clone();
        let i0 = self.b.zeros(&i)?;
        let trips = self.below(5) as f64;
        let collect = self.below(2) == 0;
        let params = [(i, "i"), (ty.clone(), "a"), (ty, "b")];
        let cond = self.b.region("cond", &params, |b, p| {
            let n = b.like(p[0], trips)?;
            Ok(vec![b.lt(p[0], n)?])
        })?;
        let body = self.b.region("body", &params, |b, p| {
            let one = b.like(p[0], 1.0)?;
            let i = b.add(p[0], one)?;
            let u = b.mul(p[1], x)?;
            let u = b.sin(u)?;
            let mut ys = vec![i, p[2], u];
            if collect {
                let k = b.convert(p[0], DType::F64)?;
                ys.push(k);
                ys.push(u);
            }
            Ok(ys)
        })?;
        let rs = self.b.emit(NewOp::new(&control::WHILE, &[i0, x, y]).regions(vec![cond, body]))?;
        let mut z = self.b.sub(rs[1], rs[2])?;
        if collect {
            let s = self.b.reduce_sum(rs[4], &[2])?;
            z = self.b.add(z, s)?;
            let t = self.b.reduce_sum(rs[3], &[0])?;
            let t = self.tame(t)?;
            let ty = self.ty.clone();
            let t = self.b.broadcast(t, &ty, &[])?;
            z = self.b.mul(z, t)?;
        }
        Ok(z)
    }
    fn fuse(&mut self, x: V, y: V) -> Result<V> {
        let ty = self.ty.clone();
        let s = self.b.reduce_sum(x, &[0])?;
        let s = self.tame(s)?;
        let sum = self.below(2) == 0;
        let body =
            self.b.region("body", &[(ty.clone(), "x"), (ty.clone(), "y"), (self.ty.without(&[0]), "s")], |b, p| {
                let t = b.sin(p[2])?;
                let w = b.broadcast(t, &ty, &[1])?;
                let half = b.like(w, 0.5)?;
                let u = b.mul(p[0], w)?;
                let v = b.add(u, half)?;
                let z = b.sub(v, p[1])?;
                if sum {
                    let r = b.reduce_sum(z, &[1])?;
                    return Ok(vec![v, r]);
                }
                Ok(vec![v, z])
            })?;
        let rs = self.b.emit(NewOp::new(&fused::FUSED, &[x, y, s]).regions(vec![body]))?;
        let mut z = rs[1];
        if sum {
            z = self.tame(z)?;
            let ty = self.ty.clone();
            z = self.b.broadcast(z, &ty, &[0])?;
        }
        self.b.mul(rs[0], z)
    }
    fn cut(&mut self, x: V) -> Result<V> {
        let k = self.b.splat(&Type::scalar(DType::I64), 2.0)?;
        let r = self.b.exist("r", Span::default());
        let e = Extent::exist(r);
        self.b.emit(NewOp::new(&extents::EXTENT, &[k]).attr("extent", Attr::extent(e.clone())))?;
        let short = Type::new(DType::F64, [e, self.n.clone()]);
        let a = NewOp::new(&shape::TAKE_PREFIX, &[x]).attr("axis", Attr::Int(0)).types(vec![short]);
        let a = self.b.emit1(a)?;
        let a = self.unary(a)?;
        let ty = self.ty.clone();
        self.b.emit1(NewOp::new(&shape::PAD_SUFFIX, &[a]).attr("axis", Attr::Int(0)).types(vec![ty]))
    }
    fn one(&mut self, pool: &[V]) -> Result<V> {
        let (x, y) = (self.pick(pool), self.pick(pool));
        match self.below(20) {
            0 => self.less_mean(x),
            1 => self.transposed(x, y),
            2 => self.product(x, y),
            3 => self.reshaped(x),
            4 => self.shifted(x),
            5 => self.joined(x, y),
            6 => self.updated(x, y),
            7 => self.branch(x, y),
            8 | 9 => self.scan(x, y),
            10 | 11 => self.repeat(x, y),
            12 => self.fuse(x, y),
            13 => self.cut(x),
            14 => Ok(self.b.call(self.helper, None, &[x, y])?.0[0]),
            15 => {
                let i = NewOp::new(&constant::IOTA, &[]).attr("axis", Attr::Int(1)).types(vec![self.ty.clone()]);
                let i = self.b.emit1(i)?;
                let i = self.tame(i)?;
                self.b.mul(x, i)
            }
            16 | 17 => self.unary(x),
            _ => self.binary(x, y),
        }
    }
}
fn header(b: &mut Builder) -> (Type, Extent, Extent) {
    let (m, n) = (b.sym("m", Span::default()), b.sym("n", Span::default()));
    let (m, n) = (Extent::sym(m), Extent::sym(n));
    for e in [&m, &n] {
        b.add_where(tfc_ir::Constraint { lhs: e.clone(), op: tfc_ir::CmpOp::Ge, rhs: Extent::exact(2) });
    }
    (Type::new(DType::F64, [m.clone(), n.clone()]), m, n)
}
fn program(m: &Module, seed: u64, ops: usize) -> Result<FuncId> {
    let mut h = Builder::new(m, "helper");
    let (ty, _, _) = header(&mut h);
    let (x, y) = (h.param(ty.clone(), "x"), h.param(ty, "y"));
    let s = h.sin(x)?;
    let z = h.mul(s, y)?;
    let helper = m.add(h.finish(vec![z, y])?);
    let mut b = Builder::new(m, "main");
    let (ty, me, ne) = header(&mut b);
    let mut pool: Vec<V> = (0..3).map(|i| b.param(ty.clone(), &format!("x{i}"))).collect();
    let mut g = Gen { b: &mut b, r: Draw::new(seed), ty, m: me, n: ne, helper };
    for _ in 0..ops {
        let mut v = g.one(&pool)?;
        // Values stay moderate: rounding errors of large ones would decide the sine of them.
        if g.below(2) == 0 {
            v = g.tame(v)?;
        }
        // Old values die: storage is reused.
        if pool.len() > 5 {
            let i = g.below(pool.len());
            pool.remove(i);
        }
        pool.push(v);
    }
    let t = g.b.transpose(pool[0], &[1, 0])?;
    let s = g.tame(pool[1])?;
    let s = g.b.reduce_sum(s, &[0, 1])?;
    let last = *pool.last().unwrap_or(&t);
    Ok(m.add(b.finish(vec![last, t, s, pool[2], last])?))
}
fn close(a: &Tensor, b: &Tensor) -> bool {
    let (x, y) = (a.to_logical::<f64>().unwrap(), b.to_logical::<f64>().unwrap());
    a.shape() == b.shape()
        && x.iter().zip(&y).all(|(x, y)| (x - y).abs() <= 1e-9 * (1.0 + y.abs()) || (x.is_nan() && y.is_nan()))
}
fn compile(m: &Module, f: FuncId, threads: usize) -> Executable {
    Cpu::compile(m, f, &CompileOptions { threads, ..CompileOptions::default() }).unwrap()
}

#[test]
fn generated_programs_agree_with_the_interpreter() {
    let ops = Arc::new(OpSet::core());
    for seed in 0..150u64 {
        let m = Module::new(ops.clone());
        let f = program(&m, seed, 4 + (seed % 14) as usize).unwrap();
        let mut engines = [compile(&m, f, 1), compile(&m, f, 2)];
        let mut r = Draw::new(seed);
        let sizes: &[[usize; 2]] =
            if seed % 10 == 0 { &[[3, 4], [150, 70], [2, 2]] } else { &[[3, 4], [5, 2], [17, 9], [3, 4]] };
        for s in sizes {
            let args: Vec<Tensor> = (0..3)
                .map(|i| {
                    let t = r.tensor(&Type::exact(DType::F64, s), Domain::Range(-2.0, 2.0)).unwrap();
                    if i % 2 == 0 { t.dense().unwrap() } else { t }
                })
                .collect();
            let want = Interp::new(&m).run(f, &args, &InterpOptions::default()).unwrap();
            let got: Vec<Vec<Tensor>> =
                engines.iter_mut().map(|e| e.run(&args, &RunOptions::default()).unwrap()).collect();
            for (i, w) in want.iter().enumerate() {
                assert!(
                    close(&got[0][i], w),
                    "seed {seed}, sizes {s:?}, result {i}\n got {:?}\nwant {:?}\n{}",
                    got[0][i].to_logical::<f64>(),
                    w.to_logical::<f64>(),
                    engines[0].describe()
                );
                assert!(got[0][i].same(&got[1][i]), "seed {seed}, sizes {s:?}, result {i}: threads change the bits");
            }
        }
    }
}

/// Elementwise steps in a chain: the peak is below three buffers, the input included, and results are not copied.
#[test]
fn a_chain_of_elementwise_ops_needs_few_buffers() {
    let m = Module::new(Arc::new(OpSet::core()));
    let mut b = Builder::new(&m, "chain");
    let n = b.sym("n", Span::default());
    let x = b.param(Type::new(DType::F64, [Extent::sym(n)]), "x");
    let mut v = x;
    for i in 0..100 {
        v = if i % 2 == 0 { b.add(v, x).unwrap() } else { b.neg(v).unwrap() };
    }
    let f = m.add(b.finish(vec![v]).unwrap());
    let exe = compile(&m, f, 1);
    let size = 1_000_000;
    let t = Tensor::full(&[size], 1.5f64).unwrap();
    let r = exe.run(&[t], &RunOptions::default()).unwrap();
    assert_eq!(r[0].get::<f64>(&[size - 1]), Some(1.5));
    assert!(exe.peak_bytes() + size * 8 < 3 * size * 8, "{} bytes", exe.peak_bytes());
    let limited =
        exe.run(&[Tensor::full(&[size], 1.5f64).unwrap()], &RunOptions { memory: Some(size), ..RunOptions::default() });
    assert_eq!(limited.unwrap_err().data().code.name(), "E0715");
}

/// That planning is linear in the number of ops is counted in instructions, by `tfc-counts`.
#[test]
fn long_programs_are_planned() {
    let m = Module::new(Arc::new(OpSet::core()));
    let mut b = Builder::new(&m, "long");
    let x = b.param(Type::exact(DType::F64, &[8]), "x");
    let mut v = vec![x];
    for i in 0..10_000 {
        let (p, q) = (v[v.len() - 1], v[v.len().saturating_sub(1 + i % 7)]);
        v.push(b.mul(p, q).unwrap());
    }
    let f = m.add(b.finish(vec![v[v.len() - 1]]).unwrap());
    let exe = compile(&m, f, 1);
    let r = exe.run(&[Tensor::full(&[8], -1.0f64).unwrap()], &RunOptions::default()).unwrap();
    // Every factor is 1 or -1.
    assert_eq!(r[0].get::<f64>(&[7]).map(f64::abs), Some(1.0));
}

/// The checker of plans is asked about plans whose memory is shared out otherwise: those that it passes give the same bits.
#[test]
fn plans_that_the_checker_passes_give_the_same_bits() {
    let ops = Arc::new(OpSet::core());
    let (mut passed, mut refused) = (0, 0);
    for seed in 1000..1060u64 {
        let m = Module::new(ops.clone());
        let f = program(&m, seed, 4 + (seed % 14) as usize).unwrap();
        let mut r = Draw::new(seed);
        let args: Vec<Tensor> =
            (0..3).map(|_| Tensor::from_logical(&[5, 3], (0..15).map(|_| r.unit()).collect()).unwrap()).collect();
        let want = compile(&m, f, 1).run(&args, &RunOptions::default()).unwrap();
        for _ in 0..20 {
            let Some(exe) = compile(&m, f, 1).tampered(r.bits()) else {
                refused += 1;
                continue;
            };
            passed += 1;
            for call in 0..3 {
                let got = exe.run(&args, &RunOptions::default()).unwrap();
                let same = want.iter().zip(&got).all(|(w, g)| w.same(g));
                let own = compile(&m, f, 1).describe();
                let differ: Vec<usize> = (0..want.len()).filter(|&i| !want[i].same(&got[i])).collect();
                assert!(
                    same,
                    "program {seed}, call {call}: results {differ:?} have other bits by a plan that passes\n{own}{}",
                    exe.describe()
                );
            }
        }
    }
    assert!(passed > 50 && refused > 400, "{passed} passed, {refused} refused: faults are not what they were");
}

/// Each function is planned once, however often and by however many ways it is called.
#[test]
fn a_function_that_is_called_often_is_planned_once() {
    let ty = Type::exact(DType::F64, &[3]);
    for depth in [3, 10, 60] {
        let m = Module::new(Arc::new(OpSet::core()));
        let mut f = None;
        for k in 0..depth {
            let mut b = Builder::new(&m, &format!("f{k}"));
            let x = b.param(ty.clone(), "x");
            let (y, z) = match f {
                None => (x, x),
                Some(g) => (b.call(g, None, &[x]).unwrap().0[0], b.call(g, None, &[x]).unwrap().0[0]),
            };
            let s = b.add(y, z).unwrap();
            f = Some(m.add(b.finish(vec![s]).unwrap()));
        }
        let exe = compile(&m, f.unwrap(), 1);
        assert_eq!(exe.functions(), depth);
        // Two calls at each depth: those of 60 functions would not end.
        if depth < 20 {
            let got = exe.run(&[Tensor::full(&[3], 1.5f64).unwrap()], &RunOptions::default()).unwrap();
            assert_eq!(got[0].get::<f64>(&[2]), Some(1.5 * f64::from(1 << depth)));
        }
    }
}
