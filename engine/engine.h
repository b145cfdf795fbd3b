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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/accounting.h"
#include "engine/kv/disk_pool.h"
#include "engine/model/adapter.h"
#include "engine/remote/remote_options.h"
#include "engine/request.h"
#include "engine/sampling/sampler.h"
#include "engine/sequence.h"
#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/hash.h"
#include "kernels/base/status.h"

enum {
    ENGINE_MAX_REQUESTS = 64,           // running at once
    ENGINE_STEP_TOKENS_ALL = INT32_MAX, // as an option: as many as the backend allows
    ENGINE_NAME_BYTES = 128,
};

struct engine;

// Called during engine_open() and before the first step; fraction 0 … 1.
typedef void engine_progress(void *user, const char *what, double fraction);

struct engine_options {
    const char *model_path; // a GGUF file; or NULL and
    const char *shape;      // a named shape (model/shape.h) with random weights, for benchmarks
    const char *shape_type; // of those weights: "q8_0", …
    const struct adapter_source *adapters; // [adapter_count], added to a model file's matrices
    int32_t adapter_count;
    const char *backend;   // "auto", "cpu", "cuda", "reference"; NULL is auto
    int32_t threads;       // 0: one for each core
    int32_t context;       // tokens; 0: what the model was made for, as far as the pool allows
    int32_t block_size;    // 0: 16; or 8, 32
    const char *kv_type;   // "auto", "f32", "f16", "bf16", "fp8", "int8"
    const char *attention; // "auto", "flash", "gather", "v1", "v2", "paged": backend.h; NULL: auto.
                           // The last three need a card and are not deterministic
    size_t kv_device_bytes; // 0: a quarter of the free memory
    int32_t sequences;      // whose windows and states come on top of that; 0: they are part of it
    size_t kv_host_bytes;   // between device and disk; 0: 1 GiB for a card, none for a
                            // processor, whose device memory is host memory (transfers always have
                            // a few blocks)
    const struct remote_options *remote; // a server that has the model (remote/remote.h), instead
                                         // of a file; options about devices and caches then have no
                                         // effect
    struct disk_pool *disk; // moved in, and closed even if opening fails; NULL: nothing on disk
    const struct hash128 *digest; // of the model file, if known: saves hashing it for the disk
    const struct file_state *digest_state; // of the file when it was hashed; a changed file is
                                           // hashed again. NULL: not checked
    enum kv_restore kv_restore;
    int32_t io_deadline_ms; // after which a read counts as failed; 0: 3,000
    bool deterministic;
    bool unshared; // each sequence reads its own past, even if others in the step share it: for
                   // comparisons
    bool beyond_training;      // context may exceed what the model was made for: for benchmarks
    int32_t step_tokens;       // of one batch; 0: about a quarter of a second's worth; at most the
                               // backend's batch_tokens
    engine_progress *progress; // or NULL
    void *progress_user;
};

struct engine_info {
    char model_name[ENGINE_NAME_BYTES]; // general.name, else the file's name, else "unnamed":
                                        // UTF-8 without control characters;
                                        // then " + NAME" for each adapter
    char family[32];                    // "llama"
    char file_type[16];                 // the type that most weight bytes have: "q8_0"
    char backend[16];                   // "remote": see the next
    char remote[16];                    // "messages" or "tokens", which a server gets; "": none
    int tries;                          // tries of the most recent exchange
    bool takes_grammars;                // the server accepts grammars, not only schemas
    bool unlisted;                      // the server lists models, but not this one
    char device[ENGINE_NAME_BYTES];
    char kv_type[8];
    const char *model_path; // borrowed; NULL for a random shape
    const char *adapters;   // borrowed: "poet, rank 8, scale 1; …"; "": none
    int64_t parameters;
    size_t weight_bytes;
    int32_t layers, vocabulary;
    int32_t context, trained_context;
    int32_t step_tokens; // of one batch, at most
    int32_t block_size;
    uint32_t blocks_total; // of the device, of layers that see everything; see engine_kv_usage()
    size_t block_bytes;    // KV of its tokens in layers that see everything
    size_t token_bytes;    // KV of one token in the same layers
    size_t state_bytes;    // of recurrent layers after a token; 0: no such layers
    size_t sequence_bytes; // most that windows and states take while a sequence is computed
    int32_t threads;
};

// UNSUPPORTED (unknown family, type, tokenizer), BAD_FILE, DEVICE, BAD_INPUT (an option, by name),
// NO_MEMORY (reports what is needed and free before weights are copied). If a card is too small and
// the backend is auto, the processor computes instead. That is logged, and so is whatever runs only
// on a plain kernel. Owned by the caller.
MUST_CHECK enum status engine_open(const struct engine_options *options, struct engine **engine,
                                   struct error *err);

// Aborts running requests and frees the remaining sequences; requests may be released later. NULL
// is fine.
void engine_close(struct engine *engine);

void engine_info(struct engine *engine, struct engine_info *info);
const struct tokenizer *engine_tokenizer(const struct engine *engine); // NULL for a random shape
const struct gguf *engine_gguf(const struct engine *engine);           // NULL for a random shape

// Hash of the model file's bytes. Reads the whole file the first time, unless options gave it.
struct hash128 engine_digest(struct engine *engine);

// Identifies what determines the answers: the digest of the model file, or of it and the adapters.
struct hash128 engine_identity(const struct engine *engine, struct hash128 digest);

// The model's own sampling defaults (general.sampling.*) if it has any, otherwise ours.
struct sampler_options engine_sampler_defaults(const struct engine *engine);

// For benchmarks (kernels/read_speed.h). The first returns the bytes per second at which the device
// reads its memory, or 0 if there is no memory to measure that; no request may run. The second
// returns how many bytes a step must read at least so that its speed can be compared with that. The
// third returns the bytes that a step of `rows` sequences of `context` tokens each must read: in a
// mixture only the experts that are likely to be chosen, in windowed layers only the keys in the
// window.
double engine_measure_read(struct engine *engine);
size_t engine_read_bytes(struct engine *engine);
size_t engine_step_bytes(const struct engine *engine, int32_t rows, int32_t context);

void engine_check(struct engine *engine); // proves the invariants; for tests
#endif
