// How threads share elements: packs of neighbours, teams that fold rows, tiles that are turned in shared memory.

// Neighbours in memory, which one access of at most 16 bytes moves.
template <class T, int N> struct alignas(sizeof(T) * N) Pack {
  T at[N];
  __device__ T &operator[](int j) { return at[j]; }
  __device__ const T &operator[](int j) const { return at[j]; }
};
// N elements of a run, for one thread at a time: neighbours (`packed`), or every `step`-th.
template <int N> struct Chunk {
  i64 at, step, by, end;
  bool packed;
  __device__ bool more() const { return at < end; }
  __device__ void next() { at += by; }
  __device__ bool has(int j) const { return at + j * step < end; }
  // Elements of an operand, of which the first lies at `place`, and the next one of the run `stride` bytes behind it. Those behind
  // the end of the run are not touched.
  template <class T, class P> __device__ void read(Pack<T, N> &v, const P &p, i64 place, i64 stride) const {
    if (packed && stride == (i64)sizeof(T) && at + N <= end) {
      const Pack<T, N> all = p.template whole<Pack<T, N>>(place);
      v = all;
    } else if (stride == 0) {
      if (!more()) return;
      const T same = p(place);
      for (int j = 0; j < N; j++) v[j] = same;
    } else {
      for (int j = 0; j < N; j++)
        if (has(j)) v[j] = p(place + j * step * stride);
    }
  }
  template <class T, class P> __device__ void write(const Pack<T, N> &v, const P &p, i64 place, i64 stride) const {
    if (packed && stride == (i64)sizeof(T) && at + N <= end) p.template whole<Pack<T, N>>(place) = v;
    else
      for (int j = 0; j < N; j++)
        if (has(j)) p(place + j * step * stride) = v[j];
  }
};
// Chunks of neighbours, which all threads of the grid share.
template <int N> __device__ Chunk<N> chunks_of_grid(i64 n) {
  return Chunk<N>{thread_of_grid() * N, 1, threads_of_grid() * N, n, true};
}
// C chunks of N elements, all that a thread has of a row, which it holds in registers.
template <int N, int C> struct Held {
  i32 at, step, by, end;
  bool packed;
  __device__ bool has(int c, int j) const { return c * by + j * step < end - at; }
  // A chunk of a row whose first element lies at `place`.
  template <class T, class P> __device__ void read(int c, Pack<T, N> &v, const P &p, i64 place, i64 stride) const {
    place += (at + c * by) * stride;
    if (packed && stride == (i64)sizeof(T) && has(c, N - 1)) {
      const Pack<T, N> all = p.template whole<Pack<T, N>>(place);
      v = all;
    } else
      for (int j = 0; j < N; j++)
        if (has(c, j)) v[j] = p(place + j * step * stride);
  }
  template <class T, class P> __device__ void write(int c, const Pack<T, N> &v, const P &p, i64 place, i64 stride) const {
    place += (at + c * by) * stride;
    if (packed && stride == (i64)sizeof(T) && has(c, N - 1)) p.template whole<Pack<T, N>>(place) = v;
    else
      for (int j = 0; j < N; j++)
        if (has(c, j)) p(place + j * step * stride) = v[j];
  }
  // All of them. What is the same for all is asked once.
  template <class T, class P> __device__ void read(Pack<T, N> (&v)[C], const P &p, i64 place, i64 stride) const {
    if (packed && stride == (i64)sizeof(T)) {
#pragma unroll
      for (int c = 0; c < C; c++) read(c, v[c], p, place, sizeof(T));
    } else {
      place += at * stride;
#pragma unroll
      for (int c = 0; c < C; c++)
        for (int j = 0; j < N; j++)
          if (has(c, j)) v[c][j] = p(place + (c * by + j * step) * stride);
    }
  }
  template <class T, class P> __device__ void write(const Pack<T, N> (&v)[C], const P &p, i64 place, i64 stride) const {
    if (packed && stride == (i64)sizeof(T)) {
#pragma unroll
      for (int c = 0; c < C; c++) write(c, v[c], p, place, sizeof(T));
    } else {
      place += at * stride;
#pragma unroll
      for (int c = 0; c < C; c++)
        for (int j = 0; j < N; j++)
          if (has(c, j)) p(place + (c * by + j * step) * stride) = v[c][j];
    }
  }
};
// Threads of a block that share a row: `lanes` of them, `step` threads from each to the next, at most MOST in a block. Both are
// powers of two. `packed`: rows lie so that a thread may take neighbours.
template <int MOST> struct Team {
  u32 lanes, step, packed;
  __device__ u32 lane() const { return threadIdx.x / step % lanes; }
  // Teams of a block; which of them this thread is in; the first row of the block, and rows from there to its next ones.
  __device__ u32 each() const { return blockDim.x / lanes; }
  __device__ u32 mine() const { return threadIdx.x / (lanes * step) * step + threadIdx.x % step; }
  __device__ i64 first() const { return (i64)blockIdx.x * each(); }
  __device__ i64 stride() const { return (i64)gridDim.x * each(); }
  // What this thread has of the elements of a row.
  template <int N> __device__ Chunk<N> chunk(i64 from, i64 end) const {
    const i64 by = (i64)lanes * N;
    return packed ? Chunk<N>{from + (i64)lane() * N, 1, by, end, true} : Chunk<N>{from + lane(), lanes, by, end, false};
  }
  template <int N, int C> __device__ Held<N, C> held(i64 end) const {
    const i32 by = (i32)lanes * N;
    return packed ? Held<N, C>{(i32)lane() * N, 1, by, (i32)end, true} : Held<N, C>{(i32)lane(), (i32)lanes, by, (i32)end, false};
  }
};
template <class T> __device__ T lane_down(T x, u32 by, u32 width) {
  u32 w[(sizeof(T) + 3) / 4] = {};
  memcpy(w, &x, sizeof(T));
  for (u32 k = 0; k < (sizeof(T) + 3) / 4; k++) w[k] = __shfl_down_sync(0xffffffffu, w[k], by, width);
  memcpy(&x, w, sizeof(T));
  return x;
}
template <class T> __device__ T first_lane(T x, u32 width) {
  u32 w[(sizeof(T) + 3) / 4] = {};
  memcpy(w, &x, sizeof(T));
  for (u32 k = 0; k < (sizeof(T) + 3) / 4; k++) w[k] = __shfl_sync(0xffffffffu, w[k], 0, width);
  memcpy(&x, w, sizeof(T));
  return x;
}
// One array for all folds of a kernel.
template <class T, int MOST> __device__ auto shared_part() {
  SHARED(T, part, MOST);
  return part;
}
// The fold over what the threads of a team have, in an order that only the team decides. Every thread of it gets it; all threads of
// the block come here.
template <class T, int MOST, class F> __device__ T fold_team(T x, const Team<MOST> &team, F f) {
  if (team.lanes == 1) return x;
  const u32 t = threadIdx.x;
  u32 own = t, first = t - team.lane() * team.step, count = team.lanes, step = team.step;
  if (step == 1) {
    // Within a warp by shuffles; of each warp, its first thread has what is left to be folded.
    const u32 width = count < 32 ? count : 32;
    for (u32 by = width / 2; by > 0; by /= 2) x = f(x, lane_down(x, by, width));
    if (count <= 32) return first_lane(x, width);
    own = t / 32, first = first / 32, count = count / 32;
  }
  auto part = shared_part<T, MOST>();
  if (step > 1 || t % 32 == 0) part[own] = x;
  __syncthreads();
  x = part[first];
  for (u32 i = 1; i < count; i++) {
    const T y = part[first + i * step];
    x = f(x, y);
  }
  __syncthreads();
  return x;
}
// A tile of 32 x 32 elements along the two fastest loops, for a block of 256 threads, each of which has four of them, at `x`, its
// corner, and further on: along loop 0 by the number of its lane, along loop 1 by that of its warp and 0, 8, 16, 24.
template <int SIZE> struct Word;
template <> struct Word<1> { typedef u8 type; };
template <> struct Word<2> { typedef u16 type; };
template <> struct Word<4> { typedef u32 type; };
template <> struct Word<8> { typedef u64 type; };
template <> struct Word<16> { typedef c64 type; };
template <class W> __device__ auto shared_tile() {
  SHARED(W, tile, 32 * 33);
  return tile;
}
template <int R> struct Tile {
  Index<R> x;
  i64 across, down;
  __device__ static u32 lane() { return threadIdx.x % 32; }
  __device__ static u32 warp(int j) { return threadIdx.x / 32 + 8 * j; }
  __device__ bool has(int j) const { return lane() < across && warp(j) < down; }
  __device__ bool turned_has(int j) const { return warp(j) < across && lane() < down; }
  // Neighbours along loop 1: lanes read those, and elements change threads in shared memory.
  __device__ static bool turned(i64 size, const i64 *stride) {
    const bool near = stride[0] == size || stride[0] == -size || stride[0] == 0;
    return !near && (stride[1] == size || stride[1] == -size);
  }
  template <class T, class P> __device__ void read(Pack<T, 4> &v, const P &p, i64 place, const i64 *stride) const {
    typedef typename Word<sizeof(T)>::type W;
    if (!turned(sizeof(T), stride)) {
      for (int j = 0; j < 4; j++)
        if (has(j)) v[j] = p(place + lane() * stride[0] + warp(j) * stride[1]);
      return;
    }
    auto tile = shared_tile<W>();
    for (int j = 0; j < 4; j++) {
      if (!turned_has(j)) continue;
      const T e = p(place + warp(j) * stride[0] + lane() * stride[1]);
      W w;
      memcpy(&w, &e, sizeof(T));
      tile[warp(j) * 33 + lane()] = w;
    }
    __syncthreads();
    for (int j = 0; j < 4; j++) {
      if (!has(j)) continue;
      const W w = tile[lane() * 33 + warp(j)];
      memcpy(&v[j], &w, sizeof(T));
    }
    __syncthreads();
  }
  template <class T, class P> __device__ void write(const Pack<T, 4> &v, const P &p, i64 place, const i64 *stride) const {
    typedef typename Word<sizeof(T)>::type W;
    if (!turned(sizeof(T), stride)) {
      for (int j = 0; j < 4; j++)
        if (has(j)) p(place + lane() * stride[0] + warp(j) * stride[1]) = v[j];
      return;
    }
    auto tile = shared_tile<W>();
    for (int j = 0; j < 4; j++) {
      if (!has(j)) continue;
      W w;
      memcpy(&w, &v[j], sizeof(T));
      tile[lane() * 33 + warp(j)] = w;
    }
    __syncthreads();
    for (int j = 0; j < 4; j++) {
      if (!turned_has(j)) continue;
      const W w = tile[warp(j) * 33 + lane()];
      T e;
      memcpy(&e, &w, sizeof(T));
      p(place + warp(j) * stride[0] + lane() * stride[1]) = e;
    }
    __syncthreads();
  }
};
template <int R, int K> __device__ i64 tiles(const Loops<R, K> &at) {
  return at.n[1] == 0 ? 0 : (at.n[0] + 31) / 32 * ((at.n[1] + 31) / 32) * (at.count() / (at.n[0] * at.n[1]));
}
template <int R, int K> __device__ Tile<R> tile(const Loops<R, K> &at, i64 t) {
  const i64 across = (at.n[0] + 31) / 32, down = (at.n[1] + 31) / 32;
  const i64 i = t % across * 32, j = t / across % down * 32;
  Tile<R> z{at.index(t / (across * down) * (at.n[0] * at.n[1])), at.n[0] - i, at.n[1] - j};
  z.x.at[0] = i, z.x.at[1] = j;
  return z;
}
