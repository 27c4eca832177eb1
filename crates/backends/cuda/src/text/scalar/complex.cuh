//# pairs
// Functions of c32 are those of c64, rounded once.
__device__ inline c64 widen(c32 z) { return c64{(f64)z.re, (f64)z.im}; }
__device__ inline c32 narrow(c64 z) { return c32{(f32)z.re, (f32)z.im}; }
__device__ inline c64 scaled(c64 z, f64 k) { return c64{z.re * k, z.im * k}; }
// A power of two, -1022 <= e <= 1023.
__device__ inline f64 power_of_2(int e) { return f64_from((u64)(1023 + e) << 52); }
__device__ inline int within(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
// The exponent of a finite x that is not 0, such that its power of two and the inverse are normal.
__device__ inline int exponent_of(f64 x) { return within((int)(f64_bits(x) >> 52 & 0x7ff) - 1023, -1022, 1022); }
// The larger modulus of the parts; that of the other one where a part is NaN.
__device__ inline f64 largest_part(c64 z) {
  const f64 a = fabs(z.re), b = fabs(z.im);
  return a != a ? b : b != b ? a : a > b ? a : b;
}
//# modulus: pairs
// |z|, without overflow before the result does.
__device__ inline f64 modulus(c64 z) {
  const f64 a = fabs(z.re), b = fabs(z.im);
  // Scaled by the exponent of the larger part.
  const u64 field = f64_bits(a > b ? a : b) >> 52;
  const u64 e = field < 1 ? 1 : field > 2045 ? 2045 : field;
  const f64 down = f64_from((2046 - e) << 52), u = a * down, v = b * down;
  const f64 r = sqrt(u * u + v * v) * f64_from(e << 52);
  const f64 infinity = f64_from(0x7ff0000000000000ull);
  return a == infinity || b == infinity ? infinity : r;
}
__device__ inline f32 modulus(c32 z) {
  // In f64 no square overflows or vanishes.
  const f64 a = z.re, b = z.im;
  const f32 r = (f32)sqrt(a * a + b * b);
  const f64 infinity = f64_from(0x7ff0000000000000ull);
  return fabs(a) == infinity || fabs(b) == infinity ? (f32)infinity : r;
}
//# complex_sign: numbers pairs modulus
// z / |z|; 0 at 0.
__device__ inline c64 complex_sign(c64 z) {
  const f64 m = largest_part(z);
  if (m == 0.0) return z;
  if (!is_finite(m)) {
    const f64 r = modulus(z);
    return c64{z.re / r, z.im / r};
  }
  c64 w = scaled(z, power_of_2(-exponent_of(m)));
  // A subnormal z is still far from 1 after one scaling.
  if (largest_part(w) < 1.0) w = scaled(w, power_of_2(60));
  const f64 r = modulus(w);
  return c64{w.re / r, w.im / r};
}
//# complex_div: numbers twofold pairs
// a b + c d with the errors of the products put back.
__device__ inline f64 dot(f64 a, f64 b, f64 c, f64 d) {
  const Twofold p = two_prod(a, b), q = two_prod(c, d);
  return p.hi + q.hi + (p.lo + q.lo);
}
// Zeros and infinities as ISO C Annex G.5.1.
__device__ inline c64 complex_div_special(c64 a, c64 b) {
  const f64 infinity = infinity_f64();
  const bool nan_a = a.re != a.re && a.im != a.im, nan_b = b.re != b.re && b.im != b.im;
  const bool finite_a = is_finite(a.re) && is_finite(a.im), finite_b = is_finite(b.re) && is_finite(b.im);
  const f64 ar = copysign(is_infinite(a.re) ? 1.0 : 0.0, a.re), ai = copysign(is_infinite(a.im) ? 1.0 : 0.0, a.im);
  const f64 br = copysign(is_infinite(b.re) ? 1.0 : 0.0, b.re), bi = copysign(is_infinite(b.im) ? 1.0 : 0.0, b.im);
  if (b.re == 0.0 && b.im == 0.0 && !nan_a) {
    const f64 f = copysign(infinity, b.re);
    return c64{f * a.re, f * a.im};
  }
  if ((is_infinite(a.re) || is_infinite(a.im)) && finite_b)
    return c64{infinity * (ar * b.re + ai * b.im), infinity * (ai * b.re - ar * b.im)};
  if ((is_infinite(b.re) || is_infinite(b.im)) && !nan_b && finite_a)
    return c64{0.0 * (a.re * br + a.im * bi), 0.0 * (a.im * br - a.re * bi)};
  if (a.re == 0.0 && a.im == 0.0 && finite_b) return c64{ar * b.re + ai * b.im, ai * b.re - ar * b.im};
  return c64{nan_f64(), nan_f64()};
}
// Both are scaled to exponent 0 first, so that nothing overflows before the quotient does.
__device__ inline c64 complex_div(c64 a, c64 b) {
  const f64 ma = largest_part(a), mb = largest_part(b);
  if (!is_finite(ma) || !is_finite(mb) || ma == 0.0 || mb == 0.0 || a != a || b != b) return complex_div_special(a, b);
  const int ea = exponent_of(ma), eb = exponent_of(mb);
  const c64 u = scaled(a, power_of_2(-ea));
  c64 v = scaled(b, power_of_2(-eb));
  int e = ea - eb;
  if (largest_part(v) < 1.0) {
    v = scaled(v, power_of_2(60));
    e += 60;
  }
  const f64 d = v.re * v.re + v.im * v.im;
  const c64 q{dot(u.re, v.re, u.im, v.im) / d, dot(u.im, v.re, -u.re, v.im) / d};
  // |e| is at most 2104, so that either half is a normal power of two.
  const int half = e / 2;
  return scaled(scaled(q, power_of_2(within(half, -1022, 1023))), power_of_2(within(e - half, -1022, 1023)));
}
//# exp_times: numbers pairs exp_f64
// e^x (p + iq) for |p|, |q| <= 1, finite whenever the product is.
__device__ inline c64 exp_times(f64 x, f64 p, f64 q) {
  if (x <= 700.0) {
    const f64 e = exp_f64(x);
    return c64{e * p, e * q};
  }
  const f64 e = exp_f64(x - 700.0), k = exp_f64(700.0);
  return c64{e * p * k, e * q * k};
}
//# complex_exp: exp_times sin_f64 cos_f64
__device__ inline c64 complex_exp(c64 z) {
  const f64 x = z.re, y = z.im, infinity = infinity_f64();
  if (y == 0.0) return c64{exp_f64(x), y};
  if (x == -infinity) return is_finite(y) ? c64{0.0 * cos_f64(y), 0.0 * sin_f64(y)} : c64{0.0, 0.0};
  if (!is_finite(y)) return c64{x == infinity ? x : nan_f64(), nan_f64()};
  if (x == infinity) return c64{x * cos_f64(y), x * sin_f64(y)};
  return exp_times(x, cos_f64(y), sin_f64(y));
}
//# turns: numbers twofold high sin_f64 cos_f64
// Sine and cosine.
struct Rotation { f64 s, c; };
// Of an angle whose second part may be as large as the rounding of the first.
__device__ inline Rotation rotation(Twofold angle) {
  const f64 s = sin_f64(angle.hi), c = cos_f64(angle.hi), t = sin_f64(angle.lo), d = cos_f64(angle.lo);
  return Rotation{s * d + c * t, c * d - s * t};
}
// After n more quarter turns.
__device__ inline Rotation turned(u32 n, Rotation r) {
  return n == 0 ? r : n == 1 ? Rotation{r.c, -r.s} : n == 2 ? Rotation{-r.s, -r.c} : Rotation{-r.c, r.s};
}
struct Quarters { u32 n; Twofold rest; };
// A two's complement number of 128 bits with so many binary places.
__device__ inline Twofold from_places(u64 high, u64 low, int places) {
  const bool minus = high >> 63;
  if (minus) {
    low = 0 - low;
    high = ~high + (low == 0);
  }
  const u32 words[4] = {(u32)(high >> 32), (u32)high, (u32)(low >> 32), (u32)low};
  Twofold r{0.0, 0.0};
  for (int i = 0; i < 4; i++) r = r + Twofold{words[i] * f64_from((u64)(1023 + 96 - 32 * i - places) << 52), 0.0};
  return minus ? -r : r;
}
// So many quarter turns, with 126 binary places and modulo 4: n of them, and an angle of at most an eighth of a turn.
__device__ inline Quarters nearest_quarter(u64 high, u64 low) {
  const u64 n = (high + (1ull << 61)) >> 62;
  const Twofold quarter{1.5707963267948966, 6.123233995736766e-17};
  return Quarters{(u32)(n & 3), from_places(high - (n << 62), low, 126) * quarter};
}
//# complex_exp2: numbers pairs turns complex_exp exp2_f64
// The first binary digits of 2 ln 2 / pi.
__device__ const u64 TWO_LN_2_OVER_PI[19] = {
  0x70f7263dfa5a6eecull, 0xb608582e55fef3ddull, 0x8e13becd1d495c36ull, 0x1d72013aea9f8fcaull, 0x76e866fc9b48be48ull,
  0x15f5cb6fd8bee211ull, 0x0394db3020d6eb52ull, 0x30ffa9ae90cbc735ull, 0x51358ced67c0db3cull, 0x490d15bdd91a29f5ull,
  0x682402af5e8f9c23ull, 0xbff15cbc71f05fedull, 0xfe0bb0622a8c8f67ull, 0x7309c45a7502282aull, 0xead0c2435c5527bbull,
  0x759f345e2d0628e8ull, 0xb1a563a253e62918ull, 0xea5ffdabeac0d479ull, 0xcfedb1b6fc78b439ull
};
// 64 binary digits of it from digit `first` on; 1 is the first after the point.
__device__ inline u64 digits_from(int first) {
  const int i = (first - 1 + 1280) / 64 - 20, k = (first - 1 + 1280) % 64;
  const u64 a = i >= 0 && i < 19 ? TWO_LN_2_OVER_PI[i] : 0, b = i + 1 >= 0 && i + 1 < 19 ? TWO_LN_2_OVER_PI[i + 1] : 0;
  return k == 0 ? a : a << k | b >> (64 - k);
}
// y ln 2 for y >= 1 as quarter turns and a rest: M. H. Payne and R. N. Hanek, ACM SIGNUM Newsletter 18 (1983) 19-24.
__device__ inline Quarters quarters(f64 y) {
  const int e = (int)(f64_bits(y) >> 52) - 1075;
  const u64 m = (f64_bits(y) & 0xfffffffffffffull) | 1ull << 52;
  u64 product[3], carry = 0;
  for (int k = 2; k >= 0; k--) {
    const u64 d = digits_from(e - 1 + 64 * k), low = m * d;
    product[k] = low + carry;
    carry = high(m, d) + (product[k] < low);
  }
  return nearest_quarter(product[0], product[1]);
}
__device__ inline c64 complex_exp2(c64 z) {
  if (z.im == 0.0) return c64{exp2_f64(z.re), z.im};
  if (!is_finite(z.re) || !is_finite(z.im)) return complex_exp(z);
  // The angle needs more digits than one product has: its error is absolute.
  const f64 y = fabs(z.im);
  const Twofold ln2{0.6931471805599453, 2.3190468138462996e-17};
  const Quarters q = y < 1.0 ? Quarters{0, Twofold{y, 0.0} * ln2} : quarters(y);
  const Rotation t = turned(q.n, rotation(q.rest));
  const f64 s = copysign(1.0, z.im) * t.s;
  if (z.re <= 1000.0) {
    const f64 r = exp2_f64(z.re);
    return c64{r * t.c, r * s};
  }
  const f64 r = exp2_f64(z.re - 1000.0), k = power_of_2(1000);
  return c64{r * t.c * k, r * s * k};
}
//# complex_expm1: numbers complex_exp expm1_f64
// Accurate near 0.
__device__ inline c64 complex_expm1(c64 z) {
  const f64 x = z.re, y = z.im;
  if (y == 0.0) return c64{expm1_f64(x), y};
  if (!is_finite(x) || !is_finite(y) || x > 50.0) {
    const c64 e = complex_exp(z);
    return c64{e.re - 1.0, e.im};
  }
  const f64 h = sin_f64(0.5 * y);
  return c64{expm1_f64(x) * cos_f64(y) - 2.0 * h * h, exp_f64(x) * sin_f64(y)};
}
//# ln_abs: numbers twofold modulus log_f64 log1p_f64
// k + a^2 + b^2 as if in twice the precision.
__device__ inline f64 sum_squares(f64 k, f64 a, f64 b) {
  const Twofold p = two_prod(a, a), q = two_prod(b, b), s = two_sum(p.hi, k), t = two_sum(s.hi, q.hi);
  return t.hi + (s.lo + t.lo + p.lo + q.lo);
}
// ln |x + iy|, accurate where |x + iy| is near 1.
__device__ inline f64 ln_abs(f64 x, f64 y) {
  const f64 ln2 = 0.6931471805599453;
  x = fabs(x);
  y = fabs(y);
  if (is_infinite(x) || is_infinite(y)) return infinity_f64();
  const f64 a = x > y ? x : y, b = x > y ? y : x;
  if (a > 1e300) return log_f64(modulus(c64{a * power_of_2(-10), b * power_of_2(-10)})) + 10.0 * ln2;
  if (a < 1e-290 && a > 0.0) return log_f64(modulus(c64{a * power_of_2(100), b * power_of_2(100)})) - 100.0 * ln2;
  const f64 r2 = a * a + b * b;
  return r2 >= 0.4 && r2 < 2.5 ? 0.5 * log1p_f64(sum_squares(-1.0, a, b)) : log_f64(modulus(c64{a, b}));
}
//# complex_log: ln_abs atan2_f64
// Cut along the negative real axis.
__device__ inline c64 complex_log(c64 z) { return c64{ln_abs(z.re, z.im), atan2_f64(z.im, z.re)}; }
//# complex_log1p: ln_abs atan2_f64
__device__ inline c64 complex_log1p(c64 z) {
  const f64 im = atan2_f64(z.im, 1.0 + z.re);
  if (largest_part(z) < 2.0) {
    const f64 s = sum_squares(2.0 * z.re, z.re, z.im);
    if (s >= -0.6 && s < 1.5) return c64{0.5 * log1p_f64(s), im};
  }
  return c64{ln_abs(1.0 + z.re, z.im), im};
}
//# complex_sqrt: numbers modulus
// With a real part that is not negative.
__device__ inline c64 complex_sqrt(c64 z) {
  f64 x = z.re, y = z.im, back = 1.0, scale = 1.0;
  if (x == 0.0 && y == 0.0) return c64{0.0, y};
  if (is_infinite(y)) return c64{infinity_f64(), y};
  if (x != x || (y != y && is_finite(x))) return c64{nan_f64(), nan_f64()};
  if (is_infinite(x)) return x < 0.0 ? c64{fabs(0.0 * y), copysign(fabs(x), y)} : c64{x, copysign(0.0 * y, y)};
  const f64 m = largest_part(z);
  if (m > 1e300) {
    scale = power_of_2(-4);
    back = 4.0;
  } else if (m < 1e-290) {
    scale = power_of_2(108);
    back = power_of_2(-54);
  }
  x *= scale;
  y *= scale;
  const f64 t = sqrt(0.5 * (fabs(x) + modulus(c64{x, y}))), other = fabs(y) / (2.0 * t);
  return x >= 0.0 ? c64{t * back, copysign(other, y) * back} : c64{other * back, copysign(t, y) * back};
}
//# complex_rsqrt: complex_div complex_sqrt
__device__ inline c64 complex_rsqrt(c64 z) { return complex_div(c64{1.0, 0.0}, complex_sqrt(z)); }
//# complex_cbrt: modulus cbrt_f64 atan2_f64 sin_f64 cos_f64
// The one of a third of the angle.
__device__ inline c64 complex_cbrt(c64 z) {
  if (z.im == 0.0 && z.re >= 0.0) return c64{cbrt_f64(z.re), z.im};
  const f64 m = largest_part(z);
  if (m == 0.0) return z;
  const bool large = m > 1e300;
  const f64 r = cbrt_f64(modulus(scaled(z, large ? power_of_2(-6) : 1.0))) * (large ? 4.0 : 1.0);
  const f64 angle = atan2_f64(z.im, z.re) / 3.0;
  return c64{r * cos_f64(angle), r * sin_f64(angle)};
}
//# complex_sinh: exp_times sinh_f64 cosh_f64 sin_f64 cos_f64
__device__ inline c64 complex_sinh(c64 z) {
  const f64 x = z.re, y = z.im;
  if (y == 0.0) return c64{sinh_f64(x), y};
  if (!is_finite(y)) return c64{x == 0.0 || is_infinite(x) ? x : nan_f64(), nan_f64()};
  const f64 s = sin_f64(y), c = cos_f64(y);
  if (is_infinite(x)) return c64{x * c, fabs(x) * s};
  if (fabs(x) <= 700.0 || x != x) return c64{sinh_f64(x) * c, cosh_f64(x) * s};
  const c64 r = exp_times(fabs(x), 0.5 * c, 0.5 * s);
  return c64{r.re * copysign(1.0, x), r.im};
}
//# complex_cosh: exp_times sinh_f64 cosh_f64 sin_f64 cos_f64
__device__ inline c64 complex_cosh(c64 z) {
  const f64 x = z.re, y = z.im;
  if (y == 0.0) {
    const f64 im = x != x ? copysign(0.0, x) * copysign(1.0, y) : is_finite(x) ? copysign(1.0, x) * y
                                                                            : copysign(0.0, x) * copysign(1.0, y);
    return c64{cosh_f64(x), im};
  }
  if (!is_finite(y)) return x == 0.0 ? c64{nan_f64(), x} : c64{is_infinite(x) ? infinity_f64() : nan_f64(), nan_f64()};
  const f64 s = sin_f64(y), c = cos_f64(y);
  if (is_infinite(x)) return c64{fabs(x) * c, x * s};
  if (fabs(x) <= 700.0 || x != x) return c64{cosh_f64(x) * c, sinh_f64(x) * s};
  const c64 r = exp_times(fabs(x), 0.5 * c, 0.5 * s);
  return c64{r.re, r.im * copysign(1.0, x)};
}
//# complex_tanh: numbers exp_f64 tanh_f64 sinh_f64 cosh_f64 sin_f64 cos_f64
// W. Kahan, "Branch cuts for complex elementary functions" (1987), with sine and cosine in place of the tangent.
__device__ inline c64 complex_tanh(c64 z) {
  const f64 x = z.re, y = z.im, a = fabs(x);
  if (y == 0.0) return c64{tanh_f64(x), y};
  if (!is_finite(y))
    return is_infinite(x) ? c64{copysign(1.0, x), copysign(0.0, y)} : c64{x == 0.0 ? x : nan_f64(), nan_f64()};
  if (a > 22.0) {
    const f64 e = exp_f64(-a);
    return c64{copysign(1.0, x), 2.0 * sin_f64(2.0 * y) * e * e};
  }
  // Twice a y near the largest double is no double: then sin 2y = 2 sin y cos y.
  const bool small = fabs(y) < 1e300;
  const f64 s = sin_f64(y), c = cos_f64(y);
  const f64 s2 = small ? sin_f64(2.0 * y) : 2.0 * s * c, c2 = small ? cos_f64(2.0 * y) : 1.0 - 2.0 * s * s;
  if (a > 0.5) {
    // One exponential in numerator and denominator: its error cancels.
    const f64 e = exp_f64(2.0 * a), d = e + 1.0 / e + 2.0 * c2;
    return c64{copysign((e - 1.0 / e) / d, x), 2.0 * s2 / d};
  }
  const f64 h = sinh_f64(x);
  const f64 d = c2 >= 0.0 ? cosh_f64(2.0 * x) + c2 : 2.0 * (h * h + c * c);
  return c64{sinh_f64(2.0 * x) / d, s2 / d};
}
//# complex_sin: complex_sinh
__device__ inline c64 complex_sin(c64 z) {
  const c64 w = complex_sinh(c64{-z.im, z.re});
  return c64{w.im, -w.re};
}
//# complex_cos: complex_cosh
__device__ inline c64 complex_cos(c64 z) { return complex_cosh(c64{-z.im, z.re}); }
//# complex_tan: complex_tanh
__device__ inline c64 complex_tan(c64 z) {
  const c64 w = complex_tanh(c64{-z.im, z.re});
  return c64{w.im, -w.re};
}
//# complex_logistic: complex_div exp_f64 expm1_f64 sin_f64 cos_f64
// Accurate next to its poles.
__device__ inline c64 complex_logistic(c64 z) {
  const f64 x = z.re, y = z.im, s = sin_f64(y), c = cos_f64(y);
  const c64 one{1.0, 0.0};
  if (fabs(x) < 30.0) {
    // 1 + e^-x cos y, in a form that keeps the digits where it is near 0.
    const f64 h = cos_f64(0.5 * y), e = exp_f64(-x);
    const f64 d = c < 0.0 ? 2.0 * h * h + expm1_f64(-x) * c : 1.0 + e * c;
    return complex_div(one, c64{d, -e * s});
  }
  const f64 e = exp_f64(-fabs(x)), d = 1.0 + e * c;
  return x >= 0.0 ? complex_div(one, c64{d, -e * s}) : complex_div(c64{e * c, e * s}, c64{d, e * s});
}
//# arcs: numbers modulus log_f64 log1p_f64 asin_f64 acos_f64 atan_f64
// T. E. Hull, T. F. Fairgrieve, P. T. P. Tang, ACM TOMS 23 (1997) 299-335. Of x + iy for finite x, y >= 0: the real parts of
// arcsine and arccosine, and the modulus of their imaginary parts.
struct Arcs { f64 sine, cosine, im; };
__device__ inline f64 length(f64 a, f64 b) { return modulus(c64{a, b}); }
__device__ inline f64 imag_safe(f64 x, f64 yy, f64 a, f64 r, f64 s) {
  if (a > 1.5) return log_f64(a + sqrt(a * a - 1.0));
  const f64 xp1 = x + 1.0, xm1 = x - 1.0;
  const f64 am1 = x < 1.0 ? 0.5 * (yy / (r + xp1) + yy / (s - xm1)) : 0.5 * (yy / (r + xp1) + (s + xm1));
  return log1p_f64(am1 + sqrt(am1 * (a + 1.0)));
}
__device__ inline Arcs arcs(f64 x, f64 y) {
  const f64 largest_safe = 8.379879956214127e152, least_safe = 5.966672584960166e-154, epsilon = 2.220446049250313e-16;
  const f64 half_pi = 1.5707963267948966, ln2 = 0.6931471805599453;
  const f64 xp1 = x + 1.0, xm1 = x - 1.0;
  if (x >= least_safe && x < largest_safe && y >= least_safe && y < largest_safe) {
    const f64 yy = y * y, r = length(xp1, y), s = length(xm1, y), a = 0.5 * (r + s), b = x / a;
    const f64 im = imag_safe(x, yy, a, r, s);
    if (b <= 0.6417) return Arcs{asin_f64(b), acos_f64(b), im};
    const f64 apx = a + x;
    const f64 t = x <= 1.0 ? sqrt(0.5 * apx * (yy / (r + xp1) + (s - xm1)))
                           : y * sqrt(0.5 * (apx / (r + xp1) + apx / (s + xm1)));
    return Arcs{atan_f64(x / t), atan_f64(t / x), im};
  }
  if (y <= epsilon * fabs(xm1)) {
    if (x < 1.0) return Arcs{asin_f64(x), acos_f64(x), y / sqrt(xp1 * (1.0 - x))};
    const f64 im = 1.7976931348623157e308 / xp1 > xm1 ? log1p_f64(xm1 + sqrt(xp1 * xm1)) : ln2 + log_f64(x);
    const f64 re = x > 1.0 && y > 0.0 ? y / (sqrt(xp1) * sqrt(xm1)) : 0.0;
    return Arcs{half_pi - re, re, im};
  }
  // |x - 1| is below y / epsilon, hence 0.
  if (y <= least_safe) return Arcs{half_pi - sqrt(y), sqrt(y), sqrt(y)};
  if (epsilon * y - 1.0 >= x) return Arcs{x / y, half_pi, ln2 + log_f64(y)};
  if (x > 1.0) {
    const f64 q = x / y;
    return Arcs{atan_f64(q), atan_f64(y / x), ln2 + log_f64(y) + 0.5 * log1p_f64(q * q)};
  }
  const f64 a = length(y, 1.0);
  return Arcs{x / a, half_pi - x / a, 0.5 * log1p_f64(2.0 * y * (y + a))};
}
//# complex_asin: arcs
// Cut along the real axis beyond -1 and 1.
__device__ inline c64 complex_asin(c64 z) {
  const f64 x = fabs(z.re), y = fabs(z.im);
  f64 re, im;
  if (is_finite(x) && is_finite(y)) {
    const Arcs a = arcs(x, y);
    re = a.sine;
    im = a.im;
  } else if (x != x) {
    re = nan_f64();
    im = is_infinite(y) ? y : nan_f64();
  } else if (is_infinite(x)) {
    re = y != y ? y : is_infinite(y) ? 0.7853981633974483 : 1.5707963267948966;
    im = x;
  } else {
    re = y != y && x != 0.0 ? nan_f64() : 0.0;
    im = y;
  }
  return c64{copysign(re, z.re), copysign(im, z.im)};
}
//# complex_acos: arcs
// Cut along the real axis beyond -1 and 1.
__device__ inline c64 complex_acos(c64 z) {
  const f64 x = fabs(z.re), y = fabs(z.im), half_pi = 1.5707963267948966;
  f64 re, im;
  if (is_finite(x) && is_finite(y)) {
    const Arcs a = arcs(x, y);
    re = a.cosine;
    im = a.im;
  } else if (x != x) {
    re = nan_f64();
    im = is_infinite(y) ? y : nan_f64();
  } else if (is_infinite(x)) {
    re = y != y ? y : is_infinite(y) ? 0.7853981633974483 : 0.0;
    im = x;
  } else {
    re = y != y && x != 0.0 ? nan_f64() : half_pi;
    im = y;
  }
  if (f64_bits(z.re) >> 63) re = 3.141592653589793 - re;
  return c64{re, z.im == z.im && f64_bits(z.im) >> 63 ? fabs(im) : -fabs(im)};
}
//# complex_asinh: complex_asin
__device__ inline c64 complex_asinh(c64 z) {
  const c64 w = complex_asin(c64{-z.im, z.re});
  return c64{w.im, -w.re};
}
//# complex_acosh: complex_acos
// With a real part that is not negative.
__device__ inline c64 complex_acosh(c64 z) {
  const c64 w = complex_acos(z);
  return f64_bits(z.im) >> 63 ? c64{w.im, -w.re} : c64{-w.im, w.re};
}
//# complex_atanh: numbers modulus log_f64 log1p_f64 atan2_f64
// Cut along the real axis beyond -1 and 1.
__device__ inline c64 complex_atanh(c64 z) {
  const f64 x = fabs(z.re), y = fabs(z.im), ln2 = 0.6931471805599453, half_pi = 1.5707963267948966;
  f64 re, im;
  if (is_infinite(x) || is_infinite(y)) {
    re = 0.0;
    im = x != x || (y != y && !is_infinite(x)) ? nan_f64() : half_pi;
  } else if (x != x || y != y) {
    re = x == 0.0 ? 0.0 : nan_f64();
    im = nan_f64();
  } else if (x > 1e150 || y > 1e150) {
    const f64 u = 0.5 * x, h = modulus(c64{u, 0.5 * y});
    re = 0.5 * (u / h) / h;
    im = half_pi;
  } else if (x == 1.0 && y == 0.0) {
    // At the poles themselves C99 has the imaginary part 0 (G.6.2.3), though its limit along the cut is pi / 4.
    re = infinity_f64();
    im = 0.0;
  } else if (x == 1.0 && y < 1e-150) {
    re = 0.5 * (ln2 - log_f64(y));
    im = 0.7853981633974483;
  } else {
    const f64 m = 1.0 - x;
    re = 0.25 * log1p_f64(4.0 * x / (m * m + y * y));
    im = 0.5 * atan2_f64(2.0 * y, m * (1.0 + x) - y * y);
  }
  return c64{copysign(re, z.re), copysign(im, z.im)};
}
//# complex_atan: complex_atanh
// Cut along the imaginary axis beyond -i and i.
__device__ inline c64 complex_atan(c64 z) {
  const c64 w = complex_atanh(c64{-z.im, z.re});
  return c64{w.im, -w.re};
}
//# twofold_log: twofold pairs
// What is long and rarely called is compiled once and not wherever it is called: that takes seconds.
// A complex number of such pairs.
struct Pair { Twofold re, im; };
__device__ inline Pair operator*(Pair a, Pair b) { return Pair{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
// e^(x + iy) for |x| < 1, |y| < 4: the Taylor series of a 256th, squared eight times.
static __device__ __noinline__ Pair exp_small(Twofold x, f64 y) {
  const Pair z{Twofold{x.hi / 256.0, x.lo / 256.0}, Twofold{y / 256.0, 0.0}};
  const Twofold one{1.0, 0.0};
  Pair sum{one, Twofold{0.0, 0.0}};
  for (int k = 14; k >= 1; k--) {
    const Pair t = sum * z;
    const Twofold d{(f64)k, 0.0};
    sum = Pair{one + t.re / d, t.im / d};
  }
  for (int i = 0; i < 8; i++) sum = sum * sum;
  return sum;
}
// ln z for finite z that is not 0 with twice the digits, given ln z in one: a Newton step, l + (z e^-l - 1).
static __device__ __noinline__ Pair twofold_log(c64 z, c64 l) {
  const f64 k = round(l.re / 0.6931471805599453);
  const Twofold one{1.0, 0.0}, ln2{0.6931471805599453, 2.3190468138462996e-17};
  const Twofold x = Twofold{l.re, 0.0} - ln2 * Twofold{k, 0.0};
  const Pair e = exp_small(-x, -l.im);
  // Two steps, because 2^-k alone may not be a normal number.
  const int n = (int)k, h = n / 2;
  const c64 u = scaled(scaled(z, power_of_2(-h)), power_of_2(h - n));
  const Pair w = Pair{Twofold{u.re, 0.0}, Twofold{u.im, 0.0}} * e;
  return Pair{two_sum(l.re, value(w.re - one)), two_sum(l.im, value(w.im))};
}
//# large_powers: numbers turns high
// Powers whose exponent is so large that a logarithm with twice the digits of a double is too short: fixed point numbers of up
// to 20 words. The first binary digits of ln 2 and of 2 / pi:
__device__ const u64 LN_2[19] = {
  0xb17217f7d1cf79abull, 0xc9e3b39803f2f6afull, 0x40f343267298b62dull, 0x8a0d175b8baafa2bull, 0xe7b876206debac98ull,
  0x559552fb4afa1b10ull, 0xed2eae35c1382144ull, 0x27573b291169b825ull, 0x3e96ca16224ae8c5ull, 0x1acbda11317c387eull,
  0xb9ea9bc3b136603bull, 0x256fa0ec7657f74bull, 0x72ce87b19d6548caull, 0xf5dfa6bd38303248ull, 0x655fa1872f20e3a2ull,
  0xda2d97c50f3fd5c6ull, 0x07f4ca11fb5bfb90ull, 0x610d30f88fe551a2ull, 0xee569d6dfc1efa15ull
};
__device__ const u64 TWO_OVER_PI[19] = {
  0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull,
  0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull,
  0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
  0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull
};
// A sign and n words, the first before the point. Results are cut off, by less than a unit of the last word.
struct Fixed {
  int n;
  bool minus;
  u64 w[20];
};
__device__ inline Fixed fixed(int n, u64 first) {
  Fixed r;
  r.n = n;
  r.minus = false;
  for (int i = 0; i < 20; i++) r.w[i] = 0;
  r.w[0] = first;
  return r;
}
__device__ inline Fixed fraction(int n, const u64 (&digits)[19]) {
  Fixed r = fixed(n, 0);
  for (int i = 1; i < n; i++) r.w[i] = digits[i - 1];
  return r;
}
// |x| = m 2^e.
__device__ inline u64 whole_part(f64 x) {
  const u64 b = f64_bits(x), f = b & 0xfffffffffffffull;
  return (b >> 52 & 0x7ff) == 0 ? f : f | 1ull << 52;
}
__device__ inline int exponent_part(f64 x) {
  const int e = (int)(f64_bits(x) >> 52 & 0x7ff);
  return e == 0 ? -1074 : e - 1075;
}
// 64 bits of a number of so many words, the highest first, from bit `at` of its end on; zeros outside.
__device__ inline u64 window(const u64 *w, int words, int at) {
  const int i = (at + 64000) / 64 - 1000, k = (at + 64000) % 64, low = words - 1 - i, up = low - 1;
  const u64 a = low >= 0 && low < words ? w[low] : 0, b = up >= 0 && up < words ? w[up] : 0;
  return k == 0 ? a : a >> k | b << (64 - k);
}
// x 2^-k, below 2^64.
static __device__ __noinline__ Fixed fixed_scaled(int n, f64 x, int k) {
  Fixed r = fixed(n, 0);
  const u64 m = whole_part(x);
  // The lowest bit of m stands so far above the end.
  const int at = 64 * (n - 1) + exponent_part(x) - k;
  for (int i = 0; i < n; i++) r.w[n - 1 - i] = window(&m, 1, 64 * i - at);
  r.minus = x < 0.0;
  return r;
}
__device__ inline Fixed operator-(Fixed a) {
  a.minus = !a.minus;
  return a;
}
__device__ inline bool below(const Fixed &a, const Fixed &b) {
  for (int i = 0; i < a.n; i++)
    if (a.w[i] != b.w[i]) return a.w[i] < b.w[i];
  return false;
}
static __device__ __noinline__ Fixed operator+(const Fixed &x, const Fixed &y) {
  const bool swap = x.minus != y.minus && below(x, y);
  Fixed a = swap ? y : x;
  const Fixed &b = swap ? x : y;
  u64 carry = 0;
  for (int i = a.n - 1; i >= 0; i--) {
    const u64 p = a.w[i], q = b.w[i];
    if (a.minus == b.minus) {
      const u64 s = p + q;
      a.w[i] = s + carry;
      carry = (s < p) | (a.w[i] < s);
    } else {
      const u64 s = p - q;
      a.w[i] = s - carry;
      carry = (p < q) | (s < carry);
    }
  }
  return a;
}
static __device__ __noinline__ Fixed operator*(const Fixed &a, const Fixed &b) {
  const int n = a.n;
  u64 p[40];
  for (int i = 0; i < 40; i++) p[i] = 0;
  for (int i = n - 1; i >= 0; i--) {
    u64 carry = 0;
    for (int j = n - 1; j >= 0; j--) {
      const u64 low = a.w[i] * b.w[j], s = low + p[i + j + 1], t = s + carry;
      carry = high(a.w[i], b.w[j]) + (s < low) + (t < s);
      p[i + j + 1] = t;
    }
    p[i] = carry;
  }
  Fixed r = fixed(n, 0);
  for (int i = 0; i < n; i++) r.w[i] = p[i + 1];
  r.minus = a.minus != b.minus;
  return r;
}
// By at most 2^24.
static __device__ __noinline__ Fixed operator/(Fixed a, u32 d) {
  u64 rest = 0;
  for (int i = 0; i < a.n; i++) {
    const u64 up = rest << 32 | a.w[i] >> 32, low = (up % d) << 32 | (u32)a.w[i];
    a.w[i] = (up / d) << 32 | low / d;
    rest = low % d;
  }
  return a;
}
// Words of y times this with `places` binary places, in two's complement, the lowest first.
static __device__ __noinline__ void times(const Fixed &a, f64 y, int places, u64 *out, int words) {
  const u64 m = whole_part(y);
  u64 p[21], carry = 0;
  for (int i = a.n - 1; i >= 0; i--) {
    const u64 low = a.w[i] * m, s = low + carry;
    carry = high(a.w[i], m) + (s < low);
    p[i + 1] = s;
  }
  p[0] = carry;
  const int from = 64 * (a.n - 1) - places - exponent_part(y);
  const bool minus = a.minus != (y < 0.0);
  u64 more = minus;
  for (int i = 0; i < words; i++) {
    const u64 v = window(p, a.n + 1, from + 64 * i);
    out[i] = minus ? ~v + more : v;
    more = minus && more && v == 0;
  }
}
struct FixedPair { Fixed re, im; };
static __device__ __noinline__ FixedPair operator*(const FixedPair &a, const FixedPair &b) {
  return FixedPair{a.re * b.re + -(a.im * b.im), a.re * b.im + a.im * b.re};
}
// e^z for |z| < 4: the Taylor series at z / 2^24, squared 24 times.
static __device__ __noinline__ FixedPair fixed_exp(const FixedPair &z) {
  const int n = z.re.n;
  const Fixed one = fixed(n, 1);
  const FixedPair part{z.re / (1u << 24), z.im / (1u << 24)};
  FixedPair sum{one, fixed(n, 0)};
  // Each term is 22 bits below the one before it.
  for (int k = 64 * n / 22 + 1; k >= 1; k--) {
    const FixedPair t = sum * part;
    sum = FixedPair{t.re / (u32)k + one, t.im / (u32)k};
  }
  for (int i = 0; i < 24; i++) sum = sum * sum;
  return sum;
}
// ln z for finite z that is not 0, given it as a double: Newton's steps l + (z e^-l - 1), each of which doubles the digits.
static __device__ __noinline__ FixedPair fixed_log(int n, c64 z, c64 l) {
  const f64 ln2 = 0.6931471805599453, k = round(l.re / ln2);
  const FixedPair u{fixed_scaled(n, z.re, (int)k), fixed_scaled(n, z.im, (int)k)};
  FixedPair r{fixed_scaled(n, l.re - k * ln2, 0), fixed_scaled(n, l.im, 0)};
  for (int digits = 40; digits < 64 * n; digits *= 2) {
    const FixedPair e = u * fixed_exp(FixedPair{-r.re, -r.im});
    r = FixedPair{r.re + (e.re + -fixed(n, 1)), r.im + e.im};
  }
  Fixed twos = fraction(n, LN_2) * fixed_scaled(n, fabs(k), 0);
  twos.minus = k < 0.0;
  return FixedPair{r.re + twos, r.im};
}
// w ln z: its real part, and its imaginary part as quarter turns and a rest, for finite w and z that is not 0, whose logarithm is l
// as a double. A real part beyond 2000 on either side is 2000.
struct LargePower { Twofold re; Quarters im; };
static __device__ __noinline__ LargePower large_power(c64 z, c64 w, c64 l) {
  const f64 a = fabs(w.re), b = fabs(w.im);
  const int size = exponent_part(a > b ? a : b) + 53, words = 1 + ((size > 0 ? size : 0) + 140 + 63) / 64;
  const int n = words < 20 ? words : 20;
  const FixedPair log = fixed_log(n, z, l);
  // Up to 2^1035 with 64 places.
  u64 sum[20], term[20], carry = 0;
  times(log.re, w.re, 64, sum, 20);
  times(log.im, -w.im, 64, term, 20);
  for (int i = 0; i < 20; i++) {
    const u64 s = sum[i] + term[i], t = s + carry;
    carry = (s < sum[i]) | (t < s);
    sum[i] = t;
  }
  const u64 fill = sum[1] >> 63 ? ~0ull : 0;
  bool fits = true;
  for (int i = 2; i < 20; i++) fits = fits && sum[i] == fill;
  const u64 size_of = fill ? ~sum[1] + (sum[0] == 0) : sum[1];
  Twofold re{sum[19] >> 63 ? -2000.0 : 2000.0, 0.0};
  if (fits && size_of <= 2000) re = from_places(sum[1], sum[0], 64);
  const Fixed quarter = fraction(n, TWO_OVER_PI);
  u64 t[2], s[2];
  times(log.im * quarter, w.re, 126, t, 2);
  times(log.re * quarter, w.im, 126, s, 2);
  const u64 low = t[0] + s[0];
  return LargePower{re, nearest_quarter(t[1] + s[1] + (low < t[0]), low)};
}
//# complex_pow: complex_exp complex_log turns twofold_log large_powers
// e^(w ln z); 1 for w = 0, and 0 for z = 0 and Re w > 0. The logarithm and its product with w carry twice the digits, because
// their error counts absolutely.
static __device__ __noinline__ c64 complex_pow(c64 z, c64 w) {
  const f64 large = 17592186044416.0, infinity = infinity_f64();
  if (w.re == 0.0 && w.im == 0.0) return c64{1.0, 0.0};
  if (z.re == 0.0 && z.im == 0.0) return w.re > 0.0 ? c64{0.0, 0.0} : c64{nan_f64(), nan_f64()};
  const c64 l = complex_log(z), p = w * l;
  if (!is_finite(l.re) || !is_finite(l.im) || !is_finite(w.re) || !is_finite(w.im)) return complex_exp(p);
  LargePower e;
  if (largest_part(w) < large && largest_part(p) < large) {
    const Pair d = twofold_log(z, l);
    const Twofold wr{w.re, 0.0}, wi{w.im, 0.0};
    e = LargePower{wr * d.re - wi * d.im, Quarters{0, wr * d.im + wi * d.re}};
  } else {
    e = large_power(z, w, l);
  }
  const Rotation r = turned(e.im.n, rotation(e.im.rest));
  if (e.re.hi > 1400.0) return c64{r.c == 0.0 ? r.c : infinity * r.c, r.s == 0.0 ? r.s : infinity * r.s};
  const f64 grow = 1.0 + e.re.lo;
  return exp_times(e.re.hi, r.c * grow, r.s * grow);
}
