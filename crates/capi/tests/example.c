/* Trains a line by its gradient, and shows what is said where a call is wrong. Prints what tests/c.rs expects. */
#include "tfc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const char *LINE =
    "tfir 1.0\n"
    "export func @main<n>(%x: f64[n], %y: f64[n], %slope: f64[]) -> (loss: f64[]) {\n"
    "  %k: f64[n] = broadcast_in_dim(%slope, dims = [])\n"
    "  %line: f64[n] = mul(%k, %x)\n"
    "  %miss: f64[n] = sub(%line, %y)\n"
    "  %sq: f64[n] = mul(%miss, %miss)\n"
    "  %loss: f64[] = reduce_sum(%sq, axes = [0])\n"
    "  return %loss\n"
    "}\n";

static void need(int ok, const char *what) {
  if (!ok) {
    printf("%s failed: %s\n", what, tfc_error());
    exit(1);
  }
}
static int deleted = 0;
static void delete_it(DLManagedTensor *m) { deleted += m != NULL; }

int main(void) {
  tfc_program *program = tfc_parse(LINE, strlen(LINE), 0);
  need(program != NULL, "tfc_parse");
  size_t by = (size_t)tfc_input_position(program, "slope");
  tfc_program *both = tfc_differentiate(program, TFC_VALUE_AND_GRAD, &by, 1);
  need(both != NULL, "tfc_differentiate");
  printf("%zu inputs, %zu outputs\n", tfc_input_count(both), tfc_output_count(both));
  tfc_compiled *run = tfc_compile(both, 0);
  need(run != NULL, "tfc_compile");

  double x[] = {1, 2, 3, 4}, y[] = {2, 0, 4, 0, 6, 0, 8, 0}, slope = 0, loss = 0, g = 0;
  int64_t n = 4, two = 2;
  tfc_buffer in[] = {{x, TFC_F64, 1, &n, NULL}, {y, TFC_F64, 1, &n, &two}, {&slope, TFC_F64, 0, NULL, NULL}};
  tfc_buffer out[] = {{&loss, TFC_F64, 0, NULL, NULL}, {&g, TFC_F64, 0, NULL, NULL}};
  for (int i = 0; i < 60; i++) {
    need(tfc_run(run, in, 3, out, 2) == 0, "tfc_run");
    slope -= 0.01 * g;
  }
  printf("slope %.6f, loss %.6f\n", slope, loss);

  /* Tensors of the library's, and DLPack both ways. */
  tfc_tensor *made[2];
  need(tfc_call(run, in, 3, made, 2) == 0, "tfc_call");
  tfc_buffer view;
  need(tfc_view(made[1], &view) == 0, "tfc_view");
  printf("gradient of rank %d: %.3f\n", view.rank, *(double *)view.data);
  DLManagedTensor *shared = (DLManagedTensor *)tfc_to_dlpack(made[0]);
  need(shared != NULL, "tfc_to_dlpack");
  printf("dlpack: %d bits, rank %d\n", shared->dl_tensor.dtype.bits, shared->dl_tensor.ndim);
  shared->deleter(shared);
  tfc_free_tensor(made[1]);
  float data[] = {1, 2, 3, 4, 5, 6};
  int64_t shape[] = {2, 3};
  DLManagedTensor theirs = {{data, {1, 0}, 2, {2, 32, 1}, shape, NULL, 0}, NULL, delete_it};
  tfc_tensor *ours = tfc_from_dlpack(&theirs);
  need(ours != NULL, "tfc_from_dlpack");
  need(tfc_view(ours, &view) == 0, "tfc_view");
  printf("from dlpack: strides %d %d, same memory %d\n", (int)view.strides[0], (int)view.strides[1], view.data == data);
  printf("deleted %d", deleted);
  tfc_free_tensor(ours);
  printf(", then %d\n", deleted);
  theirs.dl_tensor.device.device_type = 2;
  if (tfc_from_dlpack(&theirs) == NULL) printf("%s\n", tfc_error());

  /* The loss at three slopes at once. */
  int64_t at[] = {TFC_NO_AXIS, TFC_NO_AXIS, -1}, slopes = 3;
  tfc_program *each = tfc_vmap(program, at, 3, NULL, 0);
  need(each != NULL, "tfc_vmap");
  tfc_compiled *run_each = tfc_compile(each, 0);
  need(run_each != NULL, "tfc_compile");
  double try[] = {1, 2, 3}, losses[3];
  tfc_buffer each_in[] = {in[0], in[1], {try, TFC_F64, 1, &slopes, NULL}}, each_out = {losses, TFC_F64, 1, &slopes, NULL};
  need(tfc_run(run_each, each_in, 3, &each_out, 1) == 0, "tfc_run");
  printf("losses %g %g %g\n", losses[0], losses[1], losses[2]);
  if (tfc_vmap(program, at, 2, NULL, 0) == NULL) printf("%s\n", tfc_error());
  tfc_free_compiled(run_each);
  tfc_free_program(each);

  /* What is wrong is said. */
  int64_t three = 3;
  tfc_buffer short_in[] = {in[0], {y, TFC_F64, 1, &three, NULL}, in[2]};
  if (tfc_run(run, short_in, 3, out, 2)) printf("%s\n", tfc_error());
  if (tfc_run(run, in, 3, out, 1)) printf("%s\n", tfc_error());
  tfc_buffer wrong[] = {{&loss, TFC_F32, 0, NULL, NULL}, out[1]};
  if (tfc_run(run, in, 3, wrong, 2)) printf("%s\n", tfc_error());
  if (tfc_run(NULL, in, 3, out, 2)) printf("%s\n", tfc_error());
  tfc_buffer odd[] = {{x, (tfc_dtype)77, 1, &n, NULL}, in[1], in[2]};
  if (tfc_run(run, odd, 3, out, 2)) printf("%s\n", tfc_error());
  if (tfc_parse("\xff", 1, 0) == NULL) printf("not a program: %d\n", strstr(tfc_error(), "error") != NULL);
  if (tfc_load("/no/such/file.tfir") == NULL) printf("no file: %d\n", strstr(tfc_error(), "E0601") != NULL);
  if (tfc_load("\xff.tfir") == NULL) printf("%s\n", tfc_error());
  if (tfc_input_position(program, "z") < 0) printf("%s\n", tfc_error());
  char *text = tfc_text(both);
  printf("text names its op: %d\n", strstr(text, "value_and_grad") != NULL);
  tfc_free_text(text);
  tfc_free_compiled(run);
  tfc_free_program(both);
  tfc_free_program(program);
  return 0;
}
