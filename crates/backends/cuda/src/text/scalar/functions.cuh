//# wrap
// Integers wrap: sums and products are those of unsigned ones.
__device__ inline i32 wrap_add(i32 a, i32 b) { return (i32)((u32)a + (u32)b); }
__device__ inline i64 wrap_add(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }
__device__ inline u32 wrap_add(u32 a, u32 b) { return a + b; }
__device__ inline u64 wrap_add(u64 a, u64 b) { return a + b; }
__device__ inline i32 wrap_sub(i32 a, i32 b) { return (i32)((u32)a - (u32)b); }
__device__ inline i64 wrap_sub(i64 a, i64 b) { return (i64)((u64)a - (u64)b); }
__device__ inline u32 wrap_sub(u32 a, u32 b) { return a - b; }
__device__ inline u64 wrap_sub(u64 a, u64 b) { return a - b; }
__device__ inline i32 wrap_mul(i32 a, i32 b) { return (i32)((u32)a * (u32)b); }
__device__ inline i64 wrap_mul(i64 a, i64 b) { return (i64)((u64)a * (u64)b); }
__device__ inline u32 wrap_mul(u32 a, u32 b) { return a * b; }
__device__ inline u64 wrap_mul(u64 a, u64 b) { return a * b; }
//# int_abs: wrap
__device__ inline i32 int_abs(i32 a) { return a < 0 ? wrap_sub(0, a) : a; }
__device__ inline i64 int_abs(i64 a) { return a < 0 ? wrap_sub((i64)0, a) : a; }
__device__ inline u32 int_abs(u32 a) { return a; }
__device__ inline u64 int_abs(u64 a) { return a; }
//# int_sign
__device__ inline i32 int_sign(i32 a) { return (a > 0) - (a < 0); }
__device__ inline i64 int_sign(i64 a) { return (a > 0) - (a < 0); }
__device__ inline u32 int_sign(u32 a) { return a != 0; }
__device__ inline u64 int_sign(u64 a) { return a != 0; }
//# int_div: wrap
// By 0: all ones. The least number by -1: itself.
__device__ inline i32 int_div(i32 a, i32 b) { return b == 0 ? -1 : b == -1 ? wrap_sub(0, a) : a / b; }
__device__ inline i64 int_div(i64 a, i64 b) { return b == 0 ? -1 : b == -1 ? wrap_sub((i64)0, a) : a / b; }
__device__ inline u32 int_div(u32 a, u32 b) { return b == 0 ? ~0u : a / b; }
__device__ inline u64 int_div(u64 a, u64 b) { return b == 0 ? ~0ull : a / b; }
//# int_rem
// By 0: the dividend.
__device__ inline i32 int_rem(i32 a, i32 b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
__device__ inline i64 int_rem(i64 a, i64 b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
__device__ inline u32 int_rem(u32 a, u32 b) { return b == 0 ? a : a % b; }
__device__ inline u64 int_rem(u64 a, u64 b) { return b == 0 ? a : a % b; }
//# int_pow: wrap
template <class T> __device__ T int_pow_up(T base, T n) {
  T r = 1;
  for (u64 e = (u64)n; e > 0; e >>= 1) {
    if (e & 1) r = wrap_mul(r, base);
    base = wrap_mul(base, base);
  }
  return r;
}
// Below 0, 1 / x^n truncated.
template <class T> __device__ T int_pow_down(T x, T n) { return x == 1 ? 1 : x == -1 ? (n & 1 ? -1 : 1) : 0; }
__device__ inline i32 int_pow(i32 x, i32 n) { return n < 0 ? int_pow_down(x, n) : int_pow_up(x, n); }
__device__ inline i64 int_pow(i64 x, i64 n) { return n < 0 ? int_pow_down(x, n) : int_pow_up(x, n); }
__device__ inline u32 int_pow(u32 x, u32 n) { return int_pow_up(x, n); }
__device__ inline u64 int_pow(u64 x, u64 n) { return int_pow_up(x, n); }
//# high
// The high half of the product.
__device__ inline i32 high(i32 a, i32 b) { return (i32)(((i64)a * b) >> 32); }
__device__ inline u32 high(u32 a, u32 b) { return (u32)(((u64)a * b) >> 32); }
__device__ inline u64 high(u64 a, u64 b) {
  const u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
  const u64 m = ah * bl + (al * bl >> 32), n = al * bh + (u32)m;
  return ah * bh + (m >> 32) + (n >> 32);
}
__device__ inline i64 high(i64 a, i64 b) {
  return (i64)(high((u64)a, (u64)b) - (a < 0 ? (u64)b : 0) - (b < 0 ? (u64)a : 0));
}
//# shift
// By the width or more: nothing is left, or the sign.
__device__ inline u32 shift_left(u32 a, u32 s) { return s >= 32 ? 0 : a << s; }
__device__ inline u64 shift_left(u64 a, u64 s) { return s >= 64 ? 0 : a << s; }
__device__ inline i32 shift_left(i32 a, i32 s) { return (i32)shift_left((u32)a, (u32)s); }
__device__ inline i64 shift_left(i64 a, i64 s) { return (i64)shift_left((u64)a, (u64)s); }
__device__ inline u32 shift_right(u32 a, u32 s) { return s >= 32 ? 0 : a >> s; }
__device__ inline u64 shift_right(u64 a, u64 s) { return s >= 64 ? 0 : a >> s; }
__device__ inline i32 shift_right(i32 a, i32 s) { return (i32)shift_right((u32)a, (u32)s); }
__device__ inline i64 shift_right(i64 a, i64 s) { return (i64)shift_right((u64)a, (u64)s); }
__device__ inline i32 shift_signed(i32 a, i32 s) { return a >> ((u32)s > 31 ? 31 : s); }
__device__ inline i64 shift_signed(i64 a, i64 s) { return a >> ((u64)s > 63 ? 63 : s); }
__device__ inline u32 shift_signed(u32 a, u32 s) { return (u32)shift_signed((i32)a, (i32)s); }
__device__ inline u64 shift_signed(u64 a, u64 s) { return (u64)shift_signed((i64)a, (i64)s); }
//# count_bits
__device__ inline u32 count_bits(u32 a) {
  a = a - (a >> 1 & 0x55555555u);
  a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
  return ((a + (a >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}
__device__ inline i32 count_bits(i32 a) { return (i32)count_bits((u32)a); }
__device__ inline u64 count_bits(u64 a) { return count_bits((u32)a) + count_bits((u32)(a >> 32)); }
__device__ inline i64 count_bits(i64 a) { return (i64)count_bits((u64)a); }
//# leading_zeros: count_bits
__device__ inline u32 leading_zeros(u32 a) {
  a |= a >> 1;
  a |= a >> 2;
  a |= a >> 4;
  a |= a >> 8;
  a |= a >> 16;
  return 32 - count_bits(a);
}
__device__ inline i32 leading_zeros(i32 a) { return (i32)leading_zeros((u32)a); }
__device__ inline u64 leading_zeros(u64 a) {
  const u32 h = (u32)(a >> 32);
  return h ? leading_zeros(h) : 32 + leading_zeros((u32)a);
}
__device__ inline i64 leading_zeros(i64 a) { return (i64)leading_zeros((u64)a); }
//# largest
// NaN if either is; -0 is below +0.
template <class T> __device__ T largest(T a, T b) { return a > b ? a : b; }
__device__ inline f32 largest(f32 a, f32 b) {
  return a != a || b != b ? a + b : a == b ? f32_from(f32_bits(a) & f32_bits(b)) : a > b ? a : b;
}
__device__ inline f64 largest(f64 a, f64 b) {
  return a != a || b != b ? a + b : a == b ? f64_from(f64_bits(a) & f64_bits(b)) : a > b ? a : b;
}
//# smallest
template <class T> __device__ T smallest(T a, T b) { return a < b ? a : b; }
__device__ inline f32 smallest(f32 a, f32 b) {
  return a != a || b != b ? a + b : a == b ? f32_from(f32_bits(a) | f32_bits(b)) : a < b ? a : b;
}
__device__ inline f64 smallest(f64 a, f64 b) {
  return a != a || b != b ? a + b : a == b ? f64_from(f64_bits(a) | f64_bits(b)) : a < b ? a : b;
}
//# real_sign
__device__ inline f32 real_sign(f32 x) { return x != x || x == 0.0f ? x : x < 0.0f ? -1.0f : 1.0f; }
__device__ inline f64 real_sign(f64 x) { return x != x || x == 0.0 ? x : x < 0.0 ? -1.0 : 1.0; }
//# next_after
__device__ inline f32 next_after(f32 x, f32 to) {
  if (x != x || to != to) return x + to;
  if (x == to) return to;
  const bool up = to > x;
  const u32 b = f32_bits(x);
  if (x == 0.0f) return f32_from(up ? 1u : 0x80000001u);
  return f32_from((x > 0.0f) == up ? b + 1 : b - 1);
}
__device__ inline f64 next_after(f64 x, f64 to) {
  if (x != x || to != to) return x + to;
  if (x == to) return to;
  const bool up = to > x;
  const u64 b = f64_bits(x);
  if (x == 0.0) return f64_from(up ? 1ull : 0x8000000000000001ull);
  return f64_from((x > 0.0) == up ? b + 1 : b - 1);
}
//# to_int
// Truncated; the nearest bound where it is out of range; 0 for NaN.
template <class F> __device__ i32 to_i32(F x) {
  return x != x ? 0 : x >= (F)2147483648.0 ? 0x7fffffff : x <= (F)-2147483648.0 ? (i32)0x80000000u : (i32)x;
}
template <class F> __device__ u32 to_u32(F x) { return !(x > (F)0) ? 0 : x >= (F)4294967296.0 ? ~0u : (u32)x; }
template <class F> __device__ i64 to_i64(F x) {
  return x != x ? 0 : x >= (F)9223372036854775808.0 ? 0x7fffffffffffffffll
                  : x <= (F)-9223372036854775808.0 ? (i64)0x8000000000000000ull
                                                   : (i64)x;
}
template <class F> __device__ u64 to_u64(F x) { return !(x > (F)0) ? 0 : x >= (F)18446744073709551616.0 ? ~0ull : (u64)x; }
//# small
// The numbers of floats of two bytes, and the nearest ones to a number, the even one of two; NaN is one of them.
__device__ inline f32 small_wide(bf16 x) { return f32_from((u32)x.bits << 16); }
__device__ inline f32 small_wide(f16 x) {
  const f32 size = f32_from((u32)(x.bits & 0x7fff) << 13);
  const bool last = (x.bits & 0x7c00) == 0x7c00;
  const u32 bits = last ? f32_bits(size) | 0x7f800000u : f32_bits(size * 5192296858534827628530496329220096.0f);
  return f32_from(bits | (u32)(x.bits & 0x8000) << 16);
}
__device__ inline bf16 small_bf16(f32 x) {
  const u32 bits = f32_bits(x);
  return bf16{x != x ? (u16)0x7fc0 : (u16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}
__device__ inline f16 small_f16(f32 x) {
  const f32 size = fabsf(x);
  const u32 bits = f32_bits(size);
  const f32 coarse = f32_from((bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000u);
  f32 near = coarse >= 65536.0f ? f32_from(0x7f800000u) : coarse;
  // Below 2^-14 multiples of 2^-24: the sum has room for no finer ones.
  if (size < 6.103515625e-05f) near = (size + 0.5f) - 0.5f;
  const u32 all = f32_bits(near * 1.92592994438723585305597794258492732e-34f) >> 13 & 0x7fff;
  return f16{x != x ? (u16)0x7e00 : (u16)(all | (f32_bits(x) >> 16 & 0x8000))};
}
// A number that rounds to a float of two bytes as `x` does: towards zero, the last bit set where that loses something.
__device__ inline f32 small_odd(f64 x) {
  const f32 near = (f32)x;
  if ((f64)near == x || x != x) return near;
  return f32_from((f32_bits(near) - (fabs((f64)near) > fabs(x) ? 1u : 0u)) | 1u);
}
__device__ inline f64 small_whole(u64 x) {
  return x >> 53 ? (f64)(x >> 11 | ((x & 0x7ff) != 0 ? 1 : 0)) * 2048.0 : (f64)x;
}
__device__ inline f32 small_odd(u64 x) { return small_odd(small_whole(x)); }
__device__ inline f32 small_odd(i64 x) { return small_odd(x < 0 ? -small_whole(0 - (u64)x) : small_whole((u64)x)); }
__device__ inline f32 small_odd(i32 x) { return small_odd((f64)x); }
__device__ inline f32 small_odd(u32 x) { return small_odd((f64)x); }
__device__ inline f32 small_odd(f32 x) { return x; }
//# tiny: small
// Floats of E exponent and M mantissa bits in a byte. S: 0 the greatest exponent is infinity and NaN; 1 all ones are NaN; 2 the bits of
// -0 are NaN; 3 there are numbers alone.
template <int E, int M, int BIAS, int S> __device__ f32 tiny_wide(u8 x) {
  const u32 all = (1u << (E + M)) - 1, top = all & ~((1u << M) - 1), bits = x & all;
  const f32 moved = f32_from(bits << (23 - M));
  f32 size = moved * f32_from((u32)(254 - BIAS) << 23);
  if (S == 0 && bits >= top) size = f32_from(f32_bits(moved) | 0x7f800000u);
  if (S == 1 && bits == all || S == 2 && x == all + 1) size = f32_from(0x7fc00000u);
  return f32_from(f32_bits(size) | (u32)(x & (all + 1)) << (31 - E - M));
}
template <int E, int M, int BIAS, int S> __device__ u8 tiny(f32 x) {
  const u32 all = (1u << (E + M)) - 1, last = 1u << (23 - M);
  const u32 most = S == 0 ? all - (1u << M) : S == 1 ? all - 1 : all;
  const f32 up = f32_from((u32)(254 - BIAS) << 23), down = f32_from((u32)BIAS << 23);
  const f32 size = fabsf(x), greatest = f32_from(most << (23 - M)) * up;
  const u32 b = f32_bits(size), sign = f32_bits(x) >> (31 - E - M) & (all + 1);
  const u32 nan = S == 0 ? all - (1u << M) + 1 + (1u << (M - 1)) : S == 1 ? all : all + 1;
  f32 near = f32_from((b + (last >> 1) - 1 + (b >> (23 - M) & 1)) & ~(last - 1));
  // Numbers without a leading one stand at equal distances: the sum has room for no finer ones.
  const f32 rounder = f32_from((u32)(151 - BIAS - M) << 23);
  if (size < f32_from((u32)(128 - BIAS) << 23)) near = (size + rounder) - rounder;
  if (x != x) return (u8)nan;
  if (near > greatest) return (u8)(S == 0 ? sign | (all & ~((1u << M) - 1)) : S == 3 ? sign | most : nan);
  const u32 bits = f32_bits(near * down) >> (23 - M) & all;
  return (u8)(S == 2 && bits == 0 ? 0 : bits | sign);
}
