//! What an adapter does besides: it says what it is and what it lacks, several threads share it, and programs run on tensors that stay there.
use std::sync::Arc;

use tfc_api::prelude::*;
use tfc_device::backend::Program;
use tfc_device::resident::Resident;
use tfc_engine::{Backend as _, Limits};
use tfc_gpu::Gpu;
use tfc_gpu::backend::adapter_named;
use tfc_ir::OpSet;
use tfc_testkit::Need;
use tfc_testkit::samples::{ready, run};

fn program(gpu: &Gpu, text: &str) -> Program {
    let m = tfc_frontend::text::parse_module(text.as_bytes(), &Arc::new(OpSet::core())).unwrap().module;
    let (m, f) = ready(&m, m.find("f").unwrap()).unwrap();
    gpu.compile_all(&[(&m, f)], false).unwrap().remove(0).unwrap()
}
#[test]
fn one_that_is_not_there() {
    let e = adapter_named(Some("99")).err().unwrap();
    assert_eq!(e.data().code.name(), "E1305", "{e}");
    assert!(e.data().help.is_some(), "{e}");
    let gpu = Gpu::opened_by(|| adapter_named(Some("x")));
    assert_eq!((gpu.device(1), gpu.about().unwrap_err().data().code.name()), ("gpu, no device".into(), "E1305"));
}
#[test]
fn memory_that_is_not_there() {
    let Some(device) = Need::Gpu.found(adapter_named(None)) else { return };
    let e = device.alloc(1 << 40).unwrap_err();
    assert_eq!(e.data().code.name(), "E0705", "{e}");
    assert!(e.data().message.contains("a buffer of this adapter has at most"), "{e}");
    // And all goes on.
    let p = device.alloc(5).unwrap();
    device.upload(p, &[1, 2, 3, 4, 5]).unwrap();
    let mut b = [0; 3];
    device.download(p.at(1), &mut b).unwrap();
    assert_eq!(b, [2, 3, 4]);
    device.free(p);
    assert!(device.download(p, &mut b).is_err());
}
/// Words, and bytes that are flags, are copied to where they have to be, and nowhere else.
#[test]
fn copies_leave_their_neighbours() {
    let Some(device) = Need::Gpu.found(adapter_named(None)) else { return };
    let [from, to] = [0, 1].map(|_| device.alloc(64).unwrap());
    let flag = |i: isize| u8::from(i * i % 7 == 2);
    device.upload(from, &(0..64).map(flag).collect::<Vec<u8>>()).unwrap();
    for (at, first, n) in [(4, 8, 12), (3, 1, 7), (0, 2, 1), (60, 0, 4), (5, 5, 0)] {
        device.upload(to, &[99; 64]).unwrap();
        device.copy(to.at(at), from.at(first), n).unwrap();
        let mut got = [0; 64];
        device.download(to, &mut got).unwrap();
        let want: Vec<u8> =
            (0..64).map(|i: isize| if i >= at && i < at + n as isize { flag(first + i - at) } else { 99 }).collect();
        assert_eq!(got[..], want, "{n} bytes from {first} to {at}");
    }
    for p in [from, to] {
        device.free(p);
    }
}
#[test]
fn tensors_stay_there() {
    let Some(device) = Need::Gpu.found(adapter_named(None)) else { return };
    let gpu = Gpu::new(device.clone());
    let p = program(
        &gpu,
        "tfir 1.0\nexport func @f<n>(%x: f32[n]) -> (y: f32[n]) {\n  %y: f32[n] = mul(%x, %x)\n  return %y\n}",
    );
    let x = Resident::upload(&device, &Tensor::from_rows([1.0f32, -2.0, 3.0]).unwrap()).unwrap();
    let once = p.run_resident(&[&x], &Limits::default()).unwrap();
    let twice = p.run_resident(&[&once[0]], &Limits::default()).unwrap();
    assert_eq!(twice[0].download().unwrap().to_vec::<f32>().unwrap(), [1.0, 16.0, 81.0]);
}
#[test]
fn threads_share_it() {
    let Some(device) = Need::Gpu.found(adapter_named(None)) else { return };
    let gpu = Gpu::new(device);
    let text = "tfir 1.0\nexport func @f<n>(%x: f32[n]) -> (s: f32[]) {\n  %s: f32[] = reduce_sum(%x, axes = [0])\n  return %s\n}";
    let p = program(&gpu, text);
    std::thread::scope(|s| {
        for t in 0..4 {
            let p = &p;
            s.spawn(move || {
                for n in [1usize, 10, 300, 0] {
                    let x = Tensor::full(&[n], t as f32).unwrap();
                    assert_eq!(run(p, &[x]).unwrap()[0].to_vec::<f32>().unwrap(), [(t * n) as f32]);
                }
            });
        }
    });
}
