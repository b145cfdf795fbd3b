// tests/bench/cache/show.c — the figures of `quire-measure cache`: tables within 80 columns, or
// one JSON object.
#include <inttypes.h>
#include <stdio.h>

#include "app/base/figures.h"
#include "kernels/base/size.h"
#include "tests/bench/cache/parts.h"

// Bytes a second of what a line brought to the device, until it was ready.
static double resume_speed(const struct resume_line *line) {
    if (!(line->ready_us.median > 0)) return 0;
    return (double)line->last.moved_bytes / line->ready_us.median * 1e6;
}

static double speed_of(uint64_t bytes, int64_t elapsed_us) {
    return elapsed_us > 0 ? (double)bytes / (double)elapsed_us * 1e6 : 0;
}

// ---- for people

static void print_forks(const struct kv_bench *bench) {
    char count[COUNT_TEXT_BYTES], running[FIGURE_TEXT_BYTES];
    printf("\nForks while the sequence decodes: median (low - high) in us\n");
    for (int32_t i = 0; i < FORK_LINES; i++) {
        const struct fork_line *line = &bench->forks[i];
        printf("%7s tokens ", count_format(line->tokens, count));
        if (line->missing[0])
            printf("not measured: %s\n", line->missing);
        else
            printf("%s\n", figure_format(&line->running_us, 1, running));
    }
}

static void print_resume_line(const struct kv_bench *bench, const struct resume_line *line) {
    char count[COUNT_TEXT_BYTES], ready[FIGURE_TEXT_BYTES], first[FIGURE_TEXT_BYTES];
    char lookup[FIGURE_TEXT_BYTES];
    printf("%6s ", count_format(line->tokens, count));
    if (line->missing[0]) {
        printf("not measured: %s\n", line->missing);
        return;
    }
    printf("%20s %20s %5.0f %% %22s\n", figure_format(&line->ready_us, 1e3, ready),
           figure_format(&line->first_token_us, 1e3, first),
           100 * resume_speed(line) / bench->read_bytes_per_s,
           figure_format(&line->lookup_ns, 1, lookup));
}

static void print_resume(const struct kv_bench *bench) {
    printf("\nResumed from a disk without its page cache: median (low - high) in ms\n");
    printf("%6s %20s %20s %7s %22s\n", "tokens", "ready", "first token", "read", "lookup, ns");
    for (int32_t i = 0; i < RESUME_LINES; i++)
        print_resume_line(bench, &bench->resume[i]);
    printf("read: bytes per second until ready, as a share of the read bandwidth\n"
           "lookup: to find the log on the device, a token of it; goal: 200\n");
    for (int32_t i = 0; i < RESUME_LINES; i++) {
        const struct resume_line *line = &bench->resume[i];
        if (line->written.writes == 0) continue;
        printf("%" PRId32 " tokens: written at %.0f MB/s, %.0f blocks a call; read and verified at "
               "%.0f MB/s\n(%.0f %% of the pages in memory)\n",
               line->tokens, speed_of(line->written.write_bytes, line->written.write_us) / 1e6,
               (double)line->written.write_blocks / (double)line->written.writes,
               speed_of(line->read.read_bytes, line->read.read_us) / 1e6, 100 * line->kept_pages);
    }
}

static void print_turns_line(const struct turns_line *line) {
    enum { MIB = 1 << 20 };
    const double payload = (double)line->payload_bytes, written = (double)line->written_bytes;
    const double wanted = (double)line->wanted_bytes, system = (double)line->system_bytes;
    char blocks[COUNT_TEXT_BYTES], computed[COUNT_TEXT_BYTES];
    printf("%-6s ", line->tight ? "tight" : "roomy");
    if (line->missing[0]) {
        printf("not measured: %s\n", line->missing);
        return;
    }
    snprintf(blocks, sizeof blocks, "%" PRIu64 "+%" PRIu64, line->sealed_blocks, line->tails);
    snprintf(computed, sizeof computed, "%" PRIu64 "/%" PRIu64, line->prefilled, line->least);
    printf("%6s %7.2f %7.2f %7.2f %7.2f %7.3f %7.3f %7.3f %9s\n", blocks, payload / MIB,
           written / MIB, system / MIB, (double)line->folder_bytes / MIB, written / payload,
           written / wanted, system / wanted, computed);
}

static void print_turn_bytes(const struct kv_bench *bench) {
    char kv[SIZE_TEXT_BYTES], windows[SIZE_TEXT_BYTES];
    const struct engine_info *info = &bench->harness.info;
    const struct turns_line *line = &bench->turns[0];
    const size_t turns = (size_t)line->turns;
    if (line->missing[0]) return;
    printf("a turn: %s of keys and values", size_format(line->payload_bytes / turns, kv));
    if (info->sequence_bytes > 0)
        printf(", and %s of %s,\nwhich the sums above leave out",
               size_format(line->window_bytes / turns, windows),
               info->state_bytes > 0 ? "states" : "windows");
    printf(".\n");
}

static void print_turns(const struct kv_bench *bench) {
    const struct turns_line *first = &bench->turns[0];
    printf("\n%" PRId32 " turns of %" PRId32 " conversations in turn, to the disk, in MiB\n",
           first->turns, first->conversations);
    printf("%-6s %6s %7s %7s %7s %7s %7s %7s %7s %9s\n", "device", "blocks", "payload", "written",
           "system", "folder", "wr/pay", "wr/blk", "sys/blk", "computed");
    for (int32_t i = 0; i < TURN_LINES; i++)
        print_turns_line(&bench->turns[i]);
    print_turn_bytes(bench);
    printf("blocks: distinct full ones + tails; written: as the tier counts; system: as the\n"
           "kernel does (0: it does not say); goals: wr/pay and wr/blk at most 1.1.\n"
           "computed: tokens/of them new. tight: the device holds half of all.\n");
}

static void print_pairs(const struct kv_bench *bench) {
    for (int32_t i = 0; i < PAIR_LINES; i++) {
        const struct pair_line *line = &bench->pairs[i];
        printf("\nTwo conversations, each 60 %% of the device, both in host memory: %s\n",
               line->kept ? "kept" : "made from the log");
        if (line->missing[0]) {
            printf("not measured: %s\n", line->missing);
            continue;
        }
        printf("%4s %7s %7s %9s %9s %9s %15s\n", "turn", "tokens", "new", "device", "host",
               "computed", "first token, ms");
        for (int32_t j = 0; j < PAIR_TURNS; j++) {
            const struct pair_turn *turn = &line->turns[j];
            printf("%4" PRId32 " %7" PRId32 " %7" PRId32 " %9" PRId64 " %9" PRId64 " %9" PRId64
                   " %15.1f\n",
                   j + 1, turn->prompt, turn->new_tokens, turn->device_tokens, turn->host_tokens,
                   turn->prefilled, turn->first_token_us / 1e3);
        }
        printf("computed again: %" PRIu64 " tokens (goal: 0); device %" PRIu32
               " blocks, conversation %" PRIu32 "\n",
               line->excess, line->pool_blocks, line->largest_blocks);
    }
}

static void print_tables(const struct kv_bench *bench) {
    report_print_heading(&bench->harness.info, bench->read_bytes_per_s);
    print_forks(bench);
    print_resume(bench);
    print_turns(bench);
    print_pairs(bench);
}

// ---- for programs

static void report_forks(struct report *report, const struct kv_bench *bench) {
    report_array(report, "forks");
    for (int32_t i = 0; i < FORK_LINES; i++) {
        const struct fork_line *line = &bench->forks[i];
        report_object(report, NULL);
        report_number(report, "tokens", line->tokens);
        report_measured(report, line->missing);
        report_figure(report, "running_us", &line->running_us, 1);
        report_end(report);
    }
    report_end(report);
}

static void report_resume(struct report *report, const struct kv_bench *bench) {
    report_array(report, "resume");
    for (int32_t i = 0; i < RESUME_LINES; i++) {
        const struct resume_line *line = &bench->resume[i];
        report_object(report, NULL);
        report_number(report, "tokens", line->tokens);
        if (report_measured(report, line->missing)) {
            report_figure(report, "ready_ms", &line->ready_us, 1e3);
            report_figure(report, "first_token_ms", &line->first_token_us, 1e3);
            report_number(report, "disk_tokens", (double)line->last.stats.disk_tokens);
            report_number(report, "prefilled_tokens", (double)line->last.prefilled);
            report_number(report, "moved_bytes", (double)line->last.moved_bytes);
            report_number(report, "bytes_per_s", resume_speed(line));
            report_number(report, "of_read_bandwidth",
                          resume_speed(line) / bench->read_bytes_per_s);
            report_number(report, "pages_kept_in_memory", line->kept_pages);
            report_number(report, "write_bytes_per_s",
                          speed_of(line->written.write_bytes, line->written.write_us));
            report_number(report, "read_bytes_per_s",
                          speed_of(line->read.read_bytes, line->read.read_us));
            report_number(report, "writes", (double)line->written.writes);
            report_number(report, "written_blocks", (double)line->written.write_blocks);
            report_number(report, "close_us", line->close_us);
            report_figure(report, "lookup_ns_per_token", &line->lookup_ns, 1);
            report_number(report, "found_tokens", line->found);
        }
        report_end(report);
    }
    report_end(report);
}

static void report_turns(struct report *report, const struct kv_bench *bench) {
    const bool states = bench->harness.info.state_bytes > 0;
    report_array(report, "turns");
    for (int32_t i = 0; i < TURN_LINES; i++) {
        const struct turns_line *line = &bench->turns[i];
        report_object(report, NULL);
        report_text(report, "device", line->tight ? "tight" : "roomy");
        report_number(report, "conversations", line->conversations);
        report_number(report, "turns", line->turns);
        if (report_measured(report, line->missing)) {
            report_number(report, "sealed_blocks", (double)line->sealed_blocks);
            report_number(report, "tails", (double)line->tails);
            report_number(report, "wanted_bytes", (double)line->wanted_bytes);
            report_number(report, "payload_bytes", (double)line->payload_bytes);
            report_number(report, "written_bytes", (double)line->written_bytes);
            report_number(report, states ? "state_payload_bytes" : "window_payload_bytes",
                          (double)line->window_bytes);
            report_number(report, states ? "state_written_bytes" : "window_written_bytes",
                          (double)line->window_written_bytes);
            if (line->system_knows)
                report_number(report, "system_written_bytes", (double)line->system_bytes);
            else
                report_text(report, "system_written_bytes", NULL);
            report_number(report, "folder_bytes", (double)line->folder_bytes);
            report_number(report, "written_of_payload",
                          (double)line->written_bytes / (double)line->payload_bytes);
            report_number(report, "written_of_wanted",
                          (double)line->written_bytes / (double)line->wanted_bytes);
            report_number(report, "write_calls", (double)line->writes);
            report_number(report, "write_blocks", (double)line->write_blocks);
            report_number(report, "evicted_blocks", (double)line->evicted_blocks);
            report_number(report, "lost_blocks", (double)line->lost_blocks);
            report_number(report, "prefilled_tokens", (double)line->prefilled);
            report_number(report, "least_tokens", (double)line->least);
            report_number(report, "decoded_tokens", (double)line->decoded);
        }
        report_end(report);
    }
    report_end(report);
}

static void report_pair_turns(struct report *report, const struct pair_line *line) {
    report_array(report, "turns");
    for (int32_t i = 0; i < PAIR_TURNS; i++) {
        const struct pair_turn *turn = &line->turns[i];
        report_object(report, NULL);
        report_number(report, "prompt_tokens", turn->prompt);
        report_number(report, "new_tokens", turn->new_tokens);
        report_number(report, "device_tokens", (double)turn->device_tokens);
        report_number(report, "host_tokens", (double)turn->host_tokens);
        report_number(report, "prefilled_tokens", (double)turn->prefilled);
        report_number(report, "first_token_ms", turn->first_token_us / 1e3);
        report_end(report);
    }
    report_end(report);
}

static void report_pairs(struct report *report, const struct kv_bench *bench) {
    report_array(report, "pairs");
    for (int32_t i = 0; i < PAIR_LINES; i++) {
        const struct pair_line *line = &bench->pairs[i];
        report_object(report, NULL);
        report_text(report, "conversations", line->kept ? "kept" : "made from the log");
        if (report_measured(report, line->missing)) {
            report_number(report, "pool_blocks", line->pool_blocks);
            report_number(report, "largest_blocks", line->largest_blocks);
            report_number(report, "computed_again_tokens", (double)line->excess);
            report_number(report, "swap_out_bytes", (double)line->swap_out_bytes);
            report_number(report, "swap_in_bytes", (double)line->swap_in_bytes);
            report_pair_turns(report, line);
        }
        report_end(report);
    }
    report_end(report);
}

bool cache_print(const struct kv_bench *bench) {
    struct report report = {0};
    if (!bench->options->json) {
        print_tables(bench);
        return true;
    }
    report_object(&report, NULL);
    report_model(&report, &bench->harness.info, bench->read_bytes_per_s);
    report_forks(&report, bench);
    report_resume(&report, bench);
    report_turns(&report, bench);
    report_pairs(&report, bench);
    return report_print(&report, bench->options->one_line);
}
