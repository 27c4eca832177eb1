//! Which form of a region a call takes, and how many threads: decided by sizes, strides and addresses, never by the device, so that
//! the order of every sum is the same everywhere.
use tfc_ir::{Code, Error, Result};
use tfc_plan::region::body::Role;
use tfc_plan::space::Space;

use super::launch::{blocks, threads};
use crate::device::{Ptr, Shape};
use crate::program::Region;
use crate::region::{Form, LEAST_ONCE, LEAST_PACKED, LEAST_PARTS, THREADS, Walk};
use crate::rehearsal::Taken;

/// Extent of a loop from which on a tile is worth while along it.
const LEAST_TILE: usize = 16;
/// Threads beside each other where kept indices lie side by side.
const COLUMNS: usize = 32;
/// Threads from which on a device has enough to do: columns get no more than that.
const ENOUGH: usize = 1 << 17;
/// Blocks below which rows are shared out, and up to which.
const FEW_BLOCKS: usize = 128;
const PARTS_BLOCKS: usize = 512;
/// Elements of a part for each thread, at least.
const PART: usize = 16;
/// Parts are cut at multiples of that, so that they begin as aligned as the row.
const CUT: usize = 256;

/// A call of a region: loops, and operands by number.
pub struct Call<'a> {
    /// The region.
    pub region: &'a Region,
    /// Loops over kept indices; all loops, where nothing is reduced.
    pub kept: Space,
    /// Loops over reduced indices.
    pub row: Space,
    /// Where operands are.
    pub ptr: &'a [Ptr],
}
/// Threads of a block that share a row, as the prelude's `Team`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Team {
    /// How many.
    pub lanes: u32,
    /// Threads from one to the next.
    pub step: u32,
    /// Whether a thread may take neighbours.
    pub packed: bool,
}
/// What a call takes.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// The form and its kernel.
    pub form: &'a (Form, String),
    /// Blocks and threads.
    pub shape: Shape,
    /// Where there are teams.
    pub team: Option<Team>,
    /// Elements of a part, and the number of parts, where a row is shared out.
    pub parts: Option<(usize, usize)>,
}
impl<'a> Call<'a> {
    /// The form that suits. Loops may change places.
    ///
    /// # Errors
    /// `E0718` where none was written.
    pub fn choose(&mut self) -> Result<Choice<'a>> {
        if !self.region.reduces() {
            return self.elements();
        }
        let first = if self.columns() { self.column_team() } else { self.row_team() };
        if let Some(c) = self.once(first) {
            return Ok(c);
        }
        let mut team = first;
        if !self.region.rows.is_empty() {
            // A row of the buffer for each block.
            let lanes = self.row.len().next_power_of_two().clamp(32, THREADS as usize) as u32;
            team = Team { lanes, step: 1, ..first };
        }
        team.packed = team.step == 1 && self.row.rank() <= 1 && self.is_packed(self.region.pack);
        if let Some(c) = self.parts(team) {
            return Ok(c);
        }
        let form = self.pick(Walk::Teams).ok_or_else(missing)?;
        let block = if self.region.rows.is_empty() { THREADS } else { team.lanes };
        Ok(Choice { form, shape: self.teams(team, block), team: Some(team), parts: None })
    }
    fn pick(&self, walk: Walk) -> Option<&'a (Form, String)> {
        let (kept, row) = (self.kept.rank(), self.row.rank());
        self.region
            .forms
            .iter()
            .find(|f| f.0.walk == walk && kept <= f.0.kept && (walk == Walk::Fold || row <= f.0.reduced))
    }
    fn elements(&mut self) -> Result<Choice<'a>> {
        let (region, sides) = (self.region, self.sides());
        let (walk, shape) = spread(&mut self.kept, &sides, region.pack, |w| region.has(w));
        let form = self.region.forms.iter().find(|f| f.0.walk == walk && self.kept.rank() <= f.0.kept);
        Ok(Choice { form: form.ok_or_else(missing)?, shape, team: None, parts: None })
    }
    /// Operands of the region that are not the same for all elements.
    fn sides(&self) -> Vec<Side> {
        let full = (0..self.ptr.len()).filter(|&k| self.region.full[k]);
        full.map(|k| Side { k, ptr: self.ptr[k], size: self.region.dtypes[k].size() as isize }).collect()
    }
    /// Whether packs of so many neighbours may be read and written along rows.
    fn is_packed(&self, pack: usize) -> bool {
        is_packed(&self.row, &self.kept, 0, &self.sides(), pack)
    }
    /// The operand whose rows are walked.
    fn main(&self) -> Option<usize> {
        (0..self.row.operands).find(|&k| (0..self.row.rank()).any(|l| self.row.stride(l, k) != 0))
    }
    /// Whether kept indices lie closer to each other than the elements of a row.
    fn columns(&self) -> bool {
        let Some(k) = self.main().filter(|_| self.kept.rank() > 0) else { return false };
        let (row, kept) = (self.row.stride(0, k).unsigned_abs(), self.kept.stride(0, k).unsigned_abs());
        kept != 0 && kept < row && self.kept.len() >= 8
    }
    fn column_team(&self) -> Team {
        let step = self.kept.len().next_power_of_two().min(COLUMNS);
        let mut lanes = THREADS as usize / step;
        while lanes > 1 && (lanes * 4 > self.row.len() || lanes.saturating_mul(self.kept.len()) > ENOUGH) {
            lanes /= 2;
        }
        Team { lanes: lanes as u32, step: step as u32, packed: false }
    }
    fn row_team(&self) -> Team {
        let pack = self.region.pack.max(4);
        let lanes = (self.row.len() / pack + 1).next_power_of_two().clamp(1, THREADS as usize);
        Team { lanes: lanes as u32, step: 1, packed: false }
    }
    /// The whole row in registers.
    fn once(&self, first: Team) -> Option<Choice<'a>> {
        let n = self.row.len();
        if self.row.rank() > 1 || n < LEAST_ONCE {
            return None;
        }
        let step = first.step as usize;
        // Few elements a thread where a block of the usual size holds the row; beyond that more of them, while there are registers.
        let wanted = [(1, THREADS), (4, 512), (8, 1024), (1, 1024)];
        let (lanes, form) = wanted.into_iter().find_map(|(chunks, most)| {
            let form = self.pick(Walk::Once(chunks))?;
            let lanes = n.div_ceil(chunks * self.region.pack).next_power_of_two();
            (lanes * step <= most as usize).then_some((lanes, form))
        })?;
        let packed = step == 1 && self.is_packed(self.region.pack);
        let team = Team { lanes: lanes as u32, step: first.step, packed };
        Some(Choice { form, shape: self.teams(team, THREADS), team: Some(team), parts: None })
    }
    /// A long row by several blocks.
    fn parts(&self, team: Team) -> Option<Choice<'a>> {
        let n = self.row.len();
        let form = self.pick(Walk::Parts).filter(|_| n >= LEAST_PARTS)?;
        let there = self.kept.len().div_ceil((THREADS / team.lanes) as usize);
        let parts = (n / (team.lanes as usize * PART)).min(PARTS_BLOCKS / there.max(1));
        if there >= FEW_BLOCKS || parts < 2 {
            return None;
        }
        let section = n.div_ceil(parts).next_multiple_of(CUT);
        let parts = n.div_ceil(section);
        let mut shape = self.teams(team, THREADS);
        shape.grid[1] = parts as u32;
        (parts > 1).then_some(Choice { form, shape, team: Some(team), parts: Some((section, parts)) })
    }
    /// The kernel that folds what parts have left.
    ///
    /// # Errors
    /// `E0718` where none was written.
    pub fn fold(&self, parts: usize) -> Result<Choice<'a>> {
        let form = self.pick(Walk::Fold).ok_or_else(missing)?;
        let lanes = parts.next_power_of_two().clamp(1, 32) as u32;
        let team = Team { lanes, step: 1, packed: false };
        Ok(Choice { form, shape: self.teams(team, THREADS), team: Some(team), parts: None })
    }
    /// What is started then: kernels, how they walk, what they move.
    ///
    /// # Errors
    /// As [`Call::fold`].
    pub fn taken(&self, c: &Choice) -> Result<Vec<Taken>> {
        let pack = self.region.pack;
        let team = c.team.map_or_else(String::new, |t| {
            let what = if t.step > 1 { "a column" } else { "a row" };
            let threads = if t.lanes == 1 { "a thread".into() } else { format!("{} threads", t.lanes) };
            format!("{threads} {what}{}", if t.packed { format!(", packs of {pack}") } else { String::new() })
        });
        let walk = match (c.form.0.walk, c.parts) {
            (Walk::Packs, _) => format!("packs of {pack}"),
            (Walk::Tiles, _) => "tiles".into(),
            (Walk::Once(_), _) => format!("{team}, in registers"),
            (_, Some((_, parts))) => format!("{team}, {parts} parts"),
            (Walk::Elements, _) => "elements".into(),
            _ => team,
        };
        let left = c.parts.map_or(0.0, |(_, parts)| {
            (self.kept.len() * parts) as f64 * self.region.folds.iter().sum::<usize>() as f64
        });
        let name = |c: &Choice| c.form.1.clone();
        let (all, kept) = self.bytes(c.form.0.walk);
        let (block, parts) = (c.shape.block[0], c.parts);
        let Some((_, parts)) = parts else {
            return Ok(vec![Taken { kernel: name(c), walk, block, bytes: all + kept }]);
        };
        let fold = self.fold(parts)?;
        let (shape, fold) = (fold.shape, name(&fold));
        let first = Taken { kernel: name(c), walk, block, bytes: all + left };
        Ok(vec![
            first,
            Taken { kernel: fold, walk: format!("{parts} parts"), block: shape.block[0], bytes: left + kept },
        ])
    }
    /// Bytes of operands that are moved along rows (along all loops, without a reduction), and for each kept index. A walk moves them
    /// once a phase, unless it has rows in registers.
    fn bytes(&self, walk: Walk) -> (f64, f64) {
        let (mut along, mut once, mut seen) = (0.0, 0.0, vec![]);
        for p in &self.region.cutting.parts {
            let mut here = vec![];
            for (&k, o) in p.operands.iter().zip(&p.region.operands) {
                let (k, key) = (k as usize, (k, o.role));
                let held = matches!(walk, Walk::Once(_)) && (k >= self.ptr.len() || seen.contains(&key));
                // What a phase reads back from registers was written there.
                let back = matches!(walk, Walk::Once(_)) && o.role == Role::In && seen.contains(&(key.0, Role::Out));
                let kept_value = k >= self.ptr.len() + self.region.rows.len();
                if kept_value || held || back || here.contains(&key) {
                    continue;
                }
                here.push(key);
                let walked = |s: &Space| -> f64 {
                    let loops = (0..s.rank()).filter(|&l| k >= self.ptr.len() || s.stride(l, k) != 0);
                    loops.map(|l| s.dims[l] as f64).product()
                };
                let size = o.dtype.size() as f64;
                let full = self.region.full.get(k).is_none_or(|&f| f) && o.role != Role::Reduced;
                *(if full && !p.kept { &mut along } else { &mut once }) +=
                    size * walked(&self.kept) * if full && !p.kept { walked(&self.row) } else { 1.0 };
            }
            seen.extend(here);
        }
        (along, once)
    }
    /// Blocks of at least so many threads, or of fewer where there are few rows.
    fn teams(&self, team: Team, block: u32) -> Shape {
        let beside = team.lanes * team.step;
        let rows = self.kept.len().div_ceil(team.step as usize).next_power_of_two().min(block as usize) as u32;
        let block = block.min(rows.saturating_mul(beside)).max(beside).max(32);
        blocks(self.kept.len().div_ceil((block / team.lanes) as usize), block)
    }
}
/// An operand of loops: its number, its first element, bytes of an element.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Number of the operand.
    pub k: usize,
    /// Where it begins.
    pub ptr: Ptr,
    /// Bytes of an element.
    pub size: isize,
}
/// How elements are shared out that have nothing to do with each other, of walks that there are, and how many blocks and threads.
/// Loops may change places.
pub fn spread(at: &mut Space, sides: &[Side], pack: usize, has: impl Fn(Walk) -> bool) -> (Walk, Shape) {
    let n = at.len();
    if n >= LEAST_PACKED {
        if let Some(l) = turned(at, sides).filter(|_| has(Walk::Tiles)) {
            at.bring_inside(l);
            at.swap(0, 1);
            let tiles = at.dims[0].div_ceil(32) * at.dims[1].div_ceil(32);
            return (Walk::Tiles, blocks(tiles.saturating_mul(at.dims[2..].iter().product()), THREADS));
        }
        let whole = at.rank() == 1 || at.dims[0].is_multiple_of(pack);
        if has(Walk::Packs) && whole && is_packed(at, at, 1, sides, pack) {
            return (Walk::Packs, threads(n.div_ceil(pack)));
        }
    }
    (Walk::Elements, threads(n))
}
/// The loop along which neighbours of an operand lie that are far apart along the fastest one.
fn turned(s: &Space, sides: &[Side]) -> Option<usize> {
    if s.rank() < 2 || s.dims[0] < LEAST_TILE {
        return None;
    }
    sides.iter().find_map(|o| {
        let near = |l: usize| s.stride(l, o.k).abs() == o.size;
        if near(0) || s.stride(0, o.k) == 0 {
            return None;
        }
        (1..s.rank()).find(|&l| near(l) && s.dims[l] >= LEAST_TILE)
    })
}
/// Whether packs of so many neighbours may be read and written along the fastest loop of `inner`, wherever the loops `from..` of
/// `outer` are.
fn is_packed(inner: &Space, outer: &Space, from: usize, sides: &[Side], pack: usize) -> bool {
    if pack < 2 || inner.rank() == 0 {
        return false;
    }
    let mut walking = sides.iter().filter(|o| inner.stride(0, o.k) != 0).peekable();
    walking.peek().is_some()
        && walking.all(|o| {
            let whole = o.size * pack as isize;
            inner.stride(0, o.k) == o.size
                && o.ptr.0.is_multiple_of(whole as u64)
                && (from..outer.rank()).all(|l| outer.stride(l, o.k) % whole == 0)
        })
}
fn missing() -> Error {
    Error::bug(Code::E0718, "a region without a kernel for its loops")
}
