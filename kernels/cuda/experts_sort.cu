// kernels/cuda/experts_sort.cu — slots by expert, for products that read each expert once.
//
//   chosen  [slots] int32  in: who computes slot token * used + j
//   slots   [slots] int32  out, by place: an expert's slots side by side, in their order
//   items   [count] expert_item  out, by expert and place
//
//   grid   1;  block  WARPS x 32;  shared  counts [warps][experts]
//
// A stable counting sort: each warp has a run of slots and counts them by expert, a scan over warps
// and experts makes places of the counts, and each warp goes through its run once more. The result
// depends on what was chosen alone. Bound by latency.
#include "kernels/cuda/experts.cuh"

enum { WARPS = 32, THREADS = WARPS * LANES, COUNTS = 8192 }; // counts that fit shared memory
static_assert((int)COUNTS >= EXPERTS_MAX && (int)THREADS >= EXPERTS_MAX, "a thread an expert");

struct sort_args {
    const int32_t *chosen;
    int32_t *by_place, *count;
    struct expert_item *items;
    int32_t slots, experts, item_slots;
    int32_t warps; // that sort: as many as have room for their counts
};

// The sum of `value` over the threads before this one, and over all.
static __device__ inline int scan(int value, int *total) {
    __shared__ int warps[WARPS];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    int sum = value;
    for (int offset = 1; offset < LANES; offset *= 2) {
        const int before = __shfl_up_sync(0xffffffffu, sum, offset);
        if (lane >= offset) sum += before;
    }
    if (lane == LANES - 1) warps[warp] = sum;
    __syncthreads(); // the warps' sums are there
    int others = 0, all = 0;
    for (int w = 0; w < WARPS; w++) {
        others += w < warp ? warps[w] : 0;
        all += warps[w];
    }
    __syncthreads(); // they were read before the next scan writes them
    *total = all;
    return others + sum - value;
}

// Goes through the warp's run; `counts` is the warp's own. The places of a first way through are
// not used.
template <bool PLACE> static __device__ inline void go_through(const sort_args &args, int *counts) {
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const int each = (args.slots + args.warps - 1) / args.warps;
    const int end = min(args.slots, (warp + 1) * each);
    for (int base = warp * each; base < end; base += LANES) {
        const int slot = base + lane;
        const int expert = slot < end ? args.chosen[slot] : -1;
        const unsigned same = __match_any_sync(0xffffffffu, expert);
        const int rank = __popc(same & ((1u << lane) - 1));
        if (PLACE && expert >= 0) args.by_place[counts[expert] + rank] = slot;
        __syncwarp(); // all have read the counts
        if (expert >= 0 && rank == 0) counts[expert] += __popc(same);
        __syncwarp(); // they are written before the next are read
    }
}

static __global__ __launch_bounds__(THREADS) void sort_kernel(const sort_args args) {
    __shared__ int counts[COUNTS];
    const int warp = threadIdx.x / LANES, expert = threadIdx.x;
    for (int i = threadIdx.x; i < args.warps * args.experts; i += THREADS)
        counts[i] = 0;
    grid_launch_dependents();
    grid_wait();
    __syncthreads(); // zeros are there before they are counted up
    if (warp < args.warps) go_through<false>(args, counts + warp * args.experts);
    __syncthreads(); // all runs are counted
    int mine = 0, places, items;
    for (int w = 0; w < args.warps && expert < args.experts; w++)
        mine += counts[w * args.experts + expert];
    const int first = scan(mine, &places);
    const int own = (mine + args.item_slots - 1) / args.item_slots, item = scan(own, &items);
    for (int w = 0, place = first; w < args.warps && expert < args.experts; w++) {
        const int next = place + counts[w * args.experts + expert];
        counts[w * args.experts + expert] = place;
        place = next;
    }
    for (int i = 0; i < own; i++)
        args.items[item + i] = {expert, first + i * args.item_slots,
                                min(args.item_slots, mine - i * args.item_slots)};
    if (threadIdx.x == 0) *args.count = items;
    __syncthreads(); // places stand where counts were
    if (warp < args.warps) go_through<true>(args, counts + warp * args.experts);
}

struct expert_work experts_sort(struct device *device, const struct experts *args,
                                int32_t item_slots) {
    struct sort_args sort = {};
    sort.chosen = args->chosen;
    sort.by_place = device->expert_slots;
    sort.count = device->expert_slots + device->limits.max_tokens * device->limits.experts_used;
    sort.items = device->expert_items;
    sort.slots = args->tokens * args->used;
    sort.experts = args->experts;
    sort.item_slots = item_slots;
    sort.warps = min((int)WARPS, COUNTS / args->experts);
    launch_after(device, sort_kernel, dim3(1), dim3(THREADS), 0, sort);
    struct expert_work work = {};
    work.chosen = args->chosen;
    work.slots = sort.by_place;
    work.items = sort.items;
    work.count = sort.count;
    work.most_items = most_items(sort.slots, args->experts, item_slots);
    work.slot_count = sort.slots;
    work.used = args->used;
    work.experts = args->experts;
    return work;
}
