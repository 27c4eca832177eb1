//! Names of other libraries, and those that are near.
use std::collections::BTreeSet;
use tfc_ir::OpSet;
use tfc_ir::words::{foreign, meant, named, nearest, words};

#[test]
fn every_op_that_a_foreign_word_stands_for_is_one() {
    let ops = OpSet::core();
    let none: Vec<_> = named().filter(|o| ops.get(o).is_none()).collect();
    assert!(none.is_empty(), "{none:?}");
}

#[test]
fn no_foreign_word_is_an_op_or_stands_twice() {
    let (ops, mut seen) = (OpSet::core(), BTreeSet::new());
    let wrong: Vec<_> = words().filter(|w| ops.get(w).is_some() || !seen.insert(*w)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(words().all(|w| w.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')));
}

#[test]
fn a_module_in_front_and_capitals_change_nothing() {
    assert_eq!(foreign("sum").map(|f| f.ops), Some(&["reduce_sum"][..]));
    for word in ["jnp.sum", "np.sum", "torch.sum", "Sum"] {
        assert_eq!(foreign(word), foreign("sum"));
    }
    assert_eq!(foreign("sum2"), None);
    assert_eq!(foreign(""), None);
    assert_eq!(
        foreign("zeros").map(|f| f.text("zeros")).as_deref(),
        Some("`zeros` is written as a literal with its type: `%z: f64[n] = 0`")
    );
    assert_eq!(foreign("amax").map(|f| f.text("amax")).as_deref(), Some("`amax` is `reduce_max` here"));
}

#[test]
fn nearest_finds_typos_and_nothing_else() {
    let ops = ["add", "mul", "reduce_sum", "reduce_max", "reshape"];
    assert_eq!(nearest("redcue_sum", ops), Some("reduce_sum"));
    assert_eq!(nearest("reduce_sun", ops), Some("reduce_sum"));
    assert_eq!(nearest("rehsape", ops), Some("reshape"));
    assert_eq!(nearest("ad", ops), Some("add"));
    assert_eq!(nearest("softmax", ops), None);
    assert_eq!(nearest("", ops), None);
    assert_eq!(nearest("x", ["y", "z"]), None);
    assert_eq!(nearest("X", ["x", "z"]), Some("x"));
}

#[test]
fn what_is_meant_is_an_op_or_what_is_written_instead() {
    let set = OpSet::core();
    let ops: Vec<_> = set.iter().map(|d| d.name).collect();
    let meant = |word: &str| meant(word, &ops).unwrap_or_default();
    assert_eq!(meant("sum"), "`sum` is `reduce_sum` here: over all axes, or over `axes = [0]`");
    assert_eq!(meant("redcue_sum"), "did you mean `reduce_sum`?");
    assert_eq!(meant("jnp.linalg.adjugate"), "did you mean `linalg.adjugate`?");
    assert_eq!(meant("choleski"), "did you mean `linalg.cholesky`?");
    assert_eq!(meant("sigmod"), "did you mean `sigmoid`? `sigmoid` is `logistic` here");
    assert_eq!(meant("frobnicate"), "");
}
