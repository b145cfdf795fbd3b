#include "engine/settling.h"

#include <stdlib.h>

#include "engine/core/engine_state.h"
#include "engine/pool.h"
#include "kernels/huge_pages.h"
#include "kernels/numa.h"

struct files {
    struct huge_pages_range *ranges; // NULL: they are counted
    size_t count;
};

static void add_file(const struct mapped_file *file, void *user) {
    struct files *files = user;
    if (files->ranges)
        files->ranges[files->count] = (struct huge_pages_range){file->bytes, file->length};
    files->count++;
}

// What the cache and the sequences may still come to, as they are committed when first touched.
static size_t promised_bytes(const struct engine *engine, const struct engine_options *options) {
    return options->kv_host_bytes + pool_all_bytes(engine);
}

void settling_start(struct engine *engine, const struct engine_options *options) {
    struct files files = {0};
    if (!engine->gguf || !engine->backend->weights_in_file) return;
    gguf_visit_files(engine->gguf, add_file, &files);
    files.ranges = malloc(files.count * sizeof *files.ranges);
    if (!files.ranges) return; // they stay where they are
    files.count = 0;
    gguf_visit_files(engine->gguf, add_file, &files);
    const size_t bytes = gguf_file_bytes(engine->gguf), promised = promised_bytes(engine, options);
    const struct huge_pages_memory memory = {
        .budget = huge_pages_budget("", bytes, promised),
        .kept = bytes + promised,
        .nodes = numa_nodes("", options->threads),
    };
    engine->huge_pages = huge_pages_start(files.ranges, files.count, &memory);
    free(files.ranges);
}
