//! Tests that see the inside of the crate: they stand beside what they test.
use tfc_kernels::inside;

fn all(tests: &[fn()]) {
    tests.iter().for_each(|test| test());
}
#[test]
fn factor() {
    all(inside::factor::ALL);
}
#[test]
fn fft() {
    all(inside::fft::ALL);
}
#[test]
fn jacobi() {
    all(inside::jacobi::ALL);
}
#[test]
fn lanes() {
    all(inside::lanes::ALL);
}
#[test]
fn quotient() {
    all(inside::quotient::ALL);
}
#[test]
fn remainder() {
    all(inside::remainder::ALL);
}
#[test]
fn real() {
    all(inside::real::ALL);
}
#[test]
fn spectral() {
    all(inside::spectral::ALL);
}
#[test]
#[ignore = "hours: a soak"]
fn jacobi_for_long() {
    all(inside::jacobi::SOAK);
}
