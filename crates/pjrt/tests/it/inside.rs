//! What is tested from inside.
#[test]
fn inside() {
    pjrt_tfc::inside::options::ALL.iter().for_each(|f| f());
}
