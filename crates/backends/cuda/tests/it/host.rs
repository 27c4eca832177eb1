//! This machine as a device: kernels give what they should, and each fault that is planted in one is found and named.
use tfc_cuda::device::{Arg, Device, Module, Ptr, Shape};
use tfc_cuda::host::Host;
use tfc_cuda::text::{Kernel, Param, Source};
use tfc_ir::Error;
use tfc_testkit::Need;

/// The device; none, said aloud, where this machine has no C++ compiler.
fn host() -> Option<Host> {
    match Host::new() {
        Ok(h) => Some(h),
        Err(e) if e.data().code.name() == "E1301" && e.data().message.contains("compiler") => {
            Need::Cxx.missing(e);
            None
        }
        Err(e) => panic!("{e}"),
    }
}
/// A kernel from `In<f32> x, Out<f32> y` and text.
fn kernel(name: &str, params: &str, body: &str) -> Kernel {
    let mut all = vec![];
    let mut depth = 0;
    let mut part = String::new();
    for c in params.chars().chain([',']) {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            ',' if depth == 0 => {
                if let Some((ty, name)) = part.trim().rsplit_once(' ') {
                    all.push(Param { ty: ty.into(), name: name.into() });
                }
                part.clear();
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    Kernel { name: name.into(), params: all, body: body.into() }
}
fn load(h: &Host, kernels: Vec<Kernel>) -> Box<dyn Module> {
    h.load(&Source { kernels, ..Source::default() }).unwrap()
}
fn shape(grid: u32, block: u32) -> Shape {
    Shape { grid: [grid, 1, 1], block: [block, 1, 1] }
}
fn bytes<T: Copy>(x: &[T], f: impl Fn(T) -> Vec<u8>) -> Vec<u8> {
    x.iter().flat_map(|&x| f(x)).collect()
}
fn f32s(h: &Host, x: &[f32]) -> Ptr {
    let p = h.alloc(x.len() * 4).unwrap();
    h.upload(p, &bytes(x, |x| x.to_le_bytes().to_vec())).unwrap();
    p
}
fn read(h: &Host, p: Ptr, n: usize) -> Vec<f32> {
    let mut b = vec![0; n * 4];
    h.download(p, &mut b).unwrap();
    b.chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect()
}
fn i64s(x: &[i64]) -> Arg {
    Arg::Longs(x.to_vec())
}
/// Runs a kernel of `In<f32> x, Out<f32> y`, 64 elements each, which is to fail; its error.
fn fault(body: &str, s: Shape) -> Option<Error> {
    let h = host()?;
    let m = load(&h, vec![kernel("k", "In<f32> x, Out<f32> y", body)]);
    let (x, y) = (f32s(&h, &[1.0; 64]), h.alloc(256).unwrap());
    let e = m.launch("k", s, &[Arg::Ptr(x), Arg::Ptr(y)]).unwrap_err();
    assert_eq!(e.data().code.name(), "E1303", "{e}");
    // The device goes on to work, and finds the same again.
    let again = m.launch("k", s, &[Arg::Ptr(x), Arg::Ptr(h.alloc(256).unwrap())]).unwrap_err();
    assert_eq!(again, e);
    assert_eq!(read(&h, x, 64), [1.0; 64]);
    Some(e)
}
/// What an error says, with its notes.
#[track_caller]
fn says(e: Option<Error>, all: &[&str]) {
    let Some(e) = e else { return };
    let e = e.to_string();
    for s in all {
        assert!(e.contains(s), "`{s}` is not in: {e}");
    }
}

const TRANSPOSE: &str = "  SHARED(f32, tile, 16 * 17);
  const u32 i = threadIdx.x, j = threadIdx.y;
  const i64 row = blockIdx.y * 16 + j, col = blockIdx.x * 16 + i;
  if (row < n && col < m) tile[j * 17 + i] = x((row * m + col) * 4);
  __syncthreads();
  const i64 to = blockIdx.x * 16 + j, from = blockIdx.y * 16 + i;
  if (to < m && from < n) y((to * n + from) * 4) = tile[i * 17 + j];
";
#[test]
fn a_transpose_by_tiles() {
    let Some(h) = host() else { return };
    let m = load(&h, vec![kernel("transpose", "In<f32> x, Out<f32> y, i64 n, i64 m", TRANSPOSE)]);
    let (rows, cols) = (37, 53);
    let x: Vec<f32> = (0..rows * cols).map(|i| i as f32).collect();
    let (from, to) = (f32s(&h, &x), h.alloc(x.len() * 4).unwrap());
    let s = Shape { grid: [4, 3, 1], block: [16, 16, 1] };
    m.launch("transpose", s, &[Arg::Ptr(from), Arg::Ptr(to), i64s(&[rows as i64]), i64s(&[cols as i64])]).unwrap();
    let y = read(&h, to, x.len());
    for i in 0..rows {
        for j in 0..cols {
            assert_eq!(y[j * rows + i], x[i * cols + j]);
        }
    }
}

const SUM: &str = "  SHARED(f32, part, 32);
  f32 s = 0;
  for (i64 i = threadIdx.x; i < n; i += blockDim.x) s += x(i * 4);
  for (int by = 16; by > 0; by /= 2) s += __shfl_down_sync(0xffffffffu, s, by);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.0f;
    for (int by = 16; by > 0; by /= 2) s += __shfl_xor_sync(0xffffffffu, s, by);
    if (threadIdx.x == 0) y(0) = s;
  }
";
/// Two buffers in turn, so that one barrier a step is enough.
const SCAN: &str = "  SHARED(f32, a, 512);
  const u32 t = threadIdx.x, n = blockDim.x;
  u32 side = 0;
  a[t] = x(t * 4);
  __syncthreads();
  for (u32 by = 1; by < n; by *= 2) {
    const u32 from = side * 256, to = 256 - from;
    const f32 before = t >= by ? a[from + t - by] : 0.0f;
    a[to + t] = a[from + t] + before;
    side ^= 1;
    __syncthreads();
  }
  y(t * 4) = a[side * 256 + t];
";
#[test]
fn a_sum_by_shuffles_and_a_scan_and_the_same_bits_twice() {
    let Some(h) = host() else { return };
    let m = load(
        &h,
        vec![kernel("sum", "In<f32> x, Out<f32> y, i64 n", SUM), kernel("scan", "In<f32> x, Out<f32> y", SCAN)],
    );
    let x: Vec<f32> = (0..1000).map(|i| (i % 7) as f32 + 0.1).collect();
    let p = f32s(&h, &x);
    let sum = |block| {
        let y = h.alloc(4).unwrap();
        m.launch("sum", shape(1, block), &[Arg::Ptr(p), Arg::Ptr(y), i64s(&[1000])]).unwrap();
        read(&h, y, 1)[0]
    };
    let exact: f64 = x.iter().map(|&x| f64::from(x)).sum();
    assert!((f64::from(sum(256)) - exact).abs() < 1e-3 * exact, "{} {exact}", sum(256));
    assert_eq!(sum(256).to_bits(), sum(256).to_bits());
    assert_eq!(sum(32).to_bits(), sum(32).to_bits());

    let q = f32s(&h, &(0..256).map(|i| i as f32).collect::<Vec<_>>());
    let y = h.alloc(1024).unwrap();
    m.launch("scan", shape(1, 256), &[Arg::Ptr(q), Arg::Ptr(y)]).unwrap();
    let y = read(&h, y, 256);
    for i in 0..256 {
        assert_eq!(y[i], (i * (i + 1) / 2) as f32);
    }
}
/// The prelude's fold over a team, twice, so that its array serves a second time: a block, a warp and columns.
#[test]
fn a_fold_of_the_prelude() {
    let Some(h) = host() else { return };
    let body = "  f32 s = x(threadIdx.x * 4), t = s;
  s = fold_team(s, team, [](f32 a, f32 b) { return a + b; });
  t = fold_team(t, team, [](f32 a, f32 b) { return a > b ? a : b; });
  for (int i = 0; i < 2; i++) s = fold_team(s, team, [](f32 a, f32 b) { return a < b ? a : b; });
  if (team.lane() == 0) y(team.mine() * 8) = s, y(team.mine() * 8 + 4) = t;
";
    let m = load(&h, vec![kernel("k", "In<f32> x, Out<f32> y, Team<256> team", body)]);
    let x = f32s(&h, &(0..128).map(|i| i as f32).collect::<Vec<_>>());
    for (lanes, step) in [(128u32, 1u32), (64, 1), (32, 1), (8, 1), (2, 1), (1, 1), (4, 32), (8, 16), (2, 8), (16, 4)] {
        let teams = (128 / lanes) as usize;
        let y = h.alloc(teams * 8).unwrap();
        let team = Arg::Words(vec![lanes, step, 0]);
        m.launch("k", shape(1, 128), &[Arg::Ptr(x), Arg::Ptr(y), team]).unwrap();
        let want = (0..teams as u32).flat_map(|k| {
            let mine = (0..lanes).map(|l| k / step * step * lanes + k % step + l * step);
            [mine.clone().sum::<u32>() as f32, mine.max().unwrap() as f32]
        });
        assert_eq!(read(&h, y, 2 * teams), want.collect::<Vec<_>>(), "{lanes} {step}");
    }
}
#[test]
fn atomics_of_many_blocks() {
    let Some(h) = host() else { return };
    let body = "  const i64 i = thread_of_grid();\n  atomicAdd(&y(i % 4 * 4), (u32)i);\n  atomicMax(&z(0), i);\n";
    let m = load(&h, vec![kernel("k", "Out<u32> y, Out<i64> z", body)]);
    let (y, z) = (f32s(&h, &[0.0; 4]), f32s(&h, &[0.0; 2]));
    m.launch("k", shape(5, 32), &[Arg::Ptr(y), Arg::Ptr(z)]).unwrap();
    let mut b = [0; 16];
    h.download(y, &mut b).unwrap();
    let sum = |k: u32| (0..160).filter(|i| i % 4 == k).sum::<u32>();
    assert_eq!(
        b.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect::<Vec<_>>(),
        [sum(0), sum(1), sum(2), sum(3)]
    );
    h.download(z, &mut b[..8]).unwrap();
    assert_eq!(b[..8], 159i64.to_le_bytes());
}
#[test]
fn shuffles_of_all_kinds() {
    let Some(h) = host() else { return };
    let body = "  const u32 t = threadIdx.x;
  const f32 v = x(t * 4);
  f32 s = __shfl_sync(0xffffffffu, v, 3);
  s = s * 100 + __shfl_up_sync(0xffffffffu, v, 2);
  s = s * 100 + __shfl_down_sync(0xffffffffu, v, 2);
  s = s * 100 + __shfl_xor_sync(0xffffffffu, v, 1, 8);
  y(t * 4) = s;
";
    let m = load(&h, vec![kernel("k", "In<f32> x, Out<f32> y", body)]);
    let (x, y) = (f32s(&h, &(0..32).map(|i| i as f32).collect::<Vec<_>>()), h.alloc(128).unwrap());
    m.launch("k", shape(1, 32), &[Arg::Ptr(x), Arg::Ptr(y)]).unwrap();
    let y = read(&h, y, 32);
    for t in 0..32i32 {
        let (up, down) = (if t >= 2 { t - 2 } else { t }, if t < 30 { t + 2 } else { t });
        assert_eq!(y[t as usize], (((3 * 100 + up) * 100 + down) * 100 + (t ^ 1)) as f32);
    }
}
#[test]
fn votes_of_a_warp() {
    let Some(h) = host() else { return };
    let body = "  const u32 t = threadIdx.x;
  const u32 odd = __ballot_sync(0xffffffffu, t % 2 == 1), high = __ballot_sync(0xffffffffu, t >= 40);
  y(t * 4) = odd == 0xaaaaaaaau && (t < 32 ? high == 0 : high == 0xffffff00u) ? 1.0f : 0.0f;
  y(t * 4) += __any_sync(0xffffffffu, t == 63) ? 2.0f : 0.0f;
  y(t * 4) += __all_sync(0xffffffffu, t < 32) ? 4.0f : 0.0f;
";
    let m = load(&h, vec![kernel("k", "Out<f32> y", body)]);
    let y = h.alloc(256).unwrap();
    m.launch("k", shape(1, 64), &[Arg::Ptr(y)]).unwrap();
    let y = read(&h, y, 64);
    assert!(y[..32].iter().all(|&x| x == 5.0) && y[32..].iter().all(|&x| x == 3.0), "{y:?}");
    let e = fault("  if (threadIdx.x < 40) __any_sync(0xffffffffu, true);\n", shape(1, 64));
    says(e, &["thread 32 of block 0 is at a shuffle that thread 40 of block 0 does not reach"]);
}
/// A block reads what an earlier one hands over by atomic functions; what it hands over without them is a race.
#[test]
fn values_go_from_block_to_block_by_atomics() {
    let body = "  if (threadIdx.x == 0) {
    const u32 mine = atomicAdd(&y(0), 1u);
    if (mine > 0) {
      while (peek(&y(4)) != mine) {}
      __threadfence();
      z(mine * 4) = READ;
    }
    atomicExch(&z(0), (f32)mine);
    __threadfence();
    atomicExch(&y(4), mine + 1);
  }
";
    let Some(h) = host() else { return };
    let run = |how: &str| {
        let m = load(&h, vec![kernel("k", "Out<u32> y, Out<f32> z", &body.replace("READ", how))]);
        let (y, z) = (f32s(&h, &[0.0; 2]), f32s(&h, &[0.0; 4]));
        m.launch("k", shape(4, 32), &[Arg::Ptr(y), Arg::Ptr(z)]).map(|()| read(&h, z, 4))
    };
    assert_eq!(run("peek(&z(0))").unwrap()[1..], [0.0, 1.0, 2.0]);
    says(run("z(0)").err(), &["reads byte 0 of `z`, which thread 0 of block 0 updated in the same launch"]);
}
/// `__syncwarp` orders a warp; a shuffle does not.
#[test]
fn what_orders_a_warp() {
    let body = |sync: &str| {
        format!(
            "  SHARED(f32, s, 64);\n  const u32 t = threadIdx.x;\n  s[t] = x(t * 4);\n  {sync};\n  y(t * 4) = s[t ^ 1];\n  \
             __syncwarp();\n  s[t ^ 1] = 0.0f;\n"
        )
    };
    let Some(h) = host() else { return };
    let m = load(&h, vec![kernel("k", "In<f32> x, Out<f32> y", &body("__syncwarp()"))]);
    m.launch("k", shape(1, 64), &[Arg::Ptr(f32s(&h, &[1.0; 64])), Arg::Ptr(h.alloc(256).unwrap())]).unwrap();
    let e = fault(&body("__shfl_sync(0xffffffffu, 0.0f, 0)"), shape(1, 64));
    says(e, &["thread 0 of block 0 reads byte 4 of `s`, which thread 1 of block 0 wrote without a barrier in between"]);
    // Of another warp, `__syncwarp` says nothing.
    let e = fault(&body("__syncwarp()").replace("t ^ 1", "t ^ 32"), shape(1, 64));
    says(e, &["reads byte 128 of `s`, which thread 32 of block 0 wrote"]);
}

#[test]
fn a_barrier_is_missing() {
    let sum = SUM.replacen("  __syncthreads();\n", "", 1).replace("i < n", "i < 64");
    let e = fault(&sum, shape(1, 64));
    says(e, &["kernel `k`: thread 1 of block 0 reads byte 4 of `part`, which nothing has written"]);
    // Written in an earlier round too, it is the race that is found.
    let twice = "  SHARED(f32, a, 64);
  const u32 t = threadIdx.x;
  for (int k = 0; k < 2; k++) {
    a[t] = x(t * 4);
    __syncthreads();
    y(t * 4) = a[63 - t];
  }
";
    says(
        fault(twice, shape(1, 64)),
        &[
            "thread 32 of block 0 reads byte 124 of `a`, which thread 31 of block 0 wrote without a barrier in between",
            "`y(t * 4) = a[63 - t];`",
        ],
    );
}
#[test]
fn a_race_in_shared_memory() {
    let e = fault("  SHARED(f32, a, 1);\n  a[0] = threadIdx.x;\n", shape(1, 64));
    says(
        e,
        &[
            "thread 1 of block 0 writes byte 0 of `a`, which thread 0 of block 0 wrote without a barrier",
            "`a[0] = threadIdx.x;`",
        ],
    );
}
/// Single bytes beside each other are no race; the same byte is.
#[test]
fn bytes_are_told_apart() {
    let Some(h) = host() else { return };
    let m = load(&h, vec![kernel("k", "Out<bool> y, i64 n", "  y(threadIdx.x % n) = threadIdx.x % 2;\n")]);
    let y = h.alloc(32).unwrap();
    m.launch("k", shape(1, 32), &[Arg::Ptr(y), i64s(&[32])]).unwrap();
    let e = m.launch("k", shape(1, 32), &[Arg::Ptr(y), i64s(&[31])]).unwrap_err();
    says(Some(e), &["thread 31 of block 0 writes byte 0 of `y`, which thread 0 of block 0 wrote"]);
}
#[test]
fn a_race_between_blocks() {
    let e = fault("  y(threadIdx.x * 4) = 1.0f;\n", shape(2, 32));
    says(e, &["thread 0 of block 1 writes byte 0 of `y`, which thread 0 of block 0 wrote in the same launch"]);
    let e = fault("  y(thread_of_grid() * 4) = 1.0f;\n  if (blockIdx.x == 1) y(4) += 1.0f;\n", shape(2, 32));
    says(e, &["thread 0 of block 1 reads byte 4 of `y`, which thread 1 of block 0 wrote in the same launch"]);
    // What two blocks have read, and one of them wrote.
    let e = fault("  if (threadIdx.x == 0) atomicAdd(&y(0), 1.0f);\n", shape(2, 32));
    says(e, &["thread 0 of block 0 updates byte 0 of `y`, which nothing has written"]);
}
/// The place that all blocks read, and the last writes.
#[test]
fn what_was_read_is_written_by_another_block() {
    let Some(h) = host() else { return };
    let body = "  const f32 a = y(0);\n  if (blockIdx.x == 2 && threadIdx.x == 5) y(0) = a;\n";
    let m = load(&h, vec![kernel("k", "Out<f32> y", body)]);
    let e = m.launch("k", shape(3, 8), &[Arg::Ptr(f32s(&h, &[0.0]))]).unwrap_err();
    says(Some(e), &["thread 5 of block 2 writes byte 0 of `y`, which thread 0 of block 2 read without a barrier"]);
    let one =
        kernel("k", "Out<f32> y", &body.replace("const f32 a = y(0)", "const f32 a = threadIdx.x == 5 ? y(0) : 0.0f"));
    let e = load(&h, vec![one]).launch("k", shape(3, 8), &[Arg::Ptr(f32s(&h, &[0.0]))]).unwrap_err();
    says(Some(e), &["thread 5 of block 2 writes byte 0 of `y`, which thread 5 of block 1 read in the same launch"]);
}
#[test]
fn an_atomic_beside_a_plain_access() {
    let Some(h) = host() else { return };
    for (body, what) in [
        (
            "  if (threadIdx.x == 3) y(0) = 1.0f; else atomicAdd(&y(0), 1.0f);\n",
            "thread 3 of block 0 writes byte 0 of `y`, which thread 0 of block 0 updated",
        ),
        (
            "  atomicAdd(&y(0), 1.0f);\n  if (threadIdx.x == 7) y(4) = y(0);\n",
            "thread 7 of block 0 reads byte 0 of `y`, which thread 0 of block 0 updated",
        ),
        (
            "  const f32 a = y(0);\n  if (threadIdx.x == 1) atomicAdd(&y(0), a);\n",
            "thread 1 of block 0 updates byte 0 of `y`, which thread 0 of block 0 read",
        ),
    ] {
        let m = load(&h, vec![kernel("k", "Out<f32> y", body)]);
        let e = m.launch("k", shape(1, 8), &[Arg::Ptr(f32s(&h, &[0.0; 2]))]).unwrap_err();
        says(Some(e), &[what]);
    }
}
#[test]
fn a_barrier_that_not_all_threads_reach() {
    let e = fault("  if (threadIdx.x < 40) __syncthreads();\n", shape(1, 64));
    says(
        e,
        &[
            "thread 0 of block 0 is at a barrier that thread 40 of block 0 does not reach: it has ended",
            "`if (threadIdx.x < 40)",
        ],
    );
    let e = fault("  if (threadIdx.x < 32) __syncthreads();\n  else\n    __syncthreads();\n", shape(1, 64));
    says(e, &["is at a barrier that thread 32 of block 0 does not reach", "it waits at the barrier of line"]);
    let e = fault("  if (threadIdx.x < 16) __syncwarp();\n", shape(1, 64));
    says(e, &["thread 0 of block 0 is at `__syncwarp` that thread 16 of block 0 does not reach"]);
    let e = fault("  __shfl_sync(0xffffffffu, 1.0f, 0);\n", shape(1, 48));
    says(e, &["thread 32 of block 0 is at a shuffle of 32 lanes, but its warp has 16 threads"]);
    let e = fault("  __shfl_sync(0xffffu, 1.0f, 0);\n", shape(1, 32));
    says(e, &["calls a warp intrinsic with another mask"]);
}
#[test]
fn out_of_bounds_by_one_element() {
    let e = fault("  y(thread_of_grid() * 4 + 4) = 1.0f;\n", shape(2, 32));
    says(
        e,
        &[
            "thread 31 of block 1 writes 4 bytes at byte 256 of `y`, behind its memory",
            "allocation of 256 bytes",
            "`y(thread_of_grid() * 4 + 4) = 1.0f;`",
        ],
    );
    let e = fault("  y(thread_of_grid() * 4) = x((i64)threadIdx.x * 4 - 4);\n", shape(1, 64));
    says(
        e,
        &[
            "thread 0 of block 0 reads 4 bytes at byte -4 of `x`, before its memory",
            "byte -4 of an allocation of 256 bytes",
        ],
    );
    let e = fault("  SHARED(f64, s, 64);\n  s[threadIdx.x + 1] = 0.0;\n", shape(1, 64));
    says(e, &["thread 63 of block 0 writes 8 bytes at byte 512 of `s`, behind its memory"]);
    let e = fault("  SHARED(f64, s, 8192);\n  s[0] = 0.0;\n", shape(1, 64));
    says(e, &["needs `s` of 65536 bytes in shared memory"]);
}
#[test]
fn memory_that_was_never_written() {
    let e = fault("  y(threadIdx.x * 4) = 1.0f;\n  if (threadIdx.x == 20) y(0) = y(80 + 4);\n", shape(1, 64));
    says(e, &["thread 20 of block 0 reads byte 84 of `y`, which nothing has written"]);
}
#[test]
fn addresses_that_are_wrong() {
    let Some(h) = host() else { return };
    let m = load(&h, vec![kernel("k", "In<f32> x, Out<f32> y", "  y(0) = x(0);\n")]);
    let (x, y) = (f32s(&h, &[1.0; 4]), h.alloc(16).unwrap());
    let run = |x, y| m.launch("k", shape(1, 1), &[Arg::Ptr(x), Arg::Ptr(y)]);
    run(x, y).unwrap();
    run(x.at(12), y.at(12)).unwrap();
    says(run(x.at(2), y).err(), &["reads byte 0 of `x`, whose address is no multiple of 4"]);
    says(
        run(x.at(16), y).err(),
        &["reads 4 bytes at byte 0 of `x`, behind its memory", "byte 16 of an allocation of 16 bytes"],
    );
    says(run(x, Ptr(64)).err(), &["writes byte 0 of `y`, an address in no allocation"]);
    says(run(x, h.alloc(0).unwrap()).err(), &["behind its memory", "allocation of 0 bytes"]);
    let z = h.alloc(16).unwrap();
    says(run(z, y).err(), &["reads byte 0 of `x`, which nothing has written"]);
    h.upload(z, &[0; 3]).unwrap();
    says(run(z, y).err(), &["reads byte 3 of `x`, which nothing has written"]);
    h.free(x);
    says(run(x, y).err(), &["reads byte 0 of `x`, memory that has been given back"]);
    says(h.download(x, &mut [0; 4]).err(), &["memory that has been given back"]);
    says(h.download(y, &mut [0; 16]).err(), &["byte 4 of an allocation of 16 bytes, which nothing has written"]);
    says(h.upload(y.at(8), &[0; 9]).err(), &["9 bytes from byte 8 on of an allocation of 16 bytes"]);
    says(h.copy(y, y.at(4), 8).err(), &["overlaps"]);
    h.free(x);
    says(h.alloc(4).err(), &["given back that was not taken, or twice"]);
    h.alloc(4).unwrap();
}
#[test]
fn shared_memory_is_new_for_each_block() {
    let e = fault(
        "  SHARED(f32, a, 1);\n  if (blockIdx.x == 0) a[0] = 1.0f;\n  else {\n    const f32 b = a[0];\n  }\n",
        shape(2, 1),
    );
    says(e, &["thread 0 of block 1 reads byte 0 of `a`, which nothing has written"]);
}
#[test]
fn launches_that_do_not_fit() {
    let Some(h) = host() else { return };
    let m = load(&h, vec![kernel("k", "Out<f32> y, Loops<2, 1> at", "  y(0) = at.n[0];\n")]);
    let y = h.alloc(4).unwrap();
    let at = i64s(&[5, 6, 7, 8]);
    m.launch("k", shape(1, 1), &[Arg::Ptr(y), at.clone()]).unwrap();
    assert_eq!(read(&h, y, 1), [5.0]);
    let fails =
        |name: &str, s: Shape, args: &[Arg], what: &str| says(Some(m.launch(name, s, args).unwrap_err()), &[what]);
    fails("k", shape(1, 1), &[Arg::Ptr(y), i64s(&[1])], "argument 2 is none for `Loops<2, 1> at`");
    fails("k", shape(1, 1), &[at.clone(), at.clone()], "argument 1 is none for `Out<f32> y`");
    fails("k", shape(1, 1), &[Arg::Ptr(y)], "takes 2 arguments, not 1");
    fails("l", shape(1, 1), &[Arg::Ptr(y), at.clone()], "there is no kernel `l`");
    fails("k", shape(1, 2048), &[Arg::Ptr(y), at.clone()], "no device takes a grid");
    fails("k", shape(0, 32), &[Arg::Ptr(y), at], "no device takes a grid");
}
#[test]
fn text_that_does_not_compile() {
    let Some(h) = host() else { return };
    let k = kernel("k", "Out<f32> y", "  y(0) = 1.0f;\n  y(4) = nothing;\n");
    let e = h.load(&Source { kernels: vec![k], ..Source::default() }).map(|_| ()).unwrap_err();
    assert_eq!(e.data().code.name(), "E1302");
    says(Some(e), &["does not compile the kernels", "`y(4) = nothing;`", "not declared"]);
}
/// Launches are cheap: no text is compiled again, no stack is made again.
#[test]
fn thousands_of_launches_take_no_time() {
    let Some(h) = host() else { return };
    let m = load(&h, vec![kernel("sum", "In<f32> x, Out<f32> y, i64 n", SUM)]);
    let (x, y) = (f32s(&h, &[1.0; 1000]), h.alloc(4).unwrap());
    let start = std::time::Instant::now();
    for _ in 0..2000 {
        m.launch("sum", shape(1, 256), &[Arg::Ptr(x), Arg::Ptr(y), i64s(&[1000])]).unwrap();
    }
    println!("2000 launches of 256 threads with barriers: {:?}", start.elapsed());
    assert!(start.elapsed().as_secs() < 20);
    assert_eq!(read(&h, y, 1), [1000.0]);
}
/// Several devices on several threads, with one library of kernels between them.
#[test]
fn devices_on_threads() {
    let Some(_) = host() else { return };
    std::thread::scope(|s| {
        for k in 0..4 {
            s.spawn(move || {
                let h = Host::new().unwrap();
                let m = load(&h, vec![kernel("scan", "In<f32> x, Out<f32> y", SCAN)]);
                let (x, y) = (f32s(&h, &[k as f32; 256]), h.alloc(1024).unwrap());
                for _ in 0..20 {
                    m.launch("scan", shape(1, 256), &[Arg::Ptr(x), Arg::Ptr(y)]).unwrap();
                }
                assert_eq!(read(&h, y, 256)[255], 256.0 * k as f32);
            });
        }
    });
}

/// Each step, every thread does what a table says: nothing, or to read, write or update a place; then all meet, the lanes of each
/// warp meet, or nobody does.
const STEPS: &str = "  const i64 me = thread_of_grid(), all = threads_of_grid();
  for (i64 k = 0; k < steps; k++) {
    const i32 what = act((k * all + me) * 4);
    const i64 at = what / 4 * 4;
    if (what % 4 == 1) {
      const f32 v = y(at);
    }
    if (what % 4 == 2) y(at) = 1.0f;
    if (what % 4 == 3) atomicAdd(&y(at), 1.0f);
    const i32 meet = sync(k * 4);
    if (meet == 1) __syncthreads();
    if (meet == 2) __syncwarp();
  }
";
/// A race is found where two accesses that conflict have no order, which all pairs of them tell, and nowhere else.
#[test]
fn races_are_those_that_all_pairs_of_accesses_have() {
    const BLOCKS: usize = 3;
    const THREADS: usize = 64;
    let Some(h) = host() else { return };
    let m = load(&h, vec![kernel("k", "In<i32> act, In<i32> sync, Out<f32> y, i64 steps", STEPS)]);
    let mut seed = 1u64;
    let mut random = |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    let (mut races, mut calm) = (0, 0);
    for round in 0..2000 {
        let steps = 1 + random(6);
        let (places, one_block) = (1 + random(6), random(3) > 0);
        let sync: Vec<i32> = (0..steps).map(|_| random(3) as i32).collect();
        let all = BLOCKS * THREADS;
        let mut act = vec![0i32; steps * all];
        // Of few threads, so that a good part of the tables has no race.
        for _ in 0..2 + random(5) {
            let block = if one_block { 0 } else { random(BLOCKS) };
            let thread = [0, 1, 2, 31, 32, 33][random(6)];
            act[random(steps) * all + block * THREADS + thread] = (random(places) * 4 + 1 + random(3)) as i32;
        }
        // Block, thread, barriers before, meetings of the warp since, what; one after the other.
        let mut done = vec![];
        for b in 0..BLOCKS {
            for t in 0..THREADS {
                let (mut tick, mut warp) = (0, 0);
                for k in 0..steps {
                    let what = act[k * all + b * THREADS + t];
                    if what != 0 {
                        done.push((b, t, tick, warp, what / 4, what % 4));
                    }
                    (tick, warp) = match sync[k] {
                        1 => (tick + 1, 0),
                        2 => (tick, warp + 1),
                        _ => (tick, warp),
                    };
                }
            }
        }
        let race = done.iter().any(|p| {
            done.iter().any(|q| {
                let conflict = p.4 == q.4 && (p.5 != 1 || q.5 != 1) && (p.5 != 3 || q.5 != 3);
                let ordered = p.0 == q.0 && (p.1 == q.1 || p.2 != q.2 || (p.1 / 32 == q.1 / 32 && p.3 != q.3));
                conflict && !ordered
            })
        });
        let i32s = |x: &[i32]| {
            let p = h.alloc(x.len() * 4).unwrap();
            h.upload(p, &bytes(x, |x| x.to_le_bytes().to_vec())).unwrap();
            p
        };
        let (a, s, y) = (i32s(&act), i32s(&sync), f32s(&h, &[0.0; 8]));
        let r = m.launch("k", shape(3, 64), &[Arg::Ptr(a), Arg::Ptr(s), Arg::Ptr(y), i64s(&[steps as i64])]);
        assert_eq!(r.is_err(), race, "round {round}: {r:?} {done:?} {sync:?}");
        if let Err(e) = r {
            let e = e.to_string();
            assert!(e.contains("without a barrier in between") || e.contains("in the same launch"), "{e}");
        }
        *(if race { &mut races } else { &mut calm }) += 1;
        for p in [a, s, y] {
            h.free(p);
        }
    }
    println!("{races} tables with a race, {calm} without");
    assert!(races > 300 && calm > 300);
}
