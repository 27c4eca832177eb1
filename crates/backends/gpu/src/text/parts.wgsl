// a b + c, rounded once, by parts, where the device rounds the product: T. J. Dekker, Numer. Math. 18 (1971) 224-242, and
// S. Boldo & G. Melquiond, IEEE Trans. Comput. 57 (2008) 462-471. Where a part could overflow or vanish, rounded twice.
fn fused(x: f32, b: f32, z: f32) -> f32 {
  // Small numbers are made larger before, so that no part vanishes: by 2^64.
  let small = max(bitcast<u32>(x * b) & 0x7fffffffu, bitcast<u32>(z) & 0x7fffffffu) < 0x50000000u && abs(x) < 1.0e12;
  let a = hold(x * select(1.0, 18446744073709551616.0, small));
  let c = hold(z * select(1.0, 18446744073709551616.0, small));
  let back = select(1.0, 5.421010862427522e-20, small);
  let m = hold(a * b);
  let size = bitcast<u32>(m) & 0x7fffffffu;
  let most = max(bitcast<u32>(a) & 0x7fffffffu, bitcast<u32>(b) & 0x7fffffffu);
  if size >= 0x7d000000u || size <= 0x14000000u || most >= 0x71800000u || (bitcast<u32>(c) & 0x7fffffffu) >= 0x7e800000u {
    return hold(m + c) * back;
  }
  let ca = hold(4097.0 * a);
  let ah = hold(ca - hold(ca - a));
  let al = hold(a - ah);
  let cb = hold(4097.0 * b);
  let bh = hold(cb - hold(cb - b));
  let bl = hold(b - bh);
  let e = hold(hold(al * bl) - hold(hold(hold(m - hold(ah * bh)) - hold(al * bh)) - hold(ah * bl)));
  // c + e = t + u, m + t = v + w.
  let t = hold(c + e);
  let tb = hold(t - c);
  let u = hold(hold(c - hold(t - tb)) + hold(e - tb));
  let v = hold(m + t);
  let vb = hold(v - m);
  let w = hold(hold(m - hold(v - vb)) + hold(t - vb));
  // u + w, the last bit set where that is rounded.
  var s = hold(u + w);
  let sb = hold(s - u);
  let lost = hold(hold(u - hold(s - sb)) + hold(w - sb));
  let bits = bitcast<u32>(s);
  if lost != 0.0 && (bits & 1u) == 0u {
    s = bitcast<f32>(select(bits - 1u, bits + 1u, (lost > 0.0) == (s > 0.0)));
  }
  return hold(v + s) * back;
}
