// engine/engine.h — the engine's interface: tokens in, tokens out.
//
// An engine owns a loaded model, a device, one paged KV cache for all sequences, and one
// thread that computes. A sequence is a token log; the KV of its first tokens is in the cache.
// A request has the model continue a sequence, and reports what happens as events. Several
// requests run at once, as one batch.
//
//   engine_open ─► sequence_create ─► sequence_append ─► request_start_all ─► events … DONE
//                        ▲                  ▲                                      │
//                   sequence_fork      sequence_truncate ◄──────── request_release ┘
//
// A sequence is IDLE or RUNNING: request_start_all makes it RUNNING, its DONE event IDLE again.
// Only an IDLE sequence may be appended to, truncated or destroyed. A RUNNING one may be
// forked: the fork has the tokens that were finished at that moment.
//
// KV is found by content. If any sequence has computed the same beginning before, it is found on
// the device, in host memory or on disk (kv/block_cache.h) when the request starts, or earlier by
// sequence_restore(). So there is no need to keep a sequence for its KV: the blocks of a destroyed
// sequence can still be found.
//
// Invariants:
//   (1) For each sequence: cached <= length <= context.
//   (2) Every token of the log is the one that was appended or sampled; none is ever changed.
//   (3) The events of one request come in order, and DONE is its last.
//   (4) A sequence that fails (FULL, DEVICE, CANCELLED) keeps its tokens; its blocks can be
//       found again as long as they are not evicted.
//   (5) An IDLE sequence may lose its blocks to a RUNNING one: then its `cached` falls to 0.
//
// Memory: everything large is allocated in engine_open(); a decode step allocates nothing.
// Threads: all calls come from one thread (the UI's). They do not wait for a running step, except
// engine_close(), sequence_restore(), and sequence_destroy() of a sequence that the step is using.
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "engine/accounting.h"
#include "engine/core/engine_info.h"
#include "engine/core/request.h"
#include "engine/core/sequence.h"
#include "engine/engine_options.h"
#include "engine/step/restoring.h"
#include "engine/tokenizer/tokenizer.h"

struct engine;

// Opens what the options name. *engine is the caller's until engine_close(). UNSUPPORTED: an
// unknown family, type or tokenizer. BAD_FILE, DEVICE. BAD_INPUT names the option. NO_MEMORY says
// how much is needed and how much is free, before weights are copied. CANCELLED: the user
// interrupted (kernels/base/effort.h). If a card is too small and the backend is auto, the
// processor computes instead. That is logged, and so is whatever only has a plain kernel.
MUST_CHECK enum status engine_open(const struct engine_options *options, struct engine **engine,
                                   struct error *err);

// Predicts what opening would lead to: where the weights would live, how fast answers would be, and
// the longest context. Loads nothing; fails where engine_open() would until then.
struct engine_forecast {
    char placement[PLACEMENT_TEXT_BYTES]; // as in engine_info
    double tokens_s;                      // if weights are in two places; 0: unknown
    int32_t context;
    bool on_card; // else the processor computes everything
};
MUST_CHECK enum status engine_predict(const struct engine_options *options,
                                      struct engine_forecast *forecast, struct error *err);

// Aborts running requests and frees the remaining sequences; requests may be released later. NULL
// is fine.
void engine_close(struct engine *engine);

void engine_info(struct engine *engine, struct engine_info *info);
const struct tokenizer *engine_tokenizer(const struct engine *engine); // NULL for a random shape
const struct gguf *engine_gguf(const struct engine *engine);           // NULL for a random shape

// Hash of the model file's bytes. The first call reads the whole file, unless the options gave the
// hash. If the user interrupts (effort_unwanted()), it is the hash of nothing.
struct hash128 engine_digest(struct engine *engine);

// Identifies what determines the answers: the digest of the model file, combined with the adapters.
struct hash128 engine_identity(const struct engine *engine, struct hash128 digest);

// The model's own sampling defaults (general.sampling.*) if it has any, otherwise ours.
struct sampler_options engine_sampler_defaults(const struct engine *engine);

// ---- texts that drafts may come from (draft/history.h)

// Ignores a text with an id that is out of range.
void engine_history_add(struct engine *engine, const int32_t *ids, int32_t count);
int32_t engine_history_room(struct engine *engine); // tokens until a text is dropped; 0: a server
void engine_history_clear(struct engine *engine);

void engine_check(struct engine *engine); // proves the invariants; for tests
#endif
