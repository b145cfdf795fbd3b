// kernels/cuda/types.cu — the table of types.cuh.
#include "kernels/cuda/types.cuh"

const struct type_kernels *type_kernels(enum dtype kept) {
    switch (kept) {
#define CASE(id, ...) \
    case DTYPE_##id:  \
        return &kernels_##id;
        CASE(F32, )
        CASE(F16, )
        PACKED_DTYPE_MAP(CASE)
#undef CASE
    case DTYPE_BF16: // fp16 on the card
    case DTYPE_COUNT:
    case DTYPE_FP8:
    case DTYPE_INT8:
        break;
    }
    ASSERT(false);
    return nullptr;
}
