//! The workloads of `peers.py` that one graph with one result expresses, compiled.
use tenferro_einsum::TraceContextEinsumExt;
use tenferro_ops::dim_expr::DimExpr;
use tenferro_runtime::program::ProgramInputSpec;
use tenferro_runtime::{CompiledGraph, DType, GraphCompiler, Tensor, TraceContext, TracedTensor};

/// What an error says.
pub type Said<T> = Result<T, String>;

fn stem(name: &str) -> &str {
    name.trim_end_matches("_f32").trim_end_matches("_f64")
}
/// Whether this build has a workload of that name.
pub fn has(name: &str) -> bool {
    const ALL: [&str; 11] = [
        "ew_chain", "add_chain", "ew_reduce", "sum", "sum_axis0", "sum_axis1", "softmax_row", "softmax_col", "layernorm",
        "chain_badorder", "einsum_chain4",
    ];
    let sized = |prefix| stem(name).strip_prefix(prefix).is_some_and(|n| !n.contains('_') && n != "bias");
    ALL.contains(&stem(name)) || stem(name) == "mps_overlap" || sized("matmul_") || sized("bmm_")
}
/// The graph of a workload for these inputs.
pub fn compile(name: &str, inputs: &[Tensor]) -> Said<CompiledGraph> {
    let stem = stem(name);
    match stem {
        "einsum_chain4" => products(inputs, 0..inputs.len(), &["ij,jk,kl,lm->im"]),
        "mps_overlap" => overlap(inputs),
        _ if stem.starts_with("bmm_") => products(inputs, 0..inputs.len(), &["bik,bkj->bij"]),
        _ => traced(stem, inputs),
    }
}

type Traced = Result<TracedTensor, tenferro_runtime::Error>;

fn traced(stem: &str, inputs: &[Tensor]) -> Said<CompiledGraph> {
    let said = |e: tenferro_runtime::Error| e.to_string();
    let make = |t: &Tensor| TracedTensor::input_concrete_shape(t.dtype(), t.shape());
    let x: Vec<TracedTensor> = inputs.iter().map(make).collect::<Result<_, _>>().map_err(said)?;
    let y = graph(stem, &x).ok_or("no graph for this workload")?.map_err(said)?;
    let specs: Vec<(&TracedTensor, DType, &[usize])> =
        x.iter().zip(inputs).map(|(x, t)| (x, t.dtype(), t.shape())).collect();
    GraphCompiler::new().compile_with_input_specs(&y, &specs).map_err(said)
}
fn graph(stem: &str, x: &[TracedTensor]) -> Option<Traced> {
    Some(match (stem, x) {
        ("ew_chain", [a, b, c]) => chain(a, b, c),
        ("add_chain", [a, b, c, d]) => a.add(b).and_then(|s| s.add(c)).and_then(|s| s.add(d)),
        ("ew_reduce", [a, b]) => square_exp(a, b),
        ("sum", [a]) => a.reduce_sum(None),
        ("sum_axis0", [a]) => a.reduce_sum(Some(&[0])),
        ("sum_axis1", [a]) => a.reduce_sum(Some(&[1])),
        ("softmax_row", [a]) => a.softmax(1),
        ("softmax_col", [a]) => a.softmax(0),
        ("layernorm", [a, g, b]) => a.layer_norm(1, Some(g), Some(b), 1e-5),
        ("chain_badorder", [a, b, c, d]) => a.matmul(b).and_then(|p| p.matmul(c)).and_then(|p| p.matmul(d)),
        (_, [a, b]) if stem.starts_with("matmul_") => a.matmul(b),
        _ => return None,
    })
}
fn chain(a: &TracedTensor, b: &TracedTensor, c: &TracedTensor) -> Traced {
    let t = a.mul(b)?.add(c)?.tanh()?;
    t.mul(&a.neg()?.exp()?)
}
fn square_exp(a: &TracedTensor, b: &TracedTensor) -> Traced {
    a.neg()?.mul(a)?.exp()?.mul(b)?.reduce_sum(None)
}

/// Einsums, each of the result so far (but for the first) and of as many further inputs, in that order, as it takes.
fn products(inputs: &[Tensor], order: impl Iterator<Item = usize>, texts: &[&str]) -> Said<CompiledGraph> {
    let mut context = TraceContext::new();
    let mut all = Vec::with_capacity(inputs.len());
    for t in inputs {
        let spec = ProgramInputSpec::new(t.dtype(), DimExpr::from_concrete(t.shape()));
        all.push(context.input(spec).map_err(|e| e.to_string())?);
    }
    let (mut rest, mut last) = (order.map(|i| all[i].clone()), None);
    for text in texts {
        let count = text.split("->").next().unwrap_or_default().split(',').count();
        let mut args: Vec<_> = last.take().into_iter().collect();
        args.extend(rest.by_ref().take(count - args.len()));
        last = Some(context.einsum(&args, text).map_err(|e| e.to_string())?);
    }
    let graph = context.finish(&[last.ok_or("no einsum")?]).map_err(|e| e.to_string())?;
    GraphCompiler::new().compile_traced_graph(&graph).map_err(|e| e.to_string())
}
/// Sites of the one state, then those of the other: taken a pair at a time.
fn overlap(inputs: &[Tensor]) -> Said<CompiledGraph> {
    let n = inputs.len() / 2;
    let mut texts = vec!["api,apj->ij"];
    texts.resize(n, "ab,api,bpj->ij");
    texts.push("ij->");
    products(inputs, (0..n).flat_map(|i| [i, n + i]), &texts)
}
