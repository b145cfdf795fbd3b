// kernels/cpu/isa.c — picks the instruction set.
#include "kernels/cpu/isa.h"

#include <string.h>

#include "kernels/cpu/machine.h"

static const struct cpu_isa *forced;

const struct cpu_isa *isa_choose(void) {
    if (forced) return forced;
    const struct machine_level *level = machine_levels;
    while (!level->available())
        level++;
    return level->isa;
}

bool isa_force(const char *name) {
    if (!name) {
        forced = NULL;
        return true;
    }
    for (const struct machine_level *level = machine_levels; level->isa; level++)
        if (strcmp(level->isa->name, name) == 0 && level->available()) {
            forced = level->isa;
            return true;
        }
    return false;
}
