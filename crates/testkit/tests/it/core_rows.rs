//! Every row of the built-in families, each sweep a test; and what its rows are excused from, with the reason.

use std::sync::OnceLock;

use tfc_api::Kernels;
use tfc_ir::OpSet;
use tfc_ir::op::Law;
use tfc_ir::ops::{linalg, order};
use tfc_testkit::{Asked, Exceptions, Report, Sweep, check_rows};

const EXCEPTIONS: Exceptions = Exceptions {
    no_sample: &[
        ("load", "needs external data"),
        ("grad", "tested through its expansion, on every other row's samples"),
        ("value_and_grad", "as grad"),
        ("vjp", "as grad"),
        ("jvp", "as grad"),
        ("hvp", "as grad"),
        ("jacobian", "as grad"),
        ("hessian", "as grad"),
    ],
    other_derivative: &[("stop_gradient", "it is there to have none")],
    never_batched: &[
        ("compress", "how many elements there are differs from index to index"),
        ("nonzero", "as compress"),
        ("unique", "as compress"),
        ("linalg.svd_trunc", "the rank differs from index to index"),
        ("linalg.eigh_trunc", "as linalg.svd_trunc"),
        ("linalg.qr_rank", "as linalg.svd_trunc"),
    ],
    partly_batched: &[("scatter", "a region that combines by what differs from index to index")],
    other_order: &[("einsum", "the order depends on the extents, of which there is one more")],
    left_open: &[
        (
            "linalg.triangular_solve",
            |ran| !ran.results.iter().all(finite),
            "of the solution of a singular system all that is said is that there is an infinity or a NaN",
        ),
        (
            "linalg.lu_factor",
            |ran| noisy_pivot(&ran.results[0]),
            "what a pivot that is only rounding was divided by is lost in the rounding of the product",
        ),
        ("linalg.lu", |ran| noisy_pivot(&ran.results[2]), "as linalg.lu_factor"),
        ("linalg.solve", |ran| !ran.results.iter().all(moderate), "as linalg.triangular_solve"),
        ("linalg.inv", |ran| !ran.results.iter().all(moderate), "as linalg.triangular_solve"),
        (
            "linalg.tridiagonal_solve",
            |ran| ran.operands.iter().all(finite) && !ran.results.iter().all(finite),
            "whether the elimination comes to a pivot of 0 is a question of rounding",
        ),
        ("linalg.sqrtm", |ran| ran.operands.iter().all(nothing), "the zero matrix has other roots, the nilpotent ones"),
        (
            "linalg.slogdet",
            |ran| ran.results[1].get::<f64>(&[]).is_some_and(|l| l < -30.0 && l.is_finite()),
            "the determinant is only rounding",
        ),
    ],
    exact: &[
        ("broadcast_in_dim", "existentials E0404", "an axis that is repeated is a literal 1"),
        ("broadcast_in_dim", "existentials E0420", "as above"),
        ("broadcast_in_dim", "symbols E0420", "as above"),
        ("gather", "existentials E0222", "the length of index vectors says which axes are indexed"),
        ("gather", "symbols E0222", "as above"),
        ("scatter", "existentials E0222", "as gather"),
        ("scatter", "symbols E0222", "as gather"),
        ("reshape", "existentials E0404", "that `?r2*?r6` elements are `3*?r2*?r2` nobody knows"),
        ("conv", "existentials E0404", "that groups times features of a group are `?r2` features nobody knows"),
        ("overlap_add", "existentials E0404", "how many windows of an extent there are, only `windows` says"),
        ("select_and_scatter", "existentials E0404", "as overlap_add"),
        ("linalg.svd", "existentials E0404", "samples write the number of singular values as one of the two extents"),
        ("linalg.spectral", "existentials E0404", "as linalg.svd"),
        ("rng_bit_generator", "existentials E0205", "the number of words of a state says where its counter is"),
        ("rng_bit_generator", "symbols E0205", "as above"),
        ("random.split", "existentials E1224", "the number of words of a key says what makes its bits"),
        ("random.split", "symbols E1224", "as random.split"),
        ("random.fold_in", "existentials E1224", "as random.split"),
        ("random.fold_in", "symbols E1224", "as random.split"),
        ("random.bits", "existentials E1224", "as random.split"),
        ("random.bits", "symbols E1224", "as random.split"),
        ("random.uniform", "existentials E1224", "as random.split"),
        ("random.uniform", "symbols E1224", "as random.split"),
        ("random.normal", "existentials E1224", "as random.split"),
        ("random.normal", "symbols E1224", "as random.split"),
        ("random.bernoulli", "existentials E1224", "as random.split"),
        ("random.bernoulli", "symbols E1224", "as random.split"),
        ("random.permutation", "existentials E1224", "as random.split"),
        ("random.permutation", "symbols E1224", "as random.split"),
        ("random.categorical", "existentials E1224", "as random.split"),
        ("random.categorical", "symbols E1224", "as random.split"),
        ("random.gamma", "existentials E1224", "as random.split"),
        ("random.gamma", "symbols E1224", "as random.split"),
    ],
};
/// Whether a pivot of one matrix is rounding beside the largest entry of its row and column.
fn noisy_pivot(lu: &tfc_ir::Tensor) -> bool {
    let at = |i: usize, j: usize| lu.get::<f64>(&[i, j]).map_or(0.0, f64::abs);
    lu.rank() == 2 && (0..lu.shape()[0].min(lu.shape()[1])).any(|k| at(k, k) > 0.0 && at(k, k) < 1e-14 * at(0, 0))
}
fn nothing(t: &tfc_ir::Tensor) -> bool {
    within(t, 0.0)
}
fn finite(t: &tfc_ir::Tensor) -> bool {
    within(t, f64::MAX)
}
/// Whether the tensor is far from what a matrix gives that has an inverse only by rounding.
fn moderate(t: &tfc_ir::Tensor) -> bool {
    within(t, 1e10)
}
fn within(t: &tfc_ir::Tensor, most: f64) -> bool {
    let ok = |x: f64| x.abs() <= most;
    let c64 = || t.to_logical::<tfc_ir::C64>().is_some_and(|v| v.iter().all(|z| ok(z.re) && ok(z.im)));
    t.to_logical::<f64>().map_or_else(c64, |v| v.iter().all(|&x| ok(x)))
}

/// What came of a sweep, which runs once.
pub(crate) fn swept(sweep: Sweep) -> &'static Report {
    static REPORTS: [OnceLock<Report>; Sweep::ALL.len()] = [const { OnceLock::new() }; Sweep::ALL.len()];
    REPORTS[sweep as usize].get_or_init(|| {
        let asked = Asked { sweeps: &[sweep], exceptions: EXCEPTIONS, ..Asked::default() };
        check_rows(&OpSet::core(), &Kernels::default(), &asked)
    })
}
fn clean(sweep: Sweep, least: usize) -> &'static Report {
    let report = swept(sweep);
    assert!(report.faults.is_empty(), "{report}");
    assert!(report.cases(sweep) > least, "only {} cases", report.cases(sweep));
    println!("{} cases", report.cases(sweep));
    report
}
#[test]
fn rows_are_complete() {
    clean(Sweep::Complete, 3500);
}
#[test]
fn derivatives_are_those_of_what_rows_compute() {
    clean(Sweep::Derivatives, 7000);
}
#[test]
fn engines_agree() {
    clean(Sweep::Engines, 3500);
}
#[test]
fn all_at_once_is_each_for_itself() {
    clean(Sweep::Batch, 7500);
}
#[test]
fn laws_hold() {
    clean(Sweep::Laws, 7500);
}
#[test]
fn laws_say_enough() {
    clean(Sweep::Changes, 7500);
}
#[test]
fn every_kind_of_extent() {
    let report = clean(Sweep::Extents, 7000);
    let (axes, exact) = (report.count("axes"), report.count("axes that stay exact"));
    assert!(exact * 20 < axes, "{exact} of {axes} axes stay exact");
    assert!(report.count("second derivatives") > 400, "{}", report.count("second derivatives"));
    assert!(report.count("first derivatives") > 600, "{}", report.count("first derivatives"));
}
#[test]
fn branches_that_are_not_taken_and_other_places() {
    let report = clean(Sweep::Branches, 3000);
    assert!(report.count("branches") > 3000, "{} branches", report.count("branches"));
    assert!(report.count("places") > 2000, "{} places", report.count("places"));
}

/// Rows whose engines call one kernel have a law.
#[test]
fn rows_of_shared_kernels_have_laws() {
    let rows = linalg::FAMILY.iter().copied().chain([&order::SORT, &order::TOP_K, &order::UNIQUE]);
    for def in rows {
        assert!(matches!(def.law, Law::Holds { .. }), "{} has no law", def.name);
    }
}
