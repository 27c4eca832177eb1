//! Tests that see the inside of the crate: they stand beside what they test.
use tfc_frontend::inside;

fn all(tests: &[fn()]) {
    tests.iter().for_each(|test| test());
}
#[test]
fn compare() {
    all(inside::compare::ALL);
}
#[test]
fn damaged_files() {
    all(inside::damaged_files::ALL);
}
#[test]
fn files() {
    all(inside::files::ALL);
}
#[test]
fn literal() {
    all(inside::literal::ALL);
}
#[test]
fn npy() {
    all(inside::npy::ALL);
}
#[test]
fn random() {
    all(inside::random::ALL);
}
#[test]
fn show() {
    all(inside::show::ALL);
}
#[test]
fn spec() {
    all(inside::spec::ALL);
}
#[test]
fn storage() {
    all(inside::storage::ALL);
}
