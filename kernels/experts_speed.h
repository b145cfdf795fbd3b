// kernels/experts_speed.h — how fast does a processor compute the experts that one token chooses?
//
// In bytes of weights a second, as read_speed.h has the reading alone: with small experts, handing
// work to threads takes as long as reading. A dense feed-forward is one expert that is always
// chosen. Experts are random, of a type in short blocks, and together larger than the caches, as
// far as 256 MiB.
#ifndef KERNELS_EXPERTS_SPEED_H
#define KERNELS_EXPERTS_SPEED_H

#include "kernels/backend.h"

struct experts_shape {
    int32_t dim, width; // of what an expert reads, and of its inside
    int32_t used;       // of one token
};

// 0: there is no memory, or the device failed. Nothing else may run on the device, whose
// reservation it replaces; its memory is the host's.
double experts_speed_measure(const struct backend *backend, struct device *device,
                             const struct experts_shape *shape);

#endif
