// tests/bench/routing.c — the processor's table of ops, with one that looks at the choices first.
#include "tests/bench/routing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/core/request.h"
#include "engine/core/sequence.h"
#include "engine/engine.h"
#include "engine/tokenizer/tokenizer.h"
#include "kernels/backend.h"

enum { PROMPT = 512, ANSWER = 384, LAYERS_MAX = 512, EVENT_MS = 600000, SEED = 4711 };

static struct {
    struct backend ops;
    const void *layers[LAYERS_MAX]; // by their weights
    struct routing *routing;
} recorder;

const struct backend *__real_backend_cpu(void);
const struct backend *__wrap_backend_cpu(void);

// In the order in which a token passes them.
static int32_t layer_of(const struct experts *args) {
    struct routing *routing = recorder.routing;
    for (int32_t i = 0; i < routing->layers; i++)
        if (recorder.layers[i] == args->down.data) return i;
    if (routing->layers == LAYERS_MAX) return LAYERS_MAX - 1;
    recorder.layers[routing->layers] = args->down.data;
    return routing->layers++;
}

// The prompt, whose batches come first, names the layers. An answer's token has one choice in each.
static void experts_noted(struct device *device, const struct experts *args) {
    struct routing *routing = recorder.routing;
    const int32_t layer = layer_of(args);
    routing->experts = args->experts;
    routing->used = args->used;
    if (args->tokens == 1 && routing->tokens < ANSWER) {
        const size_t of_token = (size_t)routing->layers * (size_t)routing->used;
        if (!routing->chosen)
            routing->chosen = calloc(ANSWER * of_token, sizeof routing->chosen[0]);
        if (!routing->chosen) abort();
        memcpy(routing->chosen + (size_t)routing->tokens * of_token +
                   (size_t)layer * (size_t)routing->used,
               args->chosen, (size_t)routing->used * sizeof routing->chosen[0]);
        routing->tokens += layer == routing->layers - 1;
    }
    __real_backend_cpu()->experts(device, args);
}

const struct backend *__wrap_backend_cpu(void) {
    recorder.ops = *__real_backend_cpu();
    recorder.ops.experts = experts_noted;
    return &recorder.ops;
}

static bool read_prompt(const struct tokenizer *tokenizer, const char *path,
                        struct token_ids *ids) {
    static char text[PROMPT * 8];
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    const size_t length = fread(text, 1, sizeof text, file);
    (void)fclose(file);
    const struct piece piece = {PIECE_TEXT, text, length};
    if (tokenizer_encode(tokenizer, &piece, 1, ids) != STATUS_OK) return false;
    if (ids->count > PROMPT) ids->count = PROMPT;
    return ids->count > 1; // a prompt of one token is a step of an answer
}

static bool answer(struct engine *engine, const struct token_ids *prompt) {
    struct request_options options = {
        .sampler = sampler_options_default(), .max_tokens = ANSWER + 1, .ignore_end = true};
    struct sequence *sequence;
    struct request *request;
    struct event event = {0};
    options.sampler.temperature = 1;
    options.sampler.seed = SEED;
    if (sequence_create(engine, &sequence) != STATUS_OK) return false;
    bool done = sequence_append(sequence, prompt->ids, prompt->count) == STATUS_OK &&
                request_start_all(&sequence, &options, 1, &request) == STATUS_OK;
    while (done && event.kind != EVENT_DONE)
        done = engine_next_event(engine, EVENT_MS, &event);
    if (done) request_release(request);
    sequence_destroy(sequence);
    return done && event.status == STATUS_OK;
}

bool routing_record(const char *model_path, const char *text_path, struct routing *routing) {
    const struct engine_options options = {
        .model_path = model_path, .backend = "cpu", .context = PROMPT + ANSWER + 1};
    struct token_ids prompt = {0};
    struct engine *engine;
    struct error err = {0};
    *routing = (struct routing){0};
    recorder.routing = routing;
    if (engine_open(&options, &engine, &err) != STATUS_OK) {
        fprintf(stderr, "%s\n", err.text);
        return false;
    }
    const bool done = read_prompt(engine_tokenizer(engine), text_path, &prompt) &&
                      answer(engine, &prompt) && routing->tokens > 0;
    if (!done) fprintf(stderr, "%s: no text to answer, or the model is no mixture\n", text_path);
    token_ids_deinit(&prompt);
    engine_close(engine);
    if (!done) routing_deinit(routing);
    return done;
}

void routing_deinit(struct routing *routing) {
    free(routing->chosen);
    *routing = (struct routing){0};
}
