#ifndef TFC_SCALARS
#define TFC_SCALARS
// Bits of numbers, and complex numbers.
__device__ inline u32 f32_bits(f32 x) { u32 b; memcpy(&b, &x, 4); return b; }
__device__ inline u64 f64_bits(f64 x) { u64 b; memcpy(&b, &x, 8); return b; }
__device__ inline f32 f32_from(u32 b) { f32 x; memcpy(&x, &b, 4); return x; }
__device__ inline f64 f64_from(u64 b) { f64 x; memcpy(&x, &b, 8); return x; }
// Floats of two bytes: their bits, of which `small` makes numbers.
struct bf16 { u16 bits; };
struct f16 { u16 bits; };
struct c32 { f32 re, im; };
struct c64 { f64 re, im; };
#define TFC_COMPLEX(C)                                                                                                        \
  __device__ inline C operator+(C a, C b) { return C{a.re + b.re, a.im + b.im}; }                                             \
  __device__ inline C operator-(C a, C b) { return C{a.re - b.re, a.im - b.im}; }                                             \
  __device__ inline C operator*(C a, C b) { return C{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }                 \
  __device__ inline C operator-(C a) { return C{-a.re, -a.im}; }                                                              \
  __device__ inline bool operator==(C a, C b) { return a.re == b.re && a.im == b.im; }                                        \
  __device__ inline bool operator!=(C a, C b) { return !(a == b); }                                                           \
  __device__ inline C conj(C a) { return C{a.re, -a.im}; }
TFC_COMPLEX(c32)
TFC_COMPLEX(c64)
#undef TFC_COMPLEX
#endif
