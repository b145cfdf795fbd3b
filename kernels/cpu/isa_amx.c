// kernels/cpu/isa_amx.c — products and attention of many tokens on AMX, which supplement the loops
// of isa_avx512.c.
#include <assert.h>
#include <math.h>
#include <stdalign.h>
#include <stddef.h>

#include "kernels/base/assert.h"
#include "kernels/blocks.h"
#include "kernels/cpu/simd_amx.h"
#include "kernels/host.h"

#include "kernels/cpu/common.inc"

#include "kernels/cpu/unpack.inc"
#include "kernels/cpu/unpack_grids.inc"

#include "kernels/cpu/tile_coord.inc"

#include "kernels/cpu/matrix.inc"
#include "kernels/cpu/pairs.inc"

#include "kernels/cpu/attention.inc"
#include "kernels/cpu/attention_pairs.inc"

const struct cpu_matrix matrix_amx = {
    .name = "amx",
    .linear_quantized = matrix_quantized,
    .split = split,
    .linear_pairs = linear_pairs,
    .attention = attention_pairs,
};
