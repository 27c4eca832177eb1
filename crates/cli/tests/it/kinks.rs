//! `docs/kinks.md` says what is chosen where a derivative or an order is not unique: our column is what `tfc run` prints, the
//! others are what JAX and PyTorch printed (`data/kinks.txt`, written by `data/kinks.py`).
//!
//! `TFC_ACCEPT=1 cargo test -p tfc-lang --test it kinks` rewrites the page.
use crate::common::{folder, tfc};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Key in the table of the others, what it is, parameters, statements that give `%y`, inputs.
type Row = (&'static str, &'static str, &'static [&'static str], &'static str, &'static str);

const ONE: &[&str] = &["x: f64[]"];
const TWO: &[&str] = &["x: f64[]", "y: f64[]"];
const PAIR: &[&str] = &["x: f64[2]"];
const TRIPLE: &[&str] = &["x: f64[3]"];
const COMPLEX: &[&str] = &["x: c64[]"];
const SUM: &str = "\n %r = reduce_sum(%z, axes = [0])";

/// Derivatives, by reverse mode, of `%r`.
const SLOPES: &[Row] = &[
    ("abs", "`abs(x)` at 0", ONE, "%r = abs(%x)", "x=0"),
    ("complex-abs", "`abs(z)` at 0, complex", COMPLEX, "%r = abs(%x)", "x=0"),
    ("complex-sign", "`real(sign(z))` at 0, complex", COMPLEX, "%s = sign(%x)\n %r = real(%s)", "x=0"),
    ("max0", "`max(x, 0)` at 0", ONE, "%0 = const(0.0)\n %r = max(%x, %0)", "x=0"),
    ("max", "`max(x, y)` at a tie", TWO, "%r = max(%x, %y)", "x=2 -i y=2"),
    ("min", "`min(x, y)` at a tie", TWO, "%r = min(%x, %y)", "x=2 -i y=2"),
    (
        "clamp-lower",
        "`clamp(0, x, 1)` at the lower edge",
        ONE,
        "%0 = const(0.0)\n %1 = const(1.0)\n %r = clamp(%0, %x, %1)",
        "x=0",
    ),
    (
        "clamp-upper",
        "`clamp(0, x, 1)` at the upper edge",
        ONE,
        "%0 = const(0.0)\n %1 = const(1.0)\n %r = clamp(%0, %x, %1)",
        "x=1",
    ),
    ("reduce_max", "`reduce_max` of [1, 3, 3]", TRIPLE, "%r = reduce_max(%x, axes = [0])", "x=[1,3,3]"),
    ("reduce_min", "`reduce_min` of [1, 1, 3]", TRIPLE, "%r = reduce_min(%x, axes = [0])", "x=[1,1,3]"),
    ("cummax", "sum of `cummax` of [1, 2, 2]", TRIPLE, "%z = cummax(%x, axis = 0)SUM", "x=[1,2,2]"),
    (
        "sort",
        "first of `sort` of [2, 2]",
        PAIR,
        "%s = sort(%x)\n %z = slice(%s, start = [0], limit = [1])SUM",
        "x=[2,2]",
    ),
    ("pow-base-0-0", "`pow(x, y)` at 0, 0", TWO, "%r = pow(%x, %y)", "x=0 -i y=0"),
    ("pow-base-0-1", "`pow(x, y)` at 0, 1", TWO, "%r = pow(%x, %y)", "x=0 -i y=1"),
    ("pow-base-0-2", "`pow(x, y)` at 0, 2", TWO, "%r = pow(%x, %y)", "x=0 -i y=2"),
    ("pow-base-0-minus", "`pow(x, y)` at 0, -1", TWO, "%r = pow(%x, %y)", "x=0 -i y=-1"),
    ("pow-negative", "`pow(x, y)` at -2, 3", TWO, "%r = pow(%x, %y)", "x=-2 -i y=3"),
    ("sqrt", "`sqrt(x)` at 0", ONE, "%r = sqrt(%x)", "x=0"),
    ("cbrt", "`cbrt(x)` at 0", ONE, "%r = cbrt(%x)", "x=0"),
    ("log", "`log(x)` at 0", ONE, "%r = log(%x)", "x=0"),
    ("acos", "`acos(x)` at 1", ONE, "%r = acos(%x)", "x=1"),
    ("atan2", "`atan2(y, x)` at 0, 0", TWO, "%r = atan2(%x, %y)", "x=0 -i y=0"),
    (
        "norm",
        "`sqrt` of the sum of squares at [0, 0]",
        PAIR,
        "%s = mul(%x, %x)\n %t = reduce_sum(%s, axes = [0])\n %r = sqrt(%t)",
        "x=[0,0]",
    ),
    ("rem", "`rem(x, y)` at 6, 3", TWO, "%r = rem(%x, %y)", "x=6 -i y=3"),
    ("floor", "`floor(x)` at 2", ONE, "%r = floor(%x)", "x=2"),
    ("reduce_prod", "`reduce_prod` of [0, 3, 4]", TRIPLE, "%r = reduce_prod(%x, axes = [0])", "x=[0,3,4]"),
    ("reduce_prod-two", "`reduce_prod` of [0, 0, 4]", TRIPLE, "%r = reduce_prod(%x, axes = [0])", "x=[0,0,4]"),
    ("cumprod", "sum of `cumprod` of [2, 0, 3]", TRIPLE, "%z = cumprod(%x, axis = 0)SUM", "x=[2,0,3]"),
    ("logsumexp-some", "`logsumexp` of [-inf, 0]", PAIR, "%r = logsumexp(%x, axes = [0])", "x=[-inf,0]"),
    ("logsumexp-slope", "`logsumexp` of [-inf, -inf]", PAIR, "%r = logsumexp(%x, axes = [0])", "x=[-inf,-inf]"),
    ("logsumexp-inf", "`logsumexp` of [inf, 0]", PAIR, "%r = logsumexp(%x, axes = [0])", "x=[inf,0]"),
    (
        "cumlogsumexp",
        "sum of `cumlogsumexp` of [-inf, -inf]",
        PAIR,
        "%z = cumlogsumexp(%x, axis = 0)SUM",
        "x=[-inf,-inf]",
    ),
    (
        "softmax",
        "first of `softmax` of [inf, 0]",
        PAIR,
        "%s = softmax(%x, axis = 0)\n %z = slice(%s, start = [0], limit = [1])SUM",
        "x=[inf,0]",
    ),
    (
        "select",
        "`select(x > 0, sqrt(x), 0)` at 0",
        ONE,
        "%0 = const(0.0)\n %p = gt(%x, %0)\n %s = sqrt(%x)\n %r = select(%p, %s, %0)",
        "x=0",
    ),
    ("softplus", "`softplus(x)` at 0", ONE, "%r = softplus(%x)", "x=0"),
    ("silu-slope", "`silu(x)` at inf", ONE, "%r = silu(%x)", "x=inf"),
    ("gelu-slope", "`gelu(x)` at 1e155", ONE, "%r = gelu(%x)", "x=1e155"),
];
/// Values of `%r`.
const VALUES: &[Row] = &[
    (
        "max-zeros",
        "`max` of [-0, 0] and [0, -0]",
        &["x: f64[2]", "y: f64[2]"],
        "%r = max(%x, %y)",
        "x=[-0.0,0.0] -i y=[0.0,-0.0]",
    ),
    ("argmax-tie", "`argmax` of [1, 3, 3]", TRIPLE, "%r = argmax(%x, axis = 0)", "x=[1,3,3]"),
    ("sort-zeros", "`sort` of [0, -0]", PAIR, "%r = sort(%x)", "x=[0.0,-0.0]"),
    ("sort-nan", "`sort` of [nan, inf, 1]", TRIPLE, "%r = sort(%x)", "x=[nan,inf,1]"),
    ("top_k-zeros", "indices of `top_k` of [-0, 0]", PAIR, "%v, %r = top_k(%x, k = 2)", "x=[-0.0,0.0]"),
    ("top_k-nan", "greatest by `top_k` of [1, nan, inf]", TRIPLE, "%r, %i = top_k(%x, k = 1)", "x=[1,nan,inf]"),
    ("logsumexp", "`logsumexp` of [-inf, -inf]", PAIR, "%r = logsumexp(%x, axes = [0])", "x=[-inf,-inf]"),
    ("silu", "`silu(-inf)`", ONE, "%r = silu(%x)", "x=-inf"),
    ("gelu", "`gelu(-inf)`", ONE, "%r = gelu(%x)", "x=-inf"),
];
/// Mixed second derivatives of `pow`, which are in the table but are no row of the kinds above.
const MIXED: &str = "tfir 1.0
func @f(%x: f64[], %y: f64[]) -> f64[] {
 %r = pow(%x, %y)
 return %r
}
func @fx(%x: f64[], %y: f64[]) -> f64[] {
 %g = grad(@f, %x, %y, wrt = [0])
 return %g
}
func @fy(%x: f64[], %y: f64[]) -> f64[] {
 %g = grad(@f, %x, %y, wrt = [1])
 return %g
}
export func @main(%x: f64[], %y: f64[]) -> (a: f64[], b: f64[]) {
 %a = grad(@fx, %x, %y, wrt = [1])
 %b = grad(@fy, %x, %y, wrt = [0])
 return %a, %b
}
";

/// The numbers that a run prints, as one cell.
fn run(name: &str, program: &str, inputs: &str) -> String {
    let dir = folder(&format!("kinks-{name}"), program);
    let text = tfc(&dir, "jit", &format!("run p.tfir -i {inputs} --print full"));
    let values: Vec<&str> = text.lines().filter_map(|l| Some(l.split_once(" = ")?.1)).collect();
    assert!(!values.is_empty(), "{name} prints nothing:\n{text}");
    if values.len() == 1 { values[0].to_owned() } else { format!("[{}]", values.join(", ")) }
}
fn names(params: &[&str]) -> Vec<String> {
    params.iter().map(|p| format!("%{}", p.split(':').next().unwrap_or_default())).collect()
}
fn header(params: &[&str]) -> String {
    params.iter().map(|p| format!("%{p}")).collect::<Vec<_>>().join(", ")
}
/// Constants in a body have the type f64[].
fn statements(body: &str) -> String {
    body.replace("SUM", SUM).replace("%0 = const", "%0: f64[] = const").replace("%1 = const", "%1: f64[] = const")
}
fn slope(&(key, _, params, body, inputs): &Row) -> String {
    let (list, head) = (names(params).join(", "), header(params));
    let types: Vec<_> = params.iter().filter_map(|p| p.split_once(": ")).map(|p| p.1).collect();
    let results: Vec<_> = (0..types.len()).map(|i| format!("%g{i}")).collect();
    let wrt: Vec<_> = (0..types.len()).map(|i| i.to_string()).collect();
    let gives: Vec<_> = types.iter().enumerate().map(|(i, t)| format!("d{i}: {t}")).collect();
    let program = format!(
        "tfir 1.0\nfunc @f({head}) -> f64[] {{\n {}\n return %r\n}}\nexport func @main({head}) -> ({}) {{\n {} = grad(@f, {list}, wrt = \
         [{}])\n return {}\n}}\n",
        statements(body),
        gives.join(", "),
        results.join(", "),
        wrt.join(", "),
        results.join(", "),
    );
    run(key, &program, inputs)
}
fn value(&(key, _, params, body, inputs): &Row) -> String {
    let ty = match key {
        "argmax-tie" => "i64[]",
        "top_k-zeros" => "i64[2]",
        "top_k-nan" => "f64[1]",
        "max-zeros" | "sort-zeros" => "f64[2]",
        "sort-nan" => "f64[3]",
        _ => "f64[]",
    };
    let head = header(params);
    let program =
        format!("tfir 1.0\nexport func @main({head}) -> (r: {ty}) {{\n {}\n return %r\n}}\n", statements(body));
    run(key, &program, inputs)
}

#[test]
fn page_is_what_the_engine_prints() {
    let text = include_str!("../data/kinks.txt");
    let head = text.lines().next().unwrap_or_default();
    let versions = head.split_once(": ").expect("versions").1.replace("jax", "JAX").replace("torch", "PyTorch");
    let mut others: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for l in text.lines().skip(1) {
        let cells: Vec<&str> = l.split(" | ").collect();
        others.insert(cells[0], (cells[1], cells[2]));
    }
    let mut line = |key: &str, what: &str, ours: String| {
        let (jax, torch) = others.remove(key).unwrap_or_else(|| panic!("data/kinks.txt lacks {key}"));
        // A NaN may carry a sign.
        format!("| {what} | {} | {jax} | {torch} |\n", ours.replace("0xfff8000000000000", "nan"))
    };
    let mut page = PAGE.replace("VERSIONS", &versions);
    page.push_str("\n## Derivatives\n\n| at | tfc | JAX | PyTorch |\n|---|---|---|---|\n");
    SLOPES.iter().for_each(|r| page.push_str(&line(r.0, r.1, slope(r))));
    let mixed = run("pow-mixed", MIXED, "x=2 -i y=0");
    page.push_str(&line("pow-mixed", "∂²`pow`/∂x∂y and ∂y∂x at 2, 0", mixed));
    page.push_str("\n## Values\n\n| of | tfc | JAX | PyTorch |\n|---|---|---|---|\n");
    VALUES.iter().for_each(|r| page.push_str(&line(r.0, r.1, value(r))));
    let _ = write!(page, "{}", END);
    assert!(others.is_empty(), "no row for {:?}", others.keys());
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/kinks.md");
    if std::env::var_os("TFC_ACCEPT").is_some_and(|v| v == "1") {
        std::fs::write(&file, &page).expect("docs is writable");
    }
    let now = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        now == page,
        "docs/kinks.md is not up to date: run `TFC_ACCEPT=1 cargo test -p tfc-lang --test it kinks`; it should be\n{page}"
    );
}
const PAGE: &str = "# Kinks, ties and ends

What is chosen where a function has a kink, a tie or an end, beside what others choose. The column of tfc is what `tfc run` prints;
the others were measured in `f64` on a CPU with VERSIONS. A gradient by several operands or elements is a list; a
complex one is written as a pair, by the [convention](spec/derivatives.md#complex-numbers) of tfc. A dash: there is no such
function.
";
const END: &str = "
## Why

- At a tie the slope is shared: the gradient does not depend on the order of operands, and a symmetric function keeps a symmetric
  gradient. `sort`, `top_k` and `argmax` hand elements on, so there the first of equals counts.
- `clamp` passes `x` strictly between its bounds: at a bound the result is the bound, on which `x` has no influence.
- Where a slope is infinite it is printed as such, and 0 times it is NaN, as in the chain rule of the norm of 0;
  but of a branch of `select` that is not taken it is 0, in both modes, as far as elementwise ops go.
- Where a limit exists it is given, also where squares overflow (`gelu`) or a factor is 0 (`reduce_prod`). Products at an infinity are
  not looked after: `silu` is `x logistic(x)`, and −inf times 0 is NaN.
- `logsumexp` and `softmax` divide by a sum which is 0 or infinite there; `cumlogsumexp` has weights, which are 0 where all is −inf.
";
