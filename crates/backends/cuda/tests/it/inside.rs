//! Tests that see the inside of the crate: they stand beside what they test.
use tfc_cuda::inside;

fn all(tests: &[fn()]) {
    tests.iter().for_each(|test| test());
}
#[test]
fn cache() {
    all(inside::cache::ALL);
}
#[test]
fn fft() {
    all(inside::fft::ALL);
}
#[test]
fn libraries() {
    all(inside::libraries::ALL);
}
#[test]
fn nvrtc() {
    all(inside::nvrtc::ALL);
}
