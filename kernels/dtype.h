// kernels/dtype.h — the element types of weights and caches, and what their bytes mean.
//
// A type is a sequence of blocks of `block_elements` values in `block_bytes` bytes; the
// plain types have one element a block. Rows of a matrix are whole blocks, one after the
// other. dtype_to_float() is the definition that every kernel is tested against.
//
// Source: the GGUF specification and the block layouts of the ggml project (facts of the
// file format). All multi-byte fields are little-endian, and so must the machine be.
#ifndef KERNELS_DTYPE_H
#define KERNELS_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint16_t half; // the bits of an IEEE binary16; only kernels do arithmetic on it
typedef uint16_t bf16; // the bits of a bfloat16

//   id    block bytes, elements
#define DTYPE_MAP(X)              \
    X(F32, 4, 1, "f32")           \
    X(F16, 2, 1, "f16")           \
    X(BF16, 2, 1, "bf16")         \
    X(Q8_0, 34, 32, "q8_0")       \
    X(Q4_0, 18, 32, "q4_0")       \
    X(Q4_1, 20, 32, "q4_1")       \
    X(Q5_0, 22, 32, "q5_0")       \
    X(Q5_1, 24, 32, "q5_1")       \
    X(Q2_K, 84, 256, "q2_k")      \
    X(Q3_K, 110, 256, "q3_k")     \
    X(Q4_K, 144, 256, "q4_k")     \
    X(Q5_K, 176, 256, "q5_k")     \
    X(Q6_K, 210, 256, "q6_k")     \
    X(IQ4_NL, 18, 32, "iq4_nl")   \
    X(IQ4_XS, 136, 256, "iq4_xs") \
    X(MXFP4, 17, 32, "mxfp4")

#define DTYPE_ENUM(id, bytes, elements, name) DTYPE_##id,
enum dtype { DTYPE_MAP(DTYPE_ENUM) DTYPE_COUNT };
#undef DTYPE_ENUM

const char *dtype_name(enum dtype type);
bool dtype_find(const char *name, enum dtype *type); // case does not matter
int32_t dtype_block_elements(enum dtype type);
int32_t dtype_block_bytes(enum dtype type);

// Bytes of a row. `elements` is a multiple of the block's elements.
size_t dtype_row_bytes(enum dtype type, int32_t elements);

// The meaning of `elements` values (whole blocks) at `blocks`, rounded once to fp32.
void dtype_to_float(enum dtype type, const void *blocks, float *values, size_t elements);

// Fills whole blocks with random weights of mean about 0 and standard deviation about
// `deviation`; every scale is finite. For benchmarks and tests: not a quantiser.
void dtype_fill_random(enum dtype type, void *blocks, size_t elements, float deviation,
                       uint64_t seed);

float half_to_float(half value);
half float_to_half(float value); // round to nearest even, overflow to infinity
float bf16_to_float(bf16 value);
bf16 float_to_bf16(float value); // round to nearest even

#ifdef __cplusplus
}
#endif
#endif
