//# hold
// A number that a compiler cannot see through: no sum is rearranged, and no product becomes part of a sum.
fn hold(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ p.zero); }
//# fused
// a b + c, rounded once.
fn fused(a: f32, b: f32, c: f32) -> f32 { return fma(a, b, c); }
//# is_nan
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
//# is_finite
fn is_finite(x: f32) -> bool { return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u; }
//# largest_f32: is_nan
// NaN if either is; -0 is below +0.
fn largest_f32(a: f32, b: f32) -> f32 {
  if is_nan(a) { return a; }
  if is_nan(b) { return b; }
  if a == b { return bitcast<f32>(bitcast<u32>(a) & bitcast<u32>(b)); }
  return select(b, a, a > b);
}
//# smallest_f32: is_nan
fn smallest_f32(a: f32, b: f32) -> f32 {
  if is_nan(a) { return a; }
  if is_nan(b) { return b; }
  if a == b { return bitcast<f32>(bitcast<u32>(a) | bitcast<u32>(b)); }
  return select(b, a, a < b);
}
//# sign_f32: is_nan
fn sign_f32(x: f32) -> f32 {
  if is_nan(x) || x == 0.0 { return x; }
  return select(1.0, -1.0, x < 0.0);
}
//# round_f32
// Halves away from zero.
fn round_f32(x: f32) -> f32 {
  let whole = trunc(x);
  if abs(x - whole) < 0.5 { return whole; }
  return whole + select(1.0, -1.0, x < 0.0);
}
//# rem_f32: is_nan is_finite
// The remainder of a division towards zero, exact: bit by bit.
fn rem_f32(x: f32, y: f32) -> f32 {
  let sign = bitcast<u32>(x) & 0x80000000u;
  var a = bitcast<u32>(x) & 0x7fffffffu;
  let b = bitcast<u32>(y) & 0x7fffffffu;
  if b == 0u || a >= 0x7f800000u || b > 0x7f800000u { return bitcast<f32>(0x7fc00000u | p.zero); }
  if a < b { return x; }
  var ae = max(i32(a >> 23u), 1);
  var be = max(i32(b >> 23u), 1);
  var am = select((a & 0x7fffffu) | 0x800000u, a, a < 0x800000u);
  var bm = select((b & 0x7fffffu) | 0x800000u, b, b < 0x800000u);
  while am < 0x800000u {
    am = am << 1u;
    ae -= 1;
  }
  while bm < 0x800000u {
    bm = bm << 1u;
    be -= 1;
  }
  while ae > be {
    if am >= bm { am -= bm; }
    am = am << 1u;
    ae -= 1;
    if am == 0u { return bitcast<f32>(sign); }
  }
  if am >= bm { am -= bm; }
  while am < 0x800000u && ae > 1 {
    am = am << 1u;
    ae -= 1;
  }
  if ae < 1 { return bitcast<f32>((am >> u32(1 - ae)) | sign); }
  return bitcast<f32>(select(am, (am & 0x7fffffu) | (u32(ae) << 23u), am >= 0x800000u) | sign);
}
//# nextafter_f32: is_nan
fn nextafter_f32(x: f32, to: f32) -> f32 {
  if is_nan(x) { return x; }
  if is_nan(to) { return to; }
  if x == to { return to; }
  let up = to > x;
  if x == 0.0 { return bitcast<f32>(select(0x80000001u, 1u, up)); }
  let b = bitcast<u32>(x);
  return bitcast<f32>(select(b - 1u, b + 1u, (x > 0.0) == up));
}
//# f32_to_i32: is_nan
// Truncated; the nearest bound where it is out of range; 0 for NaN.
fn f32_to_i32(x: f32) -> i32 {
  if is_nan(x) { return 0; }
  if x >= 2147483648.0 { return 0x7fffffff; }
  if x <= -2147483648.0 { return bitcast<i32>(0x80000000u); }
  return i32(x);
}
//# f32_to_u32
fn f32_to_u32(x: f32) -> u32 {
  if !(x > 0.0) { return 0u; }
  if x >= 4294967296.0 { return 0xffffffffu; }
  return u32(x);
}
//# f32_to_ulong
fn f32_to_ulong(x: f32) -> ulong {
  let b = bitcast<u32>(x);
  let e = i32(b >> 23u) - 150;
  if b >= 0x80000000u || b > 0x7f800000u || e < -23 { return ulong(0u, 0u); }
  if e >= 41 { return ulong(0xffffffffu, 0xffffffffu); }
  let m = (b & 0x7fffffu) | 0x800000u;
  if e <= 0 { return ulong(m >> u32(-e), 0u); }
  if e >= 32 { return ulong(0u, m << u32(e - 32)); }
  return ulong(m << u32(e), m >> u32(32 - e));
}
//# f32_to_long: f32_to_ulong long_neg is_nan
fn f32_to_long(x: f32) -> long {
  if is_nan(x) { return long(0u, 0u); }
  if x >= 9223372036854775808.0 { return long(0xffffffffu, 0x7fffffffu); }
  if x <= -9223372036854775808.0 { return long(0u, 0x80000000u); }
  let size = f32_to_ulong(abs(x));
  if x < 0.0 { return long_neg(size); }
  return size;
}
//# ulong_to_f32: ulong_clz ulong_shl
// Rounded once: of the bits behind the first 32 it matters only whether there are any.
fn ulong_to_f32(a: ulong) -> f32 {
  let zeros = ulong_clz(a);
  if zeros == 64u { return 0.0; }
  let top = ulong_shl(a, zeros);
  let near = f32(top.y | select(0u, 1u, top.x != 0u));
  return near * bitcast<f32>((159u - zeros) << 23u);
}
//# long_to_f32: ulong_to_f32 long_neg
fn long_to_f32(a: long) -> f32 {
  if a.y >= 0x80000000u { return -ulong_to_f32(long_neg(a)); }
  return ulong_to_f32(a);
}
//# abs_i32
fn abs_i32(a: i32) -> i32 { return select(a, 0 - a, a < 0); }
//# div_i32
// By 0: all ones. The least number by -1: itself.
fn div_i32(a: i32, b: i32) -> i32 {
  if b == 0 { return -1; }
  if b == -1 { return 0 - a; }
  return a / b;
}
//# div_u32
fn div_u32(a: u32, b: u32) -> u32 {
  if b == 0u { return 0xffffffffu; }
  return a / b;
}
//# rem_i32
// By 0: the dividend.
fn rem_i32(a: i32, b: i32) -> i32 {
  if b == 0 { return a; }
  if b == -1 { return 0; }
  return a % b;
}
//# rem_u32
fn rem_u32(a: u32, b: u32) -> u32 {
  if b == 0u { return a; }
  return a % b;
}
//# pow_u32
fn pow_u32(x: u32, n: u32) -> u32 {
  var r = 1u;
  var base = x;
  for (var e = n; e > 0u; e = e >> 1u) {
    if (e & 1u) != 0u { r = r * base; }
    base = base * base;
  }
  return r;
}
//# pow_i32: pow_u32
// Below 0, 1 / x^n truncated.
fn pow_i32(x: i32, n: i32) -> i32 {
  if n >= 0 { return bitcast<i32>(pow_u32(bitcast<u32>(x), u32(n))); }
  if x == 1 { return 1; }
  if x == -1 { return select(1, -1, (n & 1) != 0); }
  return 0;
}
//# mulhi_u32
// The high half of the product.
fn mulhi_u32(a: u32, b: u32) -> u32 {
  let al = a & 0xffffu;
  let ah = a >> 16u;
  let bl = b & 0xffffu;
  let bh = b >> 16u;
  let m = ah * bl + ((al * bl) >> 16u);
  let n = al * bh + (m & 0xffffu);
  return ah * bh + (m >> 16u) + (n >> 16u);
}
//# mulhi_i32: mulhi_u32
fn mulhi_i32(a: i32, b: i32) -> i32 {
  let high = mulhi_u32(bitcast<u32>(a), bitcast<u32>(b));
  return bitcast<i32>(high - select(0u, bitcast<u32>(b), a < 0) - select(0u, bitcast<u32>(a), b < 0));
}
//# shl_u32
// By the width or more: nothing is left, or the sign.
fn shl_u32(a: u32, s: u32) -> u32 {
  if s >= 32u { return 0u; }
  return a << s;
}
//# shl_i32: shl_u32
fn shl_i32(a: i32, s: i32) -> i32 { return bitcast<i32>(shl_u32(bitcast<u32>(a), bitcast<u32>(s))); }
//# shr_logical_u32
fn shr_logical_u32(a: u32, s: u32) -> u32 {
  if s >= 32u { return 0u; }
  return a >> s;
}
//# shr_logical_i32: shr_logical_u32
fn shr_logical_i32(a: i32, s: i32) -> i32 { return bitcast<i32>(shr_logical_u32(bitcast<u32>(a), bitcast<u32>(s))); }
//# shr_arith_i32
fn shr_arith_i32(a: i32, s: i32) -> i32 { return a >> min(bitcast<u32>(s), 31u); }
//# shr_arith_u32
fn shr_arith_u32(a: u32, s: u32) -> u32 { return bitcast<u32>(bitcast<i32>(a) >> min(s, 31u)); }
//# ulong_clz
fn ulong_clz(a: ulong) -> u32 { return select(countLeadingZeros(a.y), 32u + countLeadingZeros(a.x), a.y == 0u); }
//# ulong_add
// Integers of 64 bits are two words, the low one first.
fn ulong_add(a: ulong, b: ulong) -> ulong {
  let low = a.x + b.x;
  return ulong(low, a.y + b.y + select(0u, 1u, low < a.x));
}
//# ulong_sub
fn ulong_sub(a: ulong, b: ulong) -> ulong { return ulong(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x)); }
//# long_neg: ulong_sub
fn long_neg(a: long) -> long { return ulong_sub(long(0u, 0u), a); }
//# ulong_mul: mulhi_u32
fn ulong_mul(a: ulong, b: ulong) -> ulong {
  return ulong(a.x * b.x, mulhi_u32(a.x, b.x) + a.x * b.y + a.y * b.x);
}
//# ulong_lt
fn ulong_lt(a: ulong, b: ulong) -> bool { return a.y < b.y || (a.y == b.y && a.x < b.x); }
//# long_lt
fn long_lt(a: long, b: long) -> bool {
  return bitcast<i32>(a.y) < bitcast<i32>(b.y) || (a.y == b.y && a.x < b.x);
}
//# ulong_shl
fn ulong_shl(a: ulong, s: u32) -> ulong {
  if s == 0u { return a; }
  if s >= 64u { return ulong(0u, 0u); }
  if s >= 32u { return ulong(0u, a.x << (s - 32u)); }
  return ulong(a.x << s, (a.y << s) | (a.x >> (32u - s)));
}
//# ulong_shr
fn ulong_shr(a: ulong, s: u32) -> ulong {
  if s == 0u { return a; }
  if s >= 64u { return ulong(0u, 0u); }
  if s >= 32u { return ulong(a.y >> (s - 32u), 0u); }
  return ulong((a.x >> s) | (a.y << (32u - s)), a.y >> s);
}
//# long_sar
fn long_sar(a: long, s: u32) -> long {
  let sign = bitcast<u32>(bitcast<i32>(a.y) >> 31u);
  if s == 0u { return a; }
  if s >= 64u { return long(sign, sign); }
  let high = bitcast<u32>(bitcast<i32>(a.y) >> (s & 31u));
  if s >= 32u { return long(high, sign); }
  return long((a.x >> s) | (a.y << (32u - s)), high);
}
//# ulong_by
// How far a shift goes: by 64 or more, by 64.
fn ulong_by(s: ulong) -> u32 { return select(min(s.x, 64u), 64u, s.y != 0u); }
//# ulong_parts: ulong_lt ulong_sub
// Quotient and remainder, bit by bit; of a division by 0 all ones and the dividend.
fn ulong_parts(a: ulong, b: ulong) -> vec4<u32> {
  if b.x == 0u && b.y == 0u { return vec4<u32>(0xffffffffu, 0xffffffffu, a.x, a.y); }
  if a.y == 0u && b.y == 0u { return vec4<u32>(a.x / b.x, 0u, a.x % b.x, 0u); }
  var q = ulong(0u, 0u);
  var r = ulong(0u, 0u);
  for (var i = 63; i >= 0; i--) {
    let word = select(a.x, a.y, i >= 32);
    let carry = r.y >> 31u;
    r = ulong((r.x << 1u) | ((word >> (u32(i) & 31u)) & 1u), (r.y << 1u) | (r.x >> 31u));
    if carry != 0u || !ulong_lt(r, b) {
      r = ulong_sub(r, b);
      let bit = 1u << (u32(i) & 31u);
      q = select(ulong(q.x | bit, q.y), ulong(q.x, q.y | bit), i >= 32);
    }
  }
  return vec4<u32>(q, r);
}
//# div_ulong: ulong_parts
fn div_ulong(a: ulong, b: ulong) -> ulong { return ulong_parts(a, b).xy; }
//# rem_ulong: ulong_parts
fn rem_ulong(a: ulong, b: ulong) -> ulong { return ulong_parts(a, b).zw; }
//# abs_long: long_neg
fn abs_long(a: long) -> long {
  if a.y >= 0x80000000u { return long_neg(a); }
  return a;
}
//# div_long: ulong_parts abs_long long_neg
fn div_long(a: long, b: long) -> long {
  if b.x == 0u && b.y == 0u { return long(0xffffffffu, 0xffffffffu); }
  let q = ulong_parts(abs_long(a), abs_long(b)).xy;
  if ((a.y ^ b.y) & 0x80000000u) != 0u { return long_neg(q); }
  return q;
}
//# rem_long: ulong_parts abs_long long_neg
fn rem_long(a: long, b: long) -> long {
  if b.x == 0u && b.y == 0u { return a; }
  let r = ulong_parts(abs_long(a), abs_long(b)).zw;
  if a.y >= 0x80000000u { return long_neg(r); }
  return r;
}
//# pow_ulong: ulong_mul ulong_shr
fn pow_ulong(x: ulong, n: ulong) -> ulong {
  var r = ulong(1u, 0u);
  var base = x;
  var e = n;
  while e.x != 0u || e.y != 0u {
    if (e.x & 1u) != 0u { r = ulong_mul(r, base); }
    base = ulong_mul(base, base);
    e = ulong_shr(e, 1u);
  }
  return r;
}
//# pow_long: pow_ulong
fn pow_long(x: long, n: long) -> long {
  if n.y < 0x80000000u { return pow_ulong(x, n); }
  if x.x == 1u && x.y == 0u { return x; }
  if x.x == 0xffffffffu && x.y == 0xffffffffu { return select(long(1u, 0u), x, (n.x & 1u) != 0u); }
  return long(0u, 0u);
}
//# mulhi_ulong: ulong_add mulhi_u32
fn mulhi_ulong(a: ulong, b: ulong) -> ulong {
  let low = mulhi_u32(a.x, b.x);
  let m = ulong_add(ulong(a.y * b.x, mulhi_u32(a.y, b.x)), ulong(low, 0u));
  let n = ulong_add(ulong(a.x * b.y, mulhi_u32(a.x, b.y)), ulong(m.x, 0u));
  return ulong_add(ulong_add(ulong(a.y * b.y, mulhi_u32(a.y, b.y)), ulong(m.y, 0u)), ulong(n.y, 0u));
}
//# mulhi_long: mulhi_ulong ulong_sub
fn mulhi_long(a: long, b: long) -> long {
  var high = mulhi_ulong(a, b);
  if a.y >= 0x80000000u { high = ulong_sub(high, b); }
  if b.y >= 0x80000000u { high = ulong_sub(high, a); }
  return high;
}
//# sign_long
fn sign_long(a: long) -> long {
  if a.y >= 0x80000000u { return long(0xffffffffu, 0xffffffffu); }
  return long(select(0u, 1u, (a.x | a.y) != 0u), 0u);
}
//# c32_mul: hold
fn c32_mul(a: c32, b: c32) -> c32 {
  return c32(hold(a.x * b.x) - hold(a.y * b.y), hold(a.x * b.y) + hold(a.y * b.x));
}
//# c32_abs: is_nan is_finite
// Scaled, so that no square overflows.
fn c32_abs(z: c32) -> f32 {
  let a = abs(z.x);
  let b = abs(z.y);
  if (is_nan(a) || is_nan(b)) && is_finite(select(a, b, is_nan(a))) { return select(b, a, is_nan(a)); }
  let most = max(a, b);
  if !is_finite(a) || !is_finite(b) { return bitcast<f32>(0x7f800000u | p.zero); }
  if most == 0.0 { return 0.0; }
  let x = a / most;
  let y = b / most;
  return most * sqrt(x * x + y * y);
}
//# c32_div: is_finite
// R. L. Smith, CACM 5 (1962) 435.
fn c32_div(a: c32, b: c32) -> c32 {
  if abs(b.x) >= abs(b.y) {
    if b.x == 0.0 && b.y == 0.0 { return c32(a.x / b.x, a.y / b.x); }
    let r = b.y / b.x;
    let d = b.x + b.y * r;
    return c32((a.x + a.y * r) / d, (a.y - a.x * r) / d);
  }
  let r = b.x / b.y;
  let d = b.x * r + b.y;
  return c32((a.x * r + a.y) / d, (a.y * r - a.x) / d);
}
//# index_i32
// An index of 32 bits: what has none is one that is as far outside.
fn index_i32(i: i32) -> i32 { return i; }
//# index_u32
fn index_u32(i: u32) -> i32 { return i32(min(i, 0x7fffffffu)); }
//# index_ulong
fn index_ulong(i: ulong) -> i32 { return i32(select(min(i.x, 0x7fffffffu), 0x7fffffffu, i.y != 0u)); }
//# index_long: index_ulong
fn index_long(i: long) -> i32 { return select(index_ulong(i), -1, i.y >= 0x80000000u); }
