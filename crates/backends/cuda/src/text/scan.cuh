//# lanes
// What the lane `by` below has; the first lanes keep what they have.
template <class T> __device__ inline T lanes_up(T x, u32 by) { return __shfl_up_sync(0xffffffffu, x, by); }
__device__ inline c32 lanes_up(c32 x, u32 by) { return c32{lanes_up(x.re, by), lanes_up(x.im, by)}; }
__device__ inline c64 lanes_up(c64 x, u32 by) { return c64{lanes_up(x.re, by), lanes_up(x.im, by)}; }
// What a lane has.
template <class T> __device__ inline T lanes_from(T x, u32 lane) { return __shfl_sync(0xffffffffu, x, (int)lane); }
__device__ inline c32 lanes_from(c32 x, u32 lane) { return c32{lanes_from(x.re, lane), lanes_from(x.im, lane)}; }
__device__ inline c64 lanes_from(c64 x, u32 lane) { return c64{lanes_from(x.re, lane), lanes_from(x.im, lane)}; }
// What the lane `by` above has; the last lanes keep what they have.
template <class T> __device__ inline T lanes_down(T x, u32 by) { return __shfl_down_sync(0xffffffffu, x, by); }
//# scan: lanes
// Where an element of a tile stands: a gap behind each 32, so that threads with 8 neighbours each read from different banks.
__device__ inline u32 in_tile(u32 i) { return i + i / 32; }
// The fold over what the threads of a block have, in their order, and `before`: that of the threads before this one. Barriers stand
// before and behind what is shared. A block has whole warps, 8 at most.
template <class A, class F> __device__ A scan_block(A x, A none, A &before, F f) {
  SHARED(A, sums, 8);
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  A all = x;
  for (u32 by = 1; by < 32; by *= 2) {
    const A other = lanes_up(all, by);
    if (lane >= by) all = f(other, all);
  }
  const A left = lanes_up(all, 1);
  if (lane == 31) sums[warp] = all;
  __syncthreads();
  A whole = none;
  before = none;
  for (u32 w = 0; w < blockDim.x / 32; w++) {
    if (w == warp) before = whole;
    const A sum = sums[w];
    whole = f(whole, sum);
  }
  if (lane > 0) before = f(before, left);
  __syncthreads();
  return whole;
}
//# look_back: scan
#ifndef TFC_HOST  // There it is a read that is no race with atomic functions.
template <class T> __device__ inline T peek(const T *p) { return *(const volatile T *)p; }
#endif
// A value of 4 or 8 bytes as a word that is written whole.
__device__ inline u64 as_word(i32 x) { return (u32)x; }
__device__ inline u64 as_word(u32 x) { return x; }
__device__ inline u64 as_word(i64 x) { return (u64)x; }
__device__ inline u64 as_word(u64 x) { return x; }
__device__ inline u64 as_word(f32 x) { return f32_bits(x); }
__device__ inline u64 as_word(f64 x) { return f64_bits(x); }
__device__ inline void from_word(u64 w, i32 &x) { x = (i32)(u32)w; }
__device__ inline void from_word(u64 w, u32 &x) { x = (u32)w; }
__device__ inline void from_word(u64 w, i64 &x) { x = (i64)w; }
__device__ inline void from_word(u64 w, u64 &x) { x = w; }
__device__ inline void from_word(u64 w, f32 &x) { x = f32_from((u32)w); }
__device__ inline void from_word(u64 w, f64 &x) { x = f64_from(w); }
// The fold over the tiles before number `tile`, for a warp that looks at 32 of them at a time (Merrill & Garland 2016). Of a tile it is
// known by its flag whether there is nothing yet (0), the fold of the tile (1), or that of all tiles up to it (2). `sum`, `all`: words.
template <class A, class F> __device__ A look_back(Out<u32> flag, Out<u64> sum, Out<u64> all, i64 first, i64 tile, A none, F f) {
  const u32 lane = threadIdx.x % 32;
  A before = none;
  for (i64 near = tile - 1;; near -= 32) {
    const i64 mine = near - lane;
    u32 known = 2;
    do {
      if (mine >= 0) known = peek(&flag((first + mine) * 4));
    } while (__any_sync(0xffffffffu, known == 0));
    __threadfence();
    const u32 whole = __ballot_sync(0xffffffffu, known == 2);
    // Lanes behind the nearest one that knows all have no part in it.
    A x = none;
    if (mine >= 0 && (whole & ((1u << lane) - 1)) == 0) {
      if (known == 2) from_word(peek(&all((first + mine) * 8)), x);
      else from_word(peek(&sum((first + mine) * 8)), x);
    }
    for (u32 by = 1; by < 32; by *= 2) x = f(lanes_down(x, by), x);
    before = f(__shfl_sync(0xffffffffu, x, 0), before);
    if (whole != 0) return before;
  }
}
//# log_sum: lanes
// The greatest exponent so far, and the sum of exponentials relative to it.
struct LogSum { f64 most, sum; };
__device__ inline LogSum lanes_up(LogSum x, u32 by) { return LogSum{lanes_up(x.most, by), lanes_up(x.sum, by)}; }
//# scaled: lanes
// A product that neither overflows nor vanishes: a number from 1 to 2, or one that is 0 or not finite, times a power of 2.
struct Scaled { f64 x; i64 e; };
__device__ inline Scaled lanes_up(Scaled a, u32 by) { return Scaled{lanes_up(a.x, by), lanes_up(a.e, by)}; }
__device__ inline i64 exponent(f64 x) {
  const i64 e = (i64)(f64_bits(x) >> 52 & 2047);
  return e == 2047 || x == 0 ? 0 : e == 0 ? -1074 : e - 1023;
}
__device__ inline f64 power_of_2(i64 e) { return f64_from((u64)(e + 1023) << 52); }
// The ends of the range take two steps.
__device__ inline i64 at_once(i64 e) { return e < -1000 ? -1000 : e > 1000 ? 1000 : e; }
__device__ inline Scaled scaled(f64 x, i64 e) {
  for (int k = 0; k < 2; k++) {
    const i64 by = at_once(exponent(x));
    x = x * power_of_2(-by);
    e += by;
  }
  return Scaled{x, e};
}
__device__ inline Scaled scaled_times(Scaled a, Scaled b) { return scaled(a.x * b.x, a.e + b.e); }
__device__ inline f64 unscaled(f64 x, i64 e) { return ldexp(x, (int)(e < -4000 ? -4000 : e > 4000 ? 4000 : e)); }
struct ScaledPair { f64 re, im; i64 e; };
__device__ inline ScaledPair lanes_up(ScaledPair a, u32 by) {
  return ScaledPair{lanes_up(a.re, by), lanes_up(a.im, by), lanes_up(a.e, by)};
}
__device__ inline ScaledPair scaled(f64 re, f64 im, i64 e) {
  for (int k = 0; k < 2; k++) {
    const f64 most = fabs(re) > fabs(im) ? fabs(re) : fabs(im);
    // Of a part that is not finite no exponent is known: both stay as they are.
    const i64 by = re - re == 0 && im - im == 0 ? at_once(exponent(most)) : 0;
    re = re * power_of_2(-by);
    im = im * power_of_2(-by);
    e += by;
  }
  return ScaledPair{re, im, e};
}
__device__ inline bool is_one(ScaledPair a) { return a.re == 1 && a.im == 0 && a.e == 0; }
__device__ inline ScaledPair scaled_times(ScaledPair a, ScaledPair b) {
  // 1 leaves the other as it is, infinite or not.
  if (is_one(a) || is_one(b)) return is_one(a) ? b : a;
  return scaled(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re, a.e + b.e);
}
