//! Every distinct kernel of the samples of every row, as code for two devices by NVRTC: registers fit, and nothing of the text is
//! refused that this machine's compiler takes. Says so where there is no NVRTC.
mod common;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tfc_cuda::nvrtc::Nvrtc;
use tfc_cuda::{Cuda, text::Source};
use tfc_ir::{FuncId, Module, OpSet};

/// Functions whose kernels are compiled together.
const TOGETHER: usize = 250;

#[test]
fn every_kernel_of_the_samples_becomes_code() {
    let nvrtc = match Nvrtc::find() {
        Ok(n) => n,
        Err(e) => {
            println!("skipped: {e}");
            return;
        }
    };
    let cuda = Cuda::opened_by(|| tfc_cuda::backend::device_named(None));
    let cases = common::cases(&Arc::new(OpSet::core()), std::env::var("TFC_ROW").ok().as_deref());
    let has = |c: &&common::Case| cuda.source(&[(&c.module, c.func)], false).is_ok();
    let list: Vec<(&Module, FuncId)> = cases.iter().filter(has).map(|c| (&c.module, c.func)).collect();
    // A text is compiled where it is first seen.
    let mut seen = BTreeMap::<String, String>::new();
    let mut sources = vec![];
    for some in list.chunks(TOGETHER) {
        let mut source: Source = cuda.source(some, false).unwrap();
        source.kernels.retain(|k| {
            let body = k.text().replacen(&k.name, "kernel", 1);
            seen.insert(body, k.name.clone()).is_none()
        });
        if !source.kernels.is_empty() {
            sources.push(source);
        }
    }
    let distinct = seen.len();
    println!("{} functions, {distinct} distinct kernels, {}", list.len(), nvrtc.describe());
    let jobs: Vec<(&Source, &str)> = sources.iter().flat_map(|s| ["sm_80", "sm_90"].map(|arch| (s, arch))).collect();
    let (next, all) = (Mutex::new(jobs.into_iter()), Mutex::new(BTreeMap::<&str, (usize, u32, Vec<String>)>::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get().min(4)) {
            scope.spawn(|| {
                loop {
                    let job = next.lock().unwrap().next();
                    let Some((source, arch)) = job else { break };
                    let made = nvrtc.cubin(&source.text(), arch).unwrap_or_else(|e| panic!("{arch}: {e}"));
                    let mut all = all.lock().unwrap();
                    let (count, most, spills) = all.entry(arch).or_default();
                    for k in &source.kernels {
                        let usage = &made.usage[&k.name];
                        *count += 1;
                        *most = (*most).max(usage.registers);
                        if usage.spills > 0 {
                            spills.push(format!("{} spills {} bytes", k.name, usage.spills));
                        }
                    }
                }
            });
        }
    });
    for (arch, (count, most, spills)) in all.into_inner().unwrap() {
        println!("{arch}: {count} kernels, at most {most} registers, of which spill: {spills:?}");
        assert_eq!(count, distinct, "{arch}");
    }
    assert!(std::env::var_os("TFC_ROW").is_some() || distinct > 1000, "only {distinct}");
}
