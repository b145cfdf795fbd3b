// kernels/cgroup.h — how much memory do the control groups of this process leave it?
//
// In a container, /proc/meminfo speaks of the whole machine. The limits of the container are those
// of the process's control group and of all groups above it, of version 1 or 2.
#ifndef KERNELS_CGROUP_H
#define KERNELS_CGROUP_H

#include <stddef.h>

struct cgroup_memory { // SIZE_MAX: no limit
    size_t limit;      // the smallest of the groups'
    size_t left;       // before one of them is reached; cached files count as free
};

// `root` stands before /proc and /sys, for tests; else "".
struct cgroup_memory cgroup_memory_read(const char *root);

#endif
