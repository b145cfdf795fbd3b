// kernels/part_speed.h — how long do tokens take for a feed-forward in host memory?
//
// Computes a layer's experts, or its dense feed-forward, as a decode step does, on a processor
// alone or on a card whose weights are in_host (offload.h). So it contains what the reading speed
// of read_speed.h lacks: handing work to threads, and on a card the crossing to the processor and
// back, as often in a row as a step has them.
//
// Weights are random, and many enough that caches cannot hold them.
#ifndef KERNELS_PART_SPEED_H
#define KERNELS_PART_SPEED_H

#include "kernels/backend.h"

struct part_shape {
    int32_t dim, width; // of what a feed-forward or an expert reads, and of its inside
    int32_t used;       // experts of a token; 0: it is dense
    enum dtype type;    // F32, or one whose blocks divide both
};

struct part_speed {
    double seconds; // of one part and all its tokens; 0: there is no memory, or the device failed
    size_t bytes;   // of weights that were read in it
};

struct part_trial {
    struct part_shape shape;
    int32_t tokens; // a step; they all choose the same experts
    bool in_host;
    double pause_s; // how long the device does something else between two parts, which is not
                    // counted
};

// Nothing else may run on the device, whose reservation it replaces.
struct part_speed part_speed_measure(const struct backend *backend, struct device *device,
                                     const struct part_trial *how);

#endif
