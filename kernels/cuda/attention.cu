// kernels/cuda/attention.cu — which kernel computes softmax(q K^T scale) V over pages.
//
//   flash_decode.cu   sequences with one query: K and V are read once for a whole group of heads
//   flash_few.cu      sequences with a few, as a token and drafts after it: the same
//   flash_split.cuh   the same on cards that have wgmma, for few sequences
//   flash_prefill.cu  sequences with several; flash_hopper.cu the same on cards that have wgmma
//   flash_shared.cuh  the past that sequences with one query have in common
//   paged_attention_v1.cu, paged_attention_v2.cu  sequences with one query, over packed pages
//   gather.cu         shapes that these do not support, and several queries over packed pages
//
// A mixed batch takes two kernels, each of which skips the other's sequences. On a deterministic
// device a query must give the same result alone and among others. There the flash kernel for
// several queries serves all, and v1 and v2 are unavailable, since the queries of a prefill would
// be gathered.
#include "kernels/cuda/flash_shapes.cuh"
#include "kernels/cuda/flash_shared.cuh"
#include "kernels/cuda/paged_attention.cuh"

#include <cinttypes>

static bool has_tiles(const struct device *device, const struct paged_attention *args) {
    const struct kv_cache *cache = args->cache;
    const size_t rows =
        (size_t)cache->num_blocks * 2 * cache->num_layers * cache->num_kv_heads * cache->block_size;
    const int group = args->num_heads / cache->num_kv_heads;
    const int32_t columns = kv_is_scaled(cache->type) ? 16 : 8; // of a copy of 16 bytes
    return device->properties.major >= 8 && cache->type != DTYPE_F32 && !cache->latent &&
           cache->head_size % columns == 0 && cache->block_size > 1 &&
           (cache->block_size & (cache->block_size - 1)) == 0 &&
           cache->head_size <= FLASH_HEAD_MAX &&
           group <= (cache->head_size > 256 ? FLASH_WIDE_GROUP_MAX : FLASH_GROUP_MAX) &&
           rows <= UINT32_MAX && flash_has_instance(&device->properties, cache, group);
}

static bool has_flash(const struct device *device, const struct paged_attention *args) {
    return args->cache->layout == KV_LAYOUT_ROWS && args->kernel != ATTENTION_GATHER &&
           has_tiles(device, args);
}

// Does no sequence have more queries than flash_few() computes, whatever their lengths are?
static bool has_few(const struct paged_attention *args) {
    return args->batch->num_tokens - args->batch->num_seqs < FLASH_FEW &&
           args->cache->head_size <= FLASH_FEW_HEAD_MAX;
}

static void many_queries(struct device *device, const struct paged_attention *args, int least) {
    ASSERT(least > 0);
    if (flash_has_hopper(device, args->cache))
        flash_hopper(device, args, least);
    else
        flash_prefill(device, args, least);
}

static void few_queries(struct device *device, const struct paged_attention *args,
                        const struct rope_and_cache *rope) {
    ASSERT(has_few(args));
    if (flash_splits(device, args))
        flash_split(device, args, rope);
    else
        flash_few(device, args, rope);
}

static void rows_attention(struct device *device, const struct paged_attention *args) {
    ASSERT(args->cache->layout == KV_LAYOUT_ROWS);
    const struct batch *batch = args->batch;
    if (!has_flash(device, args)) {
        gather_attention(device, args, 1);
    } else if (device->deterministic) {
        const struct batch shares = batch_that_shares(args);
        struct paged_attention mine = *args;
        mine.batch = &shares;
        if (shares.shared.own) flash_shared(device, &mine, mine.q);
        many_queries(device, &mine, 1);
    } else if (batch->num_tokens != batch->num_seqs && has_few(args)) {
        few_queries(device, args, nullptr);
    } else {
        if (batch->num_tokens != batch->num_seqs) many_queries(device, args, 2);
        if (batch->num_seqs > 1 || batch->num_tokens == 1) flash_decode(device, args, nullptr);
    }
}

// The pages of one layer. Lengths are on the device and the arguments may be recorded, so the
// longest sequence is assumed to fill its row of the block table.
static struct packed_attention packed_args(struct device *device,
                                           const struct paged_attention *args) {
    ASSERT(args->layer >= 0 && args->layer < args->cache->num_layers);
    const struct kv_cache *cache = args->cache;
    const struct batch *batch = args->batch;
    const size_t plane = kv_plane_bytes(cache);
    const char *k = (const char *)cache->data + 2 * plane * (size_t)args->layer;
    return {
        .out = args->out,
        .q = args->q,
        .k_cache = k,
        .v_cache = k + plane,
        .block_table = batch->block_table,
        .seq_lens_kv = batch->seq_lens_kv,
        .cu_seqlens_q = batch->cu_seqlens_q,
        .scratch = device->partitions,
        .block_bytes = kv_block_bytes(cache),
        .type = DTYPE_F16,
        .format = CACHE_SAME,
        .num_seqs = batch->num_seqs,
        .num_heads = args->num_heads,
        .num_kv_heads = cache->num_kv_heads,
        .head_size = cache->head_size,
        .block_size = cache->block_size,
        .max_blocks_per_seq = batch->max_blocks_per_seq,
        .max_seq_len = batch->max_blocks_per_seq * cache->block_size,
        .scale = args->scale,
        .k_scale = 1,
        .v_scale = 1,
    };
}

static void packed_pages_attention(struct device *device, const struct paged_attention *args) {
    ASSERT(args->cache->layout == KV_LAYOUT_PACKED);
    const struct batch *batch = args->batch;
    const bool plain = args->window == 0 && args->softcap == 0 && !args->sinks;
    const bool gathers = args->kernel < ATTENTION_V1 || !plain; // v1 and v2 support plain only
    ASSERT(args->cache->type == DTYPE_F16 || gathers);
    if (gathers || batch->num_tokens != batch->num_seqs)
        gather_attention(device, args, gathers ? 1 : 2);
    if (gathers || (batch->num_seqs == 1 && batch->num_tokens > 1)) return;
    const struct packed_attention packed = packed_args(device, args);
    const bool v1 = args->kernel == ATTENTION_V1 ||
                    (args->kernel == ATTENTION_PAGED && paged_attention_prefers_v1(&packed));
    ASSERT(v1 ||
           paged_attention_v2_scratch_bytes(&packed) <= cuda_partitions_bytes(&device->limits));
    (v1 ? cuda_paged_attention_v1 : cuda_paged_attention_v2)(device, &packed);
}

extern "C" void cuda_paged_attention(struct device *device, const struct paged_attention *args) {
    ASSERT(args->layer >= 0 && args->layer < args->cache->num_layers);
    ASSERT(args->num_heads % args->cache->num_kv_heads == 0);
    if (args->cache->layout == KV_LAYOUT_PACKED)
        packed_pages_attention(device, args);
    else
        rows_attention(device, args);
}

extern "C" void cuda_attention(struct device *device, const struct attention *args) {
    const struct paged_attention *attend = &args->attend;
    const struct rope_and_cache *rope = &args->rope;
    const struct batch *batch = attend->batch;
    ASSERT(rope->q == attend->q && rope->num_heads == attend->num_heads &&
           rope->layer == attend->layer && rope->cache == attend->cache && rope->batch == batch);
    ASSERT(rope->rotary <= attend->cache->head_size);
    const bool fused = rope->k && has_flash(device, attend) && !device->deterministic;
    if (fused && batch->num_tokens == batch->num_seqs)
        flash_decode(device, attend, rope);
    else if (fused && has_few(attend) && !batch->shared.own)
        few_queries(device, attend, rope);
    else
        attention_unfused(backend_cuda(), device, args);
}

extern "C" size_t cuda_partitions_bytes(const struct workspace *workspace) {
    if (workspace->attention != ATTENTION_V2 && workspace->attention != ATTENTION_PAGED) return 0;
    const struct packed_attention largest = {.num_seqs = workspace->max_seqs,
                                             .num_heads = workspace->num_heads,
                                             .head_size = workspace->head_size,
                                             .max_seq_len = workspace->max_context};
    return paged_attention_v2_scratch_bytes(&largest);
}

static enum status check_packed(struct device *device, const struct paged_attention *args,
                                int32_t max_context, struct error *err) {
    const struct kv_cache *cache = args->cache;
    const struct packed_shape shape = {cache->type, CACHE_SAME, cache->head_size, cache->block_size,
                                       1};
    const char *name = attention_name(args->kernel);
    if (cache->latent)
        return error_set(err, STATUS_UNSUPPORTED,
                         "attention %s does not support latent attention; use auto", name);
    const packed_kernel kernel = packed_kernel_in_program(&shape);
    if (!kernel)
        return error_set(err, STATUS_UNSUPPORTED,
                         "attention %s does not support head size %" PRId32
                         " with block size %" PRId32 " and type %s; it supports " PACKED_SHAPES,
                         name, cache->head_size, cache->block_size, dtype_name(cache->type));
    const int32_t most = paged_attention_v1_longest(device, kernel, cache->block_size);
    if (args->kernel == ATTENTION_V1 && max_context > most)
        return error_set(err, STATUS_UNSUPPORTED,
                         "attention v1 supports a context of at most %" PRId32
                         " tokens on this GPU, but the context is %" PRId32
                         "; lower --ctx, or use v2",
                         most, max_context);
    return STATUS_OK;
}

extern "C" enum status cuda_attention_check(struct device *device,
                                            const struct paged_attention *args, int32_t max_context,
                                            struct error *err) {
    const struct kv_cache *cache = args->cache;
    if (attention_layout(args->kernel) == KV_LAYOUT_PACKED)
        return check_packed(device, args, max_context, err);
    if (args->kernel == ATTENTION_AUTO && !has_tiles(device, args))
        device->plain_head_size = cache->head_size;
    if (args->kernel != ATTENTION_FLASH || has_tiles(device, args)) return STATUS_OK;
    return error_set(err, STATUS_UNSUPPORTED,
                     "attention flash does not support %" PRId32 " heads over %" PRId32
                     " KV heads of size %" PRId32 " and type %s; use auto",
                     args->num_heads, cache->num_kv_heads, cache->head_size,
                     dtype_name(cache->type));
}
