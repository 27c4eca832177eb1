//! `tfc doctor`: what this machine and this build can do.
use crate::device;
use crate::session::{Done, Session};
use std::fmt::Write;
use tfc_backends::backend::Backend;

pub(super) fn run(session: &Session) -> Done {
    let mut out = String::new();
    let _ = writeln!(out, "tfc {}", env!("CARGO_PKG_VERSION"));
    let _ = writeln!(out, "language: tfir 1.0, {} ops", session.ops.iter().count());
    let _ = writeln!(
        out,
        "machine: {} {}, {} core{}",
        std::env::consts::OS,
        std::env::consts::ARCH,
        tfc_backends::cpu::threads(),
        if tfc_backends::cpu::threads() == 1 { "" } else { "s" }
    );
    let cpu = tfc_backends::backend::Native::default();
    let _ = writeln!(out, "backend cpu: ready ({})", cpu.device(0));
    let c = tfc_backends::cpu::choice::choice();
    let _ = writeln!(out, "  fused loops: {}, {} ({})", c.engine, c.isa, c.why);
    let _ =
        writeln!(out, "  threads: {} (--threads N sets it; results do not depend on it)", tfc_backends::cpu::threads());
    let _ = writeln!(out, "  2 MiB pages: {}", device::huge_pages());
    let _ = writeln!(out, "backend interp: ready");
    for name in ["cuda", "gpu", "xla"] {
        let _ = writeln!(out, "backend {name}: not in this build");
    }
    let _ = writeln!(out, "programs: .tfir is read; .mlir (StableHLO text) is not in this build");
    let _ = writeln!(out, "data: .npy, .npz, .safetensors");
    let temp = std::env::temp_dir();
    let state = match tfc_frontend::data::check_writable(&temp.join("tfc-doctor")) {
        Ok(()) => "writable",
        Err(_) => "not writable: reproducers of crashes go to the current folder",
    };
    let _ = writeln!(out, "temporary folder {}: {state}", temp.display());
    session.print(&out)
}
