// app/bench/ops.c — `quire bench attention|swap`.
//
// Bytes are computed by kernels/cost.h; the read bandwidth and the plain copy to compare with are
// measured in the same run. A step covers more layers than any processor cache can hold. Cases that
// do not fit the free memory, that a kernel lacks or that would take seconds are skipped with a
// message.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/exit_code.h"
#include "app/bench/bench.h"
#include "app/bench/report.h"
#include "app/screen/complain.h"
#include "kernels/backend.h"
#include "kernels/base/clock.h"
#include "kernels/base/size.h"
#include "kernels/cost.h"
#include "kernels/read_speed.h"

enum {
    HEADS = 32,
    KV_HEADS = 8,
    HEAD_SIZE = 128,
    BLOCK_SIZE = 16,
    MAX_LAYERS = 32,
    LENGTHS = 4,
    BATCHES = 3,
    SWAP_BLOCKS = 256,
};

static const int32_t CASE_LENGTHS[LENGTHS] = {512, 2048, 8192, 32768};
static const int32_t CASE_BATCHES[BATCHES] = {1, 8, 64};
static const size_t SPARE_BYTES = (size_t)1 << 30; // of memory, besides what is measured
static const double LEAST_US = 20000;              // of one measurement: shorter calls are repeated
static const double MOST_US = 2e6;                 // of one call: longer ones are not made

struct op_bench {
    const struct bench_options *options;
    const struct backend *backend;
    struct device *device;
    struct device_info info;
    enum dtype kv_type;
    double read_bytes_per_s;
    double us_per_byte[ATTENTION_KERNELS]; // the least so far; 0: not measured
    struct report report;                  // of JSON, so far
    struct error err;
};

static const struct backend *find_backend(const char *name) {
    if (strcmp(name, "cpu") == 0) return backend_cpu();
    if (strcmp(name, "reference") == 0) return backend_reference();
    return backend_cuda();
}

static enum status open_backend(struct op_bench *bench) {
    const char *name = bench->options->engine.backend ? bench->options->engine.backend : "auto";
    const struct device_options options = {.threads = bench->options->engine.threads};
    bench->backend = find_backend(name);
    if (bench->backend && bench->backend->open(&options, &bench->device, &bench->err) == STATUS_OK)
        return STATUS_OK;
    if (strcmp(name, "auto") != 0)
        return bench->backend ? bench->err.status
                              : error_set(&bench->err, STATUS_UNSUPPORTED,
                                          "this quire was built without CUDA; use --backend cpu");
    bench->backend = backend_cpu();
    return bench->backend->open(&options, &bench->device, &bench->err);
}

// Memory with something in it: untouched pages of a processor are all one.
static enum status alloc_filled(struct op_bench *bench, size_t bytes, void **memory) {
    enum { CHUNK = 1 << 20 };
    TRY(bench->backend->alloc(bench->device, bytes, memory));
    uint16_t *chunk = malloc(CHUNK);
    if (!chunk) return STATUS_NO_MEMORY;
    for (uint32_t i = 0; i < CHUNK / sizeof *chunk; i++) // finite in any type, of both signs
        chunk[i] = (uint16_t)(0x2c00 + i * 2654435761u % 0x400 + (i & 1) * 0x8000);
    for (size_t at = 0; at < bytes; at += CHUNK)
        bench->backend->to_device(bench->device, (char *)*memory + at, chunk,
                                  bytes - at < CHUNK ? bytes - at : CHUNK);
    const enum status status = bench->backend->sync(bench->device);
    free(chunk);
    return status;
}

typedef void op_call(struct op_bench *bench, const void *args);

static double once_us(struct op_bench *bench, op_call *call, const void *args, int32_t repeats) {
    const int64_t before = clock_now_us();
    for (int32_t i = 0; i < repeats; i++)
        call(bench, args);
    if (bench->backend->sync(bench->device) != STATUS_OK) return 0;
    return (double)(clock_now_us() - before) / repeats;
}

// The median time of a call; 0: the device failed.
static double median_us(struct op_bench *bench, op_call *call, const void *args) {
    struct samples times = {0};
    const double first = once_us(bench, call, args, 1), warm = once_us(bench, call, args, 1);
    if (!(first > 0) || !(warm > 0)) return 0;
    const int32_t repeats = warm < LEAST_US ? (int32_t)(LEAST_US / warm) + 1 : 1;
    for (int32_t i = 0; i < bench->options->runs; i++)
        samples_add(&times, once_us(bench, call, args, repeats));
    return samples_figure(&times).median;
}

struct op_row {
    const char *op, *way, *what; // way: which of several there are
    double us;                   // 0: it failed, or was skipped
    size_t bytes;
    const char *skipped; // why
};

static double speed_of(const struct op_row *row) { // bytes a second
    return row->us > 0 ? (double)row->bytes / row->us * 1e6 : 0;
}

static void print_row(const struct op_bench *bench, const struct op_row *row) {
    printf("%-10s %-8s %-15s ", row->op, row->way, row->what);
    if (row->skipped)
        printf("skipped: %s\n", row->skipped);
    else
        printf("%10.1f us %9.1f GB/s %6.1f %%\n", row->us, speed_of(row) / 1e9,
               100 * speed_of(row) / bench->read_bytes_per_s);
}

static void report_row(struct op_bench *bench, const struct op_row *row) {
    struct report *report = &bench->report;
    report_object(report, NULL);
    report_text(report, "verb", row->op);
    report_text(report, "way", row->way);
    report_text(report, "what", row->what);
    if (row->skipped) {
        report_text(report, "skipped", row->skipped);
    } else {
        report_number(report, "us", row->us);
        report_number(report, "bytes", (double)row->bytes);
        report_number(report, "bytes_per_s", speed_of(row));
        report_number(report, "of_read_bandwidth", speed_of(row) / bench->read_bytes_per_s);
    }
    report_end(report);
}

static enum status note_row(struct op_bench *bench, const struct op_row *row) {
    if (!row->skipped && !(row->us > 0))
        return error_set(&bench->err, STATUS_DEVICE, "the device failed");
    if (bench->options->json)
        report_row(bench, row);
    else
        print_row(bench, row);
    return STATUS_OK;
}

// ---- attention

struct scene { // one decode step's attention, all layers, and what it points to
    struct kv_cache cache;
    struct batch batch;
    struct paged_attention args;
    int32_t *numbers; // host: every int32 of the batch, one after the other
    size_t number_count;
    void *device_numbers, *slots, *q, *out;
    size_t cache_bytes, q_bytes;
};

static void attend(struct op_bench *bench, const struct scene *scene) {
    struct paged_attention args = scene->args;
    for (args.layer = 0; args.layer < scene->cache.num_layers; args.layer++)
        bench->backend->paged_attention(bench->device, &args);
}

// As the forward pass does it: recorded, where the backend records.
static void call_attention(struct op_bench *bench, const void *args) {
    enum { KEY = 1 };
    const struct backend *backend = bench->backend;
    if (backend->replay && backend->replay(bench->device, KEY)) return;
    attend(bench, args);
    if (backend->recorded && !backend->recorded(bench->device)) attend(bench, args);
}

// cu_seqlens_q, seq_lens_kv, positions and a block table in which neighbours lie far apart.
static enum status fill_numbers(struct scene *scene, int32_t batch, int32_t length) {
    const int32_t width = length / BLOCK_SIZE;
    const uint32_t blocks = scene->cache.num_blocks;
    scene->number_count = (size_t)(3 * batch + 1) + (size_t)batch * (size_t)width;
    scene->numbers = malloc(scene->number_count * sizeof scene->numbers[0]);
    if (!scene->numbers) return STATUS_NO_MEMORY;
    int32_t *cu = scene->numbers, *lengths = cu + batch + 1, *positions = lengths + batch;
    int32_t *table = positions + batch;
    for (int32_t s = 0; s <= batch; s++)
        cu[s] = s;
    for (int32_t s = 0; s < batch; s++) {
        lengths[s] = length;
        positions[s] = length - 1;
    }
    uint32_t stride = blocks / 2 + 1; // coprime with the number of blocks: each is used once
    while (stride % 2 == 0 || blocks % stride == 0)
        stride++;
    for (size_t i = 0; i < (size_t)batch * (size_t)width; i++)
        table[i] = (int32_t)((uint64_t)i * stride % blocks);
    return STATUS_OK;
}

static struct workspace workspace_of(const struct scene *scene) {
    return (struct workspace){.max_tokens = scene->batch.num_seqs,
                              .max_features = HEADS * HEAD_SIZE,
                              .max_seqs = scene->batch.num_seqs,
                              .max_context = scene->batch.max_blocks_per_seq * BLOCK_SIZE,
                              .num_heads = HEADS,
                              .head_size = HEAD_SIZE,
                              .attention = scene->args.kernel};
}

static size_t layer_bytes(const struct op_bench *bench, int32_t batch, int32_t length) {
    const size_t row = dtype_row_bytes(bench->kv_type, HEAD_SIZE);
    return 2 * (size_t)batch * (size_t)length * KV_HEADS * row;
}

// As many as it takes for none to be found in a cache when its turn comes again.
static int32_t layers_of(const struct op_bench *bench, int32_t batch, int32_t length) {
    const size_t layers =
        read_speed_bytes(bench->info.cache_bytes) / layer_bytes(bench, batch, length) + 1;
    return layers < MAX_LAYERS ? (int32_t)layers : MAX_LAYERS;
}

static enum status open_scene(struct op_bench *bench, struct scene *scene, int32_t batch,
                              int32_t length) {
    *scene = (struct scene){.cache = {.type = bench->kv_type,
                                      .num_layers = layers_of(bench, batch, length),
                                      .num_kv_heads = KV_HEADS,
                                      .head_size = HEAD_SIZE,
                                      .block_size = BLOCK_SIZE,
                                      .num_blocks = (uint32_t)(batch * (length / BLOCK_SIZE))}};
    scene->cache_bytes = scene->cache.num_blocks * kv_block_bytes(&scene->cache);
    scene->q_bytes = (size_t)batch * HEADS * dtype_row_bytes(bench->backend->activation, HEAD_SIZE);
    TRY(alloc_filled(bench, scene->cache_bytes, &scene->cache.data));
    TRY(alloc_filled(bench, scene->q_bytes, &scene->q));
    TRY(alloc_filled(bench, scene->q_bytes, &scene->out));
    TRY(alloc_filled(bench, (size_t)batch * sizeof(int64_t), &scene->slots));
    TRY(fill_numbers(scene, batch, length));
    const size_t bytes = scene->number_count * sizeof scene->numbers[0];
    TRY(bench->backend->alloc(bench->device, bytes, &scene->device_numbers));
    bench->backend->to_device(bench->device, scene->device_numbers, scene->numbers, bytes);
    const int32_t *numbers = scene->device_numbers;
    scene->batch = (struct batch){.num_seqs = batch,
                                  .num_tokens = batch,
                                  .max_blocks_per_seq = length / BLOCK_SIZE,
                                  .cu_seqlens_q = numbers,
                                  .seq_lens_kv = numbers + batch + 1,
                                  .positions = numbers + 2 * batch + 1,
                                  .block_table = numbers + 3 * batch + 1,
                                  .slot_mapping = scene->slots};
    scene->args = (struct paged_attention){.out = scene->out,
                                           .q = scene->q,
                                           .num_heads = HEADS,
                                           .scale = 0.0884f, // 1 / sqrt(HEAD_SIZE)
                                           .cache = &scene->cache,
                                           .batch = &scene->batch};
    return bench->backend->sync(bench->device);
}

static void close_scene(struct op_bench *bench, struct scene *scene) {
    const struct backend *backend = bench->backend;
    backend->release(bench->device, scene->cache.data, scene->cache_bytes);
    backend->release(bench->device, scene->q, scene->q_bytes);
    backend->release(bench->device, scene->out, scene->q_bytes);
    backend->release(bench->device, scene->slots, (size_t)scene->batch.num_seqs * sizeof(int64_t));
    backend->release(bench->device, scene->device_numbers,
                     scene->number_count * sizeof scene->numbers[0]);
    free(scene->numbers);
}

static bool fits(const struct op_bench *bench, int32_t batch, int32_t length) {
    const size_t layers = (size_t)layers_of(bench, batch, length);
    return layers * layer_bytes(bench, batch, length) + SPARE_BYTES < bench->info.memory_free / 2;
}

// One kernel over an open scene; time and bytes are those of one layer.
static enum status measure_kernel(struct op_bench *bench, struct scene *scene, const char *what,
                                  enum attention_kernel kernel) {
    const struct backend *backend = bench->backend;
    const int32_t layers = scene->cache.num_layers;
    struct op_row row = {
        "attention", attention_name(kernel), what,
        .bytes = attention_bytes(&scene->cache, (int64_t)scene->cache.num_blocks * BLOCK_SIZE)};
    scene->args.kernel = kernel;
    scene->cache.layout = attention_layout(kernel);
    const struct workspace workspace = workspace_of(scene);
    const double predicted_us = bench->us_per_byte[kernel] * (double)row.bytes * layers;
    struct error err = {0};
    char why[64];
    snprintf(why, sizeof why, "a call would take about %.1f s", predicted_us / 1e6);
    if (predicted_us > MOST_US) row.skipped = why;
    if (backend->attention_check &&
        backend->attention_check(bench->device, &scene->args, workspace.max_context, &err))
        row.skipped = err.text;
    if (!row.skipped) {
        TRY(backend->reserve(bench->device, &workspace));
        once_us(bench, call_attention, scene, 1); // seen; what follows is recorded, then replayed
        row.us = median_us(bench, call_attention, scene) / layers;
        double *least = &bench->us_per_byte[kernel];
        if (!(*least > 0) || row.us / (double)row.bytes < *least)
            *least = row.us / (double)row.bytes;
    }
    return note_row(bench, &row);
}

static enum status measure_kernels(struct op_bench *bench, struct scene *scene, const char *what) {
    static const enum attention_kernel KERNELS[] = {ATTENTION_V1, ATTENTION_V2, ATTENTION_FLASH,
                                                    ATTENTION_GATHER};
    if (!bench->backend->attention_check) return measure_kernel(bench, scene, what, ATTENTION_AUTO);
    for (size_t i = 0; i < sizeof KERNELS / sizeof KERNELS[0]; i++)
        TRY(measure_kernel(bench, scene, what, KERNELS[i]));
    return STATUS_OK;
}

static enum status measure_attention_case(struct op_bench *bench, int32_t batch, int32_t length) {
    char what[32];
    snprintf(what, sizeof what, "%" PRId32 " x %" PRId32, batch, length);
    if (!fits(bench, batch, length))
        return note_row(bench, &(struct op_row){"attention", "", what,
                                                .skipped = "does not fit half of the memory"});
    struct scene scene;
    enum status status = open_scene(bench, &scene, batch, length);
    if (status == STATUS_OK) status = measure_kernels(bench, &scene, what);
    close_scene(bench, &scene);
    return status;
}

static enum status measure_attention(struct op_bench *bench) {
    for (int b = 0; b < BATCHES; b++)
        for (int l = 0; l < LENGTHS; l++)
            TRY(measure_attention_case(bench, CASE_BATCHES[b], CASE_LENGTHS[l]));
    return STATUS_OK;
}

// ---- swap

static void call_swap(struct op_bench *bench, const void *args) {
    bench->backend->swap_blocks(bench->device, args);
}

struct plain_copy {
    void *to;
    const void *from;
    size_t bytes;
};

static void call_copy(struct op_bench *bench, const void *args) {
    const struct plain_copy *copy = args;
    bench->backend->to_device(bench->device, copy->to, copy->from, copy->bytes);
}

static enum status swap_with(struct op_bench *bench, const struct kv_cache *cache, void *slab) {
    uint32_t scattered[SWAP_BLOCKS], neighbours[SWAP_BLOCKS];
    for (uint32_t i = 0; i < SWAP_BLOCKS; i++) {
        scattered[i] = i * 101 % SWAP_BLOCKS;
        neighbours[i] = i;
    }
    const size_t bytes = SWAP_BLOCKS * kv_block_bytes(cache);
    const struct plain_copy plain = {cache->data, slab, bytes};
    struct op_row row = {"copy", "in", "all at once", median_us(bench, call_copy, &plain),
                         bytes,  NULL};
    TRY(note_row(bench, &row));
    for (int i = 0; i < 4; i++) {
        const bool out = i >= 2, apart = i % 2;
        const struct swap_blocks args = {.cache = cache,
                                         .host = slab,
                                         .blocks = apart ? scattered : neighbours,
                                         .slots = neighbours,
                                         .pairs = SWAP_BLOCKS,
                                         .out = out};
        row = (struct op_row){"swap",
                              out ? "out" : "in",
                              apart ? "scattered" : "neighbours",
                              median_us(bench, call_swap, &args),
                              bytes,
                              NULL};
        TRY(note_row(bench, &row));
    }
    return STATUS_OK;
}

// An allocation may succeed without memory behind it, and the system ends the process later.
static enum status check_memory(struct op_bench *bench, size_t bytes) {
    char need[SIZE_TEXT_BYTES], have[SIZE_TEXT_BYTES];
    if (bytes < bench->info.memory_free) return STATUS_OK;
    return error_set(&bench->err, STATUS_NO_MEMORY, "swap needs %s of memory, but only %s is free",
                     size_format(bytes, need), size_format(bench->info.memory_free, have));
}

static enum status measure_swap(struct op_bench *bench) {
    struct kv_cache cache = {.type = bench->kv_type,
                             .num_layers = MAX_LAYERS,
                             .num_kv_heads = KV_HEADS,
                             .head_size = HEAD_SIZE,
                             .block_size = BLOCK_SIZE,
                             .num_blocks = SWAP_BLOCKS};
    const size_t bytes = SWAP_BLOCKS * kv_block_bytes(&cache);
    void *slab = NULL;
    TRY(check_memory(bench, 2 * bytes)); // a processor has both sides in one memory
    TRY(alloc_filled(bench, bytes, &cache.data));
    enum status status = bench->backend->alloc_host(bench->device, bytes, &slab);
    if (status == STATUS_OK) {
        memset(slab, 1, bytes);
        status = swap_with(bench, &cache, slab);
        bench->backend->release_host(bench->device, slab, bytes);
    }
    bench->backend->release(bench->device, cache.data, bytes);
    return status;
}

static void begin_output(struct op_bench *bench) {
    struct report *report = &bench->report;
    if (!bench->options->json) {
        printf("%s: %.60s, KV %s\nread bandwidth %.1f GB/s (measured in this run)\n\n",
               bench->backend->name, bench->info.name, dtype_name(bench->kv_type),
               bench->read_bytes_per_s / 1e9);
        return;
    }
    report_object(report, NULL);
    report_text(report, "backend", bench->backend->name);
    report_text(report, "device", bench->info.name);
    report_text(report, "kv_type", dtype_name(bench->kv_type));
    report_number(report, "read_bytes_per_s", bench->read_bytes_per_s);
    report_array(report, "results");
}

static enum status measure_ops(struct op_bench *bench) {
    const struct bench_options *options = bench->options;
    const char *type = options->engine.kv_type ? options->engine.kv_type : "auto";
    TRY(open_backend(bench));
    bench->kv_type = DTYPE_F16;
    if (strcmp(type, "auto") != 0 && !kv_type_find(type, &bench->kv_type))
        return error_set(&bench->err, STATUS_BAD_INPUT, "kv-type: no such type \"%s\"", type);
    bench->backend->info(bench->device, &bench->info);
    bench->read_bytes_per_s = read_speed_measure(bench->backend, bench->device);
    if (!(bench->read_bytes_per_s > 0))
        return error_set(&bench->err, STATUS_NO_MEMORY,
                         "not enough memory to measure the read bandwidth");
    begin_output(bench);
    if (options->attention) TRY(measure_attention(bench));
    if (options->swap) TRY(measure_swap(bench));
    if (options->json && !report_print(&bench->report, options->one_line)) return STATUS_NO_MEMORY;
    return STATUS_OK;
}

int bench_ops_run(const struct bench_options *options) {
    struct op_bench bench = {.options = options};
    const enum status status = measure_ops(&bench);
    report_discard(&bench.report);
    if (bench.device) bench.backend->close(bench.device);
    if (status == STATUS_OK) return EXIT_DONE;
    return complain_failed(exit_code_for_model(status), status, &bench.err);
}
