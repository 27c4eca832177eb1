//! The drawings.
use super::scale::{Scale, colour, number, rgb};
use crate::page::escaped;
use std::fmt::Write;
use tfc_ir::DType;

/// Of a drawing, and what is left free around it, in pixels.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 90.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 40.0;

/// Lines have at most so many points: beyond it the least and the greatest of neighbours are drawn.
const MOST_POINTS: usize = 2400;
/// Fields have at most so many cells along an axis: beyond it each is the mean of several.
const MOST_CELLS: usize = 160;
const MOST_BARS: usize = 60;

/// Colours of lines (Okabe and Ito, 2008), told apart by everyone.
const COLOURS: [&str; 8] = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#000000", "#b3a800"];

fn page(title: &str, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"13\">{}</text>\n{body}</svg>\n",
        escaped(title)
    )
}
/// Lines at round numbers with what they are.
fn axes(x: &Scale, y: &Scale) -> String {
    let mut out = String::new();
    for t in x.ticks(8) {
        let at = x.place(t);
        let _ = writeln!(out, "<path d=\"M{at:.1} {} V{}\" stroke=\"#ddd\"/>", y.to, y.from);
        let _ =
            writeln!(out, "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>", y.from + 16.0, number(t));
    }
    for t in y.ticks(6) {
        let at = y.place(t);
        let _ = writeln!(out, "<path d=\"M{} {at:.1} H{}\" stroke=\"#ddd\"/>", x.from, x.to);
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            x.from - 6.0,
            at + 4.0,
            number(t)
        );
    }
    out + &format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>\n",
        x.from,
        y.to,
        x.to - x.from,
        y.from - y.to
    )
}

/// A line for each column of an array of `n` rows.
pub(super) fn lines(title: &str, numbers: &[f64], (n, columns): (usize, usize)) -> String {
    let x = Scale::of([0.0, n.saturating_sub(1) as f64].into_iter(), LEFT, WIDTH - RIGHT);
    let y = Scale::of(numbers.iter().copied(), HEIGHT - BOTTOM, TOP);
    let mut body = axes(&x, &y);
    for c in 0..columns {
        let column: Vec<f64> = numbers.iter().skip(c).step_by(columns.max(1)).copied().collect();
        let stroke = COLOURS[c % COLOURS.len()];
        let mut path = String::new();
        let mut pen = false;
        for (i, v) in thinned(&column) {
            if !v.is_finite() {
                // What is no number leaves a gap.
                pen = false;
                continue;
            }
            let _ = write!(path, "{}{:.1} {:.1}", if pen { "L" } else { "M" }, x.place(i as f64), y.place(v));
            pen = true;
        }
        if column.len() == 1 && column[0].is_finite() {
            let _ = writeln!(
                body,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{stroke}\"/>",
                x.place(0.0),
                y.place(column[0])
            );
        }
        let _ = writeln!(body, "<path d=\"{path}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"1.5\"/>");
        if columns > 1 {
            let at = TOP + 14.0 * c as f64 + 6.0;
            let _ = writeln!(
                body,
                "<path d=\"M{} {at} h16\" stroke=\"{stroke}\" stroke-width=\"2\"/><text x=\"{}\" y=\"{}\">column {c}</text>",
                WIDTH - RIGHT + 8.0,
                WIDTH - RIGHT + 28.0,
                at + 4.0
            );
        }
    }
    page(title, &body)
}
/// The points of a line with their positions; of very many the least and the greatest of each group.
fn thinned(column: &[f64]) -> Vec<(usize, f64)> {
    if column.len() <= MOST_POINTS {
        return column.iter().copied().enumerate().collect();
    }
    let group = column.len().div_ceil(MOST_POINTS / 2);
    let mut out = vec![];
    for (k, part) in column.chunks(group).enumerate() {
        let at = |by: fn(f64, f64) -> bool| {
            let all = part.iter().enumerate().filter(|v| v.1.is_finite());
            all.reduce(|a, b| if by(*b.1, *a.1) { b } else { a }).map(|v| (k * group + v.0, *v.1))
        };
        match (at(|a, b| a < b), at(|a, b| a > b)) {
            (Some(a), Some(b)) if a.0 != b.0 => out.extend(if a.0 < b.0 { [a, b] } else { [b, a] }),
            (Some(a), _) => out.push(a),
            _ => out.push((k * group, f64::NAN)),
        }
    }
    out
}
/// Cells of a field, and how many elements each stands for along an axis.
struct Cells {
    values: Vec<f64>,
    rows: usize,
    columns: usize,
    group: usize,
}
fn cells(numbers: &[f64], (n, m): (usize, usize), channels: usize, channel: usize) -> Cells {
    let group = n.max(m).div_ceil(MOST_CELLS).max(1);
    let (rows, columns) = (n.div_ceil(group), m.div_ceil(group));
    let mut values = Vec::with_capacity(rows * columns);
    for r in 0..rows {
        for c in 0..columns {
            let (mut sum, mut count) = (0.0, 0.0);
            for i in r * group..((r + 1) * group).min(n) {
                for j in c * group..((c + 1) * group).min(m) {
                    sum += numbers.get((i * m + j) * channels + channel).copied().unwrap_or(f64::NAN);
                    count += 1.0;
                }
            }
            values.push(sum / count);
        }
    }
    Cells { values, rows, columns, group }
}
/// A rectangle for each run of cells of one colour.
fn field(cells: &Cells, right: f64, paint: &dyn Fn(usize) -> String) -> String {
    let side =
        ((WIDTH - LEFT - right) / cells.columns.max(1) as f64).min((HEIGHT - TOP - BOTTOM) / cells.rows.max(1) as f64);
    let mut out = String::from("<g shape-rendering=\"crispEdges\">\n");
    for r in 0..cells.rows {
        let mut c = 0;
        while c < cells.columns {
            let fill = paint(r * cells.columns + c);
            let run = (c..cells.columns).take_while(|&k| paint(r * cells.columns + k) == fill).count();
            let (x, y) = (LEFT + side * c as f64, TOP + side * r as f64);
            let _ = writeln!(
                out,
                "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{side:.2}\" fill=\"{fill}\"/>",
                side * run as f64
            );
            c += run;
        }
    }
    out.push_str("</g>\n");
    // The first and the last index of both axes.
    let (w, h) = (side * cells.columns as f64, side * cells.rows as f64);
    let (rows, columns) = (cells.rows.saturating_sub(1) * cells.group, cells.columns.saturating_sub(1) * cells.group);
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">0</text><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{rows}</text>",
        LEFT - 6.0,
        TOP + 10.0,
        LEFT - 6.0,
        TOP + h
    );
    let _ = writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"{:.1}\">0</text><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{columns}</text>",
        TOP + h + 16.0,
        LEFT + w,
        TOP + h + 16.0
    );
    if cells.group > 1 {
        let _ = writeln!(
            out,
            "<text x=\"{LEFT}\" y=\"{:.1}\">each cell is the mean of {} × {} elements</text>",
            TOP + h + 32.0,
            cells.group,
            cells.group
        );
    }
    out
}

/// A matrix in colours, the first row above.
pub(super) fn heat(title: &str, numbers: &[f64], shape: (usize, usize)) -> String {
    let cells = cells(numbers, shape, 1, 0);
    let scale = Scale::of(cells.values.iter().copied(), 0.0, 1.0);
    let part = |x: f64| if x.is_infinite() { if x > 0.0 { 1.0 } else { 0.0 } } else { scale.place(x) };
    let mut body = field(&cells, RIGHT, &|k| colour(part(cells.values[k])));
    let (x, height) = (WIDTH - RIGHT + 16.0, (HEIGHT - TOP - BOTTOM) / 32.0);
    for k in 0..32 {
        let y = TOP + height * k as f64;
        let fill = colour(1.0 - k as f64 / 31.0);
        let _ = writeln!(
            body,
            "<rect x=\"{x}\" y=\"{y:.1}\" width=\"12\" height=\"{:.1}\" fill=\"{fill}\"/>",
            height + 0.5
        );
    }
    for (value, y) in [(scale.high, TOP + 8.0), (scale.low, HEIGHT - BOTTOM)] {
        let _ = writeln!(body, "<text x=\"{}\" y=\"{y}\">{}</text>", x + 16.0, number(value));
    }
    page(title, &body)
}

/// A picture: bytes as they are, floating numbers from 0 to 1 or, where they go beyond, from the least to the greatest.
pub(super) fn image(
    title: &str,
    numbers: &[f64],
    shape: (usize, usize),
    channels: Option<usize>,
    dtype: DType,
) -> String {
    let n = channels.unwrap_or(1);
    // Of four the last is how opaque it is: on white.
    let planes: Vec<Cells> = (0..n).map(|c| cells(numbers, shape, n, c)).collect();
    let Some(first) = planes.first() else { return page(title, "") };
    let all = || planes.iter().flat_map(|p| p.values.iter().copied());
    let scale = match dtype {
        DType::U8 => Scale { low: 0.0, high: 255.0, from: 0.0, to: 255.0 },
        _ if all().filter(|x| x.is_finite()).all(|x| (0.0..=1.0).contains(&x)) => {
            Scale { low: 0.0, high: 1.0, from: 0.0, to: 255.0 }
        }
        _ => Scale::of(all(), 0.0, 255.0),
    };
    let value = |c: usize, k: usize| planes.get(c).and_then(|p| p.values.get(k)).map_or(255.0, |x| scale.place(*x));
    let paint = |k: usize| match n {
        1 => rgb([value(0, k); 3]),
        _ => {
            let opaque = if n == 4 { value(3, k) / 255.0 } else { 1.0 };
            rgb(std::array::from_fn(|c| value(c, k) * opaque + 255.0 * (1.0 - opaque)))
        }
    };
    page(title, &field(first, RIGHT, &paint))
}

/// How many of all elements lie in each of ranges of one width.
pub(super) fn histogram(title: &str, numbers: &[f64]) -> String {
    let x = Scale::of(numbers.iter().copied(), LEFT, WIDTH - RIGHT);
    let finite: Vec<f64> = numbers.iter().copied().filter(|v| v.is_finite()).collect();
    let bars = ((finite.len() as f64).sqrt().ceil() as usize).clamp(1, MOST_BARS);
    let mut counts = vec![0u32; bars];
    for v in &finite {
        let k = (x.place(*v) - LEFT) / (WIDTH - RIGHT - LEFT) * bars as f64;
        counts[(k as usize).min(bars - 1)] += 1;
    }
    let tallest = counts.iter().copied().max().unwrap_or(0);
    let y = Scale::of([0.0, f64::from(tallest)].into_iter(), HEIGHT - BOTTOM, TOP);
    let mut body = axes(&x, &y);
    let width = (WIDTH - RIGHT - LEFT) / bars as f64;
    for (k, n) in counts.iter().enumerate().filter(|c| *c.1 > 0) {
        let top = y.place(f64::from(*n));
        let _ = writeln!(
            body,
            "<rect x=\"{:.2}\" y=\"{top:.1}\" width=\"{:.2}\" height=\"{:.1}\" fill=\"{}\" stroke=\"#fff\" stroke-width=\"0.5\"><title>{n}</title></rect>",
            LEFT + width * k as f64,
            width,
            y.from - top,
            COLOURS[0]
        );
    }
    let others = numbers.len() - finite.len();
    if others > 0 {
        let _ = writeln!(body, "<text x=\"{}\" y=\"{}\">{others} not finite</text>", WIDTH - RIGHT + 8.0, TOP + 10.0);
    }
    page(title, &body)
}
