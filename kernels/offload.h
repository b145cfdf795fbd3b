// kernels/offload.h — how does a card compute with weights that lie in host memory?
//
// A backend made of two: a card, and the processor next to it. Every op goes to the card, except
// ops of feed-forwards whose weights are in_host (struct weight): linear, gated_linear and experts.
// For these, the input rows and the router's choices go to pinned memory, the processor computes,
// and the card picks up the results. So callers build a step as for any other backend.
//
//   card   ── ops ──► ask_host ─┐                   ┌─► take_answer ──► ops ──►
//   worker                      └─► its op, reply ──┘
//
// Everything is enqueued in the card's order: the caller never waits for the host before sync(),
// and a recorded step includes what the host computes in it. Norms are computed on the card. A
// thread of this device answers the card (offload_worker.h); for a card without ask_host() the rows
// are copied, and the card's queue calls a function on the host.
//
// The processor computes small batches. For large ones the weights cross instead, op by op, into a
// buffer on the card (its slot), and the card computes (weight_stream.h). A deterministic device
// does not do that, because a row must have the same bits in any batch. Without a slot, or if a
// matrix or an expert is too large for it, the processor computes large batches, too, in chunks of
// its batch_tokens.
//
// Recently used experts of a mixture have copies on the card, in slots of their own
// (expert_slots.h). The card then computes those that a token chose while the processor computes
// the others, and the two sums are added. New copies are made in the background. A deterministic
// device has none, because the last bits of a result would depend on which experts have copies.
//
// For a lone token a fixed share of the weights crosses while the processor reads the rest: the
// first rows of dense matrices, and in a mixture without copies the experts that its router chose
// first. The share is fixed so that the bits of an answer do not depend on timing.
//
// Numbers: rows cross in the card's types and the processor computes in its own, so the bits of a
// result are neither those of the card alone nor those of the processor alone. They depend only on
// the row if that is so on both.
//
// Memory: weights() copies weights that are in_host to pinned memory if it can (pinned_weights.h);
// a line says how many could not be pinned. Biases and lists of pointers of such weights are in
// host memory, too. Buffers are allocated in reserve().
#ifndef KERNELS_OFFLOAD_H
#define KERNELS_OFFLOAD_H

#include "kernels/backend.h"
#include "kernels/expert_slots.h"

enum { OFFLOAD_STREAM_TOKENS = 32 }; // by default, weights cross for at least so many tokens

struct offload_memory { // on the card, besides what the model takes; {0}: none
    size_t slot_bytes;  // of the slot that weights cross through; 0: none cross
    // With at least this many tokens in a step, all weights of dense ops, or of mixtures, cross; 0:
    // OFFLOAD_STREAM_TOKENS.
    int32_t dense_tokens, expert_tokens;
    int32_t gathered_experts; // how many of a lone token's experts cross; at least one does not
    double crossing_share;    // the share of a dense matrix's rows that cross for a lone token
    // For copies of recently used experts:
    int32_t mixtures;     // layers whose experts are in host memory
    size_t expert_bytes;  // of the largest expert, as it lies on the card
    int32_t expert_slots; // wanted; fewer are made if others have taken the memory
    size_t lent_bytes;    // the most that offload_lend() will be given, in all slabs
    bool is_short;        // the user knows that host memory is short: no warning about pinning
};

// Makes *card and *device part of a new device with an op table of its own, and replaces them by
// these two, which are valid until the new device is closed; that closes the card's device, too. On
// failure nothing is replaced.
MUST_CHECK enum status offload_open(const struct backend **card, struct device **device,
                                    const struct device_options *options,
                                    const struct offload_memory *memory, struct error *err);

// Card memory that its owner (the KV cache) does not need now can hold further copies of experts.
// It is lent in slabs of offload_slab_bytes(), which is 0 if there is no use for any. lend()
// returns false if there are enough slabs. take_back() returns the slab that was lent last: nothing
// reads or writes it any more, and its contents are undefined. Call these between two steps only.
// reserve() ends all loans.
size_t offload_slab_bytes(const struct device *device);
bool offload_lend(struct device *device, void *slab);
bool offload_wants_slab(const struct device *device);
void offload_take_back(struct device *device);

struct offload_counts {
    int32_t expert_slots; // as many as there are now
    int64_t hits, misses; // choices of a router that were computed on the card, and in host memory
    int64_t copied;       // experts
    // In recent steps. On a device that makes no copies: what slots for a quarter of the experts
    // would have shown.
    struct expert_slots_lately lately;
};
struct offload_counts offload_counts(const struct device *device);

#endif
