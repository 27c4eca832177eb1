//! The command line of tfc, with the tropical family: `cargo run -p tfc-tropical -- run shortest.tfir …`.
fn main() -> std::process::ExitCode {
    match tfc_tropical::ops() {
        Ok(ops) => tfc::main_with(ops, tfc_tropical::kernels()),
        Err(e) => {
            eprintln!("{e}");
            std::process::ExitCode::FAILURE
        }
    }
}
