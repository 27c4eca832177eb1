//! Running folds and sorts of lines of all lengths: by a thread, by a block, by several blocks. Values beside those of the interpreter and
//! of stable sorts of Rust, on this machine as a device; a barrier that is taken out is missed.

use std::sync::Arc;

use crate::common::{differs, run};
use tfc_api::Kernels;
use tfc_cuda::Cuda;
use tfc_cuda::device::{Arg, Device, Shape};
use tfc_cuda::host::Host;
use tfc_cuda::text::Source;
use tfc_engine::{Backend, Executable, Options};
use tfc_interp::Oracle;
use tfc_ir::{C32, C64, DType, Module, OpSet, Tensor};
use tfc_testkit::Need;

fn host() -> Option<Arc<Host>> {
    Need::Cxx.found(Host::new()).map(Arc::new)
}
/// A module of these functions, made ready.
fn module(text: &str) -> Module {
    let ops = Arc::new(OpSet::core());
    let mut m = tfc_frontend::text::parse_module(format!("tfir 1.0\n{text}").as_bytes(), &ops).unwrap().module;
    tfc_passes::level(2).run(&mut m, &mut |_| {}).unwrap();
    m
}
/// Programs of functions of a module, whose kernels are compiled together.
fn programs(cuda: &Cuda, m: &Module, names: &[String]) -> Vec<Box<dyn Executable>> {
    let list: Vec<_> = names.iter().map(|n| (m, m.find(n).unwrap())).collect();
    let made = cuda.compile_all(&list, false).unwrap_or_else(|e| panic!("{e} {:?}", e.data().notes));
    made.into_iter().map(|p| Box::new(p.unwrap()) as Box<dyn Executable>).collect()
}
/// Numbers without a pattern.
struct Random(u64);
impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 ^ self.0 >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11
    }
    /// From -1 to 1.
    fn real(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 52) as f64 - 1.0
    }
}
/// Elements of a type, of about that size.
fn tensor(d: DType, dims: &[usize], r: &mut Random, size: f64) -> Tensor {
    let n: usize = dims.iter().product();
    let mut z = || C64::new(size * r.real(), size * r.real());
    macro_rules! of {
        ($f:expr) => {
            Tensor::from_logical(dims, (0..n).map(|_| $f(z())).collect::<Vec<_>>()).unwrap()
        };
    }
    match d {
        DType::Bool => of!(|z: C64| z.re > 0.0),
        DType::I32 => of!(|z: C64| (z.re * 1e6) as i32),
        DType::I64 => of!(|z: C64| (z.re * 1e15) as i64),
        DType::U32 => of!(|z: C64| (z.re.abs() * 4e9) as u32),
        DType::U64 => of!(|z: C64| (z.re.abs() * 1e19) as u64),
        DType::F32 => of!(|z: C64| z.re as f32),
        DType::F64 => of!(|z: C64| z.re),
        DType::C32 => of!(|z: C64| C32::new(z.re as f32, z.im as f32)),
        _ => of!(|z| z),
    }
}
const LENGTHS: [usize; 14] = [0, 1, 31, 32, 33, 255, 256, 257, 2047, 2049, 8191, 8192, 8193, 20001];

#[test]
fn running_folds_of_all_lengths() {
    let Some(h) = host() else { return };
    let cuda = Cuda::new(h);
    let (mut text, mut names, mut all) = (String::new(), vec![], vec![]);
    for op in ["cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"] {
        for d in DType::WIDE {
            let takes = match op {
                "cumsum" | "cumprod" => d != DType::Bool,
                "cumlogsumexp" => d.is_float(),
                _ => d != DType::Bool && !d.is_complex(),
            };
            for (axis, reverse) in [(0, false), (0, true), (1, false), (1, true)].into_iter().filter(|_| takes) {
                let name = format!("{op}_{d}_{axis}_{reverse}");
                text += &format!(
                    "func @{name}<n, m>(%x: {d}[n, m]) -> ({d}[n, m]) {{\n  %y = {op}(%x, axis = {axis}, reverse = {reverse})\n  return %y\n}}\n"
                );
                names.push(name);
                all.push((op, d, axis));
            }
        }
    }
    let m = module(&text);
    let made = programs(&cuda, &m, &names);
    let mut r = Random(1);
    for ((p, name), (op, d, axis)) in made.iter().zip(&names).zip(all) {
        let oracle =
            Oracle(Kernels::default().interp).compile(m.fork(), m.find(name).unwrap(), &Options::default()).unwrap();
        for (k, n) in LENGTHS.into_iter().enumerate() {
            let other = if n > 3000 { 2 } else { [1, 3][k % 2] };
            let dims = if axis == 0 { [n, other] } else { [other, n] };
            // Factors about 1.
            let x = match (op, d) {
                ("cumprod", DType::F32 | DType::F64) => {
                    let v: Vec<f64> = (0..n * other).map(|_| 1.0 + 0.01 * r.real()).collect();
                    if d == DType::F64 {
                        Tensor::from_logical(&dims, v).unwrap()
                    } else {
                        Tensor::from_logical(&dims, v.iter().map(|&x| x as f32).collect::<Vec<_>>()).unwrap()
                    }
                }
                ("cumprod", DType::C32) => {
                    let v: Vec<C32> = (0..n * other).map(|_| C32::from_polar(1.0, r.real() as f32)).collect();
                    Tensor::from_logical(&dims, v).unwrap()
                }
                ("cumprod", DType::C64) => Tensor::from_logical(
                    &dims,
                    (0..n * other).map(|_| C64::from_polar(1.0, r.real())).collect::<Vec<_>>(),
                )
                .unwrap(),
                _ => tensor(d, &dims, &mut r, 1.0),
            };
            let args = [x];
            let want = run(&*oracle, &args).unwrap();
            let got = run(&**p, &args).unwrap_or_else(|e| panic!("{name} {dims:?}: {e} {:?}", e.data().notes));
            let why = if matches!((op, d), ("cumprod", DType::F32 | DType::C32)) {
                // The interpreter rounds each product to single precision.
                far(&want[0], &got[0], 2e-7 * n as f64)
            } else {
                differs(&want[0], &got[0])
            };
            assert!(why.is_none(), "{name} {dims:?}: {}", why.unwrap());
            assert!(got[0].same(&run(&**p, &args).unwrap()[0]), "{name} {dims:?}: other bits");
        }
    }
}
fn far(want: &Tensor, got: &Tensor, tolerance: f64) -> Option<String> {
    let list = |t: &Tensor| -> Vec<C64> {
        match t.dtype() {
            DType::F32 => t.to_logical::<f32>().unwrap().iter().map(|&x| C64::new(x.into(), 0.0)).collect(),
            _ => t.to_logical::<C32>().unwrap().iter().map(|z| C64::new(z.re.into(), z.im.into())).collect(),
        }
    };
    let (w, g) = (list(want), list(got));
    let at = w.iter().zip(&g).position(|(w, g)| (w - g).norm() > tolerance * (1.0 + w.norm()))?;
    Some(format!("element {at} is {}, not {}", g[at], w[at]))
}
/// What is not finite, and what a part of a line would make so that the line does not.
#[test]
fn running_folds_at_the_ends_of_the_range() {
    let Some(h) = host() else { return };
    let cuda = Cuda::new(h);
    let text = ["cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"]
        .map(|op| format!("func @{op}<n>(%x: f64[n]) -> f64[n] {{\n  %y = {op}(%x, axis = 0)\n  return %y\n}}\n"))
        .concat();
    let m = module(&text);
    let names: Vec<String> = ["cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"].map(String::from).to_vec();
    let made = programs(&cuda, &m, &names);
    let line =
        |n: usize, f: &dyn Fn(usize) -> f64| Tensor::from_logical(&[n], (0..n).map(f).collect::<Vec<_>>()).unwrap();
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    for n in [40, 300, 9000] {
        let odd: [&dyn Fn(usize) -> f64; 8] = [
            &|i| if i == n / 2 { nan } else { 0.5 },
            &|i| if i == n - 3 { inf } else { -1.0 },
            &|_| -inf,
            &|i| if i % 2 == 0 { -0.0 } else { 0.0 },
            &|_| -0.0,
            // 0 stays 0 beside products that overflow, and a product that goes up and down comes back.
            &|i| if i == 1 { 0.0 } else { 1e100 },
            &|i| if i % 2 == 0 { 1e150 } else { 1e-150 },
            &|i| {
                if i == 5 {
                    -inf
                } else if i == 9 {
                    inf
                } else {
                    1.0
                }
            },
        ];
        for (k, f) in odd.into_iter().enumerate() {
            let x = line(n, f);
            for (p, name) in made.iter().zip(&names) {
                let oracle = Oracle(Kernels::default().interp)
                    .compile(m.fork(), m.find(name).unwrap(), &Options::default())
                    .unwrap();
                let want = run(&*oracle, std::slice::from_ref(&x)).unwrap();
                let got = run(&**p, std::slice::from_ref(&x)).unwrap();
                // With infinities of both signs, a sum is what it is; differences of the same sign only.
                assert!(differs(&want[0], &got[0]).is_none(), "{name} {k} {n}: {:?}", differs(&want[0], &got[0]));
                let signs = |t: &Tensor| {
                    t.to_logical::<f64>().unwrap().iter().map(|x| x.is_sign_negative()).collect::<Vec<_>>()
                };
                if k == 3 || k == 4 {
                    assert_eq!(signs(&want[0]), signs(&got[0]), "{name} {k} {n}");
                }
            }
        }
    }
}

/// Keys in a type, with many equal ones and all that is special.
fn keys(d: DType, n: usize, r: &mut Random) -> Tensor {
    let mut pick = |i: usize| (i, r.next());
    macro_rules! of {
        ($t:ty, $special:expr, $f:expr) => {
            Tensor::from_logical(
                &[n],
                (0..n)
                    .map(|i| {
                        let (i, x) = pick(i);
                        let special: &[$t] = &$special;
                        if x % 7 == 0 { special[i % special.len()] } else { $f(x) }
                    })
                    .collect::<Vec<$t>>(),
            )
            .unwrap()
        };
    }
    match d {
        DType::Bool => of!(bool, [true, false], |x| x % 3 == 0),
        DType::I32 => of!(i32, [i32::MIN, i32::MAX, -1, 0, 1], |x| (x >> 7) as i32),
        DType::U32 => of!(u32, [0, u32::MAX, 256, 255], |x| (x >> 5) as u32 % 1000),
        DType::I64 => of!(i64, [i64::MIN, i64::MAX, -1, 0, 1], |x| x as i64 - (1 << 51)),
        DType::U64 => of!(u64, [0, u64::MAX, 1 << 40], |x| x << 11),
        DType::F32 => {
            of!(f32, [f32::NAN, -0.0, 0.0, f32::INFINITY, f32::NEG_INFINITY, -f32::NAN, 1e-45, -1e-45], |x| (x % 2001)
                as f32
                - 1000.0)
        }
        _ => of!(f64, [f64::NAN, -0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, -f64::NAN, 5e-324], |x| x as f64 - 2e15),
    }
}
/// The places of elements in order: equal ones as they stand, NaN last.
fn order(t: &Tensor) -> Vec<usize> {
    let n = t.shape()[0];
    let mut p: Vec<usize> = (0..n).collect();
    macro_rules! by {
        ($t:ty) => {{
            let v = t.to_logical::<$t>().unwrap();
            p.sort_by(|&a, &b| v[a].partial_cmp(&v[b]).unwrap());
        }};
    }
    macro_rules! reals {
        ($t:ty) => {{
            let v = t.to_logical::<$t>().unwrap();
            p.sort_by(|&a, &b| v[a].partial_cmp(&v[b]).unwrap_or_else(|| v[a].is_nan().cmp(&v[b].is_nan())));
        }};
    }
    match t.dtype() {
        DType::Bool => by!(bool),
        DType::I32 => by!(i32),
        DType::U32 => by!(u32),
        DType::I64 => by!(i64),
        DType::U64 => by!(u64),
        DType::F32 => reals!(f32),
        _ => reals!(f64),
    }
    p
}
fn places(n: usize) -> Tensor {
    Tensor::from_logical(&[n], (0..n as i64).collect::<Vec<_>>()).unwrap()
}
#[test]
fn sorts_of_all_lengths_are_stable() {
    let Some(h) = host() else { return };
    let cuda = Cuda::new(h);
    let types: Vec<DType> = DType::WIDE.into_iter().filter(|d| !d.is_complex()).collect();
    let (mut text, mut names) = (String::new(), vec![]);
    for d in &types {
        text += &format!(
            "func @by_{d}<n>(%x: {d}[n], %p: i64[n]) -> ({d}[n], i64[n]) {{\n  %y, %q = sort(%x, %p)\n  return %y, %q\n}}\n"
        );
        names.push(format!("by_{d}"));
    }
    text += "func @two<n>(%x: bool[n], %y: f32[n], %p: i64[n]) -> i64[n] {\n  %a, %b, %q = sort(%x, %y, %p, keys = 2)\n  return %q\n}\n";
    text += "func @down<n>(%x: i32[n], %p: i64[n]) -> i64[n] {
  %a, %q = sort(%x, %p) {
    comparator(%a0: i32[], %b0: i32[], %a1: i64[], %b1: i64[]) {
      %more = gt(%a0, %b0)
      yield %more
    }
  }
  return %q
}\n";
    text += "func @lines<n, m>(%x: f32[n, m], %p: i64[n, m]) -> (i64[n, m], i64[n, m]) {
  %a, %q = sort(%x, %p, axis = 0)
  %b, %r = sort(%x, %p, axis = 1)
  return %q, %r
}\n";
    names.extend(["two", "down", "lines"].map(String::from));
    let m = module(&text);
    let made = programs(&cuda, &m, &names);
    let by = |name: &str| &made[names.iter().position(|n| n == name).unwrap()];
    let list = |t: &Tensor| t.to_logical::<i64>().unwrap().iter().map(|&x| x as usize).collect::<Vec<_>>();
    let mut r = Random(7);
    for n in [0, 1, 2, 31, 33, 255, 257, 1023, 1024, 1025, 2500, 8193, 10_000] {
        for d in &types {
            let x = keys(*d, n, &mut r);
            let out =
                run(&**by(&format!("by_{d}")), &[x.clone(), places(n)]).unwrap_or_else(|e| panic!("{d} {n}: {e}"));
            assert_eq!(list(&out[1]), order(&x), "{d} {n}");
            if n > 0 {
                // Elements come along with all their bits.
                assert_eq!(order(&out[0]), (0..n).collect::<Vec<_>>(), "{d} {n}");
            }
        }
        let (x, y) = (keys(DType::Bool, n, &mut r), keys(DType::F32, n, &mut r));
        let (first, second) = (x.to_logical::<bool>().unwrap(), order(&y));
        let mut want = second.clone();
        want.sort_by_key(|&i| first[i]);
        assert_eq!(list(&run(&**by("two"), &[x, y, places(n)]).unwrap()[0]), want, "two {n}");
        let x = keys(DType::I32, n, &mut r);
        let v = x.to_logical::<i32>().unwrap();
        let mut want: Vec<usize> = (0..n).collect();
        want.sort_by_key(|&i| std::cmp::Reverse(v[i]));
        assert_eq!(list(&run(&**by("down"), &[x, places(n)]).unwrap()[0]), want, "down {n}");
    }
    // Lines along either axis: short ones beside long ones.
    for (n, m) in [(5, 300), (1500, 3), (2, 8300), (40, 40)] {
        let x = keys(DType::F32, n * m, &mut r);
        let v = x.to_logical::<f32>().unwrap();
        let at = Tensor::from_logical(&[n, m], (0..(n * m) as i64).collect::<Vec<_>>()).unwrap();
        let out = run(&**by("lines"), &[Tensor::from_logical(&[n, m], v.clone()).unwrap(), at]).unwrap();
        let line = |all: Vec<usize>| -> Vec<usize> {
            let t = Tensor::from_logical(&[all.len()], all.iter().map(|&i| v[i]).collect::<Vec<_>>()).unwrap();
            order(&t).into_iter().map(|i| all[i]).collect()
        };
        let (down, across) = (list(&out[0]), list(&out[1]));
        for j in 0..m {
            let want = line((0..n).map(|i| i * m + j).collect());
            assert_eq!((0..n).map(|i| down[i * m + j]).collect::<Vec<_>>(), want, "{n} {m} column {j}");
        }
        for i in 0..n {
            let want = line((0..m).map(|j| i * m + j).collect());
            assert_eq!(across[i * m..(i + 1) * m], want, "{n} {m} row {i}");
        }
    }
}
/// Many updates, of which many go to one place: as if they came one after the other, to the bit.
#[test]
fn many_updates_take_effect_in_their_order() {
    let Some(h) = host() else { return };
    let cuda = Cuda::new(h);
    let (mut text, mut names) = (String::new(), vec![]);
    for (combine, d) in
        [("set", "f64"), ("add", "f32"), ("mul", "i32"), ("min", "f32"), ("add", "c64"), ("max", "bool")]
    {
        for how in ["zero", "clamp"] {
            let bound = if how == "clamp" { ", out_of_bounds = clamp" } else { "" };
            let name = format!("{combine}_{d}_{how}");
            text += &format!(
                "func @{name}<m, k>(%x: {d}[m], %i: i64[k], %u: {d}[k]) -> {d}[m] where m >= 1 {{
  %y = scatter(%x, %i, %u, inserted_window_dims = [0], combine = {combine}{bound})
  return %y
}}
"
            );
            names.push(name);
        }
    }
    // Rows of a table, windows that overlap, a combination of one's own, and what is made of scatters.
    text += "func @rows<m, n, k>(%x: f32[m, n], %i: i32[k], %u: f32[k, n]) -> f32[m, n] {
  %y = scatter(%x, %i, %u, update_window_dims = [1], inserted_window_dims = [0], combine = add)
  return %y
}
func @overlap<m, k>(%x: f64[m], %i: i64[k], %u: f64[k, 2]) -> f64[m] {
  %y = scatter(%x, %i, %u, update_window_dims = [1], combine = add)
  return %y
}
func @digits<m, k>(%x: f64[m], %i: i64[k], %u: f64[k], %base: f64[]) -> f64[m] {
  %y = scatter(%x, %i, %u, inserted_window_dims = [0]) {
    combine(%a: f64[], %b: f64[]) {
      %c = mul(%a, %base)
      %d = add(%c, %b)
      yield %d
    }
  }
  return %y
}
func @nonzero<n>(%x: f64[n]) -> i64[?r] {
  %y = nonzero(%x)
  return %y
}
func @compress<n>(%x: f64[n], %m: bool[n]) -> f64[?r] where ?r <= n {
  %y: f64[?r] = compress(%x, %m)
  return %y
}
func @unique<n>(%x: i64[n]) -> (i64[?r], i64[n], i64[?r]) where ?r <= n {
  %v: i64[?r], %i: i64[n], %c: i64[?r] = unique(%x) where ?r <= n
  return %v, %i, %c
}
";
    names.extend(["rows", "overlap", "digits", "nonzero", "compress", "unique"].map(String::from));
    let m = module(&text);
    let made = programs(&cuda, &m, &names);
    let mut r = Random(3);
    for (p, name) in made.iter().zip(&names) {
        let f = m.find(name).unwrap();
        let oracle = Oracle(Kernels::default().interp).compile(m.fork(), f, &Options::default()).unwrap();
        for (m, k) in [(7, 255), (1, 256), (100, 2500), (5000, 9000)] {
            let d = |i: usize| DType::WIDE.into_iter().find(|d| name.split('_').nth(i) == Some(&d.to_string()));
            let mut index = |n: usize| {
                Tensor::from_logical(&[n], (0..n).map(|_| r.next() as i64 % (m as i64 + 2) - 1).collect::<Vec<_>>())
                    .unwrap()
            };
            let i = index(k);
            let args = match name.as_str() {
                "rows" => {
                    let i = Tensor::from_logical(
                        &[k],
                        i.to_logical::<i64>().unwrap().iter().map(|&x| x as i32).collect::<Vec<_>>(),
                    )
                    .unwrap();
                    vec![tensor(DType::F32, &[m, 3], &mut r, 1.0), i, tensor(DType::F32, &[k, 3], &mut r, 1.0)]
                }
                "overlap" => {
                    vec![tensor(DType::F64, &[m.max(2)], &mut r, 1.0), i, tensor(DType::F64, &[k, 2], &mut r, 1.0)]
                }
                "digits" => {
                    let base = Tensor::scalar(0.5_f64);
                    vec![tensor(DType::F64, &[m], &mut r, 1.0), i, tensor(DType::F64, &[k], &mut r, 1.0), base]
                }
                "nonzero" | "compress" => {
                    let v: Vec<f64> = (0..k).map(|_| if r.next().is_multiple_of(3) { r.real() } else { 0.0 }).collect();
                    let mask = tensor(DType::Bool, &[k], &mut r, 1.0);
                    let x = Tensor::from_logical(&[k], v).unwrap();
                    if name == "nonzero" { vec![x] } else { vec![x, mask] }
                }
                "unique" => vec![i],
                _ => {
                    let d = d(1).unwrap();
                    vec![tensor(d, &[m], &mut r, 1.0), i, tensor(d, &[k], &mut r, 1.0)]
                }
            };
            let want = run(&*oracle, &args).unwrap();
            let got = run(&**p, &args).unwrap_or_else(|e| panic!("{name} {m} {k}: {e} {:?}", e.data().notes));
            for (w, g) in want.iter().zip(&got) {
                assert!(w.same(g), "{name} {m} {k}: {:?}", differs(w, g));
            }
        }
    }
}
/// Without one of its barriers, or with a plain store where blocks hand on, a kernel is found to be wrong.
#[test]
fn what_is_taken_out_is_missed() {
    let Some(h) = host() else { return };
    let cuda = Cuda::new(h.clone());
    let m = module("func @f<n>(%x: i32[n]) -> i32[n] {\n  %y = cumsum(%x, axis = 0)\n  return %y\n}");
    let source = cuda.source(&[(&m, m.find("f").unwrap())], false).unwrap();
    let long = |x: i64| Arg::Longs(vec![x]);
    let line = || Arg::Longs(vec![1, 1, 1, 0, 0, 0, 0, 0, 0]);
    let n = 5000i64;
    let run = |find: &str, from: &str, to: &str| {
        let mut s: Source = source.clone();
        let k = s.kernels.iter_mut().find(|k| k.name.ends_with(find)).unwrap();
        assert!(k.body.contains(from), "{from} in {}", k.body);
        k.body = k.body.replacen(from, to, 1);
        let name = k.name.clone();
        let module = h.load(&s).unwrap();
        let (x, y, words) = (h.alloc(20000).unwrap(), h.alloc(20000).unwrap(), h.alloc(64).unwrap());
        h.upload(x, &[1; 20000]).unwrap();
        h.upload(words, &[0; 64]).unwrap();
        let p = |at: isize| Arg::Ptr(words.at(at));
        if find == "line" {
            let args = [Arg::Ptr(x), Arg::Ptr(y), long(n), long(4), long(4), line()];
            module.launch(&name, Shape { grid: [1, 1, 1], block: [256, 1, 1] }, &args)
        } else {
            let args =
                [Arg::Ptr(x), Arg::Ptr(y), p(0), p(24), p(48), p(60), long(n), long(4), long(4), long(3), line()];
            module.launch(&name, Shape { grid: [3, 1, 1], block: [256, 1, 1] }, &args)
        }
    };
    for find in ["line", "look_back"] {
        run(find, "__syncthreads();", "__syncthreads(); ").unwrap();
        let e = run(find, "      __syncthreads();\n      i32 own", "      i32 own").unwrap_err().to_string();
        assert!(e.contains("which nothing has written") || e.contains("without a barrier"), "{e}");
    }
    let e = run(
        "look_back",
        "atomicExch(&all_(number * (i64)8), as_word(fold(known, whole)));",
        "all_(number * (i64)8) = as_word(fold(known, whole));",
    );
    let e = e.unwrap_err().to_string();
    assert!(e.contains("of `all_`") || e.contains("of `all`"), "{e}");
}
