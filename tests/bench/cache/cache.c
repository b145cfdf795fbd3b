#include "tests/bench/cache/cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "app/base/exit_code.h"
#include "app/screen/complain.h"
#include "kernels/base/size.h"
#include "store/disk_cache/disk_cache.h"
#include "tests/bench/cache/show.h"

enum { DEFAULT_RUNS = 5, RUNS_MAX = 64 };

static const double PATIENCE_US = 300e6; // for one prefill

struct part {
    const char *name;
    enum status (*measure)(struct kv_bench *bench);
};

struct disk_pool *cache_disk(struct kv_bench *bench) {
    struct disk_pool *disk =
        disk_cache_create(&(struct disk_cache_options){.folder = bench->folder.path});
    return disk ? bench_meter_init(bench->meters, disk) : NULL;
}

static const struct part PARTS[] = {
    {"forks", cache_forks},       {"a shared head", cache_sharing},   {"resuming", cache_resume},
    {"fifty turns", cache_turns}, {"two conversations", cache_pairs},
};

double cache_expect_us(const struct kv_bench *bench, int32_t from, int32_t to) {
    const double a = from, b = to;
    return bench->linear_us * (b - a) + bench->square_us * (b * b - a * a);
}

bool cache_affords(const struct kv_bench *bench, struct harness_room pools, int32_t length,
                   char missing[MISSING_BYTES]) {
    const double expected_us = cache_expect_us(bench, 0, length);
    const size_t bytes = harness_room_bytes(&bench->harness, pools);
    char need[SIZE_TEXT_BYTES];
    if (bytes > bench->most_bytes) {
        snprintf(missing, MISSING_BYTES, "it needs %s of KV cache", size_format(bytes, need));
        return false;
    }
    if (expected_us > PATIENCE_US) {
        snprintf(missing, MISSING_BYTES, "its prefill would take about %.0f s", expected_us / 1e6);
        return false;
    }
    return true;
}

// Reads facts about the machine from an engine with a pool of its own choice.
static enum status look_around(struct kv_bench *bench) {
    struct harness *harness = &bench->harness;
    TRY(harness_open(harness, &(struct harness_needs){0}));
    struct kv_usage usage;
    engine_kv_usage(harness->engine, &usage);
    bench->most_bytes =
        usage.device_blocks * usage.block_bytes + usage.window_blocks * usage.window_block_bytes;
    bench->read_bytes_per_s = engine_measure_read(harness->engine);
    if (bench->read_bytes_per_s > 0) return STATUS_OK;
    return error_set(&harness->err, STATUS_NO_MEMORY,
                     "not enough memory to measure the read bandwidth");
}

static void show_progress(const struct kv_bench *bench, const char *name) {
    if (bench->options->quiet || !isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\r%-40s\r%s", "", name ? name : "");
    fflush(stderr);
}

static enum status measure(struct kv_bench *bench) {
    show_progress(bench, "the machine");
    const enum status status = look_around(bench);
    harness_close(&bench->harness);
    if (status != STATUS_OK) return status;
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
        show_progress(bench, PARTS[i].name);
        TRY(PARTS[i].measure(bench));
        if (harness_signal()) return STATUS_CANCELLED;
    }
    return STATUS_OK;
}

int cache_bench_run(const struct bench_kv_options *options) {
    // Static, because an engine whose disk does not answer keeps using its meter.
    static struct kv_bench bench;
    if (options->runs < 0 || options->runs > RUNS_MAX) {
        fprintf(stderr, "quire: runs: expected 1 to %d, found %" PRId32 "\n", RUNS_MAX,
                options->runs);
        return EXIT_USAGE;
    }
    bench = (struct kv_bench){.options = options, .harness = {.subject = &options->subject}};
    bench.runs = options->runs ? options->runs : DEFAULT_RUNS;
    harness_catch_signals();
    const enum status status = measure(&bench);
    show_progress(&bench, NULL);
    if (harness_signal()) return 128 + harness_signal();
    if (status != STATUS_OK)
        return complain_failed(exit_code_for_bench(status), status, &bench.harness.err);
    if (!options->json) {
        cache_print(&bench);
        return EXIT_DONE;
    }
    if (cache_print_json(&bench)) return EXIT_DONE;
    complain("not enough memory");
    return EXIT_RUN_TIME;
}
