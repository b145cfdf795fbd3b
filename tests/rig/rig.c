#include "tests/rig/rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/assert.h"
#include "engine/model/checkpoint.h"
#include "engine/model/kv_shape.h"

static void demand(enum status status, const struct error *err, const char *what) {
    if (status == STATUS_OK) return;
    fprintf(stderr, "%s: %s\n", what, err && err->text[0] ? err->text : status_text(status));
    exit(1);
}

void rig_open(struct rig *rig, const struct rig_options *options) {
    struct error err = {0};
    *rig = (struct rig){.backend = options->backend};
    const struct device_options device = {.threads = options->threads ? options->threads : 2,
                                          .deterministic = options->deterministic};
    demand(rig->backend->open(&device, &rig->device, &err), &err, "device");
    demand(checkpoint_open(options->path, &rig->gguf, &err), &err, "gguf");
    const struct model_options how = {
        .backend = rig->backend, .device = rig->device, .context = options->context};
    demand(model_open(&rig->model, rig->gguf, &how, &err), &err, "model");
    const struct model_config *config = &rig->model.config;
    rig->cache = (struct kv_cache){
        .type = options->kv_type,
        .layout = attention_layout(options->attention),
        .block_size = options->block_size ? options->block_size : 16,
        .num_blocks = options->blocks ? options->blocks : 64,
    };
    kv_shape_set(&rig->cache, config, 0);
    demand(rig->backend->alloc(rig->device, rig->cache.num_blocks * kv_block_bytes(&rig->cache),
                               &rig->cache.data),
           NULL, "cache");
    rig->pool = block_pool_create(rig->cache.num_blocks);
    ASSERT(rig->pool);
    const struct forward_limits limits = {
        .max_tokens = RIG_MAX_TOKENS,
        .max_seqs = RIG_MAX_SEQS,
        .max_context = (int32_t)rig->cache.num_blocks * rig->cache.block_size,
        .max_logits = RIG_MAX_TOKENS,
        .attention = options->attention,
    };
    demand(forward_create(&rig->model, &rig->cache, &limits, &rig->forward), NULL, "forward");
}

void rig_close(struct rig *rig) {
    forward_destroy(rig->forward);
    rig->backend->release(rig->device, rig->cache.data,
                          rig->cache.num_blocks * kv_block_bytes(&rig->cache));
    block_pool_destroy(rig->pool);
    model_close(&rig->model);
    rig->backend->close(rig->device);
    gguf_close(rig->gguf);
}

void rig_grow(struct rig *rig, struct block_table *table, int32_t length) {
    struct block_copy copy;
    if (length <= table->length) return;
    demand(block_table_grow(table, rig->pool, length, &copy), NULL, "pool");
    if (copy.needed)
        rig->backend->copy_blocks(rig->device,
                                  &(struct copy_blocks){.cache = &rig->cache,
                                                        .source = &copy.source,
                                                        .destination = &copy.destination,
                                                        .pairs = 1});
}

const float *rig_run(struct rig *rig, struct block_table *table, const int32_t *ids, int32_t first,
                     int32_t count, int32_t rows) {
    rig_grow(rig, table, first + count);
    forward_begin(rig->forward);
    forward_add(rig->forward, table, ids, first, count, rows);
    demand(forward_run(rig->forward), NULL, "forward");
    return rows ? forward_logits(rig->forward, 0) : NULL;
}

int32_t rig_argmax(const float *logits, int32_t count) {
    int32_t best = 0;
    for (int32_t i = 1; i < count; i++)
        if (logits[i] > logits[best]) best = i;
    return best;
}

double rig_relative_error(const float *found, const float *expected, size_t count) {
    double difference = 0, norm = 0;
    for (size_t i = 0; i < count; i++) {
        const double d = (double)found[i] - (double)expected[i];
        difference += d * d;
        norm += (double)expected[i] * (double)expected[i];
    }
    return sqrt(difference / norm);
}
