//! Region ops from outside, by what is public alone: a row that runs its region once an index, with rules of its own and a
//! kernel; and one that runs its region several times, which is what it expands to. Both parse, print, verify, lose what is
//! dead, are differentiated twice and batched, run on both engines, and are held against what is asked of every row.
#![forbid(unsafe_code)]
use std::sync::Arc;
use tfc_cpu as cpu;
use tfc_cpu::Cpu;
use tfc_interp as interp;
use tfc_interp::{Interp, Kernels, OpCx};
use tfc_ir::batch::{Batched, Batcher};
use tfc_ir::derive::{Keep, Linearizer, Transposer};
use tfc_ir::op::{Batch, Control, Expand, Law, Linearize, Port, PortKind, Ports, Slot, SlotKind, Transpose};
use tfc_ir::ops::control::{Gather, ScanDims, hand, handed_on};
use tfc_ir::sample::{Domain, Sample, SampleCx};
use tfc_ir::*;
use tfc_passes::{Memo, Pipeline, level};
use tfc_testkit::{Asked, Sweep, check_rows};

/// `outside.each`: its region on each index of the leading axis of its operands; what it yields, along a leading axis.
static EACH: OpDef = OpDef {
    name: "outside.each",
    doc: "Runs `body` once an index of the leading axis of the operands, and stacks what it yields along a leading axis.",
    operands: &["x…"],
    regions: &["body"],
    infer: infer_each,
    linearize: Linearize::Rule(lin_each),
    transpose: Transpose::Rule(tr_each),
    batch: Batch::Rule(batch_each),
    law: Law::None(Law::COMPARED),
    sample: |cx| {
        sampled(cx, &[4, 3], |b, p| {
            let w = p[1];
            let row = b.func().ty(p[0]).without(&[0]);
            let body = b.region("body", &[(row, "row")], |b, r| {
                let x = b.mul(r[0], w)?;
                let s = b.sin(x)?;
                Ok(vec![b.reduce_sum(s, &[0])?, x])
            })?;
            b.emit(NewOp::new(&EACH, &p[..1]).regions(vec![body]))
        })
    },
    control: Control {
        ports: Some(Ports { of: each_ports, keep: |_, _, _, _| {}, needs: |_, _| vec![] }),
        // For engines that have no kernel for it.
        ..Control::NONE
    },
    expand: Expand::Composite(|b, new| {
        let n = b.func().ty(new.operands[0]).dims[0].clone();
        let collect = vec![Gather::Stack(0); b.func().region(new.regions[0]).yields.len()];
        let dims = ScanDims {
            carry: 0,
            length: n,
            cut: vec![0; new.operands.len()],
            collect,
            reverse: false,
            ..ScanDims::default()
        };
        b.scan(&new.operands, &dims, new.regions[0])
    }),
    ..OpDef::BASE
};
/// `outside.repeat`: its region on its operands, then on what came of them, `times` times.
static REPEAT: OpDef = OpDef {
    name: "outside.repeat",
    doc: "Runs `body` `times` times, each time on what it yielded before.",
    operands: &["x…"],
    slots: &[Slot::required("times", SlotKind::Int)],
    regions: &["body"],
    infer: |cx| {
        let types = cx.types();
        hand(cx, 0, &types, None, |i| format!("parameter {i} of `body`"))?;
        let again = cx.region_yields(0);
        hand(cx, 0, &again, Some(0), |i| format!("value {i} that `body` yields"))?;
        handed_on(cx, 0, &types)
    },
    linearize: Linearize::Expand,
    batch: Batch::Expand,
    law: Law::None(Law::COMPARED),
    sample: |cx| {
        sampled(cx, &[3], |b, p| {
            let (c, w) = (b.func().ty(p[0]).clone(), p[1]);
            let body = b.region("body", &[(c, "c")], |b, c| {
                let d = b.mul(c[0], w)?;
                Ok(vec![b.sin(d)?])
            })?;
            b.emit(NewOp::new(&REPEAT, &p[..1]).attr("times", Attr::Int(3)).regions(vec![body]))
        })
    },
    control: Control {
        ports: Some(Ports { of: repeat_ports, keep: |_, _, _, _| {}, needs: |_, _| vec![] }),
        ..Control::NONE
    },
    expand: Expand::Composite(|b, new| {
        let length = Extent::exact(new.attrs.int("times"));
        let dims = ScanDims {
            carry: new.operands.len(),
            length,
            cut: vec![],
            collect: vec![],
            reverse: false,
            ..ScanDims::default()
        };
        b.scan_typed(&new.operands, &dims, new.regions[0], new.declared.as_deref().unwrap_or_default())
    }),
    ..OpDef::BASE
};
static FAMILY: Family = &[&EACH, &REPEAT];

/// A program of `f64` on a tensor of that shape and a vector that the region uses from outside.
fn sampled(
    cx: &SampleCx,
    dims: &[usize],
    body: impl FnOnce(&mut Builder, &[ValueId]) -> Result<Vec<ValueId>>,
) -> Result<Vec<Sample>> {
    if cx.dtype != DType::F64 {
        return Ok(vec![]);
    }
    let params = [(cx.ty(dims), Domain::Any), (cx.ty(&[3]), Domain::Any)];
    Ok(vec![cx.program(&params, body)?])
}

fn port(kind: PortKind, operand: Option<usize>, params: Vec<(usize, usize)>, result: Option<usize>) -> Port {
    let yields = result.map(|i| (0, i)).into_iter().collect();
    Port { kind, operand, params, yields, result }
}
fn each_ports(f: &Func, o: OpId) -> Vec<Port> {
    let op = f.op(o);
    // The first operand says how often.
    let kind = |i| if i == 0 { PortKind::Control } else { PortKind::In };
    let ins = (0..op.operands.len()).map(|i| port(kind(i), Some(i), vec![(0, i)], None));
    ins.chain((0..op.results.len()).map(|i| port(PortKind::Out, None, vec![], Some(i)))).collect()
}
fn repeat_ports(f: &Func, o: OpId) -> Vec<Port> {
    (0..f.op(o).operands.len()).map(|i| port(PortKind::Carry, Some(i), vec![(0, i)], Some(i))).collect()
}
fn infer_each(cx: &mut InferCx) -> Result<Vec<Type>> {
    let types = cx.types();
    if let Some(i) = (0..types.len().max(1)).find(|&i| types.get(i).is_none_or(Type::is_scalar)) {
        return Err(Error::new(tfc_ir::Code::E0205, "`outside.each` takes tensors of at least one axis").operand(i));
    }
    let n = types[0].dims[0].clone();
    for (i, t) in types.iter().enumerate() {
        cx.equal(&n, &t.dims[0], Part::Operand(i), || format!("leading axes of operands 0 and {i}"))?;
    }
    let slices: Vec<Type> = types.iter().map(|t| t.without(&[0])).collect();
    hand(cx, 0, &slices, None, |i| format!("parameter {i} of `body`"))?;
    let (ys, id) = (cx.region_yields(0), cx.region_id(0));
    if let Some(t) = ys.iter().find(|t| t.dims.iter().any(|d| cx.func().bound_within(d, id))) {
        let text = format!("`body` yields {}, whose extent may differ from index to index", cx.show(t));
        return Err(Error::new(tfc_ir::Code::E0216, text).at(Part::Region(0)));
    }
    Ok(ys.iter().map(|t| t.with_axis(0, n.clone())).collect())
}
fn lin_each(cx: &mut Linearizer, o: OpId) -> Result<()> {
    let op = cx.op(o);
    let params = cx.src.region(op.regions[0]).params.clone();
    let body = cx.loop_body(op.regions[0])?;
    let args = cx.primals(&op.operands)?;
    let mut tangents = vec![];
    for (&x, &p) in op.operands.iter().zip(&params) {
        if cx.active(p) {
            tangents.push(cx.tangent_or_zero(x)?);
        }
    }
    let n = op.results.len();
    let dys: Vec<ValueId> = body.tangents.iter().flatten().copied().collect();
    let (ys, ds) = if cx.inline() {
        cx.p().set_yields(body.fwd, [&body.primals[..], &dys].concat());
        let both = NewOp::new(op.def, &[args, tangents].concat()).regions(vec![body.fwd]);
        let ys = cx.p().emit(both)?;
        (ys[..n].to_vec(), ys[n..].to_vec())
    } else {
        if body.kept.iter().any(|k| k.how != Keep::Each) {
            return Err(Error::new(tfc_ir::Code::E0507, "what `body` keeps differs in extent from index to index"));
        }
        let kept: Vec<ValueId> = body.kept.iter().map(|k| k.value).collect();
        cx.p().set_yields(body.fwd, [&body.primals[..], &kept].concat());
        let ys = cx.p().emit(NewOp::new(op.def, &args).regions(vec![body.fwd]))?;
        cx.bind_results(o, &ys[..n]);
        for &stack in &ys[n..] {
            tangents.push(cx.residual(stack)?);
        }
        cx.t().set_yields(body.lin, dys.clone());
        let lin = NewOp::new(op.def, &tangents).regions(vec![body.lin]);
        let ds = if dys.is_empty() { vec![] } else { cx.t().emit(lin)? };
        (ys[..n].to_vec(), ds)
    };
    let mut ds = ds.into_iter();
    for (i, t) in body.tangents.iter().enumerate() {
        let d = if t.is_some() { ds.next() } else { None };
        cx.set(op.results[i], ys[i], d);
    }
    Ok(())
}
/// Each index for itself; cotangents of what the region uses from outside are summed over the indices.
fn tr_each(cx: &mut Transposer, o: OpId, ct: &[Option<ValueId>]) -> Result<Vec<Option<ValueId>>> {
    let (src, op) = (cx.src.clone(), cx.op(o));
    let (r, body) = (op.regions[0], src.region(op.regions[0]));
    let caps = cx.linear_captures(r);
    let (linear, fixed): (Vec<usize>, Vec<usize>) = (0..op.operands.len()).partition(|&i| cx.linear(op.operands[i]));
    let mut operands: Vec<ValueId> = ct.iter().flatten().copied().collect();
    for &i in &fixed {
        operands.push(cx.val(op.operands[i])?);
    }
    let opened = cx.b.open(&body.label);
    let mut cts = vec![];
    for (c, &y) in ct.iter().zip(&body.yields) {
        let ty = cx.ty(y)?;
        cts.push(c.map(|_| cx.b.param(ty, "ct")));
    }
    for &i in &fixed {
        let ty = cx.ty(body.params[i])?;
        let q = cx.b.param(ty, &src.value(body.params[i]).name);
        cx.bind(body.params[i], q);
    }
    let (ps, inner) = cx.region(r, &cts)?;
    let mut ys = vec![];
    for &i in &linear {
        ys.push(cx.or_zero(ps[i], body.params[i])?);
    }
    for (&v, c) in caps.iter().zip(inner) {
        ys.push(cx.or_zero(c, v)?);
    }
    let region = cx.b.close(opened, ys);
    let rs = cx.b.emit(NewOp::new(op.def, &operands).regions(vec![region]))?;
    for (&v, &all) in caps.iter().zip(&rs[linear.len()..]) {
        let sum = cx.b.reduce_sum(all, &[0])?;
        cx.accumulate(v, sum)?;
    }
    let mut out = vec![None; op.operands.len()];
    for (&i, &y) in linear.iter().zip(&rs) {
        out[i] = Some(y);
    }
    Ok(out)
}
/// The batch axis goes behind the axis that is walked, so that it is the first of what the region sees.
fn batch_each(cx: &mut Batcher, o: OpId, xs: &[Batched]) -> Result<Vec<Batched>> {
    let op = cx.op(o);
    let axes: Vec<Option<usize>> = xs.iter().map(|x| x.axis.map(|_| 0)).collect();
    let mut operands = vec![];
    for &x in xs {
        operands.push(if x.axis.is_some() { cx.at(x, 1)? } else { x.value });
    }
    let (opened, ys) = cx.region(op.regions[0], &axes)?;
    let region = cx.b.close(opened, ys.iter().map(|y| y.value).collect());
    let rs = cx.b.emit(NewOp::new(op.def, &operands).regions(vec![region]))?;
    Ok(rs.into_iter().zip(ys).map(|(value, y)| Batched { value, axis: y.axis.map(|a| a + 1) }).collect())
}
/// The kernel of `outside.each`, on f64.
fn each(cx: &mut OpCx) -> Result<Vec<Tensor>> {
    let args = cx.args().to_vec();
    let n = args[0].shape()[0];
    let mut columns: Vec<Vec<f64>> = vec![vec![]; cx.op().results.len()];
    for i in 0..n {
        let slices: Vec<Tensor> = args.iter().map(|t| slice(t, i)).collect();
        for (column, y) in columns.iter_mut().zip(cx.region(0, &slices)?) {
            column.extend(y.to_logical::<f64>().unwrap());
        }
    }
    let shaped = |(i, v): (usize, Vec<f64>)| Ok(Tensor::from_logical(&cx.result_shape(i)?.1, v).unwrap());
    columns.into_iter().enumerate().map(shaped).collect()
}
/// Index `i` of the leading axis.
fn slice(t: &Tensor, i: usize) -> Tensor {
    let (shape, all) = (&t.shape()[1..], t.to_logical::<f64>().unwrap());
    let size: usize = shape.iter().product();
    Tensor::from_logical(shape, all[i * size..(i + 1) * size].to_vec()).unwrap()
}

const PROGRAM: &str = "tfir 1.0

export func @rows<n, m>(%x: f64[n, m], %w: f64[m]) -> (y: f64[n], z: f64[n, m]) {
  %y: f64[n], %z: f64[n, m] = outside.each(%x) {
    body(%row: f64[m]) {
      %p: f64[m] = mul(%row, %w)
      %s: f64[m] = sin(%p)
      %t: f64[] = reduce_sum(%s, axes = [0])
      yield %t, %p
    }
  }
  return %y, %z
}

export func @loss<n, m>(%x: f64[n, m], %w: f64[m]) -> f64[] {
  %y: f64[n], %z: f64[n, m] = call(@rows, %x, %w)
  %l: f64[] = reduce_sum(%y, axes = [0])
  return %l
}

export func @slopes<n, m>(%x: f64[n, m], %w: f64[m]) -> (dx: f64[n, m], dw: f64[m]) {
  %dx: f64[n, m], %dw: f64[m] = grad(@loss, %x, %w, wrt = [0, 1])
  return %dx, %dw
}

export func @curvature<n, m>(%x: f64[n, m], %w: f64[m], %vx: f64[n, m], %vw: f64[m]) -> (hx: f64[n, m], hw: f64[m]) {
  %l: f64[], %gx: f64[n, m], %gw: f64[m], %hx: f64[n, m], %hw: f64[m] = hvp(@loss, %x, %w, %vx, %vw, wrt = [0, 1])
  return %hx, %hw
}

export func @power(%x: f64[3]) -> f64[3] {
  %y: f64[3] = outside.repeat(%x, times = 3) {
    body(%c: f64[3]) {
      %d: f64[3] = mul(%c, %x)
      %e: f64[3] = sin(%d)
      yield %e
    }
  }
  return %y
}

export func @power_slope(%x: f64[3], %v: f64[3]) -> (y: f64[3], d: f64[3]) {
  %y: f64[3], %d: f64[3] = jvp(@power, %x, %v, wrt = [0])
  return %y, %d
}
";
fn ops() -> Arc<OpSet> {
    Arc::new(OpSet::core().with(FAMILY).unwrap())
}
fn module(text: &str) -> Module {
    match tfc_frontend::text::parse_module(text.as_bytes(), &ops()) {
        Ok(p) => p.module,
        Err(list) => panic!("{}", list[0]),
    }
}
/// The code of what is wrong with a program.
fn code(text: &str) -> &'static str {
    tfc_frontend::text::parse_module(text.as_bytes(), &ops()).map_or_else(|e| e[0].code.name(), |_| "none")
}
/// A function by its own kernel in the interpreter, then expanded, by both engines.
fn everywhere(m: &Module, name: &str, args: &[Tensor]) -> [Vec<Tensor>; 3] {
    let by = |pipeline: &Pipeline| {
        let mut m = m.fork();
        pipeline.run(&mut m, &mut |_| {}).unwrap();
        m
    };
    // `repeat` and `nonzero` have no kernel: they are expanded where there is one.
    let composite = name.starts_with("power") || name.starts_with("differs");
    let own = by(&Pipeline::parse(if composite { "expand-ad,expand" } else { "expand-ad" }).unwrap());
    let kernels = Kernels::core().with(&EACH, each);
    let first = Interp::new(&own).with_kernels(kernels).run_name(name, args, &interp::RunOptions::default()).unwrap();
    let plain = by(&level(0));
    let second = Interp::new(&plain).run_name(name, args, &interp::RunOptions::default()).unwrap();
    let best = by(&level(2));
    let f = best.find(name).unwrap();
    let third = Cpu::compile(&best, f, &cpu::CompileOptions::default()).unwrap();
    let third = { third }.run(args, &cpu::RunOptions::default()).unwrap();
    [first, second, third]
}
fn matrix(shape: &[usize], seed: f64) -> Tensor {
    let n: usize = shape.iter().product();
    Tensor::from_logical(shape, (0..n).map(|i| (seed + 1.7 * i as f64).sin()).collect()).unwrap()
}
fn numbers(t: &Tensor) -> Vec<f64> {
    t.to_logical::<f64>().unwrap()
}
#[track_caller]
fn near(got: &Tensor, want: &[f64], by: f64) {
    let got = numbers(got);
    assert_eq!(got.len(), want.len());
    for (g, w) in got.iter().zip(want) {
        assert!((g - w).abs() <= by, "{got:?} is not {want:?}");
    }
}

/// Whatever is asked of built-in rows is asked of these.
#[test]
fn they_are_rows_like_any_other() {
    let kernels = tfc_api::Kernels { interp: Kernels::core().with(&EACH, each), ..tfc_api::Kernels::default() };
    let report = check_rows(&ops(), &kernels, &Asked { rows: FAMILY, ..Asked::default() });
    assert!(report.faults.is_empty(), "{report}");
    for sweep in [Sweep::Complete, Sweep::Derivatives, Sweep::Engines, Sweep::Batch, Sweep::Extents] {
        for def in FAMILY {
            assert!(report.cases_of(sweep, def.name) > 0, "{sweep:?} of {}", def.name);
        }
    }
}
#[test]
fn they_read_print_and_verify() {
    let m = module(PROGRAM);
    assert_eq!(print::module(&m), PROGRAM);
    assert!(verify::module(&m).is_empty());
    let body = |params: &str, yields: &str| {
        format!(
            "tfir 1.0\nfunc @f<n>(%x: f64[4, n], %k: f64[3]) -> () {{\n  outside.each(%x) {{\n    body({params}) {{\n      \
             {yields}\n    }}\n  }}\n  return\n}}\n"
        )
    };
    assert_eq!(code(&body("%r: f64[n]", "yield")), "none");
    assert_eq!(code(&body("%r: f64[4]", "yield")), "none", "guarded");
    assert_eq!(code(&body("", "yield")), "E0215");
    assert_eq!(code(&body("%r: f32[n]", "yield")), "E0202");
    assert_eq!(code(&body("%r: f64[n, 1]", "yield")), "E0205");
    let ragged = body("%r: f64[n]", "%v, %i, %c = unique(%r)\n      yield %v").replace("  outside", "  %y = outside");
    assert_eq!(code(&ragged), "E0216");
    let several = body("%r: f64[n], %s: f64[]", "yield").replace("each(%x)", "each(%x, %k)");
    assert_eq!(code(&several), "E0204");
    let scalar = "tfir 1.0\nfunc @f(%x: f64[]) -> () {\n  outside.each(%x) {\n    body() {\n      yield\n    }\n  }\n  return\n}\n";
    assert_eq!(code(scalar), "E0205");
}
#[test]
fn they_run_and_have_derivatives() {
    let m = module(PROGRAM);
    let (x, w) = (matrix(&[4, 3], 0.3), matrix(&[3], 2.0));
    let (xs, ws) = (numbers(&x), numbers(&w));
    let at = |i: usize, j: usize| xs[3 * i + j] * ws[j];
    let cells: Vec<(usize, usize)> = (0..4).flat_map(|i| (0..3).map(move |j| (i, j))).collect();
    for ys in everywhere(&m, "rows", &[x.clone(), w.clone()]) {
        near(&ys[0], &(0..4).map(|i| (0..3).map(|j| at(i, j).sin()).sum()).collect::<Vec<f64>>(), 1e-14);
        near(&ys[1], &cells.iter().map(|&(i, j)| at(i, j)).collect::<Vec<_>>(), 0.0);
    }
    let slope = |i: usize, j: usize| at(i, j).cos();
    for ys in everywhere(&m, "slopes", &[x.clone(), w.clone()]) {
        near(&ys[0], &cells.iter().map(|&(i, j)| slope(i, j) * ws[j]).collect::<Vec<_>>(), 1e-14);
        near(&ys[1], &(0..3).map(|j| (0..4).map(|i| slope(i, j) * xs[3 * i + j]).sum()).collect::<Vec<f64>>(), 1e-14);
    }
    // With q = x w: the gradient moves by cos(q) dw − sin(q) (x dw + w dx) w along x, and likewise along w.
    let (vx, vw) = (matrix(&[4, 3], 5.0), matrix(&[3], 7.0));
    let (dx, dw) = (numbers(&vx), numbers(&vw));
    let moved = |i: usize, j: usize| xs[3 * i + j] * dw[j] + ws[j] * dx[3 * i + j];
    let hx = |&(i, j): &(usize, usize)| slope(i, j) * dw[j] - at(i, j).sin() * moved(i, j) * ws[j];
    let hw = |j: usize| {
        (0..4).map(|i| slope(i, j) * dx[3 * i + j] - at(i, j).sin() * moved(i, j) * xs[3 * i + j]).sum::<f64>()
    };
    for ys in everywhere(&m, "curvature", &[x, w, vx, vw]) {
        near(&ys[0], &cells.iter().map(hx).collect::<Vec<_>>(), 1e-13);
        near(&ys[1], &(0..3).map(hw).collect::<Vec<_>>(), 1e-13);
    }
    let (p, v) = (matrix(&[3], 1.0), matrix(&[3], 4.0));
    let power = |x: f64| (0..3).fold(x, |c, _| (c * x).sin());
    let h = 1e-6;
    let want: Vec<f64> = numbers(&p).into_iter().map(power).collect();
    let slopes: Vec<f64> =
        numbers(&p).iter().zip(numbers(&v)).map(|(x, v)| v * (power(x + h) - power(x - h)) / (2.0 * h)).collect();
    for ys in everywhere(&m, "power_slope", &[p, v]) {
        near(&ys[0], &want, 1e-14);
        near(&ys[1], &slopes, 1e-9);
    }
}
/// No index: nothing runs, and the gradient of nothing is nothing, or 0.
#[test]
fn no_index_is_no_run() {
    let m = module(PROGRAM);
    for ys in everywhere(&m, "slopes", &[matrix(&[0, 3], 0.0), matrix(&[3], 1.0)]) {
        assert_eq!(ys[0].shape(), [0, 3]);
        near(&ys[1], &[0.0; 3], 0.0);
    }
}
/// What nothing uses is not computed: a result goes with what it is made of.
#[test]
fn dead_results_go() {
    let mut m = module(PROGRAM);
    Pipeline::parse("inline,dce").unwrap().run(&mut m, &mut |_| {}).unwrap();
    let f = m.func(m.find("loss").unwrap()).unwrap();
    let each = f.body().ops.iter().map(|&o| f.op(o)).find(|op| op.def.is(&EACH)).unwrap();
    assert_eq!(each.results.len(), 1);
    assert_eq!(f.region(each.regions[0]).yields.len(), 1);
}
/// A function for many indices, as an entry point of that name.
fn batched(m: &Module, f: &str, axes: &[Option<usize>], outs: &[Option<usize>], name: &str) -> String {
    let made = Memo::new(m).batch_named(m.find(f).unwrap(), axes, Some(outs), name).unwrap();
    let func = m.func(made.func).unwrap();
    m.define(made.func, func.exported(true));
    assert!(verify::module(m).is_empty());
    m.func_name(made.func).to_string()
}
#[test]
fn they_are_batched_by_rules_and_by_what_they_are_made_of() {
    let m = module(PROGRAM);
    let args: Vec<[Tensor; 2]> = (0..3).map(|i| [matrix(&[4, 3], f64::from(i)), matrix(&[3], 9.0)]).collect();
    let all = m.fork();
    // The matrices are stacked in front; the vector is the same for all.
    let name = batched(&all, "rows", &[Some(0), None], &[Some(0), Some(0)], "rows.all");
    let x = Tensor::from_logical(&[3, 4, 3], args.iter().flat_map(|a| numbers(&a[0])).collect()).unwrap();
    for ys in everywhere(&all, &name, &[x, args[0][1].clone()]) {
        for (i, a) in args.iter().enumerate() {
            let want = &everywhere(&m, "rows", a)[1];
            near(&slice(&ys[0], i), &numbers(&want[0]), 1e-14);
            near(&slice(&ys[1], i), &numbers(&want[1]), 0.0);
        }
    }
    // What it captures depends on the index, and what it takes does not.
    let name = batched(&all, "rows", &[None, Some(1)], &[Some(1), Some(2)], "rows.w");
    let w = Tensor::from_logical(&[3, 2], vec![0.1, 0.4, 0.2, 0.5, 0.3, 0.6]).unwrap();
    for ys in everywhere(&all, &name, &[args[0][0].clone(), w]) {
        for i in 0..2 {
            let own = Tensor::from_logical(&[3], (0..3).map(|j| 0.1 * (3 * i + j + 1) as f64).collect()).unwrap();
            let want = &everywhere(&m, "rows", &[args[0][0].clone(), own])[1];
            let got: Vec<f64> = numbers(&ys[0]).into_iter().skip(i).step_by(2).collect();
            near(&Tensor::from_logical(&[4], got).unwrap(), &numbers(&want[0]), 1e-14);
        }
    }
    // `repeat` is a scan when it is batched.
    let name = batched(&all, "power", &[Some(1)], &[Some(0)], "power.all");
    let x = Tensor::from_logical(&[3, 2], vec![0.1, 0.4, 0.2, 0.5, 0.3, 0.6]).unwrap();
    for ys in everywhere(&all, &name, &[x]) {
        for i in 0..2 {
            let own = Tensor::from_logical(&[3], (0..3).map(|j| 0.1 * f64::from(3 * i + j + 1)).collect()).unwrap();
            near(&slice(&ys[0], i as usize), &numbers(&everywhere(&m, "power", &[own])[1][0]), 1e-15);
        }
    }
    // A number of trips that differs from index to index: 1 - x, rounded up.
    let differs = module(
        "tfir 1.0\nfunc @f(%x: f64[]) -> f64[] {\n  %one = const(1.0)\n  %y = while(%x) {\n    cond(%c: f64[]) {\n      \
         %p = lt(%c, %one)\n      yield %p\n    }\n    body(%c: f64[]) {\n      %d = add(%c, %one)\n      yield %d\n    }\n  \
         }\n  return %y\n}\n",
    );
    let name = batched(&differs, "f", &[Some(0)], &[Some(0)], "differs");
    let x = Tensor::from_logical(&[4], vec![-2.5, 0.5, 1.0, 7.0]).unwrap();
    assert_eq!(numbers(&everywhere(&differs, &name, &[x])[0][0]), [1.5, 1.5, 1.0, 7.0]);
}
