// kernels/offload.h — how does a card compute with weights that lie in host memory?
//
// A backend made of two: a card, and the processor next to it. Every op goes to the card, except
// those of feed-forwards whose weights are in_host (struct weight): linear, gated_linear and
// experts. Their input rows, and the router's choices, go to pinned memory, the processor computes,
// and the card takes the results. So callers build a step as for any other backend.
//
//   card   ── ops ──► ask_host ─┐                   ┌─► take_answer ──► ops ──►
//   worker                      └─► its op, reply ──┘
//
// Everything is enqueued in the card's order: nothing waits for the host before sync(), and a
// recorded step contains its parts on the host. Norms are computed on the card. A thread of the
// device's own answers (offload_worker.h); a card without ask_host() copies the rows and calls the
// host.
//
// The processor computes batches of few tokens. For many the weights cross instead, op by op into
// one slot on the card, and the card computes (weight_stream.h; not on a deterministic device,
// where a row must have the same bits in any batch). Without a slot, or where one matrix or expert
// is too large for it, the processor computes these batches too, in chunks of its batch_tokens.
//
// A mixture's experts that were used recently have copies on the card, in slots (expert_slots.h).
// Then the card computes those of a token while the processor computes the others, and the two sums
// are added. What is copied to the card next is copied in the background. A deterministic device
// has no slots: which experts are there would change the last bits of a result.
//
// For a lone token a fixed share of the weights crosses, too, while the processor reads the rest:
// the first rows of dense matrices, and in a mixture without copies the experts that its router
// chose first. The share is fixed so that the bits of an answer do not depend on timing.
//
// Numbers: rows cross in the card's types and the processor computes in its own, so the bits of a
// result are neither those of the card alone nor of the processor alone. They depend on the row
// alone where they do on both.
//
// Memory: weights() copies weights in_host to pinned memory where it can (pinned_weights.h); a line
// says how many it could not. Biases and the list of pointers of such weights are host memory, too.
// Buffers are taken in reserve().
#ifndef KERNELS_OFFLOAD_H
#define KERNELS_OFFLOAD_H

#include "kernels/backend.h"
#include "kernels/expert_slots.h"

enum { OFFLOAD_STREAM_TOKENS = 32 }; // weights cross for at least that many tokens, by default

struct offload_memory { // on the card, besides what the model takes; {0}: none
    size_t slot_bytes;  // that weights cross through; 0: none do
    // From this many tokens of a step on, all weights of dense ops and of mixtures cross; 0:
    // OFFLOAD_STREAM_TOKENS.
    int32_t dense_tokens, expert_tokens;
    int32_t gathered_experts; // of a lone token's, that cross; at least one is left
    double crossing_share;    // of the rows of dense matrices that cross for a lone token
    // For copies of recently used experts:
    int32_t mixtures;     // layers whose experts are in host memory
    size_t expert_bytes;  // of the largest expert, as it lies on the card
    int32_t expert_slots; // at most; fewer where memory is taken by others
    size_t lent_bytes;    // of all slabs that offload_lend() may be given
    bool is_short;        // the user knows that host memory is short: no warning about pinning
};

// `card` and its device become part of a new device, with a table of its own; both are valid until
// that device is closed, which closes the card's. They are replaced on success only.
MUST_CHECK enum status offload_open(const struct backend **card, struct device **device,
                                    const struct device_options *options,
                                    const struct offload_memory *memory, struct error *err);

// Card memory that its owner does not need now, for instance the KV cache, can hold copies of
// experts, too: slabs of offload_slab_bytes(), which is 0 if there is no use for any. lend() is
// false if there are enough. After take_back() nothing reads or writes the slab that was lent last;
// its contents are undefined. All of it between two steps. reserve() ends all loans.
size_t offload_slab_bytes(const struct device *device);
bool offload_lend(struct device *device, void *slab);
bool offload_wants_slab(const struct device *device);
void offload_take_back(struct device *device);

struct offload_counts {
    int32_t expert_slots; // that there are now
    int64_t hits, misses; // choices of a router that were computed on the card, and in host memory
    int64_t copied;       // experts
    // Of a device that makes no copies: what slots for a quarter of the experts would show.
    struct expert_slots_lately lately;
};
struct offload_counts offload_counts(const struct device *device);

#endif
