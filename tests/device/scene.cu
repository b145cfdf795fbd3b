#include "tests/device/scene.cuh"

#include <math.h>

#include <algorithm>
#include <numeric>

enum { THREADS = 128, LAYERS = 2, LAYER = 1, SPARE_BLOCKS = 3, BLOCKS_MOST = 4096 };
enum { POISON = 0xff }; // 0xff..: NaN

static __device__ uint64_t mix(uint64_t x) { // SplitMix64 (Steele, Lea, Flood 2014)
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static __device__ float uniform(uint64_t x) { // -1 ... 1
    return (float)(mix(x) >> 40) * (2.0f / (1 << 24)) - 1;
}

void *copy_to_card(const void *host, size_t bytes) {
    void *memory;
    CUDA(cudaMalloc(&memory, bytes ? bytes : 1));
    CUDA(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice));
    CUDA(cudaDeviceSynchronize()); // the device's stream does not wait for the one that copies
    return memory;
}

static __device__ int planes_of(const kv_cache &cache) { return cache.latent ? 1 : 2; }

// Where element 0 of K of a key lies; V lies a plane further, or is K. Index by index as in
// backend.h.
static __device__ size_t row_of(const kv_cache &cache, int32_t block, int offset, int kv_head) {
    size_t row = (size_t)block * cache.num_layers + LAYER;
    row = row * planes_of(cache) * cache.num_kv_heads + kv_head;
    return (row * cache.block_size + offset) * cache.head_size;
}

static __device__ size_t plane_of(const kv_cache &cache) {
    return (size_t)cache.num_kv_heads * cache.block_size * cache.head_size;
}

static __device__ size_t value_of(const kv_cache &cache, size_t key) {
    return cache.latent ? key : key + plane_of(cache);
}

static __device__ bool is_scaled(const kv_cache &cache) {
    return cache.type == DTYPE_FP8 || cache.type == DTYPE_INT8;
}

// Of element `at` of a cache of eight bits its byte, or its head's scale: an extent has one of two
// bytes for each row.
static __device__ char *scaled_at(const kv_cache &cache, size_t at, bool scale) {
    const size_t size = cache.head_size;
    const size_t rows = plane_of(cache) / size * planes_of(cache) * cache.num_layers;
    const size_t block = at / (rows * size), within = at % (rows * size);
    char *extent = (char *)cache.data + block * rows * (size + 2);
    return extent + (scale ? rows * size + within / size * 2 : within);
}

static __device__ double scaled_element(const kv_cache &cache, size_t at) {
    const double scale = __bfloat162float(*(const __nv_bfloat16 *)scaled_at(cache, at, true));
    const char *bits = scaled_at(cache, at, false);
    return scale * (double)(cache.type == DTYPE_FP8 ? to_float(*(const kv_fp8 *)bits)
                                                    : to_float(*(const kv_int8 *)bits));
}

// Scales differ from row to row, by up to three.
static __device__ void put_scaled(const kv_cache &cache, size_t at, float value) {
    const bool is_fp8 = cache.type == DTYPE_FP8;
    const float largest = is_fp8 ? 448 : 127, scale = (2 + uniform(at)) / largest;
    *(uint8_t *)scaled_at(cache, at, false) =
        is_fp8 ? __nv_cvt_float_to_fp8(value * largest, __NV_SATFINITE, __NV_E4M3)
               : (uint8_t)(int8_t)(value * largest);
    if (at % cache.head_size == 0)
        *(__nv_bfloat16 *)scaled_at(cache, at, true) = __float2bfloat16_rn(scale);
}

static __device__ double element(const kv_cache &cache, size_t at) {
    if (is_scaled(cache)) return scaled_element(cache, at);
    return cache.type == DTYPE_F16    ? (double)__half2float(((const __half *)cache.data)[at])
           : cache.type == DTYPE_BF16 ? (double)__bfloat162float(((__nv_bfloat16 *)cache.data)[at])
                                      : (double)((const float *)cache.data)[at];
}

static __device__ void put(const kv_cache &cache, size_t at, float value) {
    if (is_scaled(cache))
        put_scaled(cache, at, value);
    else if (cache.type == DTYPE_F16)
        ((__half *)cache.data)[at] = __float2half_rn(value);
    else if (cache.type == DTYPE_BF16)
        ((__nv_bfloat16 *)cache.data)[at] = __float2bfloat16_rn(value);
    else
        ((float *)cache.data)[at] = value;
}

// A thread block a (key, sequence).
static __global__ void fill_kernel(paged_attention args, kv_cache cache, batch batch,
                                   uint64_t seed) {
    const int key = blockIdx.x, s = blockIdx.y, keys = batch.seq_lens_kv[s];
    const int first_position = keys - (batch.cu_seqlens_q[s + 1] - batch.cu_seqlens_q[s]);
    if (key >= keys || (args.window > 0 && key < first_position - args.window + 1)) return;
    const int32_t block =
        batch.block_table[(size_t)s * batch.max_blocks_per_seq + key / cache.block_size];
    for (int i = threadIdx.x; i < cache.num_kv_heads * cache.head_size; i += THREADS) {
        const size_t at =
            row_of(cache, block, key % cache.block_size, i / cache.head_size) + i % cache.head_size;
        put(cache, at, uniform(seed + 2 * at));
        if (!cache.latent) put(cache, value_of(cache, at), uniform(seed + 2 * at + 1));
    }
}

// Values that any cache's type has, so that rounding a query to it changes nothing.
static __global__ void query_kernel(__half *q, size_t count, uint64_t seed) {
    for (size_t i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS)
        q[i] = __float2half_rn(__bfloat162float(__float2bfloat16_rn(4 * uniform(seed + i))));
}

static __device__ double score_of(const paged_attention &args, const kv_cache &cache, int token,
                                  int head, size_t row) {
    const __half *q =
        (const __half *)args.q + ((size_t)token * args.num_heads + head) * cache.head_size;
    double sum = 0;
    for (int d = 0; d < cache.head_size; d++)
        sum += (double)__half2float(q[d]) * element(cache, row + d);
    sum *= (double)args.scale;
    return args.softcap > 0 ? args.softcap * tanh(sum / args.softcap) : sum;
}

// By a thread block: scores, then a thread an element of the row. `weights`: space for those of
// all keys.
static __device__ void attend_row(const paged_attention &args, const kv_cache &cache,
                                  const batch &batch, int token, int head, double *weights,
                                  double *out) {
    int s = 0;
    while (batch.cu_seqlens_q[s + 1] <= token)
        s++;
    const int position = batch.seq_lens_kv[s] - batch.cu_seqlens_q[s + 1] + token;
    const int first = args.window > 0 ? max(0, position - args.window + 1) : 0;
    const int32_t *table = batch.block_table + (size_t)s * batch.max_blocks_per_seq;
    const int kv_head = head / (args.num_heads / cache.num_kv_heads), size = cache.block_size;
    for (int key = first + threadIdx.x; key <= position; key += THREADS)
        weights[key] = score_of(args, cache, token, head,
                                row_of(cache, table[key / size], key % size, kv_head));
    __syncthreads(); // all scores are written
    double highest = args.sinks ? (double)args.sinks[head] : -INFINITY;
    for (int key = first; key <= position; key++)
        highest = fmax(highest, weights[key]);
    __syncthreads(); // all threads have found the highest
    for (int key = first + threadIdx.x; key <= position; key += THREADS)
        weights[key] = exp(weights[key] - highest);
    __syncthreads(); // all weights are written
    for (int d = threadIdx.x; d < cache.head_size; d += THREADS) {
        double sum = args.sinks ? exp((double)args.sinks[head] - highest) : 0, value = 0;
        for (int key = first; key <= position; key++) {
            const size_t row = row_of(cache, table[key / size], key % size, kv_head);
            sum += weights[key];
            value += weights[key] * element(cache, value_of(cache, row) + d);
        }
        out[d] = value / sum;
    }
    __syncthreads(); // all weights were read
}

// space: [thread blocks, longest]
static __global__ void attend_kernel(paged_attention args, kv_cache cache, batch batch,
                                     double *space, int longest, double *out) {
    for (int row = blockIdx.x; row < batch.num_tokens * args.num_heads; row += gridDim.x)
        attend_row(args, cache, batch, row / args.num_heads, row % args.num_heads,
                   space + (size_t)blockIdx.x * longest, out + (size_t)row * cache.head_size);
}

// Block tables that scatter each sequence over the blocks.
static std::vector<int32_t> draw_table(struct scene *scene, const struct scene_shape *shape,
                                       uint64_t *state) {
    const int size = shape->block_size;
    if (const struct tree *tree = shape->tree) {
        const size_t width = (size_t)tree->batch.max_blocks_per_seq;
        scene->cache.num_blocks = (uint32_t)tree->num_blocks;
        scene->batch.max_blocks_per_seq = (int32_t)width;
        return std::vector<int32_t>(tree->table, tree->table + shape->keys.size() * width);
    }
    uint32_t blocks = SPARE_BLOCKS;
    for (int32_t keys : shape->keys)
        blocks += (uint32_t)((keys + size - 1) / size);
    std::vector<int32_t> order(blocks);
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i > 1; i--)
        std::swap(order[i - 1], order[random_next(state) % i]);
    scene->cache.num_blocks = blocks;
    const int longest = *std::max_element(shape->keys.begin(), shape->keys.end());
    scene->batch.max_blocks_per_seq = (longest + size - 1) / size + 1;
    std::vector<int32_t> table(shape->keys.size() * (size_t)scene->batch.max_blocks_per_seq, 0);
    size_t next = 0;
    for (size_t s = 0; s < shape->keys.size(); s++)
        for (int b = 0; b < (shape->keys[s] + size - 1) / size; b++)
            table[s * (size_t)scene->batch.max_blocks_per_seq + b] = order[next++];
    return table;
}

static const float *draw_sinks(int heads, uint64_t *state) {
    std::vector<float> sinks((size_t)heads);
    for (float &sink : sinks)
        sink = (float)(random_next(state) >> 40) * (8.0f / (1 << 24)) - 3;
    return (const float *)copy_to_card(sinks.data(), sinks.size() * sizeof sinks[0]);
}

static struct shared_past copy_shared(const struct tree *tree, size_t seqs) {
    return {(const int32_t *)copy_to_card(tree->order, seqs * 4),
            (const int32_t *)copy_to_card(tree->common, seqs * 4),
            (const int32_t *)copy_to_card(tree->own, seqs * 4),
            (const struct shared_span *)copy_to_card(tree->spans, sizeof tree->spans), tree->depth};
}

static void set_batch(struct scene *scene, const struct scene_shape *shape, uint64_t *state) {
    const std::vector<int32_t> table = draw_table(scene, shape, state);
    scene->starts.assign(1, 0);
    for (int32_t queries : shape->queries)
        scene->starts.push_back(scene->starts.back() + queries);
    scene->batch.num_seqs = (int32_t)shape->queries.size();
    scene->batch.num_tokens = scene->starts.back();
    scene->batch.cu_seqlens_q =
        (const int32_t *)copy_to_card(scene->starts.data(), scene->starts.size() * 4);
    scene->batch.seq_lens_kv =
        (const int32_t *)copy_to_card(shape->keys.data(), shape->keys.size() * 4);
    scene->batch.block_table = (const int32_t *)copy_to_card(table.data(), table.size() * 4);
    if (shape->tree && shape->tree->depth > 0)
        scene->batch.shared = copy_shared(shape->tree, shape->keys.size());
}

void scene_set_few(struct scene_shape *shape, int longest, uint64_t *state) {
    int left = FLASH_FEW - 1;
    shape->queries.clear();
    shape->keys.clear();
    for (int s = (int)(random_next(state) % 4); s >= 0; s--) {
        const int drafts = s == 0 ? left : (int)(random_next(state) % (left + 1));
        const int past =
            random_next(state) % 4 ? (int)(random_next(state) % (longest - drafts)) : 0;
        shape->queries.push_back(1 + drafts);
        shape->keys.push_back(past + 1 + drafts);
        left = s == 0 ? 0 : left - drafts;
    }
    const int fewer = (int)(random_next(state) % FLASH_FEW); // of the last sequence's
    if (shape->queries.back() > fewer) shape->queries.back() -= fewer;
}

void scene_fill(struct scene *scene, const struct scene_shape *shape, uint64_t seed) {
    *scene = {};
    scene->cache.type = shape->type;
    scene->cache.num_layers = LAYERS;
    scene->cache.num_kv_heads = shape->num_kv_heads;
    scene->cache.head_size = shape->head_size;
    scene->cache.block_size = shape->block_size;
    scene->cache.latent = shape->latent;
    set_batch(scene, shape, &seed);
    const size_t cache_bytes = scene->cache.num_blocks * kv_block_bytes(&scene->cache);
    const size_t rows = (size_t)scene->batch.num_tokens * shape->num_heads;
    scene->out_bytes = rows * shape->head_size * sizeof(__half);
    struct paged_attention *args = &scene->args;
    CUDA(cudaMalloc(&scene->cache.data, cache_bytes));
    CUDA(cudaMemset(scene->cache.data, POISON, cache_bytes));
    CUDA(cudaMalloc(&args->out, scene->out_bytes + GUARD_BYTES));
    CUDA(cudaMalloc((void **)&args->q, scene->out_bytes));
    args->num_heads = shape->num_heads;
    args->layer = LAYER;
    args->scale = 1 / sqrtf((float)shape->head_size);
    args->softcap = shape->softcap;
    args->window = shape->window;
    if (shape->has_sinks) args->sinks = draw_sinks(shape->num_heads, &seed);
    args->cache = &scene->cache;
    args->batch = &scene->batch;
    const int longest = *std::max_element(shape->keys.begin(), shape->keys.end());
    fill_kernel<<<dim3(longest, scene->batch.num_seqs), THREADS>>>(*args, scene->cache,
                                                                   scene->batch, seed);
    query_kernel<<<64, THREADS>>>((__half *)args->q, scene->out_bytes / sizeof(__half), seed);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
}

void scene_release(struct scene *scene) {
    const void *all[] = {
        scene->cache.data,        scene->args.out,           scene->args.q,
        scene->args.sinks,        scene->batch.cu_seqlens_q, scene->batch.seq_lens_kv,
        scene->batch.block_table, scene->batch.shared.order, scene->batch.shared.common,
        scene->batch.shared.own,  scene->batch.shared.spans};
    for (const void *memory : all)
        CUDA(cudaFree((void *)memory));
}

void scene_poison(const struct scene *scene) {
    CUDA(cudaMemset(scene->args.out, POISON, scene->out_bytes + GUARD_BYTES));
    CUDA(cudaDeviceSynchronize()); // the device's stream does not wait for the one that poisons
}

bool scene_guard_holds(const struct scene *scene) {
    unsigned char guard[GUARD_BYTES];
    CUDA(cudaMemcpy(guard, (const char *)scene->args.out + scene->out_bytes, sizeof guard,
                    cudaMemcpyDeviceToHost));
    return std::all_of(guard, guard + GUARD_BYTES, [](unsigned char c) { return c == POISON; });
}

std::vector<double> scene_attend(const struct scene *scene) {
    std::vector<double> expected(scene->out_bytes / sizeof(__half));
    std::vector<int32_t> keys((size_t)scene->batch.num_seqs);
    CUDA(
        cudaMemcpy(keys.data(), scene->batch.seq_lens_kv, keys.size() * 4, cudaMemcpyDeviceToHost));
    const size_t longest = (size_t)*std::max_element(keys.begin(), keys.end());
    const int blocks = std::min<int>(scene->batch.num_tokens * scene->args.num_heads, BLOCKS_MOST);
    double *out, *space;
    CUDA(cudaMalloc(&out, expected.size() * sizeof *out));
    CUDA(cudaMalloc(&space, (size_t)blocks * longest * sizeof *space));
    attend_kernel<<<blocks, THREADS>>>(scene->args, scene->cache, scene->batch, space, (int)longest,
                                       out);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(expected.data(), out, expected.size() * sizeof *out, cudaMemcpyDeviceToHost));
    CUDA(cudaFree(out));
    CUDA(cudaFree(space));
    return expected;
}

std::vector<uint16_t> scene_output(const struct scene *scene) {
    std::vector<uint16_t> out(scene->out_bytes / sizeof(uint16_t));
    CUDA(cudaMemcpy(out.data(), scene->args.out, scene->out_bytes, cudaMemcpyDeviceToHost));
    return out;
}

double scene_error(const struct scene *scene, const std::vector<double> &expected) {
    const std::vector<uint16_t> out = scene_output(scene);
    const size_t size = (size_t)scene->cache.head_size;
    double worst = 0;
    for (size_t row = 0; row < expected.size(); row += size) {
        double wrong = 0, square = 0;
        for (size_t i = row; i < row + size; i++) {
            const double off = fabs((double)half_to_float(out[i]) - expected[i]);
            const double beyond = off < 0x1p-25 ? 0 : off - 0x1p-25; // subnormal numbers round so
            wrong += beyond * beyond;
            square += expected[i] * expected[i];
        }
        const double error = sqrt(wrong / square);
        if (!(error < 1)) return 1; // NaN is not below 1
        worst = std::max(worst, error);
    }
    return worst;
}
