// kernels/cuda/experts.cu — a mixture of experts: who answers a token, and their answer.
//
//   route    scores [tokens, experts] fp32; chosen int32 and shares fp32 [tokens, used], out
//            grid  tokens;  block  LANES: a lane has every 32nd score, a round finds one expert
//   gated    hidden [tokens, used, rows] fp32 = act(gate x, up x)
//            grid  (ceil(rows / WARPS), tokens x used);  block WARPS x 32, a warp a row
//   answers  y [tokens, down.rows] fp32 = sum over j of shares[j] * (down hidden[j] + bias)
//            grid  (ceil(down.rows / WARPS), tokens);  block WARPS x 32, a warp a row
//
// An expert's matrix is in the order of tiles.cuh; weights are unpacked one by one, as the plain
// product of linear.cu does, so that every type is served. Which experts are needed stands on the
// card only. Sums are fp32, each in an order that depends on its row alone. For one token bound by
// reading the chosen experts' weights; many tokens read them as often as they are chosen.
#include "kernels/cuda/act.cuh"
#include "kernels/cuda/unpack.cuh"

enum { WARPS = 4 };

struct best_score {
    float score;
    int expert;
};

static __device__ inline bool ahead(best_score a, best_score b) {
    return a.score > b.score || (a.score == b.score && a.expert < b.expert);
}

static __device__ inline best_score best_of_warp(best_score mine) {
    for (int offset = LANES / 2; offset > 0; offset /= 2) {
        const best_score other = {__shfl_xor_sync(0xffffffffu, mine.score, offset),
                                  __shfl_xor_sync(0xffffffffu, mine.expert, offset)};
        if (ahead(other, mine)) mine = other;
    }
    return mine;
}

// Each round takes the best behind the one that was found before.
static __global__ __launch_bounds__(LANES) void route_kernel(const route args) {
    const size_t token = blockIdx.x;
    const float *scores = (const float *)args.scores + token * args.experts;
    int32_t *chosen = args.chosen + token * args.used;
    float *shares = args.shares + token * args.used;
    best_score last = {INFINITY, -1};
    float highest = 0, sum = 0;
    grid_launch_dependents();
    grid_wait();
    for (int j = 0; j < args.used; j++) {
        best_score mine = {-INFINITY, args.experts};
        for (int e = threadIdx.x; e < args.experts; e += LANES) {
            const best_score one = {isnan(scores[e]) ? -INFINITY : scores[e], e};
            if (ahead(last, one) && ahead(one, mine)) mine = one;
        }
        last = best_of_warp(mine);
        if (j == 0) highest = last.score;
        sum += __expf(last.score - highest);
        if (threadIdx.x == 0) {
            chosen[j] = last.expert;
            shares[j] = __expf(last.score - highest);
        }
    }
    if (threadIdx.x == 0) // its own: no barrier
        for (int j = 0; j < args.used; j++)
            shares[j] *= (args.gains ? args.gains[chosen[j]] : 1.0f) / sum;
}

template <enum dtype TYPE, typename input_t>
static __device__ inline float row_product(const expert_weights &from, int expert, int row,
                                           const input_t *x) {
    const weight w = {from.data[expert], TYPE, from.rows, from.columns};
    float sum = 0;
    for (int column = threadIdx.x % LANES; column < from.columns; column += LANES)
        sum = fmaf(to_float(x[column]), weight_at<TYPE>(w, row, column), sum);
    sum = warp_sum(sum);
    return from.bias ? sum + from.bias[(size_t)expert * from.rows + row] : sum;
}

template <enum dtype TYPE>
static __global__ __launch_bounds__(WARPS *LANES) void gated_kernel(const experts args,
                                                                    float *hidden) {
    const int row = blockIdx.x * WARPS + threadIdx.x / LANES, slot = blockIdx.y;
    grid_launch_dependents();
    grid_wait();
    if (row >= args.gate.rows) return;
    const int expert = args.chosen[slot];
    const __half *x = (const __half *)args.x + (size_t)(slot / args.used) * args.gate.columns;
    const float gate = row_product<TYPE>(args.gate, expert, row, x);
    const float up = row_product<TYPE>(args.up, expert, row, x);
    if (threadIdx.x % LANES == 0)
        hidden[(size_t)slot * args.gate.rows + row] = act_of(args.act, gate, up);
}

template <enum dtype TYPE>
static __global__ __launch_bounds__(WARPS *LANES) void answers_kernel(const experts args,
                                                                      const float *hidden) {
    const int row = blockIdx.x * WARPS + threadIdx.x / LANES, token = blockIdx.y;
    grid_launch_dependents();
    grid_wait();
    if (row >= args.down.rows) return;
    float sum = 0;
    for (int j = 0; j < args.used; j++) {
        const size_t slot = (size_t)token * args.used + j;
        const float *x = hidden + slot * args.down.columns;
        sum += args.shares[slot] * row_product<TYPE>(args.down, args.chosen[slot], row, x);
    }
    if (threadIdx.x % LANES == 0) ((float *)args.y)[(size_t)token * args.down.rows + row] = sum;
}

template <enum dtype TYPE>
static void launch_gated(struct device *device, const struct experts *args) {
    const dim3 grid(ceil_divide((size_t)args->gate.rows, WARPS),
                    (unsigned)(args->tokens * args->used));
    launch_after(device, gated_kernel<TYPE>, grid, dim3(WARPS * LANES), 0, *args,
                 device->expert_hidden);
}

template <enum dtype TYPE>
static void launch_answers(struct device *device, const struct experts *args) {
    const dim3 grid(ceil_divide((size_t)args->down.rows, WARPS), (unsigned)args->tokens);
    launch_after(device, answers_kernel<TYPE>, grid, dim3(WARPS * LANES), 0, *args,
                 (const float *)device->expert_hidden);
}

extern "C" void cuda_route(struct device *device, const struct route *args) {
    ASSERT(args->used > 0 && args->used <= args->experts && args->used <= EXPERTS_USED_MAX);
    launch_after(device, route_kernel, dim3(args->tokens), dim3(LANES), 0, *args);
}

extern "C" size_t cuda_expert_hidden_floats(const struct workspace *workspace) {
    return (size_t)workspace->max_tokens * (size_t)workspace->experts_used *
           (size_t)workspace->expert_rows;
}

extern "C" void cuda_experts(struct device *device, const struct experts *args) {
    ASSERT(args->gate.type == args->up.type && args->gate.rows == args->down.columns);
    ASSERT(args->tokens <= device->limits.max_tokens && args->used <= device->limits.experts_used);
    ASSERT(args->gate.rows <= device->limits.expert_rows);
    switch (kept_type(args->gate.type)) {
#define CASE(id)                                \
    case DTYPE_##id:                            \
        launch_gated<DTYPE_##id>(device, args); \
        break;
        KEPT_MAP(CASE)
#undef CASE
    default: // kept_type() has no other
        ASSERT(false);
    }
    switch (kept_type(args->down.type)) {
#define CASE(id)                                  \
    case DTYPE_##id:                              \
        launch_answers<DTYPE_##id>(device, args); \
        break;
        KEPT_MAP(CASE)
#undef CASE
    default:
        ASSERT(false);
    }
}
