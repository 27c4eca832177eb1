//! The command line of tfc, with the tropical family: `cargo run -p tfc-tropical -- run shortest.tfir …`.
fn main() -> std::process::ExitCode {
    tfc::main_with(tfc_tropical::ops(), tfc_tropical::kernels())
}
