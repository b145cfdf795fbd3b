// kernels/cuda/experts.cu — a mixture of experts: the router, and the weighted sum of experts.
//
//   route    scores [tokens, experts] fp32; chosen int32 and shares fp32 [tokens, used], out
//            grid  tokens;  block  LANES
//   combine  y [tokens, dim] fp32 = or += sum over j of shares[j] * results[slot j]
//            grid  (ceil(dim / 4 THREADS), tokens);  block  THREADS, four columns a thread
//
// Between them lie two products, gate and up with the activation, and down. Each runs over work
// items of one expert and some slots (experts.cuh):
//
//   experts_few.cuh    items of 8 slots, for few tokens or on a deterministic device
//   experts_many.cuh   items of 32 or 64 slots
//   experts_alone.cuh  down and the sum of a lone token's
//
// Which experts are needed is known on the card only, so that a step can be recorded. Grids are
// therefore launched for the most items there can be. Values between gate and down are fp16; all
// sums are fp32.
#include "kernels/cuda/experts.cuh"
#include "kernels/cuda/gemv.cuh"
#include "kernels/cuda/types.cuh"

enum { THREADS = 128, FEW_MOST_TOKENS = 64 };

// Maps scores to unsigned numbers of the same order, never 0. NaN becomes the lowest.
static __device__ inline unsigned key_of(float score) {
    const unsigned bits = __float_as_uint(isnan(score) ? -INFINITY : score == 0 ? 0.0f : score);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static __device__ inline float score_of(unsigned key) {
    return __uint_as_float(key & 0x80000000u ? key & 0x7fffffffu : ~key);
}

// What softmax weights are computed with. Sigmoid weights need neither, and both cancel out of
// shares that are divided by their sum.
struct softmax_figures {
    float highest, sum; // of all scores; of their powers
};

static __device__ inline float weight_of(const route &args, float score, softmax_figures figures) {
    if (isnan(score)) return 0;
    return args.gating == GATING_SIGMOID ? 1 / (1 + __expf(-score))
                                         : __expf(score - figures.highest) / figures.sum;
}

static __device__ inline softmax_figures figures_of(const route &args, const float *scores) {
    float highest = -INFINITY, sum = 0;
    for (int e = threadIdx.x; e < args.experts; e += LANES)
        highest = fmaxf(highest, scores[e]);
    highest = warp_max(highest);
    for (int e = threadIdx.x; e < args.experts; e += LANES)
        sum += weight_of(args, scores[e], {highest, 1});
    return {highest, warp_sum(sum)};
}

// Keys of groups that are not among the best become 0. Lane g holds group g's score.
template <int EACH>
static __device__ inline void drop_groups(const route &args, unsigned (&keys)[EACH]) {
    const int lane = threadIdx.x, each = args.experts / args.groups;
    float mine = -INFINITY;
    for (int g = 0; g < args.groups; g++) {
        unsigned high = 0, second = 0; // of the lane's keys in the group
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const int in_group = lane + LANES * i - g * each;
            if (in_group < 0 || in_group >= each) continue;
            second = max(second, min(high, keys[i]));
            high = max(high, keys[i]);
        }
        const unsigned most = __reduce_max_sync(0xffffffffu, high);
        const int owner = __ffs(__ballot_sync(0xffffffffu, high == most)) - 1;
        const unsigned next = __reduce_max_sync(0xffffffffu, lane == owner ? second : high);
        if (lane == g) mine = score_of(most) + (args.best_of_group ? 0 : score_of(next));
    }
    int ahead = 0; // groups that are better than the lane's
    for (int g = 0; g < args.groups; g++) {
        const float other = __shfl_sync(0xffffffffu, mine, g);
        ahead += other > mine || (other == mine && g < lane);
    }
    const unsigned kept = __ballot_sync(0xffffffffu, ahead < args.groups_used);
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int expert = lane + LANES * i;
        if (expert < args.experts && !(kept >> expert / each & 1)) keys[i] = 0;
    }
}

// What a sparse mixer divides by: the powers of the best score and of those near it among the keys
// that are left.
template <int EACH>
static __device__ inline float mixed_sum(const route &args, const unsigned (&keys)[EACH],
                                         float best) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const float score = score_of(keys[i]);
        const bool near = best - score <= args.nearness * fmaxf(fabsf(score), best);
        if (keys[i] && near) sum += __expf(score - best);
    }
    return warp_sum(sum);
}

// A lane holds every 32nd key in registers: the score's, or the weight's with its bias. Each step
// selects the highest of all, of equal ones the first, and lane j keeps the j-th. A sparse mixer
// has instances of its own: what one warp does step by step is the time that all of the card waits.
template <int EACH, bool MIXES>
static __global__ __launch_bounds__(LANES) void route_kernel(const route args) {
    const size_t token = blockIdx.x;
    const int lane = threadIdx.x;
    const float *scores = (const float *)args.scores + token * args.experts;
    const bool by_weight = args.bias || args.groups;
    softmax_figures figures = {0, 1};
    unsigned keys[EACH];
    int expert = 0;
    float mixed = 0;
    grid_launch_dependents();
    grid_wait();
    if (args.gating == GATING_SOFTMAX && (by_weight || args.raw))
        figures = figures_of(args, scores);
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int e = lane + LANES * i;
        if (e < args.experts)
            keys[i] = key_of(by_weight ? weight_of(args, scores[e], figures) +
                                             (args.bias ? args.bias[e] : 0)
                                       : scores[e]);
        else
            keys[i] = 0;
    }
    if (args.groups) drop_groups(args, keys);
    for (int j = 0; j < args.used; j++) {
        unsigned best = 0;
        int nth = 0;
#pragma unroll
        for (int i = 0; i < EACH; i++)
            if (keys[i] > best) best = keys[i], nth = i;
        const unsigned most = __reduce_max_sync(0xffffffffu, best);
        const int mine = best == most ? lane + LANES * nth : EXPERTS_MAX;
        const int chosen = __reduce_min_sync(0xffffffffu, mine);
        if (MIXES) {
            const float sum = mixed_sum(args, keys, score_of(most));
            if (j == lane && sum > 0) mixed = 1 / sum;
        }
#pragma unroll
        for (int i = 0; i < EACH; i++)
            if (chosen == lane + LANES * i) keys[i] = 0;
        if (j == 0 && !by_weight) figures.highest = score_of(most);
        if (j == lane) expert = chosen;
    }
    const float weight = MIXES              ? mixed
                         : lane < args.used ? weight_of(args, scores[expert], figures)
                                            : 0;
    const float sum = args.raw ? 1 : fmaxf(warp_sum(weight), (float)ROUTE_LEAST_SUM);
    if (lane >= args.used) return;
    args.chosen[token * args.used + lane] = expert;
    args.shares[token * args.used + lane] = weight * (args.gains ? args.gains[expert] : 1.0f) / sum;
}

// y[t] = the weighted sum of the token's slots, in slot order. Where all slots have results, their
// loads do not wait for which expert was chosen.
template <bool PARTLY>
static __global__ __launch_bounds__(THREADS) void combine_kernel(const experts args,
                                                                 const float *results) {
    const int column = (blockIdx.x * THREADS + threadIdx.x) * 4, dim = args.down.rows;
    const size_t token = blockIdx.y;
    grid_launch_dependents();
    grid_wait();
    if (column >= dim) return;
    float4 *y = (float4 *)((float *)args.y + token * dim + column);
    float4 sum = args.add ? *y : float4{};
    for (int j = 0; j < args.used; j++) {
        const size_t slot = token * args.used + j;
        if (PARTLY && !is_within(args.only, args.chosen[slot])) continue; // it has no result
        const float share = args.shares[slot];
        const float4 one = *(const float4 *)(results + slot * dim + column);
        sum.x += share * one.x, sum.y += share * one.y;
        sum.z += share * one.z, sum.w += share * one.w;
    }
    *y = sum;
}

template <bool MIXES> static void route_launch(struct device *device, const struct route *args) {
    const auto kernel = args->experts <= 4 * LANES   ? route_kernel<4, MIXES>
                        : args->experts <= 8 * LANES ? route_kernel<8, MIXES>
                                                     : route_kernel<EXPERTS_MAX / LANES, MIXES>;
    launch_after(device, kernel, dim3(args->tokens), dim3(LANES), 0, *args);
}

extern "C" void cuda_route(struct device *device, const struct route *args) {
    ASSERT(route_is_possible(args));
    args->gating == GATING_SPARSE_MIXER ? route_launch<true>(device, args)
                                        : route_launch<false>(device, args);
}

static bool fits_many(const struct expert_weights *w) {
    const struct weight one = {nullptr, w->type, w->rows, w->columns, 0};
    return gemv_fits(&one);
}

// Slots of an item: enough that an expert's weights are read once for most tokens that chose it.
static int32_t item_slots_of(const struct device *device, const struct experts *args) {
    ASSERT(args->tokens > 0 && args->used > 0);
    if (device->deterministic || args->tokens <= FEW_MOST_TOKENS || !fits_many(&args->gate) ||
        !fits_many(&args->down))
        return FEW_SLOTS;
    const int32_t held = min(type_kernels(kept_type(args->gate.type))->many_slots(device),
                             type_kernels(kept_type(args->down.type))->many_slots(device));
    return min(held, args->tokens * args->used > args->experts * (MANY_SLOTS / 2) ? MANY_SLOTS
                                                                                  : MANY_SLOTS / 2);
}

// One token needs no sorting: each of its slots is an item.
static struct expert_work work_of(struct device *device, const struct experts *args,
                                  int32_t item_slots) {
    if (args->tokens > 1) return experts_sort(device, args, item_slots);
    struct expert_work work = {};
    work.chosen = args->chosen;
    work.most_items = work.used = args->used;
    return work;
}

// The sum of a lone token's experts, if one kernel can make it.
static bool add_alone(struct device *device, const struct experts *args,
                      const struct expert_product *down) {
    struct expert_sum sum = {*down, args->shares, args->add};
    sum.down.y = args->y;
    return args->tokens == 1 &&
           type_kernels(kept_type(args->down.type))->experts_alone(device, &sum);
}

extern "C" void cuda_experts(struct device *device, const struct experts *args) {
    ASSERT(device->expert_slots && device->expert_items);
    const struct workspace *limits = &device->limits;
    ASSERT(args->gate.type == args->up.type && args->gate.rows == args->down.columns);
    ASSERT(args->tokens <= limits->max_tokens && args->used <= limits->experts_used);
    ASSERT(args->gate.rows <= limits->expert_rows && args->down.rows <= limits->expert_outputs);
    ASSERT(args->experts <= limits->experts && args->down.rows % 4 == 0);
    ASSERT(args->only.count == 0 || args->tokens > 1);
    struct expert_product gated = {};
    gated.weights[0] = args->gate;
    gated.weights[1] = args->up;
    gated.gated = true;
    gated.x = (const __half *)args->x;
    gated.y = device->expert_hidden;
    gated.act = args->act;
    gated.limit = args->limit;
    struct expert_product down = {};
    down.weights[0] = args->down;
    down.x = device->expert_hidden;
    down.y = device->expert_results;
    const int32_t item_slots = item_slots_of(device, args);
    const struct expert_work work = work_of(device, args, item_slots);
    for (struct expert_product *product : {&gated, &down}) {
        const struct type_kernels *of = type_kernels(kept_type(product->weights[0].type));
        product->work = work;
        product->experts = args->experts;
        product->early = !product->gated;
        if (!product->gated && add_alone(device, args, product)) return;
        if (item_slots > FEW_SLOTS)
            of->experts_many(device, product, item_slots);
        else
            of->experts_few(device, product);
    }
    const dim3 grid(ceil_divide((size_t)args->down.rows, 4 * THREADS), (unsigned)args->tokens);
    launch_after(device, args->only.count ? combine_kernel<true> : combine_kernel<false>, grid,
                 dim3(THREADS), 0, *args, (const float *)device->expert_results);
}

static enum status replace(struct device *device, void **memory, size_t bytes) {
    ASSERT(bytes > 0);
    cudaFree(*memory);
    *memory = NULL;
    return cuda_alloc(device, bytes, memory);
}

extern "C" enum status cuda_reserve_experts(struct device *device) {
    const struct workspace *limits = &device->limits;
    if (limits->experts == 0) return STATUS_OK;
    const size_t slots = (size_t)limits->max_tokens * (size_t)limits->experts_used;
    const size_t hidden = slots * (size_t)limits->expert_rows * sizeof(__half);
    const size_t results = slots * (size_t)limits->expert_outputs * sizeof(float);
    const size_t items = (size_t)most_items((int32_t)slots, limits->experts, FEW_SLOTS);
    TRY(replace(device, (void **)&device->expert_hidden, hidden));
    TRY(replace(device, (void **)&device->expert_results, results));
    TRY(replace(device, (void **)&device->expert_slots, (slots + 1) * sizeof(int32_t)));
    return replace(device, (void **)&device->expert_items, items * sizeof(struct expert_item));
}

extern "C" void cuda_free_experts(struct device *device) {
    cudaFree(device->expert_hidden);
    cudaFree(device->expert_results);
    cudaFree(device->expert_slots);
    cudaFree(device->expert_items);
}
