//! Between which numbers an extent provably lies.
use tfc_ir::extent::Atom;
use tfc_ir::{BODY, CmpOp, Constraint, Extent, Facts, Func, SymId, Truth};

/// Bounds beyond it are not looked for.
const MOST: i64 = 1 << 24;

/// `2 <= n`, `0 <= ?k <= n`: what is known of the names of an extent by the header and the statements of a function.
pub(super) fn of(f: &Func, e: &Extent) -> Vec<String> {
    let mut facts = Facts::new();
    // What a region says holds where it runs, which it need not.
    let said = f.region(BODY).ops.iter().flat_map(|&o| f.op(o).said()).chain(&f.wheres);
    said.for_each(|c| facts.assume(c.clone()));
    let mut atoms: Vec<Atom> = vec![];
    e.for_each_atom(&mut |a| {
        if !atoms.contains(&a) {
            atoms.push(a);
        }
    });
    let others = (0..f.syms.len()).map(|s| Extent::sym(SymId(s as u32)));
    let others: Vec<Extent> = others.collect();
    atoms.into_iter().filter_map(|a| between(f, &facts, &Extent::atom(a), &others)).collect()
}

fn between(f: &Func, facts: &Facts, e: &Extent, others: &[Extent]) -> Option<String> {
    let holds = |lhs: &Extent, rhs: &Extent| {
        let c = Constraint { lhs: lhs.clone(), op: CmpOp::Le, rhs: rhs.clone() };
        facts.prove(&c) == Truth::Yes
    };
    let least = most_that(&|k| holds(&Extent::exact(k), e));
    let most = most_that(&|k| holds(e, &Extent::exact(MOST - k))).map(|k| MOST - k);
    let below = others.iter().find(|o| *o != e && holds(e, o)).map(|o| o.display(f).to_string());
    let above = most.map(|k| k.to_string()).or(below);
    // That it is no less than nothing is true of every extent.
    if least.unwrap_or(0) == 0 && above.is_none() {
        return None;
    }
    let above = above.map_or(String::new(), |k| format!(" <= {k}"));
    Some(format!("{} <= {}{above}", least.unwrap_or(0), e.display(f)))
}
/// The largest `k` up to [`MOST`] of which `holds` is true, where that is so of all smaller ones.
fn most_that(holds: &dyn Fn(i64) -> bool) -> Option<i64> {
    if !holds(0) {
        return None;
    }
    let (mut low, mut high) = (0, 1);
    while high < MOST && holds(high) {
        (low, high) = (high, 2 * high);
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}
