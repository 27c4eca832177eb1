//! In which order the operands of an `einsum` are multiplied, two at a time.
//!
//! A network is a list of label sets with the extent of each label; a plan is a list of pairs. Up to [`EXACT`] operands
//! every order is looked at, products of operands that share no label included, by dynamic programming over subsets
//! (Pfeifer, Haegeman, Verstraete, Phys. Rev. E 90, 033315, without its restriction to connected subsets); beyond that a
//! greedy choice (Gray, Kourtis, Quantum 5, 410: the size of what is made less the sizes of what it is made of) is drawn
//! several times and improved by exchanging subtrees. Everything is a function of labels and extents alone: the same
//! network gives the same plan on every machine.
use super::search;

/// Most operands for which every order is looked at.
pub(super) const EXACT: usize = 12;
/// Operations an element that is written counts as, where operations and sizes are weighed against each other.
const WRITE: f64 = 64.0;

/// What a plan makes small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Minimize {
    /// Operations; among equals the largest intermediate result.
    Flops,
    /// The largest intermediate result; among equals operations.
    Size,
    /// Operations and elements written, each of which counts as 64 operations.
    Both,
}
/// Label sets of operands, none with a label twice, and of the result; the extent of each label, at least 1.
#[derive(Clone, Debug)]
pub struct Network {
    /// Labels of each operand.
    pub inputs: Vec<Vec<usize>>,
    /// Labels of the result.
    pub output: Vec<usize>,
    /// Extents by label.
    pub sizes: Vec<f64>,
}
/// A part of the text: an operand, or operands in parentheses, which are multiplied before anything else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// The operand of that index.
    Operand(usize),
    /// A group.
    Group(Vec<Node>),
}
/// Who chooses the order.
#[derive(Clone, Copy, Debug)]
pub enum Order<'a> {
    /// Parentheses as far as there are any; the planner within them.
    Tree(&'a [Node]),
    /// A list of steps: positions in the list of what is left, to whose end each product goes.
    Path(&'a [Vec<usize>]),
}
/// A product of two: operands and earlier steps are numbered in one row, operands first.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// The factors.
    pub of: [usize; 2],
    /// Labels of the product that are kept.
    pub labels: Vec<usize>,
    /// Multiplications and additions.
    pub flops: f64,
    /// Elements of the product.
    pub elements: f64,
}
/// An order, and what it costs.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// Steps in order.
    pub steps: Vec<Step>,
    /// Labels over which a loop runs, one index at a time, so that no intermediate result is larger than allowed.
    pub sliced: Vec<usize>,
    /// Multiplications and additions of all steps, all trips included.
    pub flops: f64,
    /// Elements of the largest product, the last one included.
    pub largest: f64,
}

/// Plans a network. No product but the last has more elements than `limit`, by slices where no order is enough.
pub fn plan(net: &Network, order: Order, minimize: Minimize, limit: Option<f64>) -> Plan {
    let mut best = sliced(net, order, minimize, limit, &[]);
    let Some(limit) = limit else { return best };
    while between(&best) > limit {
        let used = |l: &usize| best.steps.iter().rev().skip(1).any(|s| s.elements > limit && s.labels.contains(l));
        let more = (0..net.sizes.len()).filter(|l| net.sizes[*l] > 1.0 && !best.sliced.contains(l) && used(l));
        let each = more.map(|l| sliced(net, order, minimize, Some(limit), &[&best.sliced[..], &[l]].concat()));
        // One that is enough at the least cost; else the one that makes what is too large smallest.
        let rank = |p: &Plan| (between(p).max(limit), p.flops);
        let next = each.min_by(|p, q| rank(p).partial_cmp(&rank(q)).unwrap_or(std::cmp::Ordering::Equal));
        match next {
            Some(p) => best = p,
            None => break,
        }
    }
    best
}
/// Elements of the largest product but the last.
fn between(p: &Plan) -> f64 {
    p.steps.iter().rev().skip(1).map(|s| s.elements).fold(0.0, f64::max)
}
/// A plan for one index of each of these labels.
fn sliced(net: &Network, order: Order, minimize: Minimize, limit: Option<f64>, labels: &[usize]) -> Plan {
    let mut one = net.clone();
    labels.iter().for_each(|&l| one.sizes[l] = 1.0);
    let mut pairs = vec![];
    match order {
        Order::Path(path) => along(path, net.inputs.len(), &mut pairs),
        Order::Tree(nodes) => {
            group(&one, nodes, minimize, limit, true, &mut pairs);
        }
    }
    let steps = walk(&one, &pairs);
    // What does not depend on the indices of the loop is made before it.
    let mut inside: Vec<bool> = net.inputs.iter().map(|x| x.iter().any(|l| labels.contains(l))).collect();
    let trips: f64 = labels.iter().map(|&l| net.sizes[l]).product();
    let mut flops = 0.0;
    for s in &steps {
        inside.push(s.of.iter().any(|&i| inside[i]));
        flops += if inside.last() == Some(&true) { s.flops * trips } else { s.flops };
    }
    let largest = steps.iter().map(|s| s.elements).fold(0.0, f64::max);
    Plan { steps, sliced: labels.to_vec(), flops, largest }
}
/// A path as pairs; steps of more than two go from the left.
fn along(path: &[Vec<usize>], n: usize, pairs: &mut Vec<[usize; 2]>) {
    let mut left: Vec<usize> = (0..n).collect();
    for step in path {
        let taken: Vec<usize> = step.iter().filter_map(|&i| left.get(i).copied()).collect();
        left.retain(|i| !taken.contains(i));
        left.extend(joined(&taken, n, pairs));
    }
    joined(&left, n, pairs);
}
fn joined(list: &[usize], n: usize, pairs: &mut Vec<[usize; 2]>) -> Option<usize> {
    let mut all = list.iter().copied();
    let first = all.next()?;
    Some(all.fold(first, |a, b| {
        pairs.push([a, b]);
        n + pairs.len() - 1
    }))
}
/// Plans a group, groups within it first; the number of what it makes. `whole`: it is all there is.
fn group(
    net: &Network,
    nodes: &[Node],
    minimize: Minimize,
    limit: Option<f64>,
    whole: bool,
    pairs: &mut Vec<[usize; 2]>,
) -> usize {
    let mut made = vec![];
    let mut inputs = vec![];
    for node in nodes {
        made.push(match node {
            Node::Operand(i) => *i,
            Node::Group(g) => group(net, g, minimize, limit, false, pairs),
        });
        inputs.push(kept(net, std::slice::from_ref(node)));
    }
    let output = if whole { net.output.clone() } else { kept(net, nodes) };
    let part = Network { inputs, output, sizes: net.sizes.clone() };
    // The result of a group is an intermediate one, but no order makes it smaller.
    for [a, b] in free(&part, minimize, limit) {
        pairs.push([made[a], made[b]]);
        made.push(net.inputs.len() + pairs.len() - 1);
    }
    made.last().copied().unwrap_or_default()
}
fn leaves(nodes: &[Node], out: &mut Vec<usize>) {
    for n in nodes {
        match n {
            Node::Operand(i) => out.push(*i),
            Node::Group(g) => leaves(g, out),
        }
    }
}
/// Labels of these operands that something else needs.
fn kept(net: &Network, nodes: &[Node]) -> Vec<usize> {
    let mut own = vec![];
    leaves(nodes, &mut own);
    let mut inside = vec![false; net.sizes.len()];
    let mut outside = vec![false; net.sizes.len()];
    for (i, labels) in net.inputs.iter().enumerate() {
        let side = if own.contains(&i) { &mut inside } else { &mut outside };
        labels.iter().for_each(|&l| side[l] = true);
    }
    net.output.iter().for_each(|&l| outside[l] = true);
    (0..net.sizes.len()).filter(|&l| inside[l] && outside[l]).collect()
}
/// Pairs of a network without parentheses; within `limit` where there is such an order.
fn free(net: &Network, minimize: Minimize, limit: Option<f64>) -> Vec<[usize; 2]> {
    let n = net.inputs.len();
    if n < 3 {
        return if n == 2 { vec![[0, 1]] } else { vec![] };
    }
    if n <= EXACT && net.sizes.len() <= 128 {
        let within = limit.and_then(|m| exact(net, minimize, m));
        return within.or_else(|| exact(net, minimize, f64::INFINITY)).unwrap_or_default();
    }
    search::search(net, minimize, limit.unwrap_or(f64::INFINITY))
}
/// The cost of one product in what is made small.
pub(super) fn cost(minimize: Minimize, flops: f64, elements: f64) -> f64 {
    match minimize {
        Minimize::Flops => flops,
        Minimize::Size => elements,
        Minimize::Both => flops + WRITE * elements,
    }
}
/// Operations of a product over an index space of `size` points, `summed` where some labels are summed over.
pub(super) fn flops(size: f64, summed: bool) -> f64 {
    if summed { 2.0 * size } else { size }
}
/// What a subset of the operands comes to.
#[derive(Clone, Copy)]
struct Best {
    /// Labels that are needed outside.
    labels: u128,
    /// What is made small, and what decides among equals.
    cost: [f64; 2],
    /// One half; 0: there is no order.
    left: usize,
}
/// The best order of all whose products have at most `limit` elements, the last aside; `None`: there is none.
fn exact(net: &Network, minimize: Minimize, limit: f64) -> Option<Vec<[usize; 2]>> {
    let n = net.inputs.len();
    let set = |labels: &[usize]| labels.iter().fold(0u128, |s, &l| s | 1 << l);
    let size = |mut s: u128| {
        let mut x = 1.0;
        while s != 0 {
            x *= net.sizes[s.trailing_zeros() as usize];
            s &= s - 1;
        }
        x
    };
    let (all, output) = ((1usize << n) - 1, set(&net.output));
    let mut labels = vec![0u128; all + 1];
    for s in 1..=all {
        labels[s] = labels[s & (s - 1)] | set(&net.inputs[s.trailing_zeros() as usize]);
    }
    let none = [f64::INFINITY; 2];
    let mut best = vec![Best { labels: 0, cost: none, left: 0 }; all + 1];
    for s in 1..=all {
        let own = labels[s] & (output | labels[all & !s]);
        let elements = size(own);
        best[s] = Best { labels: own, cost: none, left: 0 };
        if s & (s - 1) == 0 {
            best[s].cost = [0.0; 2];
            continue;
        }
        if s != all && elements > limit {
            continue;
        }
        // Each pair of halves once: the left one has the lowest operand.
        let low = s & s.wrapping_neg();
        let rest = s & !low;
        let mut half = rest;
        while half != 0 {
            half = (half - 1) & rest;
            let left = half | low;
            let (x, y) = (&best[left], &best[s & !left]);
            if x.cost[0].is_infinite() || y.cost[0].is_infinite() {
                continue;
            }
            let both = x.labels | y.labels;
            let f = flops(size(both), both & !own != 0);
            let one = cost(minimize, f, elements);
            let new = match minimize {
                Minimize::Size => [x.cost[0].max(y.cost[0]).max(one), x.cost[1] + y.cost[1] + f],
                _ => [x.cost[0] + y.cost[0] + one, x.cost[1].max(y.cost[1]).max(elements)],
            };
            if new < best[s].cost {
                best[s].cost = new;
                best[s].left = left;
            }
        }
    }
    let mut pairs = vec![];
    numbered(&best, all, n, &mut pairs).map(|_| pairs)
}
/// Pairs of a subset, halves first; at most [`EXACT`] deep.
fn numbered(best: &[Best], s: usize, n: usize, pairs: &mut Vec<[usize; 2]>) -> Option<usize> {
    if s & (s - 1) == 0 {
        return Some(s.trailing_zeros() as usize);
    }
    let left = Some(best[s].left).filter(|&l| l != 0)?;
    let a = numbered(best, left, n, pairs)?;
    let b = numbered(best, s & !left, n, pairs)?;
    pairs.push([a, b]);
    Some(n + pairs.len() - 1)
}
/// Steps with labels and costs of pairs.
pub fn walk(net: &Network, pairs: &[[usize; 2]]) -> Vec<Step> {
    // How many of what is left have a label; the result is one of them.
    let mut uses = vec![0usize; net.sizes.len()];
    net.inputs.iter().chain([&net.output]).flatten().for_each(|&l| uses[l] += 1);
    let mut labels: Vec<Vec<usize>> = net.inputs.clone();
    let mut steps: Vec<Step> = vec![];
    for &[a, b] in pairs {
        let (x, y) = (&labels[a], &labels[b]);
        let mut both = x.clone();
        both.extend(y.iter().filter(|l| !x.contains(l)));
        x.iter().chain(y).for_each(|&l| uses[l] -= 1);
        let own: Vec<usize> = both.iter().copied().filter(|&l| uses[l] > 0).collect();
        own.iter().for_each(|&l| uses[l] += 1);
        let size = |v: &[usize]| v.iter().map(|&l| net.sizes[l]).product::<f64>();
        let (f, elements) = (flops(size(&both), own.len() < both.len()), size(&own));
        steps.push(Step { of: [a, b], labels: own.clone(), flops: f, elements });
        labels.push(own);
    }
    steps
}
