// engine/model/placement.h — which weights live on the card, and which in host memory?
//
// A model that is larger than the card keeps the feed-forwards of some layers in host memory, where
// the processor computes with them. Everything else stays on the card: attention, the KV cache,
// routers, shared experts, norms and the output. Plain numbers in, a plain plan out: no device, no
// file, no clock.
//
// Before any layer, embeddings leave, unless the output is the same matrix: a token reads one row
// of each, which the card fetches from host memory without a change of bits. They are back when
// the whole model fits.
//
// Weights leave the card in one fixed order, however much memory there is: experts before dense
// feed-forwards, because a token reads only a few of them; within a kind, first the layer that
// slows a token down least for each byte freed, and of equal ones the lower. A plan is the shortest
// beginning of this order that fits, or a longer one with more layers' experts if that is predicted
// to be clearly faster.
//
// It can be, because memory that a plan leaves on the card holds copies of experts that were used
// lately (kernels/expert_slots.h), if the need says how large one is and there is room for an
// eighth of those in host memory. The longer beginning is the first with room for half of them, or
// that of all experts: it does not depend on what is learnt. Prompts are read more slowly then,
// since more weights cross; an answer of some fifty tokens is worth that.
//
// What is learnt is noisy, and another plan computes all cached KV once more. So each change
// between the two beginnings makes the next one harder: after n changes the other one has to be
// predicted 1.05^(n + 1) times as fast.
//
// What share of a token's choices has a copy is known of nothing that has not run yet. Where
// routing has no memory, it is the share of experts with copies; of a published mixture it was
// `placement_hits(share, 1)`. In between, `recency` says how far a model's routing is from one to
// the other: 0 until answers have shown it (placement_lesson.h), so the first start of a model
// promises nothing and the second knows.
//
// A token is predicted to take, with the rates of a step of one row:
//
//   token_us                              what is no feed-forward, besides its bytes
//   + bytes on the card / card            that the token reads
//   + part_us                             of each feed-forward on the card
//   + crossing_us + rows / link + bytes / host          of each in host memory; or, where a share
//                                         `hits` of the chosen experts has a copy:
//   + max(crossing_us + rows / link + copying * (1 - hits) * bytes / host, part_us + bytes / card)
//
// as the processor computes what has no copy while the card computes the rest, and some of what was
// missed is read once more to be copied; or, where a share of its bytes crosses to the card, of a
// mixture whole experts and of a dense one rows:
//
//   + crossing_us + rows / link + max((1 - share) * bytes / host + slowed * crosses,
//                                     part_us + bytes / card + crosses)
//
//     crosses = share * bytes / (of the link)
//
// where arranging what has crossed counts as reading the rest, and `slowed` is what the processor
// loses while weights cross, since host memory serves both. Of these ways the fastest is taken, for
// all layers the same. The time of the parts in host memory is multiplied by the ratio of what
// earlier answers took to what was predicted (rates.h).
//
// What a plan guarantees, checked by placement_check():
//   (1) What lives on the card fits its budget together with the KV cache and the buffers.
//   (2) Without an override, nothing has left that could stay: with the last that left on the card,
//       the model would not fit; or it is the longer beginning, and predicted to be faster, or not
//       slower by enough to change back.
//   (3) The bytes, the slots and the tokens per second are those of the places.
// So without copies, more memory or a shorter context never makes a plan slower, of equal rates and
// as long as they have every part take longer in host memory than on the card.
#ifndef ENGINE_PLACEMENT_H
#define ENGINE_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"
#include "kernels/dtype.h"

enum { PLACEMENT_LAYERS_MAX = 512 }; // at least a model's

#define PLACEMENT_RECENCY_MAX 1.5

// Weights of a kind in one layer; zeros where it has none.
struct placement_part {
    size_t card_bytes;  // what they take on the card, whose layout may need more
    size_t host_bytes;  // and in host memory
    size_t token_bytes; // that one token reads of them
    int32_t experts;    // 0: it is dense
};

enum placement_kind { PLACEMENT_EXPERTS, PLACEMENT_DENSE };
enum { PLACEMENT_KINDS = PLACEMENT_DENSE + 1 };

struct placement_need {
    int32_t layers;
    struct placement_part fixed; // what never leaves the card
    size_t embedding_bytes; // of matrices that a token reads a single row of; in the card's layout
    size_t adapter_bytes;   // of LoRA pairs, which never leave the card; a token reads all of them
    struct placement_part parts[PLACEMENT_KINDS][PLACEMENT_LAYERS_MAX];
    enum dtype types[PLACEMENT_KINDS]; // of the last matrix of a kind
    size_t matrix_bytes;               // of the largest dense matrix of `parts`, on the card
    size_t kv_bytes, buffer_bytes;     // on the card
    size_t row_bytes;    // that cross the link for one token and one part in host memory, both ways
    size_t expert_bytes; // of a copy of an expert, with what its alignment takes; 0: none are made
    size_t unused_bytes; // that copies of experts leave free
    int32_t gathered_max; // of the experts that a token chose in a layer, that may cross
    bool rows_cross;      // some of a dense matrix, for one token
    size_t lent_bytes;    // of kv_bytes, that copies have as long as the cache does not need them
};

struct placement_rates {  // bytes a second
    double card, host;    // that a step of one token reads of weights
    double link;          // between the two
    double token_us;      // of a token, besides bytes and feed-forwards
    double crossing_us;   // of a part in host memory, besides its bytes
    double part_us;       // of a part on the card, besides its bytes
    double row_us;        // of a part in host memory, for each token of a batch, besides its bytes
    double factor;        // of the time of all parts in host memory, as answers have shown; 0: 1
    double copies_factor; // the same where experts have copies
    double recency;       // of routing: 0 it has no memory, 1 that of a published mixture
    double slowed;        // of the time in which weights cross, what the processor loses of it
    int64_t changes;      // between the shortest beginning and a longer one; odd: it was the longer
};

struct placement_override { // what a person said; {0}: nothing
    bool has_ngl, has_n_cpu_moe;
    int32_t ngl;       // layers, the last ones, that are on the card with all their weights; the
                       // feed-forwards of the others are not
    int32_t n_cpu_moe; // layers, the first ones, whose experts are in host memory
};

struct placement_limits {
    size_t card_bytes; // that the model may take, all together
    bool is_told;      // a person said so, and more is free
    struct placement_rates rates;
    struct placement_override override;
};

struct placement {
    bool in_host[PLACEMENT_KINDS][PLACEMENT_LAYERS_MAX];
    int32_t host_layers[PLACEMENT_KINDS];     // whose weights of a kind are in host memory
    int32_t all_layers[PLACEMENT_KINDS];      // that have any
    size_t card_bytes;                        // with the KV cache and the buffers
    size_t host_bytes;                        // of layers
    size_t embedding_bytes;                   // in host memory; 0: they are on the card
    size_t card_token_bytes;                  // that a token reads of weights
    size_t host_token_bytes[PLACEMENT_KINDS]; // the same, by kinds
    int32_t experts;                          // in host memory
    int32_t slots;                            // for copies of them
    int32_t lent_slots;                       // the same, in the KV cache's memory
    int32_t gathered; // of the experts that a token chose in a layer, those that cross; no copies
    double crossing_share; // of the rows of dense matrices
    double hits;           // expected: the share of choices that has a copy
    double tokens_s;       // of one answer, at a short context; 0: unknown rates
    double host_seconds;   // of a token's time, that of parts in host memory; before the factor
    // Of these, where experts have copies:
    double missed_seconds; // if no choice had one,
    double hit_seconds;    // how much less if all had one,
    double held_seconds;   // but at least what the card takes
    double factor;         // of host_seconds
    int64_t changes;       // with this plan; an override counts as none
};

// NO_MEMORY: what has to stay on the card, or what an override leaves there, does not fit; the
// error says how much is missing.
MUST_CHECK enum status placement_plan(const struct placement_need *need,
                                      const struct placement_limits *limits,
                                      struct placement *placement, struct error *err);

static inline bool placement_is_overridden(const struct placement_override *override) {
    return override->has_ngl || override->has_n_cpu_moe;
}

static inline bool placement_splits(const struct placement *placement) {
    return placement->host_layers[PLACEMENT_EXPERTS] + placement->host_layers[PLACEMENT_DENSE] > 0;
}

// How many experts may have copies.
static inline int32_t placement_copies(const struct placement *placement) {
    return placement->slots + placement->lent_slots;
}

// Is anything that the card would have in host memory?
static inline bool placement_leaves(const struct placement *placement) {
    return placement_splits(placement) || placement->embedding_bytes > 0;
}

// From how many tokens on a batch is computed faster by the card, to which all weights of a part
// then cross, than by the processor: of a kind, the fewest for any of its layers in host memory,
// and at least PLACEMENT_TOKENS_LEAST, since steps of fewer are recorded. INT32_MAX: never, or the
// rates are unknown.
enum { PLACEMENT_TOKENS_LEAST = 17 };
int32_t placement_crossing_tokens(const struct placement_need *need,
                                  const struct placement_rates *rates,
                                  const struct placement *placement, enum placement_kind kind);

// The seconds in which `bytes` of a kind cross for one token and are arranged.
double placement_crossing_seconds(const struct placement_rates *rates, enum placement_kind kind,
                                  double bytes);

// The prediction if choices have a copy as often as this, where there are any; and of it what parts
// in host memory take, before the factor.
double placement_tokens_at(const struct placement *placement, double hits);
double placement_host_seconds_at(const struct placement *placement, double hits);

// What share of choices has a copy where copies are of this share of the experts; and the other way
// round, the recency of routing that has shown these hits (0 to PLACEMENT_RECENCY_MAX).
double placement_hits(double share, double recency);
double placement_recency(double share, double hits);

// Through how many bytes on the card whatever may leave it crosses for many tokens: a dense
// feed-forward's gate and up together, and a mixture's experts some at a time; tight: as few as
// still go in pairs.
size_t placement_crossing_bytes(const struct placement_need *need, bool tight);

size_t placement_need_bytes(const struct placement_need *need); // of all weights on the card

// "the embedding and 3 of 48 layers' experts in memory (1.2 GiB), 38 % copied; about 90 tokens/s"
enum { PLACEMENT_TEXT_BYTES = 160 };
const char *placement_describe(const struct placement *placement, char text[PLACEMENT_TEXT_BYTES]);

// Whether embedding() alone reads the tensor of this name; tied: the output is the embedding.
bool placement_is_embedding(const char *name, bool tied);

// Whether the tensor of this name, of a layer or after "blk.N.", may leave the card, and as what.
bool placement_kind_of(const char *name, size_t length, enum placement_kind *kind);

// Asserts what stands above; for tests.
void placement_check(const struct placement_need *need, const struct placement_limits *limits,
                     const struct placement *placement);

#endif
