// kernels/cpu/isa_generic.c — the inner loops, for any processor.
#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "kernels/base/assert.h"
#include "kernels/blocks.h"
#include "kernels/cpu/simd_generic.h"
#include "kernels/host.h"

#include "kernels/cpu/common.inc"
#include "kernels/cpu/elementwise.inc"
#include "kernels/cpu/plain.inc"
#include "kernels/cpu/quantized.inc"

#include "kernels/cpu/attention.inc"

#define ISA_NAME         isa_generic
#define ISA_TEXT         "generic"
#define LINEAR_QUANTIZED linear_quantized
#include "kernels/cpu/table.inc"
