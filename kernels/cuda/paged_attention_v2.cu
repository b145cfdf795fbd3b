// kernels/cuda/paged_attention_v2.cu — v1 over partitions, and their merge.
//
//   scratch  values [num_seqs, num_heads, partitions, head_size],
//            maxima and exp_sums [num_seqs, num_heads, partitions]; fp32
//   out      [num_seqs, num_heads, head_size]
//
//   first    grid (num_heads / heads_per_block, num_seqs, partitions): paged_attention_kernel.cuh
//   reduce   grid (num_heads, num_seqs), block NUM_THREADS, a thread an element
//            smem partitions fp32, in whole vecs of 16 bytes: what rescales each partition
//
// With M the largest qk_max of the row's partitions, out = sum values_p exp(max_p - M) over
// sum exp_sum_p exp(max_p - M). fp32 to the one rounding at the store. Bound by its launch.
#include "kernels/cuda/paged_attention_kernel.cuh"

template <typename scalar_t>
static __global__
__launch_bounds__(NUM_THREADS) void reduce_kernel(const __grid_constant__ packed_attention args,
                                                  const __grid_constant__ packed_launch launch,
                                                  int partitions) {
    extern __shared__ float4 shared[]; // of 16 bytes each, for their alignment
    float *factors = (float *)shared;  // [partitions]
    const int head = blockIdx.x, seq = blockIdx.y, query = query_row(args, seq);
    if (query < 0) return;
    const size_t first = ((size_t)seq * args.num_heads + head) * partitions;
    const int used = (args.seq_lens_kv[seq] + PARTITION_SIZE - 1) / PARTITION_SIZE;
    float highest[1] = {-FLT_MAX}, sum[1] = {0};
    for (int p = threadIdx.x; p < used; p += NUM_THREADS)
        highest[0] = fmaxf(highest[0], launch.maxima[first + p]);
    reduce_heads<1, true>(highest);
    for (int p = threadIdx.x; p < used; p += NUM_THREADS) {
        factors[p] = __expf(launch.maxima[first + p] - highest[0]);
        sum[0] += factors[p] * launch.exp_sums[first + p];
    }
    reduce_heads<1, false>(sum); // and orders the factors before they are read
    const float factor = args.v_scale / sum[0];
    const float *values = launch.values + first * args.head_size;
    scalar_t *out = (scalar_t *)args.out + ((size_t)query * args.num_heads + head) * args.head_size;
    for (int i = threadIdx.x; i < args.head_size; i += NUM_THREADS) {
        float value = 0;
#pragma unroll 8
        for (int p = 0; p < used; p++)
            value = fmaf(factors[p], values[(size_t)p * args.head_size + i], value);
        from_float(value * factor, &out[i]);
    }
}

static void reduce(struct device *device, const struct packed_attention *args,
                   const struct packed_launch *launch, int partitions) {
    const dim3 grid(args->num_heads, args->num_seqs);
    // The compiler fetches factors four at a time and uses as many as there are.
    const size_t shared = ceil_divide((size_t)partitions, 4) * sizeof(float4);
    ASSERT(shared <= 40 << 10); // 5 million keys
    if (args->type == DTYPE_F16)
        reduce_kernel<__half>
            <<<grid, NUM_THREADS, shared, device->stream>>>(*args, *launch, partitions);
    else if (args->type == DTYPE_BF16)
        reduce_kernel<__nv_bfloat16>
            <<<grid, NUM_THREADS, shared, device->stream>>>(*args, *launch, partitions);
    else
        reduce_kernel<float>
            <<<grid, NUM_THREADS, shared, device->stream>>>(*args, *launch, partitions);
    device_note(device, cudaGetLastError());
}

void paged_attention_v2_with(struct device *device, const struct packed_attention *args,
                             packed_kernel_find find, int heads_per_block) {
    const int partitions = packed_partitions(args);
    const size_t parts = (size_t)args->num_seqs * args->num_heads * partitions;
    float *values = (float *)args->scratch, *maxima = values + parts * args->head_size;
    const struct packed_launch launch = {
        .partition_keys = PARTITION_SIZE,
        .logit_stride = PARTITION_SIZE,
        .values = values,
        .maxima = maxima,
        .exp_sums = maxima + parts,
    };
    const int heads = heads_per_block
                          ? heads_per_block
                          : packed_heads_per_block(device, args, find, PARTITION_SIZE, partitions);
    const struct packed_shape shape = {args->type, args->format, args->head_size, args->block_size,
                                       heads};
    const packed_kernel kernel = find(&shape);
    ASSERT(kernel);
    packed_launch_kernel(device, args, &launch, kernel, heads, partitions);
    reduce(device, args, &launch, partitions);
}

extern "C" void cuda_paged_attention_v2(struct device *device,
                                        const struct packed_attention *args) {
    paged_attention_v2_with(device, args, packed_kernel_in_program, 0);
}
