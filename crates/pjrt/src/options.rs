//! What a client asks for when it compiles: the few fields of XLA's `CompileOptionsProto` that have a meaning here.
//!
//! Source of the numbers: `xla/pjrt/proto/compile_options.proto` and `xla/xla_data.proto`.
use crate::border::Fault;

/// Replicas, partitions, and on which device the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Asked {
    pub(crate) replicas: u64,
    pub(crate) partitions: u64,
    pub(crate) device: Option<u64>,
}
/// A field of a message: a number, or bytes.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Other,
}
/// Fields of a message, in order.
struct Fields<'a>(&'a [u8]);
impl<'a> Fields<'a> {
    fn number(&mut self) -> Option<u64> {
        let mut out = 0u64;
        for i in 0..10 {
            let (&b, rest) = self.0.split_first()?;
            self.0 = rest;
            out |= u64::from(b & 0x7f).checked_shl(7 * i)?;
            if b & 0x80 == 0 {
                return Some(out);
            }
        }
        None
    }
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (found, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(found)
    }
}
impl<'a> Iterator for Fields<'a> {
    type Item = Option<(u64, Field<'a>)>;
    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let mut one = || {
            let key = self.number()?;
            let field = match key & 7 {
                0 => Field::Number(self.number()?),
                1 => self.take(8).map(|_| Field::Other)?,
                2 => {
                    let n = usize::try_from(self.number()?).ok()?;
                    Field::Bytes(self.take(n)?)
                }
                5 => self.take(4).map(|_| Field::Other)?,
                _ => return None,
            };
            Some((key >> 3, field))
        };
        let found = one();
        if found.is_none() {
            self.0 = &[];
        }
        Some(found)
    }
}
/// Reads serialised options; none at all ask for one replica of one partition.
///
/// # Errors
/// Bytes that are no message.
pub(crate) fn read(bytes: &[u8]) -> Result<Asked, Fault> {
    let broken = || Fault::invalid("the compile options are no CompileOptionsProto");
    let mut out = Asked { replicas: 1, partitions: 1, device: None };
    for field in Fields(bytes) {
        // `executable_build_options`
        let (3, Field::Bytes(build)) = field.ok_or_else(broken)? else { continue };
        for field in Fields(build) {
            match field.ok_or_else(broken)? {
                (4, Field::Number(n)) => out.replicas = n,
                (5, Field::Number(n)) => out.partitions = n,
                // `device_assignment`, of which each computation lists the device of each replica.
                (9, Field::Bytes(assignment)) => {
                    for field in Fields(assignment) {
                        let (3, Field::Bytes(devices)) = field.ok_or_else(broken)? else { continue };
                        for field in Fields(devices) {
                            match field.ok_or_else(broken)? {
                                (1, Field::Number(n)) => _ = out.device.get_or_insert(n),
                                (1, Field::Bytes(list)) => {
                                    let first = Fields(list).number();
                                    out.device = out.device.or(first);
                                }
                                _ => {}
                            }
                        }
                    }
                }
                _ => {}
            }
        }
    }
    Ok(out)
}
/// `DeviceAssignmentProto` of one replica on this device.
pub(crate) fn assignment(device: u64) -> Vec<u8> {
    let number = |mut n: u64| {
        let mut out = vec![];
        while n >= 0x80 {
            out.push(n as u8 | 0x80);
            n >>= 7;
        }
        out.push(n as u8);
        out
    };
    let list = number(device);
    let mut out = vec![0x08, 1, 0x10, 1, 0x1a, list.len() as u8 + 2, 0x0a, list.len() as u8];
    out.extend(list);
    out
}

/// What is tested from inside stands beside the code, is compiled with it where assertions are, and is run by `tests/it`.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn what_jax_asks_for_is_read() {
        // `device_ordinal` −1, one replica, one partition, the assignment of device 3, a flag of a later version.
        let assignment = assignment(3);
        let mut build = vec![0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x20, 1, 0x28, 2, 0x4a];
        build.push(assignment.len() as u8);
        build.extend(&assignment);
        build.extend([0x98, 0x01, 1]);
        let mut all = vec![0x1a, build.len() as u8];
        all.extend(&build);
        assert_eq!(read(&all).unwrap(), Asked { replicas: 1, partitions: 2, device: Some(3) });
        assert_eq!(read(&[]).unwrap(), Asked { replicas: 1, partitions: 1, device: None });
        // Cut off anywhere it is a message of fewer fields, or none.
        for end in 0..all.len() {
            let _ = read(&all[..end]);
        }
        assert!(read(&[0x1a, 200]).is_err());
    }
    /// All of them.
    pub const ALL: &[fn()] = &[what_jax_asks_for_is_read];
}
