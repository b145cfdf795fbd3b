// kernels/reference/reference.c — the reference backend's table and its scratch.
//
// Every op is the formula of backend.h in plain loops: fp32 rows, sums in double, one thread.
// Faster backends are tested against it, so nothing here is clever.
#include "kernels/reference/reference.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/base/assert.h"
#include "kernels/host.h"

static void release_scratch(struct device *device) {
    free(device->row);
    free(device->keys);
    free(device->values);
    free(device->scores);
    free(device->cos_sin);
    free(device->hidden);
    *device = (struct device){0};
}

static enum status reference_open(const struct device_options *options, struct device **device,
                                  struct error *err) {
    (void)options;
    struct device *opened = calloc(1, sizeof *opened);
    if (!opened) return error_set(err, STATUS_NO_MEMORY, "not enough memory for the device");
    *device = opened;
    return STATUS_OK;
}

static void reference_close(struct device *device) {
    if (!device) return;
    release_scratch(device);
    free(device);
}

static void reference_info(struct device *device, struct device_info *info) {
    (void)device;
    char name[64];
    *info = (struct device_info){0};
    host_cpu_name(name, sizeof name);
    (void)snprintf(info->name, sizeof info->name, "%s, 1 thread, reference", name);
    host_memory(&info->memory_total, &info->memory_free);
    info->cache_bytes = host_cache_bytes();
    info->threads = 1;
}

// Allocates `count` zeroed elements; true on success, and for a count of 0.
static bool alloc_array(void *memory, int64_t count, size_t size) {
    void **pointer = memory;
    ASSERT(count >= 0);
    if (count == 0) return true;
    *pointer = calloc((size_t)count, size);
    return *pointer != NULL;
}

static enum status reference_reserve(struct device *device, const struct workspace *workspace) {
    const struct workspace w = *workspace;
    const int64_t gathered = (int64_t)w.max_context * w.head_size;
    ASSERT(w.max_features >= 0 && gathered >= 0 && w.expert_rows >= 0);
    struct device fresh = {.limits = w};
    if (!alloc_array(&fresh.row, w.max_features, sizeof *fresh.row) ||
        !alloc_array(&fresh.keys, gathered, sizeof *fresh.keys) ||
        !alloc_array(&fresh.values, gathered, sizeof *fresh.values) ||
        !alloc_array(&fresh.scores, w.max_context, sizeof *fresh.scores) ||
        !alloc_array(&fresh.cos_sin, 2 * (int64_t)w.head_size, sizeof *fresh.cos_sin) ||
        !alloc_array(&fresh.hidden, w.expert_rows, sizeof *fresh.hidden)) {
        release_scratch(&fresh);
        return STATUS_NO_MEMORY;
    }
    release_scratch(device);
    *device = fresh;
    return STATUS_OK;
}

static void reference_read(struct device *device, const void *memory, size_t bytes, int pattern) {
    (void)pattern;
    (void)device;
    const volatile unsigned char *byte = memory;
    unsigned sum = 0;
    for (size_t i = 0; i < bytes; i++)
        sum += byte[i];
    (void)sum;
}

static void reference_attention(struct device *device, const struct attention *args) {
    attention_unfused(backend_reference(), device, args);
}

const struct backend *backend_reference(void) {
    static const struct backend table = {
        .name = "reference",
        .activation = DTYPE_F32,
        .residual = DTYPE_F32,
        .weights_in_file = true,
        .batch_tokens = 512,
        .open = reference_open,
        .close = reference_close,
        .info = reference_info,
        .reserve = reference_reserve,
        .alloc = host_alloc,
        .release = host_release,
        .alloc_host = host_alloc,
        .release_host = host_release,
        .weights = host_weights,
        .copy_weights = host_copy_weights,
        .arrange_weights = host_copy_weights,
        .to_device = host_to_device,
        .to_host = host_to_host,
        .sync = host_sync,
        .call_host = host_call,
        .ask_host = reference_ask_host,
        .take_answer = reference_take_answer,
        .gather_experts = reference_gather_experts,
        .embedding = reference_embedding,
        .rmsnorm = reference_rmsnorm,
        .narrow = reference_narrow,
        .add_rows = reference_add_rows,
        .linear = reference_linear,
        .gated_linear = reference_gated_linear,
        .rope_and_cache = reference_rope_and_cache,
        .paged_attention = reference_paged_attention,
        .attention = reference_attention,
        .short_conv = reference_short_conv,
        .recurrence = reference_recurrence,
        .copy_parts = host_copy_parts,
        .scale_rows = host_scale_rows,
        .act_and_mul = reference_act_and_mul,
        .route = reference_route,
        .experts = reference_experts,
        .logits = reference_logits,
        .candidates = reference_candidates,
        .copy_blocks = host_copy_blocks,
        .swap_blocks = host_swap_blocks,
        .read = reference_read,
    };
    return &table;
}
