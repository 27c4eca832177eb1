//! Traced execution: tensors that stand for values of a program to be.
