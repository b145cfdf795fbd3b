// kernels/dtype_table.h — the table of types that dtype.h answers from.
#ifndef KERNELS_DTYPE_TABLE_H
#define KERNELS_DTYPE_TABLE_H

// All facts about a type, one row each. A new type needs this row, its layout and values in
// blocks.h or grids.h, one unpacking for each backend, and its definition in the tests.
//
//   id, name, number in a GGUF file, bytes and elements of a block;
//   for random blocks: form and offset of the scale, root mean square of random bits at a scale
//   of 1, and the min, in scales, that makes their mean 0 (PAIR only)
#define PLAIN_DTYPE_MAP(X)              \
    X(F32, f32, 0, 4, 1, NONE, 0, 1, 0) \
    X(F16, f16, 1, 2, 1, NONE, 0, 1, 0) \
    X(BF16, bf16, 30, 2, 1, NONE, 0, 1, 0)

#define PACKED_DTYPE_MAP(X)                              \
    X(Q8_0, q8_0, 8, 34, 32, HALF, 0, 73.9F, 0)          \
    X(Q4_0, q4_0, 2, 18, 32, HALF, 0, 4.64F, 0)          \
    X(Q4_1, q4_1, 3, 20, 32, PAIR, 0, 4.61F, -7.5F)      \
    X(Q5_0, q5_0, 6, 22, 32, HALF, 0, 9.25F, 0)          \
    X(Q5_1, q5_1, 7, 24, 32, PAIR, 0, 9.23F, -15.5F)     \
    X(Q2_K, q2_k, 10, 84, 256, PAIR, 80, 13.87F, 1.5F)   \
    X(Q3_K, q3_k, 11, 110, 256, HALF, 108, 43.3F, 0)     \
    X(Q4_K, q4_k, 12, 144, 256, PAIR, 0, 258.3F, 7.5F)   \
    X(Q5_K, q5_k, 13, 176, 256, PAIR, 0, 526.9F, 15.5F)  \
    X(Q6_K, q6_k, 14, 210, 256, HALF, 208, 1365.7F, 0)   \
    X(IQ4_NL, iq4_nl, 20, 18, 32, HALF, 0, 67.4F, 0)     \
    X(IQ4_XS, iq4_xs, 23, 136, 256, HALF, 0, 1246.0F, 0) \
    X(MXFP4, mxfp4, 39, 17, 32, EXPONENT, 0, 2.926F, 0)  \
    X(NVFP4, nvfp4, 40, 36, 64, FP8S, 0, 2.926F, 0)      \
    X(IQ1_S, iq1_s, 19, 50, 256, HALF, 0, 7.2F, 0)       \
    X(IQ1_M, iq1_m, 29, 56, 256, QUARTERS, 48, 7.19F, 0) \
    X(IQ2_XXS, iq2_xxs, 16, 66, 256, HALF, 0, 53.1F, 0)  \
    X(IQ2_XS, iq2_xs, 17, 74, 256, HALF, 0, 55.9F, 0)    \
    X(IQ2_S, iq2_s, 22, 82, 256, HALF, 0, 56.5F, 0)      \
    X(IQ3_XXS, iq3_xxs, 18, 98, 256, HALF, 0, 142.3F, 0) \
    X(IQ3_S, iq3_s, 21, 110, 256, HALF, 0, 141.4F, 0)    \
    X(TQ1_0, tq1_0, 34, 54, 256, HALF, 52, 0.817F, 0)    \
    X(TQ2_0, tq2_0, 35, 66, 256, HALF, 64, 1.225F, 0)

#define DTYPE_MAP(X) PLAIN_DTYPE_MAP(X) PACKED_DTYPE_MAP(X)

// Elements of cached keys and values, never of weights. They are multiplied by a scale that the
// cache stores next to them (kv_cache.h).
//
//   id, name, bytes of an element
#define CACHE_DTYPE_MAP(X) X(FP8, fp8, 1) X(INT8, int8, 1)

// DTYPE_COUNT: of the types that a weight can have.
#define DTYPE_ENUM(id, ...) DTYPE_##id,
enum dtype { DTYPE_MAP(DTYPE_ENUM) DTYPE_COUNT, CACHE_DTYPE_MAP(DTYPE_ENUM) };
#undef DTYPE_ENUM

#endif
