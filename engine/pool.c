// engine/pool.c — how many blocks the device's pool has of each group of layers.
#include <inttypes.h>

#include "engine/internal.h"
#include "engine/model/kv_shape.h"
#include "kernels/base/assert.h"
#include "kernels/base/size.h"

enum { POOL_SHARE = 4 }; // a quarter of the free memory, by default

static struct cache_group group_of(const struct engine *engine, int group) {
    ASSERT(group >= 0 && group < KV_GROUPS);
    const struct model_config *config = &engine->model.config;
    return (struct cache_group){.reach = kv_shape_reach(config, group),
                                .states = kv_shape_has_states(config, group)};
}

// Blocks of a group with which a sequence as long as the context is computed: one more, for a copy
// of the last.
static size_t blocks_for(const struct engine *engine, int group, int32_t context) {
    ASSERT(context > 0);
    const struct cache_group of = group_of(engine, group);
    const int32_t size = engine->shapes[0].block_size;
    const size_t all = ((size_t)context + (size_t)size - 1) / (size_t)size + 1;
    const size_t window = (size_t)grouped_cache_most(&of, size, engine->chunk_tokens) + 1;
    return of.reach == 0 || all < window ? all : window;
}

size_t pool_sequence_bytes(const struct engine *engine) {
    if (engine->cache.count < 2) return 0;
    return blocks_for(engine, 1, engine->context) * kv_block_bytes(&engine->shapes[1]);
}

static enum status refuse_pool(const struct engine *engine, size_t have, int32_t context,
                               struct error *err) {
    size_t need = 0;
    for (int i = 0; i < kv_shape_groups(&engine->model.config); i++)
        need += blocks_for(engine, i, context) * kv_block_bytes(&engine->shapes[i]);
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

// Divides the pool between layers that see everything and layers with a window: what the context
// needs, then as many windows as there are conversations of a usual length in the rest. A small
// pool, and one for long windows, has as many blocks of both.
static void divide_pool(struct engine *engine, size_t bytes, int32_t context) {
    ASSERT(context > 0);
    enum { USUAL_TOKENS = 8192 };
    struct kv_cache *all = &engine->shapes[0], *window = &engine->shapes[1];
    const struct cache_group of = group_of(engine, 1);
    const int32_t size = all->block_size;
    const size_t block = kv_block_bytes(all), other = kv_block_bytes(window);
    const size_t least = blocks_for(engine, 1, context), need = blocks_for(engine, 0, context);
    const double share = (double)grouped_cache_most(&of, size, 0) * size / USUAL_TOKENS;
    all->num_blocks = window->num_blocks = at_most(bytes / (block + other));
    if (all->num_blocks <= least || share >= 1) return;
    const size_t rest = bytes - least * other;
    size_t blocks = (size_t)((double)rest / ((double)block + share * (double)other));
    if (blocks < need) blocks = need < rest / block ? need : rest / block;
    all->num_blocks = at_most(blocks);
    window->num_blocks = at_most((bytes - all->num_blocks * block) / other);
    ASSERT(window->num_blocks >= least);
}

// Windows and states are part of the bytes, or come on top of them for a number of sequences.
static void choose_blocks(struct engine *engine, const struct engine_options *options,
                          size_t bytes) {
    struct kv_cache *all = &engine->shapes[0], *window = &engine->shapes[1];
    const int32_t context = options->context ? options->context : engine->model.config.context;
    const bool grouped = kv_shape_groups(&engine->model.config) > 1;
    ASSERT(options->sequences >= 0);
    if (grouped && options->sequences == 0) {
        divide_pool(engine, bytes, context);
        return;
    }
    all->num_blocks = window->num_blocks = at_most(bytes / kv_block_bytes(all));
    if (!grouped) return;
    const size_t most = (size_t)options->sequences * blocks_for(engine, 1, context);
    if (most < window->num_blocks) window->num_blocks = (uint32_t)most;
}

enum status pool_choose(struct engine *engine, const struct engine_options *options,
                        struct error *err) {
    struct kv_cache *cache = &engine->shapes[0];
    const int32_t trained = engine->model.config.context;
    struct device_info info;
    engine->backend->info(engine->device, &info);
    const size_t bytes =
        options->kv_device_bytes ? options->kv_device_bytes : info.memory_free / POOL_SHARE;
    const int32_t wanted = options->context;
    if (wanted < 0 || wanted > MODEL_MAX_CONTEXT)
        return error_set(err, STATUS_BAD_INPUT, "ctx: expected 0 to %d, found %" PRId32,
                         MODEL_MAX_CONTEXT, wanted);
    if (wanted > trained && !options->beyond_training)
        return error_set(err, STATUS_BAD_INPUT,
                         "ctx: the model supports at most %" PRId32 " tokens, found %" PRId32,
                         trained, wanted);
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
