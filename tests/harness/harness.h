// tests/harness/harness.h — one small model on one backend, for tests of the forward pass.
//
// Opens a GGUF file, a device, a cache and a forward pass without the engine's thread and
// scheduler around them, so that a test decides what a batch holds and where blocks lie.
#ifndef TESTS_HARNESS_H
#define TESTS_HARNESS_H

#include "engine/model/adapter.h"
#include "engine/model/forward.h"

struct harness {
    const struct backend *backend;
    struct device *device;
    struct gguf *gguf;
    struct model model;
    struct kv_cache caches[KV_GROUPS]; // of as many blocks each, so that one table does for both
    int groups;
    struct block_pool *pool;
    struct forward *forward;
};

enum harness_host { // feed-forwards whose weights are in host memory (kernels/offload.h)
    HARNESS_NONE_IN_HOST,
    HARNESS_ALL_IN_HOST,
    HARNESS_HALF_IN_HOST, // of every other layer
    HARNESS_ONE_IN_HOST,  // of the last layer
};

struct harness_options {
    const char *path;                  // or:
    struct gguf *gguf;                 // borrowed
    const struct model_config *config; // as of model_open
    const struct backend *backend;
    int32_t threads; // 0: 2
    bool deterministic;
    enum harness_host host;
    size_t slot_bytes; // on the card, that weights in host memory cross through; 0: for a layer's
    int32_t cross_tokens;     // from how many on they do; 0: as offload.h says
    int32_t gathered_experts; // of a lone token's, that cross
    int32_t expert_slots;     // on the card, for copies of experts in host memory
    int32_t lent_slots;       // more of them that may be lent
    enum dtype kv_type;
    enum attention_kernel attention;
    int32_t context; // as of model_open
    const struct adapter_source *adapters;
    int32_t adapter_count;
    int32_t block_size; // 0: 16
    uint32_t blocks;    // 0: 64
};

enum { HARNESS_MAX_TOKENS = 512, HARNESS_MAX_SEQS = 8 };

// Prints what went wrong and exits when something did: there is nothing to test then.
void harness_open(struct harness *harness, const struct harness_options *options);
void harness_close(struct harness *harness);

// ids[0..count) as tokens [first, first + count) of the table's sequence, alone, and the logits
// after the last `rows` of them (borrowed until the next run).
const float *harness_run(struct harness *harness, struct block_table *table, const int32_t *ids,
                         int32_t first, int32_t count, int32_t rows);

// The same into a batch that the caller runs.
void harness_add(struct harness *harness, const struct block_table *table, const int32_t *ids,
                 int32_t first, int32_t count, int32_t rows);

// Makes room in the table, and copies what it asks to copy.
void harness_grow(struct harness *harness, struct block_table *table, int32_t length);

int32_t harness_argmax(const float *logits, int32_t count); // the lowest of equals
double harness_relative_error(const float *found, const float *expected, size_t count); // L2
#endif
