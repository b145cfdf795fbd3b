#include "tests/bench/stall.h"

#include "kernels/base/clock.h"

enum {
    TIMEOUT_MS = 1000,
    ALONE_TOKENS = 32,
    FIRST_SALT = 1000, // of the logs, none of which is cached
};

struct watched { // one request, and the longest time between two events of its kind
    struct request *request;
    enum event_kind kind;
    int64_t last_us, longest_us; // last 0: none yet
    int32_t count;
    bool done;
};

struct stall_run {
    const struct stall_options *options;
    uint32_t salt;
    struct samples alone, together, chunk;
};

static void note(struct watched *watched, const struct event *event) {
    if (!watched->request || event->request != watched->request) return;
    if (event->kind == EVENT_DONE) watched->done = true;
    if (event->kind != watched->kind) return;
    const int64_t now = event->kind == EVENT_TOKEN ? event->at_us : clock_now_us();
    if (watched->last_us && now - watched->last_us > watched->longest_us)
        watched->longest_us = now - watched->last_us;
    watched->last_us = now;
    watched->count++;
}

// Handles events until `until` is done or has had `count` of its own (0: until it is done).
static enum status follow_events(struct engine *engine, struct watched *a, struct watched *b,
                                 const struct watched *until, int32_t count) {
    struct event event;
    enum status status = STATUS_OK;
    while (!until->done && (count == 0 || until->count < count)) {
        if (!engine_next_event(engine, TIMEOUT_MS, &event)) continue;
        note(a, &event);
        note(b, &event);
        if (event.kind == EVENT_DONE && event.status != STATUS_OK) status = event.status;
    }
    return status;
}

static enum status start_request(struct stall_run *run, int32_t length, int32_t tokens,
                                 bool background, struct sequence **sequence,
                                 struct watched *watched) {
    struct request_options options = {.sampler = sampler_options_default(),
                                      .max_tokens = tokens,
                                      .background = background,
                                      .ignore_end = true};
    TRY(sequence_create(run->options->harness->engine, sequence));
    enum status status = harness_append(run->options->harness, *sequence, run->salt++, length);
    if (status == STATUS_OK) status = request_start_all(sequence, &options, 1, &watched->request);
    if (status != STATUS_OK) sequence_destroy(*sequence);
    return status;
}

static double milliseconds(int64_t us) { return (double)us / 1000; }

static enum status measure_chunk(struct stall_run *run) {
    struct sequence *sequence;
    struct watched prompt = {.kind = EVENT_PREFILL}, none = {0};
    TRY(start_request(run, run->options->prompt, 1, true, &sequence, &prompt));
    const enum status status =
        follow_events(run->options->harness->engine, &prompt, &none, &prompt, 0);
    request_release(prompt.request);
    sequence_destroy(sequence);
    if (status == STATUS_OK) samples_add(&run->chunk, milliseconds(prompt.longest_us));
    return status;
}

// The foreground answer decodes alone for a while, and then until the other prompt is computed.
static enum status measure_answer(struct stall_run *run, struct watched *answer) {
    struct engine *engine = run->options->harness->engine;
    struct sequence *other;
    struct watched prompt = {.kind = EVENT_PREFILL};
    TRY(follow_events(engine, answer, &prompt, answer, ALONE_TOKENS));
    const int64_t alone_us = answer->longest_us;
    answer->longest_us = 0;
    TRY(start_request(run, run->options->prompt, 1, true, &other, &prompt));
    enum status status = follow_events(engine, answer, &prompt, &prompt, 0);
    request_release(prompt.request);
    sequence_destroy(other);
    if (status == STATUS_OK && answer->done) status = STATUS_TOO_LONG; // it ended before the prompt
    if (status != STATUS_OK) return status;
    samples_add(&run->alone, milliseconds(alone_us));
    samples_add(&run->together, milliseconds(answer->longest_us));
    return STATUS_OK;
}

static enum status measure_run(struct stall_run *run) {
    struct engine *engine = run->options->harness->engine;
    struct sequence *sequence;
    struct watched answer = {.kind = EVENT_TOKEN}, none = {0};
    TRY(measure_chunk(run));
    const int32_t left = run->options->harness->info.context - run->options->past - 1;
    TRY(start_request(run, run->options->past, left, false, &sequence, &answer));
    const enum status status = measure_answer(run, &answer);
    request_cancel(answer.request);
    const enum status ended = follow_events(engine, &answer, &none, &answer, 0);
    request_release(answer.request);
    sequence_destroy(sequence);
    return status == STATUS_OK ? ended : status;
}

enum status stall_measure(const struct stall_options *options, struct stall *found) {
    struct stall_run run = {.options = options, .salt = FIRST_SALT};
    for (int32_t i = 0; i < options->runs; i++)
        TRY(measure_run(&run));
    *found = (struct stall){.alone = samples_figure(&run.alone),
                            .together = samples_figure(&run.together),
                            .chunk = samples_figure(&run.chunk)};
    return STATUS_OK;
}
