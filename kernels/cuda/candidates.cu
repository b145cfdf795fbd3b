// kernels/cuda/candidates.cu — the highest logits of each row, after penalties, for the host.
//
//   logits  [rows, vocabulary]      fp32  in
//   best    [rows, CANDIDATES_MAX]  out, pinned host memory: a few hundred bytes cross the link
//   keys    [rows, chunks, count]   scratch: each chunk's own best
//
//   grid  (chunks, rows);  block  THREADS;  a chunk is THREADS x VALUES logits, in registers
//
// A logit and its id are one 64-bit key: the logit's bits, turned so that they sort as unsigned
// numbers, over the complement of the id. Keys differ, so "the count highest" is one set and has
// one order, whatever the order of the blocks. A block finds the threshold that `count` keys of its
// chunk reach, bit by bit from the top, each bit by counting over the block, and stops as soon as
// exactly `count` reach it. The block of a row that arrives last does the same with what all have
// kept, and ranks it. For one candidate the threshold is the maximum.
//
// Rounds as penalised_logit() does. Bound by reading the row; for one row by the latency of
// counting, some twenty barriers in each of the two stages.
#include "kernels/cuda/cuda.cuh"

enum { FEW_THREADS = 512, FEW_VALUES = 8, MANY_THREADS = 1024, MANY_VALUES = 16 };

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

// How many of the block's keys are at least `least`. Calls alternate between two rows of `partial`,
// so that one barrier orders this call's writes before its reads and after the last reads of it.
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

// The threshold that exactly `wanted` of the block's keys reach; 1, so that all do, if there are
// not more.
template <int THREADS, int VALUES>
static __device__ uint64_t threshold_of(const uint64_t (&keys)[VALUES], int wanted) {
    __shared__ unsigned partial[2][32];
    if (wanted == 1) return larger(highest_of<THREADS>(keys), 1);
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

// Writes the block's keys from the threshold on to out[0 .. wanted), in any order, zeros after
// them.
template <int THREADS, int VALUES>
static __device__ void gather(const uint64_t (&keys)[VALUES], uint64_t threshold, int wanted,
                              uint64_t *out) {
    __shared__ int kept;
    if (threadIdx.x == 0) kept = 0;
    __syncthreads();
#pragma unroll
    for (int v = 0; v < VALUES; v++)
        if (keys[v] >= threshold) out[atomicAdd(&kept, 1)] = keys[v];
    __syncthreads(); // orders all keys before `kept` is their number
    for (int i = kept + threadIdx.x; i < wanted; i += THREADS)
        out[i] = 0;
    __syncthreads(); // orders the keys before their readers, and before the next call's kept
}

template <int THREADS, int VALUES>
static __device__ void load(const candidates &args, const choice &wanted,
                            uint64_t (&keys)[VALUES]) {
    const float *row = args.logits + (size_t)blockIdx.y * args.vocabulary;
    const int first = blockIdx.x * THREADS * VALUES + threadIdx.x;
    float logits[VALUES];
#pragma unroll
    for (int v = 0; v < VALUES; v++) {
        const int id = first + v * THREADS;
        logits[v] = id < args.vocabulary ? row[id] : NAN;
    }
    for (int i = 0; i < wanted.num_penalties; i++) {
        const penalty entry = args.penalties[wanted.first_penalty + i];
#pragma unroll
        for (int v = 0; v < VALUES; v++)
            if (entry.id == first + v * THREADS)
                logits[v] = penalised(logits[v], wanted, entry.occurrences);
    }
#pragma unroll
    for (int v = 0; v < VALUES; v++)
        keys[v] = key_of(logits[v], first + v * THREADS);
}

// Has every block of this row been here?
static __device__ bool arrives_last(unsigned *arrived) {
    __shared__ bool last;
    __threadfence(); // this block's keys before its arrival
    __syncthreads();
    if (threadIdx.x == 0) // counts to the last block, and back to 0
        last = atomicInc(&arrived[blockIdx.y], gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    __threadfence(); // the arrivals before the other blocks' keys are read
    return last;
}

template <int THREADS, int VALUES>
static __global__ __launch_bounds__(THREADS) void candidates_kernel(const candidates args,
                                                                    uint64_t *scratch,
                                                                    unsigned *arrived) {
    __shared__ uint64_t best[CANDIDATES_MAX];
    const choice wanted = args.choices[blockIdx.y];
    const int count = wanted.count, total = (int)gridDim.x * count;
    if (count == 0) return; // all blocks of the row
    uint64_t keys[VALUES];
    load<THREADS>(args, wanted, keys);
    uint64_t *row_keys = scratch + (size_t)blockIdx.y * gridDim.x * args.most;
    gather<THREADS>(keys, threshold_of<THREADS>(keys, count), count,
                    row_keys + (size_t)blockIdx.x * count);
    if (!arrives_last(arrived)) return;

#pragma unroll
    for (int v = 0; v < VALUES; v++) {
        const int at = v * THREADS + threadIdx.x;
        keys[v] = at < total ? __ldcg(&row_keys[at]) : 0;
    }
    gather<THREADS>(keys, threshold_of<THREADS>(keys, count), count, best);
    if (threadIdx.x >= count) return;
    int rank = 0, empty = 0;
    for (int i = 0; i < count; i++) {
        rank += best[i] > best[threadIdx.x];
        empty += best[i] == 0 && i < threadIdx.x;
    }
    if (best[threadIdx.x] == 0) rank += empty; // those that are nothing are all equal
    args.best[(size_t)blockIdx.y * CANDIDATES_MAX + rank] = candidate_of(best[threadIdx.x]);
}

template <int THREADS, int VALUES>
static void launch(struct device *device, const struct candidates *args) {
    const dim3 grid(ceil_divide((size_t)args->vocabulary, THREADS * VALUES), (unsigned)args->rows);
    ASSERT((int)grid.x * args->most <= THREADS * VALUES); // one block holds what all have kept
    candidates_kernel<THREADS, VALUES><<<grid, THREADS, 0, device->stream>>>(
        *args, device->candidate_keys, device->candidates_arrived);
    device_note(device, cudaGetLastError());
}

extern "C" size_t cuda_candidate_keys(const struct workspace *workspace) {
    static_assert(CANDIDATES_VOCABULARY_MAX / (MANY_THREADS * MANY_VALUES) * CANDIDATES_MAX <=
                      MANY_THREADS * MANY_VALUES,
                  "the largest vocabulary can be merged by one block");
    const size_t few = FEW_THREADS * FEW_VALUES; // no launch keeps more of a row than a block holds
    const size_t many = ceil_divide((size_t)workspace->vocabulary, MANY_THREADS * MANY_VALUES);
    const size_t most = many * CANDIDATES_MAX > few ? many * CANDIDATES_MAX : few;
    return (size_t)workspace->max_logits * most;
}

extern "C" void cuda_candidates(struct device *device, const struct candidates *args) {
    ASSERT(args->rows > 0 && args->rows <= device->limits.max_logits);
    ASSERT(args->vocabulary > 0 && args->vocabulary <= device->limits.vocabulary);
    ASSERT(args->most > 0 && args->most <= CANDIDATES_MAX);
    const unsigned few = FEW_THREADS * FEW_VALUES;
    if (ceil_divide((size_t)args->vocabulary, few) * (unsigned)args->most <= few)
        launch<FEW_THREADS, FEW_VALUES>(device, args);
    else
        launch<MANY_THREADS, MANY_VALUES>(device, args);
}
