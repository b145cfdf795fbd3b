// kernels/cuda/stream_k.cu — y = x W^T for some dozens of tokens: one stream of weights, shared out
// evenly.
//
//   W  [rows, columns]    in the order of tiles.cuh; up to three of them for one x
//   x  [tokens, columns]  fp16, or rows picked by row_index
//   y  [tokens, rows]     fp16, or fp32, stored or added
//
//   grid   one block a multiprocessor, or fewer;  block  WARPS x 32
//   shared stages of [cells of 16 rows][x in panels], then the sums that groups exchange
//
// The decomposition is Stream-K's (Osama et al., arXiv 2301.03598). Work is tiles of rows, 256 or
// 128, times steps of a cell's columns; their flat list is cut evenly over the blocks. So a block
// has the end of one tile, some whole ones, and the beginning of another. Sums of a tile that is
// cut are left in device->stream_k_parts, in the order in which the warps' lanes hold them; of
// each warp's share the block that comes last adds up all parts in their order, so that it does not
// matter which one it is.
//
// Each warp multiplies two tiles of 16 rows with all tokens. Where the block's tile has 128 rows
// only, two groups of warps share its rows, and a cell's columns are halved between them.
//
// Copies of weights and x run ahead of the products by all stages but one; those of weights begin
// before grid_wait(), as weights depend on no other kernel. Packed weights are rounded to fp16.
// The order of sums depends on the number of blocks and tokens. Bound by reading W; past 32 tokens
// of packed weights by arithmetic.
#include "kernels/cuda/stream_k.cuh"
#include "kernels/cuda/stream_k_cell.cuh"

enum { WARPS = STREAM_K_WARPS, THREADS = WARPS * LANES, MAX_STAGES = 8 };
enum { STATIC_BYTES = 1024 }; // of shared memory that is not laid out here, at most

struct stream_k_plan { // a product, and how it is cut up: the same for all blocks
    struct gemv args;
    int tiles; // of 16 rows, of all parts; GATED: gate's and up's in turn
    int part_tiles[LINEAR_PARTS];
    size_t tile_bytes; // from one to the next
    int a_block;       // of them in a tile of the block
    int steps;         // of such a tile: cells of a row
    int share, larger; // steps of a block, and blocks with one more
    int groups;        // of warps that share a tile's rows
    int stages;
    unsigned stage_bytes, x_at, exchange_at; // in shared memory; x in its stage
    float *parts;                            // [blocks x STREAM_K_PARTS][a tile's sums]
    unsigned *arrived;                       // [blocks x WARPS], 0 between calls
};

// ---- what is where

static __host__ __device__ inline int first_step(const stream_k_plan &plan, int block) {
    return block * plan.share + min(block, plan.larger);
}

static __host__ __device__ inline int block_of(const stream_k_plan &plan, int step) {
    const int in_larger = plan.larger * (plan.share + 1);
    return step < in_larger ? step / (plan.share + 1)
                            : plan.larger + (step - in_larger) / plan.share;
}

struct stream_k_tile {
    int part, index; // the tile in it
};

static __device__ inline stream_k_tile tile_of(const stream_k_plan &plan, int index) {
    int part = 0;
    if (plan.args.store == GEMV_GATED) return {index & 1, index >> 1};
#pragma unroll
    for (int i = 0; i + 1 < LINEAR_PARTS; i++)
        if (part == i && index >= plan.part_tiles[i]) index -= plan.part_tiles[i], part++;
    return {part, index};
}

// ---- copies

// Where a warp copies cells next: every WARPS-th of the block's tile.
template <enum dtype TYPE> struct weight_stream {
    typedef stream_cell<TYPE> piece;
    const char *from[2];
    int tile, step;

    __device__ weight_stream(const stream_k_plan &plan, int first) {
        tile = first / plan.steps, step = first - tile * plan.steps;
        enter(plan);
    }
    __device__ void enter(const stream_k_plan &plan) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int index = tile * plan.a_block + threadIdx.x / LANES + i * WARPS;
            const stream_k_tile of = tile_of(plan, min(index, plan.tiles - 1));
            from[i] = piece::start((const char *)plan.args.parts[of.part].data +
                                       of.index * plan.tile_bytes,
                                   plan.args.columns) +
                      (size_t)step * piece::STEP;
        }
    }
    __device__ __forceinline__ void copy(const stream_k_plan &plan, char *stage) {
        char *to = stage + threadIdx.x / LANES * piece::BYTES;
        piece::copy(to, from[0], plan.args.columns);
        if (plan.groups == 1) piece::copy(to + WARPS * piece::BYTES, from[1], plan.args.columns);
        from[0] += piece::STEP, from[1] += piece::STEP;
        if (++step == plan.steps) {
            step = 0, tile++;
            enter(plan);
        }
    }
};

// Where a thread copies x next: one chunk of 16 bytes of some tokens' rows.
template <enum dtype TYPE, int EIGHTS> struct x_stream {
    enum { TOKENS = 8 * EIGHTS, PANELS = stream_cell<TYPE>::COLUMNS / PANEL_COLUMNS };
    enum { CHUNKS = PANELS * TOKENS * 8, ROUNDS = (CHUNKS + THREADS - 1) / THREADS };
    enum { ROWS = TOKENS * 8 > THREADS ? TOKENS * 8 / THREADS : 1 };
    const __half *row[ROWS]; // NULL past the last token
    int step;

    __device__ x_stream(const stream_k_plan &plan, int first) : step(first % plan.steps) {
        const gemv &args = plan.args;
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            const int token = token_of(i);
            row[i] = nullptr;
            if (token >= args.tokens) continue;
            const size_t from = args.row_index ? args.row_index[token] : token;
            row[i] = args.x + from * args.columns;
        }
    }
    static __device__ int token_of(int round) {
        return (threadIdx.x + round * THREADS) / 8 % TOKENS;
    }
    __device__ __forceinline__ void copy(const stream_k_plan &plan, char *x) {
#pragma unroll
        for (int i = 0; i < ROUNDS; i++) {
            const int item = threadIdx.x + i * THREADS, chunk = item % 8, token = token_of(i);
            const int panel = item / (8 * TOKENS);
            const int column =
                step * stream_cell<TYPE>::COLUMNS + panel * PANEL_COLUMNS + chunk * 8;
            const __half *from = row[i % ROWS];
            const bool some = from && column < plan.args.columns;
            if (CHUNKS % THREADS == 0 || item < CHUNKS)
                copy16(x + (panel * TOKENS + token) * PANEL_ROW +
                           ((chunk ^ turn_of(token % 8)) << 4),
                       some ? from + column : plan.args.x, some);
        }
        if (++step == plan.steps) step = 0;
    }
};

static __device__ inline void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int PENDING> static __device__ inline void copy_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

// Until the oldest of `stages` - 1 stages has arrived.
static __device__ inline void wait_stage(int stages) {
    switch (stages) {
    case 2:
        return copy_wait<0>();
    case 3:
        return copy_wait<1>();
    case 4:
        return copy_wait<2>();
    case 5:
        return copy_wait<3>();
    case 6:
        return copy_wait<4>();
    case 7:
        return copy_wait<5>();
    default:
        return copy_wait<MAX_STAGES - 2>();
    }
}

// ---- sums to y

static __device__ inline void store(const stream_k_plan &plan, const gemv_part &part, int token,
                                    int row, float sum, float other) {
    if (token >= plan.args.tokens || row >= part.rows) return;
    const size_t at = (size_t)token * part.rows + row;
    const float value = part.bias ? sum + part.bias[row] : sum;
    if (plan.args.store == GEMV_ADD)
        ((float *)part.y)[at] = __ldcg((const float *)part.y + at) + value;
    else if (plan.args.store == GEMV_FLOATS)
        ((float *)part.y)[at] = value;
    else if (plan.args.store == GEMV_HALVES)
        from_float(value, &((__half *)part.y)[at]);
    else
        from_float(sum / (1 + __expf(-sum)) * other, &((__half *)part.y)[at]);
}

// `first` is the first of the warp's two tiles, `token` of its tokens.
template <int EIGHTS>
static __device__ inline void store_sums(const stream_k_plan &plan, const warp_sums<EIGHTS> &sums,
                                         int first, int token) {
    const int lane = threadIdx.x % LANES, passes = plan.args.store == GEMV_GATED ? 1 : WARP_TILES;
#pragma unroll
    for (int m = 0; m < WARP_TILES; m++) {
        if (m >= passes || first + m >= plan.tiles) break;
        const stream_k_tile tile = tile_of(plan, first + m);
        const gemv_part &part = plan.args.parts[tile.part];
#pragma unroll
        for (int n = 0; n < EIGHTS; n++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                store(plan, part, token + 8 * n + lane % 4 * 2 + i % 2,
                      tile.index * TILE_ROWS + lane / 4 + i / 2 * 8, sums.of[m][n][i],
                      sums.of[WARP_TILES - 1][n][i]);
    }
}

static __device__ inline void add_to(float (&sum)[4], float4 other) {
    sum[0] += other.x, sum[1] += other.y, sum[2] += other.z, sum[3] += other.w;
}

// Two groups that share their rows share their tokens out: the first has the first HALF of the
// eights. A tile at a time is exchanged.
template <int EIGHTS, int HALF>
static __device__ inline void join_groups(const stream_k_plan &plan, warp_sums<HALF> &joined,
                                          const warp_sums<EIGHTS> &sums, char *shared) {
    const int warp = threadIdx.x / LANES, upper = warp / (WARPS / 2);
    float4 *own = (float4 *)(shared + plan.exchange_at) + warp % (WARPS / 2) * EIGHTS * LANES +
                  threadIdx.x % LANES;
#pragma unroll
    for (int m = 0; m < WARP_TILES; m++) {
        __syncthreads(); // what was there before is taken
#pragma unroll
        for (int n = 0; n < EIGHTS; n++)
            if (upper == n < HALF) own[n * LANES] = *(const float4 *)sums.of[m][n];
        __syncthreads(); // the other group's are there
#pragma unroll
        for (int n = 0; n < HALF; n++) {
            const int other = upper ? HALF + n : n;
#pragma unroll
            for (int i = 0; i < 4; i++)
                joined.of[m][n][i] =
                    upper ? (HALF + n < EIGHTS ? sums.of[m][HALF + n][i] : 0) : sums.of[m][n][i];
            if (other < EIGHTS) add_to(joined.of[m][n], own[other * LANES]);
        }
    }
}

// A warp's part of a tile that blocks share: leaves its sums, and, if it is the last of them, has
// the sums of all. A block's first part is its even one; a tile that begins inside it is its odd
// one.
template <int EIGHTS>
static __device__ inline bool join_blocks(const stream_k_plan &plan, warp_sums<EIGHTS> &sums,
                                          int tile, bool begun) {
    enum { FLOATS = WARP_TILES * EIGHTS * LANES, ONCE = EIGHTS > 2 ? 8 / EIGHTS : 4 };
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, block = blockIdx.x;
    const int start = tile * plan.steps;
    const int first = block_of(plan, start), last = block_of(plan, start + plan.steps - 1);
    float4 *parts = (float4 *)plan.parts + (size_t)warp * FLOATS + lane;
    float4 *own = parts + (2 * (size_t)block + begun) * WARPS * FLOATS;
#pragma unroll
    for (int m = 0; m < WARP_TILES; m++)
#pragma unroll
        for (int n = 0; n < EIGHTS; n++)
            __stcg(own + (m * EIGHTS + n) * LANES, *(const float4 *)sums.of[m][n]);
    __threadfence(); // the part is seen before the count
    __syncwarp();
    unsigned before = 0;
    if (lane == 0) before = atomicInc(plan.arrived + first * WARPS + warp, last - first);
    if (__shfl_sync(0xffffffffu, before, 0) != (unsigned)(last - first)) return false;
    __threadfence(); // the others' parts are read after the count
    sums = {};
    const int odd = first_step(plan, first) < start;
    for (int block = first; block <= last; block += ONCE) {
        float4 others[ONCE][WARP_TILES][EIGHTS];
#pragma unroll
        for (int i = 0; i < ONCE; i++) {
            const float4 *from =
                parts + (2 * (size_t)(block + i) + (block + i == first && odd)) * WARPS * FLOATS;
            if (block + i <= last)
#pragma unroll
                for (int j = 0; j < WARP_TILES * EIGHTS; j++)
                    others[i][j / EIGHTS][j % EIGHTS] = __ldcg(from + j * LANES);
        }
#pragma unroll
        for (int i = 0; i < ONCE; i++)
            if (block + i <= last)
#pragma unroll
                for (int j = 0; j < WARP_TILES * EIGHTS; j++)
                    add_to(sums.of[j / EIGHTS][j % EIGHTS], others[i][j / EIGHTS][j % EIGHTS]);
    }
    return true;
}

struct stream_k_run {
    int tile, from, to; // steps [from, to) of all
};

// The sums of a run, of these two tiles of rows, from `token` on.
template <int EIGHTS>
static __device__ __forceinline__ void finish_run(const stream_k_plan &plan,
                                                  warp_sums<EIGHTS> &sums, const stream_k_run &run,
                                                  int first, int token) {
    const int start = run.tile * plan.steps;
    const bool whole = run.from == start && run.to == start + plan.steps;
    const bool begun = run.from > first_step(plan, blockIdx.x);
    if (whole || join_blocks(plan, sums, run.tile, begun)) store_sums(plan, sums, first, token);
}

// ---- the kernel

template <enum dtype TYPE, int EIGHTS>
static __global__
__launch_bounds__(THREADS, 1) void stream_k_kernel(const __grid_constant__ stream_k_plan plan) {
    typedef stream_cell<TYPE> piece;
    extern __shared__ __align__(128) char shared[];
    const int warp = threadIdx.x / LANES, place = warp % (WARPS / plan.groups);
    const bool both = plan.groups == 1, upper = warp != place;
    const int begin = first_step(plan, blockIdx.x), end = first_step(plan, blockIdx.x + 1);
    const int room = plan.stages * plan.stage_bytes, ahead = plan.stages - 1;
    grid_launch_dependents();
    weight_stream<TYPE> weights(plan, begin);
    for (int i = 0; i < ahead; i++)
        if (begin + i < end) weights.copy(plan, shared + i * plan.stage_bytes);
    grid_wait();
    x_stream<TYPE, EIGHTS> x(plan, begin);
    for (int i = 0; i < ahead; i++) {
        if (begin + i < end) x.copy(plan, shared + i * plan.stage_bytes + plan.x_at);
        copy_commit();
    }
    int slot = 0, slot_ahead = ahead * plan.stage_bytes;
    for (int from = begin, to; from < end; from = to) {
        const int tile = from / plan.steps;
        to = min(end, (tile + 1) * plan.steps);
        warp_sums<EIGHTS> sums = {};
        for (int step = from; step < to; step++) {
            wait_stage(plan.stages);
            __syncthreads(); // all copies of the stage are there, and all are done with the last
            if (step + ahead < end) {
                weights.copy(plan, shared + slot_ahead);
                x.copy(plan, shared + slot_ahead + plan.x_at);
            }
            copy_commit();
            const char *stage = shared + slot, *cells = stage + place * WARP_TILES * piece::BYTES;
            if (both || !upper) piece::template add<0, EIGHTS>(sums, cells, stage + plan.x_at);
            if (both || upper) piece::template add<1, EIGHTS>(sums, cells, stage + plan.x_at);
            slot = slot + plan.stage_bytes == room ? 0 : slot + plan.stage_bytes;
            slot_ahead = slot_ahead + plan.stage_bytes == room ? 0 : slot_ahead + plan.stage_bytes;
        }
        const int first = tile * plan.a_block + place * WARP_TILES;
        if (both) {
            finish_run(plan, sums, {tile, from, to}, first, 0);
        } else {
            enum { HALF = (EIGHTS + 1) / 2 };
            warp_sums<HALF> joined;
            join_groups(plan, joined, sums, shared);
            finish_run(plan, joined, {tile, from, to}, first, upper * HALF * 8);
        }
    }
}

// ---- launching

// Sums of `rows` rows that two groups exchange.
static size_t exchange_bytes(int rows, int tokens) {
    return rows < STREAM_K_ROWS ? (size_t)(WARPS / 2) * (size_t)tokens * 4 * LANES / 8 * 4 : 0;
}

// Stages that fit the card, of tiles of so many rows. Two is the least.
template <enum dtype TYPE>
static int lay_out(const struct device *device, struct stream_k_plan *plan, int rows, int tokens) {
    typedef stream_cell<TYPE> piece;
    const size_t room = device->properties.sharedMemPerBlockOptin - STATIC_BYTES;
    const size_t cells = (size_t)(rows / TILE_ROWS) * piece::BYTES;
    const size_t stage = cells + (size_t)tokens * piece::COLUMNS * sizeof(__half);
    const size_t exchange = exchange_bytes(rows, tokens);
    const int fitting = room < exchange ? 0 : (int)((room - exchange) / stage);
    plan->a_block = rows / TILE_ROWS;
    plan->groups = STREAM_K_ROWS / rows;
    plan->stages = fitting < MAX_STAGES ? fitting : MAX_STAGES;
    plan->stage_bytes = (unsigned)stage;
    plan->x_at = (unsigned)cells;
    plan->exchange_at = (unsigned)plan->stages * plan->stage_bytes;
    return plan->stages;
}

// Bytes besides the weights: x once for each tile of rows, and what blocks leave one another, which
// counts twice, as nothing runs beside it.
static size_t traffic(const struct device *device, const struct stream_k_plan *plan, int rows,
                      int tokens) {
    const size_t blocks = (size_t)device->properties.multiProcessorCount;
    const size_t tiles = ceil_divide((size_t)plan->tiles, rows / TILE_ROWS);
    const size_t left = blocks + (tiles < blocks ? tiles : blocks);
    return tiles * (size_t)plan->args.columns * (size_t)tokens * sizeof(__half) +
           4 * left * (size_t)rows * (size_t)tokens * sizeof(float);
}

template <enum dtype TYPE>
static bool cut_up(const struct device *device, struct stream_k_plan *plan, int tokens) {
    typedef stream_cell<TYPE> piece;
    const struct gemv *args = &plan->args;
    plan->tiles = 0;
    for (int i = 0; i < args->count; i++) {
        plan->part_tiles[i] = (args->parts[i].rows + TILE_ROWS - 1) / TILE_ROWS;
        plan->tiles += plan->part_tiles[i];
    }
    plan->steps = (args->columns + piece::COLUMNS - 1) / piece::COLUMNS;
    plan->tile_bytes = TYPE == DTYPE_F16 ? (size_t)TILE_ROWS * (size_t)args->columns * 2
                                         : (size_t)plan->steps * piece::BYTES;
    const bool large = traffic(device, plan, STREAM_K_ROWS, tokens) <
                       traffic(device, plan, STREAM_K_ROWS / 2, tokens);
    int rows = large ? STREAM_K_ROWS : STREAM_K_ROWS / 2;
    if (lay_out<TYPE>(device, plan, rows, tokens) < 3) rows = STREAM_K_ROWS / 2;
    return lay_out<TYPE>(device, plan, rows, tokens) >= 2;
}

// Tokens that fit the card at once; the plan is cut up for them.
template <enum dtype TYPE>
static int tokens_at_once(const struct device *device, struct stream_k_plan *plan) {
    int tokens = 8;
    while (tokens < plan->args.tokens && tokens < STREAM_K_TOKENS)
        tokens *= 2;
    while (tokens > 0 && !cut_up<TYPE>(device, plan, tokens))
        tokens /= 2;
    return tokens;
}

// Returns the blocks.
static int share_out(const struct device *device, struct stream_k_plan *plan) {
    const int all = (int)ceil_divide((size_t)plan->tiles, (size_t)plan->a_block) * plan->steps;
    const int blocks = min(device->properties.multiProcessorCount, all);
    plan->share = all / blocks;
    plan->larger = all % blocks;
    return blocks;
}

static size_t shared_bytes(const struct stream_k_plan *plan, int tokens) {
    return plan->exchange_at + exchange_bytes(plan->a_block * TILE_ROWS, tokens);
}

template <enum dtype TYPE, int EIGHTS>
static void launch(struct device *device, struct stream_k_plan *plan) {
    const size_t shared = shared_bytes(plan, EIGHTS * 8);
    const auto kernel = stream_k_kernel<TYPE, EIGHTS>;
    static size_t allowed = 48 << 10; // without asking
    if (shared > allowed) {
        device_note(device, cudaFuncSetAttribute(
                                kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
        allowed = shared;
    }
    const int blocks = share_out(device, plan);
    launch_after(device, kernel, dim3((unsigned)blocks), dim3(THREADS), shared, *plan);
}

// Returns the tokens that were done.
template <enum dtype TYPE>
static int32_t launch_type(struct device *device, struct stream_k_plan *plan) {
    const int tokens = tokens_at_once<TYPE>(device, plan);
    plan->args.tokens = min(plan->args.tokens, tokens);
    switch (tokens) {
    case 8:
        launch<TYPE, 1>(device, plan);
        break;
    case 16:
        launch<TYPE, 2>(device, plan);
        break;
    case 32:
        launch<TYPE, 4>(device, plan);
        break;
    case 64:
        launch<TYPE, 8>(device, plan);
        break;
    default:
        ASSERT(false); // eight fit any card
    }
    return plan->args.tokens;
}

static int32_t launch_some(struct device *device, const struct gemv *args) {
    struct stream_k_plan plan = {};
    plan.args = *args;
    plan.parts = device->stream_k_parts;
    plan.arrived = device->stream_k_arrived;
    switch (args->type) {
#define CASE(id)     \
    case DTYPE_##id: \
        return launch_type<DTYPE_##id>(device, &plan);
        PACKED_MAP(CASE)
#undef CASE
    case DTYPE_F16:
        return launch_type<DTYPE_F16>(device, &plan);
    case DTYPE_BF16:
    case DTYPE_F32:
    case DTYPE_COUNT:
        ASSERT(false);
    }
    return 0;
}

void stream_k_launch(struct device *device, const struct gemv *args) {
    ASSERT(args->tokens > 0 && args->count > 0 && args->count <= LINEAR_PARTS && !args->norm);
    struct gemv some = *args;
    const bool wide = args->store == GEMV_FLOATS || args->store == GEMV_ADD;
    for (int32_t left = args->tokens; left > 0;) {
        some.tokens = left;
        const int32_t done = launch_some(device, &some);
        for (int i = 0; i < args->count; i++)
            some.parts[i].y = (char *)some.parts[i].y +
                              (size_t)done * (size_t)some.parts[i].rows * (wide ? 4 : 2);
        if (args->row_index)
            some.row_index += done;
        else
            some.x += (size_t)done * (size_t)args->columns;
        left -= done;
    }
}
