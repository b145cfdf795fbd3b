// kernels/cuda/flash_decode.cu — attention of sequences with one query.
#include "kernels/cuda/flash_decode.cuh"
#include "kernels/cuda/flash_shared.cuh"

void flash_decode(struct device *device, const struct paged_attention *args,
                  const struct rope_and_cache *rope) {
    ASSERT(args->batch->num_seqs > 0 && args->batch->num_seqs <= device->limits.max_seqs);
    ASSERT(!rope || (rope->cache == args->cache && rope->layer == args->layer));
    const struct batch batch = batch_that_shares(args);
    const int group = args->num_heads / args->cache->num_kv_heads;
    struct paged_attention mine = *args;
    mine.batch = &batch;
    flash_choose(args->cache, decode_launch<1>{device, &mine, rope, group});
    if (batch.shared.own) flash_shared(device, args, rope ? device->shared.q : args->q);
}
