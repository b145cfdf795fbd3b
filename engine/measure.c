// engine/measure.c — what benchmarks ask of an engine.
#include <stdlib.h>
#include <string.h>

#include "engine/internal.h"
#include "engine/model/kv_shape.h"
#include "kernels/base/clock.h"
#include "kernels/cost.h"

double engine_measure_read(struct engine *engine, size_t bytes) {
    enum { RUNS = 5 };
    void *memory;
    if (engine->backend->alloc(engine->device, bytes, &memory) != STATUS_OK) return 0;
    // Untouched pages all map to one zero page, which would be read from the processor's caches.
    enum { CHUNK = 1 << 20 };
    unsigned char *chunk = malloc(CHUNK);
    if (chunk) memset(chunk, 1, CHUNK);
    for (size_t at = 0; chunk && at < bytes; at += CHUNK)
        engine->backend->to_device(engine->device, (unsigned char *)memory + at, chunk,
                                   bytes - at < CHUNK ? bytes - at : CHUNK);
    free(chunk);
    double best = 0;
    for (int run = 0; run < RUNS; run++) {
        const int64_t before = clock_now_us();
        engine->backend->read(engine->device, memory, bytes);
        if (engine->backend->sync(engine->device) != STATUS_OK) break;
        const int64_t elapsed_us = clock_now_us() - before;
        const double speed = (double)bytes / (double)(elapsed_us > 0 ? elapsed_us : 1) * 1e6;
        if (speed > best) best = speed;
    }
    engine->backend->release(engine->device, memory, bytes);
    return best;
}

size_t engine_step_bytes(const struct engine *engine, int32_t rows, int32_t context) {
    const struct model *model = &engine->model;
    size_t bytes = model_step_bytes(model, rows);
    for (int32_t i = 0; i < model->config.layers; i++) {
        const struct layer_spec *layer = &model->config.specs[i];
        const struct attention_spec *spec = &layer->attention;
        if (layer->mixer == MIXER_RECURRENCE) // a state is read and written
            bytes += (size_t)rows * 2 * recurrence_spec_state_bytes(&layer->recurrence);
        if (layer->mixer == MIXER_RECURRENCE || layer->mixer == MIXER_NONE) continue;
        const bool all = spec->window == 0 || spec->window > context;
        struct kv_cache cache = engine->shapes[kv_shape_group(&model->config, i)];
        cache.num_kv_heads = spec->kv_heads;
        cache.head_size = spec->head_size;
        bytes += (size_t)rows * attention_bytes(&cache, all ? context : spec->window);
    }
    return bytes;
}
