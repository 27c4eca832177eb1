//! Cutting an iteration space into blocks: columns are the loops that one operand walks densely, rows those that another
//! does. Short loops are joined, long ones cut, so that rows and columns fill vectors whatever the extents.
use tfc_plan::space::Space;

/// Most rows or columns of a block.
pub(crate) const MOST: usize = 160;
/// Most loops of a space that is cut into blocks.
pub(crate) const RANK: usize = 24;

/// Offsets of rows or columns of a block.
#[derive(Clone, Copy)]
pub(crate) struct Table([std::mem::MaybeUninit<isize>; MOST]);
impl Table {
    /// Nothing written yet.
    pub(crate) fn new() -> Table {
        Table([std::mem::MaybeUninit::uninit(); MOST])
    }
    /// Writes 0, `step`, 2 · `step`, … to the first `n` places, at most [`MOST`].
    pub(crate) fn fill(&mut self, n: usize, step: isize) -> &Table {
        for (i, x) in self.0.iter_mut().enumerate().take(n) {
            x.write(i as isize * step);
        }
        self
    }
    /// The first `n` offsets.
    ///
    /// # Safety
    /// They have been written.
    pub(crate) unsafe fn first(&self, n: usize) -> &[isize] {
        // SAFETY: by contract; a written place is an `isize`.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), n.min(MOST)) }
    }
    /// The offsets.
    pub(crate) fn as_ptr(&self) -> *const isize {
        self.0.as_ptr().cast()
    }
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("Table")
    }
}

/// The loops of one side of a block, the last of them perhaps in chunks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    loops: [usize; 8],
    n: usize,
    /// Trips of all loops but the last.
    inner: usize,
    /// Trips of the last loop.
    last: usize,
    /// Trips of the last loop in one block.
    chunk: usize,
    /// The outer loop that counts chunks.
    counter: Option<usize>,
}
impl Side {
    fn new(s: &Space, first: Option<usize>) -> Side {
        let mut side = Side { loops: [0; 8], n: 0, inner: 1, last: 1, chunk: 1, counter: None };
        if let Some(l) = first {
            side.add(s, l);
        }
        side
    }
    fn add(&mut self, s: &Space, l: usize) {
        self.loops[self.n] = l;
        self.n += 1;
        self.inner *= self.last;
        self.last = s.dims[l];
    }
    fn list(&self) -> &[usize] {
        &self.loops[..self.n]
    }
    /// Trips of the loops together.
    pub(crate) fn trips(&self) -> usize {
        self.inner * self.last
    }
    /// Most trips in one block.
    pub(crate) fn most(&self) -> usize {
        self.inner * self.chunk
    }
    /// Whether the side is cut, and is a single loop.
    pub(crate) fn is_cut_loop(&self) -> bool {
        self.n == 1 && self.chunk < self.last
    }
    /// Trips of the block at these trips of the outer loops, and of all blocks from there on.
    pub(crate) fn at(&self, ix: &[usize]) -> (usize, usize) {
        match self.counter {
            None => (self.trips(), self.trips()),
            Some(l) => {
                let rest = self.last - ix[l] * self.chunk;
                (self.inner * self.chunk.min(rest), self.inner * rest)
            }
        }
    }
    /// Bytes from one trip to the next in operand `k`, if they are the same throughout.
    pub(crate) fn step(&self, s: &Space, k: usize) -> Option<isize> {
        let mut trips = 1;
        let first = self.list().first().map_or(0, |&l| s.stride(l, k));
        for &l in self.list() {
            if s.stride(l, k) != first.wrapping_mul(trips) {
                return None;
            }
            trips *= s.dims[l] as isize;
        }
        Some(first)
    }
    /// Takes the loop that continues this side in operand `k`; false where there is none or no need.
    fn grow(&mut self, s: &Space, other: &Side, k: usize, want: usize) -> bool {
        if self.n == 0 || self.n == self.loops.len() || self.trips() >= want {
            return false;
        }
        let next = s.stride(self.loops[0], k).unsigned_abs().wrapping_mul(self.trips());
        let fits = |&l: &usize| {
            s.stride(l, k).unsigned_abs() == next && !self.list().contains(&l) && !other.list().contains(&l)
        };
        (0..s.rank()).find(fits).is_some_and(|l| {
            self.add(s, l);
            true
        })
    }
    /// Decides how much of the last loop a block takes: vectors should be full, more is better.
    fn cut(&mut self, want: usize, lanes: usize) {
        self.chunk = if self.trips() <= want.max(2 * lanes) {
            self.last
        } else if self.inner == 1 {
            want
        } else {
            let waste = |q: usize| (self.inner * q).next_multiple_of(lanes) * 8 / (self.inner * q);
            let best = |most: usize| (1..=(most / self.inner).clamp(1, self.last)).rev().min_by_key(|&q| waste(q));
            let some = best(want).unwrap_or(1);
            if waste(some) > 9 { best(MOST).unwrap_or(some) } else { some }
        };
    }
    /// Writes the offsets in operand `k` of the trips of a block, and of up to `more` beyond.
    pub(crate) fn table(&self, s: &Space, k: usize, more: usize, t: &mut Table) {
        let len = (self.most() + more).min(self.trips()).min(MOST);
        t.0[0].write(0);
        let mut n = 1;
        for &l in self.list() {
            let step = s.stride(l, k);
            for j in n..(n * s.dims[l]).min(len) {
                // SAFETY: entries below `j` have been written.
                let x = unsafe { t.0[j - n].assume_init() };
                t.0[j].write(x + step);
            }
            n *= s.dims[l];
        }
    }
}

/// What a space is to be cut into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Want {
    /// The operand that columns walk densely, and a loop in which it does.
    pub(crate) cols: (usize, usize),
    /// The operand that rows walk densely, and a loop in which it does.
    pub(crate) rows: Option<(usize, usize)>,
    /// Columns and rows wanted in a block.
    pub(crate) size: [usize; 2],
    /// Elements of a vector.
    pub(crate) lanes: usize,
}
/// A space cut into blocks. The space is left with the loops around them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiling {
    /// Columns.
    pub(crate) cols: Side,
    /// Rows.
    pub(crate) rows: Side,
}
impl Tiling {
    /// Cuts `s`. Both sides are walked upwards by their operands; `base` receives, for each operand, how far its first
    /// element moves for that. `tables` may ask both sides for tables while the space still holds their loops.
    pub(crate) fn new(
        s: &mut Space,
        w: &Want,
        base: &mut [isize],
        mut tables: impl FnMut(&Space, &Side, &Side),
    ) -> Tiling {
        let mut cols = Side::new(s, Some(w.cols.1));
        let mut rows = Side::new(s, w.rows.map(|r| r.1));
        let kr = w.rows.map_or(0, |r| r.0);
        while cols.grow(s, &rows, w.cols.0, w.size[0]) | rows.grow(s, &cols, kr, w.size[1]) {}
        for (side, k) in [(&cols, w.cols.0), (&rows, kr)] {
            for &l in side.list() {
                if s.stride(l, k) < 0 {
                    for (o, b) in base.iter_mut().enumerate() {
                        *b += s.stride(l, o) * (s.dims[l] as isize - 1);
                        s.strides[l * s.operands + o] *= -1;
                    }
                }
            }
        }
        cols.cut(w.size[0], w.lanes);
        rows.cut(w.size[1], w.lanes);
        tables(s, &cols, &rows);
        let mut t = Tiling { cols, rows };
        t.leave_outer(s);
        t
    }
    /// Leaves the loops that blocks do not cover in `s`, with those that count chunks, as the rows' operand runs.
    fn leave_outer(&mut self, s: &mut Space) {
        // A loop's mark: 0 covered, 1 neither side, 2 counts chunks of columns, 3 of rows. Marks travel in the order.
        let mut mark = [1u8; RANK];
        for (side, m) in [(&self.cols, 2), (&self.rows, 3)] {
            for (j, &l) in side.list().iter().enumerate() {
                mark[l] = 0;
                if j + 1 == side.n && side.chunk < side.last {
                    mark[l] = m;
                    s.dims[l] = side.last.div_ceil(side.chunk);
                    for k in 0..s.operands {
                        s.strides[l * s.operands + k] *= side.chunk as isize;
                    }
                }
            }
        }
        let mut w = 0;
        for l in 0..s.rank() {
            if mark[l] != 0 {
                s.swap(w, l);
                mark.swap(w, l);
                w += 1;
            }
        }
        s.dims.truncate(w);
        s.kind.truncate(w);
        s.strides.truncate(w * s.operands);
        self.cols.counter = mark[..w].iter().position(|&m| m == 2);
        self.rows.counter = mark[..w].iter().position(|&m| m == 3);
    }
    /// Orders the outer loops by `key`.
    pub(crate) fn order<K: Ord>(&mut self, s: &mut Space, key: impl Fn(&Space, usize) -> K) {
        for i in 1..s.rank() {
            let mut j = i;
            while j > 0 && key(s, j) < key(s, j - 1) {
                s.swap(j, j - 1);
                for c in [&mut self.cols.counter, &mut self.rows.counter] {
                    *c = c.map(|l| {
                        if l == j {
                            j - 1
                        } else if l + 1 == j {
                            j
                        } else {
                            l
                        }
                    });
                }
                j -= 1;
            }
        }
    }
}

/// A walk over the outer loops: how many trips of each are done, and where each operand is.
#[derive(Debug)]
pub(crate) struct Steps {
    /// Trips done.
    pub(crate) ix: [usize; RANK],
}
impl Steps {
    /// At block number `at`; `place` holds one displacement an operand.
    pub(crate) fn new(s: &Space, mut at: usize, place: &mut [isize]) -> Steps {
        let mut ix = [0; RANK];
        for (l, &n) in s.dims.iter().enumerate() {
            ix[l] = at % n;
            at /= n;
            for (k, p) in place.iter_mut().enumerate() {
                *p += ix[l] as isize * s.stride(l, k);
            }
        }
        Steps { ix }
    }
    /// On to the next block.
    pub(crate) fn next(&mut self, s: &Space, place: &mut [isize]) {
        for (l, &n) in s.dims.iter().enumerate() {
            self.ix[l] += 1;
            let back = if self.ix[l] < n { 1 } else { 1 - n as isize };
            for (k, p) in place.iter_mut().enumerate() {
                *p += back * s.stride(l, k);
            }
            if self.ix[l] < n {
                return;
            }
            self.ix[l] = 0;
        }
    }
}
