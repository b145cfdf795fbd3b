// kernels/cuda/gemv.cu — y = x W^T for a few tokens: weights are read once, as one stream.
//
//   W  [rows, columns]    in the order of tiles.cuh; up to three of them for one x
//   x  [tokens, columns]  fp16, or the fp32 stream, normed here; or rows picked by row_index
//   y  [tokens, rows]     fp16, or fp32, stored or added
//
//   grid   one block a multiprocessor, or fewer;  block  (warps + FINISHERS) x 32
//   shared rings [warps][STAGES][cell], x [units][tokens][64 bytes], sums of x [quads][tokens][32
//          bytes], sums of warps [slots][passes][warps][tokens][16 rows], sums of segments
//
// Warps that multiply have a ring each, into which they copy the cells of weights that they will
// need, across tiles and matrices without a pause: bytes on their way cost no registers, and the
// memory never idles between tiles. They begin before grid_wait(), as weights depend on no other
// kernel. A few warps more add up the sums of those that share a tile.
//
// x lies in shared memory for as many columns as there is room for, a segment; there are several
// only where tokens times columns is large, and then the tiles are gone through once for each.
//
// The order of a row's sum depends on its type, its columns and the segments; on a deterministic
// device these are the same for any tokens. Bound by reading W.
#include "kernels/cuda/gemv_input.cuh"

// Of a cell's columns, and of their sums, for a token.
template <enum dtype TYPE> static constexpr size_t gemv_x_bytes() {
    typedef gemv_cell<TYPE> piece;
    return piece::UNITS * X_BYTES + piece::HAS_MINIMA * (piece::UNITS / QUAD_UNITS) * XSUM_BYTES;
}

enum { FINISHERS = 4 };       // warps that add up: one more a scheduler
enum { OUTPUTS = TILE_ROWS }; // of a tile for each token
enum { STATIC_BYTES = 2048 }; // of shared memory that is not laid out here, at most

// ---- the warps that multiply

// A warp's sums of a tile into a slot.
static __device__ inline void leave_sums(const gemv_plan &plan, float *slot, int pass,
                                         const float (&sums)[4]) {
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, tokens = plan.args.tokens;
    float *own = slot + (pass * plan.warps + warp) * tokens * OUTPUTS;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int token = lane % 4 * 2 + i % 2, row = lane / 4 + i / 2 * 8;
        if (token < tokens) own[token * OUTPUTS + row] = sums[i];
    }
}

static __device__ inline float *slot_of(const gemv_plan &plan, char *shared, int n) {
    return (float *)(shared + plan.sums_at) + n % GEMV_SLOTS * plan.slot_floats;
}

template <enum dtype TYPE, int STAGES>
static __device__ __forceinline__ void multiply_tile(const gemv_plan &plan,
                                                     gemv_ring<TYPE, STAGES> &ring, const gemv_x &x,
                                                     int segment, int set, float (&sums)[4]) {
    typedef gemv_cell<TYPE> piece;
    const int member = member_of(plan, ring.warp, set), tokens = plan.args.tokens;
    const int unit = member * piece::UNITS;
    const int x_step = (piece::UNITS << plan.members_log2) * tokens * X_BYTES;
    const int sums_step = (piece::UNITS / QUAD_UNITS << plan.members_log2) * tokens * XSUM_BYTES;
    const char *at = x.x + unit * tokens * X_BYTES;
    const char *sums_at = x.sums + unit / QUAD_UNITS * tokens * XSUM_BYTES;
    for (int left = cells_of_member(plan, segment, member); left > 0; left--) {
        ring.copy_next(plan);
        piece::add(sums, ring.front(), at, sums_at, tokens);
        ring.pop();
        at += x_step;
        sums_at += sums_step;
    }
}

template <enum dtype TYPE, int STAGES>
static __device__ __forceinline__ void multiply_all(const gemv_plan &plan,
                                                    gemv_ring<TYPE, STAGES> &ring, char *shared,
                                                    gemv_barriers &barriers) {
    typedef gemv_cell<TYPE> piece;
    const int threads = plan.warps * LANES;
    for (int segment = 0, n = 0; segment < plan.segments; segment++) {
        const int first = segment * plan.per_cells;
        const gemv_x x = {shared + plan.x_at, shared + plan.x_sums_at, first * piece::COLUMNS,
                          min(plan.per_cells, plan.cells - first) * piece::UNITS};
        if (segment > 0) sync_warps(threads); // all have read the x before this one
        if (plan.args.norm)
            stage_normed(plan.args, x, piece::HAS_MINIMA, threads);
        else
            stage_plain(plan.args, x, piece::HAS_MINIMA, threads);
        sync_warps(threads); // x is there before it is read
        for (int set = 0; set < plan.sets; set++, n++) {
            const bool some = tile_of(plan, set, ring.warp >> plan.members_log2).part >= 0;
            for (int pass = 0; pass < plan.passes; pass++) {
                float sums[4] = {};
                if (some) multiply_tile<TYPE, STAGES>(plan, ring, x, segment, set, sums);
                if (pass == 0 && n >= GEMV_SLOTS)
                    barrier_wait(&barriers.taken[n % GEMV_SLOTS], (n / GEMV_SLOTS - 1) % 2);
                leave_sums(plan, slot_of(plan, shared, n), pass, sums);
            }
            barrier_arrive(&barriers.left[n % GEMV_SLOTS]);
        }
    }
}

// ---- the warps that add up

static __device__ inline void store(const gemv_plan &plan, const gemv_part &part, size_t at,
                                    int row, float sum, float other) {
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

// The sums of `count` of a tile's members, from `first` on. `swapped` is as in member_of().
static __device__ inline float sum_members(const float *sums, int stride, int first, int count,
                                           int swapped) {
    float sum = 0;
#pragma unroll
    for (int m = 0; m < GEMV_WARPS / 2; m++)
        if (m < count) sum += sums[((first + m) ^ swapped) * stride];
    return sum;
}

// Of all members: the first half's sum plus the second's, whether a lane adds both, or two lanes
// one each.
static __device__ inline float sum_tile(const gemv_plan &plan, const float *sums, int stride,
                                        int set, bool two) {
    const int members = 1 << plan.members_log2, half = (members + 1) / 2;
    const int swapped = set & 1 ? members / 2 : 0;
    if (!two)
        return sum_members(sums, stride, 0, half, swapped) +
               sum_members(sums, stride, half, members - half, swapped);
    const bool last = threadIdx.x % LANES >= OUTPUTS;
    const float own =
        sum_members(sums, stride, last ? half : 0, last ? members - half : half, swapped);
    return own + __shfl_xor_sync(0xffffffffu, own, OUTPUTS);
}

// The sum so far, and kept where segments follow.
static __device__ inline float add_segments(const gemv_plan &plan, float sum, float *total,
                                            int segment, bool two) {
    if (plan.segments == 1) return sum;
    if (segment > 0) sum += *total;
    if (two) __syncwarp(); // both lanes have read what each of them writes
    *total = sum;
    return sum;
}

// The sums of a set's tiles over the warps that share them, and over segments, to y. With one token
// and one tile two lanes share an output.
static __device__ inline void finish_set(const gemv_plan &plan, const float *slot, float *totals,
                                         int segment, int set) {
    const int tokens = plan.args.tokens, count = tokens * OUTPUTS, all = plan.groups * count;
    const int index = threadIdx.x - plan.warps * LANES; // among those who finish
    const bool two = all == OUTPUTS;
    totals += set * plan.passes * all;
    for (int o = two ? index % OUTPUTS : index; o < all; o += FINISHERS * LANES) {
        if (two && index >= LANES) return;
        const int group = plan.groups == 1 ? 0 : o / count, in_tile = o - group * count;
        const float *sums = slot + ((group << plan.members_log2) * count + in_tile);
        const float sum =
            add_segments(plan, sum_tile(plan, sums, count, set, two), totals + o, segment, two);
        const float other =
            plan.passes == 1
                ? 0
                : add_segments(plan, sum_tile(plan, sums + plan.warps * count, count, set, two),
                               totals + all + o, segment, two);
        const gemv_tile tile = tile_of(plan, set, group);
        if (segment + 1 < plan.segments || tile.part < 0 || (two && index >= OUTPUTS)) continue;
        const gemv_part &to = plan.args.parts[tile.part];
        const int row = tile.index * TILE_ROWS + o % OUTPUTS;
        if (row < to.rows)
            store(plan, to, (size_t)(in_tile / OUTPUTS) * to.rows + row, row, sum, other);
    }
}

static __device__ void finish_all(const gemv_plan &plan, char *shared, gemv_barriers &barriers) {
    float *totals = (float *)(shared + plan.totals_at);
    for (int segment = 0, n = 0; segment < plan.segments; segment++)
        for (int set = 0; set < plan.sets; set++, n++) {
            barrier_wait(&barriers.left[n % GEMV_SLOTS], n / GEMV_SLOTS % 2);
            finish_set(plan, slot_of(plan, shared, n), totals, segment, set);
            barrier_arrive(&barriers.taken[n % GEMV_SLOTS]);
        }
}

template <enum dtype TYPE, int STAGES>
static __global__ __launch_bounds__((GEMV_WARPS + FINISHERS) * LANES,
                                    1) void gemv_kernel(const __grid_constant__ gemv_plan plan) {
    extern __shared__ __align__(16) char shared[];
    __shared__ gemv_barriers barriers;
    const int warp = threadIdx.x / LANES;
    if (threadIdx.x < GEMV_SLOTS) {
        barrier_init(&barriers.left[threadIdx.x], plan.warps);
        barrier_init(&barriers.taken[threadIdx.x], FINISHERS);
    }
    __syncthreads(); // the barriers are there before they are used
    grid_launch_dependents();
    if (warp >= plan.warps) {
        grid_wait();
        finish_all(plan, shared, barriers);
    } else {
        gemv_ring<TYPE, STAGES> ring(plan, shared + warp * STAGES * gemv_cell<TYPE>::BYTES, warp);
        grid_wait();
        multiply_all<TYPE, STAGES>(plan, ring, shared, barriers);
    }
}

// ---- launching

// What a card's shared memory is shared out to. The rings have what is left: at least two cells a
// warp, whatever the product.
struct gemv_room {
    int warps;
    int32_t tokens;            // at once, at most
    size_t x, x_alone, totals; // bytes of x and its sums, and of one token's; of sums of segments
};

static struct gemv_room room_of(const struct device *device) {
    const size_t all = device->properties.sharedMemPerBlockOptin;
    if (all > 200 << 10) return {GEMV_WARPS, GEMV_TOKENS, 72 << 10, 72 << 10, 16 << 10};
    return {GEMV_WARPS / 2, GEMV_TOKENS / 2, all / 5, all * 3 / 8, all / 16};
}

// One token may take more if that makes it whole: there are no sums of segments then.
static size_t room_of_x(const struct device *device, size_t tokens, size_t whole) {
    const struct gemv_room room = room_of(device);
    return tokens == 1 && whole <= room.x_alone ? room.x_alone : room.x;
}

// Tokens at once: fewer where x needs segments and their sums need too much.
static int32_t most_tokens(const struct device *device, const struct gemv *args) {
    const struct gemv_room room = room_of(device);
    const size_t tiles = ((size_t)args->parts[0].rows + TILE_ROWS - 1) / TILE_ROWS;
    const size_t sets = tiles / (size_t)device->properties.multiProcessorCount + 1;
    int32_t tokens = room.tokens;
    for (; tokens > 1; tokens /= 2) {
        const size_t totals = sets * 2 * OUTPUTS * (size_t)tokens * sizeof(float);
        const size_t x = (size_t)args->columns * (size_t)tokens * 9 / 4;
        if (x <= room.x || totals <= room.totals) break;
    }
    return tokens;
}

// On a deterministic device a product is cut up alike for any tokens.
static size_t laid_for(const struct device *device, const struct gemv *args) {
    return (size_t)(device->deterministic ? most_tokens(device, args) : args->tokens);
}

template <enum dtype TYPE> static void cut_up(struct device *device, struct gemv_plan *plan) {
    typedef gemv_cell<TYPE> piece;
    const struct gemv *args = &plan->args;
    int members = plan->warps, blocks = device->properties.multiProcessorCount;
    plan->passes = args->store == GEMV_GATED ? 2 : 1;
    for (int i = 0; i < args->count; i++) {
        plan->part_tiles[i] = (args->parts[i].rows + TILE_ROWS - 1) / TILE_ROWS;
        if (i == 0 || plan->passes == 1) plan->tiles += plan->part_tiles[i];
    }
    plan->cells = (args->columns + piece::COLUMNS - 1) / piece::COLUMNS;
    plan->tile_bytes = TYPE == DTYPE_F16 ? (size_t)TILE_ROWS * (size_t)args->columns * 2
                                         : (size_t)plan->cells * piece::BYTES;
    while (members > plan->cells)
        members /= 2;
    while (1 << plan->members_log2 < members)
        plan->members_log2++;
    plan->groups = plan->warps / members;
    plan->sets = (plan->tiles + blocks * plan->groups - 1) / (blocks * plan->groups);
    const size_t tokens = laid_for(device, args), cell = tokens * gemv_x_bytes<TYPE>();
    const size_t room = room_of_x(device, tokens, (size_t)plan->cells * cell);
    const int fitting = (int)(room / cell), whole = fitting / members * members;
    plan->per_cells = fitting >= plan->cells ? plan->cells : whole ? whole : members;
    plan->segments = (plan->cells + plan->per_cells - 1) / plan->per_cells;
}

// Returns the bytes of shared memory.
template <enum dtype TYPE>
static size_t lay_out(struct device *device, struct gemv_plan *plan, int stages) {
    typedef gemv_cell<TYPE> piece;
    const size_t tokens = laid_for(device, &plan->args), cells = (size_t)plan->per_cells;
    const size_t x = cells * tokens * piece::UNITS * X_BYTES;
    const size_t outputs = (size_t)plan->passes * tokens * OUTPUTS;
    plan->slot_floats = (int)(outputs * (size_t)plan->warps);
    const size_t totals = plan->segments > 1 ? outputs * (size_t)(plan->groups * plan->sets) : 0;
    plan->x_at = (unsigned)(plan->warps * stages * piece::BYTES);
    plan->x_sums_at = plan->x_at + (unsigned)x;
    plan->sums_at = plan->x_at + (unsigned)(cells * tokens * gemv_x_bytes<TYPE>());
    plan->totals_at = plan->sums_at + GEMV_SLOTS * (unsigned)plan->slot_floats * sizeof(float);
    return plan->totals_at + totals * sizeof(float);
}

template <enum dtype TYPE, int STAGES>
static bool launch_stages(struct device *device, struct gemv_plan *plan) {
    const size_t shared = lay_out<TYPE>(device, plan, STAGES);
    if (shared > device->properties.sharedMemPerBlockOptin - STATIC_BYTES) return false;
    const auto kernel = gemv_kernel<TYPE, STAGES>;
    static size_t allowed = 48 << 10; // without asking
    if (shared > allowed) {
        device_note(device, cudaFuncSetAttribute(
                                kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
        allowed = shared;
    }
    const int blocks = device->properties.multiProcessorCount;
    const int turns = (plan->tiles + plan->groups - 1) / plan->groups;
    launch_after(device, kernel, dim3(turns < blocks ? turns : blocks),
                 dim3((plan->warps + FINISHERS) * LANES), shared, *plan);
    return true;
}

template <enum dtype TYPE> static void launch(struct device *device, const struct gemv *args) {
    struct gemv_plan plan = {};
    plan.args = *args;
    plan.warps = room_of(device).warps;
    cut_up<TYPE>(device, &plan);
    const bool launched = launch_stages<TYPE, gemv_cell<TYPE>::STAGES>(device, &plan) ||
                          launch_stages<TYPE, 3>(device, &plan) ||
                          launch_stages<TYPE, 2>(device, &plan);
    ASSERT(launched); // room_of() and most_tokens() leave room for two
}

static void launch_type(struct device *device, const struct gemv *args) {
    switch (args->type) {
#define CASE(id)                          \
    case DTYPE_##id:                      \
        launch<DTYPE_##id>(device, args); \
        break;
        PACKED_MAP(CASE)
#undef CASE
    case DTYPE_F16:
        launch<DTYPE_F16>(device, args);
        break;
    case DTYPE_BF16:
    case DTYPE_F32:
    case DTYPE_COUNT:
        ASSERT(false);
    }
}

bool gemv_norms(const struct device *device, int32_t tokens, int32_t columns) {
    const struct gemv_room room = room_of(device);
    const size_t elements = (size_t)tokens * (size_t)columns;
    const size_t kept = 8 * GEMV_ITEMS * LANES * (size_t)room.warps; // by its threads
    return columns % ROUND_COLUMNS == 0 && elements <= kept && elements * 9 / 4 <= room.x;
}

bool gemv_fits(const struct weight *w) {
    return is_packed(w->type) || (w->type != DTYPE_F32 && w->columns % PLAIN_COLUMNS == 0);
}

void gemv_launch(struct device *device, const struct gemv *args) {
    ASSERT(args->tokens > 0 && args->count > 0 && args->count <= LINEAR_PARTS);
    ASSERT(!args->norm || gemv_norms(device, args->tokens, args->columns));
    struct gemv some = *args;
    const bool wide = args->store == GEMV_FLOATS || args->store == GEMV_ADD;
    const int32_t once = most_tokens(device, args);
    for (int32_t done = 0; done < args->tokens; done += some.tokens) {
        some.tokens = args->tokens - done < once ? args->tokens - done : once;
        launch_type(device, &some);
        for (int i = 0; i < args->count; i++)
            some.parts[i].y = (char *)some.parts[i].y +
                              (size_t)some.tokens * (size_t)some.parts[i].rows * (wide ? 4 : 2);
        if (args->row_index)
            some.row_index += some.tokens;
        else if (args->norm)
            some.stream += (size_t)some.tokens * (size_t)args->columns;
        else
            some.x += (size_t)some.tokens * (size_t)args->columns;
    }
}
