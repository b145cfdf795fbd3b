// kernels/cpu/isa.c — picks the instruction set.
#include "kernels/cpu/isa.h"

#include <stdio.h>
#include <string.h>

#include "kernels/cpu/machine.h"

static const struct cpu_level *forced;

const struct cpu_level *isa_choose(void) {
    if (forced) return forced;
    const struct cpu_level *level = machine_levels;
    while (!level->available())
        level++;
    return level;
}

static const char *name_of(const struct cpu_level *level) {
    return level->matrix ? level->matrix->name : level->isa->name;
}

bool isa_force(const char *name) {
    if (!name) {
        forced = NULL;
        return true;
    }
    for (const struct cpu_level *level = machine_levels; level->isa; level++)
        if (strcmp(name_of(level), name) == 0 && level->available()) {
            forced = level;
            return true;
        }
    return false;
}

void isa_names(char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (const struct cpu_level *level = machine_levels; level->isa; level++) {
        if (!level->available()) continue;
        const int length =
            snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", name_of(level));
        if (length < 0 || (size_t)length >= size - used) return;
        used += (size_t)length;
    }
}
