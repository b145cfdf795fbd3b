// kernels/cuda/flash_spans.cuh — the kernel that reads a shared past once; flash_shared.cuh says
// how.
//
// The rows of a span are the queries of its sequences under the heads of one group; row r is
// sequence r / group of the span under head r % group. Rows are cut into row tiles, a span's keys
// into key tiles. All (span, row tile, key tile), in this order, are one flat list. Each block of a
// KV head takes an even share of it, so a block may end one row tile and begin another.
#pragma once
#include "kernels/cuda/flash_rows.cuh"
#include "kernels/cuda/flash_shared.cuh"

// Values of the lanes before this one, added up.
static __device__ inline int sum_before(int value) { return warp_scan(value) - value; }

// Each lane of a warp gets the list of one span.
static __device__ inline span_list list_spans(const struct span_grid &grid, const batch &batch,
                                              int group, int window) {
    static_assert((int)SHARED_SPANS_MAX == 32, "a span a lane");
    const struct shared_span span = batch.shared.spans[threadIdx.x % 32];
    span_list list;
    list.begin = max(span.begin, window > 0 ? span.shortest - window : 0);
    const int key_tiles = (span.end - list.begin / grid.keys * grid.keys) / grid.keys;
    list.key_tiles = span.count > 0 && list.begin < span.end ? key_tiles : 0;
    list.rows = span.count * group;
    const int tiles = list.key_tiles * ((list.rows + grid.rows - 1) / grid.rows);
    list.first_tile = sum_before(tiles);
    list.end_tile = list.first_tile + tiles;
    list.all_tiles = __shfl_sync(0xffffffffu, list.end_tile, 31);
    list.share = max(1, (list.all_tiles + grid.blocks - 1) / grid.blocks);
    const int parts = list.key_tiles > 0 ? (list.key_tiles - 1) / list.share + 2 : 0;
    list.first_row = sum_before(parts * list.rows);
    return list;
}

// A block's part of a row tile.
struct span_work {
    struct shared_span span;
    int begin, end;  // keys
    int first, rows; // the row tile's first row; all rows of the span
    int tiles;       // of keys
    size_t part;     // where row 0 of the span's part lies
};

// The work at tile `from` of the list, up to tile `to`. Called by whole warps.
static __device__ inline span_work find_work(const span_list &list, const struct span_grid &grid,
                                             const batch &batch, int from, int to) {
    const int owner = __ffs(__ballot_sync(0xffffffffu, list.end_tile > from)) - 1;
    const int key_tiles = __shfl_sync(0xffffffffu, list.key_tiles, owner);
    const int first_tile = __shfl_sync(0xffffffffu, list.first_tile, owner);
    const int begin = __shfl_sync(0xffffffffu, list.begin, owner);
    const int rows = __shfl_sync(0xffffffffu, list.rows, owner);
    const int first_row = __shfl_sync(0xffffffffu, list.first_row, owner);
    const int row_tile = (from - first_tile) / key_tiles;
    const int start = first_tile + row_tile * key_tiles; // of the row tile
    const int tiles = min(to - from, key_tiles - (from - start));
    const int aligned = begin / grid.keys * grid.keys + (from - start) * grid.keys;
    const int nth = from / list.share - start / list.share;
    return {batch.shared.spans[owner],
            max(begin, aligned),
            aligned + tiles * grid.keys,
            row_tile * grid.rows,
            rows,
            tiles,
            (size_t)first_row + (size_t)nth * rows};
}

template <typename tiles>
static __device__ void load_span_queries(typename tiles::queries &q, row_state &state,
                                         const shared_args &args, const span_work &work,
                                         int group) {
    typedef typename tiles::cache_t cache_t;
    const int lane = threadIdx.x % 32, head_size = args.cache.head_size;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const int row = work.first + threadIdx.x / 32 * 16 + lane / 4 + 8 * half;
        const bool valid = row < work.rows;
        const int member = min(row, work.rows - 1) / group;
        const int sequence = args.batch.shared.order[work.span.first + member];
        const size_t head = (size_t)args.batch.cu_seqlens_q[sequence] * args.attention.num_heads +
                            blockIdx.x * group + row % group;
        const __half *from = args.q + (valid ? head * head_size : 0);
        state.limit[half] = args.batch.seq_lens_kv[sequence];
#pragma unroll
        for (int k = 0; k < tiles::size / 16; k++)
#pragma unroll
            for (int side = 0; side < 2; side++) {
                const int at = 16 * k + 8 * side + 2 * (lane % 4);
                q.set(k, half + 2 * side,
                      valid && at < head_size ? query_pair(from + at, cache_t()) : 0);
            }
    }
}

template <int SIZE>
static __device__ void store_part(const shared_args &args, const span_work &work,
                                  const float (&values)[SIZE / 8][4], const row_state &state,
                                  float scale) {
    const int lane = threadIdx.x % 32, head_size = args.cache.head_size;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const float sum = row_sum(state, half);
        const int row = work.first + threadIdx.x / 32 * 16 + lane / 4 + 8 * half;
        if (row >= work.rows) continue;
        const size_t at = (work.part + row) * gridDim.x + blockIdx.x;
        float *to = args.sums.values + at * head_size + 2 * (lane % 4);
        if (lane % 4 == 0) args.sums.extremes[at] = make_float2(state.highest[half] * scale, sum);
#pragma unroll
        for (int n = 0; n < SIZE / 8; n++)
            if (8 * n < head_size)
                *(float2 *)(to + 8 * n) = make_float2(values[n][2 * half], values[n][2 * half + 1]);
    }
}

// Attends a block's rows to its keys; with FROM > 0 only threads before it have rows.
template <typename tiles, int FROM>
static __device__ void attend_span(const shared_args &args, const span_work &work,
                                   key_rows<tiles, tiles::span_stages> &keys, unsigned stages,
                                   bool is_first) {
    enum { STAGES = tiles::span_stages };
    const int group = args.attention.num_heads / args.cache.num_kv_heads;
    const int sequence = args.batch.shared.order[work.span.first];
    const key_range range = {args.batch.block_table +
                                 (size_t)sequence * args.batch.max_blocks_per_seq,
                             work.begin, work.end};
    __syncthreads(); // orders the previous work's reads before its memory is written again
    start_keys<tiles, STAGES, FROM>(keys, args.attention, args.cache, range, stages);
    if (is_first) {
        grid_wait(); // keys in spans are older than the step, queries are not
        grid_launch_dependents();
    }
    typename tiles::queries q(stages + STAGES * tiles::stage);
    row_state state = {{-INFINITY, -INFINITY}, {}, {}};
    load_span_queries<tiles>(q, state, args, work, group);
    const int warp = threadIdx.x / tiles::together * tiles::together / 32;
    float values[tiles::size / 8][4] = {};
    attend_keys<tiles, STAGES, FROM>(values, state, q, keys, args.attention, args.cache, range,
                                     stages, work.first + 16 * warp >= work.rows);
    store_part<tiles::size>(args, work, values, state, scoring_of(args.attention).scale);
}

template <typename tiles>
static __global__ __launch_bounds__(tiles::threads,
                                    tiles::blocks) void spans_kernel(const shared_args args) {
    extern __shared__ __align__(16) char memory[]; // as in rows_kernel
    __shared__ key_rows<tiles, tiles::span_stages> keys;
    const int group = args.attention.num_heads / args.cache.num_kv_heads;
    const unsigned stages = aligned_stages<tiles>(memory);
    const span_list list = list_spans(args.grid, args.batch, group, args.attention.window);
    const int begin = blockIdx.y * list.share, end = min(list.all_tiles, begin + list.share);
    if (begin >= end) grid_wait(); // the next kernel waits for this one only
    for (int from = begin; from < end;) {
        const span_work work = find_work(list, args.grid, args.batch, from, end);
        if (tiles::copiers > 0 && work.rows <= tiles::copiers / 2)
            attend_span<tiles, tiles::copiers>(args, work, keys, stages, from == begin);
        else
            attend_span<tiles, 0>(args, work, keys, stages, from == begin);
        from += work.tiles;
    }
}

// On a deterministic device: the index-th row tile of all spans of one depth, with all its keys.
static __device__ inline span_work find_span(const struct span_grid &grid, const batch &batch,
                                             int group, int window, int depth, int index) {
    const struct shared_span span = batch.shared.spans[threadIdx.x % 32];
    const int rows = span.count * group;
    const int tiles = span.depth == depth ? (rows + grid.rows - 1) / grid.rows : 0;
    const int before = sum_before(tiles);
    const unsigned reached = __ballot_sync(0xffffffffu, before + tiles > index);
    if (!reached) return {};
    const int owner = __ffs(reached) - 1;
    const struct shared_span mine = batch.shared.spans[owner];
    const int begin = max(mine.begin, window > 0 ? mine.shortest - window : 0);
    const int row_tile = index - __shfl_sync(0xffffffffu, before, owner);
    return {mine, begin, mine.end, row_tile * grid.rows, mine.count * group, 0, 0};
}

// On a deterministic device, spans of depth 0, 1, ...: each row continues where the span before
// left it, and rows_kernel where the last one did, so that its sums are those of a row whose
// sequence is alone.
template <typename tiles>
static __global__ __launch_bounds__(tiles::threads,
                                    tiles::blocks) void ordered_spans_kernel(const shared_args args,
                                                                             int depth) {
    const int SIZE = tiles::size;
    extern __shared__ __align__(16) char memory[]; // as in rows_kernel
    __shared__ key_rows<tiles, tiles::span_stages> keys;
    const batch &batch = args.batch;
    const int heads = args.attention.num_heads, group = heads / args.cache.num_kv_heads;
    const unsigned stages = aligned_stages<tiles>(memory);
    const span_work work =
        find_span(args.grid, batch, group, args.attention.window, depth, blockIdx.y);
    grid_wait();
    grid_launch_dependents();
    if (work.rows == 0) return;
    const int32_t *order = batch.shared.order + work.span.first;
    const key_range range = {batch.block_table + (size_t)order[0] * batch.max_blocks_per_seq,
                             work.begin, work.end};
    start_keys<tiles, tiles::span_stages>(keys, args.attention, args.cache, range, stages);
    typename tiles::queries q(stages + tiles::span_stages * tiles::stage);
    row_state state = {{-INFINITY, -INFINITY}, {}, {}};
    float values[SIZE / 8][4] = {};
    load_span_queries<tiles>(q, state, args, work, group);
    int rows[2];
    for (int half = 0; half < 2; half++) {
        const int row = work.first + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + 8 * half;
        rows[half] = row < work.rows
                         ? order[row / group] * heads + (int)blockIdx.x * group + row % group
                         : -1;
    }
    if (depth > 0) load_rows<SIZE>(values, state, args.sums, rows, args.cache.head_size);
    const int warp = threadIdx.x / tiles::together * tiles::together / 32;
    attend_keys<tiles, tiles::span_stages>(values, state, q, keys, args.attention, args.cache,
                                           range, stages, work.first + 16 * warp >= work.rows);
    copy_wait<0>();
    keep_rows<SIZE>(values, state, args.sums, rows, args.cache.head_size);
}

// Merges the rows of a sequence under a KV head: its own keys, then its spans.
static __global__ void merge_spans_kernel(const shared_args args) {
    __shared__ span_list path[SHARED_DEPTH_MAX];
    __shared__ int member[SHARED_DEPTH_MAX], length;
    const batch &batch = args.batch;
    const int sequence = batch.shared.order[blockIdx.y], kv_head = blockIdx.x;
    const int group = args.attention.num_heads / args.cache.num_kv_heads;
    const int size = args.cache.head_size;
    const bool shares = batch.shared.own[sequence] > 0;
    if (shares && threadIdx.x < 32) {
        const span_list list = list_spans(args.grid, batch, group, args.attention.window);
        const int nth = (int)blockIdx.y - batch.shared.spans[threadIdx.x].first;
        const bool mine = list.key_tiles > 0 && nth >= 0 && nth * group < list.rows;
        const unsigned all = __ballot_sync(0xffffffffu, mine);
        const int at = __popc(all & ((1u << threadIdx.x) - 1));
        if (mine) path[at] = list;
        if (mine) member[at] = nth;
        if (threadIdx.x == 0) length = __popc(all);
    }
    __syncthreads(); // orders the path before its reads
    grid_wait();
    grid_launch_dependents();
    if (!shares) return;
    for (int i = threadIdx.x; i < group * (size / 4); i += blockDim.x) {
        const int head = i / (size / 4), at = i % (size / 4) * 4, q_head = kv_head * group + head;
        const size_t own = (size_t)sequence * args.attention.num_heads + q_head;
        merged merged = {{}, -INFINITY, 0};
        add_parts(merged, args.sums.own_values + own * size + at, 0, args.sums.own_extremes + own,
                  0, 1);
        for (int s = 0; s < length; s++) {
            const span_list &list = path[s];
            const int row = member[s] * group + head;
            const int start = list.first_tile + row / args.grid.rows * list.key_tiles;
            const int parts = (start + list.key_tiles - 1) / list.share - start / list.share + 1;
            const size_t stride = (size_t)list.rows * gridDim.x;
            const size_t first = ((size_t)list.first_row + row) * gridDim.x + kv_head;
            for (int part = 0; part < parts; part += MERGED)
                add_parts(merged, args.sums.values + (first + part * stride) * size + at,
                          stride * size, args.sums.extremes + first + part * stride, stride,
                          parts - part);
        }
        const size_t token = batch.cu_seqlens_q[sequence];
        store_result(args.attention, merged, token * args.attention.num_heads + q_head, size, at);
    }
}

template <typename tiles>
static void launch_spans(struct device *device, const struct paged_attention *args, const void *q) {
    enum { MERGE_THREADS = 128, ROWS = tiles::threads / 2 };
    static_assert(tiles::columns == tiles::size, "a block computes whole rows of parts");
    static_assert((int)FLASH_SHARED_KEYS % tiles::keys == 0, "spans are whole key tiles");
    static_assert((int)ROWS * tiles::blocks <= (int)FLASH_SPAN_ROWS, "as is reserved");
    const int kv_heads = args->cache->num_kv_heads, seqs = args->batch->num_seqs;
    const struct cudaDeviceProp *card = &device->properties;
    const int bytes = tiles::span_stages * tiles::stage + tiles::alignment;
    const int resident = card->multiProcessorCount * tiles_resident<tiles>(card, bytes);
    const int blocks = max(1, resident / kv_heads);
    const struct shared_args all = {*args,          *args->cache,      *args->batch,
                                    device->shared, (const __half *)q, {ROWS, tiles::keys, blocks}};
    const auto kernel = spans_kernel<tiles>;
    const auto ordered = ordered_spans_kernel<tiles>;
    ASSERT(seqs <= device->limits.max_seqs);
    device_allow_shared(
        device, device->deterministic ? (const void *)ordered : (const void *)kernel, bytes);
    if (device->deterministic) {
        const int most = seqs * (args->num_heads / kv_heads) / ROWS + min(seqs, SHARED_SPANS_MAX);
        for (int depth = 0; depth < args->batch->shared.depth; depth++)
            launch_after(device, ordered, dim3(kv_heads, most), tiles::threads, bytes, all, depth);
        return;
    }
    launch_after(device, kernel, dim3(kv_heads, blocks), tiles::threads, bytes, all);
    launch_after(device, merge_spans_kernel, dim3(kv_heads, seqs), MERGE_THREADS, 0, all);
}
