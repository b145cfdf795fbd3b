// engine/engine.h — the face of the engine: tokens in, tokens out.
//
// An engine owns a loaded model, a device, one paged KV cache for all sequences, and one
// thread that computes. A sequence is a token log with the KV of its beginning in the cache.
// A request lets the model write on at the end of a sequence; what happens comes back as
// events. Several requests run at once, as one batch.
//
//   engine_open ─► sequence_create ─► sequence_append ─► request_start ─► events … DONE
//                        ▲                  ▲                                  │
//                   sequence_fork      sequence_truncate ◄──── request_release ┘
//
// A sequence is IDLE or RUNNING: request_start makes it RUNNING, its DONE event IDLE again.
// Only an IDLE sequence may be appended to, truncated or destroyed. A RUNNING one may be
// forked: the fork has the tokens that were finished at that moment.
//
// Invariants:
//   (1) cached <= length <= context, for each sequence.
//   (2) Every token of the log is the one that was appended or sampled; none is ever changed.
//   (3) The events of one request come in order, and DONE is its last.
//   (4) A sequence that fails (FULL, DEVICE, CANCELLED) keeps its tokens, and what is cached.
//
// Memory: everything large is taken in engine_open(); a decode step allocates nothing.
// Threads: all calls come from one thread (the UI's). They do not wait for a running step,
// except engine_close() and destroy of a sequence whose blocks the step is using.
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/hash.h"
#include "engine/base/status.h"
#include "engine/sampler.h"
#include "engine/tokenizer/tokenizer.h"

enum {
    ENGINE_MAX_REQUESTS = 64, // running at once
    ENGINE_STEP_TOKENS = 512, // of one batch: decodes, then prefill chunks
    ENGINE_NAME_BYTES = 128,
};

struct engine;
struct sequence;
struct request;

// Called during engine_open() and before the first step; fraction 0 … 1.
typedef void engine_progress(void *user, const char *what, double fraction);

struct engine_options {
    const char *model_path; // a GGUF file; or NULL and
    const char *shape;      // a named shape (model/shape.h) with random weights, for benchmarks
    const char *shape_type; // of those weights: "q8_0", …
    const char *backend;    // "auto", "cpu", "cuda", "reference"; NULL is auto
    int32_t threads;        // 0: one a core
    int32_t context;        // tokens; 0: what the model was made for, as far as the pool holds it
    int32_t block_size;     // 0: 16; or 8, 32
    const char *kv_type;    // "auto", "f32", "f16", "bf16"
    size_t kv_device_bytes; // 0: a quarter of the free memory
    bool deterministic;
    int32_t step_tokens;       // of one batch; 0: as many as take about a quarter of a second
    engine_progress *progress; // or NULL
    void *progress_user;
};

struct engine_info {
    char model_name[ENGINE_NAME_BYTES]; // general.name, else the file's name
    char family[32];                    // "llama"
    char file_type[16];                 // the type that most weight bytes have: "q8_0"
    char backend[16];
    char device[ENGINE_NAME_BYTES];
    char kv_type[8];
    const char *model_path; // borrowed; NULL for a random shape
    int64_t parameters;
    size_t weight_bytes;
    int32_t layers, vocabulary;
    int32_t context, trained_context;
    int32_t block_size;
    uint32_t blocks_total, blocks_free, blocks_shared; // shared: by two sequences or more
    size_t block_bytes;
    size_t token_bytes; // KV of one token
    int32_t threads;
};

// UNSUPPORTED (unknown family, type, tokenizer), BAD_FILE, NO_MEMORY (says what is needed and
// free), DEVICE, BAD_INPUT (an option, by name). Owned by the caller.
MUST_CHECK enum status engine_open(const struct engine_options *options, struct engine **engine,
                                   struct error *err);

// Cuts off what runs, and frees the sequences that are left; requests may be released after it.
// NULL is fine.
void engine_close(struct engine *engine);

void engine_info(struct engine *engine, struct engine_info *info);
const struct tokenizer *engine_tokenizer(const struct engine *engine); // NULL for a random shape
const struct gguf *engine_gguf(const struct engine *engine);           // NULL for a random shape

// Hash of the model file's bytes. Reads the whole file: the store remembers it.
struct hash128 engine_digest(const struct engine *engine);

// The model's own sampling defaults (general.sampling.*), where it has them; else ours.
struct sampler_options engine_sampler_defaults(const struct engine *engine);

// For benchmarks: bytes per second at which the device reads `bytes` of weights, the best of
// several runs, 0 if there is no memory for it (nothing may run meanwhile); and the bytes that
// one decode step must read at a context length.
double engine_measure_read(struct engine *engine, size_t bytes);
size_t engine_decode_bytes(const struct engine *engine, int32_t context);

MUST_CHECK enum status sequence_create(struct engine *engine, struct sequence **sequence);
void sequence_destroy(struct sequence *sequence); // NULL is fine; not while RUNNING

// A second sequence with the same tokens. Copies the block table, no KV: the shared last block
// is copied by whichever of the two writes first. Takes no block, so it cannot be FULL.
MUST_CHECK enum status sequence_fork(struct sequence *sequence, struct sequence **fork);

// Adds tokens to the log; nothing is computed yet. TOO_LONG, and nothing added, when the log
// would not leave room for one more token in the context. BAD_INPUT: an id out of range.
MUST_CHECK enum status sequence_append(struct sequence *sequence, const int32_t *ids, size_t count);
void sequence_truncate(struct sequence *sequence, int32_t length); // keeps [0, length)

int32_t sequence_length(const struct sequence *sequence); // tokens in the log
int32_t sequence_cached(const struct sequence *sequence); // whose KV is in the cache
int32_t sequence_blocks(const struct sequence *sequence); // in its table, shared ones too
bool sequence_running(const struct sequence *sequence);
const int32_t *sequence_tokens(const struct sequence *sequence); // [length], until it changes

enum stop_reason {
    STOP_REASON_END,       // a token that ends a turn; it is the last of the log
    STOP_REASON_LENGTH,    // max_tokens
    STOP_REASON_CONTEXT,   // the context is full
    STOP_REASON_CANCELLED, // request_cancel()
    STOP_REASON_FAILED,    // see the event's status: FULL, DEVICE
};

struct request_options {
    struct sampler_options sampler;
    int32_t max_tokens; // 0: until the context is full
    bool ignore_end;    // goes on after a turn's end: for benchmarks
};

struct request_stats {     // microseconds, on a monotonic clock
    int64_t prompt_tokens; // length at the start
    int64_t cached_tokens; // of those, already in the cache
    int64_t output_tokens;
    int64_t prefill_us;     // from the first step to the first token
    int64_t first_token_us; // from request_start() to the first token
    int64_t decode_us;      // from the first token to the last
};

enum event_kind {
    EVENT_PREFILL, // done of total prompt tokens are cached
    EVENT_TOKEN,   // one more token in the log
    EVENT_DONE,
};

struct event {
    enum event_kind kind;
    struct request *request;
    int32_t token;              // TOKEN
    int32_t done, total;        // PREFILL
    enum stop_reason reason;    // DONE
    enum status status;         // DONE: OK, or why it failed
    struct request_stats stats; // DONE
};

// The sequence becomes RUNNING; its log must hold at least one token that is not cached or be
// not empty (then the last one is computed again), and leave room for one more. FULL:
// ENGINE_MAX_REQUESTS run already, or the pool has too few free blocks for the log.
// *request is owned by the caller: request_release() after its DONE event.
MUST_CHECK enum status request_start(struct sequence *sequence,
                                     const struct request_options *options,
                                     struct request **request);
void request_cancel(struct request *request); // soon a DONE comes; any thread or signal handler
void request_release(struct request *request);
struct sequence *request_sequence(const struct request *request);

// Waits up to timeout_ms (-1: for ever) for the next event. False: none came, or a signal did.
bool engine_next_event(struct engine *engine, int timeout_ms, struct event *event);

// Readable while events wait: for poll() beside the keyboard.
int engine_event_fd(const struct engine *engine);

void engine_check(struct engine *engine); // proves the invariants; for tests
#endif
