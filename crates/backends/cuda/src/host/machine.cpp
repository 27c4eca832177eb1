// The machine that runs kernels: blocks one after the other, the threads of a block as fibres that change places at barriers and
// shuffles, always in the same order. A fibre whose thread ends takes the next thread: a kernel without barriers needs one fibre.
//
// What is known of memory: for each byte whether it was ever written, and for each place (4 bytes; 1 byte once single bytes of a
// buffer are touched) who touched it. Time goes by ticks: a block begins a tick, and so does each barrier of it. A record says
// when and by whom: tick (36 bits), thread (10), synchronisations of its warp since the tick began (18). Two accesses of one
// launch, at least one of which writes, and not both atomic, are a race unless one thread does both, or a barrier lies between,
// or a `__syncwarp` of a warp to which both belong. Shuffles order nothing: CUDA does not promise it.
#define TFC_MACHINE
#include "shim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

namespace {
// Of accesses that do not conflict with each other, as many as are needed to find any that has no order with a later one.
// `a`, `b`: of the last tick, by two warps if there are such, else by two threads. `o`: by an earlier block of the launch.
struct Set { u64 a, b, o; };
// The last write, and reads and atomic updates since.
struct Cell {
  u64 w;
  Set reads, updates;
};
const u32 TICK = 28, THREAD = 18, WARP = 23, SYNC = (1 << THREAD) - 1;
const u32 MOST_THREADS = 1024, MOST_SHARED = 48 << 10, STACK = 256 << 10, GUARD = 1 << 10, PAGE = 4096;
}  // namespace

struct tfc_Buf {
  u8 *base;  // what may be touched
  u64 size;
  u8 *whole;    // with guard zones
  u8 *written;  // a byte for each byte
  Cell *cells;
  u32 grain;  // log2 of a place's bytes
  u32 live;
  u32 of_block;  // Shared memory: every block has it anew.
};

namespace {
struct Fibre {
  ucontext_t start;
  jmp_buf env;
  bool begun;
  char *stack;
};
enum { RUNS, ENDED };  // and tfc_BARRIER, tfc_SYNCWARP, tfc_SHUFFLE
struct Thread {
  Fibre *fibre;
  u32 state, line, shuffles;
  u8 value[2][8];
};
struct Array {
  const void *id;
  tfc_Buf buf;
};
enum { WAITS = 1, FAILED, IDLE };

struct Machine : tfc_Machine {
  // Time.
  u64 tick, block_tick, launch_tick, me;
  u64 *starts;  // ticks at which the blocks of this launch began
  u64 begun, room;
  // The block.
  u32 count, next, ended, now;
  Thread all[MOST_THREADS];
  u32 warp_sync[MOST_THREADS / 32];
  Array arrays[64];
  u32 n_arrays;
  u64 shared_bytes;
  u8 *shared_memory, *shared_written;
  Cell *shared_cells;
  // Fibres.
  Fibre *fibres[MOST_THREADS];
  u32 n_fibres;
  Fibre *idle[MOST_THREADS];
  u32 n_idle;
  Fibre *current;
  jmp_buf main;
  // The launch.
  const char *kernel;
  void (*call)(const void *);
  const void *args;
  char message[4096];
  u32 line;
};

void die(Machine *m, u32 line) {
  m->line = line;
  _longjmp(m->main, FAILED);
}
struct Text {
  char s[128];
};
struct Short {
  char s[40];
};
Short dim(tfc_Dim at, tfc_Dim n) {
  Short t;
  if (n.y == 1 && n.z == 1) snprintf(t.s, sizeof t.s, "%u", at.x);
  else snprintf(t.s, sizeof t.s, "(%u, %u, %u)", at.x, at.y, at.z);
  return t;
}
tfc_Dim of(u64 i, tfc_Dim n) {
  return tfc_Dim{(u32)(i % n.x), (u32)(i / n.x % n.y), (u32)(i / n.x / n.y)};
}
Text thread(Machine *m, u32 t, u64 block) {
  Text out;
  snprintf(out.s, sizeof out.s, "thread %s of block %s", dim(of(t, m->threads), m->threads).s, dim(of(block, m->blocks), m->blocks).s);
  return out;
}
Text running(Machine *m) { return thread(m, m->now, m->begun - 1); }
// Whose record that is.
Text whose(Machine *m, u64 record) {
  u64 lo = 0, hi = m->begun;
  while (hi - lo > 1) {
    const u64 mid = lo + (hi - lo) / 2;
    if (m->starts[mid] <= record >> TICK) lo = mid;
    else hi = mid;
  }
  return thread(m, (record >> THREAD) & (MOST_THREADS - 1), lo);
}
// A line of a message; a second line is a note.
__attribute__((format(printf, 2, 3))) void say(Machine *m, const char *form, ...) {
  va_list v;
  va_start(v, form);
  vsnprintf(m->message, sizeof m->message, form, v);
  va_end(v);
}
const char *VERB[] = {"reads", "writes", "updates"}, *DID[] = {"read", "wrote", "updated"};

void renew(Machine *m) {
  m->me = m->tick << TICK | (u64)m->now << THREAD | (m->warp_sync[m->now / 32] & SYNC);
}
void enter(Machine *m, u32 t) {
  m->now = t;
  m->thread = of(t, m->threads);
  renew(m);
}

// Does an order hold between what was recorded and what the running thread does now?
// What was before the tick `since` is of another launch, or another block's shared memory.
inline bool ordered(const Machine *m, u64 since, u64 record) {
  const u64 tick = record >> TICK;
  if (tick < since) return true;
  if (tick < m->block_tick) return false;
  if (tick < m->tick) return true;
  const u64 d = record ^ m->me;
  if (((d >> THREAD) & (MOST_THREADS - 1)) == 0) return true;
  return ((d >> WARP) & 31) == 0 && (d & SYNC) != 0;
}
void race(Machine *m, const tfc_Spot &s, int kind, u64 other, int did) {
  const bool same = other >> TICK >= m->block_tick;
  say(m, "%s %s byte %lld of `%s`, which %s %s %s", running(m).s, VERB[kind], s.at, s.name, whose(m, other).s, DID[did],
      same ? "without a barrier in between" : "in the same launch");
  die(m, s.line);
}
void add(Machine *m, Set &c) {
  const u64 ta = c.a >> TICK, me = m->me;
  if (ta < m->tick) {
    if (ta >= m->launch_tick && ta < m->block_tick) c.o = c.a;
    c.a = me, c.b = 0;
    return;
  }
  if (c.a >> THREAD == me >> THREAD) c.a = me;
  else if (c.a >> WARP != me >> WARP) {
    if (c.b == 0 || c.b >> WARP == c.a >> WARP || c.b >> WARP == me >> WARP) c.b = me;
  } else if (c.b == 0) c.b = me;
  else if (c.b >> WARP == me >> WARP) {
    if (c.b >> THREAD == me >> THREAD || (c.b & SYNC) < (me & SYNC)) c.b = me;
    else if ((c.a & SYNC) < (me & SYNC)) c.a = me;
  }
}
inline void against(Machine *m, const tfc_Spot &s, int kind, u64 since, u64 record, int did) {
  if (!ordered(m, since, record)) race(m, s, kind, record, did);
}
inline void against(Machine *m, const tfc_Spot &s, int kind, u64 since, const Set &all, int did) {
  against(m, s, kind, since, all.a, did);
  against(m, s, kind, since, all.b, did);
  against(m, s, kind, since, all.o, did);
}
// Single bytes are told apart from now on.
void refine(Machine *m, tfc_Buf *b, u32 line) {
  const u64 n = (b->size + 3) / 4;
  Cell *fine = (Cell *)calloc(n * 4 + 1, sizeof(Cell));
  if (!fine) {
    say(m, "there is no memory to watch what threads do");
    die(m, line);
  }
  for (u64 i = 0; i < n * 4; i++) fine[i] = b->cells[i / 4];
  free(b->cells);
  b->cells = fine;
  b->grain = 0;
}
void bounds(Machine *m, const tfc_Spot &s, int kind) {
  const Text who = running(m);
  if (!s.buf) say(m, "%s %s byte %lld of `%s`, an address in no allocation", who.s, VERB[kind], s.at, s.name);
  else if (!s.buf->live) say(m, "%s %s byte %lld of `%s`, memory that has been given back", who.s, VERB[kind], s.at, s.name);
  else {
    const i64 off = (const u8 *)s.p - s.buf->base;
    say(m, "%s %s %u bytes at byte %lld of `%s`, %s its memory\nthat is byte %lld of an allocation of %llu bytes", who.s, VERB[kind], s.size,
        s.at, s.name, off < 0 ? "before" : "behind", off, s.buf->size);
  }
  die(m, s.line);
}
void touch(tfc_Machine *tm, const tfc_Spot &s, int kind) {
  Machine *m = (Machine *)tm;
  tfc_Buf *b = s.buf;
  const u64 off = b ? (u64)((const u8 *)s.p - b->base) : 0;
  if (!b || !b->live || off >= b->size || b->size - off < s.size) bounds(m, s, kind);
  if ((uintptr_t)s.p & (s.align - 1)) {
    say(m, "%s %s byte %lld of `%s`, whose address is no multiple of %u", running(m).s, VERB[kind], s.at, s.name, s.align);
    die(m, s.line);
  }
  if (kind != tfc_WRITE) {
    for (u32 i = 0; i < s.size; i++)
      if (!b->written[off + i]) {
        say(m, "%s %s byte %lld of `%s`, which nothing has written", running(m).s, VERB[kind], s.at + i, s.name);
        die(m, s.line);
      }
  }
  if (b->grain && s.size < 4) refine(m, b, s.line);
  const u64 from = off >> b->grain, to = (off + s.size - 1) >> b->grain;
  const u64 since = b->of_block ? m->block_tick : m->launch_tick;
  for (u64 i = from; i <= to; i++) {
    Cell &c = b->cells[i];
    against(m, s, kind, since, c.w, tfc_WRITE);
    if (kind != tfc_READ) against(m, s, kind, since, c.reads, tfc_READ);
    if (kind != tfc_ATOMIC) against(m, s, kind, since, c.updates, tfc_ATOMIC);
    if (kind == tfc_WRITE) c = Cell{m->me, Set{0, 0, 0}, Set{0, 0, 0}};
    else add(m, kind == tfc_READ ? c.reads : c.updates);
  }
  if (kind != tfc_READ) memset(b->written + off, 1, s.size);
}

void yield(Machine *m, u32 state, u32 line) {
  Fibre *f = m->current;
  Thread &t = m->all[m->now];
  t.state = state, t.line = line, t.fibre = f;
  if (!_setjmp(f->env)) _longjmp(m->main, WAITS);
}
void wait(tfc_Machine *tm, int kind, u32 line) { yield((Machine *)tm, kind, line); }
void exchange(tfc_Machine *tm, void *value, u32 size, u32 lane, u32 line) {
  Machine *m = (Machine *)tm;
  const u32 t = m->now, side = m->all[t].shuffles++ & 1;
  memcpy(m->all[t].value[side], value, size);
  yield(m, tfc_SHUFFLE, line);
  memcpy(value, m->all[(t & ~31u) + (lane & 31)].value[side], size);
}
// A bit a lane.
u32 vote(tfc_Machine *tm, u32 yes, u32 line) {
  Machine *m = (Machine *)tm;
  const u32 first = m->now & ~31u, side = m->all[m->now].shuffles++ & 1;
  m->all[m->now].value[side][0] = yes != 0;
  yield(m, tfc_SHUFFLE, line);
  u32 all = 0;
  for (u32 k = 0; k < 32; k++) all |= (u32)m->all[first + k].value[side][0] << k;
  return all;
}
tfc_Buf *shared(tfc_Machine *tm, const void *id, const char *name, u64 bytes, void **at) {
  Machine *m = (Machine *)tm;
  u32 i = 0;
  while (i < m->n_arrays && m->arrays[i].id != id) i++;
  Array &a = m->arrays[i];
  if (i == m->n_arrays) {
    const u64 from = (m->shared_bytes + 15) / 16 * 16;
    if (i + 1 == sizeof m->arrays / sizeof m->arrays[0] || from + bytes > MOST_SHARED) {
      say(m, "%s needs `%s` of %llu bytes in shared memory, which has room for %u bytes\n%llu bytes are taken", running(m).s, name, bytes,
          MOST_SHARED, from);
      die(m, 0);
    }
    memset(m->shared_written + from, 0, bytes);
    // Places are single bytes: all of them fit beforehand.
    a = Array{id, tfc_Buf{m->shared_memory + from, bytes, 0, m->shared_written + from, m->shared_cells + from, 0, 1, 1}};
    m->shared_bytes = from + bytes;
    m->n_arrays++;
  }
  *at = a.buf.base;
  return &a.buf;
}
void fail(tfc_Machine *tm, u32 line, const char *what) {
  Machine *m = (Machine *)tm;
  say(m, "%s %s", running(m).s, what);
  die(m, line);
}

void fibre(unsigned hi, unsigned lo) {
  Machine *m = (Machine *)((uintptr_t)hi << 16 << 16 | lo);
  Fibre *f = m->current;
  for (;;) {
    while (m->next < m->count) {
      const u32 t = m->next++;
      enter(m, t);
      m->call(m->args);
      m->all[m->now].state = ENDED;
      m->ended++;
    }
    if (!_setjmp(f->env)) _longjmp(m->main, IDLE);
  }
}
void prepare(Machine *m, Fibre *f) {
  getcontext(&f->start);
  f->start.uc_stack.ss_sp = f->stack + PAGE;
  f->start.uc_stack.ss_size = STACK - PAGE;
  f->start.uc_link = 0;
  const uintptr_t p = (uintptr_t)m;
  makecontext(&f->start, (void (*)())fibre, 2, (unsigned)(p >> 16 >> 16), (unsigned)p);
  f->begun = false;
}
int go(Machine *m, Fibre *f) {
  m->current = f;
  const int how = _setjmp(m->main);
  if (how == 0) {
    if (f->begun) _longjmp(f->env, 1);
    f->begun = true;
    setcontext(&f->start);
    say(m, "a thread cannot be started");
    return FAILED;
  }
  return how;
}
Fibre *spare(Machine *m) {
  if (m->n_idle) return m->idle[--m->n_idle];
  void *stack = m->n_fibres == MOST_THREADS ? MAP_FAILED : mmap(0, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Fibre *f = stack == MAP_FAILED ? 0 : (Fibre *)calloc(1, sizeof(Fibre));
  if (!f) return 0;
  // What runs over the end of its stack ends there.
  mprotect(stack, PAGE, PROT_NONE);
  f->stack = (char *)stack;
  m->fibres[m->n_fibres++] = f;
  prepare(m, f);
  return f;
}
int resume(Machine *m, Fibre *f) {
  const int how = go(m, f);
  if (how == IDLE) m->idle[m->n_idle++] = f;
  return how;
}
// No thread can go on: who waits for whom?
int stuck(Machine *m) {
  u32 t = 0;
  while (m->all[t].state == ENDED) t++;
  const Thread &a = m->all[t];
  const bool whole = a.state == tfc_BARRIER;
  const char *what = whole ? "a barrier" : a.state == tfc_SYNCWARP ? "`__syncwarp`" : "a shuffle";
  const u32 from = whole ? 0 : t / 32 * 32, to = whole ? m->count : from + 32;
  m->line = a.line;
  const Text who = thread(m, t, m->begun - 1);
  for (u32 k = from; k < to; k++) {
    if (k >= m->count) {
      say(m, "%s is at %s of 32 lanes, but its warp has %u threads", who.s, what, m->count - from);
      return 0;
    }
    const Thread &b = m->all[k];
    if (b.state == a.state && b.line == a.line) continue;
    const Text other = thread(m, k, m->begun - 1);
    if (b.state == ENDED) say(m, "%s is at %s that %s does not reach: it has ended", who.s, what, other.s);
    else
      say(m, "%s is at %s that %s does not reach\nit waits at %s of line %u", who.s, what, other.s,
          b.state == tfc_BARRIER ? "the barrier" : b.state == tfc_SYNCWARP ? "the `__syncwarp`" : "the shuffle", b.line);
    return 0;
  }
  say(m, "%s is at %s that is never passed", who.s, what);
  return 0;
}
bool alike(const Machine *m, u32 from, u32 to) {
  const Thread &a = m->all[from];
  for (u32 t = from + 1; t < to; t++)
    if (m->all[t].state != a.state || m->all[t].line != a.line) return false;
  return true;
}
// Lets threads go on which wait for nobody any more.
bool release(Machine *m) {
  bool any = false;
  for (u32 from = 0; from + 32 <= m->count; from += 32) {
    const u32 state = m->all[from].state;
    if ((state != tfc_SYNCWARP && state != tfc_SHUFFLE) || !alike(m, from, from + 32)) continue;
    if (state == tfc_SYNCWARP) m->warp_sync[from / 32]++;
    for (u32 t = from; t < from + 32; t++) m->all[t].state = RUNS;
    any = true;
  }
  if (any) return true;
  if (m->all[0].state != tfc_BARRIER || !alike(m, 0, m->count)) return false;
  m->tick++;
  memset(m->warp_sync, 0, sizeof m->warp_sync);
  for (u32 t = 0; t < m->count; t++) m->all[t].state = RUNS;
  return true;
}
bool block(Machine *m) {
  m->block_tick = ++m->tick;
  if (m->begun == m->room) {
    const u64 room = m->room * 2 + 64;
    u64 *more = (u64 *)realloc(m->starts, room * sizeof(u64));
    if (!more) {
      say(m, "there is no memory to watch so many blocks");
      return false;
    }
    m->starts = more, m->room = room;
  }
  m->starts[m->begun++] = m->tick;
  m->next = m->ended = m->n_arrays = 0;
  m->shared_bytes = 0;
  memset(m->warp_sync, 0, sizeof m->warp_sync);
  for (u32 t = 0; t < m->count; t++) m->all[t].state = RUNS, m->all[t].shuffles = 0;
  while (m->next < m->count) {
    Fibre *f = spare(m);
    if (!f) {
      say(m, "there is no memory for the stacks of so many threads");
      return false;
    }
    if (resume(m, f) == FAILED) return false;
  }
  while (m->ended < m->count) {
    if (!release(m)) return stuck(m);
    for (u32 t = 0; t < m->count; t++) {
      if (m->all[t].state != RUNS) continue;
      enter(m, t);
      if (resume(m, m->all[t].fibre) == FAILED) return false;
    }
  }
  return true;
}
int run(tfc_Machine *tm, const char *kernel, void (*call)(const void *), const void *args) {
  Machine *m = (Machine *)tm;
  m->kernel = kernel, m->call = call, m->args = args;
  m->count = m->threads.x * m->threads.y * m->threads.z;
  m->launch_tick = m->tick + 1;
  m->begun = 0;
  m->line = 0;
  const u64 n = (u64)m->blocks.x * m->blocks.y * m->blocks.z;
  for (u64 i = 0; i < n; i++) {
    m->block = of(i, m->blocks);
    if (!block(m)) {
      // Threads stand where they stood: their fibres begin anew.
      for (u32 k = 0; k < m->n_fibres; k++) prepare(m, m->idle[k] = m->fibres[k]);
      m->n_idle = m->n_fibres;
      m->tick++;
      return 1;
    }
  }
  m->tick++;
  return 0;
}
int refuse(tfc_Machine *tm, const char *, const char *what) {
  Machine *m = (Machine *)tm;
  m->line = 0;
  say(m, "%s", what);
  return 1;
}
}  // namespace

extern "C" {
Machine *tfc_machine_new() {
  Machine *m = (Machine *)calloc(1, sizeof(Machine));
  if (!m) return 0;
  m->touch = touch, m->wait = wait, m->exchange = exchange, m->vote = vote, m->shared = shared, m->fail = fail, m->run = run, m->refuse = refuse;
  m->shared_memory = (u8 *)aligned_alloc(256, MOST_SHARED);
  m->shared_written = (u8 *)calloc(MOST_SHARED, 1);
  m->shared_cells = (Cell *)calloc(MOST_SHARED, sizeof(Cell));
  return m;
}
void tfc_machine_delete(Machine *m) {
  for (u32 k = 0; k < m->n_fibres; k++) {
    munmap(m->fibres[k]->stack, STACK);
    free(m->fibres[k]);
  }
  free(m->starts), free(m->shared_memory), free(m->shared_written), free(m->shared_cells), free(m);
}
void tfc_machine_shape(Machine *m, const u32 *grid, const u32 *block) {
  m->blocks = tfc_Dim{grid[0], grid[1], grid[2]};
  m->threads = tfc_Dim{block[0], block[1], block[2]};
}
const char *tfc_machine_message(const Machine *m, u32 *line) {
  *line = m->line;
  return m->message;
}
void tfc_buf_delete(tfc_Buf *b) {
  free(b->whole), free(b->written), free(b->cells), free(b);
}
tfc_Buf *tfc_buf_new(u64 size) {
  if (size > (~0ull >> 8)) return 0;
  tfc_Buf *b = (tfc_Buf *)calloc(1, sizeof(tfc_Buf));
  if (!b) return 0;
  b->whole = (u8 *)malloc(size + 2 * GUARD);
  b->written = (u8 *)calloc(size + 1, 1);
  b->cells = (Cell *)calloc(size / 4 + 1, sizeof(Cell));
  if (!b->whole || !b->written || !b->cells) {
    tfc_buf_delete(b);
    return 0;
  }
  b->base = (u8 *)(((uintptr_t)b->whole + 255) / 256 * 256 + 256);
  b->size = size, b->grain = 2, b->live = 1;
  return b;
}
u64 tfc_buf_base(const tfc_Buf *b) { return (u64)(uintptr_t)b->base; }
// From here on nothing may touch it; that it was there is still known.
void tfc_buf_end(tfc_Buf *b) {
  b->live = 0;
  free(b->written), free(b->cells);
  b->written = 0, b->cells = 0;
}
void tfc_buf_write(tfc_Buf *b, u64 at, const void *from, u64 n) {
  memcpy(b->base + at, from, n);
  memset(b->written + at, 1, n);
}
// The first byte that nothing has written, or `n`.
u64 tfc_buf_read(const tfc_Buf *b, u64 at, void *to, u64 n) {
  memcpy(to, b->base + at, n);
  const void *hole = memchr(b->written + at, 0, n);
  return hole ? (u64)((const u8 *)hole - (b->written + at)) : n;
}
void tfc_buf_copy(tfc_Buf *to, u64 at, const tfc_Buf *from, u64 start, u64 n) {
  memmove(to->base + at, from->base + start, n);
  memmove(to->written + at, from->written + start, n);
}
}
