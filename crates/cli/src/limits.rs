//! Sizes, times and `KEY=VALUE` limits of the command line.
use std::collections::BTreeMap;
use std::time::Duration;
use tfc_ir::{Budget, Code, Error, Result};

/// `4096`, `512M`, `2G`: a number of bytes.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match text.get(digits.len()..).unwrap_or_default().to_ascii_uppercase().as_str() {
        "" | "B" => 1u64,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        _ => return Err("a size is a number with K, M or G behind it".into()),
    };
    let n: u64 = digits.parse().map_err(|_| "a size is a number with K, M or G behind it".to_owned())?;
    n.checked_mul(factor).ok_or_else(|| "this is more than any machine has".into())
}

/// `2.5`: a duration in seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.trim_end_matches('s').parse().map_err(|_| "a number of seconds is expected".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "a positive number of seconds is expected".into())
}

/// `NAME=VALUE`, split at the first `=`.
pub(crate) fn pair<'a>(option: &str, text: &'a str) -> Result<(&'a str, &'a str)> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim(), value)),
        _ => Err(Error::new(Code::E0901, format!("`{option} {}` is not NAME=VALUE", text.escape_debug()))),
    }
}

/// `--bind n=128`.
pub(crate) fn bindings(list: &[String]) -> Result<BTreeMap<String, usize>> {
    let mut map = BTreeMap::new();
    for text in list.iter().flat_map(|s| s.split(',')) {
        let (name, value) = pair("--bind", text)?;
        let n = value.trim().parse().ok().filter(|&n| n <= isize::MAX as usize);
        let n = n.ok_or_else(|| Error::new(Code::E0901, format!("`{}` is no extent", value.escape_debug())))?;
        if map.insert(name.to_owned(), n).is_some_and(|old| old != n) {
            return Err(Error::new(Code::E0901, format!("`{name}` is bound twice")));
        }
    }
    Ok(map)
}

/// The limits that `--limit KEY=VALUE` can change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Limits {
    /// Diagnostics shown for one file.
    pub(crate) errors: usize,
    /// Ops of a module.
    pub(crate) ops: usize,
}
impl Default for Limits {
    fn default() -> Self {
        Limits { errors: 50, ops: tfc_ir::budget::MOST_OPS }
    }
}
impl Limits {
    /// Those of the command line.
    pub(crate) fn parse(list: &[String]) -> Result<Limits> {
        let mut limits = Limits::default();
        for text in list {
            let (key, value) = pair("--limit", text)?;
            let n: usize = value.trim().parse().map_err(|_| {
                Error::new(Code::E0901, format!("limit `{key}` needs a number, not `{}`", value.escape_debug()))
            })?;
            match key {
                "errors" => limits.errors = n.max(1),
                "ops" => limits.ops = n,
                _ => {
                    return Err(Error::new(Code::E0901, format!("there is no limit `{}`", key.escape_debug()))
                        .help("the limits are: errors, ops"));
                }
            }
        }
        Ok(limits)
    }
    /// What a command may use; the clock starts.
    pub(crate) fn budget(&self, time: Option<Duration>, memory: Option<u64>, fuel: Option<u64>) -> Budget {
        let memory = memory.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        Budget::new(tfc_ir::Limits { time, memory, fuel, ops: Some(self.ops) })
    }
}

/// What is tested from inside.
#[cfg(debug_assertions)]
pub mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn sizes_and_times_are_read() {
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("2G"), Ok(2 << 30));
        assert_eq!(size("1kib"), Ok(1024));
        assert!(size("2T").is_err() && size("").is_err() && size("99999999999G").is_err());
        assert_eq!(seconds("2.5"), Ok(Duration::from_millis(2500)));
        assert!(seconds("-1").is_err() && seconds("nan").is_err() && seconds("x").is_err());
    }

    fn pairs_are_checked() {
        let b = bindings(&["n=3,m=4".into(), "n=3".into()]).unwrap();
        assert_eq!(b.into_iter().collect::<Vec<_>>(), [("m".to_owned(), 4), ("n".to_owned(), 3)]);
        for bad in ["n", "=3", "n=x", "n=-1", "n=3,n=4"] {
            assert_eq!(bindings(&[bad.into()]).unwrap_err().data().code.name(), "E0901", "{bad}");
        }
        assert_eq!(Limits::parse(&["errors=3".into()]).unwrap().errors, 3);
        assert_eq!(Limits::parse(&["ops=7".into()]).unwrap().budget(None, None, None).limits().ops, Some(7));
        assert!(Limits::parse(&["depth=3".into()]).is_err());
    }
    /// All of them.
    pub const ALL: &[fn()] = &[sizes_and_times_are_read, pairs_are_checked];
}
