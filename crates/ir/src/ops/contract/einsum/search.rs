//! Orders of many operands: greedy choices, and exchanges of subtrees (simulated annealing by threshold accepting: Dueck,
//! Scheuer, J. Comput. Phys. 90, 161, which needs no logarithm and so gives the same bits everywhere).
use super::plan::{Minimize, Network, Step, cost, flops, walk};
use crate::sample::Draw;
use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};

/// How often the greedy choice is drawn; the first time without noise.
const STARTS: usize = 8;
/// How many of them are improved.
const IMPROVED: usize = 3;
/// Exchanges tried for each operand, and at most.
const TRIES: (usize, usize) = (2000, 60_000);

/// A set of labels.
#[derive(Clone, PartialEq, Eq)]
struct Set(Box<[u64]>);
impl Set {
    fn of(labels: &[usize], all: usize) -> Set {
        let mut s = Set(vec![0; all.div_ceil(64)].into());
        labels.iter().for_each(|&l| s.0[l / 64] |= 1 << (l % 64));
        s
    }
    fn with(&self, other: &Set, f: impl Fn(u64, u64) -> u64) -> Set {
        Set(self.0.iter().zip(&other.0).map(|(&a, &b)| f(a, b)).collect())
    }
    fn or(&self, other: &Set) -> Set {
        self.with(other, |a, b| a | b)
    }
    fn and(&self, other: &Set) -> Set {
        self.with(other, |a, b| a & b)
    }
    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(w, &bits)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                let i = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(64 * w + i)
            })
        })
    }
    fn size(&self, sizes: &[f64]) -> f64 {
        self.iter().map(|l| sizes[l]).product()
    }
}

/// The best order that is found; within `limit` where one is found that is.
pub(super) fn search(net: &Network, minimize: Minimize, limit: f64) -> Vec<[usize; 2]> {
    let mut draw = Draw::new(0x5eed);
    let mut found: Vec<(f64, Vec<[usize; 2]>)> = vec![];
    for start in 0..STARTS {
        let noise = if start == 0 { 0.0 } else { 0.25 * start as f64 };
        let pairs = greedy(net, noise, &mut draw);
        found.push((value(&walk(net, &pairs), minimize, limit), pairs));
    }
    let by = |x: &(f64, Vec<[usize; 2]>), y: &(f64, Vec<[usize; 2]>)| x.0.total_cmp(&y.0);
    found.sort_by(by);
    for i in 0..IMPROVED {
        let pairs = Tree::of(net, &found[i].1, minimize, limit).anneal(&mut draw);
        found.push((value(&walk(net, &pairs), minimize, limit), pairs));
    }
    found.sort_by(by);
    found.swap_remove(0).1
}
/// What is made small, of a whole order; what is too large counts many times over.
fn value(steps: &[Step], minimize: Minimize, limit: f64) -> f64 {
    let last = steps.len().saturating_sub(1);
    let of = |(i, s): (usize, &Step)| penalty(cost(minimize, s.flops, s.elements), s.elements, limit, i == last);
    let each = steps.iter().enumerate().map(of);
    match minimize {
        Minimize::Size => each.fold(0.0, f64::max),
        _ => each.sum(),
    }
}
fn penalty(cost: f64, elements: f64, limit: f64, last: bool) -> f64 {
    let over = elements / limit;
    if last || over <= 1.0 { cost } else { cost * 1e6 * over }
}

/// Two factors that share a label, by what multiplying them gains.
struct Pair {
    gain: f64,
    of: [usize; 2],
}
impl Ord for Pair {
    fn cmp(&self, other: &Pair) -> Ordering {
        // The greatest of a heap is taken first: that of the least cost, then the earliest.
        other.gain.total_cmp(&self.gain).then_with(|| other.of.cmp(&self.of))
    }
}
impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Pair) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Pair {
    fn eq(&self, other: &Pair) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Pair {}

/// Factors that are left while a greedy order is made.
struct Greedy<'a> {
    net: &'a Network,
    sets: Vec<Set>,
    alive: Vec<bool>,
    /// By label: who has it, the result counted apart.
    users: Vec<BTreeSet<usize>>,
    wanted: Vec<bool>,
    noise: f64,
}
impl Greedy<'_> {
    /// Labels that the product of two keeps.
    fn product(&self, a: usize, b: usize) -> Set {
        let both = self.sets[a].or(&self.sets[b]);
        let needed = |l: &usize| self.wanted[*l] || self.users[*l].iter().any(|&u| u != a && u != b);
        Set::of(&both.iter().filter(needed).collect::<Vec<_>>(), self.net.sizes.len())
    }
    fn pair(&self, a: usize, b: usize, draw: &mut Draw) -> Pair {
        let size = |s: &Set| s.size(&self.net.sizes);
        let jitter = if self.noise > 0.0 { 1.0 + self.noise * (draw.unit() - 0.5) } else { 1.0 };
        let gain = size(&self.product(a, b)) * jitter - size(&self.sets[a]) - size(&self.sets[b]);
        Pair { gain, of: [a.min(b), a.max(b)] }
    }
    /// Factors that share a label with `a`.
    fn near(&self, a: usize) -> BTreeSet<usize> {
        self.sets[a].iter().flat_map(|l| self.users[l].iter().copied()).filter(|&u| u != a).collect()
    }
    fn join(&mut self, a: usize, b: usize) -> usize {
        let (new, own) = (self.sets.len(), self.product(a, b));
        for i in [a, b] {
            self.alive[i] = false;
            for l in self.sets[i].iter().collect::<Vec<_>>() {
                self.users[l].remove(&i);
            }
        }
        own.iter().for_each(|l| self.users[l].extend([new]));
        self.sets.push(own);
        self.alive.push(true);
        new
    }
}
/// Always the pair that makes least of most; what shares no label is multiplied at the end, the smallest first.
fn greedy(net: &Network, noise: f64, draw: &mut Draw) -> Vec<[usize; 2]> {
    let labels = net.sizes.len();
    let mut g = Greedy {
        net,
        sets: net.inputs.iter().map(|x| Set::of(x, labels)).collect(),
        alive: vec![true; net.inputs.len()],
        users: vec![BTreeSet::new(); labels],
        wanted: vec![false; labels],
        noise,
    };
    net.output.iter().for_each(|&l| g.wanted[l] = true);
    net.inputs.iter().enumerate().for_each(|(i, x)| x.iter().for_each(|&l| g.users[l].extend([i])));
    let (mut heap, mut pairs) = (BinaryHeap::new(), vec![]);
    for a in 0..net.inputs.len() {
        for b in g.near(a).into_iter().filter(|&b| b > a) {
            heap.push(g.pair(a, b, draw));
        }
    }
    while let Some(Pair { of: [a, b], .. }) = heap.pop() {
        if !g.alive[a] || !g.alive[b] {
            continue;
        }
        let new = g.join(a, b);
        pairs.push([a, b]);
        for b in g.near(new) {
            heap.push(g.pair(new, b, draw));
        }
    }
    loop {
        let mut left: Vec<usize> = (0..g.alive.len()).filter(|&i| g.alive[i]).collect();
        left.sort_by(|&a, &b| g.sets[a].size(&net.sizes).total_cmp(&g.sets[b].size(&net.sizes)).then(a.cmp(&b)));
        let &[a, b, ..] = &left[..] else { return pairs };
        g.join(a, b);
        pairs.push([a.min(b), a.max(b)]);
    }
}

/// An order as a tree: operands, then products.
struct Tree<'a> {
    net: &'a Network,
    minimize: Minimize,
    limit: f64,
    sets: Vec<Set>,
    /// Factors of each product.
    parts: Vec<[usize; 2]>,
    n: usize,
    root: usize,
}
impl Tree<'_> {
    fn of<'a>(net: &'a Network, pairs: &[[usize; 2]], minimize: Minimize, limit: f64) -> Tree<'a> {
        let labels = net.sizes.len();
        let made = walk(net, pairs);
        let lists = net.inputs.iter().chain(made.iter().map(|s| &s.labels));
        let sets = lists.map(|l| Set::of(l, labels)).collect();
        let n = net.inputs.len();
        Tree { net, minimize, limit, sets, parts: pairs.to_vec(), n, root: n + pairs.len() - 1 }
    }
    /// The cost of product `p`, of these factors, which keeps these labels.
    fn cost(&self, p: usize, [a, b]: [&Set; 2], own: &Set) -> f64 {
        let both = a.or(b);
        let elements = own.size(&self.net.sizes);
        let f = flops(both.size(&self.net.sizes), both != *own);
        penalty(cost(self.minimize, f, elements), elements, self.limit, p == self.root)
    }
    fn cost_of(&self, p: usize) -> f64 {
        let [a, b] = self.parts[p - self.n];
        self.cost(p, [&self.sets[a], &self.sets[b]], &self.sets[p])
    }
    /// `(x y) z` becomes `(x z) y` or `(y z) x`, again and again: while it gets no worse than by a threshold that falls.
    fn anneal(mut self, draw: &mut Draw) -> Vec<[usize; 2]> {
        let mut total: f64 = (self.n..self.sets.len()).map(|p| self.cost_of(p)).sum();
        let (mut best, mut kept) = (total, self.parts.clone());
        let tries = (TRIES.0 * self.n).min(TRIES.1);
        let mut threshold = 0.3;
        // From 0.3 down to 1e-6 in as many steps as there are tries.
        let fall = 1.0 - 12.6 / tries as f64;
        for _ in 0..tries {
            threshold *= fall;
            let p = self.n + (draw.bits() % self.parts.len() as u64) as usize;
            let side = (draw.bits() & 1) as usize;
            let (c, z) = (self.parts[p - self.n][side], self.parts[p - self.n][1 - side]);
            if c < self.n {
                continue;
            }
            let which = (draw.bits() & 1) as usize;
            let (x, y) = (self.parts[c - self.n][which], self.parts[c - self.n][1 - which]);
            // Now (x y) z; then (x z) y, where x z keeps what y or the whole needs.
            let own = self.sets[x].or(&self.sets[z]).and(&self.sets[y].or(&self.sets[p]));
            let before = self.cost_of(c) + self.cost_of(p);
            let after =
                self.cost(c, [&self.sets[x], &self.sets[z]], &own) + self.cost(p, [&own, &self.sets[y]], &self.sets[p]);
            if after - before > threshold * total {
                continue;
            }
            total += after - before;
            self.sets[c] = own;
            self.parts[c - self.n] = [x, z];
            self.parts[p - self.n] = [c, y];
            if total < best * (1.0 - 1e-9) {
                // Differences lose digits where costs were large before.
                total = (self.n..self.sets.len()).map(|p| self.cost_of(p)).sum();
                if total < best {
                    best = total;
                    kept.clone_from(&self.parts);
                }
            }
        }
        self.parts = kept;
        self.pairs()
    }
    /// Pairs in an order in which factors come first.
    fn pairs(&self) -> Vec<[usize; 2]> {
        let mut number: Vec<usize> = (0..self.sets.len()).collect();
        let (mut out, mut todo) = (vec![], vec![(self.root, false)]);
        while let Some((p, ready)) = todo.pop() {
            if p < self.n {
                continue;
            }
            let [a, b] = self.parts[p - self.n];
            if ready {
                out.push([number[a], number[b]]);
                number[p] = self.n + out.len() - 1;
            } else {
                todo.extend([(p, true), (b, false), (a, false)]);
            }
        }
        out
    }
}
