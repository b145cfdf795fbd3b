// kernels/cpu/machine_x86_64.c — Intel and AMD.
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernels/cpu/machine.h"

static bool always(void) { return true; }

static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("f16c");
}

// Bit 4 of EAX of CPUID's leaf 7, subleaf 1; compilers' names for it came late.
static bool has_avxvnni(void) {
    enum { LEAF = 7, SUBLEAF = 1, AVX_VNNI = 1 << 4 };
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return has_avx2() && __get_cpuid_count(LEAF, SUBLEAF, &eax, &ebx, &ecx, &edx) &&
           (eax & AVX_VNNI) != 0;
}

static bool has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vnni");
}

// A process must request the tile registers from the kernel before it uses them. The numbers are
// those of Linux' asm/prctl.h and of the XSAVE component that holds the registers.
static bool has_amx(void) {
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    return has_avx512() && __builtin_cpu_supports("amx-tile") &&
           __builtin_cpu_supports("amx-int8") && __builtin_cpu_supports("amx-bf16") &&
           __builtin_cpu_supports("avx512bf16") &&
           syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

const struct cpu_level machine_levels[] = {
    {&isa_avx512, &matrix_amx, has_amx}, {&isa_avx512, NULL, has_avx512},
    {&isa_avxvnni, NULL, has_avxvnni},   {&isa_avx2, NULL, has_avx2},
    {&isa_generic, NULL, always},        {0},
};

void machine_pause(void) { __builtin_ia32_pause(); }
