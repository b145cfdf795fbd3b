// app/bench/kv.c — `quire bench kv`: all figures come from real sequences of the engine.
//
// The forks come first: the prefill of their sequence tells how long any other would take, and so
// what can be measured at all.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/bench/bench.h"
#include "app/bench/folder.h"
#include "app/bench/harness.h"
#include "app/bench/kv_found.h"
#include "store/disk_cache/disk_cache.h"

enum {
    FORKS = 101,
    SPARE_TOKENS = 512, // of context and pool, beyond the longest: decoded, and copied tails
    MARGIN_TOKENS = 64, // of a pool that is to hold one log and no other
    MOST_CONVERSATIONS = 32,
    LOGS = 2, // of each length, where one is to displace the other
    SHORT_SALT = 1000,
    FRESH_SALT = 2000, // of logs that nothing knows
};

static const int32_t FORK_LENGTHS[FORK_ROWS] = {100, 1000, 10000};
static const int32_t CONVERSATIONS[SHARING_ROWS] = {1, 8, MOST_CONVERSATIONS};
static const int32_t LENGTHS[RESUME_LENGTHS] = {1000, 8000};

struct kv_bench {
    const struct bench_options *options;
    struct harness harness;
    struct bench_folder folder;
    struct kv_found found;
};

// ---- forks

// Keeps all forks until the end, so that none reuses the memory of an earlier one.
static enum status time_forks(struct sequence *sequence, struct figure *figure) {
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

// Forks, and appends one token after the shared ones: the blocks that are referenced only
// afterwards are its copies. The tail is half filled first, so that there is one to copy.
static enum status write_first(struct harness *harness, struct sequence *sequence,
                               struct fork_row *row) {
    const int32_t size = harness->info.block_size;
    struct sequence *fork;
    if (sequence_length(sequence) % size == 0)
        TRY(harness_append(harness, sequence, 1, sequence_length(sequence) + size / 2));
    TRY(harness_prefill(harness, sequence, NULL));
    TRY(sequence_fork(sequence, &fork));
    const struct kv_usage before = harness_usage(harness);
    enum status status = harness_append(harness, fork, 2, sequence_length(sequence) + 1);
    if (status == STATUS_OK) status = harness_prefill(harness, fork, NULL);
    const struct kv_usage after = harness_usage(harness);
    row->first_write_blocks = after.groups[0].device_held - before.groups[0].device_held;
    row->first_write_states =
        kv_usage_held(&after, CACHE_STATE) - kv_usage_held(&before, CACHE_STATE);
    sequence_destroy(fork);
    return status;
}

static enum status measure_fork(struct kv_bench *bench, struct sequence *sequence, int32_t i) {
    struct fork_row *row = &bench->found.forks[i];
    const int32_t before = sequence_length(sequence);
    struct request_stats stats;
    TRY(harness_append(&bench->harness, sequence, 1, row->tokens));
    TRY(harness_prefill(&bench->harness, sequence, &stats));
    // A few tokens were computed with the row before, to have a tail.
    const double token_us = (double)stats.prefill_us / (row->tokens - before);
    row->prefill_us = token_us * (row->tokens - (i ? FORK_LENGTHS[i - 1] : 0));
    if (i > 0) row->prefill_us += row[-1].prefill_us;
    bench->harness.token_us = row->prefill_us / row->tokens;
    bench->harness.token_length = row->tokens;
    row->blocks = sequence_blocks(sequence);
    TRY(time_forks(sequence, &row->idle_us));
    return write_first(&bench->harness, sequence, row);
}

static enum status measure_forks(struct kv_bench *bench) {
    struct harness_needs needs = {0};
    struct sequence *sequence = NULL;
    for (int32_t i = 0; i < FORK_ROWS; i++) {
        struct fork_row *row = &bench->found.forks[i];
        const struct harness_room pool = {(int64_t)FORK_LENGTHS[i] + SPARE_TOKENS, 2};
        row->tokens = FORK_LENGTHS[i];
        if (!harness_affords(&bench->harness, pool, row->tokens, row->missing) && i > 0) continue;
        needs.device = pool;
        needs.context = row->tokens + SPARE_TOKENS / 2;
    }
    TRY(harness_open(&bench->harness, &needs));
    enum status status = sequence_create(bench->harness.engine, &sequence);
    for (int32_t i = 0; i < FORK_ROWS && status == STATUS_OK; i++) {
        struct fork_row *row = &bench->found.forks[i];
        const struct harness_room pool = {(int64_t)row->tokens + SPARE_TOKENS, 2};
        if (harness_affords(&bench->harness, pool, row->tokens, row->missing))
            status = measure_fork(bench, sequence, i);
    }
    sequence_destroy(sequence);
    return status;
}

// ---- sharing

// One more conversation: the shared tokens, and its own.
static enum status begin(struct harness *harness, uint32_t salt, int32_t i,
                         struct sequence **sequence) {
    TRY(sequence_create(harness->engine, sequence));
    sequence_pin_prefix(*sequence, SHARED_TOKENS); // where a state is kept for the others
    TRY(harness_append(harness, *sequence, salt, SHARED_TOKENS));
    return harness_append(harness, *sequence, salt + 1 + (uint32_t)i, SHARED_TOKENS + OWN_TOKENS);
}

// The first conversation alone, then all others at once.
static enum status share(struct harness *harness, struct sharing_row *row,
                         struct sequence *sequences[MOST_CONVERSATIONS]) {
    const uint32_t salt = (uint32_t)row->conversations * 2 * MOST_CONVERSATIONS;
    const uint64_t before = harness_usage(harness).work.prefilled_tokens;
    TRY(begin(harness, salt, 0, &sequences[0]));
    TRY(harness_generate(harness, sequences[0], 1, NULL));
    const struct request_options one_token = harness_request(1);
    struct request *requests[MOST_CONVERSATIONS];
    enum status status = STATUS_OK;
    int32_t count = 0;
    for (int32_t i = 1; i < row->conversations && status == STATUS_OK; i++) {
        status = begin(harness, salt, i, &sequences[i]);
        if (status == STATUS_OK)
            status = request_start_all(&sequences[i], &one_token, 1, &requests[count]);
        count += status == STATUS_OK;
    }
    const enum status ended = harness_wait(harness, requests, count, NULL);
    const struct kv_usage after = harness_usage(harness);
    row->prefilled = after.work.prefilled_tokens - before;
    row->held_blocks = after.groups[0].device_held;
    for (int32_t i = 0; i < row->conversations && status == STATUS_OK; i++)
        row->separate_blocks += (uint64_t)sequence_blocks(sequences[i]);
    return status == STATUS_OK ? ended : status;
}

static enum status measure_sharing(struct kv_bench *bench) {
    const int32_t tokens = SHARED_TOKENS + OWN_TOKENS, size = bench->harness.info.block_size;
    const int64_t own =
        OWN_TOKENS + 3 * (int64_t)size; // with the block that the shared part ends in
    const struct harness_needs needs = {
        .context = tokens + size,
        .device = {2 * (SHARED_TOKENS + MOST_CONVERSATIONS * own), MOST_CONVERSATIONS},
    };
    char missing[MISSING_BYTES] = "";
    const bool can = harness_affords(&bench->harness, needs.device, tokens, missing);
    enum status status = can ? harness_open(&bench->harness, &needs) : STATUS_OK;
    for (int32_t i = 0; i < SHARING_ROWS && status == STATUS_OK; i++) {
        struct sequence *sequences[MOST_CONVERSATIONS] = {NULL};
        struct sharing_row *row = &bench->found.sharing[i];
        row->conversations = CONVERSATIONS[i];
        row->least = SHARED_TOKENS + (uint64_t)row->conversations * OWN_TOKENS;
        memcpy(row->missing, missing, sizeof missing);
        if (can) status = share(&bench->harness, row, sequences);
        for (int32_t s = 0; s < MOST_CONVERSATIONS; s++)
            sequence_destroy(sequences[s]);
    }
    return status;
}

// ---- resuming

struct visits {
    struct samples ready, first;
};

static enum status visit(struct harness *harness, uint32_t salt, struct visits *visits,
                         struct resume_row *row) {
    TRY(harness_visit(harness, salt, row->tokens, &row->last));
    const struct request_stats *stats = &row->last.stats;
    if (stats->cached_tokens > 0) samples_add(&visits->ready, (double)stats->restore_us);
    samples_add(&visits->first, (double)stats->first_token_us);
    row->ready_us = samples_figure(&visits->ready);
    row->first_token_us = samples_figure(&visits->first);
    return STATUS_OK;
}

// As many short logs as the device has states, so that those of longer ones leave it.
static enum status displace_states(struct harness *harness) {
    const struct engine_info *info = &harness->info;
    const size_t states = info->state_bytes ? info->sequence_bytes / info->state_bytes : 0;
    for (size_t i = 0; i < states; i++)
        TRY(harness_leave_log(harness, SHORT_SALT + (uint32_t)i, 2 * info->block_size));
    return STATUS_OK;
}

// A device for one log, and host memory for what it displaces.
static enum status resume_from_memory(struct kv_bench *bench, struct resume_row *rows) {
    struct harness *harness = &bench->harness;
    struct visits device = {0}, host = {0}, nothing = {0};
    TRY(visit(harness, FRESH_SALT, &nothing, &rows[FROM_NOTHING]));
    TRY(visit(harness, FRESH_SALT + 1, &nothing, &rows[FROM_NOTHING]));
    TRY(harness_leave_log(harness, 0, rows->tokens));
    for (int32_t i = 0; i < bench->options->runs; i++)
        TRY(visit(harness, 0, &device, &rows[FROM_DEVICE]));
    TRY(harness_leave_log(harness, 1, rows->tokens)); // which displaces the first
    for (int32_t i = 0; i < bench->options->runs; i++) {
        TRY(displace_states(harness));
        TRY(visit(harness, (uint32_t)(i % LOGS), &host, &rows[FROM_HOST]));
    }
    return STATUS_OK;
}

static enum status open_with_disk(struct kv_bench *bench, int32_t length) {
    struct disk_pool *disk =
        disk_cache_create(&(struct disk_cache_options){.folder = bench->folder.path});
    const struct harness_needs needs = {
        .context = length + MARGIN_TOKENS / 2,
        .device = {length + MARGIN_TOKENS, 1},
        .disk = disk,
        .restore = KV_RESTORE_ALWAYS,
    };
    if (disk) return harness_open(&bench->harness, &needs);
    return error_set(&bench->harness.err, STATUS_NO_MEMORY, "not enough memory");
}

// A new engine for each run, because what was read once is on the device. A disk that is full
// leaves most of the log to compute, in the next run, too.
static enum status resume_from_disk(struct kv_bench *bench, struct resume_row *row) {
    struct visits disk = {0};
    enum status status = open_with_disk(bench, row->tokens);
    if (status == STATUS_OK) status = harness_leave_log(&bench->harness, 0, row->tokens);
    harness_close(&bench->harness); // which writes all of it
    for (int32_t i = 0; i < bench->options->runs && status == STATUS_OK && !row->missing[0]; i++) {
        status = open_with_disk(bench, row->tokens);
        if (status == STATUS_OK) status = visit(&bench->harness, 0, &disk, row);
        harness_close(&bench->harness);
        if (status == STATUS_OK && row->last.stats.cached_tokens < row->tokens / 2)
            snprintf(row->missing, sizeof row->missing,
                     "the disk has kept %" PRId64 " tokens of it", row->last.stats.cached_tokens);
    }
    return status;
}

static enum status resume_length(struct kv_bench *bench, struct resume_row *rows) {
    // A log has a state every so often, and the short ones have some.
    const int32_t logs = (bench->harness.info.state_bytes > 0 ? 2 : 1) * (LOGS + 1);
    const int32_t length = rows->tokens;
    const struct harness_needs needs = {
        .context = length + MARGIN_TOKENS / 2,
        .device = {length + MARGIN_TOKENS, 1},
        .host = {(int64_t)logs * (length + MARGIN_TOKENS), logs},
        .restore = KV_RESTORE_ALWAYS,
    };
    enum status status = harness_open(&bench->harness, &needs);
    if (status == STATUS_OK) status = resume_from_memory(bench, rows);
    harness_close(&bench->harness);
    TRY(status);
    TRY(bench_folder_open(&bench->folder, bench->options->folder, !bench->options->folder_given,
                          &bench->harness.err));
    status = resume_from_disk(bench, &rows[FROM_DISK]);
    bench_folder_close(&bench->folder);
    return status;
}

// From here on there is a folder to remove. Before, a signal ends the process at once, which
// opening a large model would delay.
static enum status measure_resume(struct kv_bench *bench) {
    harness_catch_signals();
    for (int32_t i = 0; i < RESUME_LENGTHS; i++) {
        struct resume_row *rows = bench->found.resume[i];
        const struct harness_room pools = {(int64_t)2 * LOGS * LENGTHS[i], 2 * LOGS};
        char missing[MISSING_BYTES] = "";
        const bool can = harness_affords(&bench->harness, pools, LENGTHS[i], missing);
        for (int32_t from = 0; from < RESUME_FROM_COUNT; from++) {
            rows[from].tokens = LENGTHS[i];
            memcpy(rows[from].missing, missing, sizeof missing);
        }
        if (can) TRY(resume_length(bench, rows));
    }
    return STATUS_OK;
}

// ---- all of them

static enum status probe(struct kv_bench *bench) {
    return harness_probe(&bench->harness, &bench->found.read_bytes_per_s);
}

static const struct {
    const char *name;
    enum status (*measure)(struct kv_bench *bench);
} PARTS[] = {
    {"the machine", probe},
    {"forks", measure_forks},
    {"a shared prefix", measure_sharing},
    {"resuming", measure_resume},
};

int bench_kv_run(const struct bench_options *options) {
    struct kv_bench bench = {.options = options, .harness = {.options = &options->engine}};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0] && status == STATUS_OK; i++) {
        harness_progress(options->quiet, PARTS[i].name);
        status = PARTS[i].measure(&bench);
        harness_close(&bench.harness);
    }
    harness_progress(options->quiet, "");
    if (harness_signal()) status = STATUS_CANCELLED;
    bench.found.info = bench.harness.info;
    if (status == STATUS_OK && !options->json) kv_found_print(&bench.found);
    if (status == STATUS_OK && options->json &&
        !kv_found_print_json(&bench.found, options->one_line))
        status = STATUS_NO_MEMORY;
    return harness_end(&bench.harness, status);
}
