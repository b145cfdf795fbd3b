// kernels/cuda/experts_sort.cu — sorts slots by expert, so that each expert's weights are read
// once.
//
//   chosen  [slots] int32  in: the expert of slot token * used + j
//   slots   [slots] int32  out, by rank: an expert's slots side by side, in their order
//   items   [count] expert_item  out, by expert and rank
//
//   grid   1;  block  a thread an expert and a warp for each 32 slots, at most WARPS x 32
//   shared counts [warps][experts]
//
// A stable counting sort: each warp counts a range of slots by expert, a scan over warps and
// experts turns counts into ranks, and each warp walks its range once more to store the slots.
// Slots of experts that are not computed now have no rank. The result depends on the router's
// choice alone. Bound by latency.
#include "kernels/cuda/experts.cuh"

enum { WARPS = 32, THREADS = WARPS * LANES, COUNTS = 8192 }; // counts that fit shared memory
static_assert((int)COUNTS >= EXPERTS_MAX && (int)THREADS >= EXPERTS_MAX, "one thread an expert");

struct sort_args {
    const int32_t *chosen;
    int32_t *sorted_slots, *count;
    struct expert_item *items;
    int32_t slots, experts, item_slots;
    struct expert_range only;
    int32_t warps; // that sort: as many as have slots and as COUNTS allows
};

// Returns the sum of `value` over the threads before this one; *total is the sum over all.
static __device__ inline int scan(int value, int *total) {
    __shared__ int warps[WARPS];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const int sum = warp_scan(value);
    if (lane == LANES - 1) warps[warp] = sum;
    __syncthreads(); // orders the warps' sums before their reads
    int others = 0, all = 0;
    for (int w = 0; w < blockDim.x / LANES; w++) {
        others += w < warp ? warps[w] : 0;
        all += warps[w];
    }
    __syncthreads(); // orders these reads before the next scan's writes
    *total = all;
    return others + sum - value;
}

// Walks the warp's range of slots and adds it to `counts`, the warp's own. With STORE, the counts
// begin as ranks, and slots are stored at theirs.
template <bool STORE>
static __device__ inline void count_slots(const sort_args &args, int *counts) {
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const int each = (args.slots + args.warps - 1) / args.warps;
    const int end = min(args.slots, (warp + 1) * each);
    for (int base = warp * each; base < end; base += LANES) {
        const int slot = base + lane;
        const int chosen = slot < end ? args.chosen[slot] : -1;
        const int expert = is_within(args.only, chosen) ? chosen : -1;
        const unsigned same = __match_any_sync(0xffffffffu, expert);
        const int nth = __popc(same & ((1u << lane) - 1));
        if (STORE && expert >= 0) args.sorted_slots[counts[expert] + nth] = slot;
        __syncwarp(); // orders all reads of the counts before the writes
        if (expert >= 0 && nth == 0) counts[expert] += __popc(same);
        __syncwarp(); // orders the writes before the next reads
    }
}

static __global__ __launch_bounds__(THREADS) void sort_kernel(const sort_args args) {
    __shared__ int counts[COUNTS];
    const int warp = threadIdx.x / LANES, expert = threadIdx.x;
    for (int i = threadIdx.x; i < args.warps * args.experts; i += blockDim.x)
        counts[i] = 0;
    grid_launch_dependents();
    grid_wait();
    __syncthreads(); // orders the zeros before the counting
    if (warp < args.warps) count_slots<false>(args, counts + warp * args.experts);
    __syncthreads(); // orders all counts before the scan
    int mine = 0, ranked, items;
    for (int w = 0; w < args.warps && expert < args.experts; w++)
        mine += counts[w * args.experts + expert];
    const int first = scan(mine, &ranked);
    const int own = (mine + args.item_slots - 1) / args.item_slots, item = scan(own, &items);
    for (int w = 0, rank = first; w < args.warps && expert < args.experts; w++) {
        const int next = rank + counts[w * args.experts + expert];
        counts[w * args.experts + expert] = rank;
        rank = next;
    }
    for (int i = 0; i < own; i++)
        args.items[item + i] = {expert, first + i * args.item_slots,
                                min(args.item_slots, mine - i * args.item_slots)};
    if (threadIdx.x == 0) *args.count = items;
    __syncthreads(); // orders the ranks before they are used
    if (warp < args.warps) count_slots<true>(args, counts + warp * args.experts);
}

struct expert_work experts_sort(struct device *device, const struct experts *args,
                                int32_t item_slots) {
    ASSERT(item_slots > 0 &&
           args->tokens * args->used <= device->limits.max_tokens * device->limits.experts_used);
    struct sort_args sort = {};
    sort.chosen = args->chosen;
    sort.sorted_slots = device->expert_slots;
    sort.count = device->expert_slots + device->limits.max_tokens * device->limits.experts_used;
    sort.items = device->expert_items;
    sort.slots = args->tokens * args->used;
    sort.experts = args->experts;
    sort.item_slots = item_slots;
    sort.only = args->only;
    const int needed = (int)ceil_divide((size_t)sort.slots, LANES);
    const int for_experts = (int)ceil_divide((size_t)args->experts, LANES);
    sort.warps = min(min((int)WARPS, COUNTS / args->experts), needed);
    launch_after(device, sort_kernel, dim3(1), dim3(LANES * max(sort.warps, for_experts)), 0, sort);
    struct expert_work work = {};
    work.chosen = args->chosen;
    work.slots = sort.sorted_slots;
    work.items = sort.items;
    work.count = sort.count;
    work.most_items = most_items(sort.slots, args->experts, item_slots);
    work.used = args->used;
    return work;
}
