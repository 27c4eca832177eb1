//! Tests that see the inside of the crate: they stand beside what they test.
use tfc::inside;

fn all(tests: &[fn()]) {
    tests.iter().for_each(|test| test());
}
#[test]
fn directives() {
    all(inside::directives::ALL);
}
#[test]
fn expect() {
    all(inside::expect::ALL);
}
#[test]
fn limits() {
    all(inside::limits::ALL);
}
#[test]
fn snap() {
    all(inside::snap::ALL);
}
#[test]
fn start() {
    all(inside::start::ALL);
}
