//! Jacobians whose zeros are found are those of all directions, forward and by results: of random programs of what keeps axes, moves
//! along them, meets neighbours, cuts and joins them, and of what does not. Wrong places would be zeros where there are none.
use std::fmt::Write;
use tfc_api::prelude::*;
use tfc_testkit::Rng;

/// A value, and its shape.
#[derive(Clone)]
struct Value {
    name: String,
    shape: Vec<usize>,
}
struct Text {
    rng: Rng,
    body: String,
    all: Vec<Value>,
}
fn ty(shape: &[usize]) -> String {
    format!("f64{shape:?}")
}
impl Text {
    fn pick(&mut self, test: impl Fn(&Value) -> bool) -> Option<Value> {
        let list: Vec<Value> = self.all.iter().filter(|v| test(v)).cloned().collect();
        // Recent ones are likelier.
        let n = list.len();
        (n > 0).then(|| list[n - 1 - self.rng.below(n).min(self.rng.below(n))].clone())
    }
    fn say(&mut self, shape: Vec<usize>, what: &str) {
        let name = format!("%v{}", self.all.len());
        let _ = writeln!(self.body, "  {name}: {} = {what}", ty(&shape));
        self.all.push(Value { name, shape });
    }
    fn step(&mut self) {
        let Some(v) = self.pick(|_| true) else { return };
        let (x, shape, rank) = (v.name.clone(), v.shape.clone(), v.shape.len());
        let axis = self.rng.below(rank.max(1));
        match self.rng.below(15) {
            0 | 1 => self.say(shape, &format!("sin({x})")),
            2..=4 => {
                let Some(w) = self.pick(|w| w.shape == shape) else { return };
                let op = ["add", "sub", "mul"][self.rng.below(3)];
                self.say(shape, &format!("{op}({x}, {})", w.name));
            }
            5 if rank > 0 && shape[axis] > 2 => {
                let (mut start, mut limit, mut stride) = (vec![0; rank], shape.clone(), vec![1; rank]);
                start[axis] = self.rng.below(2);
                limit[axis] -= self.rng.below(2);
                stride[axis] = 1 + self.rng.below(6) / 5;
                let mut new = shape.clone();
                new[axis] = (limit[axis] - start[axis]).div_ceil(stride[axis]);
                self.say(new, &format!("slice({x}, start = {start:?}, limit = {limit:?}, stride = {stride:?})"));
            }
            6 if rank > 0 && shape[axis] < 7 => {
                let (mut low, mut high) = (vec![0i64; rank], vec![0i64; rank]);
                low[axis] = self.rng.below(3) as i64 - 1;
                high[axis] = self.rng.below(3) as i64 - 1;
                let n = shape[axis] as i64 + low[axis] + high[axis];
                if n < 1 {
                    return;
                }
                let mut new = shape.clone();
                new[axis] = n as usize;
                self.say(new, &format!("pad({x}, %zero, low = {low:?}, high = {high:?})"));
            }
            7 if rank > 0 => {
                let mut new = shape.clone();
                new.remove(axis);
                self.say(new, &format!("reduce_sum({x}, axes = [{axis}])"));
            }
            8 if rank > 1 => {
                let mut perm: Vec<usize> = (0..rank).collect();
                perm.rotate_left(1 + self.rng.below(rank - 1));
                let new = perm.iter().map(|&p| shape[p]).collect();
                self.say(new, &format!("transpose({x}, perm = {perm:?})"));
            }
            9 if rank > 0 && rank < 3 => {
                let to: Vec<usize> = (0..=rank).filter(|&d| d != axis).collect();
                let mut new = shape.clone();
                new.insert(axis, 2);
                self.say(new, &format!("broadcast_in_dim({x}, dims = {to:?})"));
            }
            10 => {
                let n: usize = shape.iter().product();
                let cuts: Vec<usize> = (1..=n).filter(|c| n.is_multiple_of(*c)).collect();
                if n == 0 || n > 12 {
                    return;
                }
                let c = cuts[self.rng.below(cuts.len())];
                let new = if self.rng.below(3) == 0 { vec![n] } else { vec![c, n / c] };
                let order = ["first", "last"][self.rng.below(2)];
                self.say(new, &format!("reshape({x}, order = {order})"));
            }
            11 if rank > 0 => {
                let alike = |w: &Value| w.shape.len() == rank && (0..rank).all(|a| a == axis || w.shape[a] == shape[a]);
                let Some(w) = self.pick(alike) else { return };
                let mut new = shape.clone();
                new[axis] += w.shape[axis];
                if new[axis] < 9 {
                    self.say(new, &format!("concat({x}, {}, axis = {axis})", w.name));
                }
            }
            12 if rank > 0 && rank < 3 && shape[axis] > 2 => {
                let stride = 1 + self.rng.below(4) / 3;
                let mut new = shape.clone();
                new[axis] = (shape[axis] - 2) / stride + 1;
                new.push(2);
                self.say(new, &format!("windows({x}, axes = [{axis}], size = [2], stride = [{stride}])"));
            }
            13 if rank > 0 => {
                let op = if self.rng.below(2) == 0 { "cumsum" } else { "reverse" };
                let axes = if op == "cumsum" { format!("axis = {axis}") } else { format!("axes = [{axis}]") };
                self.say(shape, &format!("{op}({x}, {axes})"));
            }
            14 if rank > 0 => {
                // With a matrix of its own, made of numbers.
                let n = shape[axis];
                let _ = writeln!(self.body, "  %w{}: f64[{n}, 2] = const(splat = 0.75)", self.all.len());
                let mut new = shape.clone();
                new.remove(axis);
                new.push(2);
                let w = self.all.len();
                self.say(new, &format!("dot_general({x}, %w{w}, contract = [[{axis}], [0]])"));
            }
            _ => {}
        }
    }
}
const SHAPES: [&[usize]; 6] = [&[6], &[3, 2], &[4], &[2, 2, 3], &[12], &[5, 1]];

fn program(seed: u64) -> (String, Vec<usize>) {
    let mut rng = Rng::new(seed);
    let shape = SHAPES[rng.below(SHAPES.len())].to_vec();
    let steps = 3 + rng.below(8);
    let first = Value { name: "%x".into(), shape: shape.clone() };
    let mut t = Text { rng, body: String::new(), all: vec![first] };
    for _ in 0..steps {
        t.step();
    }
    let y = t.all[t.all.len() - 1].clone();
    let x = ty(&shape);
    let j = ty(&[&y.shape[..], &shape].concat());
    let text = format!(
        "tfir 1.0\nfunc @f(%x: {x}) -> {} {{\n  %zero = const(0.0)\n{}  return {}\n}}\nexport func @main(%x: {x}) -> ({j}, {j}, {j}, {j}) {{\n  \
         %a = jacobian(@f, %x, dense = true)\n  %b = jacobian(@f, %x, mode = forward)\n  %c = jacobian(@f, %x, mode = reverse)\n  \
         %d = jacobian(@f, %x)\n  return %a, %b, %c, %d\n}}\n",
        ty(&y.shape),
        t.body,
        y.name,
    );
    (text, shape)
}
/// How many directions each way takes, of how many.
fn runs(text: &str) -> [i64; 2] {
    let program = GraphProgram::parse(text).unwrap();
    let memo = tfc_passes::Memo::new(program.module());
    let main = program.entry().unwrap();
    let mut out = [0, 0];
    main.walk(tfc_ir::BODY, &mut |o| {
        let op = main.op(o);
        if let (Some(explain), Some("forward")) = (op.def.explain, op.attrs.word("mode")) {
            let said = explain(&memo, &main, op).unwrap();
            let numbers: Vec<i64> = said.split([' ', ',']).filter_map(|w| w.parse().ok()).collect();
            out = [numbers[0], numbers[1]];
        }
    });
    out
}

#[test]
fn found_zeros_are_zeros() {
    let (mut fewer, mut most) = (0, [0, 0]);
    let many = 400;
    for seed in 0..many {
        let (text, shape) = program(seed);
        let program = GraphProgram::parse(&text).unwrap_or_else(|e| panic!("{seed}: {e}\n{text}"));
        let n = shape.iter().product();
        let x = Tensor::from_column_major(&shape, (0..n).map(|i| 0.3 + 0.7 * i as f64).collect()).unwrap();
        let out = GraphExecutor::new(CpuBackend::new()).run_with(&program, &[("x", x)]);
        let out = out.unwrap_or_else(|e| panic!("{seed}: {e}\n{text}"));
        let all: Vec<Vec<f64>> = out.iter().map(|t| t.to_logical().unwrap()).collect();
        for other in &all[1..] {
            let far = all[0].iter().zip(other).map(|(a, b)| (a - b).abs() / a.abs().max(1.0)).fold(0.0, f64::max);
            assert!(far < 1e-12, "seed {seed}: {far}\n{text}\n{:?}\n{other:?}", all[0]);
        }
        let [some, of] = runs(&text);
        fewer += usize::from(some < of);
        most = [most[0] + some, most[1] + of];
    }
    println!("{fewer} of {many} programs take fewer directions: {} of {}", most[0], most[1]);
    assert!(fewer > 100, "only {fewer} of {many} programs have zeros that are found");
}
