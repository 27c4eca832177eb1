//! What an op keeps, as StableHLO text has it: attributes of VHLO, some of which are fields of one there, and some of which say nothing.
use std::collections::BTreeMap;
use std::fmt::Write;

use super::container::{Bytes, OpName, Read, broken};
use super::entry::{Attr, Type};
use super::print::Printer;
use super::vhlo;

/// How long a list of axes may be of which one number is written for all.
const MOST_AXES: usize = 100;

/// The properties of an op: names, and positions of attributes.
pub(super) type Properties = Vec<(&'static str, usize)>;

impl Printer<'_> {
    /// The properties of an op of that name, at that position.
    pub(super) fn properties(&self, name: OpName, i: usize) -> Read<Properties> {
        let Some(&(mut b)) = self.file.properties.get(i) else { return broken("an op's properties are not there") };
        let keys = match (name.dialect, name.name) {
            // A module's name, where it has one.
            ("builtin", "module") if name.known => {
                let (i, there) = b.flagged()?;
                return Ok(if there { vec![("sym_name", i)] } else { vec![] });
            }
            ("builtin", "unrealized_conversion_cast") => return Ok(vec![]),
            ("vhlo", op) if name.known => vhlo::keys(op),
            ("chlo", "top_k") if name.known => Some(&["k"][..]),
            ("sdy", op) if name.known => return shardy(op, b),
            _ => None,
        };
        let Some(keys) = keys else {
            return broken(format!("what `{}.{}` keeps is not known", name.dialect, name.name));
        };
        keys.iter().map(|&k| Ok((k, b.index()?))).collect()
    }
    /// Whether the text leaves an attribute out.
    fn says_nothing(&self, key: &str, i: usize) -> Read<bool> {
        Ok(match self.file.attr(i)? {
            Attr::Bool(false) => vhlo::FLAGS.contains(&key),
            Attr::Array(list) => list.is_empty() && vhlo::LISTS.contains(&key),
            Attr::Other => true,
            Attr::Int(_, 0) => key == "channel_id",
            Attr::Word(_, "NOTYPE") | Attr::Accuracy(true) => true,
            _ => key == "result_tilings" || key == "channel_type",
        })
    }
    pub(super) fn write_properties(&mut self, op: &str, properties: &Properties) -> Read<()> {
        let mut first = true;
        let mut begin = |p: &mut Self, key: &str| {
            let _ = write!(p.out, "{}{key} = ", if std::mem::take(&mut first) { " <{" } else { ", " });
        };
        let has = |key: &str| properties.iter().find(|p| p.0 == key).map(|p| p.1);
        let mut grouped: Vec<&str> = vec![];
        for g in vhlo::GROUPS.iter().filter(|g| g.ops.contains(&op)) {
            grouped.extend(g.fields);
            let fields: Vec<(&str, usize)> = g.fields.iter().filter_map(|&f| Some((f, has(f)?))).collect();
            // A group whose first field is a type that says "none" is not there.
            let none = match fields.first() {
                None => true,
                Some(&(_, i)) => match self.file.attr(i)? {
                    Attr::Type(t) => matches!(self.file.ty(t)?, Type::Plain("none")),
                    _ => false,
                },
            };
            if none {
                continue;
            }
            begin(self, g.key);
            let _ = write!(self.out, "#stablehlo.{}<", g.dialect_name);
            for (k, (field, i)) in fields.into_iter().enumerate() {
                let _ = write!(self.out, "{}{field} = ", if k > 0 { ", " } else { "" });
                match self.file.attr(i)? {
                    Attr::Int(_, n) => _ = write!(self.out, "{n}"),
                    Attr::Tensor(..) => _ = write!(self.out, "{:?}", self.ints(i)?),
                    _ => self.attr(i)?,
                }
            }
            self.out.push('>');
        }
        if let Some(list) = self.convolved(properties)? {
            grouped.extend(vhlo::CONVOLVED.iter().flatten().map(|x| x.1));
            begin(self, "dimension_numbers");
            self.out.push_str(&list);
        }
        for &(key, i) in properties {
            if grouped.contains(&key) || self.says_nothing(key, i)? {
                continue;
            }
            match (key, self.file.attr(i)?) {
                ("callee" | "decomposition", Attr::Str(name)) => {
                    begin(self, key);
                    self.symbol(name);
                }
                ("channel_id", Attr::Int(_, n)) => {
                    begin(self, "channel_handle");
                    let _ = write!(self.out, "#stablehlo.channel_handle<handle = {n}, type = 0>");
                }
                ("called_computations", Attr::Array(list)) => {
                    begin(self, key);
                    self.out.push('[');
                    for (k, i) in list.into_iter().enumerate() {
                        self.out.push_str(if k > 0 { ", " } else { "" });
                        let name = self.name_of(i)?;
                        self.symbol(name);
                    }
                    self.out.push(']');
                }
                _ => {
                    begin(self, key);
                    self.attr(i)?;
                }
            }
        }
        if !first {
            self.out.push_str("}>");
        }
        Ok(())
    }
    /// `#stablehlo.conv<[b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]>`
    fn convolved(&self, properties: &Properties) -> Read<Option<String>> {
        let has = |key: &str| properties.iter().find(|p| p.0 == key).map(|p| p.1);
        let mut out = vec![];
        for tensor in vhlo::CONVOLVED {
            let mut at: BTreeMap<i64, String> = BTreeMap::new();
            for (letter, key) in tensor {
                let Some(i) = has(key) else { return Ok(None) };
                match self.file.attr(i)? {
                    Attr::Int(_, n) => _ = at.insert(n, letter.to_owned()),
                    _ => at.extend(self.ints(i)?.into_iter().enumerate().map(|(k, n)| (n, k.to_string()))),
                }
            }
            if at.keys().copied().ne(0..at.len() as i64) {
                return broken("a convolution's dimensions are not each there once");
            }
            out.push(format!("[{}]", at.into_values().collect::<Vec<_>>().join(", ")));
        }
        match &out[..] {
            [a, b, c] => Ok(Some(format!("#stablehlo.conv<{a}x{b}->{c}>"))),
            _ => Ok(None),
        }
    }
    /// A list of integers of 64 bits.
    fn ints(&self, i: usize) -> Read<Vec<i64>> {
        let Attr::Tensor(ty, bytes) = self.file.attr(i)? else { return broken("a list of integers is something else") };
        let Type::Tensor(shape, ..) = self.file.ty(ty)? else { return broken("a list of integers is no tensor") };
        let each: Vec<i64> =
            bytes.chunks_exact(8).map(|c| i64::from_le_bytes(c.try_into().unwrap_or_default())).collect();
        let n =
            shape.iter().try_fold(1, |all: usize, &n| all.checked_mul(usize::try_from(n).ok()?)).unwrap_or(usize::MAX);
        match each[..] {
            [one] if n <= MOST_AXES => Ok(vec![one; n]),
            _ if each.len() == n => Ok(each),
            _ => broken("a list of integers has another length than its type says"),
        }
    }
}
/// What Shardy's ops keep: shardings, which MLIR prints.
fn shardy(op: &str, mut b: Bytes) -> Read<Properties> {
    let keys: &[&'static str] = match op {
        "mesh" => &["mesh", "sym_name"],
        "sharding_constraint" | "reshard" => &["sharding"],
        "sharding_group" => &["group_id"],
        "propagation_barrier" => &["allowed_direction"],
        "manual_computation" => &["in_shardings", "manual_axes", "out_shardings"],
        _ => return broken(format!("what `sdy.{op}` keeps is not known")),
    };
    keys.iter().map(|&k| Ok((k, b.index()?))).collect()
}
