//! Text that is wrong: its code, its place, exit 1, never a panic, nothing half-written.
use super::{Ran, folder, tfc};
use std::path::Path;

fn import(dir: &Path, bytes: impl AsRef<[u8]>) -> Ran {
    std::fs::write(dir.join("p.mlir"), bytes).unwrap();
    let r = tfc(dir, &["import", "p.mlir", "-o", "out.tfir", "--error-format", "short"]);
    if r.code != 0 {
        assert!(!dir.join("out.tfir").exists(), "a program is written although it is wrong: {}", r.err);
    }
    r
}
/// A function of one parameter `%x: tensor<4xf32>` with these statements, from line 2 on.
fn body(statements: &str) -> String {
    format!("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{\n{statements}\nreturn %x : tensor<4xf32>\n}}\n")
}

/// Statements; where they are wrong; by which code; a word of the message.
const STATEMENTS: &[(&str, &str, &str, &str)] = &[
    ("%0 = acme.twist %x : tensor<4xf32>", "2:6", "E0240", "`acme.twist` is not read"),
    ("%0 = stablehlo.custom_call @foo(%x) : (tensor<4xf32>) -> tensor<4xf32>", "2:1", "E0240", "@foo"),
    ("stablehlo.custom_call @xla_python_cpu_callback(%x) : (tensor<4xf32>) -> ()", "2:1", "E0240", "jax.pure_callback"),
    ("%0 = stablehlo.constant dense<8> : tensor<4xi5>", "2:36", "E0241", "`i5`"),
    ("%0 = stablehlo.constant dense<1.0> : tensor<4xf8E8M0FNU>", "2:38", "E0241", "`f8E8M0FNU`"),
    ("%0 = stablehlo.constant dense<1> : tensor<4x!quant.any<i8:f32>>", "2:36", "E0241", "quantised"),
    ("%0 = stablehlo.constant dense<1.0> : tensor<4xf32, #sparse>", "2:38", "E0241", "sparse"),
    ("%0 = stablehlo.iota dim = 0 : tensor<?xi32>", "2:31", "E0241", "extents `?`"),
    ("%0 = stablehlo.iota dim = 0 : !stablehlo.future<tensor<f32>>", "2:31", "E0241", "future"),
    ("%0 = stablehlo.iota dim = 0 : tensor<99999999999x99999999999xi32>", "2:31", "E0241", "more elements"),
    ("%0 = stablehlo.iota dim = 3 : tensor<4xi32>", "2:1", "E0212", "axis"),
    ("%0 = stablehlo.transpose %x, dims = [-1] : (tensor<4xf32>) -> tensor<4xf32>", "2:37", "E0242", "negative"),
    ("%0 = stablehlo.transpose %x : (tensor<4xf32>) -> tensor<4xf32>", "2:6", "E0242", "permutation"),
    ("%0 = stablehlo.slice %x [0:9] : (tensor<4xf32>) -> tensor<9xf32>", "2:1", "E0403", "does not hold"),
    ("%0 = stablehlo.compare XX, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>", "2:1", "E0242", "direction"),
    ("%0 = enzyme.fwddiff @main(%x) {width = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>", "2:1", "E0242", "`width`"),
    ("%0 = stablehlo.constant dense<\"0x00000\"> : tensor<1xf32>", "2:25", "E0243", "odd number"),
    ("%0 = stablehlo.constant dense<\"0x0000\"> : tensor<1xf32>", "2:25", "E0243", "2 bytes"),
    ("%0 = stablehlo.constant dense<\"0x0000000G\"> : tensor<1xf32>", "2:25", "E0243", "no hexadecimal digit"),
    ("%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<3xf32>", "2:25", "E0243", "shape"),
    ("%0 = stablehlo.constant dense<[[1.0], 2.0]> : tensor<2xf32>", "2:25", "E0243", "shape"),
    ("%0 = stablehlo.constant dense<1.5> : tensor<i32>", "2:25", "E0243", "`1.5`"),
    ("%0 = stablehlo.constant dense<> : tensor<2xi32>", "2:25", "E0243", "empty"),
    ("%0 = stablehlo.constant dense_resource<blob> : tensor<2xi32>", "2:25", "E0243", "dense_resource"),
    ("%0 = stablehlo.add %x, %y : tensor<4xf32>", "2:24", "E0301", "`%y` is not defined"),
    ("%0 = stablehlo.negate %x#1 : tensor<4xf32>", "2:23", "E0301", "no #1"),
    ("%0 = stablehlo.negate %1 : tensor<4xf32>\n%1 = stablehlo.negate %x : tensor<4xf32>", "2:23", "E0301", "`%1`"),
    ("%x = stablehlo.negate %x : tensor<4xf32>", "2:1", "E0304", "defined twice"),
    ("%0 = call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>", "2:11", "E0302", "@other"),
    ("%0 = stablehlo.negate %x : tensor<5xf32>", "2:23", "E0245", "f32[4], not f32[5]"),
    ("%0 = stablehlo.negate %x : (tensor<4xf64>) -> tensor<4xf64>", "2:23", "E0245", "f32[4], not f64[4]"),
    ("%0:2 = stablehlo.negate %x : tensor<4xf32>", "2:1", "E0208", "1 results"),
    ("%0 = stablehlo.add %x : tensor<4xf32>", "2:1", "E0210", "operand"),
    ("%0 = stablehlo.add %x, : tensor<4xf32>, %x", "2:24", "E0103", "behind the comma"),
    ("%0 = = stablehlo.add %x", "2:6", "E0103", "an op, `dialect.name`"),
    (
        "%0 = \"stablehlo.if\"(%x) ({ stablehlo.return %x : tensor<4xf32> }) : (tensor<4xf32>) -> tensor<4xf32>",
        "2:1",
        "E0244",
        "regions",
    ),
    (
        "%0 = \"stablehlo.sort\"(%x) ({ ^bb0(%a: tensor<f32>): stablehlo.return %a : tensor<f32> }) : (tensor<4xf32>) -> tensor<4xf32>",
        "2:28",
        "E0244",
        "takes 2 values",
    ),
    (
        "%0 = \"stablehlo.map\"(%x) ({ ^bb0(%a: tensor<f32>): %b = stablehlo.negate %a : tensor<f32> }) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>",
        "2:27",
        "E0104",
        "no `stablehlo.return`",
    ),
    ("%0 = stablehlo.constant dense<16> : tensor<4xi4>", "2:25", "E0243", "no element of i4"),
    ("%0 = stablehlo.constant dense<-3> : tensor<4xui2>", "2:25", "E0243", "no element of u2"),
    ("%0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xindex>", "2:48", "E0241", "`index`"),
    ("%0 = stablehlo.iota dim = 0 : tensor<-1xi32>", "2:31", "E0241", "`tensor<-1xi32>`"),
    ("%0 = stablehlo.iota dim = 0 : tensor<99999999999999999999xi32>", "2:31", "E0241", "99999999999999999999"),
    ("%0 = stablehlo.after_every : !stablehlo.token", "2:6", "E0240", "stablehlo.after_every"),
    ("%0 = \"stablehlo.all_reduce\"(%x) : (tensor<4xf32>) -> tensor<4xf32>", "2:6", "E0242", "replica_groups"),
    ("%0 = stablehlo.constant sparse<[[0]], [1.0]> : tensor<4xf32>", "2:25", "E0243", "`sparse`"),
    ("%0 = stablehlo.constant dense<300000000000000000000> : tensor<i64>", "2:25", "E0243", "no element of i64"),
    // Attributes that are out of range.
    (
        "%0 = stablehlo.transpose %x, dims = [99999999999999999999] : (tensor<4xf32>) -> tensor<4xf32>",
        "2:38",
        "E0242",
        "64 bits",
    ),
    (
        "%0 = stablehlo.concatenate %x, %x, dim = 7 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>",
        "2:1",
        "E0212",
        "axis 7",
    ),
    (
        "%0 = stablehlo.concatenate %x, %x, dim = -1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>",
        "2:42",
        "E0242",
        "negative",
    ),
    ("%0 = stablehlo.reverse %x, dims = [0, 0] : tensor<4xf32>", "2:1", "E0213", "twice"),
    ("%0 = stablehlo.get_dimension_size %x, dim = 3 : (tensor<4xf32>) -> tensor<i32>", "2:1", "E0242", "no axis 3"),
    ("%0 = stablehlo.reduce_precision %x, format = e0m3 : tensor<4xf32>", "2:1", "E0223", "at least 1"),
    ("%0 = stablehlo.slice %x [0:4:0] : (tensor<4xf32>) -> tensor<4xf32>", "2:1", "E0227", "`stride`"),
    ("%0 = stablehlo.slice %x [3:1] : (tensor<4xf32>) -> tensor<0xf32>", "2:1", "E0403", "3 <= 1"),
    ("%0 = stablehlo.broadcast_in_dim %x, dims = [5] : (tensor<4xf32>) -> tensor<4xf32>", "2:1", "E0212", "axis 5"),
    (
        "%0 = stablehlo.fft %x, type = RFFT, length = [0] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>",
        "2:1",
        "E0242",
        "`length`",
    ),
    (
        "%0 = stablehlo.compare LT, %x, %x, WIDE : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>",
        "2:1",
        "E0242",
        "`WIDE`",
    ),
    // Wrong types.
    ("%0 = stablehlo.select %x, %x, %x : tensor<4xf32>, tensor<4xf32>", "2:1", "E0203", "bool predicate"),
    ("%0 = stablehlo.and %x, %x : tensor<4xf32>", "2:1", "E0203", "`and`"),
    ("%0 = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<5xf32>", "2:1", "E0204", "4 and 5"),
    (
        "%0 = stablehlo.custom_call @lapack_sgetrf_ffi(%x) : (tensor<4xf32>) -> tensor<4xf32>",
        "2:1",
        "E0205",
        "matrices",
    ),
    (
        "%i = stablehlo.iota dim = 0 : tensor<2xi32>\n%a = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<2x2xf32>\n%0:3 = stablehlo.custom_call @lapack_sgeqp3_ffi(%a, %i) : (tensor<2x2xf32>, tensor<2xi32>) -> (tensor<2x2xf32>, tensor<2xi32>, tensor<2xf32>)",
        "4:1",
        "E0240",
        "columns in places",
    ),
    // What XLA refuses as well.
    (
        "%0 = stablehlo.compare LT, %x, %x, SIGNED : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>",
        "2:1",
        "E0242",
        "`compare` of f32 is not SIGNED",
    ),
    (
        "%0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0], precision = [HIGH, LOW] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>",
        "2:78",
        "E0242",
        "`precision`",
    ),
    (
        "%0 = \"stablehlo.transpose\"(%x) <{permutation = array<i64: 0>, order = 1 : i64}> : (tensor<4xf32>) -> tensor<4xf32>",
        "2:63",
        "E0242",
        "no attribute `order`",
    ),
    (
        "%0 = \"stablehlo.iota\"() <{iota_dimension = 0 : i32}> : () -> tensor<4xi32>",
        "2:44",
        "E0242",
        "an integer of 64 bits",
    ),
    (
        "%0 = \"stablehlo.constant\"() <{value = dense<0> : tensor<3xi32>}> : () -> tensor<4xi32>",
        "2:50",
        "E0245",
        "the constant is i32[3]",
    ),
    ("%0 = stablehlo.select %x, %x, %x : tensor<4xi1>, tensor<4xf32>", "2:23", "E0245", "`%x` is f32[4], not bool[4]"),
    (
        "%0 = \"stablehlo.negate\"(%x) ({ stablehlo.return %x : tensor<4xf32> }) : (tensor<4xf32>) -> tensor<4xf32>",
        "2:1",
        "E0244",
        "1 regions, not 0",
    ),
    (
        "%a = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<2x2xf32>\n%0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 77 : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)",
        "3:84",
        "E0242",
        "`uplo`",
    ),
    (
        "%a = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<2x2xf32>\n%0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)",
        "3:1",
        "E0203",
        "takes f64",
    ),
    (
        "%0 = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>",
        "2:78",
        "E0240",
        "several devices",
    ),
    ("%0 = stablehlo.constant dense<[1.0,, 2.0]> : tensor<2xf32>", "2:25", "E0243", "separated"),
    ("%0 = stablehlo.add %x %x : tensor<4xf32>", "2:23", "E0103", "`,` or `:`"),
    ("%0 = stablehlo.constant dense<1> : tensor<4xf32>", "2:25", "E0243", "`1` is no element of f32"),
    ("%0 = stablehlo.constant dense<[1.0, 2]> : tensor<2xf64>", "2:25", "E0243", "`2` is no element of f64"),
    ("%0 = stablehlo.constant dense<1e5> : tensor<4xf32>", "2:25", "E0243", "`1e5`"),
    ("%0 = stablehlo.constant dense<-1> : tensor<4xui32>", "2:25", "E0243", "`-1`"),
    ("%0 = stablehlo.constant dense<+1> : tensor<4xi32>", "2:25", "E0243", "`+1`"),
    ("%0 = stablehlo.constant dense<4294967296> : tensor<4xi32>", "2:25", "E0243", "`4294967296`"),
    ("%0 = stablehlo.reverse %x, dims = [0,] : tensor<4xf32>", "2:38", "E0103", "behind the comma"),
    ("%0 = stablehlo.reverse %x, dims = [0], : tensor<4xf32>", "2:40", "E0103", "behind the comma"),
    ("%0 = stablehlo.reverse %x dims = [0] : tensor<4xf32>", "2:27", "E0103", "`,` is expected"),
    ("%0 = call @main(%x) : (tensor<4xf32>,) -> tensor<4xf32>", "2:38", "E0103", "behind the comma"),
    (
        "%0 = \"stablehlo.iota\"() <{iota_dimension = 0 : i64,}> : () -> tensor<4xi32>",
        "2:52",
        "E0103",
        "behind the comma",
    ),
    (
        "%z = stablehlo.constant dense<0.0> : tensor<f32>\n%0 = stablehlo.pad %x, %z, low = [0], high = [0] interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>",
        "3:50",
        "E0103",
        "`,` is expected",
    ),
    (
        "%i = stablehlo.constant dense<0> : tensor<1xi32>\n%0 = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0], start_index_map = [0]>, slice_sizes = array<i64: 4>}> : (tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>",
        "3:55",
        "E0242",
        "each once",
    ),
    (
        "%z = stablehlo.constant dense<1.0> : tensor<f32>\n%0 = stablehlo.reduce(%x init: %z) applies stablehlo.divide across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>",
        "3:1",
        "E0240",
        "no reducer",
    ),
    (
        "%0 = stablehlo.custom_call @mhlo.erf(%x) {api_version = 9 : i32} : (tensor<4xf32>) -> tensor<4xf32>",
        "2:57",
        "E0242",
        "from 0 to 4",
    ),
    ("%0 = stablehlo.negate %x {a = 4294967296 : i32} : tensor<4xf32>", "2:31", "E0242", "more bits than its type"),
    ("%0 = stablehlo.negate %x {a = 9223372036854775808000} : tensor<4xf32>", "2:31", "E0242", "more bits"),
    ("%0 = stablehlo.negate %x {a = 1.5 : i32} : tensor<4xf32>", "2:31", "E0242", "more bits"),
    // Regions.
    ("%0 = \"stablehlo.case\"(%x) : (tensor<4xf32>) -> tensor<4xf32>", "2:1", "E0244", "0 regions"),
    (
        "%0 = \"stablehlo.case\"(%x) ({ stablehlo.return %x : tensor<4xf32> }) : (tensor<4xf32>) -> tensor<4xf32>",
        "2:1",
        "E0203",
        "i32[] or i64[]",
    ),
    (
        "%i = stablehlo.constant dense<0> : tensor<i32>\n%0 = \"stablehlo.case\"(%i) ({ ^bb0(%a: tensor<f32>): stablehlo.return %x : tensor<4xf32> }) : (tensor<i32>) -> tensor<4xf32>",
        "3:28",
        "E0244",
        "takes 0 values",
    ),
    (
        "%i = stablehlo.constant dense<0> : tensor<i32>\n%0 = \"stablehlo.case\"(%i) ({ stablehlo.return %x : tensor<4xf32> }, { stablehlo.return %i : tensor<i32> }) : (tensor<i32>) -> tensor<4xf32>",
        "3:1",
        "E0202",
        "dtypes differ",
    ),
    (
        "%p = stablehlo.constant dense<true> : tensor<i1>\n%0 = \"stablehlo.if\"(%p) ({ stablehlo.return %x : tensor<4xf32> }, { stablehlo.return %x : tensor<4xf32> }, { stablehlo.return %x : tensor<4xf32> }) : (tensor<i1>) -> tensor<4xf32>",
        "3:1",
        "E0244",
        "3 regions",
    ),
    (
        "%0 = stablehlo.while(%a = %x) : tensor<4xf32> cond { stablehlo.return %a : tensor<4xf32> } do { stablehlo.return %a : tensor<4xf32> }",
        "2:1",
        "E0215",
        "one bool[]",
    ),
    // Probes.
    ("check.expect_serialized_eq %x, probe_id = \"p\" : tensor<4xf32>", "2:1", "E0242", "the id `p`"),
    (
        "%0 = interpreter.probe %x, probe_id = \"p\" : tensor<4xf32>\ncheck.expect_serialized_eq %x, probe_id = \"p\", iter = 1 : tensor<4xf32>",
        "3:1",
        "E0242",
        "1 values, and none of number 1",
    ),
    (
        "%0 = stablehlo.while(%a = %x) : tensor<4xf32> cond { %p = stablehlo.constant dense<true> : tensor<i1>\n%q = interpreter.probe %p, probe_id = \"p\" : tensor<i1>\nstablehlo.return %q : tensor<i1> } do { stablehlo.return %a : tensor<4xf32> }",
        "2:1",
        "E0240",
        "the probe `p`",
    ),
];

#[test]
fn statements() {
    let dir = folder("statements");
    let mut wrong = vec![];
    for (text, place, code, words) in STATEMENTS {
        let r = import(&dir, body(text));
        let want = format!("p.mlir:{place}: error[{code}]");
        if r.code != 1 || !r.err.contains(&want) || !r.err.contains(words) {
            wrong.push(format!("{text}\n{want}: `{words}` is expected, exit {}:\n{}", r.code, r.err));
        }
    }
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn files() {
    let dir = folder("files");
    let good = body("");
    let deep = |c: &str| body(&format!("%0 = acme.op %x {{a = {}}}", c.repeat(1_000_000)));
    let circle =
        "func.func @f() {\ncall @g() : () -> ()\nreturn\n}\nfunc.func @g() {\ncall @f() : () -> ()\nreturn\n}\n";
    let cases: &[(Vec<u8>, &str, &str)] = &[
        (b"".to_vec(), "E0108", "empty"),
        (format!("\u{feff}{good}").into_bytes(), "E0002", "byte order mark"),
        (b"ML\xefR\x01StableHLO_v1.2.3\0".to_vec(), "E0114", "bytecode"),
        (b"func.func @f(\xff)".to_vec(), "E0001", "UTF-8"),
        (good.replace("return", "return \u{7}").into_bytes(), "E0003", "control character"),
        (good.replace("return", "return §").into_bytes(), "E0008", "unknown character"),
        (b"module @m attributes {a = \"x".to_vec(), "E0005", "unterminated string"),
        (
            b"module @m {\nfunc.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n%0 = stablehlo.neg".to_vec(),
            "E0103",
            "the file ends here",
        ),
        (b"func.func @f() {\n%0 = stablehlo.constant dense<\"0x0011".to_vec(), "E0103", "file ends here"),
        (b"hello".to_vec(), "E0103", "`module` or `func.func`"),
        (b"module {}\nmodule {}".to_vec(), "E0112", "second module"),
        (deep("[").into_bytes(), "E0009", "nested more than"),
        (deep("<").into_bytes(), "E0103", "file ends here"),
        (deep("{a = ").into_bytes(), "E0009", "nested more than"),
        (body(&"%0 = \"stablehlo.if\"(%x) ({\n".repeat(100_000)).into_bytes(), "E0010", "nested more than"),
        (format!("func.func @f(%x: {}", "tuple<".repeat(1_000_000)).into_bytes(), "E0103", "file ends here"),
        (body(&format!("%0 = acme.op{}", "(".repeat(1_000_000))).into_bytes(), "E0103", "an operand"),
        (
            body(&format!("%0 = stablehlo.constant dense<{}> : tensor<4xf32>", "[".repeat(1_000_000))).into_bytes(),
            "E0243",
            "shape",
        ),
        (b"func.func @f(%x: tensor<f32>, %x: tensor<f32>) {\nreturn\n}".to_vec(), "E0304", "defined twice"),
        (good.encode_utf16().flat_map(u16::to_le_bytes).collect(), "E0003", "control character"),
        (good.repeat(2).into_bytes(), "E0306", "defined twice"),
        (circle.as_bytes().to_vec(), "E0305", "recursion"),
        (b"func.func private @f(tensor<f32>) -> tensor<f32>".to_vec(), "E0103", "parameter"),
        (b"func.func private @f(%x: tensor<f32>) -> tensor<f32>".to_vec(), "E0302", "not defined"),
        (b"func.func @f() {\n^bb0:\nreturn\n^bb1:\nreturn\n}".to_vec(), "E0244", "several blocks"),
        (b"func.func @f() {\nreturn\nreturn\n}".to_vec(), "E0106", "after the end"),
    ];
    for (bytes, code, words) in cases {
        let r = import(&dir, bytes);
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(120)]).into_owned();
        assert_eq!(r.code, 1, "{shown}: {}", r.err);
        assert!(r.err.contains(code) && r.err.contains(words), "{shown}\n{code}, `{words}` is expected in\n{}", r.err);
    }
    // Line ends of another system are none of these.
    let r = import(&dir, good.replace('\n', "\r\n"));
    assert_eq!(r.code, 0, "{}", r.err);
}

/// Types are the same wherever they are written, also where a caller would say the extents and nobody calls.
#[test]
fn functions_that_nobody_calls() {
    let dir = folder("uncalled");
    let cases = [
        ("%0 = stablehlo.negate %y : tensor<4xf32>\nreturn %0 : tensor<?xf32>", "6:23: error[E0245]"),
        ("return %y : tensor<4xf32>", "6:8: error[E0245]"),
        ("%0 = stablehlo.constant dense<1.0> : tensor<4xf32>\nreturn %0 : tensor<4xf32>", "7:13: error[E0208]"),
        (
            "%0 = stablehlo.negate %y : tensor<?xf32>\n%1 = stablehlo.negate %0 : tensor<4xf32>\nreturn %1 : tensor<?xf32>",
            "7:23: error[E0245]",
        ),
        ("%0 = stablehlo.negate %z : tensor<?xf32>\nreturn %0 : tensor<?xf32>", "6:23: error[E0301]"),
        ("%0 = stablehlo.constant dense<1> : tensor<2xf32>\nreturn %y : tensor<?xf32>", "6:25: error[E0243]"),
        // What is right is read; behind it a program lies in the folder.
        ("%0 = stablehlo.negate %y : tensor<?xf32>\nreturn %0 : tensor<?xf32>", ""),
    ];
    for (f, said) in cases {
        let text = body("") + &format!("func.func private @f(%y: tensor<?xf32>) -> tensor<?xf32> {{\n{f}\n}}\n");
        let r = import(&dir, &text);
        assert!((r.code == 0) == said.is_empty() && r.err.contains(said), "{said} is expected\n{text}\n{}", r.err);
    }
}

/// One mistake is one message, and the next statement is read; what is not read is listed at once.
#[test]
fn several_mistakes_of_a_file() {
    let dir = folder("several");
    let text = body(
        "%0 = acme.one %x : tensor<4xf32>\n%1 = stablehlo.add %0, %0 : tensor<4xf32>\n%2 = = 3\n%3 = acme.two %2 ({\n%4 = \
         acme.three %x : tensor<4xf32>\n}) : (tensor<4xf32>) -> tensor<4xbf16>\n%5 = acme.one %3 : tensor<4xf32>",
    );
    let r = import(&dir, &text);
    let codes: Vec<&str> = r.err.lines().filter_map(|l| l.split("error[").nth(1)?.split(']').next()).collect();
    assert_eq!(codes, ["E0240", "E0103", "E0240", "E0240", "E0240"], "{}", r.err);
    let listed = tfc(&dir, &["check", "--unsupported", "p.mlir"]);
    let want = "`acme.one` is not read: p.mlir:2:6 p.mlir:8:6\n`acme.three` is not read: p.mlir:6:6\n`acme.two` is not \
                read: p.mlir:5:6\n";
    assert_eq!((listed.code, listed.out.as_str()), (1, want), "{}", listed.err);
}

/// Names that this language does not have are spelled one to one, and `--entry` takes the original.
#[test]
fn names_of_another_language() {
    let dir = folder("names");
    let names = ["a-b", "a.x2Db", "a b", "a$b", "0", "ab.x"];
    let func = |(i, n): (usize, &&str)| {
        format!(
            "func.func @\"{n}\"() -> tensor<i32> {{\n%0 = stablehlo.constant dense<{i}> : tensor<i32>\nreturn %0 : tensor<i32>\n}}\n"
        )
    };
    let text: String = names.iter().enumerate().map(func).collect();
    let r = import(&dir, &text);
    assert_eq!(r.code, 0, "{}", r.err);
    for (i, name) in names.iter().enumerate() {
        for file in ["p.mlir", "out.tfir"] {
            let r = tfc(&dir, &["run", file, "--entry", name]);
            assert!(r.code == 0 && r.out.contains(&format!("= {i}\n")), "{file} {name}: {}{}", r.out, r.err);
        }
    }
}
