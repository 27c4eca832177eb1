//! The published tenferro crates as a peer of `benches/peers/run`: a process that answers requests, a line of JSON each, as
//! `worker.py` does. Arguments: threads, folder of the results, core to stay on (the caller pins).
//!
//!     {"load": NAME, "inputs": [PATH, …]}   compile and run once; saves the result  -> {"first_ms": …, "results": [PATH]}
//!     {"time": SECONDS, "least": N}         repeat for so long                      -> {"min_ms": …, "runs": …}
mod npy;
mod workloads;

use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tenferro_cpu::{CpuEngine, Pool};
use tenferro_runtime::{ExecutionEngine, Output, Prepared, Runtime, Tensor, TensorRead};
use workloads::Said;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let threads = args.get(1).and_then(|n| n.parse().ok()).unwrap_or(1);
    let folder = PathBuf::from(args.get(2).map_or(".", String::as_str));
    let mut peer = match Peer::new(threads) {
        Ok(p) => p,
        Err(e) => return println!("{}", json!({ "error": e })),
    };
    println!("{}", json!({ "ready": true, "versions": { "tenferro": "0.9.0" } }));
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let request: Value = serde_json::from_str(&line).unwrap_or_default();
        let answer = match request["load"].as_str() {
            Some(name) => peer.load(name, &request["inputs"], &folder),
            None => peer.time(request["time"].as_f64().unwrap_or(0.1), request["least"].as_u64().unwrap_or(3)),
        };
        println!("{}", answer.unwrap_or_else(|e| json!({ "error": e.chars().take(300).collect::<String>() })));
        let _ = std::io::stdout().flush();
    }
}

struct Peer {
    engine: CpuEngine,
    runtime: Runtime,
    loaded: Option<(Prepared, Vec<Tensor>)>,
}
impl Peer {
    fn new(threads: usize) -> Said<Peer> {
        let said = |e: &dyn std::fmt::Display| e.to_string();
        let engine = match threads {
            0 | 1 => CpuEngine::serial(),
            n => CpuEngine::new(Pool::builder().threads(n).build().map_err(|e| said(&e))?),
        };
        let mut b = Runtime::builder();
        let registration = tenferro_cpu::runtime_engine_registration(&engine).map_err(|e| said(&e))?;
        b.register_engine(registration).map_err(|e| said(&e))?;
        let id = tenferro_cpu::runtime_engine_id().map_err(|e| said(&e))?;
        let einsum = tenferro_einsum::extension_module::<CpuEngine>(id).map_err(|e| said(&e))?;
        b.install_extension_module(einsum).map_err(|e| said(&e))?;
        Ok(Peer { engine, runtime: b.build().map_err(|e| said(&e))?, loaded: None })
    }
    fn load(&mut self, name: &str, inputs: &Value, folder: &Path) -> Said<Value> {
        self.loaded = None;
        if !workloads::has(name) {
            return Err("the workload is not in this peer".into());
        }
        let paths = inputs.as_array().ok_or("no inputs")?.iter().filter_map(Value::as_str);
        let inputs: Vec<Tensor> = paths.map(|p| npy::read(Path::new(p))).collect::<Said<_>>()?;
        let start = Instant::now();
        let graph = workloads::compile(name, &inputs)?;
        let reads: Vec<TensorRead<'_>> = inputs.iter().map(TensorRead::from_tensor).collect();
        let prepared = self.runtime.prepare(&graph, &reads, &[self.engine.target()]).map_err(|e| e.to_string())?;
        let out = self.runtime.run(&mut [&mut self.engine], &prepared, &reads).map_err(|e| e.to_string())?;
        let first = start.elapsed().as_secs_f64() * 1e3;
        let mut results = vec![];
        for (i, t) in out.into_iter().enumerate() {
            let Output::Owned(t) = t else { return Err("a result is a view of an input".into()) };
            let path = folder.join(format!("{name}.tenferro.{i}.npy"));
            npy::write(&path, &t)?;
            results.push(path.display().to_string());
        }
        drop(reads);
        self.loaded = Some((prepared, inputs));
        Ok(json!({ "first_ms": first, "results": results }))
    }
    fn time(&mut self, seconds: f64, least: u64) -> Said<Value> {
        let Peer { engine, runtime, loaded } = self;
        let (prepared, inputs) = loaded.as_ref().ok_or("nothing is loaded")?;
        let reads: Vec<TensorRead<'_>> = inputs.iter().map(TensorRead::from_tensor).collect();
        let mut call = || runtime.run(&mut [&mut *engine], prepared, &reads).map(drop).map_err(|e| e.to_string());
        let at = Instant::now();
        call()?;
        let one = at.elapsed().as_secs_f64();
        // Short calls are timed by the batch, so that the clock does not count.
        let batch = if one < 2e-4 { (2e-4 / one.max(1e-7)) as u64 } else { 1 }.max(1);
        let (start, mut min, mut runs) = (Instant::now(), f64::INFINITY, 0);
        while runs < least * batch || start.elapsed().as_secs_f64() < seconds {
            let at = Instant::now();
            for _ in 0..batch {
                call()?;
            }
            min = min.min(at.elapsed().as_secs_f64() / batch as f64);
            runs += batch;
            if start.elapsed().as_secs_f64() > 10.0 * seconds {
                break;
            }
        }
        Ok(json!({ "min_ms": min * 1e3, "runs": runs }))
    }
}
