//! Tests that see the inside of the crate: they stand beside what they test.
use tfc_cpu::inside;

fn all(tests: &[fn()]) {
    tests.iter().for_each(|test| test());
}
#[cfg(all(target_arch = "x86_64", unix))]
#[test]
fn audit() {
    all(inside::audit::ALL);
}
#[test]
fn blocks() {
    all(inside::blocks::ALL);
}
#[cfg(all(target_arch = "x86_64", unix))]
#[test]
fn bytes() {
    all(inside::bytes::ALL);
}
#[test]
fn choice() {
    all(inside::choice::ALL);
}
#[test]
fn copy() {
    all(inside::copy::ALL);
}
#[test]
fn dot() {
    all(inside::dot::ALL);
}
#[test]
fn kernels() {
    all(inside::kernels::ALL);
}
#[test]
fn radix() {
    all(inside::radix::ALL);
}
#[cfg(all(target_arch = "x86_64", unix))]
#[test]
fn regions() {
    all(inside::regions::ALL);
}
#[cfg(all(target_arch = "x86_64", unix))]
#[test]
fn rows() {
    all(inside::rows::ALL);
}
#[test]
fn sort_part() {
    all(inside::sort_part::ALL);
}
