// tests/bench/cache/table.c — the figures as tables within 80 columns.
#include <inttypes.h>
#include <stdio.h>

#include "app/base/figures.h"
#include "kernels/base/size.h"
#include "tests/bench/cache/show.h"

enum { NUMBER_BYTES = 24, RANGE_BYTES = 80 };

const char *const RESUME_FROM_NAMES[RESUME_FROM_COUNT] = {
    [FROM_DEVICE] = "device",        [FROM_HOST] = "host",        [FROM_DISK] = "disk",
    [FROM_COLD_DISK] = "disk, cold", [FROM_NOTHING] = "computed",
};

double resume_line_speed(const struct resume_line *line) {
    if (!(line->ready_us.median > 0)) return 0;
    return (double)line->moved_bytes / line->ready_us.median * 1e6;
}

// Three digits that count.
static const char *number_text(double value, char text[NUMBER_BYTES]) {
    const int digits = value < 10 ? 2 : value < 100 ? 1 : 0;
    snprintf(text, NUMBER_BYTES, "%.*f", digits, value);
    return text;
}

// "12.3 (11.9 - 14.0)", or "-" where nothing was measured.
static const char *range_text(const struct figure *figure, double unit, char text[RANGE_BYTES]) {
    char low[NUMBER_BYTES], median[NUMBER_BYTES], high[NUMBER_BYTES];
    if (figure->count == 0) return "-";
    snprintf(text, RANGE_BYTES, "%s (%s - %s)", number_text(figure->median / unit, median),
             number_text(figure->low / unit, low), number_text(figure->high / unit, high));
    return text;
}

static void print_head(const struct kv_bench *bench) {
    const struct engine_info *info = &bench->harness.info;
    char weights[SIZE_TEXT_BYTES], token[SIZE_TEXT_BYTES];
    printf("%.40s, %s, %s of weights\n", info->model_name, info->file_type,
           size_format(info->weight_bytes, weights));
    printf("KV %s, %s a token, blocks of %" PRId32, info->kv_type,
           size_format(info->token_bytes, token), info->block_size);
    if (info->state_bytes > 0)
        printf("; states of %s", size_format(info->state_bytes, token));
    else if (info->sequence_bytes > 0)
        printf("; windows of %s a sequence", size_format(info->sequence_bytes, token));
    printf("\n");
    printf("%s: %.60s\n", info->backend, info->device);
    printf("read bandwidth %.1f GB/s (measured in this run)\n", bench->read_bytes_per_s / 1e9);
}

static uint32_t most_states(const struct kv_bench *bench) {
    uint32_t most = 0;
    for (int32_t i = 0; i < FORK_LINES; i++)
        if (bench->forks[i].first_write_states > most) most = bench->forks[i].first_write_states;
    return most;
}

static void print_forks(const struct kv_bench *bench) {
    const struct engine_info *info = &bench->harness.info;
    char size[SIZE_TEXT_BYTES], count[COUNT_TEXT_BYTES];
    char idle[RANGE_BYTES], running[RANGE_BYTES];
    printf("\nForks: median (low - high) in us of %" PRId32 "\n", bench->forks[0].idle_us.count);
    printf("%7s %7s %10s %20s %20s %10s\n", "tokens", "blocks", "prefill, s", "at rest",
           "while it decodes", "1st write");
    for (int32_t i = 0; i < FORK_LINES; i++) {
        const struct fork_line *line = &bench->forks[i];
        printf("%7s ", count_format(line->tokens, count));
        if (line->missing[0])
            printf("not measured: %s\n", line->missing);
        else
            printf("%7" PRId32 " %10.2f %20s %20s %4" PRIu32 " block%s\n", line->blocks,
                   line->prefill_us / 1e6, range_text(&line->idle_us, 1, idle),
                   range_text(&line->running_us, 1, running), line->first_write_blocks,
                   line->first_write_blocks == 1 ? "" : "s");
    }
    printf("1st write: blocks (%s each) that the device holds more after the fork's own\n"
           "first token, in a tail that it shares. Goal: at most 1.\n",
           size_format(info->block_bytes, size));
    if (info->state_bytes > 0)
        printf("It takes as well (goal: at most 1) states of %s: %" PRIu32 ".\n",
               size_format(info->state_bytes, size), most_states(bench));
}

static void print_sharing(const struct kv_bench *bench) {
    char computed[COUNT_TEXT_BYTES], least[COUNT_TEXT_BYTES], at_once[COUNT_TEXT_BYTES];
    printf("\nOne head of 1,000 tokens, and 50 of each conversation's own\n");
    printf("%13s %9s %9s %7s %15s %9s %9s\n", "conversations", "blocks", "separate", "part",
           "tokens computed", "least", "at once");
    for (int32_t i = 0; i < SHARING_LINES; i++) {
        const struct sharing_line *line = &bench->sharing[i];
        printf("%13" PRId32 " ", line->conversations);
        if (line->missing[0])
            printf("not measured: %s\n", line->missing);
        else
            printf("%9" PRIu32 " %9" PRIu64 " %5.1f %% %15s %9s %9s\n", line->held_blocks,
                   line->separate_blocks, 100.0 * line->held_blocks / (double)line->separate_blocks,
                   count_format((int64_t)line->prefilled, computed),
                   count_format((int64_t)line->least, least),
                   count_format((int64_t)line->prefilled_at_once, at_once));
    }
    printf("at once: computed where all start at the same moment, instead of one before.\n");
}

static void print_resume_line(const struct kv_bench *bench, const struct resume_line *line,
                              enum resume_from from) {
    char count[COUNT_TEXT_BYTES], ready[RANGE_BYTES], first[RANGE_BYTES], share[NUMBER_BYTES] = "-";
    const double speed = resume_line_speed(line);
    const struct request_stats *stats = &line->stats;
    char found[RANGE_BYTES];
    printf("%6s %-10s ", count_format(line->tokens, count), RESUME_FROM_NAMES[from]);
    if (line->missing[0]) {
        printf("not measured: %s\n", line->missing);
        return;
    }
    if (speed > 0) snprintf(share, sizeof share, "%.0f %%", 100 * speed / bench->read_bytes_per_s);
    snprintf(found, sizeof found, "%" PRId64 "/%" PRId64 "/%" PRId64 "/%" PRIu64,
             stats->device_tokens, stats->host_tokens, stats->disk_tokens, line->prefilled);
    printf("%18s %21s %12s %5s\n", range_text(&line->ready_us, 1e3, ready),
           range_text(&line->first_token_us, 1e3, first), found, share);
}

static double speed_of(uint64_t bytes, int64_t elapsed_us) {
    return elapsed_us > 0 ? (double)bytes / (double)elapsed_us : 0; // MB/s
}

static void print_disk_speeds(const struct kv_bench *bench) {
    const struct resume_part *part = &bench->resume;
    const struct bench_meter *written = &part->written;
    if (written->writes == 0) return;
    printf("disk: written at %.0f MB/s (fdatasync and rows counted, %.0f blocks a write),\n"
           "read and verified at %.0f MB/s; cold %.0f MB/s",
           speed_of(written->write_bytes, written->write_us),
           (double)written->write_blocks / (double)written->writes,
           speed_of(part->read.read_bytes, part->read.read_us),
           speed_of(part->read_cold.read_bytes, part->read_cold.read_us));
    printf(" (%.0f %% of the pages in memory)\n", 100 * part->lines[0][FROM_COLD_DISK].kept_pages);
}

static void print_resume(const struct kv_bench *bench) {
    const struct resume_part *part = &bench->resume;
    printf("\nTaken up again: median (low - high) in ms\n");
    printf("%6s %-10s %18s %21s %12s %5s\n", "tokens", "from", "ready", "first token", "found",
           "read");
    for (int32_t i = 0; i < RESUME_LENGTHS; i++) {
        for (int32_t from = 0; from < RESUME_FROM_COUNT; from++)
            print_resume_line(bench, &part->lines[i][from], (enum resume_from)from);
        const struct figure *computed = &part->lines[i][FROM_NOTHING].first_token_us;
        const struct figure *disk = &part->lines[i][FROM_DISK].first_token_us;
        if (computed->count && disk->count)
            printf(
                "                  computing takes %.1f times as long as reading from the disk\n",
                computed->median / disk->median);
    }
    printf("found: tokens on the device/host/disk by the request/and computed.\n"
           "read: bytes a second until ready, as a part of the read bandwidth.\n");
    print_disk_speeds(bench);
    if (part->lookup_missing[0])
        printf("lookup: not measured: %s\n", part->lookup_missing);
    else
        printf("lookup: %.0f ns a token (%.0f - %.0f) of %" PRId32 " on the device, %" PRId32
               " found; goal: 200\n",
               part->lookup_ns.median, part->lookup_ns.low, part->lookup_ns.high,
               part->lookup_tokens, part->lookup_found);
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
        printf("\nTwo conversations, each 60 %% of the device, both in host memory; %s\n",
               line->kept ? "kept" : "made anew");
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

void cache_print(const struct kv_bench *bench) {
    print_head(bench);
    print_forks(bench);
    print_sharing(bench);
    print_resume(bench);
    print_turns(bench);
    print_pairs(bench);
}
