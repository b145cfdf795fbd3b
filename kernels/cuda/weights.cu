// kernels/cuda/weights.cu — a file's matrices, copied to the card in the order of tiles.cuh.
//
// Weights that cross in the middle of a step, copy_weights(), are as much a matter of the link as
// of the card. A stream of their own copies them to one of three stages, and only repacking is in
// the order of ops:
//
//   copies   up 1 ► gate 1 ► down 1 ►  up 2  ► gate 2 ► down 2 ► ...
//   ops               repack up 1 ► ... ► repack down 1 ► experts 1 ► repack up 2 ► ...
//
// Ops are enqueued long before they run, so the next layer's weights cross while this layer is
// computed, without anybody knowing which layer is next.
//
// A large matrix goes this way in parts of some rows, whole tiles, so that stages stay small.
//
// A pinned table is arranged on the card like any other matrix, and then copied back.
//
// Blocks are repacked as repack.cuh says; bf16 is rounded to fp16:
//
//   grid  1024;  block  THREADS, one weight a thread and step
#include "kernels/cuda/gemv.cuh"
#include "kernels/cuda/types.cuh"

#include <cstdlib>

enum { THREADS = 256, SLAB_ALIGNMENT = 512 };
static const size_t SLAB_BYTES = (size_t)128 << 20;

static __global__ void halves_kernel(__half *to, const __nv_bfloat16 *from, size_t count) {
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < count;
         i += (size_t)gridDim.x * THREADS)
        from_float(__bfloat162float(from[i]), &to[i]);
}

// Other types are kept as they are in a file.
static bool is_repacked(enum dtype type) { return type != DTYPE_F32 && type != DTYPE_F16; }

static void repack(struct device *device, void *to, const struct weight *from) {
    if (from->type != DTYPE_BF16) {
        type_kernels(from->type)->repack(device, to, from);
        return;
    }
    halves_kernel<<<1024, THREADS, 0, device->stream>>>((__half *)to,
                                                        (const __nv_bfloat16 *)from->data,
                                                        (size_t)from->rows * (size_t)from->columns);
    device_note(device, cudaGetLastError());
}

// Waits for the device if the type's weights can be too large for it.
static bool exceeds(struct device *device, enum dtype type) {
    return type_kernels(kept_type(type))->exceeds(device);
}

// Weights that cross in the middle of a step are not waited for: sync() finds those that exceed.
extern "C" void cuda_note_exceeding(struct device *device) {
    for (int type = 0; type < DTYPE_COUNT; type++)
        if (device->crossed[type] && exceeds(device, (enum dtype)type))
            device_note(device, cudaErrorInvalidValue);
}

// Grows the buffer on the card that holds a matrix's bytes as in the file until they are repacked.
// Copies and kernels run in order, so one buffer is enough.
static enum status grow_staging(struct device *device, size_t bytes) {
    if (bytes <= device->staging_bytes) return STATUS_OK;
    cuda_free_staging(device);
    TRY(cuda_alloc(device, bytes, &device->staging));
    device->staging_bytes = bytes;
    return STATUS_OK;
}

extern "C" void cuda_free_staging(struct device *device) {
    device_note(device, cudaFree(device->staging));
    device->staging = NULL;
    device->staging_bytes = 0;
}

static size_t bytes_on_card(const struct weight *w) {
    return type_kernels(kept_type(w->type))->bytes(w);
}

static size_t bytes_in_file(const struct weight *w) {
    return (size_t)w->rows * dtype_row_bytes(w->type, w->columns);
}

// What crosses at once of a matrix, from this row on. Parts lie on the card one behind the other.
static struct weight part_from(const struct weight *w, int32_t first) {
    const size_t row_bytes = dtype_row_bytes(w->type, w->columns);
    const size_t tiles = max((size_t)1, CROSSING_PART_BYTES / row_bytes / TILE_ROWS);
    struct weight part = *w;
    ASSERT(first >= 0 && first < w->rows && first % TILE_ROWS == 0);
    part.data = (const char *)w->data + (size_t)first * row_bytes;
    part.rows = (int32_t)min((size_t)(w->rows - first), tiles * TILE_ROWS);
    return part;
}

// Copies the file's bytes to the card as they are, and repacks them there.
static enum status copy_repacked(struct device *device, const struct weight *in_file, void *to) {
    ASSERT(in_file->rows > 0 && in_file->columns > 0);
    struct weight raw = *in_file;
    const size_t bytes = bytes_in_file(&raw);
    const bool repacked = is_repacked(raw.type);
    if (repacked) TRY(grow_staging(device, bytes));
    raw.data = repacked ? device->staging : to;
    device_note(device, cudaMemcpyAsync((void *)raw.data, in_file->data, bytes,
                                        cudaMemcpyHostToDevice, device->stream));
    if (repacked) repack(device, to, &raw);
    return STATUS_OK;
}

static enum status copy_in_parts(struct device *device, const struct weight *in_file, void *to) {
    struct weight part;
    for (int32_t first = 0; first < in_file->rows; first += part.rows) {
        part = part_from(in_file, first);
        TRY(copy_repacked(device, &part, to));
        to = (char *)to + bytes_on_card(&part);
    }
    return STATUS_OK;
}

static enum status add_slab(struct device *device, size_t bytes, bool pinned) {
    ASSERT(bytes > 0);
    struct copied_weights *slab = (struct copied_weights *)calloc(1, sizeof *slab);
    if (!slab) return STATUS_NO_MEMORY;
    const auto alloc = pinned ? cuda_alloc_host : cuda_alloc;
    if (alloc(device, bytes, &slab->memory) != STATUS_OK) {
        free(slab);
        return STATUS_NO_MEMORY;
    }
    slab->pinned = pinned;
    slab->bytes = bytes;
    slab->next = device->weights;
    device->weights = slab;
    return STATUS_OK;
}

// A mixture has thousands of matrices. They share slabs, because each allocation takes time and is
// rounded up by the driver. A large matrix, or one of the last that fit the card, has its own.
static enum status alloc_in_slab(struct device *device, size_t bytes, void **memory) {
    const size_t rounded = (bytes + SLAB_ALIGNMENT - 1) / SLAB_ALIGNMENT * SLAB_ALIGNMENT;
    struct copied_weights *slab = device->weights;
    ASSERT(!slab || slab->used <= slab->bytes);
    while (slab && slab->bytes - slab->used < rounded)
        slab = slab->next;
    if (!slab) {
        const bool large = rounded > SLAB_BYTES / 4;
        if (large || add_slab(device, SLAB_BYTES, false) != STATUS_OK)
            TRY(add_slab(device, rounded, false));
        slab = device->weights;
    }
    *memory = (char *)slab->memory + slab->used;
    slab->used += rounded;
    return STATUS_OK;
}

// Each part is repacked behind its bytes as in the file.
static enum status copy_to_host(struct device *device, const struct weight *in_file, char *to) {
    struct weight part = part_from(in_file, 0);
    const size_t before =
        (bytes_in_file(&part) + SLAB_ALIGNMENT - 1) / SLAB_ALIGNMENT * SLAB_ALIGNMENT;
    TRY(grow_staging(device, before + bytes_on_card(&part)));
    char *const repacked = (char *)device->staging + before;
    for (int32_t first = 0; first < in_file->rows; first += part.rows) {
        part = part_from(in_file, first);
        const size_t bytes = bytes_on_card(&part);
        TRY(copy_repacked(device, &part, repacked));
        device_note(device,
                    cudaMemcpyAsync(to, repacked, bytes, cudaMemcpyDeviceToHost, device->stream));
        to += bytes;
    }
    return STATUS_OK;
}

// NULL: it has to be on the card like the others.
static char *alloc_pinned(struct device *device, size_t bytes) {
    if (add_slab(device, bytes, true) != STATUS_OK) return nullptr;
    device->weights->used = bytes;
    return (char *)device->weights->memory;
}

extern "C" enum status cuda_weights(struct device *device, const struct weight *in_file,
                                    const void **data) {
    ASSERT(in_file->data);
    if (in_file->columns % 8) return STATUS_UNSUPPORTED; // rows are read 16 bytes of fp16 at a time
    const size_t bytes = bytes_on_card(in_file);
    char *const pinned = in_file->pinned ? alloc_pinned(device, bytes) : nullptr;
    void *memory = pinned;
    if (!pinned) TRY(alloc_in_slab(device, bytes, &memory));
    TRY(pinned ? copy_to_host(device, in_file, pinned) : copy_in_parts(device, in_file, memory));
    if (exceeds(device, in_file->type)) return STATUS_UNSUPPORTED;
    if (!pinned && !gemv_fits(in_file)) device->plain_bytes += bytes;
    *data = memory;
    return STATUS_OK;
}

static void note_status(struct device *device, enum status status) {
    if (status != STATUS_OK) device_note(device, cudaErrorMemoryAllocation);
}

static bool open_stages(struct device *device) {
    struct stages *stages = &device->stages;
    if (stages->stream) return true;
    for (auto &stage : stages->of)
        for (cudaEvent_t *event : {&stage.copied, &stage.repacked})
            if (!*event)
                device_note(device, cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    device_note(device, cudaStreamCreateWithFlags(&stages->stream, cudaStreamNonBlocking));
    return device->failure == cudaSuccess;
}

// Makes the stage's buffer large enough; false: there is no memory for it.
static bool grow_stage(struct device *device, int index, size_t bytes) {
    auto &stage = device->stages.of[index];
    if (bytes <= stage.bytes) return true;
    device_note(device, cudaFree(stage.memory));
    stage.memory = nullptr;
    stage.bytes = 0;
    if (cuda_alloc(device, bytes, &stage.memory) != STATUS_OK) return false;
    stage.bytes = bytes;
    return true;
}

// The next stage in turn that there is memory for; -1: none.
static int next_stage(struct device *device, size_t bytes) {
    struct stages *stages = &device->stages;
    for (int i = 0; i < CROSSING_PARTS; i++) {
        const int index = stages->next;
        stages->next = (index + 1) % CROSSING_PARTS;
        if (grow_stage(device, index, bytes)) return index;
    }
    return -1;
}

static bool is_recording(struct device *device) {
    cudaStreamCaptureStatus status;
    device_note(device, cudaStreamIsCapturing(device->stream, &status));
    return status != cudaStreamCaptureStatusNone;
}

// False: this matrix has to cross in the order of ops. A recorded step has no copies ahead, because
// what they wait for belongs to earlier steps.
static bool copy_ahead(struct device *device, const struct weight *in_file, void *memory) {
    struct stages *stages = &device->stages;
    struct weight raw = *in_file;
    const size_t bytes = bytes_in_file(&raw);
    if (!is_repacked(raw.type) || is_recording(device)) return false;
    const int index = open_stages(device) ? next_stage(device, bytes) : -1;
    if (index < 0) return false;
    const auto &stage = stages->of[index];
    raw.data = stage.memory;
    device_note(device, cudaStreamWaitEvent(stages->stream, stage.repacked, 0));
    device_note(device, cudaMemcpyAsync(stage.memory, in_file->data, bytes, cudaMemcpyHostToDevice,
                                        stages->stream));
    device_note(device, cudaEventRecord(stage.copied, stages->stream));
    device_note(device, cudaStreamWaitEvent(device->stream, stage.copied, 0));
    repack(device, memory, &raw);
    device_note(device, cudaEventRecord(stage.repacked, device->stream));
    return true;
}

extern "C" void cuda_copy_weights(struct device *device, const struct weight *in_file,
                                  void *memory) {
    struct weight part;
    device->crossed[in_file->type] = true;
    for (int32_t first = 0; first < in_file->rows; first += part.rows) {
        part = part_from(in_file, first);
        if (!copy_ahead(device, &part, memory))
            note_status(device, copy_repacked(device, &part, memory));
        memory = (char *)memory + bytes_on_card(&part);
    }
}

extern "C" void cuda_arrange_weights(struct device *device, const struct weight *on_device,
                                     void *memory) {
    const size_t bytes = bytes_in_file(on_device);
    device->crossed[on_device->type] = true;
    if (is_repacked(on_device->type))
        repack(device, memory, on_device);
    else
        device_note(device, cudaMemcpyAsync(memory, on_device->data, bytes,
                                            cudaMemcpyDeviceToDevice, device->stream));
}

static bool open_background(struct device *device) {
    struct background_copies *background = &device->background;
    int least, greatest;
    if (!background->done)
        device_note(device, cudaEventCreateWithFlags(&background->done, cudaEventDisableTiming));
    device_note(device, cudaDeviceGetStreamPriorityRange(&least, &greatest));
    if (!background->stream)
        device_note(device, cudaStreamCreateWithPriority(&background->stream, cudaStreamNonBlocking,
                                                         least));
    return device->failure == cudaSuccess;
}

static void swap_background(struct device *device) {
    struct background_copies *background = &device->background;
    const struct background_copies own = {device->stream, background->done, device->staging,
                                          device->staging_bytes};
    device->stream = background->stream;
    device->staging = background->staging;
    device->staging_bytes = background->staging_bytes;
    *background = own;
}

// With a stream and a staging buffer of its own, as if they were the device's.
extern "C" bool cuda_copy_in_background(struct device *device, const struct weight *in_file,
                                        void *memory) {
    if (!open_background(device)) return false;
    device->crossed[in_file->type] = true;
    swap_background(device);
    const bool begun = copy_in_parts(device, in_file, memory) == STATUS_OK;
    device_note(device, cudaEventRecord(device->background.done, device->stream));
    swap_background(device);
    return begun;
}

extern "C" bool cuda_background_copies_done(struct device *device) {
    if (!device->background.stream) return true;
    const cudaError_t result = cudaEventQuery(device->background.done);
    if (result == cudaErrorNotReady) cudaGetLastError(); // clears what is no failure
    if (result != cudaErrorNotReady) device_note(device, result);
    return result != cudaErrorNotReady;
}

extern "C" void cuda_close_copies(struct device *device) {
    struct background_copies *background = &device->background;
    struct stages *stages = &device->stages;
    if (background->stream) cudaStreamSynchronize(background->stream);
    if (stages->stream) cudaStreamSynchronize(stages->stream);
    cudaFree(background->staging);
    if (background->done) cudaEventDestroy(background->done);
    if (background->stream) cudaStreamDestroy(background->stream);
    for (auto &stage : stages->of) {
        cudaFree(stage.memory);
        if (stage.copied) cudaEventDestroy(stage.copied);
        if (stage.repacked) cudaEventDestroy(stage.repacked);
    }
    if (stages->stream) cudaStreamDestroy(stages->stream);
    *background = {};
    *stages = {};
}

// Tiles are whole rows of a matrix, one tile below another. If stacked matrices together take as
// many bytes as one by one, each is whole tiles: its rows are columns of another matrix, and so a
// multiple of half a tile.
extern "C" size_t cuda_weight_bytes(const struct weight *in_file) {
    return in_file->columns % 8 ? 0 : bytes_on_card(in_file);
}

extern "C" void cuda_free_weights(struct device *device) {
    if (device->stream) cudaStreamSynchronize(device->stream); // it may still write pinned ones
    while (device->weights) {
        struct copied_weights *first = device->weights;
        device->weights = first->next;
        if (first->pinned)
            cuda_release_host(device, first->memory, first->bytes);
        else
            cudaFree(first->memory);
        free(first);
    }
}
