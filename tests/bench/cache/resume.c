// tests/bench/cache/resume.c — how long it takes to find a log on the device, and to resume it from
// a disk whose pages are not in memory, as after a restart of the machine.
#include "tests/bench/cache/parts.h"

enum {
    LOOKUPS = 21,
    MARGIN_TOKENS = 64, // of a pool, beyond the log that it is to hold
    SALT = 1,
};

static const int32_t LENGTHS[RESUME_LINES] = {1000, 8000};

static enum status open_engine(struct kv_bench *bench, int32_t length) {
    const struct harness_needs needs = {
        .context = length + MARGIN_TOKENS / 2,
        .device = {length + MARGIN_TOKENS, 1},
        .disk = cache_disk(bench),
        .restore = KV_RESTORE_ALWAYS,
    };
    return needs.disk ? harness_open(&bench->harness, &needs) : STATUS_NO_MEMORY;
}

static void add_meters(const struct kv_bench *bench, struct bench_meter *sum) {
    for (int32_t i = 0; i < BENCH_METERS; i++)
        bench_meter_add(sum, &bench->meters[i]);
}

// Finds the log, which is on the device, and restores nothing.
static enum status look_up(struct harness *harness, struct resume_line *line,
                           struct samples *samples) {
    struct restore_report report;
    struct sequence *sequence;
    TRY(sequence_create(harness->engine, &sequence));
    const enum status status = harness_append(harness, sequence, SALT, line->tokens);
    const double before = harness_now_us();
    if (status == STATUS_OK) {
        sequence_restore(sequence, 0, &report);
        samples_add(samples, (harness_now_us() - before) * 1e3 / line->tokens);
        line->found = report.device_tokens;
    }
    sequence_destroy(sequence);
    return status;
}

static enum status write_log(struct kv_bench *bench, struct resume_line *line) {
    struct samples samples = {0};
    TRY(open_engine(bench, line->tokens));
    TRY(harness_leave_log(&bench->harness, SALT, line->tokens));
    for (int32_t i = 0; i < LOOKUPS; i++)
        TRY(look_up(&bench->harness, line, &samples));
    line->lookup_ns = samples_figure(&samples);
    return STATUS_OK;
}

// A new engine for each run, because what was read once is on the device.
static enum status read_log(struct kv_bench *bench, struct resume_line *line) {
    struct samples ready = {0}, first = {0};
    for (int32_t i = 0; i < bench->options->runs; i++) {
        const double kept = bench_folder_forget(&bench->folder);
        if (kept > line->kept_pages) line->kept_pages = kept;
        TRY(open_engine(bench, line->tokens));
        TRY(harness_visit(&bench->harness, SALT, line->tokens, &line->last));
        harness_close(&bench->harness);
        add_meters(bench, &line->read);
        samples_add(&ready, (double)line->last.stats.restore_us);
        samples_add(&first, (double)line->last.stats.first_token_us);
    }
    line->ready_us = samples_figure(&ready);
    line->first_token_us = samples_figure(&first);
    return STATUS_OK;
}

enum status cache_resume(struct kv_bench *bench) {
    for (int32_t i = 0; i < RESUME_LINES; i++) {
        struct resume_line *line = &bench->resume[i];
        const struct harness_room pool = {(int64_t)2 * LENGTHS[i], 2};
        line->tokens = LENGTHS[i];
        if (!harness_affords(&bench->harness, pool, line->tokens, line->missing)) continue;
        TRY(cache_open_folder(bench));
        enum status status = write_log(bench, line);
        const double before = harness_now_us();
        harness_close(&bench->harness); // which writes all of it
        line->close_us = harness_now_us() - before;
        add_meters(bench, &line->written);
        if (status == STATUS_OK) status = read_log(bench, line);
        harness_close(&bench->harness);
        bench_folder_close(&bench->folder);
        TRY(status);
    }
    return STATUS_OK;
}
