// engine/model/placement.h — which weights live on the card, and which in host memory?
//
// Plans a model that is larger than the card. Numbers go in: what the model needs, and what the
// machine has. A place for each weight comes out, and a predicted speed. Nothing here touches a
// device, a file or a clock, and nothing is allocated, so any thread may plan.
//
// Words:
//   part      all experts of a layer, or its dense feed-forward. Only parts can leave the card, and
//             the processor computes those that have left. Everything else in a layer stays on the
//             card (attention, KV cache, router, shared expert, norms, adapters), and so does the
//             output matrix.
//   copy      a second copy, on the card, of an expert in host memory that was used recently. It
//             lies in a slot of card memory that nothing else needs (kernels/expert_slots.h).
//   hit       the router has chosen an expert that has a copy, so the card computes it.
//   crossing  a transfer between host memory and the card: of activations, to a part in host memory
//             and back; or of weights, to the card, where they are used once.
//
// Weights leave the card in an order that does not depend on how much memory there is:
//   1. the embedding, unless it is also the output matrix. A token reads one row of it, which the
//      card fetches from host memory with the same bits. It stays only if the whole model fits;
//   2. experts, since a token reads only a few of them;
//   3. dense feed-forwards.
// Within 2 and 3, the part that leaves first is the one that slows a token down least for each byte
// that it frees; among equals, the one in the lowest layer.
//
// A plan is a prefix of this order, usually the shortest one after which the rest fits. A longer
// one makes space for copies: it ends as soon as half of the experts in host memory would have one,
// or when all experts have left. It is taken if it is predicted to be clearly faster. Prompts are
// then read more slowly, since more weights cross, but an answer of about fifty tokens makes up for
// that. If fewer than an eighth of the experts in host memory would have copies, none are made.
//
// Changing from one prefix to the other makes all cached KV useless, and predictions are noisy. So
// after n changes, the other prefix must be predicted to be 1.05^(n + 1) times as fast.
//
// The share of hits depends on the model's routing, which `recency` describes. At 0, earlier
// choices say nothing about the next one, and the share of hits is the share of experts with
// copies. At 1, routing repeats itself as in a published mixture (placement_hits()). It is 0 until
// answers have shown otherwise (placement_lesson.h), so that a first start does not promise hits
// that may not come.
//
// placement.c says how the speed is predicted.
//
// What a plan guarantees, checked by placement_check():
//   (1) What lives on the card fits its budget, together with the KV cache and the buffers.
//   (2) Without an override it is one of the two prefixes; the longer one only by the rule above.
//   (3) Its bytes, slots and tokens per second are those that follow from its places.
// So without copies, more memory or a shorter context never makes a plan slower, as long as the
// rates are the same and every part takes longer in host memory than on the card.
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

struct placement_part { // zeros: the layer has no such part
    size_t card_bytes;  // its size on the card, whose layout may take more
    size_t host_bytes;  // its size in host memory
    size_t token_bytes; // what one token reads of it
    int32_t experts;    // 0: it is dense
};

struct placement_need { // of a model
    int32_t layers;
    struct placement_part fixed; // all that never leaves the card, except adapters
    size_t adapter_bytes;        // of LoRA adapters, on the card; a token reads all of them
    size_t embedding_bytes;      // of matrices of which a token reads one row, as on the card
    struct placement_part parts[PLACEMENT_KINDS][PLACEMENT_LAYERS_MAX];
    enum dtype types[PLACEMENT_KINDS]; // of the last matrix of each kind
    size_t matrix_bytes;               // the largest dense matrix in `parts`, on the card
    size_t kv_bytes, buffer_bytes;     // on the card
    size_t lent_bytes;    // the part of kv_bytes that may hold slots until the cache needs it
    size_t row_bytes;     // one token's activations for one part in host memory, there and back
    size_t expert_bytes;  // of one slot, with alignment; 0: no copies are made
    size_t unused_bytes;  // of the card, that slots must leave free
    int32_t gathered_max; // at most this many of a token's experts in a layer may cross
    bool rows_cross;      // some rows of a dense matrix may cross for one token
};

// What the machine can do, measured in steps of one token. Bytes per second; 0: unknown.
struct placement_rates {
    double card, host;    // reading weights
    double link;          // between the two
    double token_us;      // of a token, besides its bytes and its parts
    double crossing_us;   // of a part in host memory, besides its bytes
    double part_us;       // of a part on the card, besides its bytes
    double row_us;        // of each token of a batch, in a part in host memory, besides its bytes
    double factor;        // measured / predicted time of all parts in host memory; 0 means 1
    double copies_factor; // the same for plans with copies
    double recency;       // of the model's routing; 0: it does not repeat itself
    double slowed;        // the share of a crossing's time that the processor loses to it
    int64_t changes;      // from one prefix to the other so far; odd: the longer one is in use
};

struct placement_override { // what the user asked for; {0}: nothing
    bool has_ngl, has_n_cpu_moe;
    int32_t ngl;       // only the last `ngl` layers keep their parts on the card
    int32_t n_cpu_moe; // the experts of the first `n_cpu_moe` layers leave
};

struct placement_limits {
    size_t card_bytes;  // all that the model may take
    bool is_user_limit; // it is --device-memory, and more is free
    struct placement_rates rates;
    struct placement_override override;
};

struct placement {
    bool in_host[PLACEMENT_KINDS][PLACEMENT_LAYERS_MAX];
    int32_t host_layers[PLACEMENT_KINDS];     // how many layers have that part in host memory,
    int32_t all_layers[PLACEMENT_KINDS];      // and how many have it at all
    size_t card_bytes;                        // taken on the card, with KV cache and buffers
    size_t host_bytes;                        // of the parts in host memory
    size_t embedding_bytes;                   // in host memory; 0: none is
    size_t card_token_bytes;                  // what a token reads on the card,
    size_t host_token_bytes[PLACEMENT_KINDS]; // and in host memory if nothing hits
    int32_t experts;                          // in host memory
    int32_t slots;                            // for copies of them, in memory of their own,
    int32_t lent_slots;                       // and in memory that the KV cache lends
    int32_t gathered;      // without copies: how many of a token's experts in a layer cross,
    double crossing_share; // and the share of a dense part's rows that does
    double hits;           // the expected share of chosen experts that have a copy
    double tokens_s;       // predicted for one answer at a short context; 0: the rates are unknown
    double host_seconds;   // a token's time in parts in host memory, before `factor`
    double factor;         // rates.factor; rates.copies_factor if there are copies
    int64_t changes;       // rates.changes; one more if this plan is the other prefix
    // With copies, experts take max(missed - hits * hit, held) of host_seconds:
    double missed_seconds; // if nothing hits
    double hit_seconds;    // how much less if everything hits
    double held_seconds;   // what the card takes at least
};

// Leaves *placement alone on failure. NO_MEMORY: what never leaves the card, or what an override
// keeps there, does not fit; the error says how much is missing.
MUST_CHECK enum status placement_plan(const struct placement_need *need,
                                      const struct placement_limits *limits,
                                      struct placement *placement, struct error *err);

static inline bool placement_is_overridden(const struct placement_override *override) {
    return override->has_ngl || override->has_n_cpu_moe;
}

static inline bool placement_splits(const struct placement *placement) {
    return placement->host_layers[PLACEMENT_EXPERTS] + placement->host_layers[PLACEMENT_DENSE] > 0;
}

// How many experts can have a copy at once.
static inline int32_t placement_copies(const struct placement *placement) {
    return placement->slots + placement->lent_slots;
}

// Is anything in host memory, be it a part or the embedding?
static inline bool placement_leaves(const struct placement *placement) {
    return placement_splits(placement) || placement->embedding_bytes > 0;
}

// From how many tokens of a batch on is it faster to let all weights of a part cross than to let
// the processor compute? The lowest such number of all parts of this kind in host memory, but at
// least PLACEMENT_TOKENS_LEAST, since steps with fewer tokens are recorded. INT32_MAX: there is no
// such number, or the rates are unknown.
enum { PLACEMENT_TOKENS_LEAST = 17 };
int32_t placement_crossing_tokens(const struct placement_need *need,
                                  const struct placement_rates *rates,
                                  const struct placement *placement, enum placement_kind kind);

// How long `bytes` of this kind take to cross for one token and to be arranged for the card.
double placement_crossing_seconds(const struct placement_rates *rates, enum placement_kind kind,
                                  double bytes);

// What tokens_s and host_seconds would be with another share of hits. Without copies it makes no
// difference.
double placement_tokens_at(const struct placement *placement, double hits);
double placement_host_seconds_at(const struct placement *placement, double hits);

// The expected share of hits if this share of the experts has copies. placement_recency() is its
// inverse: the recency, from 0 to PLACEMENT_RECENCY_MAX, that explains these hits.
double placement_hits(double share, double recency);
double placement_recency(double share, double hits);

// The size of the buffer on the card through which parts cross for many tokens. It holds a dense
// feed-forward's gate and up together, and at least two experts; more than two if they are small,
// and fewer of those if memory is tight.
size_t placement_crossing_bytes(const struct placement_need *need, bool tight);

size_t placement_need_bytes(const struct placement_need *need); // of all weights, on the card

// "the embedding and 3 of 48 layers' experts in memory (1.2 GiB), 38 % copied; about 90 tokens/s"
enum { PLACEMENT_TEXT_BYTES = 160 };
const char *placement_describe(const struct placement *placement, char text[PLACEMENT_TEXT_BYTES]);

// Does only embedding() read the tensor of this name? tied: the output matrix is the embedding.
bool placement_is_embedding(const char *name, bool tied);

// May the tensor of this name leave the card, and in which kind of part? "blk.N." before the name
// makes no difference.
bool placement_kind_of(const char *name, size_t length, enum placement_kind *kind);

// Asserts the guarantees; for tests.
void placement_check(const struct placement_need *need, const struct placement_limits *limits,
                     const struct placement *placement);

#endif
