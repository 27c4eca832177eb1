//# sort_bits
// Bits whose unsigned order is that of elements: -0 equals 0, NaN comes last and equals NaN.
__device__ inline u32 sort_bits(bool x) { return x ? 1 : 0; }
__device__ inline u32 sort_bits(u32 x) { return x; }
__device__ inline u64 sort_bits(u64 x) { return x; }
__device__ inline u32 sort_bits(i32 x) { return (u32)x ^ 0x80000000u; }
__device__ inline u64 sort_bits(i64 x) { return (u64)x ^ 0x8000000000000000ull; }
__device__ inline u32 sort_bits(f32 x) {
  const u32 b = x != x ? 0x7fffffffu : f32_bits(x + 0.0f);
  return b >> 31 ? ~b : b | 0x80000000u;
}
__device__ inline u64 sort_bits(f64 x) {
  const u64 b = x != x ? 0x7fffffffffffffffull : f64_bits(x + 0.0);
  return b >> 63 ? ~b : b | 0x8000000000000000ull;
}
//# radix: scan
// The lanes that have the same digit as this one, among those that have one.
__device__ inline u32 same_digit(u32 digit, bool one) {
  u32 same = __ballot_sync(0xffffffffu, one);
  for (u32 bit = 0; bit < 8; bit++) {
    const u32 set = __ballot_sync(0xffffffffu, (digit >> bit & 1) != 0);
    same &= digit >> bit & 1 ? set : ~set;
  }
  return same;
}
