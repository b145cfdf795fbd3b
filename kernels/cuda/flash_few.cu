// kernels/cuda/flash_few.cu — attention of sequences with a few queries.
#include "kernels/cuda/flash_decode.cuh"
#include "kernels/cuda/flash_shared.cuh"

void flash_few(struct device *device, const struct paged_attention *args,
               const struct rope_and_cache *rope) {
    ASSERT(args->batch->num_seqs > 0 && args->batch->num_seqs <= device->limits.max_seqs);
    ASSERT(!rope || (rope->cache == args->cache && rope->layer == args->layer));
    const struct batch batch = batch_that_shares(args);
    ASSERT(!rope || !batch.shared.own);
    const int32_t queries = batch.num_tokens - batch.num_seqs + 1; // of a sequence, at most
    ASSERT(queries <= FLASH_FEW);
    struct paged_attention mine = *args;
    mine.batch = &batch;
    flash_choose(args->cache,
                 decode_launch<FLASH_FEW>{device, &mine, rope,
                                          queries * args->num_heads / args->cache->num_kv_heads});
    if (batch.shared.own) flash_shared(device, args, args->q);
}
