/* What crosses the border in either direction: who frees it, who may write it, which bytes are read. Under AddressSanitizer where the
 * compiler has it. Every element that is given lies beside a page that nobody may touch. */
#define _GNU_SOURCE
#include "tfc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* DLPack's structures, as dlpack.h has them. */
typedef struct { int32_t device_type, device_id; } DLDevice;
typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;
typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *);
} DLManagedTensor;
typedef struct { uint32_t major, minor; } DLPackVersion;
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#define NEED(ok)                                                          \
  do {                                                                    \
    if (!(ok)) {                                                          \
      printf("line %d: %s; %s\n", __LINE__, #ok, tfc_error());            \
      exit(1);                                                            \
    }                                                                     \
  } while (0)
static int says(const char *code) { return strstr(tfc_error(), code) != NULL; }

static int deleted = 0;
/* Frees what a producer would: used after that, or freed twice, it is the sanitizer's. */
static void delete_it(DLManagedTensor *m) {
  deleted++;
  free(m->dl_tensor.data);
  free(m->dl_tensor.shape);
  free(m);
}
static void delete_versioned(DLManagedTensorVersioned *m) {
  deleted++;
  free(m->dl_tensor.data);
  free(m->dl_tensor.shape);
  free(m);
}
/* A vector of n elements of so many bytes, zeros. */
static DLTensor elements(DLDataType dtype, int64_t n) {
  int64_t *shape = malloc(2 * sizeof *shape);
  shape[0] = n;
  shape[1] = 1;
  void *data = calloc(n ? n : 1, dtype.bits / 8 * (size_t)shape[1]);
  return (DLTensor){data, {1, 0}, 1, dtype, shape, shape + 1, 0};
}
static const DLDataType F64 = {2, 64, 1}, BOOL = {6, 8, 1};
static DLManagedTensor *plain(DLDataType dtype, int64_t n) {
  DLManagedTensor *m = malloc(sizeof *m);
  *m = (DLManagedTensor){elements(dtype, n), NULL, delete_it};
  return m;
}
static DLManagedTensorVersioned *versioned(DLDataType dtype, int64_t n) {
  DLManagedTensorVersioned *m = malloc(sizeof *m);
  *m = (DLManagedTensorVersioned){{1, 1}, NULL, delete_versioned, 1, elements(dtype, n)};
  return m;
}

/* On failure a tensor is left to the caller as it was; on success its deleter is called once, when the library has done with it. */
static void taking_over(void) {
  NEED(tfc_from_dlpack(NULL) == NULL && tfc_from_dlpack_versioned(NULL) == NULL);
  DLManagedTensor *m = plain(BOOL, 4);
  uint8_t *bools = m->dl_tensor.data;
  bools[2] = 2;
  NEED(tfc_from_dlpack(m) == NULL && says("E1042") && deleted == 0);
  bools[2] = 1;
  m->dl_tensor.shape[1] = INT64_MAX;
  NEED(tfc_from_dlpack(m) == NULL && says("E1042") && deleted == 0);
  m->dl_tensor.shape[1] = 1;
  m->dl_tensor.shape[0] = -4;
  NEED(tfc_from_dlpack(m) == NULL && says("E1042") && deleted == 0);
  m->dl_tensor.shape[0] = INT64_MAX;
  NEED(tfc_from_dlpack(m) == NULL && says("E0406") && deleted == 0);
  m->dl_tensor.shape[0] = 4;
  m->dl_tensor.ndim = -1;
  NEED(tfc_from_dlpack(m) == NULL && says("E1042") && deleted == 0);
  m->dl_tensor.ndim = 1;
  m->dl_tensor.dtype.lanes = 4;
  NEED(tfc_from_dlpack(m) == NULL && says("E1044") && deleted == 0);
  m->dl_tensor.dtype.lanes = 1;
  m->dl_tensor.device.device_type = 2;
  NEED(tfc_from_dlpack(m) == NULL && says("E1044") && deleted == 0);
  m->dl_tensor.device.device_type = 1;
  m->dl_tensor.data = NULL;
  m->dl_tensor.byte_offset = 1;
  NEED(tfc_from_dlpack(m) == NULL && says("E1040") && deleted == 0);
  m->dl_tensor.data = bools;
  m->dl_tensor.byte_offset = 0;
  tfc_tensor *t = tfc_from_dlpack(m);
  NEED(t != NULL && deleted == 0);
  tfc_buffer view;
  NEED(tfc_view(t, &view) == 0 && view.data == bools);
  tfc_free_tensor(t);
  NEED(deleted == 1);

  DLManagedTensorVersioned *v = versioned(F64, 3);
  v->version.major = 2;
  NEED(tfc_from_dlpack_versioned(v) == NULL && says("E1044") && deleted == 1);
  v->version.major = 1;
  t = tfc_from_dlpack_versioned(v);
  NEED(t != NULL && deleted == 1);
  /* Memory that was given to the library is no one's to write: 0.x gets a copy, 1.x may be told. */
  DLManagedTensorVersioned *same = tfc_to_dlpack_versioned(t, 0);
  NEED(same != NULL && same->flags == 1 && same->version.major == 1 && same->dl_tensor.data == v->dl_tensor.data);
  same->deleter(same);
  NEED(deleted == 2);
  v = versioned(F64, 3);
  void *lent = v->dl_tensor.data;
  t = tfc_from_dlpack_versioned(v);
  NEED(t != NULL);
  DLManagedTensor *copy = tfc_to_dlpack(t);
  NEED(copy != NULL && copy->dl_tensor.data != lent && deleted == 3);
  memset(copy->dl_tensor.data, 1, 3 * sizeof(double));
  copy->deleter(copy);

  /* Nothing to hold on to: given back at once. */
  t = tfc_from_dlpack(plain(F64, 0));
  NEED(t != NULL && deleted == 4);
  tfc_free_tensor(t);
  /* At an odd address the elements are copied, and given back at once. */
  m = plain(F64, 2);
  double two = 2;
  memcpy((char *)m->dl_tensor.data + 4, &two, sizeof two);
  m->dl_tensor.byte_offset = 4;
  m->dl_tensor.shape[0] = 1;
  t = tfc_from_dlpack(m);
  NEED(t != NULL && deleted == 5 && tfc_view(t, &view) == 0 && *(double *)view.data == 2);
  tfc_free_tensor(t);
}

/* A byte on each of three pages, between pages that nobody may touch. */
static char *pages(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *all = mmap(NULL, 7 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  NEED(all != MAP_FAILED);
  for (size_t i = 1; i < 7; i += 2) NEED(mprotect(all + i * page, page, PROT_READ | PROT_WRITE) == 0);
  return all + page;
}
static tfc_compiled *compiled(const char *text) {
  tfc_program *p = tfc_parse(text, strlen(text), 0);
  NEED(p != NULL);
  tfc_compiled *c = tfc_compile(p, 2);
  NEED(c != NULL);
  tfc_free_program(p);
  return c;
}
/* Bytes between elements are neither read nor written. */
static void gaps(void) {
  int64_t page = sysconf(_SC_PAGESIZE), three = 3;
  tfc_compiled *twice = compiled("tfir 1.0\nexport func @main<n>(%x: f64[n]) -> f64[n] {\n  %y: f64[n] = add(%x, %x)\n  return %y\n}\n");
  char *x = pages(), *y = pages();
  int64_t apart = 2 * page / (int64_t)sizeof(double), back = -apart;
  for (int i = 0; i < 3; i++) *(double *)(x + 2 * i * page) = i + 1;
  tfc_buffer in = {x, TFC_F64, 1, &three, &apart}, out = {y + 4 * page, TFC_F64, 1, &three, &back};
  NEED(tfc_run(twice, &in, 1, &out, 1) == 0);
  for (int i = 0; i < 3; i++) NEED(*(double *)(y + 2 * (2 - i) * page) == 2 * (i + 1));
  tfc_free_compiled(twice);

  tfc_compiled *flip = compiled("tfir 1.0\nexport func @main<n>(%x: bool[n]) -> bool[n] {\n  %y: bool[n] = not(%x)\n  return %y\n}\n");
  int64_t wide = 2 * page;
  for (int i = 0; i < 3; i++) memset(x + 2 * i * page, 77, page);
  x[0] = 1, x[2 * page] = 0, x[4 * page] = 1;
  in = (tfc_buffer){x, TFC_BOOL, 1, &three, &wide};
  tfc_tensor *made;
  NEED(tfc_call(flip, &in, 1, &made, 1) == 0);
  tfc_buffer view;
  NEED(tfc_view(made, &view) == 0);
  for (int i = 0; i < 3; i++) NEED(((uint8_t *)view.data)[i] == (i == 1));
  tfc_free_tensor(made);
  x[2 * page] = 3;
  NEED(tfc_call(flip, &in, 1, &made, 1) == 1 && says("E1042"));
  tfc_free_compiled(flip);

  int64_t shape = 3, stride = 2 * page;
  x[2 * page] = 0;
  DLManagedTensor theirs = {{x, {1, 0}, 1, BOOL, &shape, &stride, 0}, NULL, NULL};
  tfc_tensor *t = tfc_from_dlpack(&theirs);
  NEED(t != NULL && tfc_view(t, &view) == 0);
  for (int i = 0; i < 3; i++) NEED(((uint8_t *)view.data)[i * view.strides[0]] == (i != 1));
  tfc_free_tensor(t);
}

/* Where a NaN comes from is said; nothing is said where there is none, and what is wrong with the call is an error. */
static void explained(void) {
  const char *text = "tfir 1.0\nexport func @main<n>(%x: f64[n]) -> f64[n] {\n  %y: f64[n] = log(%x)\n  return %y\n}\n";
  tfc_program *p = tfc_parse(text, strlen(text), 0);
  double x[2] = {1, -1}, y[2] = {1, 2}, z[1] = {0};
  int64_t two = 2, one = 1;
  tfc_buffer bad = {x, TFC_F64, 1, &two, NULL}, good = {y, TFC_F64, 1, &two, NULL}, zero = {z, TFC_F64, 1, &one, NULL};
  char *said = tfc_explain(p, &bad, 1, 0);
  NEED(said != NULL && strstr(said, "which `log` makes"));
  tfc_free_text(said);
  said = tfc_explain(p, &good, 1, 1);
  NEED(said != NULL && *said == 0);
  tfc_free_text(said);
  said = tfc_explain(p, &zero, 1, 1);
  NEED(said != NULL && strstr(said, "holds inf"));
  tfc_free_text(said);
  NEED(tfc_explain(p, NULL, 1, 0) == NULL && says("E1040"));
  NEED(tfc_explain(p, NULL, 0, 0) == NULL && says("E0701"));
  tfc_free_program(p);
}

/* Who gets a result may write it: nobody else sees that, neither the program's constants nor its other results. */
static void writing(void) {
  tfc_compiled *c = compiled(
      "tfir 1.0\nexport func @main() -> (a: f64[4], b: f64[4], wide: f64[3, 4]) {\n"
      "  %a: f64[4] = const([1.0, 2.0, 3.0, 4.0])\n"
      "  %wide: f64[3, 4] = broadcast_in_dim(%a, dims = [1])\n"
      "  return %a, %a, %wide\n}\n");
  for (int round = 0; round < 3; round++) {
    tfc_tensor *out[3];
    NEED(tfc_call(c, NULL, 0, out, 3) == 0);
    tfc_buffer view;
    for (int k = 0; k < 3; k++) {
      NEED(tfc_view(out[k], &view) == 0);
      for (int i = 0; i < 4; i++) NEED(((double *)view.data)[i * view.strides[k == 2]] == i + 1);
    }
    DLManagedTensor *a = tfc_to_dlpack(out[0]);
    NEED(a != NULL);
    memset(a->dl_tensor.data, 0x55, 4 * sizeof(double));
    DLManagedTensorVersioned *b = tfc_to_dlpack_versioned(out[1], 1);
    NEED(b != NULL && (b->flags & 1) == 0);
    for (int i = 0; i < 4; i++) NEED(((double *)((char *)b->dl_tensor.data + b->dl_tensor.byte_offset))[i] == i + 1);
    memset(b->dl_tensor.data, 0x55, 4 * sizeof(double));
    /* Each element has a place of its own. */
    DLManagedTensor *wide = tfc_to_dlpack(out[2]);
    NEED(wide != NULL);
    double *w = (double *)((char *)wide->dl_tensor.data + wide->dl_tensor.byte_offset);
    w[0] = 7;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 4; j++)
        NEED(w[i * wide->dl_tensor.strides[0] + j * wide->dl_tensor.strides[1]] == (i + j == 0 ? 7 : j + 1));
    a->deleter(a);
    b->deleter(b);
    wide->deleter(wide);
  }
  tfc_free_compiled(c);
  NEED(tfc_to_dlpack(NULL) == NULL && tfc_to_dlpack_versioned(NULL, 0) == NULL);
}

int main(void) {
  taking_over();
  gaps();
  explained();
  writing();
  printf("the border holds\n");
  return 0;
}
