//! The pass `hoist` on products of every form: the loop without them gives what the loop with them gives. Elements are small
//! whole numbers, whose sums have the same bits in any order. And rows from outside: their columns decide, not their names.
use std::sync::Arc;

use tfc_interp::{Interp, RunOptions};
use tfc_ir::op::Contraction;
use tfc_ir::ops::contract::{DOT_GENERAL, DotDims};
use tfc_ir::ops::control::{Gather, ScanDims};
use tfc_ir::ops::elementwise::ADD;
use tfc_ir::sample::Draw;
use tfc_ir::*;
use tfc_passes::Pipeline;

const TRIPS: i64 = 5;

/// A number below `n`.
fn below(r: &mut Draw, n: usize) -> usize {
    (r.bits() % n as u64) as usize
}
fn whole(r: &mut Draw, dims: &[usize]) -> Tensor {
    let n = dims.iter().product();
    Tensor::from_logical(dims, (0..n).map(|_| (below(r, 9) as f64) - 4.0).collect()).unwrap()
}
fn ty(dims: &[usize]) -> Type {
    Type::new(DType::F64, dims.iter().map(|&d| Extent::from(d as i64)).collect::<Vec<_>>())
}
/// `dims` with another axis of the trips at `at`.
fn over_trips(dims: &[usize], at: usize) -> Vec<usize> {
    let mut all = dims.to_vec();
    all.insert(at, TRIPS as usize);
    all
}

/// Two operands, pairs of their axes, an order of the result.
struct Product {
    dims: [Vec<usize>; 2],
    dot: DotDims,
}
fn product(r: &mut Draw) -> Product {
    let pairs = below(r, 3);
    let (mut dims, mut contract) = ([vec![], vec![]], [vec![], vec![]]);
    let sizes: Vec<usize> = (0..pairs).map(|_| 1 + below(r, 4)).collect();
    for k in 0..2 {
        // Free axes first, then those that are summed over, put anywhere.
        dims[k] = (0..below(r, 3)).map(|_| 1 + below(r, 4)).collect();
        for &n in &sizes {
            let at = below(r, dims[k].len() + 1);
            dims[k].insert(at, n);
            contract[k].iter_mut().for_each(|c: &mut usize| *c += usize::from(*c >= at));
            contract[k].push(at);
        }
    }
    let rank = dims[0].len() + dims[1].len() - 2 * pairs;
    let mut out: Vec<usize> = (0..rank).collect();
    (1..rank).for_each(|i| out.swap(i, below(r, i + 1)));
    let out = (below(r, 2) == 0).then_some(out);
    Product { dims, dot: DotDims { contract, out, ..DotDims::default() } }
}
fn run(m: &Module, f: FuncId, args: &[Tensor]) -> Vec<Tensor> {
    Interp::new(m).run(f, args, &RunOptions::default()).unwrap()
}

#[test]
fn loops_without_their_products_give_the_same() {
    let (mut before, mut after) = (0, 0);
    for seed in 0..400 {
        let mut r = Draw::new(seed);
        let p = product(&mut r);
        let (sum, reverse) = (below(&mut r, 2) == 0, below(&mut r, 2) == 0);
        // Which operands are cut, and where.
        let cut = if sum { [true, below(&mut r, 2) == 0] } else { [seed % 2 == 0, seed % 2 == 1] };
        let at = [0, 1].map(|k| below(&mut r, p.dims[k].len() + 1));
        let m = Module::new(Arc::new(OpSet::core()));
        let mut b = Builder::new(&m, "f");
        let mut args = vec![];
        let mut outer = |b: &mut Builder, dims: Vec<usize>| {
            args.push(whole(&mut r, &dims));
            b.param(ty(&dims), "x")
        };
        let all = [0, 1].map(|k| outer(&mut b, if cut[k] { over_trips(&p.dims[k], at[k]) } else { p.dims[k].clone() }));
        let free = |k: usize| p.dot.free(k, p.dims[k].len()).into_iter().map(move |a| (k, a));
        let natural: Vec<usize> = free(0).chain(free(1)).map(|(k, a)| p.dims[k][a]).collect();
        let result: Vec<usize> = match &p.dot.out {
            Some(o) => o.iter().map(|&i| natural[i]).collect(),
            None => natural,
        };
        let start = sum.then(|| outer(&mut b, result.clone()));
        let opened = b.open("body");
        let carry = start.map(|_| b.param_of(opened.region, ty(&result), "c"));
        let one = [0, 1].map(|k| if cut[k] { b.param_of(opened.region, ty(&p.dims[k]), "t") } else { all[k] });
        // A factor that is neither cut nor from outside has to be collected.
        let one = if sum && !cut[1] { [one[0], b.mul(one[1], one[1]).unwrap()] } else { one };
        let y = b.dot(one[0], one[1], &p.dot).unwrap();
        let y = match carry {
            Some(c) if seed % 3 == 0 => b.add(c, y).unwrap(),
            Some(c) => b.add(y, c).unwrap(),
            None => y,
        };
        let body = b.close(opened, vec![y]);
        let operands: Vec<ValueId> = start.into_iter().chain((0..2).filter(|&k| cut[k]).map(|k| all[k])).collect();
        let d = ScanDims {
            carry: usize::from(sum),
            length: Extent::from(TRIPS),
            cut: (0..2).filter(|&k| cut[k]).map(|k| at[k]).collect(),
            collect: if sum { vec![] } else { vec![Gather::Stack(result.len())] },
            reverse,
            ..ScanDims::default()
        };
        let ys = b.scan(&operands, &d, body).unwrap();
        let f = m.add(b.finish(ys).unwrap());
        let want = run(&m, f, &args);
        let mut m = m;
        let changed = Pipeline::parse("hoist").unwrap().run(&mut m, &mut |_| {}).unwrap();
        let got = run(&m, f, &args);
        assert!(want[0].same(&got[0]), "program {seed}: {:?}, {:?}, cut at {at:?}", p.dims, p.dot);
        before += usize::from(changed && !sum);
        after += usize::from(changed && sum);
    }
    assert!(before > 80 && after > 80, "{before} products left before loops, {after} after them");
}

/// `scan` of a sum of outer products by these rows. Returns whether one of them leaves the loop.
fn leaves(add: &'static OpDef, dot: &'static OpDef) -> bool {
    let core: Vec<&OpDef> = OpSet::core().iter().filter(|d| d.name != add.name && d.name != dot.name).collect();
    let rows: Family = Box::leak(core.into_iter().chain([add, dot]).collect());
    let mut m = Module::new(Arc::new(OpSet::empty().with(rows).unwrap()));
    let mut b = Builder::new(&m, "f");
    let (s, x) = (b.param(ty(&[3, 3]), "s"), b.param(ty(&[3, 8]), "x"));
    let body = b
        .region("body", &[(ty(&[3, 3]), "c"), (ty(&[3]), "t")], |b, p| {
            let outer = NewOp::new(dot, &[p[1], p[1]]).attrs(DotDims::default().attrs());
            let outer = b.emit(outer)?[0];
            b.emit(NewOp::new(add, &[p[0], outer]))
        })
        .unwrap();
    let d = ScanDims {
        carry: 1,
        length: Extent::from(8i64),
        cut: vec![1],
        collect: vec![],
        reverse: false,
        ..ScanDims::default()
    };
    let ys = b.scan(&[s, x], &d, body).unwrap();
    m.add(b.finish(ys).unwrap());
    Pipeline::parse("hoist").unwrap().run(&mut m, &mut |_| {}).unwrap()
}
#[test]
fn columns_decide_and_not_names() {
    fn same(cx: &mut InferCx) -> Result<Vec<Type>> {
        Ok(vec![cx.ty(0)?])
    }
    let leaked = |def: OpDef| -> &'static OpDef { Box::leak(Box::new(def)) };
    assert!(leaves(&ADD, &DOT_GENERAL));
    let other_add = leaked(OpDef { name: "add", operands: &["x", "y"], infer: same, ..OpDef::BASE });
    assert!(!leaves(other_add, &DOT_GENERAL), "an `add` that says nothing of what it adds");
    assert!(
        !leaves(
            &ADD,
            leaked(OpDef { contraction: Contraction { product: None, ..DOT_GENERAL.contraction }, ..DOT_GENERAL })
        ),
        "a contraction that is no product"
    );
    assert!(leaves(&ADD, leaked(OpDef { name: "times", ..DOT_GENERAL })), "a product of another name");
}
