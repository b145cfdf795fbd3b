// kernels/cuda/gemv_kernel.cuh — y = x W^T for a few tokens: weights are read once, as one stream.
//
//   W  [rows, columns]    in the order of tiles.cuh; up to three of them for one x
//   x  [tokens, columns]  fp16, or the fp32 stream, normed here; or rows picked by row_index
//   y  [tokens, rows]     fp16, or fp32, stored or added
//
//   grid   one block a multiprocessor, or fewer;  block  warps x 32
//   shared rings [warps][STAGES][fragment], x [tokens][groups][64 bytes], sums of x
//          [tokens][quads][32 bytes], sums of the splits [warps][GEMV_STRIPS][TOKENS][16 rows],
//          sums of the segments so far, of a pair those of both halves
//
// Each warp copies its fragments of the weights into a ring of its own, across strips and matrices
// without a pause; copies in flight cost no registers. They start before grid_wait(), because
// weights depend on no other kernel. When all warps are through a step, the sums of those that
// share a strip are added.
//
// Shared memory holds as many columns of x as fit the budget, a segment. There are several only
// where tokens times columns is large; then the strips are walked once for each. On a card that has
// clusters, pairs of blocks share tiles there, each with half of the columns, so that each reads
// half of x. At the end they send each other the sums of every second tile, and both halves are
// added in order.
//
// The order of a row's sum depends on its type, its columns, the segments, and how the rows are cut
// up; on a deterministic device these are the same for any number of tokens. Bound by reading W.
#pragma once
#include "kernels/cuda/clusters.cuh"
#include "kernels/cuda/gemv_input.cuh"

enum { GEMV_STATIC_BYTES = 2048 }; // upper bound of the shared memory that lay_out() does not place
// Outputs of a strip, those past the last token included.
template <int TOKENS> static constexpr int OUTPUTS = TOKENS *TILE_ROWS;

// Where the sums of a strip lie. Each warp of a team has its own slots, one for each strip of its
// split. The strip is slot first_slot of first_team's warps, and slot 0 of all later teams' up to
// last_team.
struct gemv_strip {
    unsigned char first_team, first_slot, last_team;
};

template <int TOKENS>
static __device__ inline float *slot_of(const gemv_plan &plan, char *shared, int warp, int n) {
    return (float *)(shared + plan.sums_at) + (warp * GEMV_STRIPS + n) * OUTPUTS<TOKENS>;
}

// ---- multiplying

// Stores a warp's sums of a strip.
template <int TOKENS>
static __device__ inline void store_split_sums(float *slot, const float (&sums)[4]) {
    const int lane = threadIdx.x % LANES;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int token = lane % 4 * 2 + i % 2, row = lane / 4 + i / 2 * 8;
        if (token < TOKENS) slot[token * TILE_ROWS + row] = sums[i];
    }
}

template <enum dtype TYPE, int STAGES, int TOKENS>
static __device__ __forceinline__ void
multiply_step(const gemv_plan &plan, gemv_ring<TYPE, STAGES, TOKENS> &ring, char *shared,
              gemv_strip *strips, int count, int segment) {
    typedef gemv_fragment<TYPE> kind;
    enum { X_STEP = kind::GROUPS * X_BYTES, SUMS_STEP = kind::GROUPS / QUAD_GROUPS * XSUM_BYTES };
    const int warp = ring.warp,
              token = TOKENS == 1 ? 0 : min(threadIdx.x % LANES / 4, plan.args.tokens - 1);
    const char *own_x = shared + plan.x_at + token * plan.x_stride;
    const char *own_sums = shared + plan.x_sums_at + token * plan.x_sums_stride;
    gemv_split<TYPE> split = split_of<TYPE>(plan, count, segment, warp);
    for (int n = 0; split.left > 0; n++, split.next_strip()) {
        const char *x = own_x + split.first_fragment(warp) * X_STEP;
        const char *x_sums = own_sums + split.first_fragment(warp) * SUMS_STEP;
        float sums[4] = {};
        if (split.begins()) {
            strips[split.strip].first_team = warp / kind::TEAM;
            strips[split.strip].first_slot = n;
        }
        if (split.ends()) strips[split.strip].last_team = warp / kind::TEAM;
        for (int left = split.member_fragments(warp); left > 0; left--) {
            ring.copy_next(plan);
            kind::add(sums, ring.front(), x, x_sums);
            ring.pop();
            x += X_STEP * kind::TEAM;
            x_sums += SUMS_STEP * kind::TEAM;
        }
        store_split_sums<TOKENS>(slot_of<TOKENS>(plan, shared, warp, n), sums);
    }
}

// ---- adding up

// Where an output of a wave's tiles goes: y[at] of a part.
struct gemv_output {
    int part, row;
    size_t at;
    bool valid; // false past the end of the matrix or of the wave
};

template <int TOKENS>
static __device__ inline gemv_output output_of(const gemv_plan &plan, gemv_tiles tiles, int o) {
    const int tile = o / OUTPUTS<TOKENS>, output = o - tile * OUTPUTS<TOKENS>,
              token = output / TILE_ROWS;
    const gemv_tile of = tile_of(plan, tiles.first + tile * tile_blocks<TOKENS>(plan));
    const int rows = plan.args.parts[of.part].rows, row = of.index * TILE_ROWS + output % TILE_ROWS;
    return {of.part, row, (size_t)token * rows + row,
            tile < tiles.count && row < rows && (TOKENS == 1 || token < plan.args.tokens)};
}

// The value that GEMV_ADD adds to.
template <int TOKENS>
static __device__ inline float residual_of(const gemv_plan &plan, gemv_tiles tiles, int o) {
    if (plan.args.store != GEMV_ADD || o >= tiles.count * OUTPUTS<TOKENS>) return 0;
    const gemv_output out = output_of<TOKENS>(plan, tiles, o);
    return out.valid ? __ldcg((const float *)plan.args.parts[out.part].y + out.at) : 0;
}

static __device__ inline void store(const gemv_plan &plan, const gemv_output &out, float sum,
                                    float other, float residual) {
    const gemv_part &part = plan.args.parts[out.part];
    const float value = part.bias ? sum + part.bias[out.row] : sum;
    if (plan.args.store == GEMV_ADD)
        ((float *)part.y)[out.at] = residual + value;
    else if (plan.args.store == GEMV_FLOATS)
        ((float *)part.y)[out.at] = value;
    else if (plan.args.store == GEMV_HALVES)
        from_float(value, &((__half *)part.y)[out.at]);
    else
        from_float(sum / (1 + __expf(-sum)) * other, &((__half *)part.y)[out.at]);
}

// Sums an output of a strip over the warps that share it and over the segments so far.
template <enum dtype TYPE, int TOKENS>
static __device__ inline float sum_strip(const gemv_plan &plan, char *shared,
                                         const gemv_strip *strips, int strip, int output,
                                         int segment) {
    enum { TEAM = gemv_fragment<TYPE>::TEAM };
    const gemv_strip &of = strips[strip];
    float sum = 0;
    for (int team = of.first_team; team <= of.last_team; team++)
#pragma unroll
        for (int i = 0; i < TEAM; i++)
            sum += slot_of<TOKENS>(plan, shared, team * TEAM + i,
                                   team == of.first_team ? of.first_slot : 0)[output];
    if (plan.segments == 1) return sum;
    float *total = (float *)(shared + plan.totals_at) + strip * OUTPUTS<TOKENS> + output;
    if (segment > 0) sum += *total;
    return *total = sum;
}

// `residual` belongs to the thread's first output.
template <enum dtype TYPE, int TOKENS>
static __device__ inline void finish_step(const gemv_plan &plan, char *shared,
                                          const gemv_strip *strips, gemv_tiles tiles, int segment,
                                          float residual) {
    for (int o = threadIdx.x; o < tiles.count * OUTPUTS<TOKENS>; o += blockDim.x) {
        const int strip = o / OUTPUTS<TOKENS>, output = o - strip * OUTPUTS<TOKENS>;
        const float sum = sum_strip<TYPE, TOKENS>(plan, shared, strips, strip, output, segment);
        const float other = plan.matrices > 1
                                ? sum_strip<TYPE, TOKENS>(plan, shared, strips, strip + tiles.count,
                                                          output, segment)
                                : 0;
        const gemv_output out = output_of<TOKENS>(plan, tiles, o);
        if (segment + 1 < plan.segments || !out.valid) continue;
        if (o >= blockDim.x) residual = residual_of<TOKENS>(plan, tiles, o);
        store(plan, out, sum, other, residual);
    }
}

// Where half `half` of a tile's sums lie in the block of a pair that finishes it, in one of two
// sets for waves in turn: so a block may send a wave's while the other still reads the last one's.
template <int TOKENS>
static __device__ inline float *half_sums(const gemv_plan &plan, char *shared, int wave, int half,
                                          int matrix, int tile) {
    const int strips = (plan.wave_tiles + 1) / 2;
    return (float *)(shared + plan.halves_at) +
           (((wave % 2 * 2 + half) * plan.matrices + matrix) * strips + tile / 2) * OUTPUTS<TOKENS>;
}

// The same for a pair of blocks: each block finishes every second tile.
template <enum dtype TYPE, int TOKENS>
static __device__ inline void finish_half_step(const gemv_plan &plan, char *shared,
                                               const gemv_strip *strips, gemv_tiles tiles, int wave,
                                               int segment, float residual) {
    const int half = half_of<TOKENS>(plan);
    for (int o = threadIdx.x; o < tiles.count * plan.matrices * OUTPUTS<TOKENS>; o += blockDim.x) {
        const int strip = o / OUTPUTS<TOKENS>, output = o - strip * OUTPUTS<TOKENS>;
        const int matrix = strip >= tiles.count, tile = strip - matrix * tiles.count;
        const float sum = sum_strip<TYPE, TOKENS>(plan, shared, strips, strip, output, segment);
        if (segment + 1 == plan.segments)
            cluster_store(half_sums<TOKENS>(plan, shared, wave, half, matrix, tile) + output,
                          tile % 2, sum);
    }
    if (segment + 1 < plan.segments) return;
    cluster_sync();
    for (int o = threadIdx.x; o < tiles.count * OUTPUTS<TOKENS>; o += blockDim.x) {
        const int tile = o / OUTPUTS<TOKENS>, output = o - tile * OUTPUTS<TOKENS>;
        const gemv_output out = output_of<TOKENS>(plan, tiles, o);
        if (tile % 2 != half || !out.valid) continue;
        float sums[2] = {};
#pragma unroll
        for (int matrix = 0; matrix < 2; matrix++)
            if (matrix < plan.matrices)
                sums[matrix] = half_sums<TOKENS>(plan, shared, wave, 0, matrix, tile)[output] +
                               half_sums<TOKENS>(plan, shared, wave, 1, matrix, tile)[output];
        if (o >= blockDim.x) residual = residual_of<TOKENS>(plan, tiles, o);
        store(plan, out, sums[0], sums[1], residual);
    }
}

// ---- a launch

template <enum dtype TYPE, int STAGES, int TOKENS>
static __device__ __forceinline__ void run_steps(const gemv_plan &plan,
                                                 gemv_ring<TYPE, STAGES, TOKENS> &ring,
                                                 char *shared, const norm_weights<TOKENS> &norms) {
    typedef gemv_fragment<TYPE> kind;
    __shared__ gemv_strip strips[WAVE_STRIPS];
    for (int wave = 0; wave < plan.waves; wave++)
        for (int segment = 0; segment < plan.segments; segment++) {
            const gemv_tiles tiles = wave_tiles<TOKENS>(plan, wave);
            const gemv_x x = {
                shared + plan.x_at,
                shared + plan.x_sums_at,
                plan.x_stride,
                plan.x_sums_stride,
                (half_of<TOKENS>(plan) * plan.fragments + segment * plan.segment_fragments) *
                    kind::COLUMNS,
                strip_fragments(plan, segment) * kind::GROUPS};
            if (TOKENS <= GEMV_NORMED_TOKENS && plan.args.norm && wave == 0)
                stage_normed<TOKENS>(plan.args, x, kind::HAS_MINIMA, norms);
            else if (plan.segments > 1 || wave == 0)
                stage_plain<TOKENS>(plan.args, x, kind::HAS_MINIMA);
            const float residual = residual_of<TOKENS>(plan, tiles, threadIdx.x);
            __syncthreads(); // orders x before its reads, and the last step's reads of sums
            multiply_step<TYPE, STAGES, TOKENS>(plan, ring, shared, strips,
                                                tiles.count * plan.matrices, segment);
            __syncthreads(); // orders the sums before they are added, and the reads of x
            if (TOKENS > 1 && plan.halves > 1)
                finish_half_step<TYPE, TOKENS>(plan, shared, strips, tiles, wave, segment,
                                               residual);
            else
                finish_step<TYPE, TOKENS>(plan, shared, strips, tiles, segment, residual);
        }
}

// TOKENS, at most: what depends on their number is unrolled and divided by a constant.
template <enum dtype TYPE, int STAGES, int TOKENS>
static __global__ __launch_bounds__(GEMV_WARPS *LANES,
                                    1) void gemv_kernel(const __grid_constant__ gemv_plan plan) {
    extern __shared__ __align__(128) char shared[];
    const int warp = threadIdx.x / LANES;
    grid_launch_dependents();
    gemv_ring<TYPE, STAGES, TOKENS> ring(plan, shared + warp * STAGES * gemv_fragment<TYPE>::BYTES,
                                         warp);
    norm_weights<TOKENS> norms;
    if (plan.args.norm) norms.load(plan.args); // model weights: no kernel writes them
    grid_wait();
    if (TOKENS > 1 && plan.halves > 1) cluster_sync(); // the other has started
    run_steps<TYPE, STAGES, TOKENS>(plan, ring, shared, norms);
}

// ---- cutting up

// The number of tokens that a product is cut up for. On a deterministic device that is always the
// same.
static int planned_tokens(const struct device *device, const struct gemv *args) {
    return device->deterministic ? budget_of(device).tokens : args->tokens;
}

template <enum dtype TYPE> static void cut_tiles(const struct device *device, gemv_plan *plan) {
    const struct gemv *args = &plan->args;
    const int blocks = device->properties.multiProcessorCount / plan->halves;
    plan->tiles = 0;
    plan->matrices = args->store == GEMV_GATED ? 2 : 1;
    for (int i = 0; i < args->count; i++) {
        plan->part_tiles[i] = (args->parts[i].rows + TILE_ROWS - 1) / TILE_ROWS;
        if (i == 0 || plan->matrices == 1) plan->tiles += plan->part_tiles[i];
    }
    plan->block_tiles = plan->tiles / blocks;
    plan->larger = plan->tiles % blocks;
    while (1 << plan->warps_log2 < budget_of(device).warps)
        plan->warps_log2++;
    const int fitting = 2 * (1 << plan->warps_log2) / gemv_fragment<TYPE>::TEAM / plan->matrices;
    const int most = plan->block_tiles + (plan->larger > 0);
    plan->waves = (most + fitting - 1) / fitting;
    plan->wave_tiles = (most + plan->waves - 1) / plan->waves;
}

template <enum dtype TYPE> static void cut_columns(const struct device *device, gemv_plan *plan) {
    typedef gemv_fragment<TYPE> kind;
    const int tokens = planned_tokens(device, &plan->args);
    const int quads = kind::GROUPS / QUAD_GROUPS * kind::HAS_MINIMA;
    const int x_bytes = kind::GROUPS * X_BYTES, sums_bytes = quads * XSUM_BYTES;
    const struct gemv_budget budget = budget_of(device);
    plan->fragments = (plan->args.columns + kind::COLUMNS - 1) / kind::COLUMNS;
    plan->tile_bytes = TYPE == DTYPE_F16
                           ? (size_t)TILE_ROWS * (size_t)plan->args.columns * sizeof(__half)
                           : (size_t)plan->fragments * kind::BYTES;
    plan->fragments /= plan->halves;
    const int fitting = (int)(tokens == 1 ? budget.x_alone : budget.x) / tokens - 2 * X_BYTES;
    plan->segment_fragments = fitting / (x_bytes + sums_bytes);
    plan->segments = (plan->fragments + plan->segment_fragments - 1) / plan->segment_fragments;
    plan->segment_fragments = (plan->fragments + plan->segments - 1) / plan->segments;
    plan->x_stride = odd_stride(plan->segment_fragments * x_bytes, X_BYTES);
    plan->x_sums_stride = odd_stride(plan->segment_fragments * sums_bytes, XSUM_BYTES);
}

// Lays out a block that sums up `most` tokens. Returns the bytes of shared memory.
template <enum dtype TYPE>
static size_t lay_out(const struct device *device, struct gemv_plan *plan, int most, int stages) {
    const int tokens = planned_tokens(device, &plan->args), warps = 1 << plan->warps_log2;
    const int strip = (tokens > most ? tokens : most) * TILE_ROWS * (int)sizeof(float);
    const int totals = plan->segments > 1 ? strip * plan->wave_tiles * plan->matrices : 0;
    plan->x_at = (unsigned)(warps * stages * gemv_fragment<TYPE>::BYTES);
    plan->x_sums_at = plan->x_at + (unsigned)(tokens * plan->x_stride);
    plan->sums_at = plan->x_sums_at + (unsigned)(tokens * plan->x_sums_stride);
    plan->totals_at = plan->sums_at + (unsigned)(warps * GEMV_STRIPS * strip);
    plan->halves_at = plan->totals_at + (unsigned)totals;
    if (plan->halves == 1) return plan->halves_at;
    const int sets = plan->waves > 1 ? 2 : 1, tiles = (plan->wave_tiles + 1) / 2;
    return plan->halves_at + (size_t)(sets * 2 * plan->matrices * tiles * strip);
}

// Cuts a product up for `most` tokens: in halves where that saves segments.
template <enum dtype TYPE>
static void cut_up(const struct device *device, gemv_plan *plan, int most) {
    plan->halves = 1;
    cut_tiles<TYPE>(device, plan);
    cut_columns<TYPE>(device, plan);
    if (device->deterministic || !device->compiled_for_90 || plan->args.norm) return;
    if (plan->args.tokens == 1 || plan->segments == 1 || plan->fragments % 2 == 1) return;
    gemv_plan halved = *plan;
    halved.halves = 2;
    cut_tiles<TYPE>(device, &halved);
    cut_columns<TYPE>(device, &halved);
    const size_t all = device->properties.sharedMemPerBlockOptin - GEMV_STATIC_BYTES;
    if (lay_out<TYPE>(device, &halved, most, 2) <= all) *plan = halved;
}

// ---- launching

template <enum dtype TYPE, int STAGES, int TOKENS>
static bool launch_stages(struct device *device, struct gemv_plan *plan) {
    const size_t shared = lay_out<TYPE>(device, plan, TOKENS, STAGES);
    if (shared > device->properties.sharedMemPerBlockOptin - GEMV_STATIC_BYTES) return false;
    const auto kernel = gemv_kernel<TYPE, STAGES, TOKENS>;
    device_allow_more(device, (const void *)kernel, shared);
    const int blocks = device->properties.multiProcessorCount / plan->halves;
    const int tile_blocks = plan->tiles < blocks ? plan->tiles : blocks;
    launch_clusters_after(device, kernel, dim3(tile_blocks * plan->halves), plan->halves,
                          dim3(LANES << plan->warps_log2), shared, *plan);
    return true;
}

template <enum dtype TYPE, int TOKENS>
static void launch(struct device *device, struct gemv_plan *plan) {
    cut_up<TYPE>(device, plan, TOKENS);
    const bool launched = launch_stages<TYPE, gemv_fragment<TYPE>::STAGES, TOKENS>(device, plan) ||
                          launch_stages<TYPE, 3, TOKENS>(device, plan) ||
                          launch_stages<TYPE, 2, TOKENS>(device, plan);
    ASSERT(launched); // budget_of() leaves two stages
}

// The number of tokens, at least `tokens`, that there is a kernel for.
template <enum dtype TYPE> static int compiled_tokens(int tokens) {
    if (tokens == 1 || (tokens == 2 && IS_COMMON<TYPE>)) return tokens;
    return tokens <= 4 ? 4 : 8;
}

template <enum dtype TYPE> static void launch_type(struct device *device, struct gemv_plan *plan) {
    const int tokens = compiled_tokens<TYPE>(plan->args.tokens);
    if (tokens == 1) launch<TYPE, 1>(device, plan);
    if constexpr (IS_COMMON<TYPE>)
        if (tokens == 2) launch<TYPE, 2>(device, plan);
    if (tokens == 4) launch<TYPE, 4>(device, plan);
    if (tokens == 8) launch<TYPE, 8>(device, plan);
}
