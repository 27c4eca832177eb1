//! `run --plot`: results as drawings, in SVG. A drawing depends on nothing but the result.
mod draw;
mod scale;

use crate::bind::position;
use std::path::{Path, PathBuf};
use tfc_frontend::data::{check_writable, write_atomically};
use tfc_ir::{Budget, C32, C64, Code, DType, Error, Result, Tensor};

/// How a result is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A line for each column.
    Lines,
    /// A field of colours.
    Heat,
    /// Grey, or red, green and blue along the last axis.
    Image,
    /// How often elements lie between two numbers.
    Histogram,
}
impl Kind {
    const NAMES: [(&'static str, Kind); 4] =
        [("lines", Kind::Lines), ("heat", Kind::Heat), ("image", Kind::Image), ("hist", Kind::Histogram)];
}

/// Columns of more than so many are a field and not lines.
const MOST_LINES: usize = 10;

/// What to draw, and where.
#[derive(Debug, Default)]
pub(crate) struct Plots {
    list: Vec<(usize, Option<Kind>, PathBuf)>,
}
impl Plots {
    /// Reads `NAME`, `NAME:KIND`, `NAME=PATH` or `NAME:KIND=PATH` for results of these names.
    pub(crate) fn parse(names: &[String], list: &[String]) -> Result<Plots> {
        let mut plots = Plots::default();
        for text in list {
            let (what, path) = text.split_once('=').map_or((text.as_str(), None), |(w, p)| (w, Some(PathBuf::from(p))));
            let (name, kind) = what.split_once(':').map_or((what, None), |(n, k)| (n, Some(k)));
            let kind = kind.map(|k| {
                let known = Kind::NAMES.iter().find(|n| n.0 == k).map(|n| n.1);
                known.ok_or_else(|| {
                    Error::new(Code::E0901, format!("`{}` is no kind of drawing", k.escape_debug()))
                        .help("there are lines, heat, image and hist")
                })
            });
            let i = position(name, names, "result")?;
            let path = path.unwrap_or_else(|| PathBuf::from(format!("{}.svg", names[i])));
            if path.extension().is_none_or(|e| e != "svg") {
                let e = Error::new(Code::E0901, format!("`{}` is no .svg file", path.display()));
                return Err(e.help("drawings are SVG: `--plot y=y.svg`"));
            }
            plots.list.push((i, kind.transpose()?, path));
        }
        Ok(plots)
    }
    /// The files that are written.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.list.iter().map(|p| p.2.as_path())
    }
    /// Refuses what cannot be written.
    pub(crate) fn check(&self) -> Result<()> {
        self.files().try_for_each(check_writable)
    }
    /// Draws the results.
    pub(crate) fn write(&self, names: &[String], results: &[Tensor], budget: &Budget) -> Result<()> {
        for (i, kind, path) in &self.list {
            let (Some(name), Some(t)) = (names.get(*i), results.get(*i)) else { continue };
            budget.check()?;
            let svg = drawn(name, t, *kind, budget)?;
            write_atomically(path, |out| out.write_all(svg.as_bytes()))?;
        }
        Ok(())
    }
}

fn drawn(name: &str, t: &Tensor, kind: Option<Kind>, budget: &Budget) -> Result<String> {
    let shape = t.shape();
    let by_shape = match shape {
        [_] => Kind::Lines,
        [_, k] if *k <= MOST_LINES => Kind::Lines,
        [_, _, 3 | 4] => Kind::Image,
        _ => Kind::Heat,
    };
    let kind = kind.unwrap_or(by_shape);
    let fits = match kind {
        Kind::Lines => matches!(shape.len(), 1 | 2),
        Kind::Heat => shape.len() == 2,
        Kind::Image => shape.len() == 2 || matches!(shape, [_, _, 3 | 4]),
        Kind::Histogram => true,
    };
    let text = tfc_ir::show::type_text(t);
    if !fits {
        let help = "lines are of 1 or 2 axes, heat and images of 2, images of colours of 3; hist is of all";
        return Err(Error::new(Code::E0607, format!("result `{name}` of type {text} cannot be drawn so")).help(help));
    }
    // Numbers, and text of about a hundred bytes for each that is drawn.
    let _held = budget.hold(t.len().saturating_mul(std::mem::size_of::<f64>()))?;
    let numbers = numbers(t)?;
    let title = format!("{name}: {text}");
    Ok(match kind {
        Kind::Lines => draw::lines(&title, &numbers, (shape[0], shape.get(1).copied().unwrap_or(1))),
        Kind::Heat => draw::heat(&title, &numbers, (shape[0], shape[1])),
        Kind::Image => draw::image(&title, &numbers, (shape[0], shape[1]), shape.get(2).copied(), t.dtype()),
        Kind::Histogram => draw::histogram(&title, &numbers),
    })
}

/// Elements in logical order as numbers; of complex ones their absolute values.
fn numbers(t: &Tensor) -> Result<Vec<f64>> {
    let made = match t.dtype() {
        d if d.is_float() => t.reals(),
        DType::C32 => t.to_logical::<C32>().map(|v| v.into_iter().map(|z| f64::from(z.re.hypot(z.im))).collect()),
        DType::C64 => t.to_logical::<C64>().map(|v| v.into_iter().map(|z| z.re.hypot(z.im)).collect()),
        DType::Bool => t.to_logical::<bool>().map(|v| v.into_iter().map(|b| f64::from(u8::from(b))).collect()),
        _ => t.ints().map(|v| v.into_iter().map(|n| n as f64).collect()),
    };
    made.ok_or_else(|| Error::new(Code::E0719, "there is no memory to draw a result"))
}
