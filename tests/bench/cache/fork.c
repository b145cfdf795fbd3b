// tests/bench/cache/fork.c — forks of a sequence that grows, while it decodes.
#include "tests/bench/cache/parts.h"

enum {
    FORKS = 101,
    SPARE_TOKENS = 512, // of context and pool, beyond the longest: decoded, and copied tails
};

static const int32_t LENGTHS[FORK_LINES] = {100, 1000, 10000, 30000};

// One fork after each token of the running request, which is then about to plan its next step.
static enum status fork_at_tokens(struct harness *harness, struct sequence *sequence,
                                  struct samples *samples, bool *done) {
    while (samples->count < FORKS && !harness_signal()) {
        enum { LOOK_MS = 200 };
        struct event event;
        struct sequence *fork;
        if (!engine_next_event(harness->engine, LOOK_MS, &event)) continue;
        if (event.kind == EVENT_DONE) {
            *done = true;
            return event.status == STATUS_OK ? STATUS_CANCELLED : event.status;
        }
        if (event.kind != EVENT_TOKEN) continue;
        const double before = harness_now_us();
        TRY(sequence_fork(sequence, &fork));
        samples_add(samples, harness_now_us() - before);
        sequence_destroy(fork);
    }
    return harness_signal() ? STATUS_CANCELLED : STATUS_OK;
}

static enum status fork_running(struct harness *harness, struct sequence *sequence,
                                struct figure *figure) {
    const int32_t length = sequence_length(sequence);
    struct samples samples = {0};
    const struct request_options options = harness_request(2 * FORKS);
    struct request *request;
    bool done = false;
    TRY(harness_append(harness, sequence, 1, length + 1));
    TRY(request_start_all(&sequence, &options, 1, &request));
    const enum status status = fork_at_tokens(harness, sequence, &samples, &done);
    request_cancel(request);
    const enum status ended = done ? STATUS_OK : harness_wait(harness, &request, 1, NULL);
    if (done) request_release(request);
    *figure = samples_figure(&samples);
    sequence_truncate(sequence, length);
    if (status != STATUS_OK) return status;
    return ended == STATUS_CANCELLED ? STATUS_OK : ended; // by us
}

static enum status measure_fork(struct kv_bench *bench, struct sequence *sequence,
                                struct fork_line *line) {
    struct harness *harness = &bench->harness;
    const int32_t before = sequence_length(sequence);
    struct request_stats stats;
    TRY(harness_append(harness, sequence, 1, line->tokens));
    TRY(harness_prefill(harness, sequence, &stats));
    harness->token_us =
        (double)stats.prefill_us / (line->tokens - before); // of the latest, at least
    harness->token_length = line->tokens;
    return fork_running(harness, sequence, &line->running_us);
}

enum status cache_forks(struct kv_bench *bench) {
    struct harness *harness = &bench->harness;
    struct harness_needs needs = {0};
    struct sequence *sequence;
    for (int32_t i = 0; i < FORK_LINES; i++) {
        struct fork_line *line = &bench->forks[i];
        const struct harness_room pool = {(int64_t)LENGTHS[i] + SPARE_TOKENS, 2};
        line->tokens = LENGTHS[i];
        if (!harness_affords(harness, pool, line->tokens, line->missing) && i > 0) continue;
        needs.device = pool;
        needs.context = line->tokens + SPARE_TOKENS / 2;
    }
    TRY(harness_open(harness, &needs));
    enum status status = sequence_create(harness->engine, &sequence);
    for (int32_t i = 0; i < FORK_LINES && status == STATUS_OK; i++) {
        struct fork_line *line = &bench->forks[i];
        if (harness_affords(harness, needs.device, line->tokens, line->missing))
            status = measure_fork(bench, sequence, line);
    }
    sequence_destroy(sequence);
    return status;
}
