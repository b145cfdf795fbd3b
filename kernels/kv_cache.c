#include "kernels/kv_cache.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "kernels/base/assert.h"

bool kv_type_find(const char *name, enum dtype *type) {
    static const enum dtype types[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_FP8, DTYPE_INT8};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcasecmp(name, dtype_name(types[i])) == 0) {
            *type = types[i];
            return true;
        }
    return false;
}

float kv_scale(enum dtype type, float highest) {
    ASSERT(kv_is_scaled(type));
    if (!isfinite(highest)) return NAN;
    if (highest < 0x1p-100F) return 0;
    const float scale = highest / (type == DTYPE_FP8 ? 448.0F : 127.0F);
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    return bf16_to_float((bf16)((bits + 0xFFFF) >> 16)); // rounded up
}

uint8_t kv_quantize(enum dtype type, float value, float scale) {
    if (!(scale > 0)) return 0;
    const float quotient = value * (1 / scale);
    return type == DTYPE_FP8 ? float_to_fp8(quotient) : (uint8_t)(int8_t)rintf(quotient);
}
