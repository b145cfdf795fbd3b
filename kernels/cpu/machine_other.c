// kernels/cpu/machine_other.c — a processor family without code of its own.
#include "kernels/cpu/machine.h"

static bool always(void) { return true; }

const struct cpu_level machine_levels[] = {
    {&isa_generic, NULL, always},
    {0},
};

void machine_pause(void) {}
