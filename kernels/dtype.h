// kernels/dtype.h — the element types of weights and caches, and what their bytes mean.
//
// A type is a sequence of blocks of `block_elements` values in `block_bytes` bytes; the plain types
// have one element a block. Rows of a matrix are whole blocks, one after the other.
// dtype_to_float() is the definition that every kernel is tested against. Cached keys and values
// have two more types, with one byte an element: FP8, an e4m3 (half.h), and INT8, a signed integer.
// Functions that are not about blocks accept them too.
//
// Source: the GGUF specification and the block layouts of the ggml project (facts of the
// file format). All multi-byte fields are little-endian, and so must the machine be.
#ifndef KERNELS_DTYPE_H
#define KERNELS_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/dtype_table.h"
#include "kernels/half.h"

#ifdef __cplusplus
extern "C" {
#endif

const char *dtype_name(enum dtype type);
bool dtype_find(const char *name, enum dtype *type); // of weights; case does not matter
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

// Sets the scale of a block's values, and their min where the type has one. If scales are powers of
// two, the next lower one is set.
void dtype_set_scale(enum dtype type, void *block, float scale, float min);

#ifdef __cplusplus
}
#endif
#endif
