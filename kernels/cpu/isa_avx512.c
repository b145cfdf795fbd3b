// kernels/cpu/isa_avx512.c — the inner loops, AVX-512 with VNNI.
#include <assert.h>
#include <math.h>
#include <stdalign.h>
#include <stddef.h>

#include "kernels/base/assert.h"
#include "kernels/blocks.h"
#include "kernels/cpu/simd_avx512.h"
#include "kernels/host.h"

#include "kernels/cpu/common.inc"
#include "kernels/cpu/elementwise.inc"
#include "kernels/cpu/plain.inc"
#include "kernels/cpu/quantized.inc"
#include "kernels/cpu/segments.inc"

#include "kernels/cpu/rows.inc"

#include "kernels/cpu/attention.inc"

#define ISA_NAME         isa_avx512
#define ISA_TEXT         "avx512"
#define LINEAR_QUANTIZED linear_quantized_or_rows
#include "kernels/cpu/table.inc"
