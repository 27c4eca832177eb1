//! NVRTC: kernels become code for devices, and text that is none is refused with its line.
use tfc_cuda::nvrtc::Nvrtc;
use tfc_cuda::text::prelude;
use tfc_testkit::Need;

/// NVRTC; none, said aloud, where it is not installed.
fn nvrtc() -> Option<Nvrtc> {
    match Nvrtc::find() {
        Ok(n) => Some(n),
        Err(e) if e.data().code.name() == "E1301" => {
            Need::Nvrtc.missing(e);
            None
        }
        Err(e) => panic!("{e}"),
    }
}
const KERNELS: &str = "
extern \"C\" __global__ void turn(In<f32> x, Out<f32> y)
{
  SHARED(f32, s, 256);
  s[threadIdx.x] = x(threadIdx.x * 4);
  __syncthreads();
  y(threadIdx.x * 4) = s[255 - threadIdx.x];
}
extern \"C\" __global__ void copy(In<f32> x, Out<f32> y, Loops<2, 2> at)
{
  for (i64 i = thread_of_grid(); i < at.count(); i += threads_of_grid()) {
    const auto k = at.index(i);
    y(at.place(1, k)) = x(at.place(0, k));
  }
}
";
#[test]
fn cubin_and_ptx_for_two_devices() {
    let Some(n) = nvrtc() else { return };
    println!("{}", n.describe());
    let text = format!("{}\n{KERNELS}", prelude());
    for arch in ["sm_80", "sm_90"] {
        let c = n.cubin(&text, arch).unwrap();
        assert_eq!(c.image[..4], *b"\x7fELF", "{arch}");
        let turn = &c.usage["turn"];
        assert_eq!((turn.shared, turn.spills), (1024, 0), "{arch}: {}", c.log);
        assert!((4..=255).contains(&turn.registers), "{arch}: {}", c.log);
        assert_eq!(c.usage["copy"].shared, 0);
        assert_eq!(c.usage.len(), 2);
        // The second time it comes from disk, and is the same.
        assert_eq!(n.cubin(&text, arch).unwrap(), c);
        let ptx = n.ptx(&text, arch).unwrap();
        let ptx = String::from_utf8(ptx.image).unwrap();
        assert!(ptx.contains(".entry turn") && ptx.contains(&format!(".target {arch}")), "{ptx}");
        assert!(!ptx.ends_with('\0'));
    }
}
#[test]
fn text_that_does_not_compile() {
    let Some(n) = nvrtc() else { return };
    let text = format!("{}\n{}", prelude(), KERNELS.replace("s[255 - threadIdx.x]", "s[255 - nothing]"));
    let e = n.cubin(&text, "sm_80").unwrap_err();
    assert_eq!(e.data().code.name(), "E1302");
    let e = e.to_string();
    assert!(
        e.contains("`y(threadIdx.x * 4) = s[255 - nothing];`") && e.contains("identifier \"nothing\" is undefined"),
        "{e}"
    );
    let e = n.cubin(&text, "sm_1").unwrap_err();
    assert_eq!(e.data().code.name(), "E1302");
    assert!(e.to_string().contains("sm_1"), "{e}");
    let e = n.cubin("a\0b", "sm_80").unwrap_err();
    assert_eq!(e.data().code.name(), "E1302");
}
#[test]
fn a_place_without_nvrtc() {
    let e = Nvrtc::at(std::path::Path::new("/nowhere/at/all")).map(|_| ()).unwrap_err();
    assert_eq!(e.data().code.name(), "E1301");
    let e = e.to_string();
    assert!(e.contains("/nowhere/at/all") && e.contains("pip install nvidia-cuda-nvrtc==13.0.88"), "{e}");
}
