// kernels/cuda/flash_shapes.cuh — which instance of the flash kernels a card's shared memory holds.
//
// A kernel with heads of SIZE has one instance or two, and the first that a block of the card holds
// is launched. Heads of more than 256 need the second one on cards with 99 KiB: prefill with fewer
// keys in a tile and some of its queries in registers, decode with one stage less. What has no
// instance is gathered (attention.cu). All here is arithmetic on the card's figures, the same for
// every call: tests/kernels/test_card.cu walks it for each card.
#pragma once
#include "kernels/cuda/flash.cuh"

// ---- flash_decode.cuh

enum { STEP = 16, STEP_STAGES = 3 };

// What a step of a warp occupies in shared memory: flash_step.cuh.
template <typename cache_t, int SIZE> struct layout {
    static const bool scaled = kv_traits<cache_t>::scaled;
    static const int chunks = SIZE * (int)sizeof(cache_t) / 16;
    static const int row = (chunks | 1) * 16; // bytes
    static const int plane = STEP * row;      // bytes of K or V of a step
    static const int stage = 2 * plane + (scaled ? 2 * STEP * 4 : 0);
    static const int least_stages = SIZE > 256 && !scaled ? STEP_STAGES - 1 : STEP_STAGES;
    static const int warps = scaled ? 6 : 4; // of a block; widening is hidden behind other warps
    static const int copies = (STEP * chunks + 31) / 32;
    static_assert(least_stages * stage >= FLASH_GROUP_MAX * SIZE * (int)sizeof(float),
                  "values fit when it ends");
};

// A sequence's new tokens in shared memory, with HEADS times eight columns of q.
template <typename cache_t, int SIZE, int HEADS, int QUERIES> struct new_tokens {
    float2 cos_sin[QUERIES == 1 ? SIZE / 2 : 1]; // of each pair of a lone token: cosine, sine
    float norms[2][SIZE];                        // weights of q's and k's norm, where they have one
    __half q[8 * HEADS][SIZE + 8]; // rotated; padded so that eight rows use different banks
    alignas(16) cache_t rows[QUERIES][2][SIZE]; // k, rotated, and v
    bf16 scales[QUERIES][2];                    // theirs, of elements of eight bits
    unsigned slots[QUERIES];                    // where they are in the cache, if several
};

struct decode_shape {
    int stages, warps; // 0 warps: the card holds no instance
    int bytes;         // of dynamic shared memory
    int resident;      // blocks of a multiprocessor
};

template <typename cache_t, int SIZE, int HEADS, int QUERIES>
static decode_shape decode_shape_on(const struct cudaDeviceProp *card) {
    typedef layout<cache_t, SIZE> shape;
    // Static: the new tokens, and the maxima and sums of all warps.
    const int fixed = sizeof(new_tokens<cache_t, SIZE, HEADS, QUERIES>) + 1024;
    const int available = (int)card->sharedMemPerBlockOptin - fixed;
    for (int stages = STEP_STAGES; stages >= shape::least_stages; stages--) {
        const int warps = min((int)shape::warps, available / (stages * shape::stage));
        const int bytes = warps * stages * shape::stage;
        const int fitting = (int)card->sharedMemPerMultiprocessor / (bytes + fixed + 1024);
        if (warps > 0) return {stages, warps, bytes, max(1, min((int)FLASH_BLOCKS, fitting))};
    }
    return {};
}

// ---- flash_prefill.cu

// Tiles of flash_prefill.cu, as flash_rows.cuh names them. Heads of more than 256 have too many
// columns for a block: each of two computes all scores and half of the columns.
template <int SIZE, bool SMALL> struct mma_shape {
    static const bool halved = SIZE > 256;
    static_assert(halved || !SMALL, "others fit any card");
    static const int size = SIZE, columns = halved ? SIZE / 2 : SIZE, threads = 128;
    static const int together = 32, span_stages = 2, copiers = 0, alignment = 16, cluster = 1;
    static const int keys = SMALL ? 16 : SIZE > 128 ? 32 : 64;
    static const int blocks = halved ? 1 : SIZE > 128 ? 2 : 3;
    static const int chunks = SIZE / 8, v_chunks = columns / 8;
    static const int row = (chunks | 1) * 16, v_row = (v_chunks | 1) * 16; // bytes
    static const int plane = keys * row, stage = plane + keys * v_row;
    // Operands of q that a thread has in registers; the others are in shared memory.
    static const int kept = !halved ? SIZE / 16 : SMALL ? SIZE / 64 : 0;
    static const int bytes = 2 * stage + (SIZE / 16 - kept) * threads * 16;
    static_assert(keys * chunks % threads == 0 && keys * v_chunks % threads == 0, "whole copies");
};

// Whether a block of the card holds tiles with STAGES stages and where their keys lie.
template <typename tiles, int STAGES> static bool tiles_fit(const struct cudaDeviceProp *card) {
    const size_t bytes = tiles::bytes + (STAGES - 2) * tiles::stage + tiles::alignment;
    return bytes + STAGES * tiles::keys * sizeof(unsigned) <= card->sharedMemPerBlockOptin;
}

// Blocks of a multiprocessor that compute spans, of tiles::blocks at most.
template <typename tiles> static int tiles_resident(const struct cudaDeviceProp *card, int bytes) {
    const int keys = tiles::span_stages * tiles::keys * (int)sizeof(unsigned);
    const int fitting = (int)card->sharedMemPerMultiprocessor / (bytes + keys + 1024);
    return max(1, min((int)tiles::blocks, fitting));
}

// ---- whether there is an instance

struct flash_fits {
    const struct cudaDeviceProp *card;
    int group;
    bool *fits;
    template <typename cache_t, int SIZE> void run() const {
        bool prefills = tiles_fit<mma_shape<SIZE, false>, 2>(card), decodes = false;
        if constexpr (SIZE > 256) prefills |= tiles_fit<mma_shape<SIZE, true>, 2>(card);
        if (group <= 8)
            decodes = decode_shape_on<cache_t, SIZE, 1, 1>(card).warps > 0;
        else if constexpr (SIZE <= 256)
            decodes = decode_shape_on<cache_t, SIZE, 2, 1>(card).warps > 0;
        if constexpr (SIZE <= FLASH_FEW_HEAD_MAX)
            decodes = decodes && decode_shape_on<cache_t, SIZE, 2, FLASH_FEW>(card).warps > 0;
        *fits = prefills && decodes;
    }
};

// Whether flash_decode() and flash_prefill() have an instance for the cache's type and heads that
// the card holds, with `group` query heads of a KV head. flash_hopper.cu is for cards with 227 KiB,
// which hold it.
static inline bool flash_has_instance(const struct cudaDeviceProp *card,
                                      const struct kv_cache *cache, int group) {
    bool fits = false;
    flash_choose(cache, flash_fits{card, group, &fits});
    return fits;
}
