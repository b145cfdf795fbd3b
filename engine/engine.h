// engine/engine.h — the face of the engine: tokens in, tokens out.
//
// An engine owns a loaded model, a device, one paged KV cache for all sequences, and one
// thread that computes. A sequence is a token log with the KV of its beginning in the cache.
// A request lets the model continue a sequence, and reports what happens as events. Several
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
// KV is found by content. If the beginning of a sequence is cached already, by whichever sequence,
// it is found on the device, in host memory or on disk (kv/block_cache.h) when its request starts,
// or earlier by sequence_restore(). So no sequence need be kept for its KV: the blocks of one that
// is destroyed can still be found.
//
// Invariants:
//   (1) cached <= length <= context, for each sequence.
//   (2) Every token of the log is the one that was appended or sampled; none is ever changed.
//   (3) The events of one request come in order, and DONE is its last.
//   (4) A sequence that fails (FULL, DEVICE, CANCELLED) keeps its tokens; its blocks can be
//       found again as long as they are not evicted.
//   (5) An IDLE sequence may lose its blocks to a RUNNING one: then its cached falls to 0.
//
// Memory: everything large is allocated in engine_open(); a decode step allocates nothing.
// Threads: all calls come from one thread (the UI's). They do not wait for a running step, except
// engine_close(), sequence_restore() and sequence_destroy() of one that the step is using.
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

// UNSUPPORTED (unknown family, type, tokenizer), BAD_FILE, DEVICE, BAD_INPUT (an option, by name),
// NO_MEMORY (reports what is needed and free before weights are copied). If a card is too small and
// the backend is auto, the processor computes instead. That is logged, and so is whatever runs only
// on a plain kernel. CANCELLED: the user interrupted (kernels/base/effort.h). Owned by the caller.
MUST_CHECK enum status engine_open(const struct engine_options *options, struct engine **engine,
                                   struct error *err);

// What opening would come to: where the weights would live, how fast it would be, and the longest
// context. Fails as engine_open() does up to there; nothing is loaded.
struct engine_forecast {
    char placement[PLACEMENT_TEXT_BYTES]; // as of engine_info
    double tokens_s;                      // of a model in two places
    int32_t context;
    bool on_card; // else the processor computes all of it
};
MUST_CHECK enum status engine_predict(const struct engine_options *options,
                                      struct engine_forecast *forecast, struct error *err);

// Aborts running requests and frees the remaining sequences; requests may be released later. NULL
// is fine.
void engine_close(struct engine *engine);

void engine_info(struct engine *engine, struct engine_info *info);
const struct tokenizer *engine_tokenizer(const struct engine *engine); // NULL for a random shape
const struct gguf *engine_gguf(const struct engine *engine);           // NULL for a random shape

// Hash of the model file's bytes. Reads the whole file the first time, unless options gave it; the
// hash of nothing if effort_unwanted() says that the user interrupted.
struct hash128 engine_digest(struct engine *engine);

// Identifies what determines the answers: the digest of the model file, or of it and the adapters.
struct hash128 engine_identity(const struct engine *engine, struct hash128 digest);

// The model's own sampling defaults (general.sampling.*) if it has any, otherwise ours.
struct sampler_options engine_sampler_defaults(const struct engine *engine);

// ---- texts that drafts may come from (draft/history.h)

// Ignores a text with an id that is out of range.
void engine_history_add(struct engine *engine, const int32_t *ids, int32_t count);
int32_t engine_history_room(struct engine *engine); // tokens until a text is lost; 0 on a server
void engine_history_clear(struct engine *engine);

void engine_check(struct engine *engine); // proves the invariants; for tests
#endif
