// engine/pool.c — decides how many blocks of each group of layers the device's pool has.
#include "engine/pool.h"

#include <inttypes.h>

#include "engine/core/engine_state.h"
#include "engine/model/kv_shape.h"
#include "kernels/base/assert.h"
#include "kernels/base/size.h"

enum {
    POOL_SHARE = 4,  // a quarter of the free memory, by default
    KEPT_SHARE = 16, // of it, besides a file's weights and their cache
    SHORT_CONTEXT = 4096,
};

// Blocks of a group with which a sequence as long as the context is computed: one more, for a copy
// of the last.
static size_t blocks_for(const struct engine *engine, int group, int32_t context) {
    ASSERT(context > 0);
    const enum cache_kind kind = engine->kv_shape.groups[group].kind;
    const int32_t size = engine->shapes[0].block_size, reach = engine->kv_shape.groups[group].reach;
    const size_t all = ((size_t)context + (size_t)size - 1) / (size_t)size + 1;
    const size_t most = (size_t)grouped_cache_most(kind, reach, size, engine->chunk_tokens) + 1;
    return kind == CACHE_FULL || all < most ? all : most;
}

size_t pool_state_bytes(const struct engine *engine) {
    size_t bytes = 0;
    for (int i = 0; i < engine->cache.count; i++)
        if (engine->kv_shape.groups[i].kind == CACHE_STATE)
            bytes += kv_block_bytes(&engine->shapes[i]);
    return bytes;
}

size_t pool_sequence_bytes(const struct engine *engine) {
    size_t bytes = 0;
    for (int i = 1; i < engine->cache.count; i++)
        bytes += blocks_for(engine, i, engine->context) * kv_block_bytes(&engine->shapes[i]);
    return bytes;
}

size_t pool_context_bytes(const struct engine *engine, int32_t context) {
    size_t bytes = 0;
    for (int i = 0; i < engine->kv_shape.group_count; i++)
        bytes += blocks_for(engine, i, context) * kv_block_bytes(&engine->shapes[i]);
    return bytes;
}

size_t pool_mapped_bytes(const struct engine *engine) {
    const bool in_file = engine->gguf && engine->backend->weights_in_file;
    const bool mapped = in_file && !placement_leaves(&engine->placement);
    const size_t drafters = engine->drafter ? pool_mapped_bytes(engine->drafter) : 0;
    return drafters + (mapped ? gguf_file_bytes(engine->gguf) : 0);
}

// Where nobody asked for a size. Memory that mapped weights need counts as free: a cache that would
// drive them out gets what they leave, or what the context needs, or a short one. If there is not
// even that, they are driven out by any.
static size_t usual_bytes(const struct engine *engine, int32_t wanted, size_t free_bytes) {
    const int32_t trained = engine->model.config.context;
    const int32_t brief = trained < SHORT_CONTEXT ? trained : SHORT_CONTEXT;
    const size_t share = free_bytes / POOL_SHARE, used = pool_mapped_bytes(engine);
    const size_t most = free_bytes - free_bytes / KEPT_SHARE;
    const size_t least = pool_context_bytes(engine, wanted > 0 ? wanted : brief);
    const size_t left = most > used && most - used > least ? most - used : least;
    return used > 0 && used + least <= free_bytes && left < share ? left : share;
}

size_t pool_asked_bytes(const struct engine *engine, const struct engine_options *options) {
    const int32_t context = options->context > 0 ? options->context : engine->model.config.context;
    size_t bytes = options->kv_device_bytes;
    for (int i = 1; i < engine->kv_shape.group_count; i++)
        bytes += (size_t)options->sequences * blocks_for(engine, i, context) *
                 kv_block_bytes(&engine->shapes[i]);
    return bytes;
}

static enum status refuse_pool(const struct engine *engine, size_t have, int32_t context,
                               struct error *err) {
    const size_t need = pool_context_bytes(engine, context);
    char need_text[SIZE_TEXT_BYTES], have_text[SIZE_TEXT_BYTES];
    return error_set(
        err, STATUS_NO_MEMORY,
        "a context of %" PRId32
        " tokens needs %s of KV cache, but the pool has %s; lower --ctx or raise --kv-device",
        context, size_format(need, need_text), size_format(have, have_text));
}

static uint32_t at_most(size_t blocks) {
    return blocks < UINT32_MAX / 2 ? (uint32_t)blocks : UINT32_MAX / 2;
}

// Blocks of a group that a conversation of a usual length takes.
static double usual_blocks(const struct engine *engine, int group) {
    enum { USUAL_TOKENS = 8192 };
    const struct kv_group *shape = &engine->kv_shape.groups[group];
    const int32_t size = engine->shapes[0].block_size;
    if (shape->kind == CACHE_FULL) return (double)USUAL_TOKENS / size;
    return grouped_cache_most(shape->kind, shape->reach, size, 0);
}

static void share_equally(struct engine *engine, size_t bytes) {
    size_t block = 0;
    for (int i = 0; i < engine->kv_shape.group_count; i++)
        block += kv_block_bytes(&engine->shapes[i]);
    for (int i = 0; i < engine->kv_shape.group_count; i++)
        engine->shapes[i].num_blocks = at_most(bytes / block);
}

// Divides the pool between group 0 and the others: what the context needs, then as many windows and
// states as there are conversations of a usual length in the rest. A pool that is too small for
// that, and one for long windows, has as many blocks of each.
static void divide_pool(struct engine *engine, size_t bytes, int32_t context) {
    ASSERT(context > 0);
    struct kv_cache *shapes = engine->shapes;
    const int groups = engine->kv_shape.group_count;
    const size_t block = kv_block_bytes(&shapes[0]), need = blocks_for(engine, 0, context);
    size_t least[KV_GROUPS], least_bytes = 0;
    double shares[KV_GROUPS], share_bytes = 0; // for a block of group 0
    share_equally(engine, bytes);
    for (int i = 1; i < groups; i++) {
        least[i] = blocks_for(engine, i, context);
        shares[i] = usual_blocks(engine, i) / usual_blocks(engine, 0);
        if (shares[i] >= 1) return;
        least_bytes += least[i] * kv_block_bytes(&shapes[i]);
        share_bytes += shares[i] * (double)kv_block_bytes(&shapes[i]);
    }
    const size_t rest = bytes > least_bytes ? bytes - least_bytes : 0;
    if (rest / block < shapes[0].num_blocks) return;
    size_t blocks = (size_t)((double)rest / ((double)block + share_bytes));
    if (blocks < need) blocks = need < rest / block ? need : rest / block;
    shapes[0].num_blocks = at_most(blocks);
    size_t left = rest - shapes[0].num_blocks * block; // for the others, by their shares
    for (int i = 1; i < groups; i++) {
        const size_t each = kv_block_bytes(&shapes[i]);
        const double part = shares[i] * (double)each / share_bytes;
        const size_t more = i + 1 < groups ? (size_t)((double)left * part) / each : left / each;
        shapes[i].num_blocks = at_most(least[i] + more);
        left -= more * each;
        share_bytes -= shares[i] * (double)each;
    }
}

// Windows and states are part of the bytes, or come on top of them for a number of sequences.
static void choose_blocks(struct engine *engine, const struct engine_options *options,
                          size_t bytes) {
    const int32_t context = options->context ? options->context : engine->model.config.context;
    ASSERT(options->sequences >= 0);
    if (engine->kv_shape.group_count > 1 && options->sequences == 0) {
        divide_pool(engine, bytes, context);
        return;
    }
    const uint32_t blocks = at_most(bytes / kv_block_bytes(&engine->shapes[0]));
    engine->shapes[0].num_blocks = blocks;
    for (int i = 1; i < engine->kv_shape.group_count; i++) {
        const size_t most = (size_t)options->sequences * blocks_for(engine, i, context);
        engine->shapes[i].num_blocks = most < blocks ? (uint32_t)most : blocks;
    }
}

size_t pool_first_group_bytes(struct engine *engine, const struct engine_options *options,
                              size_t bytes) {
    struct engine_options in_all = *options;
    in_all.sequences = 0;
    choose_blocks(engine, &in_all, bytes);
    return pool_bytes(engine, 0);
}

enum status pool_check_context(const struct engine *engine, const struct engine_options *options,
                               struct error *err) {
    const int32_t trained = engine->model.config.context, wanted = options->context;
    if (wanted < 0 || wanted > MODEL_MAX_CONTEXT)
        return error_set(err, STATUS_BAD_INPUT,
                         "expected a context of 0 to %d tokens, found %" PRId32, MODEL_MAX_CONTEXT,
                         wanted);
    if (wanted > trained && !options->beyond_training && !options->unattended)
        return error_set(err, STATUS_BAD_INPUT,
                         "a context of %" PRId32 " tokens is more than the %" PRId32
                         " that the model supports",
                         wanted, trained);
    return STATUS_OK;
}

enum status pool_choose(struct engine *engine, const struct engine_options *options,
                        struct error *err) {
    struct kv_cache *cache = &engine->shapes[0];
    const int32_t trained = engine->model.config.context;
    struct device_info info;
    engine->backend->info(engine->device, &info);
    const int32_t wanted = options->context;
    const size_t bytes = options->kv_device_bytes ? options->kv_device_bytes
                                                  : usual_bytes(engine, wanted, info.memory_free);
    ASSERT(wanted >= 0 && wanted <= MODEL_MAX_CONTEXT);
    choose_blocks(engine, options, bytes);
    // One block is reserved, so that the last one of a full context can be copied before a write.
    uint64_t slots =
        cache->num_blocks ? (uint64_t)(cache->num_blocks - 1) * (uint64_t)cache->block_size : 0;
    if (blocks_for(engine, 0, MODEL_MAX_CONTEXT) <= cache->num_blocks) slots = MODEL_MAX_CONTEXT;
    if (slots < (uint64_t)(wanted ? wanted : cache->block_size))
        return refuse_pool(engine, bytes, wanted ? wanted : cache->block_size, err);
    const int32_t longest = slots < (uint64_t)trained ? (int32_t)slots : trained;
    engine->context = wanted ? wanted : longest;
    ASSERT(engine->context > 0 && (uint64_t)engine->context <= slots);
    return STATUS_OK;
}

size_t pool_bytes(const struct engine *engine, int group) {
    return engine->shapes[group].num_blocks * kv_block_bytes(&engine->shapes[group]);
}

size_t pool_all_bytes(const struct engine *engine) {
    size_t bytes = 0;
    for (int i = 0; i < engine->kv_shape.group_count; i++)
        bytes += pool_bytes(engine, i);
    return bytes;
}
