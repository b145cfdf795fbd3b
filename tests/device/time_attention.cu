// tests/device/time_attention.cu — how long do v1 and v2 take?
//
// Microseconds a call from replays of a graph, the median of several; calls go round page sets of
// at least CYCLED_BYTES together, so that none finds its pages in L2.
#include <math.h>
#include <stdio.h>

#include "tests/device/instances.cuh"
#include "tests/device/tests.cuh"

#include <algorithm>

enum { REPLAYS = 9, MAX_SETS = 32, CYCLED_BYTES = 256 << 20 };

struct timed_case {
    int seqs, len;
};

static bool fits(const struct device *device, const struct packed_attention *args, int heads) {
    return (size_t)heads * args->max_seq_len * sizeof(float) + 8192 <=
           device->properties.sharedMemPerBlockOptin;
}

static double replay(struct device *device, cudaGraph_t graph, int calls) {
    cudaGraphExec_t exec;
    cudaEvent_t start, stop;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    float ms[REPLAYS];
    CUDA(cudaGraphLaunch(exec, device->stream)); // warm
    for (float &took : ms) {
        CUDA(cudaEventRecord(start, device->stream));
        CUDA(cudaGraphLaunch(exec, device->stream));
        CUDA(cudaEventRecord(stop, device->stream));
        CUDA(cudaStreamSynchronize(device->stream));
        CUDA(cudaEventElapsedTime(&took, start, stop));
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(stop));
    std::sort(ms, ms + REPLAYS);
    return 1e3 * (double)ms[REPLAYS / 2] / calls;
}

static void enqueue(struct device *device, const struct packed_attention *args, bool v1,
                    int heads) {
    if (v1)
        paged_attention_v1_with(device, args, instances_find, heads);
    else
        paged_attention_v2_with(device, args, instances_find, heads);
}

// The sequences of a case are the first ones of `pages`, then the next ones, and so on.
static double time_calls(struct device *device, const struct pages *pages, int seqs, bool v1,
                         int heads) {
    struct packed_attention args = pages->args;
    const int sets = pages->args.num_seqs / seqs;
    args.num_seqs = seqs;
    cudaGraph_t graph;
    enqueue(device, &args, v1, heads); // the kernel is loaded before the capture
    CUDA(cudaStreamSynchronize(device->stream));
    CUDA(cudaStreamBeginCapture(device->stream, cudaStreamCaptureModeGlobal));
    for (int set = 0; set < sets; set++) {
        args.block_table =
            pages->args.block_table + (size_t)set * seqs * pages->args.max_blocks_per_seq;
        enqueue(device, &args, v1, heads);
    }
    CUDA(device->failure);
    CUDA(cudaStreamEndCapture(device->stream, &graph));
    const double took = replay(device, graph, sets);
    CUDA(cudaGraphDestroy(graph));
    return took;
}

static void time_case(struct device *device, struct pages *pages, const struct timed_case *timed) {
    struct packed_attention *args = &pages->args;
    const size_t bytes = packed_attention_bytes(args, (int64_t)timed->seqs * timed->len);
    const int sets = (int)std::min<size_t>(MAX_SETS, CYCLED_BYTES / bytes + 1);
    const struct page_limits limits = {1, timed->len, true, 1};
    args->num_seqs = timed->seqs * sets;
    pages_fill(pages, &limits);
    for (int heads = 0; heads <= 4; heads = heads ? heads * 2 : 1) {
        double took[2] = {NAN, NAN};
        for (int v = 1; v <= 2; v++)
            if (v == 2 || fits(device, args, heads ? heads : 1))
                took[v - 1] = time_calls(device, pages, timed->seqs, v == 1, heads);
        printf("%4d x %5d  %s  %-9s  %8.1f %6.0f  %8.1f %6.0f\n", timed->seqs, timed->len,
               args->type == DTYPE_F16 ? "fp16" : "bf16",
               heads == 0   ? "chosen"
               : heads == 1 ? "1 head"
               : heads == 2 ? "2 heads"
                            : "4 heads",
               took[0], (double)bytes / took[0] / 1e3, took[1], (double)bytes / took[1] / 1e3);
    }
    pages_release(pages);
}

void time_attention(struct device *device, struct tally *tally) {
    static const struct timed_case CASES[] = {{1, 2048}, {1, 32768}, {64, 8192}};
    static const enum dtype TYPES[] = {DTYPE_F16, DTYPE_BF16};
    struct pages pages = {};
    (void)tally;
    printf("32/8 heads of 128, blocks of 16: microseconds, GB/s of K and V\n"
           "sequences     type  a block          v1             v2\n");
    for (const struct timed_case &timed : CASES)
        for (enum dtype type : TYPES) {
            struct packed_attention *args = &pages.args;
            args->num_heads = 32;
            args->num_kv_heads = 8;
            args->head_size = 128;
            args->block_size = 16;
            args->type = type;
            args->scale = 0.088f;
            args->k_scale = args->v_scale = 1;
            args->alibi_slopes = nullptr;
            time_case(device, &pages, &timed);
        }
    CUDA(cudaFree(pages.memory));
    CUDA(cudaFree(pages.scratch));
}
