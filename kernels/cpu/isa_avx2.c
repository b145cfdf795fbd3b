// kernels/cpu/isa_avx2.c — the inner loops, AVX2, FMA and F16C.
#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "kernels/base/assert.h"
#include "kernels/blocks.h"
#include "kernels/cpu/simd_avx2.h"
#include "kernels/host.h"

#include "kernels/cpu/common.inc"
#include "kernels/cpu/elementwise.inc"
#include "kernels/cpu/plain.inc"
#include "kernels/cpu/quantized.inc"
#include "kernels/cpu/segments.inc"

#include "kernels/cpu/attention.inc"

#define ISA_NAME         isa_avx2
#define ISA_TEXT         "avx2"
#define LINEAR_QUANTIZED linear_quantized_or_segments
#include "kernels/cpu/table.inc"
