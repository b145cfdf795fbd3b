// kernels/cpu/isa_avxvnni.c — the inner loops, AVX2 with VNNI.
#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "kernels/base/assert.h"
#include "kernels/blocks.h"
#include "kernels/cpu/simd_avxvnni.h"
#include "kernels/host.h"

#include "kernels/cpu/common.inc"
#include "kernels/cpu/elementwise.inc"
#include "kernels/cpu/plain.inc"
#include "kernels/cpu/quantized.inc"
#include "kernels/cpu/segments.inc"

#include "kernels/cpu/attention.inc"

#define ISA_NAME         isa_avxvnni
#define ISA_TEXT         "avxvnni"
#define LINEAR_QUANTIZED linear_quantized_or_segments
#include "kernels/cpu/table.inc"
