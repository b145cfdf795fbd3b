// kernels/numa.h — which memory is next to the threads that compute?
//
// On a machine with several memory nodes the system gives a page the node of the thread that first
// touches it. One thread loads the weights, so all of them would lie next to that one, and the
// threads of the other nodes would read through one link.
#ifndef KERNELS_NUMA_H
#define KERNELS_NUMA_H

#include <stdbool.h>
#include <stdint.h>

enum { NUMA_NODES_MAX = 64 };

// The memory nodes of the processors that `threads` threads of this process run on (0: all that it
// may use), as bits. 0: unknown, or the machine has one node. `root` stands before /sys, for tests;
// else "".
uint64_t numa_nodes(const char *root, int32_t threads);

// From now on what this thread allocates is spread over these nodes, or comes from the only one.
// False: the system refused, or whoever started the program has chosen (numactl); all is as it was.
bool numa_spread(uint64_t nodes);
void numa_end(void); // as it was before
#endif
