// kernels/resident_experts.h — where do the card's copies of recently used experts lie, and how do
// its kernels find them?
//
// The card computes every expert that a token chose, from a list of pointers for each matrix of a
// layer. An expert that has no copy has a matrix of zeros in its place, so it adds nothing but its
// bias, and the processor, which computes it, adds the rest. So a recorded step is the same
// whatever has copies: only the lists change, between two steps.
//
// The zeros stay in the card's cache and cost no memory traffic.
//
// Slots lie in slabs of card memory, some of its own and behind them some that are lent. Owns the
// lists. Private to kernels/.
#ifndef RESIDENT_EXPERTS_H
#define RESIDENT_EXPERTS_H

#include "kernels/backend.h"
#include "kernels/expert_slots.h"

struct resident_experts;

struct resident_limits {
    int32_t layers, experts; // experts: of each layer; one with another number gets no slots
    int32_t slots;           // of its own, at most; fewer where memory is taken by others
    size_t lent_bytes;       // that slabs may be lent of, at most
    size_t expert_bytes;     // of the largest expert, as it lies on the card
};

// With as many slots as there is memory for, up to what is wanted.
MUST_CHECK enum status resident_experts_create(const struct backend *card, struct device *on_card,
                                               const struct resident_limits *limits,
                                               struct resident_experts **result);
void resident_experts_destroy(struct resident_experts *resident); // NULL is fine

// The layer with these weights in host memory, from now on; -1: it gets no slots.
int32_t resident_experts_layer(struct resident_experts *resident, const struct experts *args);

// Puts the lists on the card in place of weights in host memory.
void resident_experts_on_card(const struct resident_experts *resident, int32_t layer,
                              struct experts *args);

// Does the card compute this expert in this step? By the thread that computes on the host.
bool resident_experts_look(struct resident_experts *resident, int32_t layer, int32_t expert);

// While a step runs, and beside look(): begins the copies that the end of the last one has planned,
// or, where the card has no memory for them, leaves the rest to the next step.
void resident_experts_copy(struct resident_experts *resident);

// After a step that failed, instead of move(): its copies may not have been made, nor the lists and
// the zeros that came with it, so the next step begins all of them again.
void resident_experts_copy_again(struct resident_experts *resident);

// Between two steps: what was copied is used from now on, and the next copies are planned. Once all
// layers are known it fills empty slots, and waits for that.
void resident_experts_move(struct resident_experts *resident);

// As offload.h says.
size_t resident_experts_slab_bytes(const struct resident_experts *resident);
bool resident_experts_lend(struct resident_experts *resident, void *memory);
bool resident_experts_wants_slab(const struct resident_experts *resident);
void resident_experts_take_back(struct resident_experts *resident);
int32_t resident_experts_slots(const struct resident_experts *resident); // that there are now
struct expert_slots_counts resident_experts_counts(const struct resident_experts *resident);
struct expert_slots_lately resident_experts_lately(const struct resident_experts *resident);

#endif
