// kernels/cpu/machine_other.c — a processor that we know nothing about.
#include "kernels/cpu/machine.h"

static bool always(void) { return true; }

const struct cpu_level machine_levels[] = {
    {&isa_generic, NULL, always},
    {0},
};

void machine_pause(void) {}
