//! What damaged and malicious files come to, and what reading, showing and saving may take.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::tests::{Folder, code, matrix};
use super::*;
use std::fs;

/// A `.safetensors` file of this header and so many bytes behind it.
fn safetensors_of(header: &str, held: usize) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend((0..held).map(|i| i as u8));
    bytes
}

fn a_header_says_each_thing_once_and_every_byte_has_one_owner() {
    let f = Folder::new("header");
    let path = f.at("x.safetensors");
    let read = |bytes: Vec<u8>| {
        fs::write(&path, bytes).unwrap();
        load(&path, Some("a"), None, false)
    };
    let entry = |name: &str, from: usize, to: usize| {
        format!(r#""{name}":{{"dtype":"F64","shape":[{}],"data_offsets":[{from},{to}]}}"#, to.saturating_sub(from) / 8)
    };
    let of = |entries: &[String], held| safetensors_of(&format!("{{{}}}", entries.join(",")), held);
    let (a, b) = (entry("a", 0, 16), entry("b", 16, 24));
    let texts = r#""__metadata__":{"format":"pt"}"#.to_owned();
    // The order of the header is free, empty tensors take no bytes, and padding follows it.
    assert!(read(of(&[b.clone(), texts.clone(), a.clone(), entry("c", 16, 16)], 24)).is_ok());
    assert!(read(safetensors_of(&format!("{{{a}}}   "), 16)).is_ok());
    let refused = |bytes, words: &str| {
        let e = read(bytes).unwrap_err();
        assert_eq!(e.data().code.name(), "E0602", "{e}");
        assert!(e.data().message.contains(words), "{words} is expected: {e}");
    };
    refused(of(&[a.clone(), entry("a", 16, 32)], 32), "`a` stands there twice");
    refused(of(&[a.clone(), texts.clone(), texts], 16), "`__metadata__` stands there twice");
    refused(of(&[a.clone(), r#""__metadata__":{"k":"1","k":"2"}"#.into()], 16), "`k` stands there twice");
    refused(of(&[a.replace(r#""shape""#, r#""dtype":"F64","shape""#)], 16), "duplicate field");
    refused(of(&[a.replace(r#""shape""#, r#""strides":[1],"shape""#)], 16), "unknown field");
    refused(of(std::slice::from_ref(&a), 17), "1 bytes follow its last tensor");
    refused(of(&[a.clone(), entry("b", 8, 24)], 24), "overlaps another");
    refused(of(&[a.clone(), entry("b", 24, 32)], 32), "leaves a hole");
    refused(of(&[entry("a", 8, 24)], 24), "leaves a hole");
    refused(of(&[a.clone(), entry("b", 24, 16)], 24), "before it begins");
    refused(of(&[a.replace("[2]", "[3]")], 16), "does not fit its shape");
    refused(of(&[a.clone(), b.replace("[1]", "[4611686018427387904,4]")], 24), "does not fit its shape");
    refused(safetensors_of(&format!("{{{a}}}x"), 16), "trailing characters");
    refused(safetensors_of("", 16), "EOF");
    refused([&100_000_001u64.to_le_bytes()[..], &[b' '; 64]].concat(), "a header of 100000001 bytes");
    assert_eq!(code(read(of(&[a], 15))), "E0603");
}

/// An archive of one member, stored or deflated.
fn archive(method: zip::CompressionMethod, member: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    zip.start_file("x.npy", options).unwrap();
    std::io::Write::write_all(&mut zip, member).unwrap();
    zip.finish().unwrap().into_inner()
}
fn npy_bytes(t: &Tensor) -> Vec<u8> {
    let mut bytes = vec![];
    npy::write(t, &mut bytes).unwrap();
    bytes
}
fn place(bytes: &[u8], of: &[u8]) -> usize {
    bytes.windows(of.len()).position(|w| w == of).unwrap()
}

fn a_member_is_what_its_checksum_says() {
    let f = Folder::new("crc");
    let member = npy_bytes(&matrix());
    let read = |bytes: &[u8]| {
        fs::write(f.at("x.npz"), bytes).unwrap();
        load(&f.at("x.npz"), None, None, false)
    };
    let stored = archive(zip::CompressionMethod::Stored, &member);
    assert!(read(&stored).unwrap().same(&matrix()));
    let mut wrong = stored.clone();
    wrong[place(&stored, &6f64.to_le_bytes())] ^= 1;
    let e = read(&wrong).unwrap_err();
    assert_eq!(e.data().code.name(), "E0608", "{e}");
    assert!(e.data().message.contains("array `x`: its CRC-32 is wrong"), "{e}");
    // Deflated: the checksum that both of the archive's headers state is made another, and so is what it is of.
    let deflated = archive(zip::CompressionMethod::Deflated, &member);
    assert!(read(&deflated).unwrap().same(&matrix()));
    let mut crc = flate2::Crc::new();
    crc.update(&member);
    let mut wrong = deflated.clone();
    for at in 0..wrong.len() - 4 {
        if deflated[at..at + 4] == crc.sum().to_le_bytes() {
            wrong[at] ^= 1;
        }
    }
    assert_eq!(code(read(&wrong)), "E0608");
    // What follows the array has been read by nobody.
    let long = archive(zip::CompressionMethod::Deflated, &[&member[..], b"more"].concat());
    let e = read(&long).unwrap_err();
    assert!(e.data().code.name() == "E0602" && e.data().message.contains("more bytes follow"), "{e}");
}

fn a_member_holds_what_it_claims() {
    let f = Folder::new("claims");
    let deflated = archive(zip::CompressionMethod::Deflated, &npy_bytes(&matrix()));
    let size = (npy_bytes(&matrix()).len() as u32).to_le_bytes();
    let mut wrong = deflated.clone();
    for at in 0..wrong.len() - 4 {
        if deflated[at..at + 4] == size {
            wrong[at..at + 4].copy_from_slice(&1_000_000u32.to_le_bytes());
        }
    }
    fs::write(f.at("x.npz"), wrong).unwrap();
    let e = load(&f.at("x.npz"), None, None, false).unwrap_err();
    assert!(e.data().code.name() == "E0602" && e.data().message.contains("cannot hold them"), "{e}");
}

/// A linear congruential generator (Knuth, MMIX): the same mutations everywhere.
struct Lcg(u64);
impl Lcg {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// One to four changes: a bit, a byte, a run cut out, doubled or moved.
fn mutate(bytes: &[u8], r: &mut Lcg) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..1 + r.below(4) {
        let n = out.len();
        if n == 0 {
            return out;
        }
        let at = r.below(n);
        let run = at..(at + 1 + r.below(8)).min(n);
        match r.below(6) {
            0 => out[at] ^= 1 << r.below(8),
            1 => out[at] = r.below(256) as u8,
            2 => out[at] = [0, 0xff, b'9', b'"', b'('][r.below(5)],
            3 => drop(out.drain(run)),
            4 => {
                let again = out[run].to_vec();
                out.splice(at..at, again);
            }
            _ => out.truncate(at),
        }
    }
    out
}

fn mutated_files_are_errors_or_what_they_were() {
    let f = Folder::new("fuzz");
    let t = Tensor::from_logical(&[4, 5], (0..20).map(|i| f64::from(i) * 0.3).collect()).unwrap();
    let npy = npy_bytes(&t);
    let mut safe = vec![];
    write_safetensors(&mut safe, &[("x", &t), ("y", &matrix())]).unwrap();
    let files = [
        ("x.npy", npy.clone(), false),
        ("x.safetensors", safe, false),
        ("x.npz", archive(zip::CompressionMethod::Stored, &npy), true),
        ("x.npz", archive(zip::CompressionMethod::Deflated, &npy), true),
    ];
    let mut r = Lcg(7);
    for (name, bytes, checked) in files {
        let path = f.at(name);
        let key = (name != "x.npy").then_some("x");
        let mut read = 0;
        for i in 0..2000 {
            let mutated = mutate(&bytes, &mut r);
            fs::write(&path, &mutated).unwrap();
            match load(&path, key, None, false) {
                Ok(got) => {
                    read += 1;
                    assert!(!checked || got.same(&t), "{name}, mutation {i}: other data, and no word about it");
                }
                Err(e) => assert!(
                    e.data().code.name().starts_with("E06") || e.data().code.name().starts_with("E02"),
                    "{name}: {e}"
                ),
            }
        }
        assert!(read < 2000, "{name}: nothing was changed");
    }
}

fn arrays_are_charged_before_they_are_read() {
    let f = Folder::new("budget");
    let t = Tensor::zeros(DType::F64, &[1 << 16]).unwrap();
    for name in ["x.npy", "x.npz", "x.safetensors"] {
        save(&f.at(name), &[("x", &t)]).unwrap();
    }
    fs::write(f.at("d.npz"), archive(zip::CompressionMethod::Deflated, &npy_bytes(&t))).unwrap();
    for name in ["x.npy", "x.npz", "d.npz", "x.safetensors"] {
        let format = Format::of(&f.at(name)).unwrap();
        let want = Want { dtype: Some(DType::F64), convert: false };
        let read = |b: &Budget| load_as(&f.at(name), format, None, want, b);
        let small = Budget::new(tfc_ir::Limits { memory: Some(t.len() * 8 - 1), ..Default::default() });
        assert_eq!((code(read(&small)), small.bytes()), ("E0715", 0), "{name}");
        // A header takes some while it is read.
        let enough = Budget::new(tfc_ir::Limits { memory: Some(t.len() * 8 + 1024), ..Default::default() });
        assert!(read(&enough).unwrap().same(&t), "{name}");
        assert_eq!(enough.bytes(), t.len() * 8, "{name}");
        let late = Budget::new(tfc_ir::Limits { time: Some(std::time::Duration::ZERO), ..Default::default() });
        assert_eq!(code(read(&late)), "E0714", "{name}");
    }
}

/// One element that stands for more than any walk could visit: a test that walks it does not end.
fn endless() -> Tensor {
    let one = Tensor::from_logical(&[3], vec![1.5, 2.5, f64::NAN]).unwrap();
    Tensor::view(one.data().clone(), vec![1 << 20, 3, 1 << 20], vec![0, 1, 0], 0).unwrap()
}

fn walks_may_end_early_and_skip_what_repeats() {
    let t = matrix();
    for t in [t.clone(), t.t(), Tensor::scalar(7), Tensor::from_logical::<i32>(&[0, 2], vec![]).unwrap()] {
        let mut all = vec![];
        t.for_each_index(|i| all.push(i));
        assert_eq!(t.indices().collect::<Vec<_>>(), all);
    }
    assert_eq!(endless().indices().skip(1 << 20).take(2).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(endless().distinct().shape(), [1, 3, 1]);
    assert_eq!(Tensor::view(t.data().clone(), vec![0, 2], vec![0, 0], 0).unwrap().distinct().shape(), [0, 1]);
}

fn views_of_any_size_are_shown_compared_and_saved_within_limits() {
    let f = Folder::new("views");
    let t = endless();
    // Its minimum and maximum are those of three elements.
    let text = show::show("x", &t, show::Detail::Summary);
    assert!(text.starts_with("x: f64[1048576, 3, 1048576], min 1.5, max 2.5, 1099511627776 nan ="), "{text}");
    let limits = |ms| tfc_ir::Limits { time: Some(std::time::Duration::from_millis(ms)), ..Default::default() };
    let b = Budget::new(limits(20));
    assert_eq!(
        code(compare::compare_within(&t, &t, compare::Tolerance::default(), || b.check()).map(|_| t.clone())),
        "E0714"
    );
    let b = Budget::new(limits(20));
    let mut said = 0;
    let whole = show::show_to("x", &t, show::Detail::Full, &mut |text| {
        said += text.len();
        b.check()
    });
    assert_eq!(whole.unwrap_err().data().code.name(), "E0714");
    assert!(said > 0);
    for name in ["x.npy", "x.safetensors"] {
        let e = save_within(&f.at(name), &[("x", &t)], &Budget::new(limits(20))).unwrap_err();
        assert_eq!(e.data().code.name(), "E0714", "{name}");
    }
    // An archive is put together in memory first.
    let small = Budget::new(tfc_ir::Limits { memory: Some(1 << 30), ..Default::default() });
    assert_eq!(save_within(&f.at("x.npz"), &[("x", &t)], &small).unwrap_err().data().code.name(), "E0715");
    assert_eq!(f.names(), [""; 0]);
}
/// All of them.
pub const ALL: &[fn()] = &[
    a_header_says_each_thing_once_and_every_byte_has_one_owner,
    a_member_is_what_its_checksum_says,
    a_member_holds_what_it_claims,
    mutated_files_are_errors_or_what_they_were,
    arrays_are_charged_before_they_are_read,
    walks_may_end_early_and_skip_what_repeats,
    views_of_any_size_are_shown_compared_and_saved_within_limits,
];
