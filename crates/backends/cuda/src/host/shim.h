// What stands in for CUDA when kernels are compiled by a C++ compiler for this machine. Every access to memory, every barrier
// and every shuffle is handed to the machine (machine.cpp), which runs threads and judges them.
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

struct tfc_Dim { u32 x, y, z; };
enum { tfc_READ, tfc_WRITE, tfc_ATOMIC };
enum { tfc_BARRIER = 2, tfc_SYNCWARP, tfc_SHUFFLE };
// Memory of the device or of a block, with what is known of each place.
struct tfc_Buf;
// An argument of a launch: an address and what it lies in, or bytes.
struct tfc_Arg {
  u64 ptr;
  tfc_Buf *buf;
  const u8 *bytes;
  u64 size;  // of `bytes`; all ones for an address
};
// A place that a thread touches: address, bytes, alignment; the name of parameter or array; the offset and the line as written.
struct tfc_Spot {
  tfc_Buf *buf;
  const void *p;
  u32 size, align;
  const char *name;
  i64 at;
  u32 line;
};
struct tfc_Machine {
  tfc_Dim thread, block, threads, blocks;
  void (*touch)(tfc_Machine *, const tfc_Spot &, int kind);
  void (*wait)(tfc_Machine *, int kind, u32 line);
  void (*exchange)(tfc_Machine *, void *value, u32 size, u32 lane, u32 line);
  u32 (*vote)(tfc_Machine *, u32 yes, u32 line);
  tfc_Buf *(*shared)(tfc_Machine *, const void *id, const char *name, u64 bytes, void **at);
  void (*fail)(tfc_Machine *, u32 line, const char *what);
  int (*run)(tfc_Machine *, const char *kernel, void (*call)(const void *), const void *args);
  int (*refuse)(tfc_Machine *, const char *kernel, const char *what);
};

#ifndef TFC_MACHINE
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)

static thread_local tfc_Machine *tfc_machine;
#define threadIdx (tfc_machine->thread)
#define blockIdx (tfc_machine->block)
#define blockDim (tfc_machine->threads)
#define gridDim (tfc_machine->blocks)
#define warpSize 32

// Stands for `T &`: what is done to it says whether that reads or writes.
template <class T> struct tfc_Address { tfc_Spot s; };
template <class T> struct tfc_Ref {
  tfc_Spot s;
  explicit tfc_Ref(const tfc_Spot &s) : s(s) {}
  operator T() const {
    tfc_machine->touch(tfc_machine, s, tfc_READ);
    return *(const T *)s.p;
  }
  const tfc_Ref &operator=(T v) const {
    tfc_machine->touch(tfc_machine, s, tfc_WRITE);
    *(T *)s.p = v;
    return *this;
  }
  const tfc_Ref &operator=(const tfc_Ref &o) const { return *this = (T)o; }
  template <class V> const tfc_Ref &operator+=(V v) const { return *this = (T)((T)*this + v); }
  template <class V> const tfc_Ref &operator-=(V v) const { return *this = (T)((T)*this - v); }
  template <class V> const tfc_Ref &operator*=(V v) const { return *this = (T)((T)*this * v); }
  template <class V> const tfc_Ref &operator/=(V v) const { return *this = (T)((T)*this / v); }
  template <class V> const tfc_Ref &operator&=(V v) const { return *this = (T)((T)*this & v); }
  template <class V> const tfc_Ref &operator|=(V v) const { return *this = (T)((T)*this | v); }
  template <class V> const tfc_Ref &operator^=(V v) const { return *this = (T)((T)*this ^ v); }
  tfc_Address<T> operator&() const { return tfc_Address<T>{s}; }
};
template <class T> struct In {
  const T *p;
  tfc_Buf *buf;
  const char *name;
  T operator()(i64 bytes, u32 line = __builtin_LINE()) const {
    return whole<T>(bytes, line);
  }
  template <class V> V whole(i64 bytes, u32 line = __builtin_LINE()) const {
    return tfc_Ref<V>(tfc_Spot{buf, (const char *)p + bytes, sizeof(V), alignof(V), name, bytes, line});
  }
};
template <class T> struct Out {
  T *p;
  tfc_Buf *buf;
  const char *name;
  tfc_Ref<T> operator()(i64 bytes, u32 line = __builtin_LINE()) const { return whole<T>(bytes, line); }
  template <class V> tfc_Ref<V> whole(i64 bytes, u32 line = __builtin_LINE()) const {
    return tfc_Ref<V>(tfc_Spot{buf, (const char *)p + bytes, sizeof(V), alignof(V), name, bytes, line});
  }
};
struct tfc_Index {
  i64 i;
  u32 line;
  tfc_Index(i64 i, u32 line = __builtin_LINE()) : i(i), line(line) {}
};
template <class T> struct tfc_Shared {
  const char *name;
  void *p;
  tfc_Buf *buf;
  tfc_Shared(const void *id, const char *name, u64 n) : name(name), p(0) {
    buf = tfc_machine->shared(tfc_machine, id, name, n * sizeof(T), &p);
  }
  tfc_Ref<T> operator[](tfc_Index k) const {
    const i64 at = k.i * (i64)sizeof(T);
    return tfc_Ref<T>(tfc_Spot{buf, (const char *)p + at, sizeof(T), alignof(T), name, at, k.line});
  }
};
#define SHARED(T, name, n)   \
  static char tfc_id_##name; \
  const tfc_Shared<T> name(&tfc_id_##name, #name, n)

static inline u32 tfc_lane() {
  const tfc_Machine *m = tfc_machine;
  return (m->thread.x + m->threads.x * (m->thread.y + m->threads.y * m->thread.z)) & 31;
}
static inline void tfc_full(u32 line, u32 mask) {
  if (mask != 0xffffffffu) tfc_machine->fail(tfc_machine, line, "calls a warp intrinsic with another mask than that of all 32 lanes");
}
template <class T> static inline T tfc_exchange(u32 line, u32 mask, T v, u32 lane) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 4 or 8 bytes");
  tfc_full(line, mask);
  tfc_machine->exchange(tfc_machine, &v, sizeof(T), lane, line);
  return v;
}
template <class T> static inline T tfc_shfl(u32 line, u32 mask, T v, int lane, int width = 32) {
  const u32 base = tfc_lane() & ~(width - 1);
  return tfc_exchange(line, mask, v, base + (lane & (width - 1)));
}
template <class T> static inline T tfc_shfl_up(u32 line, u32 mask, T v, u32 by, int width = 32) {
  const u32 lane = tfc_lane(), base = lane & ~(width - 1);
  return tfc_exchange(line, mask, v, lane - base >= by ? lane - by : lane);
}
template <class T> static inline T tfc_shfl_down(u32 line, u32 mask, T v, u32 by, int width = 32) {
  const u32 lane = tfc_lane(), base = lane & ~(width - 1);
  return tfc_exchange(line, mask, v, lane - base + by < (u32)width ? lane + by : lane);
}
template <class T> static inline T tfc_shfl_xor(u32 line, u32 mask, T v, u32 by, int width = 32) {
  const u32 lane = tfc_lane(), base = lane & ~(width - 1), from = lane ^ by;
  return tfc_exchange(line, mask, v, from < base + width ? from : lane);
}
static inline u32 tfc_vote(u32 line, u32 mask, bool yes) {
  tfc_full(line, mask);
  return tfc_machine->vote(tfc_machine, yes, line);
}
struct tfc_Syncwarp {
  u32 line;
  void operator()(u32 mask = 0xffffffffu) const {
    tfc_full(line, mask);
    tfc_machine->wait(tfc_machine, tfc_SYNCWARP, line);
  }
};
#define __syncthreads() tfc_machine->wait(tfc_machine, tfc_BARRIER, __LINE__)
#define __syncwarp tfc_Syncwarp{__LINE__}
#define __shfl_sync(...) tfc_shfl(__LINE__, __VA_ARGS__)
#define __shfl_up_sync(...) tfc_shfl_up(__LINE__, __VA_ARGS__)
#define __shfl_down_sync(...) tfc_shfl_down(__LINE__, __VA_ARGS__)
#define __shfl_xor_sync(...) tfc_shfl_xor(__LINE__, __VA_ARGS__)
#define __ballot_sync(...) tfc_vote(__LINE__, __VA_ARGS__)
#define __any_sync(...) (tfc_vote(__LINE__, __VA_ARGS__) != 0)
#define __all_sync(...) (tfc_vote(__LINE__, __VA_ARGS__) == 0xffffffffu)
// Accesses happen in the order in which threads make them.
#define __threadfence() ((void)0)

// Atomics on `&x(bytes)` and `&s[i]`. They return what was there.
template <class T> struct tfc_Same { typedef T type; };
template <class T, class F> static inline T tfc_atomic(const tfc_Address<T> &a, F f) {
  tfc_machine->touch(tfc_machine, a.s, tfc_ATOMIC);
  T *p = (T *)a.s.p;
  const T old = *p;
  *p = f(old);
  return old;
}
template <class T> static inline T atomicAdd(tfc_Address<T> a, typename tfc_Same<T>::type v) {
  return tfc_atomic(a, [v](T old) { return (T)(old + v); });
}
template <class T> static inline T atomicMax(tfc_Address<T> a, typename tfc_Same<T>::type v) {
  return tfc_atomic(a, [v](T old) { return old < v ? v : old; });
}
template <class T> static inline T atomicMin(tfc_Address<T> a, typename tfc_Same<T>::type v) {
  return tfc_atomic(a, [v](T old) { return v < old ? v : old; });
}
template <class T> static inline T atomicAnd(tfc_Address<T> a, typename tfc_Same<T>::type v) {
  return tfc_atomic(a, [v](T old) { return (T)(old & v); });
}
template <class T> static inline T atomicOr(tfc_Address<T> a, typename tfc_Same<T>::type v) {
  return tfc_atomic(a, [v](T old) { return (T)(old | v); });
}
template <class T> static inline T atomicExch(tfc_Address<T> a, typename tfc_Same<T>::type v) {
  return tfc_atomic(a, [v](T) { return v; });
}
template <class T> static inline T atomicCAS(tfc_Address<T> a, typename tfc_Same<T>::type is, typename tfc_Same<T>::type v) {
  return tfc_atomic(a, [is, v](T old) { return old == is ? v : old; });
}

// What another block may be about to write by an atomic function: a read that is no race with that.
template <class T> static inline T peek(tfc_Address<T> a) {
  return tfc_atomic(a, [](T old) { return old; });
}

// Numbers and their bits.
template <class To, class From> static inline To tfc_bits(From x) {
  To y;
  static_assert(sizeof(x) == sizeof(y), "as many bits");
  memcpy(&y, &x, sizeof(y));
  return y;
}
static inline f32 __int_as_float(i32 x) { return tfc_bits<f32>(x); }
static inline f32 __uint_as_float(u32 x) { return tfc_bits<f32>(x); }
static inline i32 __float_as_int(f32 x) { return tfc_bits<i32>(x); }
static inline u32 __float_as_uint(f32 x) { return tfc_bits<u32>(x); }
static inline f64 __longlong_as_double(i64 x) { return tfc_bits<f64>(x); }
static inline i64 __double_as_longlong(f64 x) { return tfc_bits<i64>(x); }
static inline i32 __double2hiint(f64 x) { return (i32)(tfc_bits<u64>(x) >> 32); }
static inline i32 __double2loint(f64 x) { return (i32)tfc_bits<u64>(x); }
static inline f64 __hiloint2double(i32 h, i32 l) { return tfc_bits<f64>((u64)(u32)h << 32 | (u32)l); }
static inline f32 __fmaf_rn(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
static inline f64 __fma_rn(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
static inline f32 __fsqrt_rn(f32 a) { return __builtin_sqrtf(a); }
static inline f64 __dsqrt_rn(f64 a) { return __builtin_sqrt(a); }
static inline f32 __fdiv_rn(f32 a, f32 b) { return a / b; }
static inline f64 __ddiv_rn(f64 a, f64 b) { return a / b; }
static inline u32 __umulhi(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
static inline u64 __umul64hi(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
static inline i64 __mul64hi(i64 a, i64 b) { return (i64)((__int128)a * b >> 64); }
static inline int __popc(u32 x) { return __builtin_popcount(x); }
static inline int __popcll(u64 x) { return __builtin_popcountll(x); }
static inline int __clz(i32 x) { return x ? __builtin_clz(x) : 32; }
static inline int __clzll(i64 x) { return x ? __builtin_clzll(x) : 64; }
static inline int __ffs(i32 x) { return __builtin_ffs(x); }
static inline int __ffsll(i64 x) { return __builtin_ffsll(x); }

// Arguments as a launch brings them. False: it is none of that type.
template <class T> static inline bool tfc_take(In<T> &x, const tfc_Arg &a, const char *name) {
  x.p = (const T *)a.ptr, x.buf = a.buf, x.name = name;
  return a.size == ~0ull;
}
template <class T> static inline bool tfc_take(Out<T> &x, const tfc_Arg &a, const char *name) {
  x.p = (T *)a.ptr, x.buf = a.buf, x.name = name;
  return a.size == ~0ull;
}
template <class T> static inline bool tfc_take(T &x, const tfc_Arg &a, const char *) {
  if (a.size != sizeof(T)) return false;
  memcpy(&x, a.bytes, sizeof(T));
  return true;
}
#endif
