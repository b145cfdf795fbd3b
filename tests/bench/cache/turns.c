// tests/bench/cache/turns.c — alternating conversations: what they write to the disk, and what is
// computed again if they do not fit the device together.
#include <stdlib.h>

#include "tests/bench/cache/parts.h"

enum {
    TURNS = 50,
    CONVERSATIONS = 5,
    HEAD_TOKENS = 96,
    PROMPT_TOKENS = 60,
    ANSWER_TOKENS = 40,
    TURN_TOKENS = PROMPT_TOKENS + ANSWER_TOKENS,
    LOG_TOKENS = HEAD_TOKENS + (TURNS / CONVERSATIONS) * TURN_TOKENS,
    ALL_TOKENS = CONVERSATIONS * LOG_TOKENS,
    TIGHT_PARTS = 2, // of ALL_TOKENS that a tight device holds one
    PAIR_POOL_TOKENS = 4096,
    PAIR_LOG_TOKENS = PAIR_POOL_TOKENS * 6 / 10,
    PAIR_FIRST_TOKENS = PAIR_LOG_TOKENS - PAIR_TURNS / 2 * TURN_TOKENS + PROMPT_TOKENS,
    MOST_LOG_TOKENS = PAIR_LOG_TOKENS > LOG_TOKENS ? PAIR_LOG_TOKENS : LOG_TOKENS,
};

struct log { // of a conversation between its turns
    int32_t ids[MOST_LOG_TOKENS];
    int32_t count;
};

static void log_extend(struct log *log, const struct harness *harness, uint32_t salt,
                       int32_t count) {
    harness_ids(harness, salt, log->count, count, log->ids + log->count);
    log->count += count;
}

static void log_read(struct log *log, const struct sequence *sequence) {
    const int32_t length = sequence_length(sequence);
    const int32_t *tokens = sequence_tokens(sequence);
    for (; log->count < length; log->count++)
        log->ids[log->count] = tokens[log->count];
}

// One turn as in a chat after a switch: a new sequence from the log, an answer, saved, and
// destroyed.
static enum status run_turn(struct harness *harness, struct log *log, uint64_t conversation,
                            struct request_stats *stats) {
    struct sequence *sequence;
    TRY(sequence_create(harness->engine, &sequence));
    enum status status = sequence_append(sequence, log->ids, (size_t)log->count);
    if (status == STATUS_OK) status = harness_generate(harness, sequence, ANSWER_TOKENS, stats);
    if (status == STATUS_OK) {
        log_read(log, sequence);
        sequence_save(sequence, conversation);
    }
    sequence_destroy(sequence);
    return status;
}

// ---- what is written

// Full blocks that no earlier log has, and the tails, which are their conversations' own.
static void count_distinct(const struct harness *harness, const struct log logs[CONVERSATIONS],
                           struct turns_line *line) {
    const int32_t size = harness->info.block_size;
    for (int32_t i = 0; i < CONVERSATIONS; i++) {
        const int32_t cached = logs[i].count - 1; // the last token was only sampled
        int32_t known = 0;
        for (int32_t j = 0; j < i; j++) {
            int32_t common = 0;
            while (common < cached && common < logs[j].count - 1 &&
                   logs[i].ids[common] == logs[j].ids[common])
                common++;
            if (common > known) known = common;
        }
        line->sealed_blocks += (uint64_t)(cached / size - known / size);
        line->tails += cached % size > 0;
    }
    line->wanted_bytes = (line->sealed_blocks + line->tails) * harness->info.block_bytes;
}

static enum status run_turns(struct harness *harness, struct log logs[CONVERSATIONS],
                             struct turns_line *line) {
    for (int32_t i = 0; i < CONVERSATIONS; i++)
        log_extend(&logs[i], harness, 1, HEAD_TOKENS);
    for (int32_t turn = 0; turn < TURNS; turn++) {
        const int32_t which = turn % CONVERSATIONS;
        log_extend(&logs[which], harness, (uint32_t)(2 + which), PROMPT_TOKENS);
        TRY(run_turn(harness, &logs[which], (uint64_t)which + 1, NULL));
    }
    const struct kv_usage usage = harness_usage(harness);
    line->prefilled = usage.work.prefilled_tokens;
    line->decoded = usage.work.decoded_tokens;
    line->evicted_blocks = usage.evicted_blocks;
    line->lost_blocks = usage.lost_blocks;
    // Counts each turn's prompt and, after the first turn, the token that was only sampled.
    line->least = HEAD_TOKENS + (uint64_t)TURNS * PROMPT_TOKENS + TURNS - CONVERSATIONS;
    count_distinct(harness, logs, line);
    return STATUS_OK;
}

static struct harness_room turns_room(bool tight) {
    return tight ? (struct harness_room){ALL_TOKENS / TIGHT_PARTS, CONVERSATIONS / TIGHT_PARTS}
                 : (struct harness_room){ALL_TOKENS + LOG_TOKENS, CONVERSATIONS};
}

// Windows and states stand for themselves.
static void note_written(const struct bench_meter meters[BENCH_METERS], struct turns_line *line) {
    line->payload_bytes = meters[0].usage.payload_bytes;
    line->written_bytes = meters[0].usage.written_bytes;
    line->window_bytes = meters[1].usage.payload_bytes;
    line->window_written_bytes = meters[1].usage.written_bytes;
    line->write_blocks = meters[0].write_blocks + meters[1].write_blocks;
    line->writes = meters[0].writes + meters[1].writes;
}

static enum status measure_turns(struct kv_bench *bench, struct turns_line *line) {
    const struct harness_needs needs = {
        .context = LOG_TOKENS + TURN_TOKENS,
        .device = turns_room(line->tight),
        .disk = cache_disk(bench),
        .restore = KV_RESTORE_ALWAYS,
    };
    struct log *logs = calloc(CONVERSATIONS, sizeof *logs);
    uint64_t before = 0, after = 0;
    line->system_knows = bench_system_written(&before);
    enum status status = logs ? harness_open(&bench->harness, &needs) : STATUS_NO_MEMORY;
    if (status == STATUS_OK) status = run_turns(&bench->harness, logs, line);
    harness_close(&bench->harness);
    line->system_knows = line->system_knows && bench_system_written(&after);
    line->system_bytes = after - before;
    note_written(bench->meters, line);
    line->folder_bytes = bench_folder_bytes(&bench->folder);
    free(logs);
    return status;
}

enum status cache_turns(struct kv_bench *bench) {
    for (int32_t i = 0; i < TURN_LINES; i++) {
        struct turns_line *line = &bench->turns[i];
        line->tight = i > 0;
        line->conversations = CONVERSATIONS;
        line->turns = TURNS;
        if (!harness_affords(&bench->harness, turns_room(false), ALL_TOKENS, line->missing))
            continue;
        TRY(cache_open_folder(bench));
        const enum status status = measure_turns(bench, line);
        bench_folder_close(&bench->folder);
        TRY(status);
    }
    return STATUS_OK;
}

// ---- two that do not fit together

struct pair {
    struct log logs[2];
    struct sequence *sequences[2]; // where they are kept
};

static enum status continue_kept(struct harness *harness, struct pair *pair, int32_t which,
                                 struct request_stats *stats) {
    struct log *log = &pair->logs[which];
    struct sequence *sequence = pair->sequences[which];
    const int32_t length = sequence_length(sequence);
    TRY(sequence_append(sequence, log->ids + length, (size_t)(log->count - length)));
    TRY(harness_generate(harness, sequence, ANSWER_TOKENS, stats));
    log_read(log, sequence);
    return STATUS_OK;
}

static enum status pair_turn(struct harness *harness, struct pair *pair, int32_t turn,
                             struct pair_line *line) {
    const int32_t which = turn % 2;
    const int32_t before = pair->logs[which].count;
    struct pair_turn *taken = &line->turns[turn];
    struct request_stats stats;
    log_extend(&pair->logs[which], harness, (uint32_t)(1 + which),
               before ? PROMPT_TOKENS : PAIR_FIRST_TOKENS);
    taken->prompt = pair->logs[which].count;
    taken->new_tokens = taken->prompt - (before ? before - 1 : 0);
    const struct kv_usage old = harness_usage(harness);
    TRY(line->kept ? continue_kept(harness, pair, which, &stats)
                   : run_turn(harness, &pair->logs[which], (uint64_t)which + 1, &stats));
    const struct kv_usage now = harness_usage(harness);
    taken->prefilled = (int64_t)(now.work.prefilled_tokens - old.work.prefilled_tokens);
    taken->device_tokens = stats.device_tokens;
    taken->host_tokens = stats.host_tokens;
    taken->first_token_us = (double)stats.first_token_us;
    if (before && taken->prefilled > taken->new_tokens)
        line->excess += (uint64_t)(taken->prefilled - taken->new_tokens);
    line->swap_out_bytes = now.swap_out_bytes;
    line->swap_in_bytes = now.swap_in_bytes;
    return STATUS_OK;
}

static enum status run_pair_turns(struct harness *harness, struct pair *pair,
                                  struct pair_line *line) {
    for (int32_t i = 0; line->kept && i < 2; i++)
        TRY(sequence_create(harness->engine, &pair->sequences[i]));
    for (int32_t turn = 0; turn < PAIR_TURNS; turn++)
        TRY(pair_turn(harness, pair, turn, line));
    const int32_t size = harness->info.block_size;
    line->largest_blocks = (uint32_t)((pair->logs[0].count - 1 + size - 1) / size);
    line->pool_blocks = harness->info.blocks_total;
    return STATUS_OK;
}

enum status cache_pairs(struct kv_bench *bench) {
    const struct harness_needs needs = {
        .context = PAIR_LOG_TOKENS + TURN_TOKENS,
        .device = {PAIR_POOL_TOKENS, 1},
        .host = {(int64_t)2 * PAIR_POOL_TOKENS, 2},
        .restore = KV_RESTORE_ALWAYS,
    };
    enum status status = STATUS_OK;
    for (int32_t i = 0; i < PAIR_LINES && status == STATUS_OK; i++) {
        struct pair_line *line = &bench->pairs[i];
        line->kept = i > 0;
        line->pool_tokens = PAIR_POOL_TOKENS;
        if (!harness_affords(&bench->harness, (struct harness_room){3 * PAIR_POOL_TOKENS, 3},
                             PAIR_POOL_TOKENS, line->missing))
            continue;
        struct pair *pair = calloc(1, sizeof *pair);
        status = pair ? harness_open(&bench->harness, &needs) : STATUS_NO_MEMORY;
        if (status == STATUS_OK) status = run_pair_turns(&bench->harness, pair, line);
        harness_close(&bench->harness); // frees the sequences that are kept
        free(pair);
    }
    return status;
}
