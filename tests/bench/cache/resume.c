// tests/bench/cache/resume.c — a log that is resumed from each tier, and recomputed; and the cost
// of finding it.
#include <stdio.h>
#include <string.h>

#include "tests/bench/cache/parts.h"

enum {
    LOOKUPS = 21,
    MARGIN_TOKENS = 64, // of a pool, beyond the logs that it is to hold
    FIRST_SHORT_SALT = 1000,
    LOGS = 2, // of each length: one is restored, of the other a request is timed
};

static const int32_t LENGTHS[RESUME_LENGTHS] = {1000, 8000};

struct visit {
    int32_t length;
    uint32_t salt;
    bool restores; // by itself, timed; else by a request, to its first token
};

static uint32_t salt_of(int32_t index, int32_t log) { return (uint32_t)(1 + index * LOGS + log); }

static uint64_t prefilled(const struct harness *harness) {
    struct kv_usage usage;
    engine_kv_usage(harness->engine, &usage);
    return usage.prefilled_tokens;
}

static uint64_t swapped_in(const struct harness *harness) {
    struct kv_usage usage;
    engine_kv_usage(harness->engine, &usage);
    return usage.swap_in_bytes;
}

static enum status visit_by_restore(struct harness *harness, struct sequence *sequence,
                                    struct samples *samples, struct resume_line *line) {
    const uint64_t moved = swapped_in(harness);
    const double before = harness_now_us();
    TRY(harness_restore(sequence, &line->report));
    samples_add(samples, harness_now_us() - before);
    line->moved_bytes = swapped_in(harness) - moved;
    return STATUS_OK;
}

static enum status visit_by_request(struct harness *harness, struct sequence *sequence,
                                    struct samples *samples, struct resume_line *line) {
    const uint64_t before = prefilled(harness);
    TRY(harness_generate(harness, sequence, 1, &line->stats));
    line->prefilled = prefilled(harness) - before;
    samples_add(samples, (double)line->stats.first_token_us);
    return STATUS_OK;
}

// A new sequence with a log that was computed before.
static enum status visit(struct harness *harness, const struct visit *visit,
                         struct samples *samples, struct resume_line *line) {
    struct sequence *sequence;
    TRY(sequence_create(harness->engine, &sequence));
    enum status status = harness_append(harness, sequence, visit->salt, visit->length);
    if (status == STATUS_OK)
        status = visit->restores ? visit_by_restore(harness, sequence, samples, line)
                                 : visit_by_request(harness, sequence, samples, line);
    sequence_destroy(sequence);
    return status;
}

// Computes a log and destroys its sequence; a conversation of 0 needs nothing.
static enum status leave_log(struct harness *harness, int32_t length, uint32_t salt,
                             uint64_t conversation) {
    struct sequence *sequence;
    TRY(sequence_create(harness->engine, &sequence));
    enum status status = harness_append(harness, sequence, salt, length);
    if (status == STATUS_OK) status = harness_prefill(harness, sequence, NULL);
    if (status == STATUS_OK && conversation) sequence_save(sequence, conversation);
    sequence_destroy(sequence);
    return status;
}

// ---- from the device

static enum status time_lookup(struct harness *harness, int32_t length, uint32_t salt,
                               struct samples *samples, int32_t *found) {
    struct restore_report report;
    struct sequence *sequence;
    TRY(sequence_create(harness->engine, &sequence));
    const enum status status = harness_append(harness, sequence, salt, length);
    const double before = harness_now_us();
    if (status == STATUS_OK) sequence_restore(sequence, 0, &report);
    const double elapsed_us = harness_now_us() - before;
    if (status == STATUS_OK) {
        samples_add(samples, elapsed_us * 1e3 / length);
        *found = report.device_tokens;
    }
    sequence_destroy(sequence);
    return status;
}

static enum status measure_lookup(struct harness *harness, int32_t index,
                                  struct resume_part *part) {
    struct samples samples = {0};
    part->lookup_tokens = LENGTHS[index];
    for (int32_t i = 0; i < LOOKUPS; i++)
        TRY(time_lookup(harness, LENGTHS[index], salt_of(index, 0), &samples, &part->lookup_found));
    part->lookup_ns = samples_figure(&samples);
    return STATUS_OK;
}

static enum status measure_device(struct kv_bench *bench, int32_t index) {
    struct resume_line *line = &bench->resume.lines[index][FROM_DEVICE];
    struct samples ready = {0}, first = {0};
    struct visit visited = {.length = LENGTHS[index], .salt = salt_of(index, 0)};
    TRY(leave_log(&bench->harness, visited.length, visited.salt, 0));
    for (int32_t i = 0; i < bench->runs; i++) {
        visited.restores = true;
        TRY(visit(&bench->harness, &visited, &ready, line));
        visited.restores = false;
        TRY(visit(&bench->harness, &visited, &first, line));
    }
    line->ready_us = samples_figure(&ready);
    line->first_token_us = samples_figure(&first);
    if (index < RESUME_LENGTHS - 1) return STATUS_OK;
    return measure_lookup(&bench->harness, index, &bench->resume);
}

// ---- from host memory

// Computes as many short logs as the device has states, so that those of longer ones leave it.
static enum status displace_states(struct harness *harness) {
    const struct engine_info *info = &harness->info;
    const size_t states = info->state_bytes ? info->sequence_bytes / info->state_bytes : 0;
    for (size_t i = 0; i < states; i++)
        TRY(leave_log(harness, 2 * info->block_size, FIRST_SHORT_SALT + (uint32_t)i, 0));
    return STATUS_OK;
}

// Alternates between two logs, of which the device can hold one.
static enum status measure_host(struct kv_bench *bench, int32_t index) {
    struct resume_line *line = &bench->resume.lines[index][FROM_HOST];
    struct samples ready = {0}, first = {0};
    struct visit visited = {.length = LENGTHS[index]};
    TRY(leave_log(&bench->harness, visited.length, salt_of(index, 1), 0)); // the first is there
    for (int32_t i = 0; i < 2 * bench->runs; i++) {
        visited.salt = salt_of(index, i % LOGS);
        visited.restores = i < bench->runs;
        TRY(displace_states(&bench->harness));
        TRY(visit(&bench->harness, &visited, visited.restores ? &ready : &first, line));
    }
    line->ready_us = samples_figure(&ready);
    line->first_token_us = samples_figure(&first);
    return STATUS_OK;
}

// ---- from the disk

static struct harness_needs disk_needs(struct kv_bench *bench, int32_t longest) {
    int64_t tokens = 0;
    for (int32_t i = 0; i <= longest; i++)
        tokens += LOGS * (LENGTHS[i] + MARGIN_TOKENS);
    return (struct harness_needs){
        .context = LENGTHS[longest] + MARGIN_TOKENS / 2,
        .device = {tokens, LOGS * (longest + 1)},
        .disk = cache_disk(bench),
        .restore = KV_RESTORE_ALWAYS,
    };
}

static enum status write_logs(struct kv_bench *bench, int32_t longest) {
    const struct harness_needs needs = disk_needs(bench, longest);
    enum status status = harness_open(&bench->harness, &needs);
    for (int32_t i = 0; i < (longest + 1) * LOGS && status == STATUS_OK; i++) {
        const uint32_t salt = salt_of(i / LOGS, i % LOGS);
        status = leave_log(&bench->harness, LENGTHS[i / LOGS], salt, salt);
    }
    const double before = harness_now_us();
    harness_close(&bench->harness);
    bench->resume.drain_us = harness_now_us() - before;
    bench->resume.written = bench->meters[0];
    bench_meter_add(&bench->resume.written, &bench->meters[1]);
    return status;
}

struct disk_samples {
    struct samples ready, first;
};

static enum status visit_disk(struct kv_bench *bench, int32_t index, enum resume_from from,
                              struct disk_samples *samples) {
    struct resume_line *line = &bench->resume.lines[index][from];
    struct visit visited = {.length = LENGTHS[index]};
    for (int32_t log = 0; log < LOGS; log++) {
        visited.salt = salt_of(index, log);
        visited.restores = log == 0;
        if (from == FROM_COLD_DISK) {
            const double kept = bench_folder_forget(&bench->folder);
            if (kept > line->kept_pages) line->kept_pages = kept;
        }
        TRY(visit(&bench->harness, &visited, log ? &samples->first : &samples->ready, line));
    }
    return STATUS_OK;
}

// A new engine for each run, because what was read once is on the device.
static enum status measure_disk(struct kv_bench *bench, int32_t longest, enum resume_from from) {
    struct disk_samples samples[RESUME_LENGTHS] = {0};
    struct bench_meter *read = from == FROM_DISK ? &bench->resume.read : &bench->resume.read_cold;
    enum status status = STATUS_OK;
    for (int32_t run = 0; run < bench->runs && status == STATUS_OK; run++) {
        const struct harness_needs needs = disk_needs(bench, longest);
        status = harness_open(&bench->harness, &needs);
        for (int32_t i = 0; i <= longest && status == STATUS_OK; i++)
            status = visit_disk(bench, i, from, &samples[i]);
        harness_close(&bench->harness);
        for (int32_t i = 0; i < BENCH_METERS; i++)
            bench_meter_add(read, &bench->meters[i]);
    }
    for (int32_t i = 0; i <= longest && status == STATUS_OK; i++) {
        bench->resume.lines[i][from].ready_us = samples_figure(&samples[i].ready);
        bench->resume.lines[i][from].first_token_us = samples_figure(&samples[i].first);
    }
    return status;
}

// ---- computed again

static enum status visit_nothing(struct kv_bench *bench, int32_t longest,
                                 struct samples samples[RESUME_LENGTHS]) {
    struct visit visited = {.restores = false};
    for (int32_t i = 0; i < (longest + 1) * LOGS; i++) {
        struct resume_line *line = &bench->resume.lines[i / LOGS][FROM_NOTHING];
        visited.length = LENGTHS[i / LOGS];
        visited.salt = salt_of(i / LOGS, i % LOGS);
        TRY(visit(&bench->harness, &visited, &samples[i / LOGS], line));
    }
    return STATUS_OK;
}

static enum status measure_computing(struct kv_bench *bench, int32_t longest) {
    struct samples samples[RESUME_LENGTHS] = {0};
    struct harness_needs needs = disk_needs(bench, longest);
    needs.restore = KV_RESTORE_NEVER;
    enum status status = harness_open(&bench->harness, &needs);
    if (status == STATUS_OK) status = visit_nothing(bench, longest, samples);
    harness_close(&bench->harness);
    for (int32_t i = 0; i <= longest; i++)
        bench->resume.lines[i][FROM_NOTHING].first_token_us = samples_figure(&samples[i]);
    return status;
}

// ---- all of them

static enum status measure_memory(struct kv_bench *bench, int32_t index) {
    const int32_t length = LENGTHS[index];
    // A log has a state every so often, and the short ones have some.
    const int32_t logs = bench->harness.info.state_bytes > 0 ? 2 * LOGS : LOGS;
    const struct harness_needs needs = {
        .context = length + MARGIN_TOKENS / 2,
        .device = {length + MARGIN_TOKENS, 1},
        .host = {logs * (length + MARGIN_TOKENS), logs},
        .restore = KV_RESTORE_ALWAYS,
    };
    enum status status = harness_open(&bench->harness, &needs);
    if (status == STATUS_OK) status = measure_device(bench, index);
    if (status == STATUS_OK) status = measure_host(bench, index);
    harness_close(&bench->harness);
    return status;
}

// The index of the longest log that can be measured, or -1; says of the others why not.
static int32_t choose_longest(struct kv_bench *bench) {
    struct resume_part *part = &bench->resume;
    int32_t longest = -1;
    for (int32_t i = 0; i < RESUME_LENGTHS; i++) {
        char missing[MISSING_BYTES] = "";
        const struct harness_room pools = {(int64_t)2 * LOGS * LENGTHS[i], 2 * LOGS};
        if (longest == i - 1 && cache_affords(bench, pools, LENGTHS[i], missing)) longest = i;
        for (int32_t from = 0; from < RESUME_FROM_COUNT; from++) {
            struct resume_line *line = &part->lines[i][from];
            line->tokens = LENGTHS[i];
            memcpy(line->missing, missing, sizeof missing);
        }
        memcpy(part->lookup_missing, missing, sizeof missing);
    }
    return longest;
}

enum status cache_resume(struct kv_bench *bench) {
    const int32_t longest = choose_longest(bench);
    const struct bench_kv_options *options = bench->options;
    if (longest < 0) return STATUS_OK;
    for (int32_t i = 0; i <= longest; i++)
        TRY(measure_memory(bench, i));
    TRY(bench_folder_open(&bench->folder, options->folder, !options->folder_given,
                          &bench->harness.err));
    enum status status = write_logs(bench, longest);
    if (status == STATUS_OK) status = measure_disk(bench, longest, FROM_DISK);
    if (status == STATUS_OK) status = measure_disk(bench, longest, FROM_COLD_DISK);
    if (status == STATUS_OK) status = measure_computing(bench, longest);
    bench_folder_close(&bench->folder);
    return status;
}
