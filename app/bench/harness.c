#include "app/bench/harness.h"

#include <signal.h>
#include <time.h>

enum { LOOK_MS = 200 }; // how often a wait looks for a signal

static volatile sig_atomic_t signal_seen;

static void on_signal(int number) { signal_seen = number; }

void harness_catch_signals(void) {
    const struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

int harness_signal(void) { return signal_seen; }

double harness_now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

// Of layers that see everything.
static size_t bytes_of(const struct engine_info *info, int64_t tokens) {
    if (tokens == 0) return 0;
    return (size_t)((tokens + info->block_size - 1) / info->block_size) * info->block_bytes;
}

size_t harness_room_bytes(const struct harness *harness, struct harness_room room) {
    return bytes_of(&harness->info, room.tokens) +
           (size_t)room.sequences * harness->info.sequence_bytes;
}

enum status harness_open(struct harness *harness, const struct harness_needs *needs) {
    struct engine_options engine_options = bench_subject_engine(harness->subject);
    engine_options.context = needs->context;
    engine_options.kv_device_bytes = bytes_of(&harness->info, needs->device.tokens);
    engine_options.sequences = needs->device.sequences;
    engine_options.kv_host_bytes = harness_room_bytes(harness, needs->host);
    engine_options.disk = needs->disk;
    engine_options.digest = harness->knows_digest ? &harness->digest : NULL;
    engine_options.kv_restore = needs->restore;
    engine_options.beyond_training = true;
    engine_options.step_tokens = ENGINE_STEP_TOKENS_ALL;
    TRY(engine_open(&engine_options, &harness->engine, &harness->err));
    engine_info(harness->engine, &harness->info);
    if (!harness->knows_digest && harness->subject->model_path) {
        harness->digest = engine_digest(harness->engine);
        harness->knows_digest = true;
    }
    struct kv_usage usage;
    engine_kv_usage(harness->engine, &usage);
    if (needs->disk && !usage.has_disk)
        return error_set(&harness->err, STATUS_IO, "the disk cache cannot be used");
    return STATUS_OK;
}

void harness_close(struct harness *harness) {
    engine_close(harness->engine);
    harness->engine = NULL;
}

void harness_ids(const struct harness *harness, uint32_t salt, int32_t first, int32_t count,
                 int32_t *ids) {
    bench_ids(harness->info.vocabulary, salt, first, count, ids);
}

enum status harness_append(struct harness *harness, struct sequence *sequence, uint32_t salt,
                           int32_t length) {
    return bench_append(sequence, harness->info.vocabulary, salt, length);
}

enum status harness_start(struct harness *harness, struct sequence *sequence, int32_t tokens,
                          struct request **request) {
    struct request_options options = {
        .sampler = sampler_options_default(), .max_tokens = tokens, .ignore_end = true};
    options.sampler.temperature = 0;
    if (harness_signal()) return STATUS_CANCELLED;
    const enum status status = request_start(sequence, &options, request);
    return status == STATUS_OK ? status
                               : error_set(&harness->err, status, "%s", status_text(status));
}

static void cancel_all(struct request *const *requests, int32_t count) {
    for (int32_t i = 0; i < count; i++)
        request_cancel(requests[i]);
}

enum status harness_wait(struct harness *harness, struct request *const *requests, int32_t count,
                         struct request_stats *stats) {
    enum status status = STATUS_OK;
    for (int32_t left = count; left > 0;) {
        struct event event;
        if (harness_signal()) cancel_all(requests, count);
        if (!engine_next_event(harness->engine, LOOK_MS, &event) || event.kind != EVENT_DONE)
            continue;
        left--;
        for (int32_t i = 0; stats && i < count; i++)
            if (requests[i] == event.request) stats[i] = event.stats;
        if (event.reason == STOP_REASON_CANCELLED) status = STATUS_CANCELLED;
        if (event.status != STATUS_OK && status == STATUS_OK) status = event.status;
    }
    for (int32_t i = 0; i < count; i++)
        request_release(requests[i]);
    return status;
}

enum status harness_generate(struct harness *harness, struct sequence *sequence, int32_t tokens,
                             struct request_stats *stats) {
    struct request *request;
    TRY(harness_start(harness, sequence, tokens, &request));
    return harness_wait(harness, &request, 1, stats);
}

enum status harness_prefill(struct harness *harness, struct sequence *sequence,
                            struct request_stats *stats) {
    const int32_t length = sequence_length(sequence);
    TRY(harness_generate(harness, sequence, 1, stats));
    sequence_truncate(sequence, length);
    return STATUS_OK;
}

enum status harness_restore(struct sequence *sequence, struct restore_report *report) {
    do
        sequence_restore(sequence, LOOK_MS, report);
    while (!report->done && !harness_signal());
    return harness_signal() ? STATUS_CANCELLED : STATUS_OK;
}
