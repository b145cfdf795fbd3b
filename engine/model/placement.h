// engine/model/placement.h — which weights live on the card, and which in host memory?
//
// A plan for models that are larger than the card. Numbers go in: what the model needs, and what
// the machine has. Places come out, with a predicted speed. Nothing here touches a device, a file
// or a clock; nothing is allocated; any thread may plan.
//
// Words:
//   part      of a layer: all of its experts, or its dense feed-forward. A part in host memory is
//             computed by the processor. Nothing else of a layer ever leaves the card: attention,
//             KV cache, router, shared expert, norms, adapters; nor does the output.
//   copy      on the card, of an expert in host memory that a token used lately. It takes a slot of
//             memory that is left over (kernels/expert_slots.h). A chosen expert with a copy is a
//             hit.
//   crossing  between host memory and the card: activations, to a part in host memory and back; or
//             weights, to the card, to be used once.
//
// What leaves the card does so in one fixed order, however much memory there is:
//   1. the embedding, unless it is the output, too. A token reads one row, which the card fetches
//      from host memory with the same bits. It is back when the whole model fits;
//   2. experts, since a token reads only a few of them;
//   3. dense feed-forwards.
// Among experts, and among feed-forwards, the first to leave is the one that costs a token the
// least time for each byte that it frees; of equal ones that of the lower layer.
//
// A plan is the shortest prefix of this order after which the rest fits, or one longer prefix: the
// first after which half of the experts in host memory would have copies, or the one with all
// experts. It is taken if it is predicted to be clearly faster. Prompts are then read more slowly,
// as more weights cross; an answer of about fifty tokens makes up for that. Copies of less than an
// eighth of the experts in host memory are not made.
//
// A change from one prefix to the other costs all cached KV, and predictions are noisy. So after n
// changes the other prefix must be predicted to be 1.05^(n + 1) times as fast.
//
// Hits depend on the model's routing. If it has no memory, the share of hits is the share of
// experts with copies; placement_hits() knows a published mixture, whose routing repeats itself.
// `recency` says where a model is between the two. It is 0 until answers have shown it
// (placement_lesson.h), so that its first start promises no hits that may not come.
//
// How the speed is predicted stands in placement.c.
//
// What a plan guarantees, checked by placement_check():
//   (1) What lives on the card fits its budget, together with the KV cache and the buffers.
//   (2) Without an override it is one of the two prefixes, the longer one by the rule above only.
//   (3) The bytes, the slots and the tokens per second are those of the places.
// So without copies, more memory or a shorter context never makes a plan slower, with equal rates
// by which every part takes longer in host memory than on the card.
#ifndef ENGINE_PLACEMENT_H
#define ENGINE_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"
#include "kernels/dtype.h"

enum { PLACEMENT_LAYERS_MAX = 512 }; // at least a model's

#define PLACEMENT_RECENCY_MAX 1.5

enum placement_kind { PLACEMENT_EXPERTS, PLACEMENT_DENSE }; // of a part
enum { PLACEMENT_KINDS = PLACEMENT_DENSE + 1 };

struct placement_part { // zeros: the layer has none
    size_t card_bytes;  // on the card, whose layout may need more than
    size_t host_bytes;  // in host memory
    size_t token_bytes; // that one token reads
    int32_t experts;    // 0: it is dense
};

struct placement_need { // of a model
    int32_t layers;
    struct placement_part fixed; // all that never leaves the card, but adapters
    size_t adapter_bytes;        // of LoRA pairs; a token reads all of them
    size_t embedding_bytes; // of matrices that a token reads a single row of; in the card's layout
    struct placement_part parts[PLACEMENT_KINDS][PLACEMENT_LAYERS_MAX];
    enum dtype types[PLACEMENT_KINDS]; // of the last matrix of a kind
    size_t matrix_bytes;               // the largest dense matrix of `parts`, on the card
    size_t kv_bytes, buffer_bytes;     // on the card
    size_t lent_bytes;                 // of kv_bytes: slots, until the cache needs them
    size_t row_bytes;     // one token's activations for one part in host memory, to it and back
    size_t expert_bytes;  // of a slot, with what alignment takes; 0: no copies are made
    size_t unused_bytes;  // that slots leave free
    int32_t gathered_max; // most of a token's experts in a layer that may cross
    bool rows_cross;      // some rows of a dense matrix may, for one token
};

// Of the machine. Bytes a second are those of a step with one token; 0: unknown.
struct placement_rates {
    double card, host;    // at which weights are read
    double link;          // between the two
    double token_us;      // of a token, not counting bytes and parts
    double crossing_us;   // of a part in host memory, not counting bytes
    double part_us;       // of a part on the card, not counting bytes
    double row_us;        // of each token of a batch in a part in host memory, not counting bytes
    double factor;        // measured / predicted time of all parts in host memory; 0: 1
    double copies_factor; // the same with copies
    double recency;       // of the model's routing: 0 it has no memory, 1 a published mixture's
    double slowed;        // share of a crossing's time that the processor loses by it
    int64_t changes;      // from one prefix to the other so far; odd: the longer one is in use
};

struct placement_override { // what a person said; {0}: nothing
    bool has_ngl, has_n_cpu_moe;
    int32_t ngl;       // only the last `ngl` layers keep their parts on the card
    int32_t n_cpu_moe; // the experts of the first `n_cpu_moe` layers leave
};

struct placement_limits {
    size_t card_bytes;  // that the model may take in all
    bool is_user_limit; // --device-memory; more is free
    struct placement_rates rates;
    struct placement_override override;
};

struct placement {
    bool in_host[PLACEMENT_KINDS][PLACEMENT_LAYERS_MAX];
    int32_t host_layers[PLACEMENT_KINDS];     // how many have that part in host memory,
    int32_t all_layers[PLACEMENT_KINDS];      // of those that have one
    size_t card_bytes;                        // all together, with KV cache and buffers
    size_t host_bytes;                        // of parts
    size_t embedding_bytes;                   // in host memory; 0: it is on the card
    size_t card_token_bytes;                  // that a token reads on the card,
    size_t host_token_bytes[PLACEMENT_KINDS]; // and in host memory without hits
    int32_t experts;                          // in host memory
    int32_t slots;                            // for copies of them, in memory of their own
    int32_t lent_slots;                       // and in the KV cache's
    int32_t gathered;      // without copies: how many of a token's experts in a layer cross
    double crossing_share; // the share of a dense part's rows that does
    double hits;           // expected: the share of chosen experts with a copy
    double tokens_s;       // of one answer with a short context; 0: the rates are unknown
    double host_seconds;   // of a token, in parts in host memory; not yet times `factor`
    double factor;         // the rates', with copies or without
    int64_t changes;       // the rates', and one more if this plan is the other prefix
    // With copies, host_seconds of experts are max(missed - hits * hit, held):
    double missed_seconds; // if no choice had a copy
    double hit_seconds;    // how much less if all had one
    double held_seconds;   // what the card takes
};

// NO_MEMORY: what never leaves the card, or what an override keeps there, does not fit; the error
// says how much is missing.
MUST_CHECK enum status placement_plan(const struct placement_need *need,
                                      const struct placement_limits *limits,
                                      struct placement *placement, struct error *err);

static inline bool placement_is_overridden(const struct placement_override *override) {
    return override->has_ngl || override->has_n_cpu_moe;
}

static inline bool placement_splits(const struct placement *placement) {
    return placement->host_layers[PLACEMENT_EXPERTS] + placement->host_layers[PLACEMENT_DENSE] > 0;
}

// How many experts can have copies.
static inline int32_t placement_copies(const struct placement *placement) {
    return placement->slots + placement->lent_slots;
}

// Is a part or the embedding in host memory?
static inline bool placement_leaves(const struct placement *placement) {
    return placement_splits(placement) || placement->embedding_bytes > 0;
}

// The fewest tokens of a batch for which it is faster to let all weights of a part cross than to
// let the processor compute: the least of all parts of this kind in host memory, but at least
// PLACEMENT_TOKENS_LEAST, since steps with fewer are recorded. INT32_MAX: no number is, or the
// rates are unknown.
enum { PLACEMENT_TOKENS_LEAST = 17 };
int32_t placement_crossing_tokens(const struct placement_need *need,
                                  const struct placement_rates *rates,
                                  const struct placement *placement, enum placement_kind kind);

// The seconds in which `bytes` of a kind cross for one token and are arranged for the card.
double placement_crossing_seconds(const struct placement_rates *rates, enum placement_kind kind,
                                  double bytes);

// With other hits than expected, if there are copies: tokens per second, and host_seconds.
double placement_tokens_at(const struct placement *placement, double hits);
double placement_host_seconds_at(const struct placement *placement, double hits);

// The expected share of hits when this share of the experts has copies. And backwards: the recency
// of routing that has shown these hits (0 to PLACEMENT_RECENCY_MAX).
double placement_hits(double share, double recency);
double placement_recency(double share, double hits);

// The bytes of the buffer on the card through which parts cross for many tokens: large enough for a
// dense feed-forward's gate and up together, and for some experts at a time; tight: for two.
size_t placement_crossing_bytes(const struct placement_need *need, bool tight);

size_t placement_need_bytes(const struct placement_need *need); // of all weights on the card

// "the embedding and 3 of 48 layers' experts in memory (1.2 GiB), 38 % copied; about 90 tokens/s"
enum { PLACEMENT_TEXT_BYTES = 160 };
const char *placement_describe(const struct placement *placement, char text[PLACEMENT_TEXT_BYTES]);

// Whether embedding() alone reads the tensor of this name; tied: the output is the embedding.
bool placement_is_embedding(const char *name, bool tied);

// Whether the tensor of this name, of a layer or after "blk.N.", may leave the card, and as what.
bool placement_kind_of(const char *name, size_t length, enum placement_kind *kind);

// Asserts the guarantees; for tests.
void placement_check(const struct placement_need *need, const struct placement_limits *limits,
                     const struct placement *placement);

#endif
