#include "tests/bench/cache/cache.h"

#include "store/disk_cache/disk_cache.h"
#include "tests/bench/cache/parts.h"

enum status cache_open_folder(struct kv_bench *bench) {
    const struct bench_options *options = bench->options;
    return bench_folder_open(&bench->folder, options->folder, !options->folder_given,
                             &bench->harness.err);
}

struct disk_pool *cache_disk(struct kv_bench *bench) {
    struct disk_pool *disk =
        disk_cache_create(&(struct disk_cache_options){.folder = bench->folder.path});
    return disk ? bench_meter_init(bench->meters, disk) : NULL;
}

static enum status probe(struct kv_bench *bench) {
    return harness_probe(&bench->harness, &bench->read_bytes_per_s);
}

static const struct {
    const char *name;
    enum status (*measure)(struct kv_bench *bench);
} PARTS[] = {
    {"the machine", probe},
    {"forks", cache_forks},
    {"resuming", cache_resume},
    {"fifty turns", cache_turns},
    {"two conversations", cache_pairs},
};

int cache_bench_run(const struct bench_options *options) {
    // Static, because an engine whose disk does not answer keeps using its meter.
    static struct kv_bench bench;
    bench = (struct kv_bench){.options = options, .harness = {.options = &options->engine}};
    enum status status = STATUS_OK;
    harness_catch_signals();
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0] && status == STATUS_OK; i++) {
        harness_progress(options->quiet, PARTS[i].name);
        status = PARTS[i].measure(&bench);
        harness_close(&bench.harness);
        if (harness_signal()) status = STATUS_CANCELLED;
    }
    harness_progress(options->quiet, "");
    if (status == STATUS_OK && !cache_print(&bench)) status = STATUS_NO_MEMORY;
    return harness_end(&bench.harness, status);
}
