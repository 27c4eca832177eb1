//! Tests that see the inside of the crate: they stand beside what they test.
use tfc_passes::inside;

fn all(tests: &[fn()]) {
    tests.iter().for_each(|test| test());
}
#[test]
fn trips() {
    all(inside::trips::ALL);
}
