// kernels/expert_slots.h — which experts in host memory have a copy on the card now?
//
// Tokens of a text tend to choose the same experts as the tokens before them. So the memory that a
// card has left is cut into slots, and a slot holds one expert of one layer until others have been
// used more recently. Plain numbers only: resident_experts.h copies, and knows where slots lie.
//
//   missing ── a token missed it; take() ──► coming ── arrive() ──► held ── evicted by take() ──┐
//      ▲                                                                                        │
//      └────────────────────────────────────────────────────────────────────────────────────────┘
//
// During a step look() says what is held and notes what is used; nothing moves. Between two steps
// take() says which expert to copy next, and to which slot.
//
// Invariants, checked by expert_slots_check():
//   (1) An expert that is held or coming has one slot, and that slot has no other.
//   (2) The order of use has every held slot once, and no other. Slots that nobody has used yet are
//       the oldest in it; giving one up costs nothing.
//   (3) What a step has used is not evicted before the next step.
//
// All layers share the slots. Every token passes every layer once, so each layer gets about an
// equal share of them; a layer whose tokens are less alike gets more.
//
// Threads: one at a time; a step's looks come before the moves that follow it.
#ifndef EXPERT_SLOTS_H
#define EXPERT_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/status.h"

struct expert_slots;

struct expert_move {
    int32_t layer, expert, slot;           // copy this one there
    int32_t evicted_layer, evicted_expert; // what the slot held; -1: nothing
};

struct expert_slots_counts {
    int64_t hits, misses; // of look()
    int64_t moves;
};

struct expert_slots_lately { // shares in the same steps
    double hits;             // of looks
    double held;             // of all experts
};

MUST_CHECK enum status expert_slots_create(int32_t layers, int32_t experts, int32_t slots,
                                           struct expert_slots **result);
void expert_slots_destroy(struct expert_slots *all); // NULL is fine

// Is the expert held? Notes that a token uses it.
bool expert_slots_look(struct expert_slots *all, int32_t layer, int32_t expert);

// Which of the missed experts to copy next. False: none, or none is worth the slot that it takes.
bool expert_slots_take(struct expert_slots *all, struct expert_move *move);

// The next expert to copy into an empty slot although nobody has used it: the first ones of each
// layer, equally many of each. If routing does not repeat itself, they are as good as any. False:
// no slot is empty.
bool expert_slots_fill(struct expert_slots *all, struct expert_move *move);

// Call it when a copy is done. False: its slot was given up meanwhile.
bool expert_slots_arrive(struct expert_slots *all, const struct expert_move *move);
void expert_slots_end_step(struct expert_slots *all); // its misses are forgotten

// Gives up the last slot, and says which expert it held or was to hold; -1: none. False: there is
// no slot left.
bool expert_slots_drop_last(struct expert_slots *all, int32_t *layer, int32_t *expert);

void expert_slots_add_last(struct expert_slots *all); // an empty one that was given up before

int32_t expert_slots_count(const struct expert_slots *all);
struct expert_slots_counts expert_slots_counts(const struct expert_slots *all);
struct expert_slots_lately expert_slots_lately(const struct expert_slots *all);
void expert_slots_check(const struct expert_slots *all);

#endif
