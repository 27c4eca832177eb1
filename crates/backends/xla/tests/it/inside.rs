//! Tests that see the inside of the crate: they stand beside what they test.
use tfc_xla::inside;

fn all(tests: &[fn()]) {
    tests.iter().for_each(|test| test());
}
#[test]
fn abi() {
    all(inside::abi::ALL);
}
#[test]
fn proto() {
    all(inside::proto::ALL);
}
