#include "tests/harness/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/model/checkpoint.h"
#include "engine/model/config_read.h"
#include "engine/model/kv_shape.h"
#include "kernels/base/assert.h"
#include "kernels/offload.h"

static void demand(enum status status, const struct error *err, const char *what) {
    if (status == STATUS_OK) return;
    fprintf(stderr, "%s: %s\n", what, err && err->text[0] ? err->text : status_text(status));
    exit(1);
}

enum { SLOT_BYTES = 1 << 20 }; // for feed-forwards of the small models

static struct placement place_weights(enum harness_host host, int32_t layers) {
    struct placement placement = {.embedding_bytes = host != 0};
    for (int32_t i = 0; i < layers; i++)
        for (int kind = 0; kind < PLACEMENT_KINDS; kind++)
            placement.in_host[kind][i] = host == HARNESS_ALL_IN_HOST ||
                                         (host == HARNESS_HALF_IN_HOST && i % 2 == 0) ||
                                         (host == HARNESS_ONE_IN_HOST && i == layers - 1);
    return placement;
}

void harness_open(struct harness *harness, const struct harness_options *options) {
    struct error err = {0};
    *harness = (struct harness){.backend = options->backend};
    const struct device_options device = {.threads = options->threads ? options->threads : 2,
                                          .deterministic = options->deterministic};
    demand(harness->backend->open(&device, &harness->device, &err), &err, "device");
    if (!options->gguf) demand(checkpoint_open(options->path, &harness->gguf, &err), &err, "gguf");
    struct adapters adapters = {.count = 0};
    demand(adapters_open(options->adapters, options->adapter_count, &adapters, &err), &err,
           "adapter");
    struct model_config read;
    if (options->host) {
        demand(model_config_read(options->gguf ? options->gguf : harness->gguf, &read, &err), &err,
               "configuration");
        const size_t slot_bytes = options->slot_bytes ? options->slot_bytes : SLOT_BYTES;
        const struct offload_memory memory = {.slot_bytes = slot_bytes,
                                              .dense_tokens = options->cross_tokens,
                                              .expert_tokens = options->cross_tokens,
                                              .gathered_experts = options->gathered_experts,
                                              .mixtures = read.layers,
                                              .expert_bytes = SLOT_BYTES,
                                              .expert_slots = options->expert_slots,
                                              .lent_bytes =
                                                  (size_t)options->lent_slots * SLOT_BYTES};
        demand(offload_open(&harness->backend, &harness->device, &device, &memory, &err), &err,
               "offload");
    }
    const struct placement placement =
        place_weights(options->host, options->host ? read.layers : 0);
    const struct model_options how = {.backend = harness->backend,
                                      .device = harness->device,
                                      .context = options->context,
                                      .placement = &placement,
                                      .config = options->config,
                                      .adapters = &adapters};
    demand(model_open(&harness->model, options->gguf ? options->gguf : harness->gguf, &how, &err),
           &err, "model");
    adapters_close(&adapters);
    const struct kv_shape shape = kv_shape_of(&harness->model.config);
    harness->groups = shape.group_count;
    const struct kv_cache cache = {
        .type = options->kv_type,
        .layout = attention_layout(options->attention),
        .block_size = options->block_size ? options->block_size : 16,
        .num_blocks = options->blocks ? options->blocks : 64,
    };
    for (int i = 0; i < harness->groups; i++) {
        harness->caches[i] = cache;
        kv_shape_set(&harness->caches[i], &shape, i, 0);
        const size_t bytes = cache.num_blocks * kv_block_bytes(&harness->caches[i]);
        demand(harness->backend->alloc(harness->device, bytes, &harness->caches[i].data), NULL,
               "cache");
    }
    harness->pool = block_pool_create(cache.num_blocks);
    ASSERT(harness->pool);
    const struct forward_limits limits = {
        .streams = true,
        .max_tokens = HARNESS_MAX_TOKENS,
        .max_seqs = HARNESS_MAX_SEQS,
        .max_context = (int32_t)cache.num_blocks * cache.block_size,
        .max_logits = HARNESS_MAX_TOKENS,
        .attention = options->attention,
    };
    demand(forward_create(&harness->model, harness->caches, &limits, &harness->forward), NULL,
           "forward");
}

void harness_close(struct harness *harness) {
    forward_destroy(harness->forward);
    for (int i = 0; i < harness->groups; i++)
        harness->backend->release(harness->device, harness->caches[i].data,
                                  harness->caches[i].num_blocks *
                                      kv_block_bytes(&harness->caches[i]));
    block_pool_destroy(harness->pool);
    model_close(&harness->model);
    harness->backend->close(harness->device);
    gguf_close(harness->gguf);
}

void harness_grow(struct harness *harness, struct block_table *table, int32_t length) {
    struct block_copy copy;
    if (length <= table->length) return;
    demand(block_table_grow(table, harness->pool, length, &copy), NULL, "pool");
    for (int i = 0; i < harness->groups && copy.needed; i++)
        harness->backend->copy_blocks(harness->device,
                                      &(struct copy_blocks){.cache = &harness->caches[i],
                                                            .source = &copy.source.number,
                                                            .destination = &copy.destination.number,
                                                            .pairs = 1});
}

void harness_add(struct harness *harness, const struct block_table *table, const int32_t *ids,
                 int32_t first, int32_t count, int32_t rows) {
    const struct block_table tables[KV_GROUPS] = {*table, *table, *table, *table};
    forward_add(harness->forward, tables, ids, first, count, rows);
}

const float *harness_run(struct harness *harness, struct block_table *table, const int32_t *ids,
                         int32_t first, int32_t count, int32_t rows) {
    harness_grow(harness, table, first + count);
    forward_begin(harness->forward);
    harness_add(harness, table, ids, first, count, rows);
    demand(forward_run(harness->forward, NULL, NULL), NULL, "forward");
    return rows ? forward_logits(harness->forward, 0) : NULL;
}

int32_t harness_argmax(const float *logits, int32_t count) {
    int32_t best = 0;
    for (int32_t i = 1; i < count; i++)
        if (logits[i] > logits[best]) best = i;
    return best;
}

double harness_relative_error(const float *found, const float *expected, size_t count) {
    double difference = 0, norm = 0;
    for (size_t i = 0; i < count; i++) {
        const double d = (double)found[i] - (double)expected[i];
        difference += d * d;
        norm += (double)expected[i] * (double)expected[i];
    }
    return sqrt(difference / norm);
}
