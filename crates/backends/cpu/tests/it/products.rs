//! What a product starts from does not show: of ones and one number with an infinite part it is that number, however many
//! factors there are, along whichever axis, in lanes, in parts that threads share, and running.
use std::sync::Arc;
use tfc_cpu::{CompileOptions, Cpu, RunOptions};
use tfc_interp as interp;
use tfc_interp::Interp;
use tfc_ir::{C32, C64, OpSet, Tensor};

const PROGRAM: &str = "tfir 1.0
export func @f<m, n>(%x: c64[m, n], %y: c32[m, n]) -> (a: c64[], b: c64[n], c: c64[m], d: c64[m, n], e: c64[m, n], g: c32[], h: c32[n], i: c32[m], j: c32[m, n]) {
  %a = reduce_prod(%x, axes = [0, 1])
  %b = reduce_prod(%x, axes = [0])
  %c = reduce_prod(%x, axes = [1])
  %d = cumprod(%x, axis = 0)
  %e = cumprod(%x, axis = 1, reverse = true)
  %g = reduce_prod(%y, axes = [0, 1])
  %h = reduce_prod(%y, axes = [0])
  %i = reduce_prod(%y, axes = [1])
  %j = cumprod(%y, axis = 1)
  return %a, %b, %c, %d, %e, %g, %h, %i, %j
}
";
const ODD: (f64, f64) = (f64::INFINITY, -2.0);

fn parts(t: &Tensor) -> Vec<(f64, f64)> {
    match t.to_logical::<C64>() {
        Some(v) => v.iter().map(|z| (z.re, z.im)).collect(),
        None => t.to_logical::<C32>().unwrap().iter().map(|z| (z.re.into(), z.im.into())).collect(),
    }
}
fn arguments(m: usize, n: usize, at: usize) -> Vec<Tensor> {
    let mut x = vec![C64::new(1.0, 0.0); m * n];
    x[at] = C64::new(ODD.0, ODD.1);
    let y: Vec<C32> = x.iter().map(|z| C32::new(z.re as f32, z.im as f32)).collect();
    vec![Tensor::from_logical(&[m, n], x).unwrap(), Tensor::from_logical(&[m, n], y).unwrap()]
}

#[test]
fn one_leaves_a_factor_as_it_is() {
    let ops = Arc::new(OpSet::core());
    let mut m =
        tfc_frontend::text::parse_module(PROGRAM.as_bytes(), &ops).map_err(|d| d[0].to_string()).unwrap().module;
    tfc_passes::level(2).run(&mut m, &mut |_| {}).unwrap();
    let f = m.find("f").unwrap();
    let engines: Vec<_> = [1, 2]
        .map(|threads| Cpu::compile(&m, f, &CompileOptions { threads, ..CompileOptions::default() }).unwrap())
        .into();
    for (rows, columns) in [(1, 1), (1, 2), (3, 1), (5, 7), (1, 63), (64, 2), (2, 65), (17, 129), (1, 5000), (300, 300)]
    {
        let n = rows * columns;
        for at in [0, n / 2, n - 1] {
            let x = arguments(rows, columns, at);
            let mut all = vec![];
            // The interpreter is slow.
            if n < 1000 {
                all.push(("interp", Interp::new(&m).run(f, &x, &interp::RunOptions::default()).unwrap()));
            }
            for (exe, name) in engines.iter().zip(["one thread", "two threads"]) {
                all.push((name, exe.run(&x, &RunOptions::default()).unwrap()));
            }
            for (name, results) in &all {
                for (k, t) in results.iter().enumerate() {
                    let what = format!("{name}: result {k} of {rows} by {columns}, the number at {at}");
                    let got = parts(t);
                    assert!(got.iter().all(|&z| z == ODD || z == (1.0, 0.0)), "{what}: {got:?}");
                    assert!(got.contains(&ODD), "{what}");
                }
            }
        }
    }
}
