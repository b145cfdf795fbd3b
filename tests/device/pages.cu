#include "tests/device/pages.cuh"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <numeric>

enum { THREADS = 256, POISON = 0xff }; // 0xff.. is NaN in every type here

void cuda_check(cudaError_t result, const char *call, int line) {
    if (result == cudaSuccess) return;
    fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(result));
    exit(2);
}

// SplitMix64 (Steele, Lea, Flood 2014).
static __host__ __device__ uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t random_next(uint64_t *state) { return *state = mix(*state); }

static __host__ __device__ float uniform(uint64_t x) { // -1 ... 1
    return (float)(mix(x) >> 40) * (2.0f / (1 << 24)) - 1;
}

// One element of a page, read and written by its type.
static __host__ __device__ void element_store(void *at, enum dtype type, enum cache_format format,
                                              float value) {
    if (format == CACHE_FP8_E4M3)
        *(__nv_fp8_storage_t *)at = __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3);
    else if (type == DTYPE_F32)
        *(float *)at = value;
    else if (type == DTYPE_F16)
        *(__half *)at = __float2half_rn(value);
    else
        *(__nv_bfloat16 *)at = __float2bfloat16_rn(value);
}

static __host__ __device__ double element_load(const void *at, enum dtype type,
                                               enum cache_format format) {
    if (format == CACHE_FP8_E4M3)
        return (double)__half2float(
            __half(__nv_cvt_fp8_to_halfraw(*(const __nv_fp8_storage_t *)at, __NV_E4M3)));
    if (type == DTYPE_F32) return (double)*(const float *)at;
    if (type == DTYPE_F16) return (double)__half2float(*(const __half *)at);
    return (double)__bfloat162float(*(const __nv_bfloat16 *)at);
}

static __host__ __device__ size_t type_bytes(enum dtype type) { return type == DTYPE_F32 ? 4 : 2; }

// Bytes from a cache's start to element d of K, or V, of `key` of a sequence.
static __host__ __device__ size_t element_at(const struct packed_attention &args, int32_t block,
                                             int offset, int kv_head, int d, bool value) {
    const size_t bytes = args.format == CACHE_FP8_E4M3 ? 1 : type_bytes(args.type);
    const int x = 16 / (int)bytes;
    const size_t k =
        (((size_t)kv_head * (args.head_size / x) + d / x) * args.block_size + offset) * x + d % x;
    const size_t v = ((size_t)kv_head * args.head_size + d) * args.block_size + offset;
    return (size_t)block * args.block_bytes + (value ? v : k) * bytes;
}

static __global__ void fill_kernel(struct packed_attention args, uint64_t seed) {
    const int seq = blockIdx.y, first = blockIdx.x * args.block_size, len = args.seq_lens_kv[seq];
    if (first >= len) return;
    const int32_t block = args.block_table[(size_t)seq * args.max_blocks_per_seq + blockIdx.x];
    const int elements = args.num_kv_heads * args.head_size * args.block_size;
    const float size = args.format == CACHE_SAME ? 1 : 200; // e4m3 reaches to 448
    for (int i = threadIdx.x; i < elements; i += THREADS) {
        const int offset = i % args.block_size, d = i / args.block_size % args.head_size;
        const int head = i / args.block_size / args.head_size;
        if (first + offset >= len) continue;
        const uint64_t at = seed + 2 * ((uint64_t)block * elements + i);
        element_store((char *)args.k_cache + element_at(args, block, offset, head, d, false),
                      args.type, args.format, size * uniform(at));
        element_store((char *)args.v_cache + element_at(args, block, offset, head, d, true),
                      args.type, args.format, size * uniform(at + 1));
    }
}

static __global__ void query_kernel(struct packed_attention args, uint64_t seed) {
    const size_t count = (size_t)args.num_seqs * args.num_heads * args.head_size;
    for (size_t i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS)
        element_store((char *)args.q + i * type_bytes(args.type), args.type, CACHE_SAME,
                      4 * uniform(seed + i));
}

static __host__ __device__ double logit_of(const struct packed_attention &args, int seq, int head,
                                           int key, int len, const int32_t *table,
                                           const float *slopes) {
    const int kv_head = head / (args.num_heads / args.num_kv_heads);
    const int32_t block = table[(size_t)seq * args.max_blocks_per_seq + key / args.block_size];
    const char *q = (const char *)args.q +
                    ((size_t)seq * args.num_heads + head) * args.head_size * type_bytes(args.type);
    double sum = 0;
    for (int d = 0; d < args.head_size; d++)
        sum += element_load(q + d * type_bytes(args.type), args.type, CACHE_SAME) *
               element_load((const char *)args.k_cache +
                                element_at(args, block, key % args.block_size, kv_head, d, false),
                            args.type, args.format);
    const double bias = slopes ? (double)slopes[head] * (key - len + 1) : 0;
    return sum * (double)args.k_scale * (double)args.scale + bias;
}

static __host__ __device__ double value_of(const struct packed_attention &args, int seq, int head,
                                           int key, int d, const int32_t *table) {
    const int kv_head = head / (args.num_heads / args.num_kv_heads);
    const int32_t block = table[(size_t)seq * args.max_blocks_per_seq + key / args.block_size];
    return (double)args.v_scale *
           element_load((const char *)args.v_cache +
                            element_at(args, block, key % args.block_size, kv_head, d, true),
                        args.type, args.format);
}

// A thread block a (head, sequence): logits, then a thread an element of the row.
static __global__ void attend_kernel(struct packed_attention args, double *out, double *logits) {
    const int head = blockIdx.x, seq = blockIdx.y, len = args.seq_lens_kv[seq];
    const size_t row = (size_t)seq * args.num_heads + head;
    logits += row * args.max_seq_len;
    for (int key = threadIdx.x; key < len; key += THREADS)
        logits[key] = logit_of(args, seq, head, key, len, args.block_table, args.alibi_slopes);
    __syncthreads(); // logits are written before all threads read them
    __shared__ double highest;
    if (threadIdx.x == 0) {
        highest = logits[0];
        for (int key = 1; key < len; key++)
            highest = fmax(highest, logits[key]);
    }
    __syncthreads(); // as is the maximum
    for (int key = threadIdx.x; key < len; key += THREADS)
        logits[key] = exp(logits[key] - highest);
    __syncthreads(); // as are the weights
    for (int d = threadIdx.x; d < args.head_size; d += THREADS) {
        double sum = 0, value = 0;
        for (int key = 0; key < len; key++) {
            sum += logits[key];
            value += logits[key] * value_of(args, seq, head, key, d, args.block_table);
        }
        out[row * args.head_size + d] = value / sum;
    }
}

static void grow(void **memory, size_t *have, size_t want) {
    if (*have >= want) return;
    CUDA(cudaFree(*memory));
    CUDA(cudaMalloc(memory, want));
    *have = want;
}

static void *upload(const void *host, size_t bytes) {
    void *memory;
    CUDA(cudaMalloc(&memory, bytes));
    CUDA(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice));
    return memory;
}

// Lengths, and block tables that scatter each sequence over the blocks.
static void draw_tables(struct pages *pages, const struct page_limits *limits, uint64_t *state) {
    struct packed_attention *args = &pages->args;
    const int size = args->block_size;
    args->max_seq_len = limits->longest;
    args->max_blocks_per_seq = (limits->longest + size - 1) / size + 1;
    pages->lens.assign((size_t)args->num_seqs, limits->longest);
    for (int s = 1; s < args->num_seqs && !limits->all_longest; s++)
        pages->lens[s] = s == 1 ? 1 : 1 + (int)(random_next(state) % (uint64_t)limits->longest);
    pages->num_blocks = 3; // that nobody owns
    for (int32_t len : pages->lens)
        pages->num_blocks += (uint32_t)((len + size - 1) / size);
    std::vector<int32_t> order(pages->num_blocks);
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i > 1; i--)
        std::swap(order[i - 1], order[random_next(state) % i]);
    pages->table.assign((size_t)args->num_seqs * args->max_blocks_per_seq, 0);
    size_t next = 0;
    for (int s = 0; s < args->num_seqs; s++)
        for (int b = 0; b < (pages->lens[s] + size - 1) / size; b++)
            pages->table[(size_t)s * args->max_blocks_per_seq + b] = order[next++];
}

static void release_inputs(struct packed_attention *args) {
    const void *inputs[] = {args->out, args->q, args->block_table, args->seq_lens_kv,
                            args->alibi_slopes};
    for (const void *input : inputs)
        CUDA(cudaFree((void *)input));
}

void pages_fill(struct pages *pages, const struct page_limits *limits) {
    struct packed_attention *args = &pages->args;
    uint64_t state = limits->seed;
    const bool alibi = args->alibi_slopes != nullptr;
    args->alibi_slopes = nullptr;
    draw_tables(pages, limits, &state);
    const size_t plane = (size_t)args->num_kv_heads * args->block_size * args->head_size *
                         packed_element_bytes(args);
    args->block_bytes = 2 * plane * limits->layers;
    grow(&pages->memory, &pages->memory_bytes, pages->num_blocks * args->block_bytes);
    CUDA(cudaMemset(pages->memory, POISON, pages->num_blocks * args->block_bytes));
    args->k_cache = (char *)pages->memory + 2 * plane * (limits->layers / 2);
    args->v_cache = (const char *)args->k_cache + plane;
    const size_t rows = (size_t)args->num_seqs * args->num_heads;
    pages->out_bytes = rows * args->head_size * type_bytes(args->type);
    CUDA(cudaMalloc(&args->out, pages->out_bytes + GUARD_BYTES));
    CUDA(cudaMalloc((void **)&args->q, pages->out_bytes));
    args->block_table = (const int32_t *)upload(pages->table.data(), pages->table.size() * 4);
    args->seq_lens_kv = (const int32_t *)upload(pages->lens.data(), pages->lens.size() * 4);
    if (alibi) {
        std::vector<float> slopes((size_t)args->num_heads);
        for (float &slope : slopes)
            slope = 0.25f * (1 + uniform(random_next(&state)));
        args->alibi_slopes = (const float *)upload(slopes.data(), slopes.size() * 4);
    }
    grow(&pages->scratch, &pages->scratch_bytes,
         paged_attention_v2_scratch_bytes(args) + GUARD_BYTES);
    args->scratch = pages->scratch;
    const dim3 grid(args->max_blocks_per_seq, args->num_seqs);
    fill_kernel<<<grid, THREADS>>>(*args, random_next(&state));
    query_kernel<<<64, THREADS>>>(*args, random_next(&state));
    CUDA(cudaDeviceSynchronize());
}

void pages_poison(struct pages *pages) {
    CUDA(cudaMemset(pages->args.out, POISON, pages->out_bytes + GUARD_BYTES));
    CUDA(cudaMemset(pages->scratch, POISON, pages->scratch_bytes));
}

static bool poisoned(const void *memory, size_t bytes) {
    std::vector<unsigned char> host(bytes);
    CUDA(cudaMemcpy(host.data(), memory, bytes, cudaMemcpyDeviceToHost));
    return std::all_of(host.begin(), host.end(), [](unsigned char c) { return c == POISON; });
}

bool pages_guards_hold(const struct pages *pages) {
    const size_t used = paged_attention_v2_scratch_bytes(&pages->args);
    return poisoned((const char *)pages->args.out + pages->out_bytes, GUARD_BYTES) &&
           poisoned((const char *)pages->scratch + used, GUARD_BYTES);
}

void pages_attend(struct pages *pages, std::vector<double> *out) {
    const struct packed_attention *args = &pages->args;
    const size_t rows = (size_t)args->num_seqs * args->num_heads;
    double *values, *logits;
    CUDA(cudaMalloc(&values, rows * args->head_size * sizeof *values));
    CUDA(cudaMalloc(&logits, rows * args->max_seq_len * sizeof *logits));
    const dim3 grid(args->num_heads, args->num_seqs);
    attend_kernel<<<grid, THREADS>>>(*args, values, logits);
    out->resize(rows * args->head_size);
    CUDA(cudaMemcpy(out->data(), values, out->size() * sizeof *values, cudaMemcpyDeviceToHost));
    CUDA(cudaFree(values));
    CUDA(cudaFree(logits));
}

static const void *download(std::vector<char> *host, const void *memory, size_t bytes) {
    host->resize(bytes);
    CUDA(cudaMemcpy(host->data(), memory, bytes, cudaMemcpyDeviceToHost));
    return host->data();
}

double pages_attend_on_host(const struct pages *pages, int seq, int head, int element) {
    struct packed_attention args = pages->args;
    std::vector<char> memory, queries, slopes_memory;
    download(&memory, pages->memory, pages->num_blocks * args.block_bytes);
    args.q = download(&queries, args.q, pages->out_bytes);
    const size_t layer = (size_t)((const char *)args.k_cache - (const char *)pages->memory);
    const size_t plane = (size_t)((const char *)args.v_cache - (const char *)args.k_cache);
    args.k_cache = memory.data() + layer;
    args.v_cache = memory.data() + layer + plane;
    const float *slopes = nullptr;
    if (args.alibi_slopes)
        slopes = (const float *)download(&slopes_memory, args.alibi_slopes,
                                         (size_t)args.num_heads * sizeof *slopes);
    const int len = pages->lens[seq];
    std::vector<double> logits((size_t)len);
    for (int key = 0; key < len; key++)
        logits[key] = logit_of(args, seq, head, key, len, pages->table.data(), slopes);
    const double highest = *std::max_element(logits.begin(), logits.end());
    double sum = 0, value = 0;
    for (int key = 0; key < len; key++) {
        sum += exp(logits[key] - highest);
        value += exp(logits[key] - highest) *
                 value_of(args, seq, head, key, element, pages->table.data());
    }
    return value / sum;
}

void pages_release(struct pages *pages) {
    release_inputs(&pages->args);
    pages->args.out = nullptr;
}

double pages_error(const struct pages *pages, const std::vector<double> &expected) {
    const struct packed_attention *args = &pages->args;
    std::vector<char> out;
    download(&out, args->out, pages->out_bytes);
    double worst = 0;
    for (size_t row = 0; row < expected.size(); row += args->head_size) {
        double wrong = 0, square = 0;
        for (size_t i = row; i < row + args->head_size; i++) {
            const double got =
                element_load(&out[i * type_bytes(args->type)], args->type, CACHE_SAME);
            wrong += (got - expected[i]) * (got - expected[i]);
            square += expected[i] * expected[i];
        }
        const double error = sqrt(wrong / square);
        if (!(error < 1)) return 1; // NaN is not below 1
        worst = fmax(worst, error);
    }
    return worst;
}
