//! The driver's functions and its libraries, where there is no GPU: calls go to a stub that checks them, kernels run on this machine, and
//! routines of libraries are stand-ins. What comes out is compared with the interpreter.
mod common;

use std::collections::BTreeSet;
use std::sync::Arc;

use common::{cases, differs, run};
use tfc_cuda::Cuda;
use tfc_cuda::driver::stub::Stub;
use tfc_cuda::driver::{Driver, Least};
use tfc_ir::OpSet;

fn stub(watch: bool) -> Option<Arc<Driver<Stub>>> {
    match Stub::new() {
        Ok(s) => Some(Arc::new(Driver::with(s, watch, Some(Least::ALL)))),
        Err(e) => {
            println!("skipped: {e}");
            None
        }
    }
}
/// Samples of rows that libraries have a part in: `TFC_ROW=NAME` chooses one.
#[test]
fn libraries_agree() {
    let Some(device) = stub(false) else { return };
    let cuda = Cuda::new(device.clone());
    let ops = Arc::new(OpSet::core());
    let only = std::env::var("TFC_ROW").ok();
    let rows = ops.iter().filter(|d| match &only {
        Some(o) => d.name == o,
        None => d.name.starts_with("linalg.") || d.name.starts_with("fft.") || d.name == "dot_general",
    });
    let cases: Vec<_> = rows.flat_map(|d| cases(&ops, Some(d.name))).collect();
    let (mut wrong, mut same) = (vec![], 0);
    for some in cases.chunks(400) {
        let list: Vec<_> = some.iter().map(|c| (&c.module, c.func)).collect();
        for (c, p) in some.iter().zip(cuda.compile_all(&list, false).unwrap()) {
            let p = match p {
                Ok(p) => p,
                Err(e) if e.data().code == "E1304" => continue,
                Err(e) => panic!("{}: {e}", c.name),
            };
            // Again and again: what is taken down runs the third time, and later.
            for _ in 0..4 {
                match run(&p, &c.args) {
                    Ok(got) => match c.want.iter().zip(&got).find_map(|(w, g)| differs(w, g)) {
                        None => same += 1,
                        Some(why) => wrong.push(format!("{}: {why}", c.name)),
                    },
                    Err(e) => wrong.push(format!("{}: {e} {:?}", c.name, e.data().notes)),
                }
            }
        }
    }
    let called: BTreeSet<&str> = device.bindings().calls().into_iter().collect();
    println!("{same} calls agree; {called:?}");
    wrong.dedup();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    if only.is_none() {
        let all = [
            "cublasLtMatmul",
            "cublas trsm",
            "cusolverDnXpotrf",
            "cusolverDnXgetrf",
            "cusolverDnXgeqrf",
            "cusolverDn orgqr",
            "cusolverDnXsyevd",
            "cusolverDnXgesvd",
            "cufftExec C2C",
            "cufftExec R2C",
            "cufftExec C2R",
        ];
        let never: Vec<_> = all.iter().filter(|c| !called.contains(*c)).collect();
        assert!(never.is_empty(), "never called: {never:?}");
    }
}
