//! The little of protocol buffers that is spoken with XLA: options are written, and a compiled program is searched for what its
//! devices tell each other. Fields by number, as `xla/service/hlo.proto`, `xla/xla_data.proto` and
//! `xla/pjrt/proto/compile_options.proto` of openxla/xla have them.
use std::fmt;

/// A communication among devices in a compiled program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Collective {
    /// HLO's name: `all-reduce`, `all-gather`, …
    pub kind: String,
    /// Bytes of its result on each device.
    pub bytes: usize,
    /// How many devices take part in a group.
    pub devices: usize,
}
impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} of {} bytes among {} devices", self.kind, self.bytes, self.devices)
    }
}

fn varint(mut x: u64, out: &mut Vec<u8>) {
    while x >= 0x80 {
        out.push(x as u8 | 0x80);
        x >>= 7;
    }
    out.push(x as u8);
}
/// A field that is a number, or a `bool`.
pub(crate) fn number(field: u64, x: u64) -> Vec<u8> {
    let mut out = vec![];
    varint(field << 3, &mut out);
    varint(x, &mut out);
    out
}
/// A field that is text, bytes or a message.
pub(crate) fn bytes(field: u64, of: &[u8]) -> Vec<u8> {
    let mut out = vec![];
    varint(field << 3 | 2, &mut out);
    varint(of.len() as u64, &mut out);
    out.extend(of);
    out
}

/// A field's value.
#[derive(Clone, Copy)]
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}
fn read_varint(from: &mut &[u8]) -> Option<u64> {
    let mut x = 0u64;
    for shift in (0..64).step_by(7) {
        let (&b, rest) = from.split_first()?;
        *from = rest;
        x |= u64::from(b & 0x7f) << shift;
        if b < 0x80 {
            return Some(x);
        }
    }
    None
}
fn take<'a>(from: &mut &'a [u8], n: u64) -> Option<&'a [u8]> {
    let (head, rest) = from.split_at_checked(usize::try_from(n).ok()?)?;
    *from = rest;
    Some(head)
}
/// The fields of a message, in order; `None` where it is none.
fn fields(mut from: &[u8]) -> Option<Vec<(u64, Value<'_>)>> {
    let mut out = vec![];
    while !from.is_empty() {
        let key = read_varint(&mut from)?;
        let value = match key & 7 {
            0 => Value::Number(read_varint(&mut from)?),
            1 => Value::Bytes(take(&mut from, 8)?),
            2 => {
                let n = read_varint(&mut from)?;
                Value::Bytes(take(&mut from, n)?)
            }
            5 => Value::Bytes(take(&mut from, 4)?),
            _ => return None,
        };
        out.push((key >> 3, value));
    }
    Some(out)
}
/// Messages, texts or lists of that field.
fn inner<'a>(of: &[(u64, Value<'a>)], field: u64) -> Vec<&'a [u8]> {
    of.iter().filter(|f| f.0 == field).filter_map(|f| if let Value::Bytes(b) = f.1 { Some(b) } else { None }).collect()
}
/// Numbers of that field, packed or not.
fn numbers(of: &[(u64, Value)], field: u64) -> Option<Vec<u64>> {
    let mut out = vec![];
    for (_, v) in of.iter().filter(|f| f.0 == field) {
        match *v {
            Value::Number(x) => out.push(x),
            Value::Bytes(mut b) => {
                while !b.is_empty() {
                    out.push(read_varint(&mut b)?);
                }
            }
        }
    }
    Some(out)
}
/// Bytes of a `ShapeProto { element_type = 2, dimensions = 3, tuple_shapes = 4 }`.
fn size(shape: &[u8]) -> Option<usize> {
    let f = fields(shape)?;
    let parts = inner(&f, 4);
    if !parts.is_empty() {
        return parts.into_iter().try_fold(0usize, |n, s| n.checked_add(size(s)?));
    }
    // `PrimitiveType`: PRED, S8 … S64, U8 … U64, F16, F32, BF16, F64, C64, C128.
    let element = match numbers(&f, 2)?.last()? {
        1 | 2 | 6 => 1,
        3 | 7 | 10 | 16 => 2,
        4 | 8 | 11 => 4,
        5 | 9 | 12 | 15 => 8,
        18 => 16,
        _ => 0,
    };
    numbers(&f, 3)?.into_iter().try_fold(element, |n: usize, d| n.checked_mul(usize::try_from(d).ok()?))
}
/// How many devices are in a group of an instruction: `replica_groups = 49 { replica_ids = 1 }`, or
/// `collective_device_list = 87 { replica_groups = 1, iota_replica_group_list = 2 { num_devices_per_group = 2 } }`.
fn group(instruction: &[(u64, Value)]) -> Option<usize> {
    let listed =
        |groups: Vec<&[u8]>| -> Option<usize> { Some(numbers(&fields(groups.first()?)?, 1)?.len()).filter(|&n| n > 0) };
    let found = listed(inner(instruction, 49));
    let found = found.or_else(|| {
        let list = fields(inner(instruction, 87).first()?)?;
        let iota = || usize::try_from(*numbers(&fields(inner(&list, 2).first()?)?, 2)?.first()?).ok();
        listed(inner(&list, 1)).or_else(iota)
    });
    found.filter(|&n| n > 0)
}
/// The collectives of a `HloModuleProtoWithConfig { hlo_module = 1 { computations = 3 { instructions = 2 { opcode = 2, shape = 3 } } } }`,
/// in its order; one in a loop counts once. Where an instruction names no group, `all` devices are one. `None`: it is no such
/// program.
pub(crate) fn collectives(program: &[u8], all: usize) -> Option<Vec<Collective>> {
    let mut out = vec![];
    for module in inner(&fields(program)?, 1) {
        for computation in inner(&fields(module)?, 3) {
            for instruction in inner(&fields(computation)?, 2) {
                let f = fields(instruction)?;
                let opcode = String::from_utf8_lossy(inner(&f, 2).first()?).into_owned();
                let kind = opcode.strip_suffix("-start").unwrap_or(&opcode);
                let kinds = ["all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute"];
                if kinds.contains(&kind) {
                    let bytes = size(inner(&f, 3).first()?)?;
                    out.push(Collective { kind: kind.to_owned(), bytes, devices: group(&f).unwrap_or(all) });
                }
            }
        }
    }
    Some(out)
}

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn an_instruction_is_found_in_a_program() {
        let shape = [number(2, 12), bytes(3, &[64, 32])].concat();
        let groups = bytes(49, &bytes(1, &[0, 1, 2, 3]));
        let reduce = [bytes(1, b"sum"), bytes(2, b"all-reduce"), bytes(3, &shape), groups].concat();
        let tuple = [number(2, 13), bytes(4, &shape), bytes(4, &[number(2, 11)].concat())].concat();
        let iota = bytes(87, &bytes(2, &[number(1, 3), number(2, 2)].concat()));
        let gather = [bytes(2, b"all-gather-start"), bytes(3, &tuple), iota].concat();
        let other = [bytes(2, b"add"), bytes(3, &shape)].concat();
        let body = [bytes(2, &reduce), bytes(2, &other), bytes(2, &gather)].concat();
        let program = bytes(1, &[bytes(1, b"m"), bytes(3, &body)].concat());
        let found: Vec<String> = collectives(&program, 8).unwrap().iter().map(Collective::to_string).collect();
        assert_eq!(found, ["all-reduce of 16384 bytes among 4 devices", "all-gather of 16388 bytes among 2 devices"]);
        // Cut anywhere inside, it is no program; and nothing panics.
        for n in 1..program.len() {
            assert!(collectives(&program[..n], 8).is_none(), "{n}");
        }
    }
    /// All of them.
    pub const ALL: &[fn()] = &[an_instruction_is_found_in_a_program];
}
