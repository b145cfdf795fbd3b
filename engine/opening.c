// engine/opening.c — opens an engine step by step, and once more if memory runs short.
//
// Weights are placed by the memory that is free before anything is loaded, and the last buffers are
// allocated long after. If another program has taken memory in between, everything that was opened
// is closed, and the next attempt places the weights by what is free then, so more of them move to
// host memory. Only a placement that quire chose is tried again; any other failure is final.
#include "engine/opening.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "engine/engine.h"
#include "engine/placing.h"
#include "engine/pool.h"
#include "engine/remote/remote.h"
#include "engine/settling.h"
#include "engine/step/step.h"
#include "engine/tokenizer/tokenizer_json.h"
#include "kernels/base/assert.h"
#include "kernels/base/effort.h"
#include "kernels/base/log.h"
#include "kernels/base/size.h"

enum { IO_DEADLINE_MS = 3000 };

static enum status open_drafter(struct opening *opening) {
    struct engine *engine = opening->engine;
    if (!opening->options->draft_path || !engine->gguf) return STATUS_OK;
    TRY(tokenizer_open_model(engine->gguf, &engine->tokenizer, opening->err));
    const struct engine_options drafter = opening_drafter_options(opening);
    TRY(engine_open(&drafter, &engine->drafter, opening->err));
    return opening_check_drafter(opening);
}

// Chooses the device, and where the weights will live.
static enum status plan(struct opening *opening) {
    TRY(opening_choose_device(opening));
    TRY(opening_find_model(opening));
    TRY(opening_open_adapters(opening));
    TRY(pool_check_context(opening->engine, opening->options, opening->err));
    TRY(open_drafter(opening));
    return opening_place_weights(opening);
}

// On a processor, weights are mapped: what does not fit in memory is read from the file again and
// again.
static void warn_of_pressure(struct engine *engine) {
    char need[SIZE_TEXT_BYTES], have[SIZE_TEXT_BYTES];
    struct device_info info;
    const size_t bytes = pool_mapped_bytes(engine) + pool_all_bytes(engine);
    if (opening_is_card(engine, &info) || info.memory_free == 0) return;
    if (bytes > info.memory_free)
        log_write(
            LOG_WARNING,
            "weights and KV cache need %s of memory, but only %s is free; expect it to be slow",
            size_format(bytes, need), size_format(info.memory_free, have));
}

// Logs whatever will run on slow, plain kernels.
static void report_slow(struct engine *engine) {
    enum { SMALL_SHARE = 64 }; // less of the weights than this part is not worth a warning
    struct device_info info;
    char bytes[SIZE_TEXT_BYTES], heads[64] = "", matrices[64] = "";
    engine->backend->info(engine->device, &info);
    if (info.plain_instructions)
        log_write(LOG_WARNING, "this will be slow: quire has no SIMD kernels for this CPU");
    if (info.plain_bytes > engine->model.weight_bytes / SMALL_SHARE)
        snprintf(matrices, sizeof matrices, "%s of the weights",
                 size_format(info.plain_bytes, bytes));
    if (info.plain_head_size)
        snprintf(heads, sizeof heads, "attention with head size %" PRId32 " in %s",
                 info.plain_head_size, dtype_name(engine->shapes[0].type));
    if (matrices[0] || heads[0])
        log_write(LOG_WARNING, "this will be slow: quire has no fast GPU kernels for %s%s%s",
                  matrices, matrices[0] && heads[0] ? " or for " : "", heads);
}

// Digests the model file before a cache is opened under that name. After an interrupt, the digest
// is that of nothing.
static enum status identify(struct opening *opening) {
    if (opening->engine->gguf && opening->options->disk) (void)engine_digest(opening->engine);
    if (!effort_unwanted()) return STATUS_OK;
    return error_set(opening->err, STATUS_CANCELLED, "stopped: %s was being read",
                     opening->options->model_path);
}

static enum status start_thread(struct opening *opening) {
    struct engine *engine = opening->engine;
    engine->queue.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (engine->queue.fd < 0)
        return error_set(opening->err, STATUS_IO, "cannot create an event descriptor");
    if (opening->options->unattended) return STATUS_OK;
    if (pthread_create(&engine->thread, NULL, engine->remote ? remote_main : stepper_main,
                       engine) != 0)
        return error_set(opening->err, STATUS_NO_MEMORY, "cannot create a thread");
    engine->thread_runs = true;
    return STATUS_OK;
}

static enum status open_parts(struct opening *opening) {
    struct engine *engine = opening->engine;
    if (opening->options->remote) {
        TRY(remote_open(engine, opening->options->remote, opening->err));
        return start_thread(opening);
    }
    TRY(plan(opening));
    TRY(opening_load_model(opening));
    const bool is_placed = opening->is_placed;
    opening->is_placed = false; // a second attempt would not help either of these
    TRY(opening_choose_pool(opening));
    TRY(opening_check_attention(opening));
    opening->is_placed = is_placed;
    TRY(opening_alloc_memory(opening));
    warn_of_pressure(opening->engine);
    TRY(identify(opening));
    TRY(opening_open_cache(opening));
    report_slow(engine);
    settling_start(engine, opening->options);
    return start_thread(opening);
}

// An engine with none of its parts; NULL: not enough memory.
static struct engine *create(const struct engine_options *options) {
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine) return NULL;
    engine->disk = options->disk;
    engine->kv_restore = options->kv_restore;
    engine->io_deadline_us =
        (int64_t)(options->io_deadline_ms ? options->io_deadline_ms : IO_DEADLINE_MS) * 1000;
    engine->knows_digest = options->digest != NULL;
    if (options->digest) engine->digest = *options->digest;
    engine->queue.fd = -1;
    pthread_mutex_init(&engine->lock, NULL);
    pthread_cond_init(&engine->work, NULL);
    pthread_cond_init(&engine->drained, NULL);
    pthread_cond_init(&engine->settled, NULL);
    engine->model_path = options->model_path ? strdup(options->model_path) : NULL;
    return engine;
}

// One attempt. If another may follow, the disk pool is kept for it.
static enum status open_once(struct opening *opening, struct engine **result, bool *may_retry) {
    const struct engine_options *options = opening->options;
    struct engine *engine = create(options);
    *may_retry = false;
    if (!engine) {
        if (options->disk) options->disk->ops->close(options->disk, NULL);
        return error_set(opening->err, STATUS_NO_MEMORY, "not enough memory");
    }
    opening->engine = engine;
    const enum status status =
        options->model_path && !engine->model_path ? STATUS_NO_MEMORY : open_parts(opening);
    adapters_close(&opening->adapters);
    if (status == STATUS_OK) {
        *result = engine;
        return status;
    }
    *may_retry = status == STATUS_NO_MEMORY && opening->is_placed &&
                 opening->attempt + 1 < PLACING_ATTEMPTS && engine->disk == options->disk;
    if (*may_retry) engine->disk = NULL;
    engine_close(engine);
    return status;
}

// Another program may take memory of the card between the plan and the last allocation. That is no
// reason to fail: the next attempt moves more weights to host memory.
enum status engine_open(const struct engine_options *options, struct engine **result,
                        struct error *err) {
    ASSERT(options->model_path || options->shape || options->remote);
    bool again = true;
    enum status status = STATUS_OK;
    for (int32_t attempt = 0; again; attempt++) {
        struct opening opening = {.options = options, .attempt = attempt, .err = err};
        status = open_once(&opening, result, &again);
        if (again && err) log_write(LOG_DEBUG, "%s", err->text);
        if (again) log_write(LOG_WARNING, "GPU memory got short; placing the weights once more");
    }
    return status;
}

enum status engine_predict(const struct engine_options *options, struct engine_forecast *forecast,
                           struct error *err) {
    ASSERT((options->model_path || options->shape) && !options->disk);
    struct engine *engine = create(options);
    if (!engine) return error_set(err, STATUS_NO_MEMORY, "not enough memory");
    struct opening opening = {.engine = engine, .options = options, .err = err};
    enum status status = plan(&opening);
    if (status == STATUS_OK) status = opening_choose_pool(&opening);
    if (status == STATUS_OK) status = opening_check_cache(&opening);
    if (status == STATUS_OK) {
        struct device_info info;
        *forecast = (struct engine_forecast){.tokens_s = engine->placement.tokens_s,
                                             .context = engine->context,
                                             .on_card = opening_is_card(engine, &info)};
        if (placement_leaves(&engine->placement))
            placement_describe(&engine->placement, forecast->placement);
    }
    adapters_close(&opening.adapters);
    engine_close(engine);
    return status;
}
