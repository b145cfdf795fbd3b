// engine/opening_drafter.c — the engine of a smaller model, which drafts for the one being opened.
//
// Its KV pool is its own. It has space for two token logs as long as the larger model's context,
// but takes at most an eighth of the free memory; logs that begin alike share blocks. The drafter
// keeps no blocks in host memory or on the disk, since its prompts are cheap to compute again.
#include "engine/opening.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/model/forward.h"
#include "engine/placing.h"
#include "engine/pool.h"
#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/log.h"
#include "kernels/base/size.h"

enum { LOGS = 2, MEMORY_SHARE = 8 };

size_t opening_drafter_kv_bytes(const struct opening *opening, int32_t context) {
    const struct engine *drafter = opening->engine;
    struct device_info info;
    drafter->backend->info(drafter->device, &info);
    const size_t wanted = LOGS * pool_context_bytes(drafter, context);
    const size_t most = info.memory_free / MEMORY_SHARE;
    return wanted < most ? wanted : most;
}

size_t opening_drafter_bytes(const struct engine *engine) {
    const struct engine *drafter = engine->drafter;
    if (!drafter) return 0;
    const struct forward_limits limits = placing_forward_limits(drafter, drafter->context);
    return drafter->model.weight_bytes + pool_all_bytes(drafter) +
           forward_device_bytes(&drafter->model, drafter->backend, &limits,
                                drafter->shapes[0].block_size);
}

// Opens a device of the same kind as the larger model's.
struct engine_options opening_drafter_options(const struct opening *opening) {
    const struct engine_options *options = opening->options;
    const struct engine *engine = opening->engine;
    return (struct engine_options){
        .model_path = options->draft_path,
        .backend = engine->backend->name,
        .threads = options->threads,
        .context = options->context ? options->context : engine->model.config.context,
        .block_size = options->block_size,
        .kv_type = options->kv_type,
        .kv_host_bytes = 1, // less than a block, so none
        .deterministic = options->deterministic,
        .draft_head = DRAFT_HEAD_NONE,
        .unattended = true,
    };
}

enum status opening_check_drafter(const struct opening *opening) {
    enum { SHOWN = 24 };
    const struct engine *engine = opening->engine;
    const struct tokenizer *own = engine->tokenizer, *other = engine->drafter->tokenizer;
    const int32_t id = tokenizer_differs(own, other);
    struct gguf_string texts[2] = {{"nothing", 7}, {"nothing", 7}};
    char shown[2][4 * SHOWN], need[SIZE_TEXT_BYTES];
    if (id == TOKEN_NONE) {
        log_write(LOG_DEBUG, "%s drafts, up to %" PRId32 " tokens of context, in %s",
                  engine->drafter->name, engine->drafter->context,
                  size_format(opening_drafter_bytes(engine), need));
        return STATUS_OK;
    }
    if (id < tokenizer_vocabulary(own)) texts[0] = tokenizer_piece(own, id);
    if (id < tokenizer_vocabulary(other)) texts[1] = tokenizer_piece(other, id);
    for (int i = 0; i < 2; i++)
        if (!utf8_copy_name(texts[i].bytes, texts[i].length, shown[i], SHOWN))
            snprintf(shown[i], sizeof shown[i], "?");
    return error_set(opening->err, STATUS_UNSUPPORTED,
                     "%s cannot draft for this model: it has another vocabulary; token %" PRId32
                     " is \"%s\" in it, and \"%s\" in the model",
                     opening->options->draft_path, id, shown[1], shown[0]);
}
