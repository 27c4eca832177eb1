//! `tfc doctor`: what this machine and this build can do.
use crate::device;
use crate::session::{Done, Session};
use std::fmt::Write;
use tfc_engine::Backend;

pub(super) fn run(session: &Session) -> Done {
    let mut out = String::new();
    let _ = writeln!(out, "tfc {}", env!("CARGO_PKG_VERSION"));
    let _ = writeln!(out, "language: tfir 1.1, {} ops", session.ops.iter().count());
    let _ = writeln!(
        out,
        "machine: {} {}, {} core{}",
        std::env::consts::OS,
        std::env::consts::ARCH,
        tfc_cpu::threads(),
        if tfc_cpu::threads() == 1 { "" } else { "s" }
    );
    let cpu = tfc_cpu::Native::default();
    let _ = match tfc_cpu::choice::choice() {
        Ok(c) => {
            writeln!(out, "backend cpu: ready ({})\n  fused loops: {}, {} ({})", cpu.device(0), c.engine, c.isa, c.why)
        }
        Err(e) => writeln!(out, "backend cpu: error[{}]: {}", e.data().code, e.data().message),
    };
    let _ = writeln!(out, "  threads: {} (--threads N sets it; results do not depend on it)", tfc_cpu::threads());
    let _ = writeln!(out, "  2 MiB pages: {}", device::huge_pages());
    let _ = writeln!(out, "backend interp: ready");
    out.push_str(&cuda());
    out.push_str(&gpu());
    out.push_str(&xla(session));
    let _ = writeln!(out, "programs: .tfir and .mlir (StableHLO text) are read");
    let _ = writeln!(out, "data: .npy, .npz, .safetensors");
    let temp = std::env::temp_dir();
    let state = match tfc_frontend::data::check_writable(&temp.join("tfc-doctor")) {
        Ok(()) => "writable",
        Err(_) => "not writable: reproducers of crashes go to the current folder",
    };
    let _ = writeln!(out, "temporary folder {}: {state}", temp.display());
    session.print(&out)
}

#[cfg(not(feature = "cuda"))]
fn cuda() -> String {
    "backend cuda: not in this build (`--features cuda` has it)\n".into()
}
/// What runs kernels, and what compiles them.
#[cfg(feature = "cuda")]
fn cuda() -> String {
    let mut out = match tfc_cuda::Cuda::of_environment().about() {
        Ok(device) => format!("backend cuda: ready ({device})\n"),
        Err(e) => format!("backend cuda: error[{}]: {}\n", e.data().code, e.data().message),
    };
    let _ = match tfc_cuda::nvrtc::Nvrtc::find() {
        Ok(n) => writeln!(out, "  compiler: {}", n.describe()),
        Err(e) => writeln!(out, "  compiler: error[{}]: {}", e.data().code, e.data().message),
    };
    out
}
#[cfg(not(feature = "gpu"))]
fn gpu() -> String {
    "backend gpu: not in this build (`--features gpu` has it)\n".into()
}
/// The adapters of this machine, and the one that runs programs.
#[cfg(feature = "gpu")]
fn gpu() -> String {
    let mut out = match tfc_gpu::device::Adapter::shared(std::env::var(tfc_gpu::device::VARIABLE).ok().as_deref()) {
        Ok(adapter) => format!("backend gpu: ready ({})\n  {}\n", adapter.about(), adapter.can()),
        Err(e) => format!("backend gpu: error[{}]: {}\n", e.data().code, e.data().message),
    };
    for (i, a) in tfc_gpu::device::adapters().iter().enumerate() {
        let _ = writeln!(out, "  adapter {i}: {a}");
    }
    out
}
#[cfg(not(feature = "xla"))]
fn xla(_: &Session) -> String {
    "backend xla: not in this build (`--features xla` has it)\n".into()
}
/// The plugin, its versions and its devices, or what is wrong with it.
#[cfg(feature = "xla")]
fn xla(session: &Session) -> String {
    let xla = session.xla();
    if xla.plugin().is_none() {
        return "backend xla: no plugin (--plugin PATH or TFC_PJRT_PLUGIN names one)\n".into();
    }
    match xla.about() {
        Ok(a) => {
            let mut out = format!("backend xla: ready ({})\n  plugin: {}\n", a.platform, a.plugin);
            for (i, d) in a.devices.iter().enumerate() {
                let used = if i == 0 { " (runs programs)" } else { "" };
                let _ = writeln!(out, "  device {i}: {d}{used}");
            }
            out
        }
        Err(e) => format!("backend xla: error[{}]: {}\n", e.data().code, e.data().message),
    }
}
