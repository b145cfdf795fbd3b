// kernels/cuda/experts.cuh — the work of a mixture: which expert computes for whom.
//
// A slot is one answer to one token: the token's j-th expert is slot token * used + j. Slots are
// sorted by expert; a place is a slot's number in that order. An item is up to ITEM_SLOTS
// neighbouring places of one expert, so that its weights are read once for all of them.
#pragma once
#include "kernels/cuda/act.cuh"
#include "kernels/cuda/tiles.cuh"

enum { FEW_SLOTS = 8, MANY_SLOTS = 64 }; // of an item

struct expert_item {
    int32_t expert, first, count; // places first ... first + count - 1
};

// What experts_sort() makes of the experts that were chosen. It lies on the card.
struct expert_work {
    const int32_t *chosen;           // [slots]
    const int32_t *slots;            // [slots], by place; NULL: a place is its slot
    const struct expert_item *items; // NULL: one for each slot
    const int32_t *count;            // of items
    int32_t most_items, slot_count, used, experts;
};

// One of the two products of a mixture.
//   gated    y [places, rows] fp16 = act(x[token] gate^T, x[token] up^T)
//   plain    y [slots, rows] fp32 = x[place] down^T
struct expert_product {
    struct expert_work work;
    struct expert_weights weights[2]; // gate and up, or down alone
    bool gated;
    bool early;      // the work is older than the kernel before this one: it may be read at once
    const __half *x; // [tokens, columns] where gated, else [places, columns]
    void *y;
    enum act act;
};

// Sorts by expert, in items of item_slots, into the device's scratch.
struct expert_work experts_sort(struct device *device, const struct experts *args,
                                int32_t item_slots);

static __device__ inline bool find_item(const expert_work &work, int index, expert_item *item) {
    if (!work.items) {
        *item = {work.chosen[index], index, 1};
        return true;
    }
    if (index >= *work.count) return false;
    *item = work.items[index];
    return true;
}

static __device__ inline int slot_of(const expert_work &work, int place) {
    return work.slots ? work.slots[place] : place;
}

// Which of x's rows a place reads.
static __device__ inline int input_row(const expert_product &args, int place) {
    return args.gated ? slot_of(args.work, place) / args.work.used : place;
}

// The sums of one row and place, with what lets a gate's through.
static __device__ inline void store_answer(const expert_product &args, const expert_item &item,
                                           int row, int place, float sum, float through) {
    const int rows = args.weights[0].rows;
    const size_t bias = (size_t)item.expert * rows + row;
    if (args.weights[0].bias) sum += args.weights[0].bias[bias];
    if (!args.gated) {
        ((float *)args.y)[(size_t)slot_of(args.work, place) * rows + row] = sum;
        return;
    }
    if (args.weights[1].bias) through += args.weights[1].bias[bias];
    from_float(act_of(args.act, sum, through), (__half *)args.y + (size_t)place * rows + row);
}

static inline int32_t most_items(int32_t slots, int32_t experts, int32_t item_slots) {
    const int32_t touched = slots < experts ? slots : experts;
    return touched + (slots - touched) / item_slots;
}
