//! Every distinct kernel of the samples of every row, as code of NVRTC for one of two devices in turn (for both by `TFC_ALL_DEVICES=1`, which
//! takes twice as long): registers fit, and nothing of the text is refused that this machine's compiler takes. Says so where there is no
//! NVRTC.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use tfc_cuda::nvrtc::Nvrtc;
use tfc_cuda::{
    Cuda,
    text::{Source, Written as _},
};
use tfc_ir::{DType, FuncId, Module, OpSet};
use tfc_testkit::Need;

/// Functions whose kernels are compiled together.
const TOGETHER: usize = 250;

/// Set in the processes that compile: the folder of texts, and which of them.
const CHILD: &str = "TFC_BODIES";
const ARCHS: [&str; 2] = ["sm_80", "sm_90"];

/// One process compiles one text at a time, however many threads it has: so there are as many as processors.
#[test]
fn every_kernel_of_the_samples_becomes_code() {
    let Some(nvrtc) = Need::Nvrtc.found(Nvrtc::find()) else { return };
    if let Ok(what) = std::env::var(CHILD) {
        return compile(&nvrtc, &what);
    }
    let cuda = Cuda::opened_by(|| tfc_cuda::backend::device_named(None));
    let cases = crate::common::cases(&Arc::new(OpSet::core()), std::env::var("TFC_ROW").ok().as_deref());
    let has = |c: &&crate::common::Case| cuda.source(&[(&c.module, c.func)], false).is_ok();
    let list: Vec<(&Module, FuncId)> = cases.iter().filter(has).map(|c| (&c.module, c.func)).collect();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bodies");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    // A text is compiled where it is first seen.
    let (mut seen, mut texts) = (BTreeMap::<String, String>::new(), 0);
    for some in list.chunks(TOGETHER) {
        let mut source: Source = cuda.source(some, false).unwrap();
        source.kernels.retain(|k| {
            let body = k.program().replacen(&k.name, "kernel", 1);
            seen.insert(body, k.name.clone()).is_none()
        });
        if !source.kernels.is_empty() {
            std::fs::write(dir.join(format!("{texts}.cu")), source.text()).unwrap();
            texts += 1;
        }
    }
    let distinct = seen.len();
    println!("{} functions, {distinct} distinct kernels, {}", list.len(), nvrtc.describe());
    let processes = std::thread::available_parallelism().map_or(1, |n| n.get().min(4));
    let children: Vec<_> = (0..processes)
        .map(|p| {
            let mut child = Command::new(std::env::current_exe().unwrap());
            child.args(["--exact", "bodies::every_kernel_of_the_samples_becomes_code", "--nocapture"]);
            child.env(CHILD, format!("{p} {processes} {texts} {}", dir.display()));
            child.stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut all = BTreeMap::<&str, (usize, u32, Vec<String>)>::new();
    for child in children {
        let out = child.wait_with_output().unwrap();
        assert!(out.status.success(), "a compiling process: {}", out.status);
        for line in String::from_utf8(out.stdout).unwrap().lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let &["KERNEL", arch, name, registers, spills] = words.as_slice() else { continue };
            let (registers, spills) = (registers.parse().unwrap(), spills.parse::<u32>().unwrap());
            let arch = ARCHS.into_iter().find(|a| *a == arch).unwrap();
            let (count, most, spilled) = all.entry(arch).or_default();
            *count += 1;
            *most = (*most).max(registers);
            if spills > 0 {
                spilled.push(format!("{name} spills {spills} bytes"));
            }
        }
    }
    let mut compiled = 0;
    for arch in ARCHS {
        let (count, most, spills) = all.remove(arch).unwrap_or_default();
        println!("{arch}: {count} kernels, at most {most} registers, of which spill: {spills:?}");
        assert!(count > 0 || texts < ARCHS.len(), "{arch}");
        compiled += count;
    }
    assert_eq!(compiled, if deep() { ARCHS.len() * distinct } else { distinct });
    assert!(std::env::var_os("TFC_ROW").is_some() || distinct > 1000, "only {distinct}");
}
/// Whether each text is compiled for each device.
fn deep() -> bool {
    std::env::var_os("TFC_ALL_DEVICES").is_some()
}
/// Compiles its share of the texts, and prints a line a kernel.
fn compile(nvrtc: &Nvrtc, what: &str) {
    let mut words = what.splitn(4, ' ');
    let mut number = || words.next().unwrap().parse::<usize>().unwrap();
    let (own, processes, texts) = (number(), number(), number());
    let dir = Path::new(words.next().unwrap());
    let all = (0..texts).flat_map(|t| ARCHS.into_iter().enumerate().map(move |(i, a)| (t, i, a)));
    let wanted = all.filter(|(t, i, _)| deep() || t % ARCHS.len() == *i);
    for (text, _, arch) in wanted.skip(own).step_by(processes) {
        let source = std::fs::read_to_string(dir.join(format!("{text}.cu"))).unwrap();
        let made = nvrtc.cubin(&source, arch).unwrap_or_else(|e| panic!("{arch}: {e}"));
        for (name, usage) in &made.usage {
            println!("KERNEL {arch} {name} {} {}", usage.registers, usage.spills);
        }
    }
}

/// Walks that samples are too small for: each element type by packs, tiles, teams and parts, and the programs of `tests/ir/cuda`, whose rows
/// stay in registers.
#[test]
fn every_walk_becomes_code() {
    let Some(nvrtc) = Need::Nvrtc.found(Nvrtc::find()) else { return };
    let cuda = Cuda::opened_by(|| tfc_cuda::backend::device_named(None));
    let ops = Arc::new(OpSet::core());
    let made = |text: &str, name: &str| {
        let m = tfc_frontend::text::parse_module(text.as_bytes(), &ops).unwrap().module;
        let f = m.find(name).unwrap();
        crate::common::ready(&m, f).unwrap()
    };
    let mut modules: Vec<(Module, FuncId)> = DType::WIDE
        .iter()
        .map(|d| {
            let (join, fold) = if *d == DType::Bool { ("xor", "reduce_or") } else { ("add", "reduce_sum") };
            let text = format!(
                "tfir 1.0\nexport func @{d}<n, m>(%a: {d}[n, m], %b: {d}[m, n]) -> (y: {d}[n, m], s: {d}[n]) {{
  %t: {d}[n, m] = transpose(%b, perm = [1, 0])
  %y: {d}[n, m] = {join}(%a, %t)
  %s: {d}[n] = {fold}(%b, axes = [0])
  return %y, %s
}}\n"
            );
            made(&text, &d.to_string())
        })
        .collect();
    for text in [
        include_str!("../../../../../tests/ir/cuda/softmax.tfir"),
        include_str!("../../../../../tests/ir/cuda/layer_norm.tfir"),
        include_str!("../../../../../tests/ir/cuda/digits_step.tfir"),
    ] {
        modules.push(made(text, "main"));
        modules.push(made(&text.replace("f64", "TYPE").replace("f32", "f64").replace("TYPE", "f32"), "main"));
    }
    let list: Vec<(&Module, FuncId)> = modules.iter().map(|(m, f)| (m, *f)).collect();
    let source = cuda.source(&list, false).unwrap();
    let text = source.text();
    for arch in ARCHS {
        let code = nvrtc.cubin(&text, arch).unwrap_or_else(|e| panic!("{arch}: {e}"));
        for k in &source.kernels {
            let u = &code.usage[&k.name];
            let most = k.params.iter().find_map(|p| p.ty.strip_prefix("Team<")?.strip_suffix('>')?.parse::<u32>().ok());
            // A multiprocessor has registers for a block.
            let most = (65536 / most.unwrap_or(256)).min(255);
            assert!(u.registers <= most, "{arch}: {} has {} registers", k.name, u.registers);
            assert!(u.shared <= 48 << 10, "{arch}: {} has {} bytes of shared memory", k.name, u.shared);
            if u.spills > 0 {
                println!("{arch}: {} has {} registers and spills {} bytes", k.name, u.registers, u.spills);
            }
        }
    }
    println!("{} kernels, {}", source.kernels.len(), nvrtc.describe());
    for walk in ["packs", "tiles", "parts", "fold", "once4", "once16", "once32"] {
        assert!(source.kernels.iter().any(|k| k.name.contains(walk)), "no kernel is `{walk}`");
    }
    // What packs move is moved by one access.
    let ptx = nvrtc.ptx(&text, "sm_90").unwrap();
    let ptx = String::from_utf8(ptx.image).unwrap();
    for k in source.kernels.iter().filter(|k| k.name.ends_with("_packs")) {
        let (_, body) = ptx.split_once(&format!(".entry {}(", k.name)).unwrap();
        let body = body.split(".entry").next().unwrap();
        let wide = |s: &str| body.lines().any(|l| l.contains(s) && (l.contains(".v4.") || l.contains(".v2.")));
        assert!(wide("ld.global") && wide("st.global"), "{} has no wide access:\n{body}", k.name);
    }
}
