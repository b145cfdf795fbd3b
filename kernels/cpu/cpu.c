// kernels/cpu/cpu.c — the fast processor backend: its table, its threads and its scratch.
//
// Every op is cut into tasks that threads claim in any order, and each task computes its rows as if
// they were alone (the invariants of the *.inc files). So this backend is always deterministic,
// whatever `threads` is, with two exceptions on a matrix unit. F16 and BF16 weights have other bits
// in a step of many tokens than in one of few (pairs.inc), and a prompt is attended with other bits
// than the same tokens of an answer (attention_pairs.inc), however it is cut.
// device_options.deterministic excludes these.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/size.h"
#include "kernels/cpu/device.h"
#include "kernels/host.h"

enum { LINE_BYTES = 64, READ_BYTES = 1 << 20 };

static enum status cpu_open(const struct device_options *options, struct device **device,
                            struct error *err) {
    const char *wanted = getenv("QUIRE_ISA");
    if (wanted && *wanted && !isa_force(wanted)) {
        char names[64];
        isa_names(names, sizeof names);
        return error_set(err, STATUS_UNSUPPORTED,
                         "QUIRE_ISA: this processor has no \"%.32s\" (expected one of %s)", wanted,
                         names);
    }
    struct device *opened = calloc(1, sizeof *opened);
    if (!opened) return error_set(err, STATUS_NO_MEMORY, "not enough memory for the device");
    const struct cpu_level *level = isa_choose();
    opened->isa = level->isa;
    opened->matrix = level->matrix;
    opened->deterministic = options->deterministic;
    const enum status status = threads_create(options->threads, options->spin_us, &opened->threads);
    if (status != STATUS_OK) {
        free(opened);
        return error_set(err, status, "cannot start %d threads", (int)options->threads);
    }
    *device = opened;
    return STATUS_OK;
}

static void cpu_close(struct device *device) {
    if (!device) return;
    threads_destroy(device->threads);
    free(device->activations);
    free(device->tiles);
    free(device->bf16_tiles);
    free(device->scratch);
    expert_scratch_destroy(device->experts);
    free(device);
}

static void cpu_info(struct device *device, struct device_info *info) {
    char name[56];
    *info = (struct device_info){.plain_instructions = device->isa == &isa_generic};
    host_cpu_name(name, sizeof name);
    const int threads = (int)threads_count(device->threads);
    (void)snprintf(info->name, sizeof info->name, "%s, %d thread%s, %s", name, threads,
                   threads == 1 ? "" : "s",
                   device->matrix ? device->matrix->name : device->isa->name);
    host_memory(&info->memory_total, &info->memory_free);
    info->cache_bytes = host_cache_bytes();
    info->threads = threads;
}

// Floats of a thread's scratch: for an attention part, or for the cosines and sines of a token.
static size_t scratch_floats(const struct workspace *w) {
    ASSERT(w->num_heads >= 0 && w->head_size >= 0);
    const size_t heads = (size_t)w->num_heads;
    const size_t rows = heads > ATTENTION_MATRIX_ROWS ? heads : ATTENTION_MATRIX_ROWS;
    return size_round_up(attention_scratch(rows, w->head_size) + (size_t)w->head_size,
                         LINE_BYTES / sizeof(float));
}

static size_t tile_count(const struct workspace *w, int32_t rows) {
    ASSERT(rows >= 0);
    return ((size_t)rows / MATRIX_TOKENS + 1) * ((size_t)w->max_features / 32 + 1);
}

static enum status cpu_reserve(struct device *device, const struct workspace *workspace) {
    const struct workspace w = *workspace;
    int32_t max_rows = w.max_tokens > w.max_seqs ? w.max_tokens : w.max_seqs;
    if (max_rows < w.experts_used) max_rows = w.experts_used; // all of a token's at once
    ASSERT(max_rows >= 0 && w.max_features >= 0 && w.head_size >= 0);
    const size_t rows = (size_t)max_rows + FEW_TOKENS - 1;
    const size_t blocks = rows * ((size_t)w.max_features / 32 + 1);
    const size_t floats = scratch_floats(&w), threads = (size_t)threads_count(device->threads);
    const size_t activation_bytes = size_round_up(blocks * sizeof(struct act_block), LINE_BYTES);
    struct act_block *activations = aligned_alloc(LINE_BYTES, activation_bytes + LINE_BYTES);
    float *scratch = aligned_alloc(LINE_BYTES, threads * floats * sizeof(float));
    struct act_tile *tiles = NULL;
    struct act_bf16 *units = NULL;
    struct expert_scratch *experts = NULL;
    const bool matrix = device->matrix != NULL, splits = matrix && !device->deterministic;
    if (matrix) tiles = aligned_alloc(LINE_BYTES, tile_count(&w, max_rows) * sizeof *tiles);
    if (splits)
        units = aligned_alloc(LINE_BYTES, BF16_PARTS * tile_count(&w, max_rows) * sizeof *units);
    if (!activations || !scratch || (matrix && !tiles) || (splits && !units) ||
        expert_scratch_create(&w, &experts) != STATUS_OK) {
        free(activations);
        free(tiles);
        free(units);
        free(scratch);
        return STATUS_NO_MEMORY;
    }
    free(device->activations);
    free(device->tiles);
    free(device->bf16_tiles);
    free(device->scratch);
    expert_scratch_destroy(device->experts);
    memset(activations, 0, activation_bytes);
    device->experts = experts;
    device->activations = activations;
    device->tiles = tiles;
    device->bf16_tiles = units;
    device->scratch = scratch;
    device->scratch_floats = floats;
    device->max_rows = max_rows;
    device->limits = w;
    return STATUS_OK;
}

struct read_job {
    const struct cpu_isa *isa;
    const char *memory;
    int pattern;
};

static void read_part(void *context, int64_t begin, int64_t end, int32_t thread) {
    ASSERT(begin < end);
    (void)thread;
    const struct read_job *job = context;
    volatile uint64_t sink =
        job->isa->read(job->memory + begin, (size_t)(end - begin), job->pattern);
    (void)sink;
}

static void cpu_read(struct device *device, const void *memory, size_t bytes, int pattern) {
    struct read_job job = {device->isa, memory, pattern};
    threads_for(device->threads, (int64_t)bytes, READ_BYTES, read_part, &job);
}

static void cpu_attention(struct device *device, const struct attention *args) {
    attention_unfused(backend_cpu(), device, args);
}

const struct backend *backend_cpu(void) {
    static const struct backend table = {
        .name = "cpu",
        .activation = DTYPE_F32,
        .residual = DTYPE_F32,
        .weights_in_file = true,
        .batch_tokens = 512,
        .shared_keys = ATTENTION_KEYS,
        .shared_least = ATTENTION_KEYS,
        .open = cpu_open,
        .close = cpu_close,
        .info = cpu_info,
        .reserve = cpu_reserve,
        .alloc = host_alloc,
        .release = host_release,
        .alloc_host = host_alloc,
        .release_host = host_release,
        .weights = host_weights,
        .copy_weights = host_copy_weights,
        .to_device = host_to_device,
        .to_host = host_to_host,
        .sync = host_sync,
        .call_host = host_call,
        .embedding = cpu_embedding,
        .rmsnorm = cpu_rmsnorm,
        .narrow = cpu_narrow,
        .add_rows = cpu_add_rows,
        .linear = cpu_linear,
        .gated_linear = cpu_gated_linear,
        .rope_and_cache = cpu_rope_and_cache,
        .paged_attention = cpu_paged_attention,
        .attention = cpu_attention,
        .short_conv = cpu_short_conv,
        .recurrence = cpu_recurrence,
        .copy_parts = host_copy_parts,
        .scale_rows = host_scale_rows,
        .act_and_mul = cpu_act_and_mul,
        .route = cpu_route,
        .experts = cpu_experts,
        .logits = cpu_logits,
        .candidates = cpu_candidates,
        .copy_blocks = host_copy_blocks,
        .swap_blocks = host_swap_blocks,
        .read = cpu_read,
    };
    return &table;
}
