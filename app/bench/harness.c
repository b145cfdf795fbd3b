#include "app/bench/harness.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "app/base/exit_code.h"
#include "app/base/signals.h"
#include "app/screen/complain.h"
#include "engine/measure.h"
#include "kernels/base/size.h"

enum { LOOK_MS = 200 }; // how often a wait looks for a signal

static volatile sig_atomic_t signal_seen;

static void on_signal(int number) { signal_seen = number; }

void harness_catch_signals(void) { signals_catch(on_signal); }

int harness_signal(void) { return signal_seen; }

double harness_now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

void harness_progress(bool quiet, const char *name) {
    if (quiet || !isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\r%-40s\r%s", "", name);
    fflush(stderr);
}

struct kv_usage harness_usage(const struct harness *harness) {
    struct kv_usage usage;
    engine_kv_usage(harness->engine, &usage);
    return usage;
}

// Of layers that see everything.
static size_t kv_bytes(const struct engine_info *info, int64_t tokens) {
    return (size_t)((tokens + info->block_size - 1) / info->block_size) * info->block_bytes;
}

static size_t room_bytes(const struct engine_info *info, struct harness_room room) {
    return kv_bytes(info, room.tokens) + (size_t)room.sequences * info->sequence_bytes;
}

enum status harness_open(struct harness *harness, const struct harness_needs *needs) {
    struct engine_options options = *harness->options;
    options.context = needs->context;
    options.sequences = needs->device.sequences;
    if (needs->device.tokens)
        options.kv_device_bytes = kv_bytes(&harness->info, needs->device.tokens);
    if (needs->host.tokens) options.kv_host_bytes = room_bytes(&harness->info, needs->host);
    options.disk = needs->disk;
    options.digest = harness->knows_digest ? &harness->digest : NULL;
    options.kv_restore = needs->restore;
    options.beyond_training = true;
    TRY(engine_open(&options, &harness->engine, &harness->err));
    if (harness_signal()) return STATUS_CANCELLED;
    engine_settle(harness->engine);
    engine_info(harness->engine, &harness->info);
    if (!harness->knows_digest && options.model_path) {
        harness->digest = engine_digest(harness->engine);
        harness->knows_digest = true;
    }
    if (needs->disk && !harness_usage(harness).has_disk)
        return error_set(&harness->err, STATUS_IO, "the disk cache cannot be used");
    return STATUS_OK;
}

void harness_close(struct harness *harness) {
    engine_close(harness->engine);
    harness->engine = NULL;
}

int harness_end(struct harness *harness, enum status status) {
    harness_close(harness);
    if (harness_signal()) return 128 + harness_signal();
    if (status == STATUS_OK) return EXIT_DONE;
    return complain_failed(exit_code_for_bench(status), status, &harness->err);
}

enum status harness_probe(struct harness *harness, double *read_bytes_per_s) {
    TRY(harness_open(harness, &(struct harness_needs){0}));
    const struct kv_usage usage = harness_usage(harness);
    harness->most_bytes = kv_usage_device_bytes(&usage);
    *read_bytes_per_s = engine_measure_read(harness->engine);
    if (*read_bytes_per_s > 0) return STATUS_OK;
    char size[SIZE_TEXT_BYTES];
    return error_set(&harness->err, STATUS_NO_MEMORY,
                     "not enough memory to measure the read bandwidth (%s)",
                     size_format(engine_read_bytes(harness->engine), size));
}

bool harness_affords(const struct harness *harness, struct harness_room pool, int32_t length,
                     char missing[MISSING_BYTES]) {
    static const double PATIENCE_US = 300e6;
    const size_t bytes = room_bytes(&harness->info, pool);
    // The time of a token grows with its distance from the beginning, at most as fast as that.
    const double growth = harness->token_length ? (double)length / harness->token_length : 1;
    const double most_us = harness->token_us * length * (growth > 1 ? growth : 1);
    char need[SIZE_TEXT_BYTES], have[SIZE_TEXT_BYTES];
    if (bytes > harness->most_bytes)
        snprintf(missing, MISSING_BYTES, "needs %s of KV cache (there is %s)",
                 size_format(bytes, need), size_format(harness->most_bytes, have));
    else if (most_us > PATIENCE_US)
        snprintf(missing, MISSING_BYTES, "prefill may take %.0f s", most_us / 1e6);
    return !missing[0];
}

// SplitMix64's finaliser (Steele, Lea & Flood, OOPSLA 2014): neighbours differ in all bits.
static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}

void harness_ids(const struct harness *harness, uint32_t salt, int32_t first, int32_t count,
                 int32_t *ids) {
    for (int32_t i = 0; i < count; i++) {
        const uint64_t place = (uint64_t)salt << 32 | (uint32_t)(first + i);
        ids[i] = (int32_t)(mix(place + 1) % (uint64_t)harness->info.vocabulary);
    }
}

enum status harness_append(const struct harness *harness, struct sequence *sequence, uint32_t salt,
                           int32_t length) {
    enum { AT_ONCE = 256 };
    int32_t ids[AT_ONCE];
    for (int32_t at = sequence_length(sequence); at < length;) {
        const int32_t count = length - at < AT_ONCE ? length - at : AT_ONCE;
        harness_ids(harness, salt, at, count, ids);
        TRY(sequence_append(sequence, ids, (size_t)count));
        at += count;
    }
    return STATUS_OK;
}

struct request_options harness_request(int32_t tokens) {
    struct request_options options = {
        .sampler = sampler_options_default(), .max_tokens = tokens, .ignore_end = true};
    options.sampler.temperature = 0;
    return options;
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
    const struct request_options options = harness_request(tokens);
    struct request *request;
    if (harness_signal()) return STATUS_CANCELLED;
    TRY(request_start_all(&sequence, &options, 1, &request));
    return harness_wait(harness, &request, 1, stats);
}

enum status harness_prefill(struct harness *harness, struct sequence *sequence,
                            struct request_stats *stats) {
    const int32_t length = sequence_length(sequence);
    TRY(harness_generate(harness, sequence, 1, stats));
    sequence_truncate(sequence, length);
    return STATUS_OK;
}

enum status harness_leave_log(struct harness *harness, uint32_t salt, int32_t length) {
    struct sequence *sequence;
    TRY(sequence_create(harness->engine, &sequence));
    enum status status = harness_append(harness, sequence, salt, length);
    if (status == STATUS_OK) status = harness_prefill(harness, sequence, NULL);
    if (status == STATUS_OK) sequence_save(sequence, (uint64_t)salt + 1);
    sequence_destroy(sequence);
    return status;
}

enum status harness_visit(struct harness *harness, uint32_t salt, int32_t length,
                          struct visit *visit) {
    struct sequence *sequence;
    TRY(sequence_create(harness->engine, &sequence));
    enum status status = harness_append(harness, sequence, salt, length);
    const struct kv_usage before = harness_usage(harness);
    if (status == STATUS_OK) status = harness_generate(harness, sequence, 1, &visit->stats);
    const struct kv_usage after = harness_usage(harness);
    visit->moved_bytes = after.swap_in_bytes - before.swap_in_bytes;
    visit->prefilled = after.work.prefilled_tokens - before.work.prefilled_tokens;
    sequence_destroy(sequence);
    return status;
}
