/* tfc from C: load a program, take its gradient, compile it, run it on your own memory.
 *
 * Functions that give a pointer give NULL on failure, those that give an int give 0 on success; tfc_error() says what was
 * wrong, until the next call of this thread. Programs and compiled programs may be used from several threads at once. What
 * is given as a pointer to be owned is freed by the function of its kind; NULL may be freed. */
#ifndef TFC_H
#define TFC_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tfc_program tfc_program;   /* a program of the language */
typedef struct tfc_compiled tfc_compiled; /* a program, compiled */
typedef struct tfc_tensor tfc_tensor;     /* a tensor that the library owns */

typedef enum tfc_dtype {
  TFC_BOOL, /* one byte, 0 or 1; another byte is an error */
  TFC_I32,
  TFC_I64,
  TFC_U32,
  TFC_U64,
  TFC_F32,
  TFC_F64,
  TFC_C32, /* two floats: real part, imaginary part */
  TFC_C64, /* two doubles */
  TFC_I8,
  TFC_I16,
  TFC_U8,
  TFC_U16,
  TFC_BF16, /* the upper half of a float */
  TFC_F16,  /* IEEE 754 binary16 */
  /* Numbers of at most eight bits: each has a byte of its own, of which only the lowest bits count. */
  TFC_I2,
  TFC_I4,
  TFC_U2,
  TFC_U4,
  TFC_F4E2M1FN,
  TFC_F6E2M3FN,
  TFC_F6E3M2FN,
  TFC_F8E3M4,
  TFC_F8E4M3,
  TFC_F8E4M3B11FNUZ,
  TFC_F8E4M3FN,
  TFC_F8E4M3FNUZ,
  TFC_F8E5M2,
  TFC_F8E5M2FNUZ
} tfc_dtype;

/* Elements in memory of the caller's. Inputs are read where they lie if they are aligned and nothing lies between them, and are copied
 * otherwise; bytes between elements are neither read nor written. */
typedef struct tfc_buffer {
  void *data;             /* the element at index 0, ..., 0 */
  tfc_dtype dtype;
  int32_t rank;
  const int64_t *shape;   /* rank extents */
  const int64_t *strides; /* in elements; NULL: dense, the first axis fastest */
} tfc_buffer;

typedef enum tfc_derivative { TFC_GRAD, TFC_VALUE_AND_GRAD, TFC_VJP, TFC_JVP, TFC_HVP } tfc_derivative;

/* What was wrong with the last call of this thread that failed; "" if none has. Owned by the library. */
const char *tfc_error(void);
const char *tfc_version(void);

/* A program from a file: .tfir, or .mlir with StableHLO text. */
tfc_program *tfc_load(const char *path);
/* A program from text of the language (mlir = 0) or StableHLO text (mlir = 1). */
tfc_program *tfc_parse(const char *text, size_t bytes, int mlir);
/* A derivative of a program by the inputs at n positions. */
tfc_program *tfc_differentiate(const tfc_program *program, tfc_derivative kind, const size_t *by, size_t n);
/* A program at many indices at once: input i has one more axis, in[i], along which the index runs, output i has it at out[i]; negative
 * axes count from the last, TFC_NO_AXIS says that the index does not run there. Where a count is 0, it is axis 0 everywhere. */
#define TFC_NO_AXIS INT64_MIN
tfc_program *tfc_vmap(const tfc_program *program, const int64_t *in, size_t in_count, const int64_t *out, size_t out_count);
/* Its text, to be freed by tfc_free_text. */
char *tfc_text(const tfc_program *program);
size_t tfc_input_count(const tfc_program *program);
size_t tfc_output_count(const tfc_program *program);
/* The position of the input or output of that name; -1 where there is none. */
int64_t tfc_input_position(const tfc_program *program, const char *name);
int64_t tfc_output_position(const tfc_program *program, const char *name);

/* Compiles for this machine's processor; threads = 0: as many as it has. */
tfc_compiled *tfc_compile(const tfc_program *program, uint32_t threads);
/* Runs a compiled program: reads the inputs where they lie, writes the outputs into memory of the caller's, whose dtypes and
 * shapes have to be those of the results. Inputs and outputs must not overlap. */
int tfc_run(const tfc_compiled *compiled, const tfc_buffer *inputs, size_t input_count, const tfc_buffer *outputs,
            size_t output_count);
/* As tfc_run, for results whose shapes are not known before: it gives tensors, which the caller frees. */
int tfc_call(const tfc_compiled *compiled, const tfc_buffer *inputs, size_t input_count, tfc_tensor **outputs,
             size_t output_count);
/* Where a NaN (or, where infinities is not 0, an infinity) of the results on these inputs comes from: the op that makes it, with its place,
 * or the input that it came in by; "" where no result has one. To be freed by tfc_free_text. */
char *tfc_explain(const tfc_program *program, const tfc_buffer *inputs, size_t input_count, int infinities);

/* Where the elements of a tensor lie: valid as long as the tensor is, and to be read only. */
int tfc_view(const tfc_tensor *tensor, tfc_buffer *view);
/* A tensor as a DLManagedTensor (DLPack 0.x); its deleter releases it. Who gets it may write its elements: nobody else sees them,
 * since they are copied where they are also a constant of the program, another result, or memory that was given to this library.
 * The tensor is freed by this call, also where it fails. */
struct DLManagedTensor;
struct DLManagedTensor *tfc_to_dlpack(tfc_tensor *tensor);
/* As a DLManagedTensorVersioned (DLPack 1.x). writing = 0: it is never copied, and the flag says that it is read only; otherwise as
 * tfc_to_dlpack, and a flag says whether it was copied. */
struct DLManagedTensorVersioned;
struct DLManagedTensorVersioned *tfc_to_dlpack_versioned(tfc_tensor *tensor, int writing);
/* A tensor of a DLManagedTensor on the CPU, without a copy where its elements are aligned and nothing lies between them; bytes
 * between elements are not read. It is taken over: its deleter is called when the library has done with it, and nobody writes its
 * elements until then. On failure it is left to the caller as it was. */
tfc_tensor *tfc_from_dlpack(struct DLManagedTensor *managed);
tfc_tensor *tfc_from_dlpack_versioned(struct DLManagedTensorVersioned *managed);

void tfc_free_program(tfc_program *program);
void tfc_free_compiled(tfc_compiled *compiled);
void tfc_free_tensor(tfc_tensor *tensor);
void tfc_free_text(char *text);

#ifdef __cplusplus
}
#endif
#endif
