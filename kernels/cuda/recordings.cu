// kernels/cuda/recordings.cu — steps of one shape, recorded as CUDA graphs and replayed.
//
// A shape runs plainly the first time (kernels are loaded, cuBLASLt chooses), is captured the
// second time, and replayed from then on: one launch instead of hundreds. Arguments are part of a
// graph, so whatever changes from step to step lies in device memory.
#include "kernels/cuda/device.cuh"

#include <cstdlib>

enum { RECORDINGS_MAX = 64 };

struct recording {
    uint64_t key;         // 0: empty
    cudaGraphExec_t exec; // NULL: seen once
    bool hopeless;        // it could not be captured
};

struct recordings {
    struct recording items[RECORDINGS_MAX];
    int next;                    // to be evicted for a new shape
    struct recording *capturing; // or NULL
};

static struct recording *find(struct recordings *all, uint64_t key) {
    for (int i = 0; i < RECORDINGS_MAX; i++)
        if (all->items[i].key == key) return &all->items[i];
    return NULL;
}

static void note_seen(struct recordings *all, uint64_t key) {
    ASSERT(all->next >= 0 && all->next < RECORDINGS_MAX);
    struct recording *item = &all->items[all->next];
    all->next = (all->next + 1) % RECORDINGS_MAX;
    if (item->exec) cudaGraphExecDestroy(item->exec);
    *item = (struct recording){.key = key};
}

extern "C" bool cuda_replay(struct device *device, uint64_t key) {
    ASSERT(key > 0);
    if (!device->recordings)
        device->recordings = (struct recordings *)calloc(1, sizeof *device->recordings);
    struct recordings *all = device->recordings;
    if (!all) return false;
    struct recording *item = find(all, key);
    if (item && item->exec) {
        device_note(device, cudaGraphLaunch(item->exec, device->stream));
        return true;
    }
    if (!item) {
        note_seen(all, key);
    } else if (!item->hopeless && device->failure == cudaSuccess &&
               cudaStreamBeginCapture(device->stream, cudaStreamCaptureModeThreadLocal) ==
                   cudaSuccess) {
        all->capturing = item;
    }
    return false;
}

extern "C" bool cuda_recorded(struct device *device) {
    struct recording *item = device->recordings ? device->recordings->capturing : NULL;
    if (!item) return true;
    device->recordings->capturing = NULL;
    cudaGraph_t graph = NULL;
    cudaError_t result = cudaStreamEndCapture(device->stream, &graph);
    if (result == cudaSuccess) result = device->failure;
    if (result == cudaSuccess) result = cudaGraphInstantiate(&item->exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    if (result == cudaSuccess) {
        device_note(device, cudaGraphLaunch(item->exec, device->stream));
        return true;
    }
    item->exec = NULL;
    item->hopeless = true;
    device->failure = cudaSuccess; // the capture failed, but no op has run yet
    cudaGetLastError();
    return false;
}

extern "C" void cuda_forget_recordings(struct device *device) {
    for (int i = 0; device->recordings && i < RECORDINGS_MAX; i++)
        if (device->recordings->items[i].exec)
            cudaGraphExecDestroy(device->recordings->items[i].exec);
    free(device->recordings);
    device->recordings = NULL;
}
