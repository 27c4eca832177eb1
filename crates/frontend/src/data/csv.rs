//! `.csv`: numbers in rows, separated by commas, semicolons or tabs, as spreadsheets and other programs write them.
use super::parse_literal;
use std::io::{Read, Write};
use tfc_ir::{Budget, Code, DType, Error, Result, Tensor, print};

/// Reads a table. Empty lines, and lines that begin with `#`, are left out, and so is a first line whose entries are no numbers. One
/// column is a vector; otherwise there is an axis of rows and one of columns. Without `dtype` it is `f64`.
///
/// # Errors
/// `E0602` rows of different length, `E0909` an entry that is no number of the dtype, `E0715` more than the budget has.
pub(super) fn read(mut file: impl Read, dtype: Option<DType>, budget: &Budget) -> Result<Tensor> {
    let dtype = dtype.unwrap_or(DType::F64);
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(|e| match e.kind() {
        std::io::ErrorKind::InvalidData => Error::new(Code::E0602, "not a readable .csv file: it is not UTF-8"),
        _ => Error::new(Code::E0601, e.to_string()),
    })?;
    // The text, the lists that it becomes, and the elements.
    let _held = budget.hold(2 * text.len())?;
    let lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.trim_start().starts_with('#'));
    let mut lines = lines.peekable();
    let separator = lines.peek().map_or(',', |(_, l)| [';', '\t'].into_iter().find(|&c| l.contains(c)).unwrap_or(','));
    let number = |cell: &str| parse_literal(cell.trim(), dtype, Some(&[])).is_ok();
    // Names of columns.
    lines.next_if(|(_, l)| !l.split(separator).any(number));
    let mut list = String::with_capacity(text.len() + 2);
    let mut columns = None;
    for (at, line) in lines {
        let cells: Vec<&str> = line.split(separator).map(str::trim).collect();
        let n = *columns.get_or_insert(cells.len());
        if cells.len() != n {
            let what = format!("line {} has {} entries, those before it have {n}", at + 1, cells.len());
            return Err(Error::new(Code::E0602, format!("not a readable .csv file: {what}")));
        }
        list.push_str(if list.is_empty() { "" } else { ", " });
        if n == 1 {
            list.push_str(cells.first().unwrap_or(&""));
        } else {
            list.push_str(&format!("[{}]", cells.join(", ")));
        }
    }
    let t = parse_literal(&format!("[{list}]"), dtype, None)?;
    budget.charge(t.len() * dtype.size())?;
    Ok(t)
}

/// Writes a number, a column of numbers, or rows and columns.
///
/// # Errors
/// More than two axes, or complex numbers, as an error of input and output.
pub(super) fn write(t: &Tensor, out: &mut dyn Write) -> std::io::Result<()> {
    if t.rank() > 2 || t.dtype().is_complex() {
        let text = format!("a .csv file holds real numbers along two axes at most, not {}", t.dtype());
        return Err(std::io::Error::other(format!("{text}{:?}", t.shape())));
    }
    let columns = t.shape().get(1).copied().unwrap_or(1);
    let (mut k, mut done) = (0, Ok(()));
    t.for_each_index(|at| {
        k += 1;
        let end = if columns <= 1 || k % columns == 0 { "\n" } else { "," };
        if done.is_ok() {
            done = write!(out, "{}{end}", print::element(t, at));
        }
    });
    done
}
