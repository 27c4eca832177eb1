//! Samples of every row, compiled for the backend.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(unreachable_pub, reason = "a module of each test")]
use tfc_cuda::Cuda;
use tfc_cuda::backend::Program;
use tfc_ir::Result;
pub use tfc_testkit::samples::{Case, cases, differs, ready, run};

/// The cases as programs, in their order. The compiler of this machine takes one text at a time: of those that are compiled together
/// there are as many at a time as processors.
pub fn compiled(cuda: &Cuda, cases: &[Case], together: usize) -> Vec<Result<Program>> {
    let chunks: Vec<&[Case]> = cases.chunks(together).collect();
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get().min(4));
    let compile = |some: &[Case]| {
        let list: Vec<_> = some.iter().map(|c| (&c.module, c.func)).collect();
        cuda.compile_all(&list, false).unwrap_or_else(|e| panic!("{e}\n{:?}", e.data().notes))
    };
    let (chunks, compile) = (&chunks, &compile);
    let mut made: Vec<_> = std::thread::scope(|s| {
        let own = |w: usize| {
            move || chunks.iter().enumerate().skip(w).step_by(workers).map(|(i, c)| (i, compile(c))).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..workers).map(|w| s.spawn(own(w))).collect();
        threads.into_iter().flat_map(|t| t.join().unwrap()).collect()
    });
    made.sort_by_key(|m| m.0);
    made.into_iter().flat_map(|m| m.1).collect()
}
