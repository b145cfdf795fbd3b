// tests/device/time_shared.cu — how long does attention to a past take that several sequences
// share?
//
// Microseconds a call from replays of a graph, the median of several, with the past read once and
// by each sequence; and how far apart the results are, as the largest relative L2 error of a row.
#include <math.h>
#include <stdio.h>

#include "tests/device/scene.cuh"
#include "tests/device/tests.cuh"

#include <algorithm>

enum { REPLAYS = 9, CALLS = 20, SEQS = 64, LONGEST = 33000, TAIL = 100 };

static double replay(struct device *device, const struct paged_attention *args) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaEvent_t start, stop;
    float ms[REPLAYS];
    backend_cuda()->paged_attention(device, args); // kernels are loaded before the capture
    CUDA(cudaStreamSynchronize(device->stream));
    CUDA(cudaStreamBeginCapture(device->stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < CALLS; i++)
        backend_cuda()->paged_attention(device, args);
    CUDA(device->failure);
    CUDA(cudaStreamEndCapture(device->stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    CUDA(cudaGraphLaunch(exec, device->stream)); // warm
    for (float &took : ms) {
        CUDA(cudaEventRecord(start, device->stream));
        CUDA(cudaGraphLaunch(exec, device->stream));
        CUDA(cudaEventRecord(stop, device->stream));
        CUDA(cudaStreamSynchronize(device->stream));
        CUDA(cudaEventElapsedTime(&took, start, stop));
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(stop));
    std::sort(ms, ms + REPLAYS);
    return 1e3 * (double)ms[REPLAYS / 2] / CALLS;
}

static std::vector<double> output_of(const struct scene *scene) {
    const std::vector<uint16_t> bits = scene_output(scene);
    std::vector<double> values(bits.size());
    for (size_t i = 0; i < bits.size(); i++)
        values[i] = (double)half_to_float(bits[i]);
    return values;
}

static void time_tree(struct device *device, struct tree *tree, const char *what) {
    struct scene_shape shape = {DTYPE_F16, 32, 8, 128, 16};
    shape.keys.assign(tree->keys, tree->keys + tree->batch.num_seqs);
    shape.queries.assign(tree->batch.num_seqs, 1);
    shape.tree = tree;
    const struct backend *backend = backend_cuda();
    const bool shares = tree_share(tree, 16, backend->shared_keys, backend->shared_least);
    struct scene scene;
    scene_fill(&scene, &shape, 1);
    struct batch apart = scene.batch;
    apart.shared = {};
    struct paged_attention args = scene.args;
    args.batch = &apart;
    const double each = replay(device, &args);
    const std::vector<double> expected = output_of(&scene);
    scene_poison(&scene);
    const double once = replay(device, &scene.args);
    printf("%s  %3d x %5d  %9.1f  %9.1f   %.1e%s\n", what, tree->batch.num_seqs, tree->keys[0],
           each, once, scene_error(&scene, expected), shares ? "" : "   nothing is shared");
    scene_release(&scene);
    tree_drop(tree);
}

void time_shared(struct device *, struct tally *tally) {
    static const int PASTS[] = {1024, 4096, 8192, 32000}, FORKS[] = {1, 2, 4, 8, 16, 32, 64};
    const struct device_options options = {0, false};
    const struct workspace workspace = {SEQS, 64 * 256, SEQS, LONGEST, 32, 128};
    struct device *device;
    struct error err;
    struct tree tree;
    (void)tally;
    if (backend_cuda()->open(&options, &device, &err) != STATUS_OK ||
        backend_cuda()->reserve(device, &workspace) != STATUS_OK)
        CUDA(cudaErrorInitializationError);
    printf("32/8 heads of 128, fp16, microseconds\nsequences     read by each       once\n");
    for (int past : PASTS)
        for (int forks : FORKS) {
            tree_make_even(&tree, 1, forks, past, past, past + TAIL, 16);
            time_tree(device, &tree, "flat");
        }
    tree_make_even(&tree, 8, 4, 16384, 24576, 24576 + TAIL, 16);
    time_tree(device, &tree, "tree");
    tree_make_even(&tree, 1, 32, 24576, 24576, 24576 + TAIL, 16);
    time_tree(device, &tree, "flat");
    tree_make_even(&tree, 64, 1, 0, 0, 512, 16);
    time_tree(device, &tree, "none");
    tree_make_even(&tree, 64, 1, 0, 0, 2048, 16);
    time_tree(device, &tree, "none");
    backend_cuda()->close(device);
}
