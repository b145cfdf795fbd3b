// kernels/ghost_slots.h — how often would copies of experts be hit, if there were any?
//
// A plan may do without copies (engine/model/placement.h) because on another text they were hit too
// rarely. So hits are still counted, with slots that hold nothing: expert_slots.h with slots for a
// quarter of the experts, in which every copy arrives at once.
//
// Threads: look() is called on the thread that computes on the host, layer() on the thread that
// enqueues a step, everything else between two steps. Private to kernels/.
#ifndef GHOST_SLOTS_H
#define GHOST_SLOTS_H

#include "kernels/expert_slots.h"

struct ghost_slots;

MUST_CHECK enum status ghost_slots_create(int32_t layers, int32_t experts,
                                          struct ghost_slots **result);
void ghost_slots_destroy(struct ghost_slots *ghosts); // NULL is fine

// The number of the layer with these weights, which it keeps from now on; -1: all numbers are
// taken.
int32_t ghost_slots_layer(struct ghost_slots *ghosts, const void *weights);

void ghost_slots_look(struct ghost_slots *ghosts, int32_t layer, const int32_t *chosen,
                      int32_t count);
void ghost_slots_end_step(struct ghost_slots *ghosts);
struct expert_slots_lately ghost_slots_lately(const struct ghost_slots *ghosts);

#endif
