// kernels/resident_experts.h — where do the card's copies of recently used experts lie, and how do
// its kernels find them?
//
// The card computes every expert that a token chose, by a list of pointers for each matrix of a
// layer. If an expert has no copy, its pointer leads to a matrix of zeros. So the card adds only
// its bias, and the processor, which computes it, adds the rest. A recorded step is therefore the
// same whichever experts have copies: only the lists change, between two steps.
//
// The zeros stay in the card's cache and cost no memory traffic.
//
// Slots lie in slabs of card memory: first some of its own, then some that are lent. Owns the lists
// and its own slabs. Private to kernels/.
#ifndef RESIDENT_EXPERTS_H
#define RESIDENT_EXPERTS_H

#include "kernels/backend.h"
#include "kernels/expert_slots.h"

struct resident_experts;

struct resident_limits {
    int32_t layers, experts; // experts: of each layer; one with another number gets no slots
    int32_t slots;           // of its own, at most; fewer if others have taken the memory
    size_t lent_bytes;       // of all slabs that may be lent, at most
    size_t expert_bytes;     // of the largest expert, as it lies on the card
};

// Makes as many slots as there is memory for, up to the limit.
MUST_CHECK enum status resident_experts_create(const struct backend *card, struct device *on_card,
                                               const struct resident_limits *limits,
                                               struct resident_experts **result);
void resident_experts_destroy(struct resident_experts *resident); // NULL is fine

// The number of the layer with these weights, which it keeps from now on; -1: it gets no slots.
int32_t resident_experts_layer(struct resident_experts *resident, const struct experts *args);

// Replaces the weights of *args, which are in host memory, by the lists on the card.
void resident_experts_on_card(const struct resident_experts *resident, int32_t layer,
                              struct experts *args);

// Does the card compute this expert in this step? Called by the thread that computes on the host.
bool resident_experts_look(struct resident_experts *resident, int32_t layer, int32_t expert);

// Called while a step runs, at the same time as look(): begins the copies that were planned at the
// end of the last step. If the card has no memory for them, the rest is left to the next step.
void resident_experts_copy(struct resident_experts *resident);

// Called after a step that failed, instead of move(). Its copies, lists and zeros may not have
// reached the card, so the next step begins all of them again.
void resident_experts_copy_again(struct resident_experts *resident);

// Called between two steps: what was copied is used from now on, and the next copies are planned.
// Once all layers are known, it fills the empty slots and waits for that.
void resident_experts_move(struct resident_experts *resident);

// As offload.h says.
size_t resident_experts_slab_bytes(const struct resident_experts *resident);
bool resident_experts_lend(struct resident_experts *resident, void *memory);
bool resident_experts_wants_slab(const struct resident_experts *resident);
void resident_experts_take_back(struct resident_experts *resident);
int32_t resident_experts_slots(const struct resident_experts *resident); // as many as there are now
struct expert_slots_counts resident_experts_counts(const struct resident_experts *resident);
struct expert_slots_lately resident_experts_lately(const struct resident_experts *resident);

#endif
