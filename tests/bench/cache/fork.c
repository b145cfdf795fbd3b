// tests/bench/cache/fork.c — forks of one growing sequence, and many conversations with one shared
// prefix.
#include <inttypes.h>
#include <stdio.h>

#include "tests/bench/cache/parts.h"

enum {
    FORKS = 101,
    SPARE_TOKENS = 512, // of context and pool, beyond the longest: decoded, and copied tails
    HEAD_TOKENS = 1000,
    SUFFIX_TOKENS = 50,
    MOST_CONVERSATIONS = 32,
};

static const int32_t LENGTHS[FORK_LINES] = {100, 1000, 10000, 30000};
static const int32_t CONVERSATIONS[SHARING_LINES] = {1, 8, MOST_CONVERSATIONS};

// ---- forks

// All forks are kept until the end, so that none reuses the memory of an earlier one.
static enum status fork_idle(struct sequence *sequence, struct figure *figure) {
    struct sequence *forks[FORKS];
    struct samples samples = {0};
    enum status status = STATUS_OK;
    while (samples.count < FORKS && status == STATUS_OK) {
        const double before = harness_now_us();
        status = sequence_fork(sequence, &forks[samples.count]);
        if (status == STATUS_OK) samples_add(&samples, harness_now_us() - before);
    }
    for (int32_t i = 0; i < samples.count; i++)
        sequence_destroy(forks[i]);
    *figure = samples_figure(&samples);
    return status;
}

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
    struct request *request;
    bool done = false;
    TRY(harness_append(harness, sequence, 1, length + 1));
    TRY(harness_start(harness, sequence, 2 * FORKS, &request));
    const enum status status = fork_at_tokens(harness, sequence, &samples, &done);
    request_cancel(request);
    const enum status ended = done ? STATUS_OK : harness_wait(harness, &request, 1, NULL);
    if (done) request_release(request);
    *figure = samples_figure(&samples);
    sequence_truncate(sequence, length);
    if (status != STATUS_OK) return status;
    return ended == STATUS_CANCELLED ? STATUS_OK : ended; // by us
}

// Forks, and appends one token after the shared ones: the blocks that are referenced only
// afterwards are its copies. The tail is half filled first, so that there is one to copy, and the
// last token computed, so that a state is there, which going back from an answer may have lost.
static enum status write_first(struct harness *harness, struct sequence *sequence,
                               struct fork_line *line) {
    const int32_t part = harness->info.block_size / 2;
    struct sequence *fork;
    struct kv_usage before, after;
    if (sequence_length(sequence) % harness->info.block_size == 0)
        TRY(harness_append(harness, sequence, 1, sequence_length(sequence) + part));
    TRY(harness_prefill(harness, sequence, NULL));
    TRY(sequence_fork(sequence, &fork));
    engine_kv_usage(harness->engine, &before);
    enum status status = harness_append(harness, fork, 2, sequence_length(sequence) + 1);
    if (status == STATUS_OK) status = harness_prefill(harness, fork, NULL);
    engine_kv_usage(harness->engine, &after);
    line->first_write_blocks = after.device_held - before.device_held;
    if (after.has_states) line->first_write_states = after.window_held - before.window_held;
    sequence_destroy(fork);
    return status;
}

// The quadratic part follows from how much slower the later tokens were.
static void learn_speed(struct kv_bench *bench, int32_t line) {
    const struct fork_line *now = &bench->forks[line];
    bench->linear_us = now->prefill_us / now->tokens;
    bench->square_us = 0;
    if (line == 0) return;
    const struct fork_line *last = now - 1;
    const double now_rate = now->prefill_us / now->tokens;
    const double last_rate = last->prefill_us / last->tokens;
    const double square = (now_rate - last_rate) / (now->tokens - last->tokens);
    if (!(square > 0)) return;
    bench->square_us = square;
    bench->linear_us = now_rate - square * now->tokens;
}

static enum status measure_fork(struct kv_bench *bench, struct sequence *sequence, int32_t line) {
    struct harness *harness = &bench->harness;
    struct fork_line *fork = &bench->forks[line];
    const int32_t before = sequence_length(sequence);
    struct request_stats stats;
    TRY(harness_append(harness, sequence, 1, fork->tokens));
    TRY(harness_prefill(harness, sequence, &stats));
    // A few tokens were computed with the line before, to have a tail.
    const double per_token = (double)stats.prefill_us / (fork->tokens - before);
    fork->prefill_us = per_token * (fork->tokens - (line ? LENGTHS[line - 1] : 0));
    if (line > 0) fork->prefill_us += bench->forks[line - 1].prefill_us;
    learn_speed(bench, line);
    fork->blocks = sequence_blocks(sequence);
    TRY(fork_idle(sequence, &fork->idle_us));
    TRY(fork_running(harness, sequence, &fork->running_us));
    return write_first(harness, sequence, fork);
}

static struct harness_room fork_room(int32_t tokens) {
    return (struct harness_room){(int64_t)tokens + SPARE_TOKENS, 2};
}

static enum status measure_forks(struct kv_bench *bench) {
    struct sequence *sequence;
    TRY(sequence_create(bench->harness.engine, &sequence));
    enum status status = STATUS_OK;
    for (int32_t i = 0; i < FORK_LINES && status == STATUS_OK; i++) {
        struct fork_line *line = &bench->forks[i];
        line->tokens = LENGTHS[i];
        const bool after = i > 0 && bench->forks[i - 1].missing[0];
        if (cache_affords(bench, fork_room(LENGTHS[i]), LENGTHS[i], line->missing) && !after)
            status = measure_fork(bench, sequence, i);
        else if (after && !line->missing[0])
            snprintf(line->missing, sizeof line->missing, "as the shorter one was not");
    }
    sequence_destroy(sequence);
    return status;
}

enum status cache_forks(struct kv_bench *bench) {
    struct harness_needs needs = {0};
    for (int32_t i = 0; i < FORK_LINES; i++) {
        const struct harness_room pool = fork_room(LENGTHS[i]);
        if (i > 0 && harness_room_bytes(&bench->harness, pool) > bench->most_bytes) continue;
        needs.device = pool;
        needs.context = LENGTHS[i] + SPARE_TOKENS / 2;
    }
    enum status status = harness_open(&bench->harness, &needs);
    if (status == STATUS_OK) status = measure_forks(bench);
    harness_close(&bench->harness);
    return status;
}

// ---- sharing

struct group { // of conversations with one head
    uint32_t salt;
    int32_t count;
    struct sequence *sequences[MOST_CONVERSATIONS];
};

static enum status group_create(struct harness *harness, struct group *group, int32_t wanted) {
    while (group->count < wanted) {
        struct sequence *sequence;
        TRY(sequence_create(harness->engine, &sequence));
        group->sequences[group->count++] = sequence;
        sequence_pin_prefix(sequence, HEAD_TOKENS); // where a state is kept for the others
        TRY(harness_append(harness, sequence, group->salt, HEAD_TOKENS));
        TRY(harness_append(harness, sequence, group->salt + (uint32_t)group->count,
                           HEAD_TOKENS + SUFFIX_TOKENS));
    }
    return STATUS_OK;
}

static enum status group_compute(struct harness *harness, const struct group *group,
                                 int32_t first) {
    struct request *requests[MOST_CONVERSATIONS] = {0};
    int32_t count = 0;
    enum status status = STATUS_OK;
    for (int32_t i = first; i < group->count && status == STATUS_OK; i++) {
        status = harness_start(harness, group->sequences[i], 1, &requests[count]);
        if (status == STATUS_OK) count++;
    }
    const enum status ended = harness_wait(harness, requests, count, NULL);
    return status == STATUS_OK ? ended : status;
}

static void group_destroy(struct group *group) {
    for (int32_t i = 0; i < group->count; i++)
        sequence_destroy(group->sequences[i]);
    group->count = 0;
}

static uint64_t prefilled(const struct harness *harness) {
    struct kv_usage usage;
    engine_kv_usage(harness->engine, &usage);
    return usage.prefilled_tokens;
}

static void count_blocks(const struct harness *harness, const struct group *group,
                         struct sharing_line *line) {
    struct kv_usage usage;
    engine_kv_usage(harness->engine, &usage);
    line->held_blocks = usage.device_held;
    line->spared_blocks = usage.device_spared;
    line->separate_blocks = 0;
    for (int32_t i = 0; i < group->count; i++)
        line->separate_blocks += (uint64_t)sequence_blocks(group->sequences[i]);
}

// Runs the first conversation, then all others at once.
static enum status share_in_turn(struct harness *harness, struct group *group,
                                 struct sharing_line *line) {
    const uint64_t before = prefilled(harness);
    TRY(group_create(harness, group, 1));
    TRY(group_compute(harness, group, 0));
    TRY(group_create(harness, group, line->conversations));
    TRY(group_compute(harness, group, 1));
    line->prefilled = prefilled(harness) - before;
    count_blocks(harness, group, line);
    return STATUS_OK;
}

static enum status share_at_once(struct harness *harness, struct group *group,
                                 struct sharing_line *line) {
    const uint64_t before = prefilled(harness);
    TRY(group_create(harness, group, line->conversations));
    TRY(group_compute(harness, group, 0));
    line->prefilled_at_once = prefilled(harness) - before;
    return STATUS_OK;
}

static enum status measure_sharing(struct harness *harness, struct sharing_line *line) {
    enum { SALTS = 2 * MOST_CONVERSATIONS };
    struct group group = {.salt = (uint32_t)(1 + line->conversations) * SALTS};
    line->tokens = HEAD_TOKENS + SUFFIX_TOKENS;
    line->least = HEAD_TOKENS + (uint64_t)(line->conversations * SUFFIX_TOKENS);
    enum status status = share_in_turn(harness, &group, line);
    group_destroy(&group);
    group.salt += MOST_CONVERSATIONS + 1; // another head
    if (status == STATUS_OK) status = share_at_once(harness, &group, line);
    group_destroy(&group);
    return status;
}

enum status cache_sharing(struct kv_bench *bench) {
    const int32_t tokens = HEAD_TOKENS + SUFFIX_TOKENS;
    const int32_t size = bench->harness.info.block_size;
    // The head, and of each conversation a suffix with the block that the head ends in.
    const int64_t pool = HEAD_TOKENS + (int64_t)MOST_CONVERSATIONS * (SUFFIX_TOKENS + 3 * size);
    const struct harness_needs needs = {
        .context = tokens + size,
        .device = {2 * pool, MOST_CONVERSATIONS},
    };
    char missing[MISSING_BYTES] = "";
    const bool affords = cache_affords(bench, needs.device, tokens, missing);
    enum status status = affords ? harness_open(&bench->harness, &needs) : STATUS_OK;
    for (int32_t i = 0; i < SHARING_LINES && status == STATUS_OK; i++) {
        struct sharing_line *line = &bench->sharing[i];
        line->conversations = CONVERSATIONS[i];
        snprintf(line->missing, sizeof line->missing, "%s", missing);
        if (affords) status = measure_sharing(&bench->harness, line);
    }
    harness_close(&bench->harness);
    return status;
}
