#include "engine/measure.h"

#include "engine/core/engine_state.h"
#include "engine/model/kv_shape.h"
#include "kernels/cost.h"
#include "kernels/huge_pages.h"
#include "kernels/offload.h"
#include "kernels/read_speed.h"

void engine_settle(struct engine *engine) {
    (void)huge_pages_wait(engine->huge_pages);
    if (engine->drafter) engine_settle(engine->drafter);
}

double engine_measure_read(struct engine *engine) {
    const double speed = read_speed_measure(engine->backend, engine->device);
    return speed > 0 ? speed : engine->read_bytes_s; // a split may leave no memory for a trial
}

struct engine_split engine_split(const struct engine *engine) {
    const struct placement *placement = &engine->placement;
    const size_t *bytes = placement->host_token_bytes;
    struct engine_split split = {0};
    if (!placement_splits(placement)) return split;
    const struct offload_counts counts = offload_counts(engine->device);
    if (counts.expert_slots > 0) split.hits = counts.lately.hits;
    const double read = (1 - split.hits) * (double)bytes[PLACEMENT_EXPERTS];
    split.host_bytes = bytes[PLACEMENT_DENSE] + (size_t)read;
    split.tokens_s = placement_tokens_at(placement, split.hits);
    return split;
}

size_t engine_read_bytes(struct engine *engine) {
    struct device_info info;
    engine->backend->info(engine->device, &info);
    return read_speed_bytes(info.cache_bytes);
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
        struct kv_cache cache = engine->shapes[engine->kv_shape.layers[i].group];
        cache.num_kv_heads = spec->kv_heads;
        cache.head_size = spec->head_size;
        bytes += (size_t)rows * attention_bytes(&cache, all ? context : spec->window);
    }
    return bytes;
}

bool engine_step_bytes_vary(const struct engine *engine, int32_t rows) {
    return model_step_bytes_vary(&engine->model, rows);
}
