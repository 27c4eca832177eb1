//! The tests of the crate, one program. Those that need an adapter skip where there is none, or where the crate was built without the
//! feature `adapters`; `TFC_REQUIRE=gpu` makes that a failure.
mod adapter;
mod functions;
mod rows;
mod text;
