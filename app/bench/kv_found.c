// app/bench/kv_found.c — prints what `quire bench kv` found, as tables or as JSON.
//
// A figure is the median of its runs, followed by the lowest and the highest. In JSON each row has
// `not_measured`: null, or the reason, and then the row has no figures. A speed divides the bytes
// that were moved to the device by the time until the conversation was ready, so reading, verifying
// and copying all count.
#include "app/bench/kv_found.h"

#include <inttypes.h>
#include <stdio.h>

#include "app/base/figures.h"
#include "kernels/base/size.h"

static const char *const FROM[RESUME_FROM_COUNT] = {
    [FROM_DEVICE] = "device",
    [FROM_HOST] = "host",
    [FROM_DISK] = "disk",
    [FROM_NOTHING] = "computed",
};

// Bytes a second of what was brought to the device, until it was there; 0: none.
static double resume_speed(const struct resume_row *row) {
    return row->ready_us.median > 0 ? (double)row->last.moved_bytes / row->ready_us.median * 1e6
                                    : 0;
}

// ---- for people

static void print_heading(const struct kv_found *found) {
    const struct engine_info *info = &found->info;
    char size[SIZE_TEXT_BYTES];
    report_print_heading(info, found->read_bytes_per_s);
    printf("KV cache: %s a token, blocks of %" PRId32, size_format(info->token_bytes, size),
           info->block_size);
    if (info->state_bytes > 0)
        printf("; states of %s", size_format(info->state_bytes, size));
    else if (info->sequence_bytes > 0)
        printf("; windows of %s a sequence", size_format(info->sequence_bytes, size));
    printf("\n");
}

static void print_forks(const struct kv_found *found) {
    char size[SIZE_TEXT_BYTES], count[COUNT_TEXT_BYTES], idle[FIGURE_TEXT_BYTES];
    printf("\nForks: median (low - high) in us\n");
    printf("%7s %7s %11s %22s %12s\n", "tokens", "blocks", "prefill, s", "fork", "first write");
    for (int32_t i = 0; i < FORK_ROWS; i++) {
        const struct fork_row *row = &found->forks[i];
        printf("%7s ", count_format(row->tokens, count));
        if (row->missing[0])
            printf("not measured: %s\n", row->missing);
        else
            printf("%7" PRId32 " %11.2f %22s %6" PRIu32 " block%s\n", row->blocks,
                   row->prefill_us / 1e6, figure_format(&row->idle_us, 1, idle),
                   row->first_write_blocks, row->first_write_blocks == 1 ? "" : "s");
    }
    printf("first write: blocks of %s taken by the fork's first own token",
           size_format(found->info.block_bytes, size));
    if (found->info.state_bytes > 0)
        printf(", and %" PRIu32 " states of %s", found->forks[0].first_write_states,
               size_format(found->info.state_bytes, size));
    printf("\n");
}

static void print_sharing(const struct kv_found *found) {
    char computed[COUNT_TEXT_BYTES], least[COUNT_TEXT_BYTES];
    printf("\nConversations that share %d tokens, with %d of their own each\n", SHARED_TOKENS,
           OWN_TOKENS);
    printf("%13s %9s %9s %8s %16s %9s\n", "conversations", "blocks", "unshared", "share",
           "tokens computed", "least");
    for (int32_t i = 0; i < SHARING_ROWS; i++) {
        const struct sharing_row *row = &found->sharing[i];
        printf("%13" PRId32 " ", row->conversations);
        if (row->missing[0])
            printf("not measured: %s\n", row->missing);
        else
            printf("%9" PRIu32 " %9" PRIu64 " %6.1f %% %16s %9s\n", row->held_blocks,
                   row->separate_blocks, 100.0 * row->held_blocks / (double)row->separate_blocks,
                   count_format((int64_t)row->prefilled, computed),
                   count_format((int64_t)row->least, least));
    }
}

static void print_resume_row(const struct kv_found *found, const struct resume_row *row,
                             enum resume_from from) {
    char count[COUNT_TEXT_BYTES], ready[FIGURE_TEXT_BYTES], first[FIGURE_TEXT_BYTES],
        places[FIGURE_TEXT_BYTES];
    char share[DIGITS_TEXT_BYTES] = "-";
    const double speed = resume_speed(row);
    const struct request_stats *stats = &row->last.stats;
    printf("%6s %-8s ", count_format(row->tokens, count), FROM[from]);
    if (row->missing[0]) {
        printf("not measured: %s\n", row->missing);
        return;
    }
    if (speed > 0) snprintf(share, sizeof share, "%.0f %%", 100 * speed / found->read_bytes_per_s);
    snprintf(places, sizeof places, "%" PRId64 "/%" PRId64 "/%" PRId64 "/%" PRIu64,
             stats->device_tokens, stats->host_tokens, stats->disk_tokens, row->last.prefilled);
    printf("%19s %21s %14s %6s\n", figure_format(&row->ready_us, 1e3, ready),
           figure_format(&row->first_token_us, 1e3, first), places, share);
}

void kv_found_print(const struct kv_found *found) {
    print_heading(found);
    print_forks(found);
    print_sharing(found);
    printf("\nResumed: median (low - high) in ms\n");
    printf("%6s %-8s %19s %21s %14s %6s\n", "tokens", "from", "ready", "first token", "found",
           "read");
    for (int32_t i = 0; i < RESUME_LENGTHS; i++)
        for (int32_t from = 0; from < RESUME_FROM_COUNT; from++)
            print_resume_row(found, &found->resume[i][from], (enum resume_from)from);
    printf("found: tokens on the device / in host memory / on disk / computed\n"
           "read: bytes per second until ready, as a share of the read bandwidth\n");
}

// ---- for programs

static void report_forks(struct report *report, const struct kv_found *found) {
    report_array(report, "forks");
    for (int32_t i = 0; i < FORK_ROWS; i++) {
        const struct fork_row *row = &found->forks[i];
        report_object(report, NULL);
        report_number(report, "tokens", row->tokens);
        report_figure(report, "idle_us", &row->idle_us, 1);
        if (report_measured(report, row->missing)) {
            report_number(report, "blocks", row->blocks);
            report_number(report, "prefill_us", row->prefill_us);
            report_number(report, "first_write_blocks", row->first_write_blocks);
            report_number(report, "first_write_bytes",
                          (double)row->first_write_blocks * (double)found->info.block_bytes);
            report_number(report, "first_write_states", row->first_write_states);
        }
        report_end(report);
    }
    report_end(report);
}

static void report_sharing(struct report *report, const struct kv_found *found) {
    report_array(report, "sharing");
    for (int32_t i = 0; i < SHARING_ROWS; i++) {
        const struct sharing_row *row = &found->sharing[i];
        report_object(report, NULL);
        report_number(report, "conversations", row->conversations);
        if (report_measured(report, row->missing)) {
            report_number(report, "tokens_each", SHARED_TOKENS + OWN_TOKENS);
            report_number(report, "held_blocks", row->held_blocks);
            report_number(report, "separate_blocks", (double)row->separate_blocks);
            report_number(report, "prefilled_tokens", (double)row->prefilled);
            report_number(report, "least_tokens", (double)row->least);
        }
        report_end(report);
    }
    report_end(report);
}

static void report_resume(struct report *report, const struct kv_found *found,
                          const struct resume_row *row, enum resume_from from) {
    report_object(report, NULL);
    report_number(report, "tokens", row->tokens);
    report_text(report, "from", FROM[from]);
    report_figure(report, "ready_ms", &row->ready_us, 1e3);
    report_figure(report, "first_token_ms", &row->first_token_us, 1e3);
    if (report_measured(report, row->missing)) {
        report_number(report, "device_tokens", (double)row->last.stats.device_tokens);
        report_number(report, "host_tokens", (double)row->last.stats.host_tokens);
        report_number(report, "disk_tokens", (double)row->last.stats.disk_tokens);
        report_number(report, "prefilled_tokens", (double)row->last.prefilled);
        report_number(report, "moved_bytes", (double)row->last.moved_bytes);
        report_number(report, "bytes_per_s", resume_speed(row));
        report_number(report, "of_read_bandwidth", resume_speed(row) / found->read_bytes_per_s);
    }
    report_end(report);
}

bool kv_found_print_json(const struct kv_found *found, bool one_line) {
    const struct engine_info *info = &found->info;
    struct report report = {0};
    report_object(&report, NULL);
    report_model(&report, info, found->read_bytes_per_s);
    report_number(&report, "block_tokens", info->block_size);
    report_number(&report, "block_bytes", (double)info->block_bytes);
    report_number(&report, "token_bytes", (double)info->token_bytes);
    report_number(&report, "state_bytes", (double)info->state_bytes);
    report_number(&report, "sequence_bytes", (double)info->sequence_bytes);
    report_forks(&report, found);
    report_sharing(&report, found);
    report_array(&report, "resume");
    for (int32_t i = 0; i < RESUME_LENGTHS; i++)
        for (int32_t from = 0; from < RESUME_FROM_COUNT; from++)
            report_resume(&report, found, &found->resume[i][from], (enum resume_from)from);
    return report_print(&report, one_line);
}
