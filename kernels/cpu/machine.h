// kernels/cpu/machine.h — what differs from one processor family to another. Private.
//
// CMake lists machine_x86_64.c with its isa_*.c, or machine_other.c.
#ifndef CPU_MACHINE_H
#define CPU_MACHINE_H

#include "kernels/cpu/isa.h"

// The best first, last one that is always available; a row of NULL ends the list.
extern const struct cpu_level machine_levels[];

void machine_pause(void); // in a loop that waits for another thread

#endif
