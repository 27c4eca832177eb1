//! Products of small dtypes read their factors where they lie: no step converts them, whatever else reads the same numbers.
use crate::common::{folder, tfc};

const PROGRAM: &str = r#"tfir 1.1
export func @brains<m, k, n>(%x: bf16[m, k], %w: bf16[k, n]) -> bf16[m, n] {
  return dot_general(%x, %w, contract = [[1], [0]])
}
// Through 32 bits, as conversions of bytes to floats are.
export func @weights<k, n>(%x: f32[k], %w: i8[k, n]) -> f32[n] {
  %v: f32[k, n] = convert(%w)
  return dot_general(%x, %v, contract = [[0], [0]])
}
// What is quantised on the way is stored as bytes.
export func @quantised<m, k, n>(%x: f32[m, k], %w: i8[k, n]) -> i32[m, n] {
  %s: f32[m, k] = const(splat = 20.0)
  %y = mul(%x, %s)
  %q: i8[m, k] = convert(%y)
  %a: i32[m, k] = convert(%q)
  %b: i32[k, n] = convert(%w)
  return dot_general(%a, %b, contract = [[1], [0]])
}
// Somebody else wants the numbers in full.
export func @both<m, k, n>(%x: f32[m, k], %w: i8[k, n]) -> (f32[m, n], f32[k, n]) {
  %v: f32[k, n] = convert(%w)
  return dot_general(%x, %v, contract = [[1], [0]]), %v
}
// The conversion is made once, and the product in every trip.
export func @loop<n>(%x: f32[n], %w: i8[n, n]) -> f32[n] {
  %v: f32[n, n] = convert(%w)
  %y = scan(%x, carry = 1, length = 3) {
    body(%c: f32[n]) {
      %d = dot_general(%v, %c, contract = [[1], [0]])
      yield %d
    }
  }
  return %y
}
"#;

#[test]
fn plans_say_where_factors_lie() {
    let dir = folder("small_factors", PROGRAM);
    let plan = |entry: &str| tfc(&dir, "jit", &format!("compile p.tfir --emit plan -O2 --entry {entry}"));
    for (entry, product, stored) in [
        ("brains", "dot_general(s0:x, s1:w)", None),
        ("weights", "dot_general(s0:x, s1:w)", None),
        ("quantised", ", s1:w)", Some("i8[m, k] (buffer")),
    ] {
        let text = plan(entry);
        assert!(text.contains(product) && stored.is_none_or(|s| text.contains(s)), "{text}");
        assert!(!text.contains("32[k, n]"), "{text}");
    }
    for entry in ["both", "loop"] {
        let text = plan(entry);
        assert!(text.contains("f32[k, n] (") || text.contains("f32[n, n] (buffer"), "{text}");
    }
}
