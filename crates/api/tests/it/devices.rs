//! Tensors stay in the memory of their backend: a second backend, which only pretends to have a memory of its own.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tfc_api::prelude::*;
use tfc_engine::{Backend as Engine, Executable, Limits, Options};
use tfc_ir::OpSet;

struct Far {
    near: CpuBackend,
    place: Place,
    moved: AtomicUsize,
}
/// A tensor there.
struct There(Tensor);
impl Far {
    fn new() -> Far {
        Far { near: CpuBackend::new(), place: Place::fresh(), moved: AtomicUsize::new(0) }
    }
    fn keep(&self, t: Tensor) -> Placed {
        let (dtype, shape) = (t.dtype(), t.shape().to_vec());
        Placed::new(self.place, dtype, &shape, Arc::new(There(t)))
    }
}
impl Backend for Far {
    fn place(&self) -> Place {
        self.place
    }
    fn upload(&self, t: &Tensor) -> Result<Placed> {
        self.moved.fetch_add(1, Relaxed);
        Ok(self.keep(t.clone()))
    }
    fn download(&self, t: &Placed) -> Result<Tensor> {
        let there = t.at::<There>(self.place)?;
        self.moved.fetch_add(1, Relaxed);
        Ok(there.0.clone())
    }
    fn run(&self, program: &dyn Executable, arguments: &[Placed]) -> Result<Vec<Placed>> {
        let own = arguments.iter().map(|t| Ok(t.at::<There>(self.place)?.0.clone())).collect::<Result<Vec<_>>>()?;
        Ok(program.run(&own, self.limits())?.into_iter().map(|t| self.keep(t)).collect())
    }
    fn engine(&self) -> &dyn Engine {
        self.near.engine()
    }
    fn options(&self) -> &Options {
        self.near.options()
    }
    fn ops(&self) -> &Arc<OpSet> {
        self.near.ops()
    }
    fn limits(&self) -> &Limits {
        self.near.limits()
    }
}

#[test]
fn nothing_is_moved_unasked() {
    let program = trace([f64s("x", ["n"]), f64s("y", ["n"])], |[x, y]| Ok([(x * y)?])).unwrap();
    let (far, other, near) =
        (GraphExecutor::new(Far::new()), GraphExecutor::new(Far::new()), GraphExecutor::new(CpuBackend::new()));
    let t = Tensor::from_rows([1.0, 2.0, 3.0]).unwrap();
    let x = far.backend().upload(&t).unwrap();
    let square = far.run_placed(&program, &[x.clone(), x.clone()]).unwrap();
    let cube = far.run_placed(&program, &[square[0].clone(), x.clone()]).unwrap();
    assert_eq!(far.backend().moved.load(Relaxed), 1, "results stay where they are");
    assert_eq!(far.backend().download(&cube[0]).unwrap().to_vec::<f64>().unwrap(), [1.0, 8.0, 27.0]);
    assert_eq!((cube[0].dtype(), cube[0].shape()), (DType::F64, &[3][..]));
    // What lies elsewhere is refused, by whoever is asked.
    let here = near.backend().upload(&t).unwrap();
    for mixed in [
        far.run_placed(&program, &[x.clone(), here.clone()]),
        near.run_placed(&program, &[here.clone(), x.clone()]),
        other.run_placed(&program, &[x.clone(), x.clone()]),
    ] {
        let e = mixed.unwrap_err();
        assert_eq!(e.data().code.name(), "E1012");
        assert!(e.to_string().contains("f64[3]") && e.data().help.is_some(), "{e}");
    }
    assert_eq!(other.backend().download(&x).unwrap_err().data().code.name(), "E1012");
    assert_eq!(near.backend().download(&x).unwrap_err().data().code.name(), "E1012");
    // All backends for this processor share its memory.
    let second = GraphExecutor::new(CpuBackend::new().threads(1));
    assert_eq!(second.run_placed(&program, &[here.clone(), here]).unwrap().len(), 1);
}
