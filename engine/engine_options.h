// engine/engine_options.h — which model should an engine open, and how?
#ifndef ENGINE_OPTIONS_H
#define ENGINE_OPTIONS_H

#include "engine/kv/disk_pool.h"
#include "engine/model/adapter.h"
#include "engine/model/placement.h"
#include "engine/remote/remote_options.h"

enum { ENGINE_STEP_TOKENS_ALL = INT32_MAX }; // as an option: as many as the backend allows

// Called during engine_open() and before the first step; fraction 0 … 1.
typedef void engine_progress(void *user, const char *what, double fraction);

enum engine_draft_head { DRAFT_HEAD_IF_PRESENT, DRAFT_HEAD_NONE, DRAFT_HEAD_REQUIRED };

struct engine_options {
    const char *model_path; // a GGUF file or a folder; if NULL,
    const char *shape;      // a named shape (model/shape.h) with random weights, for benchmarks
    const char *shape_type; // of those weights: "q8_0", …
    const struct adapter_source *adapters; // [adapter_count], added to a model file's matrices
    int32_t adapter_count;
    const char *backend; // "auto", "cpu", "cuda", "reference"; NULL is auto
    int32_t threads;     // 0: one for each core
    size_t device_bytes; // limit on a card, for weights, buffers and KV; 0: what is free
    struct placement_override placement; // of weights on a card
    const struct placement_rates *rates; // for placing them; NULL: measured if need be
    const char *rates_path;              // where they are kept (rates.h); NULL: nowhere
    int32_t context;       // tokens; 0: as long as the model was trained for, if the pool allows
    int32_t block_size;    // 0: 16; or 8, 32
    const char *kv_type;   // "auto", "f32", "f16", "bf16", "fp8", "int8"
    const char *attention; // "auto", "flash", "gather", "v1", "v2", "paged": backend.h; NULL: auto.
                           // The last three need a card and are not deterministic
    size_t kv_device_bytes; // 0: a quarter of the free memory, or less (pool.c)
    int32_t sequences;      // their windows and states come on top of that; 0: they are part of it
    size_t kv_host_bytes;   // between device and disk; 0: 1 GiB for a card, none for a
                            // processor, whose device memory is host memory (transfers always have
                            // a few blocks)
    const char *draft_path; // a smaller model with the same vocabulary, which drafts for this one
                            // (draft/drafter.h); NULL: none
    bool unattended;        // for a model that drafts: no thread; the caller calls stepper_step()
    const struct remote_options *remote; // a server that has the model (remote/remote.h), instead
                                         // of a file; options about devices and caches then have no
                                         // effect
    struct disk_pool *disk; // moved in, and closed even if opening fails; NULL: nothing on disk
    const struct hash128 *digest; // of the model file, if known: saves hashing it for the disk
    const struct file_state *digest_state; // of the file when it was hashed; a changed file is
                                           // hashed again. NULL: not checked
    enum kv_restore kv_restore;
    int32_t io_deadline_ms; // after which a read from disk counts as failed; 0: 3,000
    bool deterministic;
    bool unshared; // each sequence reads its past on its own, even if others in the step share it:
                   // for comparisons
    bool beyond_training; // context may exceed what the model was trained for: for benchmarks
    enum engine_draft_head draft_head; // of the model (model/mtp.h): whether to load it
    int32_t step_tokens;       // of one batch; 0: about a quarter of a second's worth; at most the
                               // backend's batch_tokens
    engine_progress *progress; // or NULL
    void *progress_user;
};

#endif
