// tests/device/instances.cu — the kernels of TYPE, FORMAT, BLOCK and HEADS_PER_BLOCK for one of
// the lists of head sizes below; the build sets these.
#include "tests/device/instances.cuh"

#include "kernels/cuda/paged_attention_kernel.cuh"

#define SIZES_ALL   32, 64, 80, 96, 112, 120, 128, 192, 256
#define SIZES_OF_16 32, 64, 80, 96, 112, 128, 192, 256
#define SIZES_SOME  64, 80, 128
#define SIZES_ODD   64, 120, 128

template <enum dtype type> struct scalar;
template <> struct scalar<DTYPE_F16> { typedef __half type; };
template <> struct scalar<DTYPE_BF16> { typedef __nv_bfloat16 type; };
template <> struct scalar<DTYPE_F32> { typedef float type; };
typedef scalar<TYPE>::type scalar_t;
typedef std::conditional<FORMAT == CACHE_FP8_E4M3, fp8, scalar_t>::type cache_t;

static packed_kernel of_size(int head_size) {
    return kernel_of_size<scalar_t, cache_t, BLOCK, HEADS_PER_BLOCK, HEAD_SIZES>(head_size);
}

static struct adder {
    struct instances instances;
    adder() : instances{{TYPE, FORMAT, 0, BLOCK, HEADS_PER_BLOCK}, of_size, nullptr} {
        instances_add(&instances);
    }
} added;
