// kernels/numa.c — set_mempolicy() by its number, because that is all that libnuma would be for.
//
// Helpers are pinned one a physical core, lowest numbers first (cpu/threads.c), so with fewer
// threads than processors the first ones count.
#include "kernels/numa.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEFAULT = 0, PREFERRED = 1, INTERLEAVE = 3 }; // as the kernel numbers them

// Adds the processors of a list such as "0-3,8,10-11" to the set.
static void read_list(FILE *file, cpu_set_t *cpus) {
    int first, last;
    while (fscanf(file, "%d", &first) == 1) {
        last = first;
        int next = fgetc(file);
        if (next == '-' && fscanf(file, "%d", &last) == 1) next = fgetc(file);
        for (int cpu = first; cpu >= 0 && cpu <= last && cpu < CPU_SETSIZE; cpu++)
            CPU_SET((size_t)cpu, cpus);
        if (next != ',') return;
    }
}

// The first `threads` processors that we may use.
static bool used_processors(int32_t threads, cpu_set_t *cpus) {
    if (sched_getaffinity(0, sizeof *cpus, cpus) != 0) return false;
    int32_t left = threads > 0 ? threads : CPU_SETSIZE;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, cpus) && left-- <= 0) CPU_CLR((size_t)cpu, cpus);
    return true;
}

uint64_t numa_nodes(const char *root, int32_t threads) {
    cpu_set_t used;
    uint64_t nodes = 0;
    int known = 0;
    if (!used_processors(threads, &used)) return 0;
    for (int node = 0; node < NUMA_NODES_MAX; node++) {
        char path[PATH_MAX];
        cpu_set_t cpus, both;
        snprintf(path, sizeof path, "%s/sys/devices/system/node/node%d/cpulist", root, node);
        FILE *file = fopen(path, "r");
        if (!file) continue; // numbers may be missing
        CPU_ZERO(&cpus);
        read_list(file, &cpus);
        (void)fclose(file);
        known++;
        CPU_AND(&both, &cpus, &used);
        if (CPU_COUNT(&both) > 0) nodes |= (uint64_t)1 << node;
    }
    return known > 1 ? nodes : 0;
}

// Has nobody said where this thread's memory has to be, as numactl does?
static bool is_ours_to_choose(void) {
    int policy = -1;
    return syscall(SYS_get_mempolicy, &policy, NULL, 0, NULL, 0) == 0 && policy == DEFAULT;
}

bool numa_spread(uint64_t nodes) {
    const bool several = (nodes & (nodes - 1)) != 0;
    unsigned long mask = (unsigned long)nodes;
    return nodes != 0 && is_ours_to_choose() &&
           syscall(SYS_set_mempolicy, several ? INTERLEAVE : PREFERRED, &mask,
                   sizeof mask * CHAR_BIT + 1) == 0;
}

void numa_end(void) { (void)syscall(SYS_set_mempolicy, DEFAULT, NULL, 0); }
