//! Bound blocks: what is resolved once and replayed on addresses gives the bits of what finds out its sizes at each step,
//! for loops of any number of trips, nested ones, branches and calls in bodies, and when sizes change between calls.
use std::sync::Arc;

use tfc_backends::cpu::{CompileOptions, Cpu, RunOptions};
use tfc_backends::interp::{self, Interp};
use tfc_ir::sample::{Domain, Draw};
use tfc_ir::{DType, Module, OpSet, Tensor, Type};

const PROGRAM: &str = r#"
tfir 1.0
func @cell<n>(%w: f64[n, n], %h: f64[n], %x: f64[n]) -> (y: f64[n]) {
  %a = dot_general(%w, %h, contract = [[1], [0]])
  %b = add(%a, %x)
  %y = tanh(%b)
  return %y
}
// Products, what is carried in and out collected, backwards along the other axis, a call.
func @tensors<n, m>(%w: f64[n, n], %xs: f64[n, m], %k: i64[]) -> (f64[n], f64[n, m], f64[m, n], f64[n, m], f64[n]) {
  %zero: f64[] = const(0.25)
  %h0: f64[n] = broadcast_in_dim(%zero, dims = [])
  %h, %seen, %after = scan(%h0, %xs, carry = 1) {
    body(%h: f64[n], %x: f64[n]) {
      %y = call(@cell, %w, %h, %x)
      yield %y, %h, %y
    }
  }
  %t = transpose(%after, perm = [1, 0])
  %g, %back = scan(%h, %t, carry = 1, axis = [0, 1], reverse = true) {
    body(%h: f64[n], %x: f64[n]) {
      %a = dot_general(%w, %h, contract = [[0], [0]])
      %b = mul(%a, %x)
      %r = reverse(%b, axes = [0])
      yield %b, %r
    }
  }
  return %h, %seen, %t, %back, %g
}
// Scalars: a swap, one that stays, stacks of what came in, of what goes out and of what is outside.
func @scalars<n, m>(%w: f64[n, n], %xs: f64[n, m], %k: i64[]) -> (f64[], f64[], f64[], i64[], f64[?t], f64[?t], f64[?t]) {
  %zero = const(0)
  %a0: f64[] = const(0.5)
  %b0: f64[] = const(1.5)
  %c0: f64[] = const(0.125)
  %i, %a, %b, %c, %p, %q, %r = while(%zero, %a0, %b0, %c0) {
    cond(%i: i64[], %a: f64[], %b: f64[], %c: f64[]) {
      %go = lt(%i, %k)
      yield %go
    }
    body(%i: i64[], %a: f64[], %b: f64[], %c: f64[]) {
      %one = const(1)
      %next = add(%i, %one)
      %s = sin(%a)
      %t = mul(%s, %c)
      %u = add(%t, %b)
      yield %next, %b, %u, %c, %a, %u, %c0
    }
  }
  return %a, %b, %c, %i, %p, %q, %r
}
// A dozen scalars alike, carried and cut: lanes of one vector, turned by one place.
func @lanes<n, m>(%w: f64[n, n], %xs: f64[n, m], %k: i64[]) -> (f64[], f64[], f64[], f64[n, m], f64[n, m]) {
  %a0: f64[] = const(0.5)
  %b0: f64[] = const(-0.25)
  %c0: f64[] = const(1.25)
  %sum = reduce_sum(%xs, axes = [0])
  %av, %bv, %cv, %l, %r = scan(%a0, %b0, %c0, %xs, carry = 3) {
    body(%a: f64[], %b: f64[], %c: f64[], %x: f64[n]) {
      %a2, %b2, %c2, %p, %q = scan(%a, %b, %c, %x, carry = 3, reverse = true) {
        body(%a: f64[], %b: f64[], %c: f64[], %x: f64[]) {
          %k1: f64[] = const(0.75)
          %k2: f64[] = const(0.5)
          %k3: f64[] = const(0.25)
          %sa = sin(%b)
          %sb = sin(%c)
          %sc = sin(%a)
          %ma = mul(%sa, %k1)
          %mb = mul(%sb, %k2)
          %mc = mul(%sc, %k3)
          %ra = add(%ma, %c)
          %rb = add(%mb, %a)
          %rc = add(%mc, %x)
          %d = div(%ra, %rb)
          yield %ra, %rb, %rc, %d, %b
        }
      }
      yield %a2, %b2, %c2, %p, %q
    }
  }
  return %av, %bv, %cv, %l, %r
}
// Branches that hand on other layouts from trip to trip, then a product of whatever it is.
func @branches<n, m>(%w: f64[n, n], %xs: f64[n, m], %k: i64[]) -> (f64[n, n], f64[n, m]) {
  %g, %ys = scan(%w, %xs, carry = 1) {
    body(%g: f64[n, n], %x: f64[n]) {
      %s = reduce_sum(%x, axes = [0])
      %nought: f64[] = const(0.0)
      %p = gt(%s, %nought)
      %v = cond(%p, %g) {
        then(%u: f64[n, n]) {
          %t = transpose(%u, perm = [1, 0])
          yield %t
        }
        else(%u: f64[n, n]) {
          %t = tanh(%u)
          yield %t
        }
      }
      %y = dot_general(%v, %x, contract = [[1], [0]])
      %z = tanh(%v)
      %r = sub(%z, %w)
      yield %r, %y
    }
  }
  return %g, %ys
}
// Parts of a tensor read and replaced at places that the loop computes; a loop in a loop of as many trips as data say.
func @parts<n, m>(%w: f64[n, n], %xs: f64[n, m], %k: i64[]) -> (f64[n, n], i64[], f64[m]) {
  %zero = const(0)
  %g, %i, %all = scan(%w, %zero, %xs, carry = 2) {
    body(%g: f64[n, n], %i: i64[], %x: f64[n]) {
      %one = const(1)
      %next = add(%i, %one)
      %row = dynamic_slice(%g, %i, %zero, sizes = [1, n])
      %double = add(%row, %row)
      %h = dynamic_update_slice(%g, %double, %next, %zero)
      %s = reduce_sum(%x, axes = [0])
      %left, %p = while(%i, %s) {
        cond(%j: i64[], %q: f64[]) {
          %go = gt(%j, %zero)
          yield %go
        }
        body(%j: i64[], %q: f64[]) {
          %j1 = sub(%j, %one)
          %q2 = cos(%q)
          yield %j1, %q2
        }
      }
      yield %h, %next, %p
    }
  }
  return %g, %i, %all
}
// A carry that grows is never bound.
func @grows<n, m>(%w: f64[n, n], %xs: f64[n, m], %k: i64[]) -> (f64[?r], i64[]) {
  %i0 = const(0)
  %x = reduce_sum(%w, axes = [0])
  %y: f64[?r], %i: i64[] = while(%x, %i0) {
    cond(%c: f64[?i], %t: i64[]) {
      %three = const(3)
      %go = lt(%t, %three)
      yield %go
    }
    body(%c: f64[?i], %t: i64[]) {
      %one = const(1)
      %cc: f64[2*?i] = concat(%c, %c, axis = 0)
      %d = neg(%cc)
      %u = add(%t, %one)
      yield %d, %u
    }
  }
  return %y, %i
}
"#;
const NAMES: [&str; 6] = ["tensors", "scalars", "lanes", "branches", "parts", "grows"];

fn module() -> Module {
    let ops = Arc::new(OpSet::core());
    match tfc_frontend::text::parse_module(PROGRAM.as_bytes(), &ops) {
        Ok(p) => p.module,
        Err(d) => panic!("{}", d[0]),
    }
}
fn arguments(n: usize, m: usize, k: i64, seed: u64) -> Vec<Tensor> {
    let mut draw = Draw::new(seed);
    let mut t = |s: &[usize]| draw.tensor(&Type::exact(DType::F64, s), Domain::Range(-0.9, 1.0)).unwrap();
    vec![t(&[n, n]), t(&[n, m]), Tensor::scalar(k)]
}
fn close(a: &Tensor, b: &Tensor) -> bool {
    if a.dtype() != DType::F64 {
        return a.same(b);
    }
    let (x, y) = (a.to_logical::<f64>().unwrap(), b.to_logical::<f64>().unwrap());
    let near = |x: f64, y: f64| x.to_bits() == y.to_bits() || (x - y).abs() <= 1e-11 * (1.0 + y.abs());
    a.shape() == b.shape() && x.iter().zip(&y).all(|(&x, &y)| near(x, y))
}

#[test]
fn replaying_changes_no_bits() {
    for level in [0, 2] {
        let mut m = module();
        tfc_passes::level(level).run(&mut m, &mut |_| {}).unwrap();
        for name in NAMES {
            let f = m.find(name).unwrap();
            let compile = |threads| {
                Cpu::compile(&m, f, &CompileOptions { threads, ..CompileOptions::default() })
                    .unwrap_or_else(|e| panic!("{name}: {}", e.data().message))
            };
            let (mut bound, mut plain) = (compile(2), compile(1).plain());
            let mut held: Vec<(Vec<Tensor>, Vec<Tensor>)> = vec![];
            let sizes = [
                (3, 7),
                (3, 7),
                (3, 7),
                (3, 0),
                (3, 1),
                (3, 2),
                (3, 3),
                (5, 4),
                (5, 4),
                (5, 4),
                (5, 40),
                (1, 9),
                (0, 3),
            ];
            for (i, (n, trips)) in sizes.into_iter().enumerate() {
                if n == 0 && matches!(name, "parts") {
                    continue;
                }
                let x = arguments(n, trips, trips as i64 * 3, i as u64);
                let what = format!("@{name}, level {level}, n = {n}, {trips} trips, call {i}");
                let want = Interp::new(&m).run(f, &x, &interp::RunOptions::default()).unwrap();
                let got =
                    bound.run(&x, &RunOptions::default()).unwrap_or_else(|e| panic!("{what}: {}", e.data().message));
                let other = plain.run(&x, &RunOptions::default()).unwrap();
                for (k, ((g, p), w)) in got.iter().zip(&other).zip(&want).enumerate() {
                    assert!(g.same(p), "{what}, result {k}:\n{:?}\n{:?}", g.to_logical::<f64>(), p.to_logical::<f64>());
                    assert!(
                        close(g, w),
                        "{what}, result {k}:\n{:?}\n{:?}",
                        g.to_logical::<f64>(),
                        w.to_logical::<f64>()
                    );
                }
                // Every second result is held while the function is called again.
                if i % 2 == 0 {
                    held.push((got, other));
                }
                for (g, p) in held.iter().flat_map(|(g, p)| g.iter().zip(p)) {
                    assert!(g.same(p), "{what}: a result that is held has changed");
                }
            }
        }
    }
}
#[test]
fn limits_hold_in_replayed_loops() {
    let mut m = module();
    tfc_passes::level(2).run(&mut m, &mut |_| {}).unwrap();
    let f = m.find("scalars").unwrap();
    let mut exe = Cpu::compile(&m, f, &CompileOptions::default()).unwrap();
    let fuel = |n| RunOptions { max_trips: Some(n), ..RunOptions::default() };
    let x = arguments(2, 2, 50, 1);
    for limit in [0, 1, 2, 3, 49] {
        assert_eq!(exe.run(&x, &fuel(limit)).unwrap_err().data().code, "E0712", "{limit}");
    }
    for limit in [50, 51] {
        let r = exe.run(&x, &fuel(limit)).unwrap();
        assert_eq!((r[3].item::<i64>(), r[4].len()), (Some(50), 50));
    }
    let small = RunOptions { memory: Some(200), ..RunOptions::default() };
    exe.release();
    assert_eq!(exe.run(&x, &small).unwrap_err().data().code, "E0715");
    assert_eq!(exe.run(&x, &RunOptions::default()).unwrap()[5].len(), 50);
}
