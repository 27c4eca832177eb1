//! Moving elements: strided runs, and whole strided views into each other by cache-sized blocks. Elements are moved by
//! size (1, 4, 8, 16 bytes); their type does not matter.
use super::mem::Ptr;
use super::pool::Pool;
use super::space::Space;

/// Elements of one parallel piece of work.
pub(crate) const GRAIN: usize = 64 * 1024;
/// Side of a block of a transposed copy.
const BLOCK: usize = 16;

#[derive(Clone, Copy)]
#[repr(C)]
struct Wide(u64, u64);

/// Runs `$body` with `$t` a type of `$size` bytes.
macro_rules! by_size {
    ($size:expr, $t:ident => $body:expr) => {
        match $size {
            1 => {
                type $t = u8;
                $body
            }
            4 => {
                type $t = u32;
                $body
            }
            8 => {
                type $t = u64;
                $body
            }
            _ => {
                type $t = Wide;
                $body
            }
        }
    };
}

/// Copies `n` elements of `size` bytes; strides in bytes.
///
/// # Safety
/// Both runs are inside memory of the caller and do not overlap, except that they may be the same dense run.
#[inline]
pub(crate) unsafe fn copy_run(dst: *mut u8, ds: isize, src: *const u8, ss: isize, n: usize, size: usize) {
    if n == 0 {
        return;
    }
    // SAFETY: by contract.
    unsafe {
        if ds == size as isize && ss == ds {
            std::ptr::copy(src, dst, n * size);
        } else if ss == 0 {
            fill_run(dst, ds, src, n, size);
        } else {
            by_size!(size, T => strided::<T>(dst, ds, src, ss, n))
        }
    }
}
unsafe fn strided<T: Copy>(dst: *mut u8, ds: isize, src: *const u8, ss: isize, n: usize) {
    let z = size_of::<T>() as isize;
    // SAFETY: by the contract of `copy_run`.
    unsafe {
        if ds == z {
            let d = dst.cast::<T>();
            for i in 0..n {
                d.add(i).write(src.offset(i as isize * ss).cast::<T>().read());
            }
        } else {
            for i in 0..n as isize {
                dst.offset(i * ds).cast::<T>().write(src.offset(i * ss).cast::<T>().read());
            }
        }
    }
}
/// Writes the element at `src` to `n` places.
///
/// # Safety
/// The run is inside memory of the caller and aligned; `src` holds an element.
pub(crate) unsafe fn fill_run(dst: *mut u8, ds: isize, src: *const u8, n: usize, size: usize) {
    unsafe fn go<T: Copy>(dst: *mut u8, ds: isize, src: *const u8, n: usize) {
        // SAFETY: by contract; the constant may be stored without alignment.
        unsafe {
            let x = src.cast::<T>().read_unaligned();
            if ds == size_of::<T>() as isize {
                for i in 0..n {
                    dst.cast::<T>().add(i).write(x);
                }
            } else {
                for i in 0..n as isize {
                    dst.offset(i * ds).cast::<T>().write(x);
                }
            }
        }
    }
    // SAFETY: by contract.
    unsafe { by_size!(size, T => go::<T>(dst, ds, src, n)) }
}

/// A strided view that a copy reads or writes: address and byte strides, one for each axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'a> {
    /// Element `[0, …, 0]`.
    pub(crate) ptr: Ptr,
    /// Bytes from one element to the next, by axis.
    pub(crate) strides: &'a [isize],
}

/// Copies a view of shape `dims` into another; `space` is scratch that is kept between calls.
///
/// # Safety
/// Both views are inside memory of the caller; no element of `dst` is an element of `src` or occurs twice.
pub(crate) unsafe fn copy_nd(pool: &Pool, space: &mut Space, dims: &[usize], dst: At, src: At, size: usize) {
    space.clear(2);
    for (a, &d) in dims.iter().enumerate() {
        space.push(d, false, |k| if k == 0 { dst.strides[a] } else { src.strides[a] });
    }
    if space.is_empty() {
        return;
    }
    space.sort_by_key(|s, l| s.stride(l, 0).unsigned_abs());
    space.collapse();
    let (s, z) = (&*space, size as isize);
    if s.rank() == 0 {
        // SAFETY: one element each.
        return unsafe { copy_run(dst.ptr.0, z, src.ptr.0, z, 1, size) };
    }
    let work = (s.len() as u64 * size as u64 / 8).max(s.len() as u64 / 4);
    // A source whose fastest loop is not the destination's is walked by blocks of both.
    let fast = (1..s.rank()).filter(|&l| s.stride(l, 1) != 0).min_by_key(|&l| s.stride(l, 1).unsigned_abs());
    match fast {
        Some(l) if s.stride(l, 1).unsigned_abs() < s.stride(0, 1).unsigned_abs() && s.dims[0] > 4 && s.dims[l] > 1 => {
            space.swap(1, l);
            let s = &*space;
            let rest: usize = s.dims[2..].iter().product();
            let stripes = s.dims[1].div_ceil(BLOCK);
            pool.run(rest * stripes, work * 2, |i| {
                let (j, at) = (i % stripes * BLOCK, i / stripes * s.dims[0] * s.dims[1]);
                let (d, f) = (dst.ptr.at(s.offset(0, at)), src.ptr.at(s.offset(1, at)));
                let rows = BLOCK.min(s.dims[1] - j);
                // SAFETY: the stripe lies inside both views; stripes are disjoint.
                unsafe { by_size!(size, T => stripe::<T>(s, d, f, j, rows)) }
            });
        }
        _ => {
            let (d0, rows) = (s.dims[0], s.len() / s.dims[0]);
            if d0 >= GRAIN {
                let parts = d0.div_ceil(GRAIN);
                pool.run(rows * parts, work, |i| {
                    let (r, lo) = (i / parts, i % parts * GRAIN);
                    // SAFETY: parts of rows are disjoint and inside both views.
                    unsafe { rows_of(s, dst.ptr, src.ptr, r..r + 1, lo..(lo + GRAIN).min(d0), size) }
                });
            } else {
                let each = (GRAIN / d0).max(1);
                pool.run(rows.div_ceil(each), work, |i| {
                    // SAFETY: as above.
                    unsafe { rows_of(s, dst.ptr, src.ptr, i * each..((i + 1) * each).min(rows), 0..d0, size) }
                });
            }
        }
    }
}
unsafe fn rows_of(s: &Space, d: Ptr, f: Ptr, rows: std::ops::Range<usize>, part: std::ops::Range<usize>, size: usize) {
    let (ds, ss) = (s.stride(0, 0), s.stride(0, 1));
    let lo = part.start as isize;
    let (d1, ds1, ss1) = if s.rank() > 1 { (s.dims[1], s.stride(1, 0), s.stride(1, 1)) } else { (1, 0, 0) };
    let mut r = rows.start;
    while r < rows.end {
        let (p, q) = (d.at(s.offset(0, r * s.dims[0])), f.at(s.offset(1, r * s.dims[0])));
        let m = (d1 - r % d1).min(rows.end - r);
        for i in 0..m as isize {
            // SAFETY: by the contract of `copy_nd`.
            unsafe { copy_run(p.at(i * ds1 + lo * ds).0, ds, q.at(i * ss1 + lo * ss).0, ss, part.len(), size) };
        }
        r += m;
    }
}
/// Rows `j..j + rows` of loop 1 by all of loop 0, in square blocks: each is read along the source's fast loop into a block
/// on the stack and written along the destination's, so that lines are used whole on both sides.
unsafe fn stripe<T: Copy>(s: &Space, d: Ptr, f: Ptr, j: usize, rows: usize) {
    let (d0, d1, f0, f1) = (s.stride(0, 0), s.stride(1, 0), s.stride(0, 1), s.stride(1, 1));
    let mut block = [std::mem::MaybeUninit::<T>::uninit(); BLOCK * BLOCK];
    for i in (0..s.dims[0]).step_by(BLOCK) {
        let cols = BLOCK.min(s.dims[0] - i);
        let (p, q) = (d.at(j as isize * d1 + i as isize * d0), f.at(j as isize * f1 + i as isize * f0));
        // SAFETY: by the contract of `copy_nd`; the block holds `cols * rows` elements, written before they are read.
        unsafe {
            for c in 0..cols {
                let column = q.at(c as isize * f0);
                for r in 0..rows {
                    block[r * BLOCK + c].write(column.at(r as isize * f1).0.cast::<T>().read());
                }
            }
            for r in 0..rows {
                let row = p.at(r as isize * d1);
                for c in 0..cols {
                    row.at(c as isize * d0).0.cast::<T>().write(block[r * BLOCK + c].assume_init());
                }
            }
        }
    }
}

/// Writes one element to every place of a view.
///
/// # Safety
/// The view is inside memory of the caller; `value` holds an element.
pub(crate) unsafe fn fill_nd(pool: &Pool, space: &mut Space, dims: &[usize], dst: At, value: *const u8, size: usize) {
    let zeros = Zeros::of(dims.len());
    let mut x = [0u8; 16];
    // SAFETY: an element has `size` bytes, at most 16; the source below is that one element.
    unsafe {
        std::ptr::copy_nonoverlapping(value, x.as_mut_ptr(), size.min(16));
        copy_nd(pool, space, dims, dst, At { ptr: Ptr(x.as_mut_ptr()), strides: zeros.get() }, size);
    }
}
/// Zero strides for any number of axes, without allocating for the usual ones.
pub(crate) enum Zeros {
    /// Few axes.
    Few(usize),
    /// Many.
    Many(Vec<isize>),
}
impl Zeros {
    /// For `rank` axes.
    pub(crate) fn of(rank: usize) -> Zeros {
        if rank <= 16 { Zeros::Few(rank) } else { Zeros::Many(vec![0; rank]) }
    }
    /// The strides.
    pub(crate) fn get(&self) -> &[isize] {
        const Z: [isize; 16] = [0; 16];
        match self {
            Zeros::Few(n) => &Z[..*n],
            Zeros::Many(v) => v,
        }
    }
}
