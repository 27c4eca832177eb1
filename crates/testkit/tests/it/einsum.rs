//! `einsum` against its definition: random texts of every form, run by every backend, against loops over all labels; their
//! derivatives against the same loops. `TFC_PROGRAMS` says how many, `TFC_FROM` where to begin.
use tfc_api::Kernels;
use tfc_engine::{Limits, Options};
use tfc_ir::ops::contract::EINSUM;
use tfc_ir::ops::derivative::VJP;
use tfc_ir::sample::{Domain, Draw};
use tfc_ir::*;
use tfc_testkit::Rng;

/// A random `einsum`: what its text means is known, not read off it.
#[derive(Debug)]
struct Case {
    text: String,
    /// Labels by number, of each operand and of the result; `...` written out.
    terms: Vec<Vec<usize>>,
    out: Vec<usize>,
    extents: Vec<usize>,
    dtype: DType,
    conj: Vec<usize>,
    attrs: Attrs,
}
/// How a label is written.
fn word(l: usize) -> String {
    match l {
        0..4 => char::from(b'i' + l as u8).to_string(),
        4..6 => char::from(b'A' + l as u8).to_string(),
        _ => format!(" {} ", 10 * l),
    }
}
/// Labels that `...` stands for, the last axis last.
const DOTS: usize = 8;
const LABELS: usize = 11;

fn case(seed: u64) -> Case {
    let mut r = Rng::new(seed);
    let mut below = |n: usize| r.below(n);
    let n = [1, 1, 2, 2, 2, 3, 3, 4, 5][below(9)];
    let labels = 1 + below(6);
    let extents: Vec<usize> = (0..LABELS).map(|_| if below(25) == 0 { 0 } else { 1 + below(3) }).collect();
    let dots = if below(4) == 0 { 1 + below(2) } else { 0 };
    let (mut terms, mut texts) = (vec![], vec![]);
    for _ in 0..n {
        let mut term: Vec<usize> = (0..below(4)).map(|_| below(labels) + if below(9) == 0 { 2 } else { 0 }).collect();
        let mut text: Vec<String> = term.iter().map(|&l| word(l)).collect();
        if dots > 0 && below(3) > 0 {
            let at = below(term.len() + 1);
            let width = below(dots + 1);
            text.insert(at, "...".into());
            (0..width).for_each(|k| term.insert(at + k, LABELS - width + k));
        }
        texts.push(text.join(if below(3) == 0 { " " } else { "" }));
        terms.push(term);
    }
    assert!(terms.iter().flatten().all(|l| !(DOTS..LABELS - 2).contains(l)));
    let has_dots = texts.iter().any(|t| t.contains("..."));
    let wide = (LABELS - 2..LABELS).filter(|l| terms.iter().flatten().any(|m| m == l)).count();
    let dotted: Vec<usize> = (LABELS - wide..LABELS).collect();
    let mut used: Vec<usize> = terms.iter().flatten().copied().filter(|&l| l < LABELS - 2).collect();
    used.sort_unstable();
    let once: Vec<usize> = used.iter().copied().filter(|l| used.iter().filter(|m| *m == l).count() == 1).collect();
    used.dedup();
    let grouped = n > 2 && below(3) == 0;
    let mut text = if grouped {
        let from = below(n - 1);
        let to = from + 2 + below(n - from - 1);
        let mut t = texts.clone();
        t[from].insert(0, '(');
        t[to - 1].push(')');
        t.join(",")
    } else {
        texts.join(",")
    };
    let out = if below(4) == 0 {
        // Numbers before capital letters before small ones, as their text says.
        let mut list = once;
        list.sort_by_key(|&l| match l {
            6.. => (0, l),
            4..6 => (1, l),
            _ => (2, l),
        });
        [dotted, list].concat()
    } else {
        text.push_str("->");
        let mut out: Vec<usize> = vec![];
        for _ in 0..below(4) {
            if !used.is_empty() {
                let l = used[below(used.len())];
                if !out.contains(&l) || below(3) == 0 {
                    out.push(l);
                }
            }
        }
        let mut words: Vec<String> = out.iter().map(|&l| word(l)).collect();
        if has_dots {
            let at = below(out.len() + 1);
            words.insert(at, "...".into());
            dotted.iter().enumerate().for_each(|(k, &l)| out.insert(at + k, l));
        }
        text.push_str(&words.concat());
        out
    };
    let dtype = [DType::F64, DType::F64, DType::C64, DType::I64, DType::F32][below(5)];
    let mut attrs = Attrs::of([("spec", Attr::Str(text.as_str().into()))]);
    let conj: Vec<usize> = (0..n).filter(|_| below(3) == 0).collect();
    if !conj.is_empty() {
        attrs.set("conj", Attr::ints(&conj));
    }
    if below(3) == 0 {
        attrs.set("minimize", Attr::word(["flops", "size", "both"][below(3)]));
    }
    if below(4) == 0 {
        attrs.set("memory_limit", Attr::Int(1 + below(6) as i64));
    }
    if !grouped && below(3) == 0 {
        let (mut left, mut path) = (n, vec![]);
        while left > 1 {
            let k = 1 + below(left.min(3));
            let mut all: Vec<i64> = (0..left as i64).collect();
            path.push(Attr::List((0..k).map(|_| Attr::Int(all.swap_remove(below(all.len())))).collect()));
            left = left + 1 - k;
        }
        attrs.set("path", Attr::List(path.into()));
    }
    Case { text, terms, out, extents, dtype, conj: if dtype.is_complex() { conj } else { vec![] }, attrs }
}
fn number(t: &Tensor, at: &[usize]) -> C64 {
    let real = |x: f64| C64::new(x, 0.0);
    match t.dtype() {
        DType::F64 => t.get::<f64>(at).map(real),
        DType::F32 => t.get::<f32>(at).map(|x| real(x.into())),
        DType::I64 => t.get::<i64>(at).map(|x| real(x as f64)),
        _ => t.get::<C64>(at),
    }
    .unwrap()
}
/// Every index of these extents.
fn each(extents: &[usize], mut f: impl FnMut(&[usize])) {
    let n: usize = extents.iter().product();
    let mut at = vec![0; extents.len()];
    for _ in 0..n {
        f(&at);
        for k in (0..at.len()).rev() {
            at[k] += 1;
            if at[k] < extents[k] {
                break;
            }
            at[k] = 0;
        }
    }
}
impl Case {
    fn shape(&self, labels: &[usize]) -> Vec<usize> {
        labels.iter().map(|&l| self.extents[l]).collect()
    }
    /// The definition: for every index of all labels, the product goes to one element.
    fn reference(&self, x: &[Tensor]) -> Vec<C64> {
        let mut all: Vec<usize> = self.terms.concat();
        all.sort_unstable();
        all.dedup();
        let shape = self.shape(&self.out);
        let mut y = vec![C64::new(0.0, 0.0); shape.iter().product()];
        let mut index = [0; LABELS];
        each(&self.shape(&all), |at| {
            all.iter().zip(at).for_each(|(&l, &i)| index[l] = i);
            let mut p = C64::new(1.0, 0.0);
            for (k, (t, x)) in self.terms.iter().zip(x).enumerate() {
                let z = number(x, &t.iter().map(|&l| index[l]).collect::<Vec<_>>());
                p *= if self.conj.contains(&k) { z.conj() } else { z };
            }
            let place = self.out.iter().zip(&shape).fold(0, |s, (&l, n)| s * n + index[l]);
            y[place] += p;
        });
        y
    }
    fn inputs(&self, draw: &mut Draw) -> Vec<Tensor> {
        let ty = |t: &Vec<usize>| Type::exact(self.dtype, &self.shape(t));
        self.terms.iter().map(|t| draw.tensor(&ty(t), Domain::Any).unwrap()).collect()
    }
    /// As an op of a function in a module.
    fn func(&self, m: &Module) -> Result<FuncId> {
        let mut b = Builder::new(m, "f");
        let ps: Vec<_> = self.terms.iter().map(|t| b.param(Type::exact(self.dtype, &self.shape(t)), "x")).collect();
        let ys = b.emit(NewOp::new(&EINSUM, &ps).attrs(self.attrs.clone()))?;
        Ok(m.add(b.finish(ys)?))
    }
}
fn elements(t: &Tensor) -> Vec<C64> {
    let mut out = vec![];
    each(t.shape(), |at| out.push(number(t, at)));
    out
}
fn lowered(m: &Module, level: u8) -> Module {
    let mut m = m.fork();
    tfc_passes::level(level).run(&mut m, &mut |_| {}).unwrap_or_else(|e| panic!("{}", e.error));
    m
}
/// Results on every backend, by its level.
fn runs(m: &Module, f: FuncId, x: &[Tensor]) -> Vec<(String, Vec<Tensor>)> {
    let kernels = Kernels::default();
    let all = kernels.backends();
    let one = |b: &dyn tfc_engine::Backend| {
        let m = lowered(m, if b.as_written() { 0 } else { 2 });
        let exe = b.compile(m, f, &Options { threads: 1, ..Options::default() }).unwrap();
        (b.name().to_owned(), exe.run(x, &Limits::default()).unwrap())
    };
    all.iter().map(|b| one(&**b)).collect()
}
fn check(seed: u64) {
    let c = case(seed);
    let what = format!("seed {seed}: {c:?}");
    let mut draw = Draw::new(seed);
    let x = c.inputs(&mut draw);
    let m = Module::new(std::sync::Arc::new(OpSet::core()));
    let f = c.func(&m).unwrap_or_else(|e| panic!("{what}: {e}"));
    let text = print::module(&m);
    let again = tfc_frontend::text::parse_module(text.as_bytes(), &std::sync::Arc::new(OpSet::core()));
    assert_eq!(print::module(&again.unwrap_or_else(|d| panic!("{what}: {d:?}\n{text}")).module), text);
    let want = c.reference(&x);
    let size = want.iter().map(|z| z.norm()).fold(1.0, f64::max);
    let near = if c.dtype == DType::F32 { 2e-5 } else { 1e-12 } * size;
    for (name, y) in runs(&m, f, &x) {
        assert_eq!(y[0].shape(), c.shape(&c.out), "{what}, {name}");
        for (i, (g, w)) in elements(&y[0]).iter().zip(&want).enumerate() {
            let ok = if c.dtype == DType::I64 { g == w } else { (g - w).norm() <= near };
            assert!(ok, "{what}, {name}: element {i} is {g}, not {w}");
        }
    }
    if seed.is_multiple_of(3) && matches!(c.dtype, DType::F64 | DType::C64) {
        derivative(&c, &m, f, &x, &mut draw, &what);
    }
}
/// ⟨ȳ, J ẋ⟩ = ⟨Jᵀ ȳ, ẋ⟩ for each operand, where J ẋ is the reference with ẋ in the operand's place.
fn derivative(c: &Case, m: &Module, f: FuncId, x: &[Tensor], draw: &mut Draw, what: &str) {
    let src = m.func(f).unwrap();
    let out = src.result_types[0].clone();
    let mut b = Builder::new(m, "g");
    let mut ps: Vec<_> = src.params().iter().map(|&p| b.param(src.ty(p).clone(), "x")).collect();
    ps.push(b.param(out.clone(), "ct"));
    let wrt: Vec<usize> = (0..x.len()).collect();
    let op = NewOp::new(&VJP, &ps).attr("callee", Attr::Sym(f.into())).attr("wrt", Attr::ints(&wrt));
    let ys = b.emit(op).unwrap();
    let g = m.add(b.finish(ys).unwrap());
    let ct = draw.tensor(&out, Domain::Any).unwrap();
    let args: Vec<Tensor> = x.iter().cloned().chain([ct.clone()]).collect();
    let inner = |a: &[C64], b: &[C64]| a.iter().zip(b).map(|(a, b)| (a.conj() * b).re).sum::<f64>();
    for (name, ys) in runs(m, g, &args) {
        for k in 0..x.len() {
            let dx = draw.tensor(&Type::exact(c.dtype, x[k].shape()), Domain::Any).unwrap();
            let mut moved = x.to_vec();
            moved[k] = dx.clone();
            let (lhs, rhs) =
                (inner(&elements(&ct), &c.reference(&moved)), inner(&elements(&ys[1 + k]), &elements(&dx)));
            let near =
                1e-10 * (1.0 + lhs.abs() + rhs.abs() + c.reference(&moved).iter().map(|z| z.norm()).sum::<f64>());
            assert!((lhs - rhs).abs() <= near, "{what}, {name}: by operand {k}: {lhs} and {rhs}");
        }
    }
}

#[test]
fn random_texts_mean_what_the_definition_says() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default);
    let (from, n) = (number("TFC_FROM", 0), number("TFC_PROGRAMS", 2000));
    (from..from + n).for_each(check);
    // What they are made of is there often.
    if n >= 2000 {
        let all: Vec<Case> = (from..from + n).map(case).collect();
        let count = |f: &dyn Fn(&Case) -> bool| all.iter().filter(|c| f(c)).count();
        let twice = |v: &[usize]| (1..v.len()).any(|i| v[..i].contains(&v[i]));
        assert!(count(&|c| c.text.contains("...")) > 200);
        assert!(count(&|c| c.text.contains('(')) > 100);
        assert!(count(&|c| !c.text.contains("->")) > 200);
        assert!(count(&|c| c.terms.iter().any(|t| twice(t))) > 200);
        assert!(count(&|c| twice(&c.out)) > 30);
        assert!(count(&|c| c.attrs.get("memory_limit").is_some() && c.terms.len() > 2) > 100);
        assert!(count(&|c| (0..LABELS).any(|l| c.terms.iter().filter(|t| t.contains(&l)).count() > 2)) > 100);
        assert!(count(&|c| c.shape(&c.terms.concat()).contains(&0)) > 50);
    }
}

/// A chain of matrices multiplied in a random order, each product transposed or not, before and after the pass. Returns whether
/// the pass changed it.
fn chain(seed: u64) -> bool {
    let mut r = Rng::new(seed);
    let n = 3 + r.below(4);
    let dims: Vec<usize> = (0..=n).map(|_| r.one_of(&[1, 3, 40, 90])).collect();
    let dtype = if seed.is_multiple_of(2) { DType::I64 } else { DType::C64 };
    let m = Module::new(std::sync::Arc::new(OpSet::core()));
    let mut b = Builder::new(&m, "f");
    // Each with its rows' axis: it may lie transposed.
    let mut left: Vec<(ValueId, usize)> = (0..n)
        .map(|i| {
            let rows = r.below(2);
            let shape = if rows == 0 { [dims[i], dims[i + 1]] } else { [dims[i + 1], dims[i]] };
            (b.param(Type::exact(dtype, &shape), "x"), rows)
        })
        .collect();
    let params: Vec<Type> = left.iter().map(|x| b.ty(x.0)).collect();
    while left.len() > 1 {
        let i = r.below(left.len() - 1);
        let ((x, a), (y, c)) = (left[i], left[i + 1]);
        let rows = r.below(2);
        let conj = |r: &mut Rng| dtype.is_complex() && r.below(3) == 0;
        let d = tfc_ir::ops::contract::DotDims {
            contract: [vec![1 - a], vec![c]],
            out: (rows == 1).then(|| vec![1, 0]),
            conj_lhs: conj(&mut r),
            conj_rhs: conj(&mut r),
            ..Default::default()
        };
        left[i] = (b.dot(x, y, &d).unwrap(), rows);
        left.remove(i + 1);
    }
    let f = m.add(b.finish(vec![left[0].0]).unwrap());
    let mut draw = Draw::new(seed);
    let x: Vec<Tensor> = params.iter().map(|t| draw.tensor(t, Domain::Any).unwrap()).collect();
    let mut ordered = m.fork();
    let pipeline = tfc_passes::Pipeline::parse("chains,dce").unwrap();
    let changed = pipeline.run(&mut ordered, &mut |_| {}).unwrap_or_else(|e| panic!("seed {seed}: {}", e.error));
    let run = |m: &Module| {
        let kernels = Kernels::default();
        let all = kernels.backends();
        let cpu = all.iter().find(|b| !b.as_written()).unwrap();
        cpu.compile(m.fork(), f, &Options::default()).unwrap().run(&x, &Limits::default()).unwrap().remove(0)
    };
    let (written, new) = (elements(&run(&m)), elements(&run(&ordered)));
    let size = written.iter().map(|z| z.norm()).fold(1.0, f64::max);
    for (g, w) in new.iter().zip(&written) {
        let ok = if dtype == DType::I64 { g == w } else { (g - w).norm() <= 1e-12 * size };
        assert!(ok, "seed {seed}: {g}, not {w}\n{}", print::module(&ordered));
    }
    assert_eq!(new.len(), written.len());
    changed
}
#[test]
fn chains_in_another_order_are_the_same_product() {
    let changed = (0..120).filter(|&seed| chain(seed)).count();
    assert!(changed > 20, "only {changed} chains were ordered anew");
}
