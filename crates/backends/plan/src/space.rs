//! Iteration spaces: loops over strided operands, brought into the form that tiles want (unit loops dropped, ordered,
//! adjacent loops merged), and the walk over them. All strides are in bytes; loop 0 is the innermost.

/// Loops and, for each operand, its stride along each loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Space {
    /// Trip counts, innermost first.
    pub dims: Vec<usize>,
    /// `strides[l * operands + k]`: bytes from one trip of loop `l` to the next in operand `k`.
    pub strides: Vec<isize>,
    /// Number of operands.
    pub operands: usize,
    /// Kind of each loop; loops of different kinds are not merged (a reduction's kept and reduced loops).
    pub kind: Vec<bool>,
}
impl Space {
    /// An empty space to be filled by [`Space::push`].
    pub fn clear(&mut self, operands: usize) {
        self.dims.clear();
        self.strides.clear();
        self.kind.clear();
        self.operands = operands;
    }
    /// Adds a loop outside those there; loops of one trip are left out.
    pub fn push(&mut self, dim: usize, kind: bool, stride: impl Fn(usize) -> isize) {
        if dim != 1 {
            self.dims.push(dim);
            self.kind.push(kind);
            self.strides.extend((0..self.operands).map(stride));
        }
    }
    /// Number of loops.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.dims.iter().product()
    }
    /// Whether the space has no element.
    pub fn is_empty(&self) -> bool {
        self.dims.contains(&0)
    }
    /// Stride of operand `k` along loop `l`.
    pub fn stride(&self, l: usize, k: usize) -> isize {
        self.strides[l * self.operands + k]
    }
    /// Bytes that the loops touch in operand `k`, whose elements have `size` bytes: what stands still along a loop is touched once.
    pub fn bytes(&self, k: usize, size: usize) -> usize {
        (0..self.rank()).filter(|&l| self.stride(l, k) != 0).fold(size, |all, l| all.saturating_mul(self.dims[l]))
    }
    /// Orders the loops by `key` (ascending; stable insertion sort: the number of loops is small).
    pub fn sort_by_key<K: Ord>(&mut self, key: impl Fn(&Space, usize) -> K) {
        for i in 1..self.rank() {
            let mut j = i;
            while j > 0 && key(self, j) < key(self, j - 1) {
                self.swap(j, j - 1);
                j -= 1;
            }
        }
    }
    /// Exchanges two loops.
    pub fn swap(&mut self, a: usize, b: usize) {
        self.dims.swap(a, b);
        self.kind.swap(a, b);
        for k in 0..self.operands {
            self.strides.swap(a * self.operands + k, b * self.operands + k);
        }
    }
    /// Brings loop `l` to the inside, keeping the order of the others.
    pub fn bring_inside(&mut self, l: usize) {
        for i in (0..l).rev() {
            self.swap(i, i + 1);
        }
    }
    /// Cuts `inner` trips, a divisor of those of loop `l`, off as a loop of their own, which becomes loop `at`, at most `l`.
    pub fn split(&mut self, l: usize, inner: usize, at: usize) {
        let strides: Vec<isize> = (0..self.operands).map(|k| self.stride(l, k)).collect();
        self.dims[l] /= inner.max(1);
        for k in 0..self.operands {
            self.strides[l * self.operands + k] = strides[k].wrapping_mul(inner as isize);
        }
        self.dims.insert(at, inner);
        self.kind.insert(at, self.kind[l]);
        self.strides.splice(at * self.operands..at * self.operands, strides);
    }
    /// Merges adjacent loops that every operand walks as one.
    pub fn collapse(&mut self) {
        let mut w = 0;
        for l in 1..self.rank() {
            let d = self.dims[w] as isize;
            let same = self.kind[w] == self.kind[l]
                && (0..self.operands).all(|k| self.stride(l, k) == self.stride(w, k).wrapping_mul(d));
            if same {
                self.dims[w] *= self.dims[l];
            } else {
                w += 1;
                self.dims[w] = self.dims[l];
                self.kind[w] = self.kind[l];
                for k in 0..self.operands {
                    self.strides[w * self.operands + k] = self.strides[l * self.operands + k];
                }
            }
        }
        let n = if self.rank() == 0 { 0 } else { w + 1 };
        self.dims.truncate(n);
        self.kind.truncate(n);
        self.strides.truncate(n * self.operands);
    }
    /// Moves the loops `from..` to `outer`.
    pub fn split_off(&mut self, from: usize, outer: &mut Space) {
        let at = from * self.operands;
        outer.clear(self.operands);
        outer.dims.extend(self.dims.drain(from..));
        outer.strides.extend(self.strides.drain(at..));
        outer.kind.extend(self.kind.drain(from..));
    }
    /// The place at linear index `at` of the loops from loop `from` on, the first of these fastest.
    pub fn odometer(&self, from: usize, at: usize) -> Odometer {
        let mut o = Odometer { from, at: [0; LOOPS], rest: at };
        for (i, &d) in o.at.iter_mut().zip(self.dims.iter().skip(from)) {
            if o.rest == 0 {
                break;
            }
            *i = o.rest % d.max(1);
            o.rest /= d.max(1);
        }
        o
    }
    /// Byte offset of operand `k` at linear index `at` (loop 0 fastest).
    pub fn offset(&self, k: usize, mut at: usize) -> isize {
        let mut o = 0isize;
        for (l, &d) in self.dims.iter().enumerate() {
            if at == 0 {
                break;
            }
            o += (at % d.max(1)) as isize * self.stride(l, k);
            at /= d.max(1);
        }
        o
    }
    /// Calls `f` for each of these rows (the loops but the innermost, loop 1 fastest) with the byte offsets of `N` operands.
    pub fn rows<const N: usize>(&self, rows: std::ops::Range<usize>, mut f: impl FnMut([isize; N])) {
        let first = rows.start * self.dims.first().copied().unwrap_or(1);
        let mut at: [isize; N] = std::array::from_fn(|k| self.offset(k, first));
        // How far along loop 1 the first one is; the loops outside of it are rarely stepped.
        let (n, step): (usize, [isize; N]) = match self.dims.get(1) {
            Some(&n) => (n.max(1), std::array::from_fn(|k| self.stride(1, k))),
            None => (1, [0; N]),
        };
        let mut ix = rows.start % n;
        for r in rows.clone() {
            f(at);
            ix += 1;
            if ix < n {
                at = std::array::from_fn(|k| at[k].wrapping_add(step[k]));
            } else if r + 1 < rows.end {
                ix = 0;
                let next = (r + 1) * self.dims.first().copied().unwrap_or(1);
                at = std::array::from_fn(|k| self.offset(k, next));
            }
        }
    }
    /// Whether operand `k` runs through the whole space with one step of `size` bytes.
    pub fn is_dense(&self, k: usize, size: usize) -> bool {
        let mut step = size as isize;
        self.dims.iter().enumerate().all(|(l, &d)| {
            let ok = self.stride(l, k) == step;
            step = step.wrapping_mul(d as isize);
            ok
        })
    }
    /// Whether operand `k` stands still through the whole space.
    pub fn is_splat(&self, k: usize) -> bool {
        (0..self.rank()).all(|l| self.stride(l, k) == 0)
    }
}

/// Dense byte strides of `dims` that follow the axis order of `like` (byte strides of a tensor of the same shape):
/// the axis with the smallest stride there is the fastest here. Among axes that are alike, and where there is no `like`,
/// the first is faster, or with `last_first` the last.
pub fn strides_like(
    dims: &[usize],
    like: Option<&[isize]>,
    last_first: bool,
    size: usize,
    order: &mut Vec<usize>,
    out: &mut [isize],
) {
    order.clear();
    order.extend(0..dims.len());
    if last_first {
        order.reverse();
    }
    // One axis that moves says nothing of the others.
    let moves = |s: &[isize]| (0..dims.len()).filter(|&a| dims[a] != 1 && s[a] != 0).count();
    if let Some(s) = like.filter(|s| moves(s) > 1) {
        // A broadcast axis (stride 0) says nothing: it goes outside.
        order.sort_by_key(|&a| if s[a] == 0 { usize::MAX } else { s[a].unsigned_abs() });
    }
    let mut step = size as isize;
    for &a in order.iter() {
        out[a] = step;
        step = step.wrapping_mul(dims[a].max(1) as isize);
    }
}

/// Strides under which a strided tensor reads as another shape of as many elements, written to `out`; false where no
/// strides do. `first`: the linear order has the first axis fastest, otherwise the last. Without elements any strides
/// do, and those written say nothing: what has none is never taken for one element that stands still (see `ew`).
pub fn regroup(dims: &[usize], strides: &[isize], to: &[usize], first: bool, out: &mut [isize]) -> bool {
    if dims.contains(&0) {
        out.fill(0);
        return true;
    }
    // Axes from the fastest; axes of one element do not matter.
    let axis = |i: usize, n: usize| if first { i } else { n - 1 - i };
    let (mut i, mut j) = (0, 0);
    while i < dims.len() || j < to.len() {
        // A group of source axes and one of result axes with as many elements.
        let (mut a, mut b) = (1usize, 1usize);
        let mut step: Option<isize> = None;
        let mut next = 0isize;
        let start = j;
        loop {
            if a <= b && i < dims.len() {
                let k = axis(i, dims.len());
                i += 1;
                if dims[k] == 1 {
                    continue;
                }
                if step.is_some() && strides[k] != next {
                    return false;
                }
                step.get_or_insert(strides[k]);
                next = strides[k].wrapping_mul(dims[k] as isize);
                a *= dims[k];
            } else if b < a && j < to.len() {
                b *= to[axis(j, to.len())];
                j += 1;
            } else {
                break;
            }
            if a == b && a > 1 {
                break;
            }
        }
        if a != b {
            return false;
        }
        let mut s = step.unwrap_or(0);
        for k in start..j {
            let k = axis(k, to.len());
            out[k] = s;
            s = s.wrapping_mul(to[k] as isize);
        }
        if a == 1 {
            // Only axes of one element are left.
            for k in j..to.len() {
                out[axis(k, to.len())] = 0;
            }
            return true;
        }
    }
    true
}

/// Where the elements of one padded axis come from: the first source element used, how many, and the place of the first
/// in the result. `low` and `high` may be negative (they crop), `interior` padding lies between neighbours.
pub fn pad_axis(n: usize, low: i64, high: i64, interior: i64) -> Option<(usize, usize, usize)> {
    let step = i128::from(interior) + 1;
    let span = if n == 0 { 0 } else { (n as i128 - 1) * step + 1 };
    let len = span + i128::from(low) + i128::from(high);
    if n == 0 || len <= 0 || step < 1 {
        return Some((0, 0, 0));
    }
    // Source element i lies at low + i * step; those in 0..len are used.
    let first = if low < 0 { (-i128::from(low) + step - 1) / step } else { 0 };
    let last = (len - 1 - i128::from(low)).div_euclid(step).min(n as i128 - 1);
    if last < first {
        return Some((0, 0, 0));
    }
    Some((first as usize, (last - first + 1) as usize, usize::try_from(i128::from(low) + first * step).ok()?))
}

/// Loops that an [`Odometer`] counts one by one; it divides by what is beyond.
const LOOPS: usize = 8;
/// A place among the loops of a space, which moves on without a division.
#[derive(Clone, Copy, Debug)]
pub struct Odometer {
    from: usize,
    at: [usize; LOOPS],
    /// The linear index among the loops beyond.
    rest: usize,
}
impl Odometer {
    /// The next place.
    pub fn step(&mut self, s: &Space) {
        for (i, &d) in self.at.iter_mut().zip(s.dims.iter().skip(self.from)) {
            *i += 1;
            if *i < d {
                return;
            }
            *i = 0;
        }
        self.rest += 1;
    }
    /// Byte offset of operand `k`.
    pub fn offset(&self, s: &Space, k: usize) -> isize {
        let n = s.rank().saturating_sub(self.from);
        let counted = (0..n.min(LOOPS)).map(|l| self.at[l] as isize * s.stride(self.from + l, k)).sum::<isize>();
        let (mut far, mut rest) = (0, self.rest);
        for l in self.from + LOOPS..s.rank() {
            far += (rest % s.dims[l].max(1)) as isize * s.stride(l, k);
            rest /= s.dims[l].max(1);
        }
        counted + far
    }
}
