//! Eager execution: tensors of a runtime, which remember what they came from.
