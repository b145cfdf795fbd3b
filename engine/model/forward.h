// engine/model/forward.h — the forward pass, once for all families and backends.
//
// A batch is built sequence by sequence and run as one: decodes (one new token) and prefill
// chunks (many) side by side. Every sequence's K and V go through its block tables, one for each
// group of layers (kv_shape.h).
//
//   forward_begin ─► forward_add, once a sequence ─► forward_run ─► forward_logits
//                        └─► forward_choose          forward_draft └─► forward_candidates
//
// A row of logits comes back whole, or, where it was chosen from, as its best candidates only, and
// the log of its total: a whole row is half a megabyte, which has to cross the link to a card's
// host.
//
// Memory: all buffers are taken in forward_create(), for `max_tokens` rows and `max_seqs`
// sequences; running allocates nothing. Threads: the engine's one.
#ifndef ENGINE_FORWARD_H
#define ENGINE_FORWARD_H

#include "engine/kv/block_table.h"
#include "engine/model/model.h"

struct forward;

struct forward_limits {
    int32_t max_tokens;              // of one batch
    int32_t max_seqs;                // of one batch
    int32_t max_context;             // of one sequence
    int32_t max_logits;              // rows of one batch that are computed to the end
    enum attention_kernel attention; // of the cache's layout
    bool streams;                    // weights cross to the device in long runs, layer by layer
    bool unshared;                   // each sequence reads its own past, even if others share it
};

// caches: one for each group of the model's layers, all with blocks of the same number of tokens.
// The model is borrowed and must outlive the forward. NO_MEMORY leaves nothing behind.
MUST_CHECK enum status forward_create(const struct model *model, const struct kv_cache *caches,
                                      const struct forward_limits *limits,
                                      struct forward **forward);
void forward_destroy(struct forward *forward); // NULL is fine

// About how much device memory forward_create() takes, with blocks of `block_size` tokens. Only the
// model's config and rank are read, so its weights need not be loaded, nor the device open.
size_t forward_device_bytes(const struct model *model, const struct backend *backend,
                            const struct forward_limits *limits, int32_t block_size);

void forward_begin(struct forward *forward);

// ids[0..count) are tokens [first, first + count) of the sequence whose tables, one for each group,
// already have blocks for them and for all keys that these tokens see. The logits after the last
// `logits` of them are computed: 0 for a prefill chunk that is not the last, 1 to continue, more to
// score a text. The tables' blocks are borrowed until the run.
void forward_add(struct forward *forward, const struct block_table *tables, const int32_t *ids,
                 int32_t first, int32_t count, int32_t logits);

// Asks only for the best logits of the row that was added `back` rows before the last one:
// choice->count > 0 of them, after choice->num_penalties of the penalties, at most PENALTIES_MAX.
// Both are copied. The vocabulary is at most CANDIDATES_VOCABULARY_MAX.
void forward_choose(struct forward *forward, int32_t back, const struct choice *choice,
                    const struct penalty *penalties);

// Runs the batch and waits for it. CANCELLED: `stops` returned true between two layers, and the
// results are incomplete. It is called in long runs, on this thread; NULL: never.
typedef bool forward_stops(void *user);
MUST_CHECK enum status forward_run(struct forward *forward, forward_stops *stops, void *user);

// The same with the layers that draft alone (mtp.h) of a model that has them: logits are for the
// token after next. Each sequence has one token, and the one before it was in an earlier run, of
// either kind. Its keys and values, and those after it, are to be computed again by forward_run().
MUST_CHECK enum status forward_draft(struct forward *forward);

// The `row`-th logits of the run, in the order of adding; not of a row that was chosen from.
// [vocabulary] fp32, the caller may overwrite them; until the next run.
float *forward_logits(struct forward *forward, int32_t row);

// The whole of a row that was chosen from, with penalties if its choice had some; NULL: the device
// failed.
float *forward_fetch(struct forward *forward, int32_t row);

// The same row's candidates [choice->count], as backend.h says; NULL: it was not chosen from.
const struct candidate *forward_candidates(const struct forward *forward, int32_t row);

// What the same row's choice asked for with log_total.
float forward_log_total(const struct forward *forward, int32_t row);
#endif
