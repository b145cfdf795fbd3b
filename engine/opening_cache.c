// engine/opening_cache.c — opens the KV cache: chooses its type, layout and block size, allocates
// its memory and that of the forward pass, and opens its tiers.
//
// Shapes come first, because weights are placed by the bytes that a token of the cache takes. The
// pool's size comes after that, from what the weights leave. A block on the disk is found again
// only under the same format id, which hashes everything besides the tokens that its bytes depend
// on.
#include "engine/opening.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/model/forward.h"
#include "engine/placing.h"
#include "engine/pool.h"
#include "kernels/base/assert.h"
#include "kernels/base/size.h"

enum {
    DEFAULT_BLOCK_SIZE = 16,
    WRITE_DELAY_US = 1000000,
    CARD_HOST_BYTES = 1 << 30, // default of the host tier; pinning more takes time
    MAX_DISK_BLOCKS = 1 << 20, // that the index has space for
};

static enum status choose_kv_type(struct opening *opening) {
    const char *name = opening->options->kv_type ? opening->options->kv_type : "auto";
    enum dtype *type = &opening->engine->shapes[0].type;
    if (!strcmp(name, "auto")) {
        // The reference backend rounds as little as possible.
        *type = opening->engine->backend == backend_reference() ? DTYPE_F32 : DTYPE_F16;
        return STATUS_OK;
    }
    if (kv_type_find(name, type)) return STATUS_OK;
    return error_set(
        opening->err, STATUS_BAD_INPUT,
        "kv-type: unsupported value \"%s\" (expected auto, f32, f16, bf16, fp8 or int8)", name);
}

static enum status choose_block_size(struct opening *opening) {
    const int32_t size = opening->options->block_size;
    if (size != 0 && size != 8 && size != 16 && size != 32)
        return error_set(opening->err, STATUS_BAD_INPUT,
                         "block-size: expected 8, 16 or 32, found %" PRId32, size);
    opening->engine->shapes[0].block_size = size ? size : DEFAULT_BLOCK_SIZE;
    return STATUS_OK;
}

static enum status choose_attention(struct opening *opening) {
    const char *name = opening->options->attention ? opening->options->attention : "auto";
    struct engine *engine = opening->engine;
    int kernel = 0;
    while (kernel < ATTENTION_KERNELS &&
           strcmp(name, attention_name((enum attention_kernel)kernel)) != 0)
        kernel++;
    if (kernel == ATTENTION_KERNELS)
        return error_set(
            opening->err, STATUS_BAD_INPUT,
            "attention: unsupported value \"%s\" (expected auto, flash, gather, v1, v2 or paged)",
            name);
    engine->attention = (enum attention_kernel)kernel;
    engine->shapes[0].layout = attention_layout(engine->attention);
    // Prefill and decoding use different kernels, so recomputing a token would give other bits.
    if (engine->shapes[0].layout == KV_LAYOUT_PACKED && opening->options->deterministic)
        return error_set(opening->err, STATUS_BAD_INPUT,
                         "attention %s cannot be combined with deterministic; use auto", name);
    if (engine->attention != ATTENTION_AUTO && !engine->backend->attention_check)
        return error_set(opening->err, STATUS_UNSUPPORTED,
                         "attention %s needs --backend cuda; with the %s backend, use auto", name,
                         engine->backend->name);
    return STATUS_OK;
}

// Chooses everything besides the weights that a placement depends on.
enum status opening_choose_shapes(struct opening *opening) {
    struct engine *engine = opening->engine;
    engine->kv_shape = kv_shape_of(&engine->model.config);
    placing_set_step(engine, opening->options, engine->backend->batch_tokens);
    TRY(choose_attention(opening));
    TRY(choose_kv_type(opening));
    TRY(choose_block_size(opening));
    for (int i = engine->kv_shape.group_count - 1; i >= 0; i--) {
        engine->shapes[i] = engine->shapes[0];
        kv_shape_set(&engine->shapes[i], &engine->kv_shape, i, 0);
    }
    return STATUS_OK;
}

enum status opening_choose_pool(struct opening *opening) {
    struct engine_options options = *opening->options;
    if (opening->kv_bytes) {
        options.kv_device_bytes = opening->kv_bytes;
        options.sequences = 0; // their windows and states are part of that
    }
    if (!options.unattended) return pool_choose(opening->engine, &options, opening->err);
    const int32_t trained = opening->engine->model.config.context;
    const int32_t most = options.context < trained ? options.context : trained;
    options.kv_device_bytes = opening_drafter_kv_bytes(opening, most);
    options.context = 0; // as much as the pool holds
    TRY(pool_choose(opening->engine, &options, opening->err));
    if (opening->engine->context > most) opening->engine->context = most;
    return STATUS_OK;
}

// A card norms rows four elements at a time, and writes the values of latent attention eight at a
// time. Rows of the residual stream and of queries are as long as rows of matrices, which are
// multiples of eight; the sizes of heads must be checked.
static enum status check_rows(struct opening *opening) {
    struct engine *engine = opening->engine;
    const struct model_config *config = &engine->model.config;
    struct device_info info;
    if (!opening_is_card(engine, &info)) return STATUS_OK;
    for (int32_t i = 0; i < config->layers; i++) {
        const struct attention_spec *spec = &config->specs[i].attention;
        const int32_t all = spec->kv_heads * spec->head_size, value = spec->latent.value_size;
        const int32_t normed = spec->qk_norm == QK_NORM_ROW ? all : value;
        const int32_t row = spec->value_norm ? spec->head_size : normed, unit = value > 0 ? 8 : 4;
        if (row % unit)
            return error_set(opening->err, STATUS_UNSUPPORTED,
                             "the row length of keys or values (%" PRId32
                             ") is not a multiple of %" PRId32
                             ", which the GPU needs; use --backend cpu",
                             row, unit);
    }
    return STATUS_OK;
}

// Asks the backend whether its attention can handle the model's heads and the context.
enum status opening_check_attention(struct opening *opening) {
    struct engine *engine = opening->engine;
    const struct layer_maxima most = model_config_maxima(&engine->model.config);
    struct kv_cache cache = engine->shapes[0];
    const struct paged_attention args = {
        .kernel = engine->attention, .num_heads = most.heads, .cache = &cache};
    TRY(check_rows(opening));
    const int views = engine->kv_shape.group_count * KV_VIEWS;
    for (int i = 0; i < views && engine->backend->attention_check; i++) {
        if (engine->kv_shape.groups[i / KV_VIEWS].recurrent) continue;
        kv_shape_set(&cache, &engine->kv_shape, i / KV_VIEWS, i % KV_VIEWS);
        TRY(engine->backend->attention_check(engine->device, &args, engine->context, opening->err));
    }
    return STATUS_OK;
}

static enum status refuse_cache(struct opening *opening) {
    const struct engine *engine = opening->engine;
    struct device_info info;
    char need[SIZE_TEXT_BYTES], have[SIZE_TEXT_BYTES];
    engine->backend->info(engine->device, &info);
    return error_set(opening->err, STATUS_NO_MEMORY,
                     "the KV cache needs %s, but only %s is free; lower --kv-device",
                     size_format(pool_all_bytes(engine), need),
                     size_format(info.memory_free, have));
}

// A card's memory is part of the plan. But on a processor an allocation may succeed without memory
// behind it, and then the system kills the process when the cache fills up.
enum status opening_check_cache(struct opening *opening) {
    struct device_info info;
    if (opening_is_card(opening->engine, &info) || info.memory_free == 0) return STATUS_OK;
    return pool_all_bytes(opening->engine) > info.memory_free ? refuse_cache(opening) : STATUS_OK;
}

enum status opening_alloc_memory(struct opening *opening) {
    struct engine *engine = opening->engine;
    struct forward_limits limits = placing_forward_limits(engine, engine->context);
    limits.unshared = opening->options->unshared;
    limits.streams = engine->stream_us > 0;
    bool whole = true;
    TRY(opening_check_cache(opening));
    for (int i = 0; i < engine->kv_shape.group_count; i++) {
        const size_t bytes = pool_bytes(engine, i);
        ASSERT(bytes > 0 && engine->most_tokens > 0);
        whole = whole &&
                engine->backend->alloc(engine->device, bytes, &engine->shapes[i].data) == STATUS_OK;
    }
    if (whole &&
        forward_create(&engine->model, engine->shapes, &limits, &engine->forward) == STATUS_OK)
        return STATUS_OK;
    return refuse_cache(opening);
}

// Hashes everything besides the tokens that a block's bytes depend on. The digest of the model file
// covers tokenizer and RoPE parameters, but not which of LongRoPE's factors are used. Like keys and
// values, the state of a convolution depends on the type that keys and values are rounded to. And
// since a processor's products differ from a card's in their last bits, it matters which weights
// are where.
static struct hash128 format_id(struct engine *engine, const struct engine_options *options,
                                int group) {
    ASSERT(group >= 0 && group < KV_GROUPS);
    enum { FIRST_LAYOUT = 1, NUMERICS = 1 };
    const struct kv_cache *shape = &engine->shapes[group];
    struct kv_cache other = *shape;
    char text[416], mixed[64] = "", layers[32] = "", host[8 + HASH_HEX_BYTES] = "";
    if (engine->kv_shape.group_count > 1) snprintf(layers, sizeof layers, " group %d", group);
    kv_shape_set(&other, &engine->kv_shape, group, KV_VIEWS - 1);
    if (other.num_kv_heads != shape->num_kv_heads || other.head_size != shape->head_size)
        snprintf(mixed, sizeof mixed, " mixed %" PRId32 " heads %" PRId32 " size %" PRId32,
                 other.num_layers, other.num_kv_heads, other.head_size);
    if (placement_splits(&engine->placement)) {
        memcpy(host, " host ", 7);
        hash_hex(hash_bytes(engine->placement.in_host, sizeof engine->placement.in_host, 0),
                 host + 6);
    }
    char digest[HASH_HEX_BYTES] = "";
    if (engine->gguf && options->disk)
        hash_hex(engine_identity(engine, engine_digest(engine)), digest);
    const int length = snprintf(
        text, sizeof text,
        "model %s%.64s kv %s layers %" PRId32 " heads %" PRId32 " size %" PRId32 " block %" PRId32
        " layout %d%s numerics %s %d%s%s%s%s",
        digest, options->shape ? options->shape : "", dtype_name(engine->shapes[0].type),
        shape->num_layers, shape->num_kv_heads, shape->head_size, shape->block_size,
        FIRST_LAYOUT + (int)shape->layout, shape->latent ? " latent" : "", engine->backend->name,
        NUMERICS, engine->model.long_rope ? " long" : "", mixed, layers, host);
    ASSERT(length > 0 && (size_t)length < sizeof text);
    return hash_bytes(text, (size_t)length, 0);
}

static void wake(void *user) {
    struct engine *engine = user;
    pthread_cond_signal(&engine->work);
}

// Opens the cache of one group of layers, with its share of the host tier and a disk pool of its
// own. *disk becomes NULL once the cache owns it.
static enum status open_group(struct opening *opening, int group, size_t host_bytes,
                              struct disk_pool **disk) {
    struct engine *engine = opening->engine;
    const size_t slots = host_bytes / kv_block_bytes(&engine->shapes[group]);
    const struct block_cache_options cache = {
        .backend = engine->backend,
        .device = engine->device,
        .shape = &engine->shapes[group],
        .lock = &engine->lock,
        .host_slots = slots < UINT32_MAX / 4 ? (uint32_t)slots : UINT32_MAX / 4,
        .disk = *disk,
        .format = format_id(engine, opening->options, group),
        .kind = engine->kv_shape.groups[group].kind,
        .reach = engine->kv_shape.groups[group].reach,
        .model = engine->name,
        .max_disk_blocks = MAX_DISK_BLOCKS,
        .write_delay_us = WRITE_DELAY_US,
        .changed = wake,
        .user = engine,
        .lending = group == 0 ? &engine->lending : NULL,
    };
    TRY(grouped_cache_open(&engine->cache, cache, opening->err));
    *disk = NULL;
    if (group == 0 && placement_splits(&engine->placement))
        lending_init(&engine->lending, engine->device, &engine->shapes[0],
                     block_cache_pool(engine->cache.groups[0]));
    return STATUS_OK;
}

enum status opening_open_cache(struct opening *opening) {
    struct engine *engine = opening->engine;
    const int groups = engine->kv_shape.group_count;
    struct disk_pool *disks[KV_GROUPS] = {engine->disk};
    struct device_info info;
    const size_t device_bytes = pool_all_bytes(engine);
    size_t host_bytes = opening->options->kv_host_bytes;
    if (opening_is_card(engine, &info) && host_bytes == 0) host_bytes = CARD_HOST_BYTES;
    engine->draft_record = draft_record_new();
    TRY(history_init(&engine->history));
    for (int i = 1; i < groups && engine->disk; i++)
        disks[i] = engine->disk->ops->twin(engine->disk);
    enum status status = STATUS_OK;
    for (int i = 0; i < groups && status == STATUS_OK; i++) {
        const double part = (double)pool_bytes(engine, i) / (double)device_bytes;
        status = open_group(opening, i, (size_t)((double)host_bytes * part), &disks[i]);
    }
    engine->disk = disks[0]; // NULL if the group's cache owns it now
    for (int i = 1; i < groups; i++)
        if (disks[i]) disks[i]->ops->close(disks[i], NULL);
    return status;
}
