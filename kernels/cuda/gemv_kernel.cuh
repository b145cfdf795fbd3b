// kernels/cuda/gemv_kernel.cuh — y = x W^T for a few tokens: weights are read once, as one stream.
//
//   W  [rows, columns]    in the order of tiles.cuh; up to three of them for one x
//   x  [tokens, columns]  fp16, or the fp32 stream, normed here; or rows picked by row_index
//   y  [tokens, rows]     fp16, or fp32, stored or added
//
//   grid   one block a multiprocessor, or fewer;  block  warps x 32
//   shared rings [warps][STAGES][cell], x [tokens][units][64 bytes], sums of x [tokens][quads][32
//          bytes], sums of the warps' pieces [warps][GEMV_PIECES][tokens][16 rows], sums of
//          segments
//
// Each warp copies the cells of weights that it will need into a ring of its own, across pieces and
// matrices without a pause: bytes on their way cost no registers. They begin before grid_wait(), as
// weights depend on no other kernel. When all warps are through, the sums of those that share a
// piece are added up.
//
// x lies in shared memory for as many columns as there is room for, a segment; there are several
// only where tokens times columns is large, and then the pieces are gone through once for each.
//
// The order of a row's sum depends on its type, its columns, the segments, and how the rows are cut
// up; on a deterministic device these are the same for any tokens. Bound by reading W.
#pragma once
#include "kernels/cuda/gemv_input.cuh"

enum { OUTPUTS = TILE_ROWS };      // of a piece for each token
enum { GEMV_STATIC_BYTES = 2048 }; // of shared memory that is not laid out here, at most

// Where the sums of a round's piece lie: those of a team's warps side by side, of first_team as the
// first_slot-th of its pieces, of the teams after it, to last_team, as their first.
struct gemv_piece {
    unsigned char first_team, first_slot, last_team;
};

template <bool ONE>
static __device__ inline float *slot_of(const gemv_plan &plan, char *shared, int warp, int n) {
    return (float *)(shared + plan.sums_at) +
           (warp * GEMV_PIECES + n) * (ONE ? OUTPUTS : plan.outputs);
}

// ---- multiplying

// A warp's sums of a piece.
template <bool ONE>
static __device__ inline void leave_sums(const gemv_plan &plan, float *slot,
                                         const float (&sums)[4]) {
    const int lane = threadIdx.x % LANES, tokens = ONE ? 1 : plan.args.tokens;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int token = lane % 4 * 2 + i % 2, row = lane / 4 + i / 2 * 8;
        if (token < tokens) slot[token * OUTPUTS + row] = sums[i];
    }
}

template <enum dtype TYPE, int STAGES, bool ONE>
static __device__ __forceinline__ void multiply_turn(const gemv_plan &plan,
                                                     gemv_ring<TYPE, STAGES> &ring, char *shared,
                                                     gemv_piece *pieces, int count, int segment) {
    typedef gemv_cell<TYPE> kind;
    enum { X_STEP = kind::UNITS * X_BYTES, SUMS_STEP = kind::UNITS / QUAD_UNITS * XSUM_BYTES };
    const int warp = ring.warp,
              token = ONE ? 0 : min(threadIdx.x % LANES / 4, plan.args.tokens - 1);
    const char *own_x = shared + plan.x_at + token * plan.x_stride;
    const char *own_sums = shared + plan.x_sums_at + token * plan.x_sums_stride;
    gemv_run<TYPE> run = run_of<TYPE>(plan, count, segment, warp);
    for (int n = 0; run.left > 0; n++, run.next_piece()) {
        const char *x = own_x + run.first_cell(warp) * X_STEP;
        const char *x_sums = own_sums + run.first_cell(warp) * SUMS_STEP;
        float sums[4] = {};
        if (run.begins()) {
            pieces[run.piece].first_team = warp / kind::TEAM;
            pieces[run.piece].first_slot = n;
        }
        if (run.ends()) pieces[run.piece].last_team = warp / kind::TEAM;
        for (int left = run.member_cells(warp); left > 0; left--) {
            ring.copy_next(plan);
            kind::add(sums, ring.front(), x, x_sums);
            ring.pop();
            x += X_STEP * kind::TEAM;
            x_sums += SUMS_STEP * kind::TEAM;
        }
        leave_sums<ONE>(plan, slot_of<ONE>(plan, shared, warp, n), sums);
    }
}

// ---- adding up

// Where an output of a round's tiles goes: y[at] of a part.
struct gemv_place {
    int part, row;
    size_t at;
    bool some; // false: past the matrix, or the round
};

template <bool ONE>
static __device__ inline gemv_place place_of(const gemv_plan &plan, gemv_tiles tiles, int o) {
    const int outputs = ONE ? OUTPUTS : plan.outputs, tile = o / outputs;
    const int output = o - tile * outputs;
    const gemv_tile of = tile_of(plan, tiles.first + tile * gridDim.x);
    const int rows = plan.args.parts[of.part].rows, row = of.index * TILE_ROWS + output % OUTPUTS;
    return {of.part, row, (size_t)(output / OUTPUTS) * rows + row,
            tile < tiles.count && row < rows};
}

// What is there already of an output, for ADD.
template <bool ONE>
static __device__ inline float residual_of(const gemv_plan &plan, gemv_tiles tiles, int o) {
    if (plan.args.store != GEMV_ADD || o >= tiles.count * (ONE ? OUTPUTS : plan.outputs)) return 0;
    const gemv_place place = place_of<ONE>(plan, tiles, o);
    return place.some ? __ldcg((const float *)plan.args.parts[place.part].y + place.at) : 0;
}

static __device__ inline void store(const gemv_plan &plan, const gemv_place &place, float sum,
                                    float other, float residual) {
    const gemv_part &part = plan.args.parts[place.part];
    const float value = part.bias ? sum + part.bias[place.row] : sum;
    if (plan.args.store == GEMV_ADD)
        ((float *)part.y)[place.at] = residual + value;
    else if (plan.args.store == GEMV_FLOATS)
        ((float *)part.y)[place.at] = value;
    else if (plan.args.store == GEMV_HALVES)
        from_float(value, &((__half *)part.y)[place.at]);
    else
        from_float(sum / (1 + __expf(-sum)) * other, &((__half *)part.y)[place.at]);
}

// An output of a piece over the warps that share it, and over the segments so far.
template <enum dtype TYPE, bool ONE>
static __device__ inline float sum_piece(const gemv_plan &plan, char *shared,
                                         const gemv_piece *pieces, int piece, int output,
                                         int segment) {
    enum { TEAM = gemv_cell<TYPE>::TEAM };
    const gemv_piece &of = pieces[piece];
    float sum = 0;
    for (int team = of.first_team; team <= of.last_team; team++)
#pragma unroll
        for (int i = 0; i < TEAM; i++)
            sum += slot_of<ONE>(plan, shared, team * TEAM + i,
                                team == of.first_team ? of.first_slot : 0)[output];
    if (plan.segments == 1) return sum;
    float *total = (float *)(shared + plan.totals_at) + piece * plan.outputs + output;
    if (segment > 0) sum += *total;
    return *total = sum;
}

// `residual` is of the thread's first output.
template <enum dtype TYPE, bool ONE>
static __device__ inline void finish_turn(const gemv_plan &plan, char *shared,
                                          const gemv_piece *pieces, gemv_tiles tiles, int segment,
                                          float residual) {
    const int outputs = ONE ? OUTPUTS : plan.outputs;
    for (int o = threadIdx.x; o < tiles.count * outputs; o += blockDim.x) {
        const int tile = o / outputs, output = o - tile * outputs;
        const int piece = tile;
        const float sum = sum_piece<TYPE, ONE>(plan, shared, pieces, piece, output, segment);
        const float other =
            plan.passes > 1
                ? sum_piece<TYPE, ONE>(plan, shared, pieces, piece + tiles.count, output, segment)
                : 0;
        const gemv_place place = place_of<ONE>(plan, tiles, o);
        if (segment + 1 < plan.segments || !place.some) continue;
        if (o >= blockDim.x) residual = residual_of<ONE>(plan, tiles, o);
        store(plan, place, sum, other, residual);
    }
}

// ---- a launch

template <enum dtype TYPE, int STAGES, bool ONE>
static __device__ __forceinline__ void take_turns(const gemv_plan &plan,
                                                  gemv_ring<TYPE, STAGES> &ring, char *shared,
                                                  const norm_weights &norms) {
    typedef gemv_cell<TYPE> kind;
    __shared__ gemv_piece pieces[ROUND_PIECES];
    for (int round = 0; round < plan.rounds; round++)
        for (int segment = 0; segment < plan.segments; segment++) {
            const gemv_tiles tiles = round_tiles(plan, round);
            const gemv_x x = {shared + plan.x_at,
                              shared + plan.x_sums_at,
                              plan.x_stride,
                              plan.x_sums_stride,
                              segment * plan.per_cells * kind::COLUMNS,
                              piece_cells(plan, segment) * kind::UNITS};
            if (plan.args.norm && round == 0)
                stage_normed<ONE>(plan.args, x, kind::HAS_MINIMA, norms);
            else if (plan.segments > 1 || round == 0)
                stage_plain<ONE>(plan.args, x, kind::HAS_MINIMA);
            const float residual = residual_of<ONE>(plan, tiles, threadIdx.x);
            __syncthreads(); // x is there before it is read, and the sums before were read
            multiply_turn<TYPE, STAGES, ONE>(plan, ring, shared, pieces, tiles.count * plan.passes,
                                             segment);
            __syncthreads(); // the sums are there before they are added up, and x was read
            finish_turn<TYPE, ONE>(plan, shared, pieces, tiles, segment, residual);
        }
}

// ONE: of one token.
template <enum dtype TYPE, int STAGES, bool ONE>
static __global__ __launch_bounds__(GEMV_WARPS *LANES,
                                    1) void gemv_kernel(const __grid_constant__ gemv_plan plan) {
    extern __shared__ __align__(128) char shared[];
    const int warp = threadIdx.x / LANES;
    grid_launch_dependents();
    gemv_ring<TYPE, STAGES> ring(plan, shared + warp * STAGES * gemv_cell<TYPE>::BYTES, warp);
    norm_weights norms;
    if (plan.args.norm) load_norms<ONE>(norms, plan.args); // they are older than other kernels
    grid_wait();
    take_turns<TYPE, STAGES, ONE>(plan, ring, shared, norms);
}

// ---- cutting up

// On a deterministic device a product is cut up alike for any tokens.
static int laid_for(const struct device *device, const struct gemv *args) {
    return device->deterministic ? room_of(device).tokens : args->tokens;
}


template <enum dtype TYPE> static void cut_tiles(const struct device *device, gemv_plan *plan) {
    const struct gemv *args = &plan->args;
    const int blocks = device->properties.multiProcessorCount;
    plan->passes = args->store == GEMV_GATED ? 2 : 1;
    for (int i = 0; i < args->count; i++) {
        plan->part_tiles[i] = (args->parts[i].rows + TILE_ROWS - 1) / TILE_ROWS;
        if (i == 0 || plan->passes == 1) plan->tiles += plan->part_tiles[i];
    }
    plan->share = plan->tiles / blocks;
    plan->larger = plan->tiles % blocks;
    while (1 << plan->warps_log2 < room_of(device).warps)
        plan->warps_log2++;
    const int fitting = 2 * (1 << plan->warps_log2) / gemv_cell<TYPE>::TEAM / plan->passes;
    const int most = plan->share + (plan->larger > 0);
    plan->rounds = (most + fitting - 1) / fitting;
    plan->round_tiles = (most + plan->rounds - 1) / plan->rounds;
}

template <enum dtype TYPE> static void cut_columns(const struct device *device, gemv_plan *plan) {
    typedef gemv_cell<TYPE> kind;
    const int tokens = laid_for(device, &plan->args);
    const int quads = kind::UNITS / QUAD_UNITS * kind::HAS_MINIMA;
    const int x_bytes = kind::UNITS * X_BYTES, sums_bytes = quads * XSUM_BYTES;
    const struct gemv_room room = room_of(device);
    plan->cells = (plan->args.columns + kind::COLUMNS - 1) / kind::COLUMNS;
    plan->tile_bytes = TYPE == DTYPE_F16
                           ? (size_t)TILE_ROWS * (size_t)plan->args.columns * sizeof(__half)
                           : (size_t)plan->cells * kind::BYTES;
    const int fitting = (int)(tokens == 1 ? room.x_alone : room.x) / tokens - 2 * X_BYTES;
    plan->per_cells = fitting / (x_bytes + sums_bytes);
    plan->segments = (plan->cells + plan->per_cells - 1) / plan->per_cells;
    plan->per_cells = (plan->cells + plan->segments - 1) / plan->segments;
    plan->x_stride = odd_stride(plan->per_cells * x_bytes, X_BYTES);
    plan->x_sums_stride = odd_stride(plan->per_cells * sums_bytes, XSUM_BYTES);
}

// Returns the bytes of shared memory.
template <enum dtype TYPE>
static size_t lay_out(const struct device *device, struct gemv_plan *plan, int stages) {
    const int tokens = laid_for(device, &plan->args), warps = 1 << plan->warps_log2;
    const int piece = tokens * OUTPUTS * (int)sizeof(float);
    const int totals = plan->segments > 1 ? piece * plan->round_tiles * plan->passes : 0;
    plan->outputs = plan->args.tokens * OUTPUTS;
    plan->x_at = (unsigned)(warps * stages * gemv_cell<TYPE>::BYTES);
    plan->x_sums_at = plan->x_at + (unsigned)(tokens * plan->x_stride);
    plan->sums_at = plan->x_sums_at + (unsigned)(tokens * plan->x_sums_stride);
    plan->totals_at = plan->sums_at + (unsigned)(warps * GEMV_PIECES * piece);
    return plan->totals_at + (size_t)totals;
}

// ---- launching

template <enum dtype TYPE, int STAGES, bool ONE>
static bool launch_stages(struct device *device, struct gemv_plan *plan) {
    const size_t shared = lay_out<TYPE>(device, plan, STAGES);
    if (shared > device->properties.sharedMemPerBlockOptin - GEMV_STATIC_BYTES) return false;
    const auto kernel = gemv_kernel<TYPE, STAGES, ONE>;
    static size_t allowed = 46 << 10; // without asking, beside what is static
    if (shared > allowed) {
        device_note(device, cudaFuncSetAttribute(
                                kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
        allowed = shared;
    }
    const int blocks = device->properties.multiProcessorCount;
    launch_after(device, kernel, dim3(plan->tiles < blocks ? plan->tiles : blocks),
                 dim3(LANES << plan->warps_log2), shared, *plan);
    return true;
}

template <enum dtype TYPE, bool ONE>
static void launch(struct device *device, struct gemv_plan *plan) {
    cut_tiles<TYPE>(device, plan);
    cut_columns<TYPE>(device, plan);
    const bool launched = launch_stages<TYPE, gemv_cell<TYPE>::STAGES, ONE>(device, plan) ||
                          launch_stages<TYPE, 3, ONE>(device, plan) ||
                          launch_stages<TYPE, 2, ONE>(device, plan);
    ASSERT(launched); // room_of() leaves room for two
}

template <enum dtype TYPE> static void launch_type(struct device *device, struct gemv_plan *plan) {
    if constexpr (IS_COMMON<TYPE>)
        if (plan->args.tokens == 1) return launch<TYPE, true>(device, plan);
    launch<TYPE, false>(device, plan);
}
