// kernels/cuda/attention.cu — which kernel computes softmax(q K^T scale) V over pages.
//
//   flash_decode.cu   sequences with one query: K and V are read once for a whole group
//   flash_prefill.cu  sequences with several; flash_hopper.cu the same on cards that have wgmma
//   gather.cu         what these have no tiles for
//
// A mixed batch takes both flash kernels, and each passes over the other's sequences. On a
// deterministic device a query must come out the same alone and among others, so there the
// kernel for several serves all.
#include "kernels/cuda/flash.cuh"

static bool has_tiles(const struct device *device, const struct paged_attention *args) {
    const struct kv_cache *cache = args->cache;
    const size_t rows =
        (size_t)cache->num_blocks * 2 * cache->num_layers * cache->num_kv_heads * cache->block_size;
    return device->properties.major >= 8 && cache->type != DTYPE_F32 && cache->head_size % 8 == 0 &&
           cache->head_size <= FLASH_HEAD_MAX &&
           args->num_heads / cache->num_kv_heads <= FLASH_GROUP_MAX && rows <= UINT32_MAX;
}

static void many_queries(struct device *device, const struct paged_attention *args, int least) {
    if (device->properties.major == 9 && args->cache->head_size <= 128)
        flash_hopper(device, args, least);
    else
        flash_prefill(device, args, least);
}

extern "C" void cuda_paged_attention(struct device *device, const struct paged_attention *args) {
    const struct batch *batch = args->batch;
    ASSERT(args->num_heads % args->cache->num_kv_heads == 0);
    if (!has_tiles(device, args)) {
        gather_attention(device, args);
    } else if (device->deterministic) {
        many_queries(device, args, 1);
    } else {
        if (batch->num_tokens != batch->num_seqs) many_queries(device, args, 2);
        if (batch->num_seqs > 1 || batch->num_tokens == 1) flash_decode(device, args);
    }
}
