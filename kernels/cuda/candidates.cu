// kernels/cuda/candidates.cu — the highest logits of each row, after penalties, for the host.
//
//   logits  [rows, vocabulary]      fp32  in
//   best    [rows, CANDIDATES_MAX]  out, pinned host memory: a few hundred bytes cross the link
//   keys    [rows, chunks, count]   scratch: the best of each chunk
//
//   grid  (chunks, rows);  block  THREADS;  a chunk is up to THREADS x VALUES logits, in registers.
//   Chunks are equally long, because the sample of a nearly empty one would say little.
//
// A logit and its id are one 64-bit key: the logit's bits, mapped so that they sort as unsigned
// numbers, above the complement of the id. Keys differ, so "the count highest" is one set in one
// order, whatever the order of the blocks.
//
// A block samples its keys, the highest of each 32. The count-th highest of the sample is a
// threshold that at least `count` keys reach, and few more; those are ranked by comparing each with
// all. The last block of a row to arrive does the same with what all blocks have kept, where the
// sample is the first few ranks of every chunk. If too many keys reach the threshold because logits
// are equal, one that exactly `count` keys reach is found bit by bit. A single candidate is simply
// the maximum.
//
// Rounds as penalised_logit() does. Bound by reading the row; for one row by latency.
//
// Totals are another launch, since few steps want them: a block reads its row twice, from L2, and
// each thread adds its logits in order, so that the sum is the same each time.
#include "kernels/cuda/device.cuh"

enum { FEW_THREADS = 512, FEW_VALUES = 8, MANY_THREADS = 1024, MANY_VALUES = 16 };

template <int THREADS, int VALUES> struct tile {
    enum {
        KEYS = THREADS * VALUES,
        SAMPLE = KEYS / 32,
        CAPACITY = 2 * SAMPLE,  // keys that can be ranked, a thread each
        MAX_COUNT = SAMPLE / 2, // candidates, and chunks
    };
    static_assert((int)CAPACITY <= THREADS, "a thread ranks one key");
};
using few = tile<FEW_THREADS, FEW_VALUES>;
using many = tile<MANY_THREADS, MANY_VALUES>;
static_assert(CANDIDATES_VOCABULARY_MAX / many::KEYS <= many::MAX_COUNT &&
                  (int)CANDIDATES_MAX <= many::MAX_COUNT,
              "the largest vocabulary can be merged by one block");

static __device__ inline uint64_t key_of(float logit, int id) {
    if (isnan(logit)) return 0;                          // below every number's
    const unsigned bits = __float_as_uint(logit + 0.0f); // -0 + 0 is 0
    const unsigned sorted = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (uint64_t)sorted << 32 | (unsigned)~id;
}

static __device__ inline candidate candidate_of(uint64_t key) {
    if (key == 0) return {-1, 0};
    const unsigned sorted = (unsigned)(key >> 32);
    const unsigned bits = sorted & 0x80000000u ? sorted & 0x7fffffffu : ~sorted;
    return {(int)~(unsigned)key, __uint_as_float(bits)};
}

// penalised_logit(), each operation rounded by itself as on the host.
static __device__ inline float penalised(float logit, const choice &wanted, int occurrences) {
    logit = logit > 0 ? __fdiv_rn(logit, wanted.repeat_penalty)
                      : __fmul_rn(logit, wanted.repeat_penalty);
    return __fsub_rn(__fsub_rn(logit, wanted.presence_penalty),
                     __fmul_rn(wanted.frequency_penalty, (float)occurrences));
}

static __device__ inline uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

template <int THREADS, int VALUES>
static __device__ uint64_t highest_of(const uint64_t (&keys)[VALUES]) {
    __shared__ uint64_t partial[THREADS / 32];
    uint64_t highest = 0;
#pragma unroll
    for (int v = 0; v < VALUES; v++)
        highest = larger(highest, keys[v]);
    for (int offset = 16; offset > 0; offset /= 2)
        highest = larger(highest, __shfl_xor_sync(0xffffffffu, highest, offset));
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = highest;
    __syncthreads(); // orders the warps' maxima before they are read
    for (int w = 0; w < THREADS / 32; w++)
        highest = larger(highest, partial[w]);
    return highest;
}

// Counts the block's keys from `least` up. Calls alternate between two rows of `partial`, so that
// one barrier orders this call's writes before its reads, and after the previous reads of the row.
template <int THREADS, int VALUES>
static __device__ inline int count_from(const uint64_t (&keys)[VALUES], uint64_t least,
                                        unsigned (*partial)[32], int call) {
    unsigned count = 0;
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int v = 0; v < VALUES; v++)
        count += keys[v] >= least;
    count = __reduce_add_sync(0xffffffffu, count);
    if (lane == 0) partial[call % 2][threadIdx.x / 32] = count;
    __syncthreads();
    return (int)__reduce_add_sync(0xffffffffu, lane < THREADS / 32 ? partial[call % 2][lane] : 0);
}

// The threshold that exactly `wanted` of the block's keys reach, or 1, which all reach, if there
// are no more than that.
template <int THREADS, int VALUES>
static __device__ uint64_t threshold_of(const uint64_t (&keys)[VALUES], int wanted) {
    __shared__ unsigned partial[2][32];
    if (count_from<THREADS>(keys, 1, partial, 0) <= wanted) return 1;
    uint64_t threshold = 0;
    for (int bit = 63, count = 0; bit >= 0 && count != wanted; bit--) {
        const uint64_t higher = threshold | (uint64_t)1 << bit;
        const int reach = count_from<THREADS>(keys, higher, partial, bit);
        if (reach < wanted) continue;
        threshold = higher;
        count = reach;
    }
    return threshold;
}

// The wanted-th highest of sample[0 .. size), at least 1. THREADS / SAMPLE neighbours share a key.
template <int THREADS, int SAMPLE>
static __device__ uint64_t nth_of(const uint64_t *sample, int size, int wanted) {
    constexpr int SHARERS = THREADS / SAMPLE;
    static_assert(SHARERS * SAMPLE == THREADS && 32 % SHARERS == 0, "each key has its threads");
    __shared__ uint64_t found;
    const int own = threadIdx.x / SHARERS;
    const uint64_t key = own < size ? sample[own] : 0;
    unsigned rank = 0;
    for (int i = threadIdx.x % SHARERS; i < size; i += SHARERS) // equal keys rank by position
        rank += sample[i] > key || (sample[i] == key && i < own);
    for (int offset = SHARERS / 2; offset > 0; offset /= 2)
        rank += __shfl_xor_sync(0xffffffffu, rank, offset);
    if (own < size && rank == wanted - 1 && threadIdx.x % SHARERS == 0) found = larger(key, 1);
    __syncthreads(); // orders the one write before the reads
    return found;
}

// Copies the block's keys from `least` up to kept[CAPACITY], in any order, and returns how many
// there are; beyond CAPACITY they are only counted.
template <int CAPACITY, int VALUES>
static __device__ int gather(const uint64_t (&keys)[VALUES], uint64_t least, uint64_t *kept) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads(); // orders the 0 before the counting, and earlier readers of `kept` before it
#pragma unroll
    for (int v = 0; v < VALUES; v++)
        if (keys[v] >= least) {
            const int at = atomicAdd(&count, 1);
            if (at < CAPACITY) kept[at] = keys[v];
        }
    __syncthreads(); // orders the keys before their readers
    const int all = count;
    __syncthreads(); // orders the reads of `count` before its next 0
    return all;
}

// Copies the `wanted` highest of the block's keys, and maybe some more, to kept[]; returns how
// many.
template <int THREADS, int VALUES>
static __device__ int keep(const uint64_t (&keys)[VALUES], const uint64_t *sample, int size,
                           int wanted, uint64_t *kept) {
    constexpr int SAMPLE = tile<THREADS, VALUES>::SAMPLE,
                  CAPACITY = tile<THREADS, VALUES>::CAPACITY;
    const uint64_t least = wanted == 1 ? larger(highest_of<THREADS>(keys), 1)
                                       : nth_of<THREADS, SAMPLE>(sample, size, wanted);
    const int count = gather<CAPACITY>(keys, least, kept);
    if (count <= CAPACITY) return count;
    return gather<CAPACITY>(keys, threshold_of<THREADS>(keys, wanted), kept);
}

// The rank of this thread's kept key, if it has one, among all: 0 is the highest. Warps without a
// key skip the loop.
static __device__ int rank_of(const uint64_t *kept, int count) {
    if ((int)threadIdx.x >= count) return 0;
    const uint64_t key = kept[threadIdx.x];
    int rank = 0;
    for (int i = 0; i < count; i++)
        rank += kept[i] > key;
    return rank;
}

template <int THREADS, int VALUES>
static __device__ void load(const candidates &args, const choice &wanted,
                            uint64_t (&keys)[VALUES]) {
    const float *row = args.logits + (size_t)blockIdx.y * args.vocabulary;
    const int span = (args.vocabulary + (int)gridDim.x - 1) / (int)gridDim.x;
    const int begin = (int)blockIdx.x * span, end = min(begin + span, args.vocabulary);
    const int first = begin + (int)threadIdx.x;
    float logits[VALUES];
#pragma unroll
    for (int v = 0; v < VALUES; v++) {
        const int id = first + v * THREADS;
        logits[v] = id < end ? row[id] : NAN;
    }
    for (int i = 0; i < wanted.num_penalties; i++) {
        const penalty entry = args.penalties[wanted.first_penalty + i];
#pragma unroll
        for (int v = 0; v < VALUES; v++)
            if (entry.id == first + v * THREADS) // ids of other chunks stay NaN
                logits[v] = penalised(logits[v], wanted, entry.occurrences);
    }
#pragma unroll
    for (int v = 0; v < VALUES; v++)
        keys[v] = key_of(logits[v], first + v * THREADS);
}

// Counts an arrival; true for the last block of the row.
static __device__ bool arrives_last(unsigned *arrived) {
    __shared__ bool last;
    __threadfence(); // orders this block's keys before its arrival
    __syncthreads();
    if (threadIdx.x == 0) // counts to the last block, and back to 0
        last = atomicInc(&arrived[blockIdx.y], gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    __threadfence(); // orders the arrivals before the reads of the other blocks' keys
    return last;
}

// One key for each 32 of the block, from the logit alone: it is not above the highest of the 32.
template <int VALUES>
static __device__ void store_sample(const uint64_t (&keys)[VALUES], uint64_t *sample) {
#pragma unroll
    for (int v = 0; v < VALUES; v++) {
        const unsigned highest = __reduce_max_sync(0xffffffffu, (unsigned)(keys[v] >> 32));
        if (threadIdx.x % 32 == 0) sample[threadIdx.x / 32 * VALUES + v] = (uint64_t)highest << 32;
    }
    __syncthreads(); // orders the sample before its readers
}

template <int THREADS, int VALUES>
static __global__ __launch_bounds__(THREADS) void candidates_kernel(const candidates args,
                                                                    uint64_t *scratch,
                                                                    unsigned *arrived) {
    constexpr int SAMPLE = tile<THREADS, VALUES>::SAMPLE;
    __shared__ uint64_t sample[SAMPLE], kept[tile<THREADS, VALUES>::CAPACITY];
    const choice wanted = args.choices[blockIdx.y];
    const int count = wanted.count, chunks = (int)gridDim.x, tid = (int)threadIdx.x;
    if (count == 0) return; // all blocks of the row
    uint64_t keys[VALUES];
    uint64_t *row_keys = scratch + (size_t)blockIdx.y * chunks * args.most; // [count, chunks]
    load<THREADS>(args, wanted, keys);
    store_sample(keys, sample);
    int found = keep<THREADS>(keys, sample, SAMPLE, count, kept), rank = rank_of(kept, found);
    if (tid < found && rank < count) row_keys[(size_t)rank * chunks + blockIdx.x] = kept[tid];
    if (tid >= found && tid < count) row_keys[(size_t)tid * chunks + blockIdx.x] = 0;
    if (!arrives_last(arrived)) return;

#pragma unroll
    for (int v = 0; v < VALUES; v++) {
        const int at = v * THREADS + tid;
        keys[v] = at < chunks * count ? __ldcg(&row_keys[at]) : 0;
    }
    const int ranks = min(count, SAMPLE / chunks), size = ranks * chunks; // size >= count
    if (tid < size) sample[tid] = keys[0];
    __syncthreads(); // orders the sample before its readers
    found = keep<THREADS>(keys, sample, size, count, kept);
    rank = rank_of(kept, found);
    candidate *best = args.best + (size_t)blockIdx.y * CANDIDATES_MAX;
    if (tid < found && rank < count) best[rank] = candidate_of(kept[tid]);
    if (tid >= found && tid < count) best[tid] = candidate_of(0);
}

// The block's highest value, or the sum of all, for every thread.
template <bool SUM> static __device__ float over_block(float value) {
    __shared__ float partial[MANY_THREADS / 32];
    const int lane = threadIdx.x % 32;
    const auto joined = [](float a, float b) { return SUM ? a + b : fmaxf(a, b); };
    for (int offset = 16; offset > 0; offset /= 2)
        value = joined(value, __shfl_xor_sync(0xffffffffu, value, offset));
    if (lane == 0) partial[threadIdx.x / 32] = value;
    __syncthreads(); // orders the warps' values before they are read
    value = partial[lane];
    for (int offset = 16; offset > 0; offset /= 2)
        value = joined(value, __shfl_xor_sync(0xffffffffu, value, offset));
    return value;
}

static __global__ __launch_bounds__(MANY_THREADS) void log_totals_kernel(const candidates args) {
    const float *row = args.logits + (size_t)blockIdx.x * args.vocabulary;
    const choice wanted = args.choices[blockIdx.x];
    if (wanted.count == 0 || !wanted.log_total) return;
    float highest = -INFINITY, sum = 0;
    for (int id = (int)threadIdx.x; id < args.vocabulary; id += MANY_THREADS)
        highest = fmaxf(highest, row[id]); // of a number and NaN: the number
    highest = over_block<false>(highest);
    for (int id = (int)threadIdx.x; id < args.vocabulary && !isinf(highest); id += MANY_THREADS)
        if (!isnan(row[id])) sum += expf(row[id] - highest);
    sum = over_block<true>(sum);
    if (threadIdx.x == 0)
        args.log_totals[blockIdx.x] = isinf(highest) ? highest : highest + logf(sum);
}

template <int THREADS, int VALUES>
static void launch(struct device *device, const struct candidates *args) {
    using block = tile<THREADS, VALUES>;
    const dim3 grid(ceil_divide((size_t)args->vocabulary, block::KEYS), (unsigned)args->rows);
    // The last block holds what all have kept; the first ranks of all chunks are its sample.
    ASSERT(grid.x <= block::MAX_COUNT && args->most <= block::MAX_COUNT);
    ASSERT((int)grid.x * args->most <= block::KEYS);
    candidates_kernel<THREADS, VALUES><<<grid, THREADS, 0, device->stream>>>(
        *args, device->candidate_keys, device->candidates_arrived);
    device_note(device, cudaGetLastError());
}

extern "C" size_t cuda_candidate_keys(const struct workspace *workspace) {
    const size_t chunks = ceil_divide((size_t)workspace->vocabulary, many::KEYS);
    const size_t of_many = chunks * CANDIDATES_MAX, of_few = few::KEYS; // at most, for each row
    return (size_t)workspace->max_logits * (of_many > of_few ? of_many : of_few);
}

extern "C" void cuda_candidates(struct device *device, const struct candidates *args) {
    ASSERT(args->rows > 0 && args->rows <= device->limits.max_logits);
    ASSERT(args->vocabulary > 0 && args->vocabulary <= device->limits.vocabulary);
    ASSERT(args->most > 0 && args->most <= CANDIDATES_MAX);
    if (args->log_totals) {
        log_totals_kernel<<<(unsigned)args->rows, MANY_THREADS, 0, device->stream>>>(*args);
        device_note(device, cudaGetLastError());
    }
    if (args->most <= few::MAX_COUNT && args->vocabulary <= few::MAX_COUNT * few::KEYS)
        launch<FEW_THREADS, FEW_VALUES>(device, args);
    else
        launch<MANY_THREADS, MANY_VALUES>(device, args);
}
