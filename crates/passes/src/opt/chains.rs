//! Products of products in a better order: `(a b) c` as `a (b c)`, where that takes at most half of the operations. Rows say
//! which labels the axes of a product have; a tree of products each of which only the next one reads is one network, which
//! the planner of `einsum` orders anew.
use crate::PassError;
use crate::rewrite::{improve, rewrite};
use std::collections::BTreeMap;
use tfc_ir::op::{Expand, Labels};
use tfc_ir::ops::contract::EINSUM;
use tfc_ir::ops::contract::einsum::{Minimize, Network, Node, Order, Step, plan, walk};
use tfc_ir::ops::elementwise::small;
use tfc_ir::outside;
use tfc_ir::{Attr, BODY, Def, Func, Module, NewOp, OpId, Result, ValueId};

/// By how many times fewer operations are worth another rounding.
const GAIN: f64 = 2.0;
/// How many operations have to be saved: a small program is not worth it.
const LEAST: f64 = 1e5;
/// How many times larger the largest intermediate result may become.
const LARGER: f64 = 2.0;
/// Most factors of one network.
const MOST: usize = 64;

/// The pass `chains`.
pub fn run(m: &mut Module) -> Result<bool, PassError> {
    let changed = improve(m, |m, f| {
        let found = find(f)?;
        if found.is_empty() {
            return Ok(None);
        }
        let (new, _) = rewrite(m, f, &mut |b, f, o, _, map| {
            let Some(op) = found.get(&o) else { return Ok(None) };
            let Expand::Composite(expand) = op.def.expand else { return Ok(None) };
            let mut new = op.clone();
            new.operands = map.list(&op.operands)?;
            new.declared = Some(f.op(o).results.iter().map(|&r| map.ty(f.ty(r))).collect::<Result<_>>()?);
            outside::column(new.def, "expand", || match small::wants_wide(b, &new) {
                true => small::on_wide(b, &new, expand),
                false => expand(b, &new),
            })
            .map(Some)
        })?;
        Ok(Some(new))
    })?;
    if changed {
        // The products that were written.
        super::dce::run(m)?;
    }
    Ok(changed)
}

/// A tree of products.
struct Tree {
    /// Values that no product of the tree makes, with the labels of their axes.
    leaves: Vec<(ValueId, Vec<usize>, bool)>,
    /// The products as they are written, factors first.
    pairs: Vec<[usize; 2]>,
    output: Vec<usize>,
    sizes: Vec<f64>,
}
/// For the last product of each tree that is worth it, what takes its place.
fn find(f: &Func) -> Result<BTreeMap<OpId, NewOp>> {
    let mut found = BTreeMap::new();
    // Most functions have no product of products.
    let made = |v: &ValueId| matches!(f.value(*v).def, Def::Result(p, _) if f.op(p).def.contraction.labels.is_some());
    if !f.ops.iter().any(|o| o.def.contraction.labels.is_some() && o.operands.iter().any(made)) {
        return Ok(found);
    }
    let mut order = vec![];
    f.walk(BODY, &mut |o| order.push(o));
    let mut products: Vec<Option<Labels>> = vec![None; f.ops.len()];
    for &o in &order {
        let op = f.op(o);
        if let (Some(labels), [x, y], true) = (op.def.contraction.labels, &op.operands[..], op.guards.is_empty()) {
            let ranks = [f.ty(*x).rank(), f.ty(*y).rank()];
            products[o.ix()] = outside::column(op.def, "labels", || labels(&op.attrs, ranks))?;
        }
    }
    let product = |o: OpId| products[o.ix()].is_some();
    let mut uses = vec![0usize; f.values.len()];
    order.iter().for_each(|&o| f.op(o).operands.iter().for_each(|v| uses[v.ix()] += 1));
    f.regions.iter().for_each(|r| r.yields.iter().for_each(|v| uses[v.ix()] += 1));
    // The product that makes `v`, where only `o` reads it.
    let inner = |o: OpId, v: ValueId| match f.value(v).def {
        Def::Result(p, _) if uses[v.ix()] == 1 && product(p) => {
            let home = |o: OpId| f.op(o).results.first().map(|&r| f.value(r).region);
            (home(p) == home(o)).then_some(p)
        }
        _ => None,
    };
    let mut within = vec![false; f.ops.len()];
    for &o in order.iter().filter(|&&o| product(o)) {
        f.op(o).operands.iter().filter_map(|&v| inner(o, v)).for_each(|p| within[p.ix()] = true);
    }
    for &o in order.iter().filter(|&&o| product(o) && !within[o.ix()]) {
        if let Some(t) = tree(f, o, &products, &inner)
            && let Some(op) = better(&t)
        {
            found.insert(o, op);
        }
    }
    Ok(found)
}
/// The tree below a product; `None` where there is none, it is too large, or an extent is no number.
fn tree(
    f: &Func,
    root: OpId,
    products: &[Option<Labels>],
    inner: &dyn Fn(OpId, ValueId) -> Option<OpId>,
) -> Option<Tree> {
    enum Part {
        Leaf(usize),
        Product(usize),
    }
    let mut t = Tree { leaves: vec![], pairs: vec![], output: vec![], sizes: vec![] };
    // Products from the last to the first, and what their factors are.
    let mut parts: Vec<[Part; 2]> = vec![];
    let mut todo: Vec<(OpId, Option<(usize, usize)>, Vec<usize>, bool)> = vec![(root, None, vec![], false)];
    while let Some((o, place, out, conj)) = todo.pop() {
        let own = products[o.ix()].as_ref()?;
        let mut names: BTreeMap<usize, usize> = BTreeMap::new();
        for (i, &l) in own.out.iter().enumerate() {
            let new = t.sizes.len();
            let name = *out.get(i).unwrap_or(&new);
            if name == new {
                t.sizes.push(1.0);
                t.output.push(new);
            }
            names.insert(l, name);
        }
        let me = parts.len();
        if let Some((p, side)) = place {
            parts[p][side] = Part::Product(me);
        }
        let mut both = [Part::Leaf(0), Part::Leaf(0)];
        for (side, &v) in f.op(o).operands.iter().enumerate() {
            let mut mine = vec![];
            for (l, d) in own.terms[side].iter().zip(f.ty(v).dims.iter()) {
                let name = *names.entry(*l).or_insert_with(|| {
                    t.sizes.push(1.0);
                    t.sizes.len() - 1
                });
                t.sizes[name] = d.as_exact()?.max(1) as f64;
                mine.push(name);
            }
            let conj = conj != own.conj[side];
            match inner(o, v) {
                Some(p) => todo.push((p, Some((me, side)), mine, conj)),
                None => {
                    both[side] = Part::Leaf(t.leaves.len());
                    t.leaves.push((v, mine, conj));
                }
            }
        }
        parts.push(both);
        if t.leaves.len() > MOST || parts.len() > MOST {
            return None;
        }
    }
    if parts.len() < 2 {
        return None;
    }
    // The last one has the smallest index, and factors have larger ones than what reads them.
    let n = t.leaves.len();
    let mut number = vec![0; parts.len()];
    for (k, both) in parts.iter().enumerate().rev() {
        t.pairs.push(both.each_ref().map(|p| match p {
            Part::Leaf(i) => *i,
            Part::Product(p) => number[*p],
        }));
        number[k] = n + t.pairs.len() - 1;
    }
    Some(t)
}
/// The tree in the best order, as an op to be expanded; `None` where the order written is good.
fn better(t: &Tree) -> Option<NewOp> {
    let net = Network {
        inputs: t.leaves.iter().map(|l| l.1.clone()).collect(),
        output: t.output.clone(),
        sizes: t.sizes.clone(),
    };
    let flops = |s: &[Step]| s.iter().map(|s| s.flops).sum::<f64>();
    let now = walk(&net, &t.pairs);
    let before = flops(&now);
    // No order could save as much: the search, which is long where there are many factors, is left out.
    if before < LEAST {
        return None;
    }
    let largest = now.iter().map(|s| s.elements).fold(0.0, f64::max);
    let nodes: Vec<Node> = (0..t.leaves.len()).map(Node::Operand).collect();
    let best = plan(&net, Order::Tree(&nodes), Minimize::Flops, None);
    let after = best.flops;
    if before < GAIN * after || before - after < LEAST || best.largest > LARGER * largest {
        return None;
    }
    let term = |l: &[usize]| l.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    let terms: Vec<String> = t.leaves.iter().map(|l| term(&l.1)).collect();
    let spec = format!("{}->{}", terms.join(","), term(&t.output));
    let conj: Vec<usize> = (0..t.leaves.len()).filter(|&i| t.leaves[i].2).collect();
    // Steps as positions in what is left.
    let mut left: Vec<usize> = (0..t.leaves.len()).collect();
    let mut path = vec![];
    for (k, s) in best.steps.iter().enumerate() {
        path.push(Attr::ints(&s.of.map(|i| left.iter().position(|&x| x == i).unwrap_or(0))));
        left.retain(|i| !s.of.contains(i));
        left.push(t.leaves.len() + k);
    }
    let values: Vec<ValueId> = t.leaves.iter().map(|l| l.0).collect();
    let mut op = NewOp::new(&EINSUM, &values).attr("spec", Attr::Str(spec.into()));
    op.attrs.set("path", Attr::List(path.into()));
    if !conj.is_empty() {
        op.attrs.set("conj", Attr::ints(&conj));
    }
    Some(op)
}
