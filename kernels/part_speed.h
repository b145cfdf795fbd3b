// kernels/part_speed.h — how long do tokens take for a feed-forward in host memory?
//
// Computes a layer's experts, or its dense feed-forward, as a decode step does, either on a
// processor alone or on a card whose weights are in_host (offload.h). So unlike the reading speed
// of read_speed.h, the time includes handing work to threads, and with a card the crossing to the
// processor and back, as often in a row as in a step.
//
// Weights are random, and many enough that caches cannot hold them.
#ifndef KERNELS_PART_SPEED_H
#define KERNELS_PART_SPEED_H

#include "kernels/backend.h"

struct part_shape {
    int32_t dim, width; // of a feed-forward's or expert's input, and of its hidden rows
    int32_t used;       // experts of a token; 0: it is dense
    enum dtype type;    // F32, or one whose blocks divide both
};

struct part_speed {
    double seconds; // for one part and all tokens; 0: there is no memory, or the device failed
    size_t bytes;   // of weights read meanwhile
};

struct part_trial {
    struct part_shape shape;
    int32_t tokens; // in each step; all choose the same experts
    bool in_host;
    double pause_s; // how long the device does something else between two parts; not counted
};

// Nothing else may run on the device. Replaces its reservation.
struct part_speed part_speed_measure(const struct backend *backend, struct device *device,
                                     const struct part_trial *how);

#endif
