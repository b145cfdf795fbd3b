// kernels/cpu/machine_other.c — a processor that we know nothing about.
#include "kernels/cpu/machine.h"

static bool always(void) { return true; }

const struct machine_level machine_levels[] = {
    {&isa_generic, always},
    {0},
};

void machine_pause(void) {}
