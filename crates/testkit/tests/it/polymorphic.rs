//! Modules for every size: what is written with `?` and read back gives, for several sizes, what the program gives; and what cannot be
//! written so is refused by name.
use std::sync::Arc;
use tfc_api::prelude::*;
use tfc_ir::OpSet;
use tfc_stablehlo::{Options, Spellings, export_polymorphic, prepare};

fn module(text: &str) -> tfc_ir::Module {
    tfc_frontend::text::parse_module(text.as_bytes(), &Arc::new(OpSet::core())).unwrap().module
}
fn exported(text: &str) -> Result<String> {
    let mut m = module(text);
    let table = Spellings::default();
    prepare(&mut m, 2, &table).map_err(|e| e.error)?;
    let root = m.find("main").unwrap();
    export_polymorphic(&m, root, &table, &Options::default())
}
/// Numbers without a pattern.
fn tensor(shape: &[usize], seed: usize) -> Tensor {
    let n = shape.iter().product();
    let x = |i: usize| ((i * 37 + seed * 11 + 5) % 29) as f64 / 7.0 - 1.5;
    Tensor::from_logical(shape, (0..n).map(x).collect::<Vec<f64>>()).unwrap()
}
/// The body of `@main`, its parameters, what it gives, and functions besides.
const PROGRAMS: &[(&str, &str, &str, &str)] = &[
    (
        "%x: f64[m, n], %y: f64[m, n]",
        "(f64[m, n], bool[m, n], f64[m, n])",
        "  %a = add(%x, %y)\n  %p = gt(%x, %y)\n  %s = select(%p, %x, %y)\n  %t = tanh(%s)\n  return %a, %p, %t",
        "",
    ),
    (
        "%x: f64[m, n], %y: f64[n, m]",
        "(f64[m, m], f64[m], f64[n, m], f64[m*n], f64[n, m])",
        "  %a = dot_general(%x, %y, contract = [[1], [0]])\n  %b = reduce_max(%x, axes = [1])\n  %c = transpose(%x, perm = [1, 0])\n  \
         %d: f64[m*n] = reshape(%x)\n  %e: f64[n, m] = reshape(%d, order = first)\n  return %a, %b, %c, %d, %e",
        "",
    ),
    (
        "%x: f64[m, n], %y: f64[m, n]",
        "(f64[m + 2, n], f64[2*m, n], f64[m, n], f64[m, n], i64[m, n], i64[])",
        "  %z = const(0.5)\n  %a = pad(%x, %z, low = [1, 0], high = [1, 0])\n  %b = concat(%x, %y, axis = 0)\n  \
         %c = slice(%b, start = shape[m, 0], limit = shape[2*m, n])\n  %d = reverse(%x, axes = [1])\n  \
         %e: i64[m, n] = iota(axis = 1)\n  %f = dim_value(shape[m*n + 1])\n  return %a, %b, %c, %d, %e, %f",
        "",
    ),
    (
        "%x: f64[m, n], %y: f64[m, n]",
        "(f64[m, n], f64[m], f64[m, n], f64[])",
        "  %a = softmax(%x, axis = 1)\n  %b = logsumexp(%x, axes = [1])\n  %c = tril(%y)\n  %d = call(@mean_of, %x)\n  return %a, %b, %c, %d",
        "func @mean_of<p, q>(%x: f64[p, q]) -> f64[] with (inline = never) {\n  %y = mean(%x, axes = [0, 1])\n  return %y\n}\n",
    ),
    (
        "%x: f64[n], %c: f64[m]",
        "(f64[n], f64[n, m])",
        "  %zero: f64[n] = const(splat = 0.0)\n  %y, %z = scan(%zero, %c, carry = 1) {\n    body(%sum: f64[n], %ci: f64[]) {\n      \
         %t = mul(%sum, %x)\n      %cs: f64[n] = broadcast_in_dim(%ci, dims = [])\n      %next = add(%t, %cs)\n      yield %next, %next\n    \
         }\n  }\n  return %y, %z",
        "",
    ),
    (
        "%x: f64[m, n], %w: f64[n]",
        "(f64[n], f64[m, m, n])",
        "  %g = grad(@loss, %x, %w, wrt = [1])\n  %j = jacobian(@squares, %x)\n  return %g, %j",
        "func @loss<m, n>(%x: f64[m, n], %w: f64[n]) -> f64[] {\n  %p = dot_general(%x, %w, contract = [[1], [0]])\n  %q = mul(%p, %p)\n  \
         %l = mean(%q, axes = [0])\n  return %l\n}\nfunc @squares<m, n>(%x: f64[m, n]) -> f64[m] {\n  %q = mul(%x, %x)\n  \
         %y = reduce_sum(%q, axes = [1])\n  return %y\n}\n",
    ),
];

#[test]
fn one_module_serves_every_size() -> Result<()> {
    for (k, (params, results, body, rest)) in PROGRAMS.iter().enumerate() {
        let text = format!(
            "tfir 1.0\n{rest}export func @main<m, n>({params}) -> {results} where m >= 1, n >= 1 {{\n{body}\n}}\n"
        );
        let open = exported(&text).unwrap_or_else(|e| panic!("{k}: {e}\n{text}"));
        assert!(open.contains('?') && open.contains("shape_assertion"), "{open}");
        let again = GraphProgram::parse_bytes(open.as_bytes(), true, &Arc::new(OpSet::core()))
            .unwrap_or_else(|e| panic!("{k}: {e}\n{open}"));
        let program = GraphProgram::from_module(module(&text), Some("main"))?;
        for (m, n) in [(2, 3), (3, 2), (1, 1), (5, 4)] {
            let shape = |t: &str| -> Vec<usize> {
                let dims = t.trim_start_matches("f64[").trim_end_matches(']');
                dims.split(", ").map(|d| if d == "m" { m } else { n }).collect()
            };
            let args: Vec<Tensor> =
                program.inputs()?.iter().enumerate().map(|(i, (_, t))| tensor(&shape(t), i)).collect();
            let run = |p: &GraphProgram| {
                let named: Vec<(&str, Tensor)> =
                    p.inputs()?.iter().map(|i| i.0.as_str()).zip(args.iter().cloned()).collect();
                GraphExecutor::new(CpuBackend::new()).run_with(p, &named)
            };
            let (got, want) = (run(&again)?, run(&program)?);
            assert_eq!(got.len(), want.len());
            for (g, w) in got.iter().zip(&want) {
                assert_eq!((g.shape(), g.dtype()), (w.shape(), w.dtype()), "{k}");
                let far = tfc_testkit::tensors::distance(g, w);
                assert!(far < 1e-12, "{k} at {m}, {n}: {far}\n{open}");
            }
        }
    }
    Ok(())
}
#[test]
fn what_depends_on_extents_otherwise_is_refused() {
    let one = |params: &str, body: &str| {
        let text = format!("tfir 1.0\nexport func @main<m, n>({params}) -> f64[n] {{\n{body}\n}}\n");
        exported(&text).map_or_else(|e| e.data().code.name(), |_| "")
    };
    // The shorter of two is not known.
    assert_eq!(
        one(
            "%x: f64[m], %y: f64[n]",
            "  %a: f64[min(m, n)] = take_prefix(%x, axis = 0)\n  %b: f64[n] = pad_suffix(%a, axis = 0)\n  return %b"
        ),
        "E1227"
    );
    assert_eq!(one("%x: f64[n], %y: f64[m]", "  %a = cumsum(%x, axis = 0)\n  return %a"), "E1227");
    assert_eq!(one("%x: f64[n], %y: f64[m + 1]", "  return %x"), "E1226");
}
