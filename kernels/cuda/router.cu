// kernels/cuda/router.cu — which experts of a mixture compute for a token, and with which share.
//
//   route   scores [tokens, experts] fp32; chosen int32 and shares fp32 [tokens, used], out
//           grid  tokens;  block  LANES
//   router  for few tokens, the norm and the scores before it too: x [tokens, columns] fp32,
//           normed the same fp16, out;  weights [experts, columns] fp32
//           grid  (ceil(experts / WARPS), tokens);  block  WARPS x 32, a warp an expert
//           smem  columns fp32 of the norm, columns fp16 of x
//
// A block norms its token's row for itself, and the last block of a token to have its scores
// routes. Weights and norm, which no kernel writes, are loaded before grid_wait(). Bound by
// latency.
#include "kernels/cuda/experts.cuh"

enum { WARPS = 4, THREADS = WARPS * LANES };

// Maps scores to unsigned numbers of the same order, never 0. NaN becomes the lowest.
static __device__ inline unsigned key_of(float score) {
    const unsigned bits = __float_as_uint(isnan(score) ? -INFINITY : score == 0 ? 0.0f : score);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static __device__ inline float score_of(unsigned key) {
    return __uint_as_float(key & 0x80000000u ? key & 0x7fffffffu : ~key);
}

// Called by a warp. A lane holds every 32nd score in registers. Each step selects the highest of
// all, of equal ones the first, and lane j keeps the j-th.
template <int EACH> static __device__ void route_token(const route &args, size_t token) {
    const int lane = threadIdx.x % LANES;
    const float *scores = (const float *)args.scores + token * args.experts;
    unsigned keys[EACH], own = 0, highest = 0;
    int expert = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++)
        keys[i] = lane + LANES * i < args.experts ? key_of(__ldcg(scores + lane + LANES * i)) : 0;
    for (int j = 0; j < args.used; j++) {
        unsigned best = 0;
        int nth = 0;
#pragma unroll
        for (int i = 0; i < EACH; i++)
            if (keys[i] > best) best = keys[i], nth = i;
        const unsigned most = __reduce_max_sync(0xffffffffu, best);
        const int mine = best == most ? lane + LANES * nth : EXPERTS_MAX;
        const int chosen = __reduce_min_sync(0xffffffffu, mine);
#pragma unroll
        for (int i = 0; i < EACH; i++)
            if (chosen == lane + LANES * i) keys[i] = 0;
        if (j == 0) highest = most;
        if (j == lane) own = most, expert = chosen;
    }
    const float share = lane < args.used ? __expf(score_of(own) - score_of(highest)) : 0;
    const float sum = warp_sum(share);
    if (lane >= args.used) return;
    args.chosen[token * args.used + lane] = expert;
    args.shares[token * args.used + lane] = share * (args.gains ? args.gains[expert] : 1.0f) / sum;
}

template <int EACH> static __global__ __launch_bounds__(LANES) void route_kernel(const route args) {
    grid_launch_dependents();
    grid_wait();
    route_token<EACH>(args, blockIdx.x);
}

struct router_args {
    struct router router;
    unsigned *arrived; // [tokens]
};

// Norms the token's row into shared memory; the first block stores it as well.
static __device__ inline void norm_row(const linear_input &in, int columns, const float4 *norm,
                                       uint2 *row) {
    const float4 *x = (const float4 *)in.x + (size_t)blockIdx.y * (columns / 4);
    uint2 *normed = (uint2 *)in.normed + (size_t)blockIdx.y * (columns / 4);
    float squares = 0;
#pragma unroll 4
    for (int i = threadIdx.x; i < columns / 4; i += THREADS) {
        const float4 v = x[i];
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    const float scale = rsqrtf(block_sum<THREADS>(squares) / columns + in.eps);
    for (int i = threadIdx.x; i < columns / 4; i += THREADS) {
        const float4 v = x[i], w = norm[i];
        const __half2 a = halves(v.x * scale * w.x, v.y * scale * w.y);
        const __half2 b = halves(v.z * scale * w.z, v.w * scale * w.w);
        row[i] = make_uint2(*(const unsigned *)&a, *(const unsigned *)&b);
        if (blockIdx.x == 0) normed[i] = row[i];
    }
}

static __device__ inline float add_four(float sum, uint2 x, float4 by) {
    const float2 a = __half22float2(*(const __half2 *)&x.x),
                 b = __half22float2(*(const __half2 *)&x.y);
    return fmaf(b.y, by.w, fmaf(b.x, by.z, fmaf(a.y, by.y, fmaf(a.x, by.x, sum))));
}

// True, for every thread, in the last block of a token to come here.
static __device__ inline bool arrive_last(unsigned *arrived) {
    __shared__ bool last;
    __syncthreads(); // orders the block's scores before its arrival
    if (threadIdx.x == 0) {
        unsigned before;
        // Releases this block's scores and acquires those of earlier ones; the last arrival wraps
        // the counter to 0.
        asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                     : "=r"(before)
                     : "l"(arrived), "r"(gridDim.x - 1)
                     : "memory");
        last = before == gridDim.x - 1;
    }
    __syncthreads(); // orders the answer before its reads
    return last;
}

template <int EACH>
static __global__
__launch_bounds__(THREADS) void router_kernel(const __grid_constant__ router_args args) {
    enum { KEPT = 16 };
    extern __shared__ __align__(16) char memory[];
    const struct router &router = args.router;
    const projection &to = router.scores;
    const int columns = to.weight.columns, lane = threadIdx.x % LANES;
    const int expert = blockIdx.x * WARPS + threadIdx.x / LANES;
    const int fours = expert < to.weight.rows ? columns / 4 : 0;
    const float4 *weights = (const float4 *)to.weight.data + (size_t)expert * (columns / 4);
    float4 *norm = (float4 *)memory, kept[KEPT];
    uint2 *row = (uint2 *)(norm + columns / 4);
    grid_launch_dependents();
#pragma unroll
    for (int k = 0; k < KEPT; k++)
        if (lane + k * LANES < fours) kept[k] = weights[lane + k * LANES];
    for (int i = threadIdx.x; i < columns / 4; i += THREADS)
        norm[i] = ((const float4 *)router.in.norm)[i];
    grid_wait();
    norm_row(router.in, columns, norm, row);
    __syncthreads(); // orders the row before its reads
    float sum = 0;
#pragma unroll
    for (int k = 0; k < KEPT; k++)
        if (lane + k * LANES < fours) sum = add_four(sum, row[lane + k * LANES], kept[k]);
#pragma unroll 4
    for (int i = lane + KEPT * LANES; i < fours; i += LANES)
        sum = add_four(sum, row[i], weights[i]);
    sum = warp_sum(sum);
    if (lane == 0 && fours > 0)
        __stcg((float *)to.y + (size_t)blockIdx.y * to.weight.rows + expert,
               sum + (to.bias ? to.bias[expert] : 0.0f));
    if (arrive_last(args.arrived + blockIdx.y) && threadIdx.x < LANES)
        route_token<EACH>(router.route, blockIdx.y);
}

extern "C" void cuda_route(struct device *device, const struct route *args) {
    ASSERT(args->used > 0 && args->used <= args->experts && args->used <= EXPERTS_USED_MAX);
    ASSERT(args->experts <= EXPERTS_MAX);
    const auto kernel = args->experts <= 4 * LANES   ? route_kernel<4>
                        : args->experts <= 8 * LANES ? route_kernel<8>
                                                     : route_kernel<EXPERTS_MAX / LANES>;
    launch_after(device, kernel, dim3(args->tokens), dim3(LANES), 0, *args);
}

extern "C" void cuda_router(struct device *device, const struct router *args) {
    const struct weight *w = &args->scores.weight;
    const struct route *route = &args->route;
    const size_t bytes = (size_t)w->columns * (sizeof(float) + sizeof(__half));
    ASSERT(args->scores.y == route->scores && w->rows == route->experts);
    if (device->deterministic || args->in.tokens > ROUTER_FEW_TOKENS || w->type != DTYPE_F32 ||
        w->columns % 4 != 0 || bytes > 40 << 10 || route->experts > 8 * LANES) {
        router_unfused(backend_cuda(), device, args);
        return;
    }
    const dim3 grid(ceil_divide((size_t)w->rows, WARPS), (unsigned)args->in.tokens);
    launch_after(device, route->experts <= 4 * LANES ? router_kernel<4> : router_kernel<8>, grid,
                 dim3(THREADS), bytes, router_args{*args, device->router_arrived});
}
