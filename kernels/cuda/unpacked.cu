// kernels/cuda/unpacked.cu — see unpacked.cuh.
#include "kernels/cuda/types.cuh"
#include "kernels/cuda/unpacked.cuh"

#include <cstdlib>

enum { SETS_MAX = 2048 }; // of a step; further ones are never unpacked ahead

static const size_t ELEMENTS = (size_t)64 << 20; // of a buffer

struct unpacked {
    cudaStream_t stream; // of lower priority than the device's, whose work is needed now
    __half *rows[2];
    cudaEvent_t written[2]; // each buffer, by the stream above
    cudaEvent_t read;       // everything enqueued before the newest product is done
    int side;               // the buffer that the newest product reads
    bool ahead;             // the other buffer holds, or will hold, order[at]

    struct unpacked_set order[SETS_MAX]; // of this step up to `at`, of the previous one from there
    int count, at;
};

struct unpacked *unpacked_create(struct device *device) {
    struct unpacked *u = (struct unpacked *)calloc(1, sizeof *u);
    if (!u) return NULL;
    bool made = cudaStreamCreateWithPriority(&u->stream, cudaStreamNonBlocking, 0) == cudaSuccess;
    made = made && cudaEventCreateWithFlags(&u->read, cudaEventDisableTiming) == cudaSuccess;
    for (int i = 0; i < 2; i++) {
        made =
            made && cudaEventCreateWithFlags(&u->written[i], cudaEventDisableTiming) == cudaSuccess;
        void *rows;
        made = made && cuda_alloc(device, ELEMENTS * sizeof(__half), &rows) == STATUS_OK;
        if (made) u->rows[i] = (__half *)rows;
    }
    if (made) return u;
    cudaGetLastError(); // clears the error, which the next launch would report as its own
    unpacked_destroy(u);
    return NULL;
}

void unpacked_destroy(struct unpacked *u) {
    if (!u) return;
    if (u->stream) cudaStreamSynchronize(u->stream);
    if (u->stream) cudaStreamDestroy(u->stream);
    if (u->read) cudaEventDestroy(u->read);
    for (int i = 0; i < 2; i++) {
        if (u->written[i]) cudaEventDestroy(u->written[i]);
        cudaFree(u->rows[i]);
    }
    free(u);
}

static size_t elements_of(const struct weight *w) { return (size_t)w->rows * (size_t)w->columns; }

bool unpacked_fits(const struct unpacked_set *set) {
    ASSERT(set->count > 0);
    return (size_t)set->count * elements_of(&set->w[0]) <= ELEMENTS;
}

static bool is_same(const struct unpacked_set *a, const struct unpacked_set *b) {
    return a->count == b->count && a->w[0].data == b->w[0].data &&
           a->w[a->count - 1].data == b->w[b->count - 1].data;
}

// On device->stream.
static void unpack(struct device *device, __half *to, const struct unpacked_set *set) {
    ASSERT(unpacked_fits(set));
    for (int i = 0; i < set->count; i++) {
        const struct weight *w = &set->w[i];
        type_kernels(kept_type(w->type))
            ->unpack(device, to + (size_t)i * elements_of(w), w, 0, w->rows);
    }
}

// Switches to the buffer that the newest product does not read; true if the set is in it.
static bool advance_to(struct device *device, const struct unpacked_set *set) {
    ASSERT(device->unpacked->side == 0 || device->unpacked->side == 1);
    struct unpacked *u = device->unpacked;
    const bool found = set && u->ahead && is_same(&u->order[u->at], set);
    u->side ^= 1;
    if (u->ahead) device_note(device, cudaStreamWaitEvent(device->stream, u->written[u->side], 0));
    u->ahead = false;
    return found;
}

// Advances to where the set is in the step's order, and corrects the order where it differs.
static void learn_order(struct unpacked *u, const struct unpacked_set *set) {
    ASSERT(u->at >= 0 && u->at <= u->count && u->count <= SETS_MAX);
    if (u->at == SETS_MAX || (u->at == u->count && u->count > 0 && is_same(&u->order[0], set)))
        u->at = 0;
    if (u->at == u->count || !is_same(&u->order[u->at], set)) {
        u->order[u->at] = *set;
        u->count = u->at + 1;
    }
    u->at++;
}

const __half *unpacked_find(struct device *device, const struct unpacked_set *set) {
    struct unpacked *u = device->unpacked;
    ASSERT(unpacked_fits(set));
    if (!advance_to(device, set)) unpack(device, u->rows[u->side], set);
    learn_order(u, set);
    device_note(device, cudaEventRecord(u->read, device->stream));
    return u->rows[u->side];
}

void unpacked_ahead(struct device *device) {
    struct unpacked *u = device->unpacked;
    if (u->at == u->count || u->ahead) return;
    const cudaStream_t stream = device->stream;
    device_note(device, cudaStreamWaitEvent(u->stream, u->read, 0));
    device->stream = u->stream;
    unpack(device, u->rows[u->side ^ 1], &u->order[u->at]);
    device->stream = stream;
    device_note(device, cudaEventRecord(u->written[u->side ^ 1], u->stream));
    u->ahead = true;
}

int32_t unpacked_strip_rows(const struct weight *w) {
    return (int32_t)(ELEMENTS / (size_t)w->columns) / TILE_ROWS * TILE_ROWS;
}

const __half *unpacked_strip(struct device *device, const struct weight *w, int32_t first,
                             int32_t rows) {
    struct unpacked *u = device->unpacked;
    advance_to(device, NULL);
    return type_kernels(kept_type(w->type))->unpack(device, u->rows[u->side], w, first, rows);
}
