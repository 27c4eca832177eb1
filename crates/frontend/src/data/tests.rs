#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;
use std::fs;
use std::path::PathBuf;

/// A folder that is removed when the test ends.
pub(super) struct Folder(PathBuf);
impl Folder {
    pub(super) fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tfc-data-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
    pub(super) fn names(&self) -> Vec<String> {
        let mut v: Vec<String> =
            fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        v.sort();
        v
    }
}
impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

pub(super) fn matrix() -> Tensor {
    Tensor::from_logical(&[2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap()
}
pub(super) fn code(r: Result<Tensor>) -> &'static str {
    r.unwrap_err().data().code.name()
}

fn what_is_saved_loads_in_every_format() {
    let f = Folder::new("round");
    let flags = Tensor::from_logical(&[2], vec![true, false]).unwrap();
    for name in ["a.npy", "a.npz", "a.safetensors"] {
        save(&f.at(name), &[("w", &matrix())]).unwrap();
        let t = load(&f.at(name), None, Some(DType::F64), false).unwrap();
        assert!(t.same(&matrix()), "{name}");
    }
    for name in ["b.npz", "b.safetensors"] {
        save(&f.at(name), &[("flags", &flags), ("w", &matrix())]).unwrap();
        assert!(load(&f.at(name), Some("w"), None, false).unwrap().same(&matrix()));
        assert!(load(&f.at(name), Some("flags"), None, false).unwrap().same(&flags));
        assert_eq!(code(load(&f.at(name), None, None, false)), "E0604");
        let e = load(&f.at(name), Some("v"), None, false).unwrap_err();
        assert_eq!(e.data().code.name(), "E0604");
        assert!(e.data().help.as_ref().unwrap().contains("flags, w"), "{e}");
    }
    assert_eq!(save(&f.at("b.npy"), &[("a", &flags), ("b", &flags)]).unwrap_err().data().code.name(), "E0610");
    let c = Tensor::scalar(tfc_ir::C64::new(0.0, 1.0));
    assert_eq!(save(&f.at("c.safetensors"), &[("c", &c)]).unwrap_err().data().code.name(), "E0610");
    assert_eq!(f.names(), ["a.npy", "a.npz", "a.safetensors", "b.npz", "b.safetensors"]);
}

fn deflated_archives_are_read() {
    use std::io::Write;
    let f = Folder::new("deflate");
    let mut zip = zip::ZipWriter::new(fs::File::create(f.at("d.npz")).unwrap());
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    let big = Tensor::zeros(DType::I64, &[300, 100]).unwrap();
    zip.start_file("zeros.npy", options).unwrap();
    npy::write(&big, &mut zip).unwrap();
    zip.start_file("short.npy", options).unwrap();
    let mut bytes = vec![];
    npy::write(&big, &mut bytes).unwrap();
    zip.write_all(&bytes[..5000]).unwrap();
    zip.finish().unwrap();
    assert!(fs::metadata(f.at("d.npz")).unwrap().len() < 3000);
    assert!(load(&f.at("d.npz"), Some("zeros"), None, false).unwrap().same(&big));
    assert_eq!(code(load(&f.at("d.npz"), Some("short"), None, false)), "E0603");
}

fn unreadable_files_are_named() {
    let f = Folder::new("unreadable");
    let e = load(&f.at("none.npy"), None, None, false).unwrap_err();
    assert_eq!(e.data().code.name(), "E0601");
    assert!(e.data().message.contains("none.npy`: no such file"), "{e}");
    fs::create_dir(f.at("d.npy")).unwrap();
    assert_eq!(code(load(&f.at("d.npy"), None, None, false)), "E0601");
    assert_eq!(code(load(&f.at("x.txt"), None, None, false)), "E0602");
    save(&f.at("a.npy"), &[("a", &matrix())]).unwrap();
    assert_eq!(code(load(&f.at("a.npy"), Some("a"), None, false)), "E0604");
    assert_eq!(code(load(&f.at("a.npy"), None, Some(DType::F32), false)), "E0606");
    let bytes = fs::read(f.at("a.npy")).unwrap();
    fs::write(f.at("t.npy"), &bytes[..bytes.len() - 1]).unwrap();
    let e = load(&f.at("t.npy"), None, None, false).unwrap_err();
    assert_eq!(e.data().code.name(), "E0603");
    assert!(e.data().message.contains("t.npy`: truncated"), "{e}");
}

fn broken_archives_are_errors_at_every_length() {
    let f = Folder::new("cut");
    for name in ["a.npz", "a.safetensors"] {
        save(&f.at(name), &[("a", &matrix())]).unwrap();
        let bytes = fs::read(f.at(name)).unwrap();
        for n in 0..bytes.len() {
            fs::write(f.at(name), &bytes[..n]).unwrap();
            let c = code(load(&f.at(name), Some("a"), None, false));
            assert!(matches!(c, "E0602" | "E0603"), "{name} cut to {n}: {c}");
        }
    }
    fs::write(f.at("g.safetensors"), [0xffu8; 64]).unwrap();
    assert_eq!(code(load(&f.at("g.safetensors"), None, None, false)), "E0602");
    let header = r#"{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,4]}}"#;
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend([0; 4]);
    fs::write(f.at("h.safetensors"), bytes).unwrap();
    assert!(matches!(code(load(&f.at("h.safetensors"), None, None, false)), "E0602" | "E0603"));
}

fn half_precision_weights_come_in_by_conversion() {
    let f = Folder::new("half");
    let header = r#"{"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]},"b":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[4,6]}}"#;
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend([0x80, 0x3f, 0x49, 0x40, 0x38, 0xc0]);
    fs::write(f.at("w.safetensors"), bytes).unwrap();
    let get =
        |key| load(&f.at("w.safetensors"), Some(key), Some(DType::F32), true).unwrap().to_logical::<f32>().unwrap();
    assert_eq!(get("a"), [1.0, 3.140625]);
    assert_eq!(get("b"), [1.0, -2.0]);
    let own = load(&f.at("w.safetensors"), Some("a"), None, false).unwrap();
    assert_eq!((own.dtype(), own.to_string()), (DType::BF16, "bf16[2] = [1.0, 3.14]".into()));
    let own = load(&f.at("w.safetensors"), Some("b"), None, false).unwrap();
    assert_eq!((own.dtype(), own.to_string()), (DType::F8E4M3FN, "f8e4m3fn[2] = [1.0, -2.0]".into()));
    // NumPy's files do not say which of the tiny dtypes theirs is.
    let four = Tensor::from_ints(DType::I4, &[3], [7, -8, -1]).unwrap();
    save(&f.at("four.npy"), &[("four", &four)]).unwrap();
    let bytes = fs::read(f.at("four.npy")).unwrap();
    assert_eq!(bytes[bytes.len() - 3..], [7, 8, 15]);
    assert!(load(&f.at("four.npy"), None, Some(DType::I4), false).unwrap().same(&four));
    let other = load(&f.at("four.npy"), None, Some(DType::U4), false).unwrap();
    assert_eq!(other.to_string(), "u4[3] = [7, 8, 15]");
    assert_eq!(code(load(&f.at("four.npy"), None, None, false)), "E0605");
    assert_eq!(code(load(&f.at("four.npy"), None, Some(DType::F32), true)), "E0605");
    save(&f.at("w2.safetensors"), &[("b", &own)]).unwrap();
    assert!(load(&f.at("w2.safetensors"), Some("b"), None, false).unwrap().same(&own));
}

fn declarations_stay_in_their_folder() {
    let f = Folder::new("roots");
    fs::create_dir_all(f.at("prog/sub")).unwrap();
    fs::create_dir_all(f.at("other")).unwrap();
    for p in ["prog/a.npy", "prog/sub/b.npy", "other/c.npy"] {
        save(&f.at(p), &[("a", &matrix())]).unwrap();
    }
    let roots = Roots::of_program(&f.at("prog/p.tfir"), vec![]);
    assert!(roots.resolve("a.npy").is_ok());
    assert!(roots.resolve("./sub/b.npy").is_ok());
    let bad = |r: &Roots, p: &str| r.resolve(p).unwrap_err().data().code.name();
    assert_eq!(bad(&roots, "sub/../a.npy"), "E0609");
    assert_eq!(bad(&roots, "../other/c.npy"), "E0609");
    assert_eq!(bad(&roots, f.at("prog/a.npy").to_str().unwrap()), "E0609");
    assert_eq!(bad(&roots, ""), "E0609");
    assert_eq!(bad(&roots, "none.npy"), "E0601");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(f.at("other"), f.at("prog/link")).unwrap();
        assert_eq!(bad(&roots, "link/c.npy"), "E0609");
    }
    let wide = Roots::of_program(&f.at("prog/p.tfir"), vec![f.at("other")]);
    assert!(wide.resolve("c.npy").is_ok());
    assert!(wide.resolve("../other/c.npy").is_ok());
    assert_eq!(bad(&wide, "/etc/passwd"), "E0609");
}

fn declarations_are_checked() {
    let f = Folder::new("declared");
    save(&f.at("a.npy"), &[("a", &matrix())]).unwrap();
    let roots = Roots::of_program(&f.at("p.tfir"), vec![]);
    let all = Budget::unlimited();
    let sum = sha256(&f.at("a.npy"), &all).unwrap();
    let ok = Declared {
        path: "a.npy",
        format: Format::Npy,
        key: None,
        dtype: DType::F64,
        shape: &[2, 3],
        sha256: Some(&sum),
        convert: false,
    };
    assert!(load_declared(&ok, &roots, &all).unwrap().same(&matrix()));
    assert_eq!(code(load_declared(&Declared { sha256: Some("00"), ..ok }, &roots, &all)), "E0608");
    assert_eq!(code(load_declared(&Declared { dtype: DType::I32, ..ok }, &roots, &all)), "E0606");
    assert_eq!(code(load_declared(&Declared { shape: &[2, 4], ..ok }, &roots, &all)), "E0607");
    assert_eq!(code(load_declared(&Declared { shape: &[6], ..ok }, &roots, &all)), "E0607");
    assert_eq!(code(load_declared(&Declared { format: Format::Npz, ..ok }, &roots, &all)), "E0602");
    fs::write(f.at("abc"), "abc").unwrap();
    assert_eq!(sha256(&f.at("abc"), &all).unwrap(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

fn writing_leaves_no_half_file() {
    let f = Folder::new("atomic");
    fs::write(f.at("x"), "old").unwrap();
    let e = write_atomically(&f.at("x"), |out| {
        out.write_all(b"new")?;
        Err(std::io::Error::other("disk full"))
    });
    assert_eq!(e.unwrap_err().data().code.name(), "E0610");
    assert_eq!(fs::read_to_string(f.at("x")).unwrap(), "old");
    assert_eq!(f.names(), ["x"]);
    write_atomically(&f.at("x"), |out| out.write_all(b"new")).unwrap();
    assert_eq!(fs::read_to_string(f.at("x")).unwrap(), "new");
    assert_eq!(check_writable(&f.at("none/x")).unwrap_err().data().code.name(), "E0610");
    assert_eq!(check_writable(&f.0).unwrap_err().data().code.name(), "E0610");
    check_writable(&f.at("y")).unwrap();
    assert_eq!(f.names(), ["x"]);
    assert!(same_file(&f.at("x"), &f.at("./x")));
    assert!(!same_file(&f.at("x"), &f.at("y")));
}

/// One that cannot be written leaves the others as they were.
#[cfg(target_os = "linux")]
fn files_are_written_together() {
    let f = Folder::new("together");
    fs::write(f.at("a.npy"), "old").unwrap();
    let (a, c) = (f.at("a.npy"), f.at("c.npy"));
    let t = matrix();
    let one = || vec![("x", &t)];
    // `/dev/full` can be opened, and takes nothing.
    let all = Budget::unlimited();
    for wrong in [(Path::new("/dev/full"), one()), (&*c, vec![("x", &t), ("y", &t)])] {
        assert_eq!(save_all(&[(&a, one()), wrong], &all).unwrap_err().data().code.name(), "E0610");
        assert_eq!((f.names(), fs::read_to_string(&a).unwrap()), (vec!["a.npy".to_owned()], "old".to_owned()));
    }
    save_all(&[(&a, one()), (&c, one())], &all).unwrap();
    assert_eq!(f.names(), ["a.npy", "c.npy"]);
    assert_eq!(fs::read(&a).unwrap(), fs::read(&c).unwrap());
}

/// What a killed process has left goes with the next file that is written to the same path; what somebody writes stays.
fn left_over_files_are_removed() {
    let f = Folder::new("left");
    let left = [".x.npy.12345.0.tmp", ".x.npy.99999999.17.tmp"];
    let others = [".x.npy.1.tmp", ".x.npy.a.0.tmp", ".y.npy.12345.0.tmp", "x.npy.12345.0.tmp"];
    for name in left.iter().chain(&others) {
        fs::write(f.at(name), "half").unwrap();
    }
    let written = fs::OpenOptions::new().write(true).open(f.at(left[1])).unwrap();
    written.lock().unwrap();
    check_writable(&f.at("x.npy")).unwrap();
    let mut stay: Vec<&str> = others.iter().chain(&left[1..]).copied().collect();
    stay.sort_unstable();
    assert_eq!(f.names(), stay);
    drop(written);
    write_atomically(&f.at("x.npy"), |out| out.write_all(b"new")).unwrap();
    stay.retain(|n| *n != left[1]);
    stay.push("x.npy");
    stay.sort_unstable();
    assert_eq!(f.names(), stay);
}

#[cfg(unix)]
fn links_are_followed_and_devices_written_directly() {
    let f = Folder::new("links");
    fs::write(f.at("real"), "old").unwrap();
    std::os::unix::fs::symlink("real", f.at("link")).unwrap();
    std::os::unix::fs::symlink("fresh", f.at("dangling")).unwrap();
    std::os::unix::fs::symlink("loop", f.at("loop")).unwrap();
    for (link, real) in [("link", "real"), ("dangling", "fresh")] {
        write_atomically(&f.at(link), |out| out.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(f.at(link)).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(f.at(real)).unwrap(), "new");
    }
    assert!(same_file(&f.at("link"), &f.at("real")));
    assert!(write_atomically(&f.at("loop"), |_| Ok(())).is_err());
    check_writable(Path::new("/dev/null")).unwrap();
    write_atomically(Path::new("/dev/null"), |out| out.write_all(b"x")).unwrap();
    save(Path::new("/dev/null"), &[("x", &matrix())]).unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

fn permissions_survive_a_rewrite() {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let f = Folder::new("mode");
        fs::write(f.at("x"), "").unwrap();
        fs::set_permissions(f.at("x"), fs::Permissions::from_mode(0o640)).unwrap();
        write_atomically(&f.at("x"), |out| out.write_all(b"y")).unwrap();
        assert_eq!(fs::metadata(f.at("x")).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
/// All of them.
pub const ALL: &[fn()] = &[
    what_is_saved_loads_in_every_format,
    deflated_archives_are_read,
    unreadable_files_are_named,
    broken_archives_are_errors_at_every_length,
    half_precision_weights_come_in_by_conversion,
    declarations_stay_in_their_folder,
    declarations_are_checked,
    writing_leaves_no_half_file,
    files_are_written_together,
    left_over_files_are_removed,
    links_are_followed_and_devices_written_directly,
    permissions_survive_a_rewrite,
];
