// What every kernel of tfc needs. Sizes and strides are arguments of kernels; strides count bytes.
#ifndef TFC_HOST  // A C++ compiler for this machine brings these itself.
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef float f32;
typedef double f64;

// Memory that a kernel reads, or writes: an element lies some bytes behind the first.
// `whole<V>`: a value of another type there, in one access.
template <class T> struct In {
  const T *p;
  __device__ T operator()(i64 bytes) const { return *(const T *)((const char *)p + bytes); }
  template <class V> __device__ V whole(i64 bytes) const { return *(const V *)((const char *)p + bytes); }
};
template <class T> struct Out {
  T *p;
  __device__ T &operator()(i64 bytes) const { return *(T *)((char *)p + bytes); }
  template <class V> __device__ V &whole(i64 bytes) const { return *(V *)((char *)p + bytes); }
};
#define SHARED(T, name, n) __shared__ T name[n]
#endif
//@ scalars

// A loop nest and the strides of K operands along it. Index 0 is the fastest.
template <int R> struct Index { i64 at[R > 0 ? R : 1]; };
template <int R, int K> struct Loops {
  i64 n[R > 0 ? R : 1];
  i64 stride[K > 0 ? K : 1][R > 0 ? R : 1];
  __device__ i64 count() const {
    i64 all = 1;
    for (int r = 0; r < R; r++) all *= n[r];
    return all;
  }
  // The same, up to a multiple of 16: where rows follow each other, each begins as aligned as the first.
  __device__ i64 padded() const { return (count() + 15) / 16 * 16; }
  __device__ Index<R> index(i64 i) const {
    Index<R> x;
    for (int r = 0; r + 1 < R; r++) {
      // Loops outside of which there is one trip need no division.
      const i64 more = i < n[r] ? 0 : i / n[r];
      x.at[r] = i - more * n[r];
      i = more;
    }
    if (R > 0) x.at[R > 0 ? R - 1 : 0] = i;
    return x;
  }
  // Bytes from the first element of operand `k` to the one at `x`.
  __device__ i64 place(int k, const Index<R> &x) const {
    i64 b = 0;
    for (int r = 0; r < R; r++) b += x.at[r] * stride[k][r];
    return b;
  }
};
// Where windows begin that indices place: the last place along each axis that an index moves them on, bytes from one place to the
// next, bytes from one index of a vector to the next, and whether windows fit into the operand at all.
template <int C> struct Starts {
  i64 last[C];
  i64 stride[C];
  i64 vector;
  i64 fits;
};
__device__ inline i64 wide(i32 i) { return i; }
__device__ inline i64 wide(u32 i) { return i; }
__device__ inline i64 wide(i64 i) { return i; }
__device__ inline i64 wide(u64 i) { return i >> 63 ? 0x7fffffffffffffffll : (i64)i; }
// The thread among all threads, and their number.
__device__ inline i64 thread_of_grid() { return (i64)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline i64 threads_of_grid() { return (i64)gridDim.x * blockDim.x; }
//@ walks
