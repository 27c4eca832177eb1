//! Nests of loops over single numbers, each compiled to one function: loops, branches, elements of arrays that are read and
//! written at computed places, and arithmetic between them.
//!
//! A loop is such a nest where every step of its trip is arithmetic on single numbers, a view, an element that is replaced, a
//! branch or a loop of the same kind ([`build`]). The acts that its code does are those that its steps would do one by one,
//! so bits are the same. What the code is told of a run (addresses, strides, extents) are numbers of a table ([`run`]): one
//! code serves every size and every layout.
pub(crate) mod acts;
pub(crate) mod build;
pub(crate) mod run;
