//! Lists of values.
use tfc_ir::{ValueId, ValueList};

#[test]
fn lists_hold_what_they_are_made_from() {
    assert_eq!(size_of::<ValueList>(), size_of::<Vec<ValueId>>());
    for n in 0..12 {
        let all: Vec<ValueId> = (0..n as u32).map(ValueId).collect();
        let lists: [ValueList; 3] = [all.as_slice().into(), all.clone().into(), all.iter().copied().collect()];
        for list in &lists {
            assert_eq!(list.to_vec(), all);
            assert_eq!(*list, lists[0]);
        }
    }
}
