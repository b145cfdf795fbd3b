// kernels/cuda/experts.cuh — the work of a mixture: which expert computes for which token.
//
// A slot is one expert's result for one token: the token's j-th expert has slot token * used + j.
// Slots are sorted by expert, and a slot's rank is its position in that order. A work item is a few
// consecutive ranks of one expert, so that the expert's weights are read once for all.
#pragma once
#include "kernels/cuda/tiles.cuh"

enum { FEW_SLOTS = 8, MANY_SLOTS = 64 }; // of an item

struct expert_item {
    int32_t expert, first, count; // ranks first ... first + count - 1
};

// What experts_sort() makes of the router's choice, in device memory.
struct expert_work {
    const int32_t *chosen;           // [slots]
    const int32_t *slots;            // [slots], by rank; NULL: a slot's rank is its number
    const struct expert_item *items; // NULL: one for each slot
    const int32_t *count;            // of items
    int32_t most_items, used;
};

// One of the two products of a mixture.
//   gated    y [ranks, rows] fp16 = act(x[token] gate^T, x[token] up^T)
//   plain    y [slots, rows] fp32 = x[rank] down^T
struct expert_product {
    struct expert_work work;
    struct expert_weights weights[2]; // gate and up, or down alone
    int32_t experts;                  // matrices of each of the weights
    bool gated;
    bool early;      // `work` is older than the previous kernel: it may be read before grid_wait()
    const __half *x; // [tokens, columns] where gated, else [ranks, columns]
    void *y;
    enum act act;
    float limit;
};

// A lone token's down product and the weighted sum of its experts' results: y [rows] fp32.
struct expert_sum {
    struct expert_product down; // its work has no items
    const float *shares;        // [used] device
    bool add;                   // the sum is added to y
};

// Sorts slots by expert into items of up to item_slots, in the device's scratch.
struct expert_work experts_sort(struct device *device, const struct experts *args,
                                int32_t item_slots);

// As expert_within().
static __device__ inline bool is_within(const expert_range &range, int expert) {
    return range.count == 0 || (unsigned)(expert - range.first) < (unsigned)range.count;
}

static __device__ inline int count_items(const expert_work &work) {
    return work.items ? *work.count : work.most_items;
}

static __device__ inline expert_item item_at(const expert_work &work, int index) {
    return work.items ? work.items[index] : expert_item{work.chosen[index], index, 1};
}

static __device__ inline int slot_of(const expert_work &work, int rank) {
    return work.slots ? work.slots[rank] : rank;
}

// The row of x that a rank reads.
static __device__ inline int input_row(const expert_product &args, int rank) {
    return args.gated ? slot_of(args.work, rank) / args.work.used : rank;
}

static inline int32_t most_items(int32_t slots, int32_t experts, int32_t item_slots) {
    const int32_t touched = slots < experts ? slots : experts;
    return touched + (slots - touched) / item_slots;
}
