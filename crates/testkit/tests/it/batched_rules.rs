//! Functions with rules for their derivatives, run for many indices at once: the rule goes with them.
use tfc_api::prelude::*;

/// A rule of three times the true derivative each, so that it shows whose derivative was taken.
const RULES: &str = "tfir 1.0
func @scaled(%x: f64[2], %w: f64[2]) -> f64[2] with (jvp = @scaled_jvp, batch = [0, none], batch_out = [1]) {
  %y = mul(%x, %w)
  return %y
}
func @scaled_jvp(%x: f64[2], %w: f64[2], %dx: f64[2], %dw: f64[2]) -> (f64[2], f64[2]) {
  %y = mul(%x, %w)
  %a = mul(%dx, %w)
  %b = mul(%x, %dw)
  %s = add(%a, %b)
  %three: f64[2] = const(splat = 3.0)
  %d = mul(%three, %s)
  return %y, %d
}
func @product(%x: f64[2], %w: f64[2]) -> f64[2] with (vjp = [@product_fwd, @product_bwd], batch = [0, none], batch_out = [1]) {
  %y = mul(%x, %w)
  return %y
}
func @product_fwd(%x: f64[2], %w: f64[2]) -> (f64[2], f64[2], f64[2]) {
  %y = mul(%x, %w)
  return %y, %x, %w
}
func @product_bwd(%x: f64[2], %w: f64[2], %c: f64[2]) -> (f64[2], f64[2]) {
  %three: f64[2] = const(splat = 3.0)
  %t = mul(%three, %c)
  %a = mul(%t, %w)
  %b = mul(%t, %x)
  return %a, %b
}
";
/// The text after the pass `batch`.
fn batched(text: &str) -> Result<String> {
    let mut m =
        tfc_frontend::text::parse_module(text.as_bytes(), &std::sync::Arc::new(tfc_ir::OpSet::core())).unwrap().module;
    tfc_passes::batch::run(&mut m).map_err(|e| e.error)?;
    Ok(tfc_ir::print::module(&m))
}

#[test]
fn a_rule_is_batched_with_its_function() -> Result<()> {
    let text = batched(RULES)?;
    for (f, mode) in [("scaled", "vjp"), ("product", "vjp"), ("scaled", "jvp")] {
        let call = if mode == "vjp" {
            format!("  %y, %a, %b = vjp(@{f}.batch, %x, %w, %c, wrt = [0, 1])\n  return %a, %b\n")
        } else {
            format!(
                "  %t = transpose(%c, perm = [1, 0])\n  %y, %d = jvp(@{f}.batch, %x, %w, %t, %w, wrt = [0, 1])\n  %e = transpose(%d, perm = [1, 0])\n  return %e, %w\n"
            )
        };
        let main = format!(
            "export func @main(%x: f64[3, 2], %w: f64[2], %c: f64[2, 3]) -> (f64[3, 2], f64[2]) {{\n{call}}}\n"
        );
        let program = GraphProgram::parse(&format!("{text}{main}"))?;
        let x = Tensor::from_rows([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])?;
        let w = Tensor::from_column_major(&[2], vec![10.0, 20.0]).unwrap();
        let c = Tensor::from_rows([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?;
        let out = GraphExecutor::new(CpuBackend::new()).run_with(&program, &[("x", x), ("w", w), ("c", c)])?;
        let got: Vec<Vec<f64>> = out.iter().map(|t| t.to_logical().unwrap()).collect();
        if mode == "vjp" {
            // 3 c w of each index, and 3 c x summed over them.
            assert_eq!(got[0], [30.0, 240.0, 60.0, 300.0, 90.0, 360.0], "{f}");
            assert_eq!(got[1], [66.0, 192.0], "{f}");
        } else {
            // 3 (dx w + x w): dx = cᵀ.
            assert_eq!(got[0], [60.0, 360.0, 150.0, 540.0, 240.0, 720.0], "{f}");
        }
    }
    Ok(())
}
#[test]
fn a_rule_that_cannot_be_batched_refuses_by_name() {
    let text = RULES.replace("  %d = mul(%three, %s)\n", "  %d = mul(%three, %s)\n  %sum = reduce_sum(%x, axes = [0])\n  %k: i64[] = convert(%sum)\n  extent(%k, shape[?r])\n");
    let e = batched(&text).unwrap_err();
    assert_eq!(e.data().code.name(), "E0508");
    assert!(e.data().notes.iter().any(|n| n.contains("rule of @scaled")), "{:?}", e.data().notes);
}
