// kernels/cpu/machine_x86_64.c — Intel and AMD.
#include "kernels/cpu/machine.h"

static bool always(void) { return true; }

static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("f16c");
}

static bool has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vnni");
}

const struct machine_level machine_levels[] = {
    {&isa_avx512, has_avx512},
    {&isa_avx2, has_avx2},
    {&isa_generic, always},
    {0},
};

void machine_pause(void) { __builtin_ia32_pause(); }
