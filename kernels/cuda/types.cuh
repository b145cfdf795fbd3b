// kernels/cuda/types.cuh — the kernels of each type that a matrix on the card may have.
//
// A type is a row of PACKED_DTYPE_MAP in kernels/dtype_table.h, its fragment (tiles.cuh) and how
// loading fills it (repack.cuh). types.cmake compiles type.cu once for each type, with TYPE_ID its
// id; that defines the type's row of the table. A new kind of kernel that depends on the type is a
// header that type.cu includes, and one more member here.
#pragma once
#include "kernels/cuda/tiles.cuh"

struct gemv;
struct expert_product;
struct expert_sum;

struct type_kernels {
    // Bytes of a matrix on the card, and its repacking from a file's bytes that lie there already.
    // Has a weight been too large for fp16 since the last question? Waits, where one can be.
    size_t (*bytes)(const struct weight *w);
    void (*repack)(struct device *device, void *to, const struct weight *in_file);
    bool (*exceeds)(struct device *device);
    // Rows of w from `first` on, a multiple of TILE_ROWS, as rows of fp16: written to `to`, or for
    // F16 left where they are.
    const __half *(*unpack)(struct device *device, __half *to, const struct weight *w,
                            int32_t first, int32_t rows);
    void (*embedding)(struct device *device, const struct embedding *args);
    // Products with matrices that gemv_fits(), which excludes F32. stream_k returns how many tokens
    // it computed.
    void (*gemv)(struct device *device, const struct gemv *args);
    int32_t (*stream_k)(struct device *device, const struct gemv *args);
    // Products of mixtures. experts_alone returns false if there is too little shared memory for
    // it; experts_many, which F32 does not have, takes items of up to many_slots().
    void (*experts_few)(struct device *device, const struct expert_product *args);
    bool (*experts_alone)(struct device *device, const struct expert_sum *args);
    void (*experts_many)(struct device *device, const struct expert_product *args,
                         int32_t item_slots);
    int32_t (*many_slots)(const struct device *device);
};

// The row of a type that kept_type() returns.
const struct type_kernels *type_kernels(enum dtype kept);

// The rows: kernels_Q4_K and so on, each defined by type.cu.
#define ROW(id, ...) extern const struct type_kernels kernels_##id;
ROW(F32, )
ROW(F16, )
PACKED_DTYPE_MAP(ROW)
#undef ROW
