// kernels/cuda/flash_step.cuh — a step of flash_decode: one warp's copies of STEP keys, and their
// part of softmax(q K^T scale) V.
//
//   stage  (K, V) x STEP x row,  row = SIZE elements, padded to an odd chunk; and of elements of
//          eight bits the words that the keys' scales are half of, K's and V's
//
// Scores are computed transposed, with keys as rows and heads as columns, because a group of 8
// heads then fills a tensor core tile.
//
// Elements of eight bits become fp16 in registers. ldmatrix moves them in pairs, which fills a tile
// of 16 columns in another order than of fp16: the columns of q and the rows of the result follow
// it. K's scale multiplies the score, V's the elements.
#pragma once
#include "kernels/cuda/flash_shapes.cuh"

// A warp's sums over its keys. Columns are heads, two a thread in each tile of eight.
template <int SIZE, int HEADS> struct sums {
    float values[HEADS][SIZE / 16][4];
    float highest[HEADS][2], total[HEADS][2];
};

static __device__ inline size_t v_plane(const kv_cache &cache) { // elements from a key's K to its V
    return (size_t)cache.num_kv_heads * cache.block_size * cache.head_size;
}

// Starts copying `keys` keys, at most STEP, and zeros for the rest; lanes 0 ... STEP - 1 hold their
// rows.
template <typename cache_t, int SIZE>
static __device__ inline void copy_step(const kv_cache &cache, unsigned to, unsigned row,
                                        int keys) {
    typedef layout<cache_t, SIZE> shape;
    const int lane = threadIdx.x % 32, size = cache.head_size;
    const size_t to_v = v_plane(cache);
    const uint64_t policy = read_once_policy();
#pragma unroll
    for (int i = 0; i < shape::copies; i++) {
        const int index = lane + 32 * i, key = index / shape::chunks, chunk = index % shape::chunks;
        const size_t at = (size_t)__shfl_sync(0xffffffffu, row, key) * size + chunk * 8;
        const bool valid = key < keys && chunk * 8 < size;
        const cache_t *from = (const cache_t *)cache.data + (valid ? at : 0);
        const unsigned put = to + key * shape::row + chunk * 16;
        copy16_once(put, from, valid, policy);
        copy16_once(put + shape::plane, from + (valid ? to_v : 0), valid, policy);
    }
}

// The same of elements of eight bits, of keys in slots: K, V, and the words that the keys' scales
// are half of.
template <typename cache_t, int SIZE>
static __device__ inline void copy_scaled_step(const kv_cache &cache, const kv_head &head,
                                               unsigned to, unsigned slot, int keys) {
    typedef layout<cache_t, SIZE> shape;
    const int lane = threadIdx.x % 32;
    const kv_place place = kv_place_at(cache, head, slot);
    const char *data = (const char *)cache.data;
    const uint64_t policy = read_once_policy();
#pragma unroll
    for (int i = 0; i < shape::copies; i++) {
        const int index = lane + 32 * i, key = index / shape::chunks;
        const int at = index % shape::chunks * 16;
        const size_t k = __shfl_sync(0xffffffffu, place.k, key);
        const size_t v = __shfl_sync(0xffffffffu, place.v, key);
        if (key >= STEP) continue;
        const bool valid = key < keys && at < cache.head_size;
        const unsigned put = to + key * shape::row + at;
        copy16_once(put, data + (valid ? k + at : 0), valid, policy);
        copy16_once(put + shape::plane, data + (valid ? v + at : 0), valid, policy);
    }
    if (lane >= STEP) return;
    const bool valid = lane < keys;
    const unsigned scales = to + 2 * shape::plane + lane * 4;
    copy4(scales, data + (valid ? place.k_scale / 4 * 4 : 0), valid);
    copy4(scales + STEP * 4, data + (valid ? place.v_scale / 4 * 4 : 0), valid);
}

// What a thread needs of a step's scales: K's of keys g and g + 8 of lane 4 g + t; V's of keys 2t
// and 2t + 1, and of 2t + 8 and 2t + 9.
struct step_scales {
    float k[2];
    kv_factors v[2];
};

// Of a copied step whose first key is `first`. Blocks have an even number of keys, so the scale of
// an odd key is the upper half of its word.
template <typename cache_t, int SIZE>
static __device__ inline step_scales scales_of(const char *stage, int first) {
    const int lane = threadIdx.x % 32;
    const unsigned word = *(const unsigned *)(stage + 2 * layout<cache_t, SIZE>::plane + lane * 4);
    const unsigned bits = (first + lane) % 2 ? word >> 16 : word & 0xFFFF;
    const unsigned packed = kv_pack_factors(bits);
    step_scales scales;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int key = STEP + lane % 4 * 2 + 8 * i;
        const unsigned even = __shfl_sync(0xffffffffu, packed, key),
                       odd = __shfl_sync(0xffffffffu, packed, key + 1);
        scales.k[i] = __uint_as_float(__shfl_sync(0xffffffffu, bits, lane / 4 + 8 * i) << 16);
        scales.v[i] = {half2_of(__byte_perm(even, odd, 0x5410)),
                       half2_of(__byte_perm(even, odd, 0x7632))};
    }
    return scales;
}

// scores[heads][two sums, to be added][16 keys x 8 heads] = K q^T of a step
template <typename cache_t, int SIZE, int HEADS>
static __device__ inline void multiply_keys(float (&scores)[HEADS][2][4],
                                            const unsigned (&q)[HEADS][SIZE / 16][2],
                                            unsigned stage) {
    typedef layout<cache_t, SIZE> shape;
    typedef typename kv_traits<cache_t>::multiplied multiplied;
    const int lane = threadIdx.x % 32;
    const unsigned from = stage + (lane % 16) * shape::row + (lane / 16) * 16;
    unsigned loaded[4];
#pragma unroll
    for (int k = 0; k < SIZE / 16; k++) {
        unsigned a[4];
        if constexpr (shape::scaled) {
            if (k % 2 == 0) load_matrices(loaded, from + k * 16);
            __half2 upper[2], lower[2]; // keys g and g + 8
            kv_widen(loaded[k % 2 * 2], upper, cache_t());
            kv_widen(loaded[k % 2 * 2 + 1], lower, cache_t());
            a[0] = bits_of(upper[0]), a[1] = bits_of(lower[0]);
            a[2] = bits_of(upper[1]), a[3] = bits_of(lower[1]);
        } else {
            load_matrices(a, from + k * 32);
        }
#pragma unroll
        for (int n = 0; n < HEADS; n++)
            multiply(scores[n][k % 2], a, q[n][k][0], q[n][k][1], multiplied());
    }
}

// sums of values += V^T p of a step
template <typename cache_t, int SIZE, int HEADS>
static __device__ inline void multiply_values(sums<SIZE, HEADS> &sums,
                                              const unsigned (&p)[HEADS][2], unsigned stage,
                                              const step_scales &scales) {
    typedef layout<cache_t, SIZE> shape;
    const int lane = threadIdx.x % 32;
    if constexpr (shape::scaled) {
        const unsigned from = stage + shape::plane + (lane % 16) * shape::row + (lane / 16) * 16;
        unsigned bytes[4];
#pragma unroll
        for (int m = 0; m < SIZE / 16; m++) {
            if (m % 2 == 0) load_transposed(bytes, from + m * 16);
            unsigned wide[4];
#pragma unroll
            for (int i = 0; i < 2; i++) { // keys 2t, 2t + 1, then 2t + 8, 2t + 9
                __half2 rows[2];
                kv_widen(__byte_perm(bytes[m % 2 * 2 + i], 0, 0x3120), rows, cache_t());
#pragma unroll
                for (int side = 0; side < 2; side++)
                    wide[2 * i + side] = bits_of(
                        __hmul2(__hmul2(rows[side], scales.v[i].fraction), scales.v[i].power));
            }
#pragma unroll
            for (int n = 0; n < HEADS; n++)
                multiply(sums.values[n][m], wide, p[n][0], p[n][1], __half());
        }
    } else {
        const unsigned from =
            stage + shape::plane + (lane % 8 + lane / 16 * 8) * shape::row + (lane / 8 % 2) * 16;
#pragma unroll
        for (int m = 0; m < SIZE / 16; m++) {
            unsigned a[4];
            load_transposed(a, from + m * 32);
#pragma unroll
            for (int n = 0; n < HEADS; n++)
                multiply(sums.values[n][m], a, p[n][0], p[n][1], cache_t());
        }
    }
}

// One step of online softmax (arXiv 1805.02867) over STEP keys from key `first` on, `keys` of them
// real. `seen` says which of them a column sees, and whether every column sees one of every step.
template <typename cache_t, int SIZE, int HEADS, typename seen_t>
static __device__ inline void attend_step(sums<SIZE, HEADS> &sums,
                                          const unsigned (&q)[HEADS][SIZE / 16][2], unsigned stage,
                                          int first, int keys, const seen_t &seen,
                                          const step_scales &scales, const scoring &scoring) {
    typedef typename kv_traits<cache_t>::multiplied multiplied;
    const int lane = threadIdx.x % 32;
    float scores[HEADS][2][4] = {};
    multiply_keys<cache_t, SIZE, HEADS>(scores, q, stage);
    unsigned p[HEADS][2];
#pragma unroll
    for (int n = 0; n < HEADS; n++) {
        float score[4], old[2];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            score[i] = scores[n][0][i] + scores[n][1][i];
            if (kv_traits<cache_t>::scaled) score[i] *= scales.k[i / 2];
            if (scoring.inner > 0) score[i] = cap_score(score[i], scoring.inner);
            score[i] = seen.sees(n, i % 2, first, lane / 4 + i / 2 * 8, keys)
                           ? score[i] * scoring.scale
                           : -INFINITY;
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
            float top = fmaxf(sums.highest[n][i], fmaxf(score[i], score[i + 2]));
            for (int offset = 4; offset < 32; offset *= 2)
                top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, offset));
            const float offset = seen_t::ALL_SEE || top > -INFINITY ? top : 0;
            old[i] = power_of_two(sums.highest[n][i] - offset);
            sums.highest[n][i] = top;
            score[i] = power_of_two(score[i] - offset);
            score[i + 2] = power_of_two(score[i + 2] - offset);
            sums.total[n][i] = sums.total[n][i] * old[i] + score[i] + score[i + 2];
        }
        p[n][0] = transpose(pack_pair(score[0], score[1], multiplied()));
        p[n][1] = transpose(pack_pair(score[2], score[3], multiplied()));
#pragma unroll
        for (int m = 0; m < SIZE / 16; m++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                sums.values[n][m][i] *= old[i % 2];
    }
    multiply_values<cache_t, SIZE, HEADS>(sums, p, stage, scales);
}
