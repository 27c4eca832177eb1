//! The container: sections of tables (strings, names of ops, attributes, types, properties) and one of statements. Numbers are of varying
//! length; whatever is referred to is a position in a table. Nothing is believed: a length never exceeds the bytes that are there.
//!
//! Source of the format: MLIR's documentation, "MLIR Bytecode Format"; version 6.

/// Why the bytes cannot be read.
#[derive(Debug)]
pub(super) struct Broken(pub(super) String);
pub(super) type Read<T> = Result<T, Broken>;
pub(super) fn broken<T>(why: impl Into<String>) -> Read<T> {
    Err(Broken(why.into()))
}

/// The version of the format that is read, which StableHLO has been written in since 0.17.
pub(super) const VERSION: u64 = 6;
/// The first bytes of every file.
pub(super) const MAGIC: &[u8] = b"ML\xefR";

const STRINGS: u8 = 0;
const DIALECTS: u8 = 1;
const ATTRS_AND_TYPES: u8 = 2;
const OFFSETS: u8 = 3;
const STATEMENTS: u8 = 4;
const PROPERTIES: u8 = 8;

/// Some of the bytes, read from the front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
    end: usize,
}
impl<'a> Bytes<'a> {
    pub(super) fn of(all: &'a [u8]) -> Bytes<'a> {
        Bytes { all, at: 0, end: all.len() }
    }
    pub(super) fn is_empty(&self) -> bool {
        self.at >= self.end
    }
    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.end.saturating_sub(self.at)
    }
    pub(super) fn byte(&mut self) -> Read<u8> {
        self.take(1).map(|b| b.first().copied().unwrap_or(0))
    }
    /// The next `n` bytes.
    pub(super) fn take(&mut self, n: usize) -> Read<&'a [u8]> {
        let end = self.at.checked_add(n).filter(|&end| end <= self.end);
        match end.and_then(|end| self.all.get(self.at..end)) {
            Some(found) => {
                self.at += n;
                Ok(found)
            }
            None => broken("it ends too early"),
        }
    }
    /// The next `n` bytes, to be read on their own.
    fn part(&mut self, n: usize) -> Read<Bytes<'a>> {
        let at = self.at;
        self.take(n)?;
        Ok(Bytes { all: self.all, at, end: at + n })
    }
    /// Bytes up to a zero, which is not among them.
    pub(super) fn text(&mut self) -> Read<&'a str> {
        let rest = self.all.get(self.at..self.end).unwrap_or_default();
        let Some(n) = rest.iter().position(|&b| b == 0) else { return broken("a text has no end") };
        let found = utf8(self.take(n)?)?;
        self.take(1)?;
        Ok(found)
    }
    /// A number: as many zeros as its first byte ends with, so many bytes follow it.
    pub(super) fn number(&mut self) -> Read<u64> {
        let first = self.byte()?;
        let more = first.trailing_zeros() as usize;
        let mut whole = [0; 8];
        if more >= 8 {
            whole.copy_from_slice(self.take(8)?);
            return Ok(u64::from_le_bytes(whole));
        }
        for (to, &b) in whole.iter_mut().zip(std::iter::once(&first).chain(self.take(more)?)) {
            *to = b;
        }
        Ok(u64::from_le_bytes(whole) >> (more + 1))
    }
    /// A number with a sign, which stands in its last bit.
    pub(super) fn signed(&mut self) -> Read<i64> {
        let n = self.number()?;
        Ok((n >> 1) as i64 ^ -((n & 1) as i64))
    }
    /// A number, and a truth value that stands in its last bit.
    pub(super) fn flagged(&mut self) -> Read<(usize, bool)> {
        let n = self.number()?;
        Ok(((n >> 1) as usize, n & 1 == 1))
    }
    /// A position in a table.
    pub(super) fn index(&mut self) -> Read<usize> {
        Ok(self.number()? as usize)
    }
    /// How many items follow, each of which has at least one byte.
    pub(super) fn count(&mut self) -> Read<usize> {
        let n = self.number()?;
        if n > (self.end - self.at) as u64 { broken("a list is longer than the file") } else { Ok(n as usize) }
    }
    /// Positions, behind their number.
    pub(super) fn indices(&mut self) -> Read<Vec<usize>> {
        (0..self.count()?).map(|_| self.index()).collect()
    }
    /// Numbers with signs, behind their number.
    pub(super) fn signed_list(&mut self) -> Read<Vec<i64>> {
        (0..self.count()?).map(|_| self.signed()).collect()
    }
    /// Bytes, behind their number.
    pub(super) fn blob(&mut self) -> Read<&'a [u8]> {
        let n = self.count()?;
        self.take(n)
    }
    /// An integer of so many bits, as its bits.
    pub(super) fn bits(&mut self, width: u32) -> Read<u64> {
        match width {
            0..=8 => Ok(u64::from(self.byte()?)),
            9..=64 => Ok(self.signed()? as u64),
            _ => broken("a number has more than 64 bits"),
        }
    }
    /// What a section is, and its bytes.
    pub(super) fn section(&mut self) -> Read<(u8, Bytes<'a>)> {
        let kind = self.byte()?;
        let length = self.index()?;
        if kind & 0x80 != 0 {
            let to = self.index()?.max(1);
            while !self.at.is_multiple_of(to) {
                self.byte()?;
            }
        }
        Ok((kind & 0x7f, self.part(length)?))
    }
}
fn utf8(bytes: &[u8]) -> Read<&str> {
    std::str::from_utf8(bytes).or_else(|_| broken("a name is not UTF-8"))
}

/// An attribute or a type, not yet decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'a> {
    pub(super) dialect: &'a str,
    /// In the dialect's own way; else the text that MLIR prints.
    pub(super) coded: bool,
    pub(super) bytes: Bytes<'a>,
}
/// The name of an op.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpName<'a> {
    pub(super) dialect: &'a str,
    pub(super) name: &'a str,
    /// The writer knew it: its properties are coded in its own way.
    pub(super) known: bool,
}
/// The tables, and the statements.
#[derive(Debug)]
pub(super) struct File<'a> {
    pub(super) strings: Vec<&'a [u8]>,
    pub(super) ops: Vec<OpName<'a>>,
    pub(super) attrs: Vec<Entry<'a>>,
    pub(super) types: Vec<Entry<'a>>,
    pub(super) properties: Vec<Bytes<'a>>,
    pub(super) statements: Bytes<'a>,
}
impl<'a> File<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Read<File<'a>> {
        let mut at = Bytes::of(bytes);
        at.take(MAGIC.len())?;
        let version = at.number()?;
        if version != VERSION {
            return broken(format!("it is of version {version} of the format, and {VERSION} is read"));
        }
        at.text()?;
        let mut found: [Option<Bytes>; 9] = [None; 9];
        while !at.is_empty() {
            let (kind, section) = at.section()?;
            match found.get_mut(usize::from(kind)) {
                Some(slot) if slot.is_none() => *slot = Some(section),
                _ => return broken(format!("a section of kind {kind} is not expected")),
            }
        }
        let mut get = |kind: u8| match found.get_mut(usize::from(kind)).and_then(Option::take) {
            Some(s) => Ok(s),
            None => broken(format!("it has no section of kind {kind}")),
        };
        let strings = strings(get(STRINGS)?)?;
        let (dialects, ops) = names(get(DIALECTS)?, &strings)?;
        let (attrs, types) = entries(get(OFFSETS)?, get(ATTRS_AND_TYPES)?, &dialects)?;
        let statements = get(STATEMENTS)?;
        let properties = get(PROPERTIES).ok().map_or(Ok(vec![]), properties)?;
        Ok(File { strings, ops, attrs, types, properties, statements })
    }
    /// The text at a position of the table of strings.
    pub(super) fn string(&self, i: usize) -> Read<&'a [u8]> {
        self.strings.get(i).copied().map_or_else(|| broken("it refers to a text that is not there"), Ok)
    }
}
/// Lengths, the last string's first, then the strings, each with a zero behind it.
fn strings(mut s: Bytes<'_>) -> Read<Vec<&[u8]>> {
    let mut lengths = (0..s.count()?).map(|_| s.index()).collect::<Read<Vec<usize>>>()?;
    lengths.reverse();
    let one = |n| s.take(n).map(|b| b.split_last().map_or(b, |x| x.1));
    lengths.into_iter().map(one).collect()
}
type Names<'a> = (Vec<&'a str>, Vec<OpName<'a>>);
fn names<'a>(mut s: Bytes<'a>, strings: &[&'a [u8]]) -> Read<Names<'a>> {
    let text = |i: usize| match strings.get(i) {
        Some(t) => utf8(t),
        None => broken("a name is not there"),
    };
    let mut dialects = vec![];
    for _ in 0..s.count()? {
        let (name, versioned) = s.flagged()?;
        dialects.push(text(name)?);
        if versioned {
            s.section()?;
        }
    }
    s.number()?;
    let mut ops = vec![];
    while !s.is_empty() {
        let dialect = dialect(&dialects, s.index()?)?;
        for _ in 0..s.count()? {
            let (name, known) = s.flagged()?;
            ops.push(OpName { dialect, name: text(name)?, known });
        }
    }
    Ok((dialects, ops))
}
fn dialect<'a>(dialects: &[&'a str], i: usize) -> Read<&'a str> {
    dialects.get(i).copied().map_or_else(|| broken("it refers to a dialect that is not there"), Ok)
}
type Entries<'a> = (Vec<Entry<'a>>, Vec<Entry<'a>>);
/// Entries stand one behind the other; their lengths stand apart, by dialects, attributes before types.
fn entries<'a>(mut s: Bytes, mut data: Bytes<'a>, dialects: &[&'a str]) -> Read<Entries<'a>> {
    let (attrs, types) = (s.count()?, s.count()?);
    let mut group = |most: usize| -> Read<Vec<Entry<'a>>> {
        let mut out = vec![];
        while out.len() < most {
            let dialect = dialect(dialects, s.index()?)?;
            let n = s.count()?;
            if n == 0 || n > most - out.len() {
                return broken("a group of entries has the wrong number of them");
            }
            for _ in 0..n {
                let (length, coded) = s.flagged()?;
                out.push(Entry { dialect, coded, bytes: data.part(length)? });
            }
        }
        Ok(out)
    };
    Ok((group(attrs)?, group(types)?))
}
fn properties(mut s: Bytes<'_>) -> Read<Vec<Bytes<'_>>> {
    let n = s.count()?;
    let mut one = || {
        let length = s.index()?;
        s.part(length)
    };
    (0..n).map(|_| one()).collect()
}
