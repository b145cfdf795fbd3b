// app/console/command_kv.c — /kv and /strip: the cache, and whose it is.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/figures.h"
#include "app/chat/chat_kv.h"
#include "app/chat/kv_report.h"
#include "app/chat/usage.h"
#include "app/console/command.h"
#include "app/console/pager.h"
#include "app/screen/row.h"
#include "app/screen/terminal.h"
#include "kernels/base/size.h"

enum {
    HOLDERS_ASKED = 1000, // conversations, the newest
    HOLDERS_SHOWN = 8,
    MAP_CELLS = 56, // of the line that shows a tier at a glance
    LABEL_COLUMNS = 10,
    ID_COLUMNS = 11,
    NAME_INDENT = 64,
    TABLE_COLUMNS = 72, // a narrower screen shows sentences instead of tables
};

static void row(const char *label, const char *value) {
    row_show(&(struct row){
        .label = label, .columns = LABEL_COLUMNS, .text = value, .label_style = WRAP_DIM});
}

static bool has_tables(void) { return !terminal_styled() || terminal_width() >= TABLE_COLUMNS; }

// Blocks that are used, cached and free, and their sum, in one line.
static void pool_row(const char *label, const uint32_t parts[3], uint32_t blocks,
                     size_t block_bytes) {
    char value[160], a[COUNT_TEXT_BYTES], b[COUNT_TEXT_BYTES], c[COUNT_TEXT_BYTES];
    char sum[COUNT_TEXT_BYTES], bytes[SIZE_TEXT_BYTES];
    snprintf(value, sizeof value,
             has_tables() ? "%11s + %9s + %9s = %9s  %12s"
                          : "%s blocks used, %s cached, %s free of %s · %s",
             count_format(parts[0], a), count_format(parts[1], b), count_format(parts[2], c),
             count_format(blocks, sum), size_format(blocks * block_bytes, bytes));
    row(label, value);
}

static void disk_row(const struct kv_usage *usage) {
    char value[160], blocks[COUNT_TEXT_BYTES], waiting[COUNT_TEXT_BYTES];
    char bytes[SIZE_TEXT_BYTES], limit[SIZE_TEXT_BYTES];
    if (!usage->has_disk) {
        row("disk", "none");
        return;
    }
    snprintf(value, sizeof value, "%s blocks of this model, %s unwritten · %s%s%s",
             count_format(usage->disk_blocks, blocks),
             count_format(usage->unwritten_blocks, waiting), size_format(usage->disk_bytes, bytes),
             usage->disk_limit_bytes ? " of " : "",
             usage->disk_limit_bytes ? size_format(usage->disk_limit_bytes, limit) : "");
    row("disk", value);
}

struct kind {
    uint64_t amount;
    char cell; // shows the same as the colour
    enum style style;
};

// A tier as a line of cells of equal shares: at least one for each kind that occurs; the last kind
// gets the rest.
static void map_line(const char *tier, const struct kind *kinds, size_t count, uint64_t all) {
    const int width = terminal_width() - LABEL_COLUMNS - (int)sizeof "[]  device";
    const int columns = width < MAP_CELLS ? (width > (int)count ? width : (int)count) : MAP_CELLS;
    int left = columns;
    terminal_say(STYLE_PLAIN, "[");
    for (size_t i = 0; i < count; i++) {
        char cells[MAP_CELLS + 1];
        int part = all ? (int)((double)kinds[i].amount / (double)all * columns) : 0;
        if (part == 0 && kinds[i].amount > 0) part = 1;
        if (part > left || i + 1 == count) part = left;
        memset(cells, kinds[i].cell, (size_t)part);
        cells[part] = '\0';
        left -= part;
        terminal_say(kinds[i].style, "%s", cells);
    }
    terminal_say(STYLE_PLAIN, "]");
    terminal_say(STYLE_DIM, "  %s\n", tier);
}

static void show_map(const struct kv_usage *usage) {
    const struct kind device[] = {
        {usage->groups[0].device_shared, 's', STYLE_BLUE},
        {usage->groups[0].device_held - usage->groups[0].device_shared, 'p', STYLE_GREEN},
        {usage->groups[0].device_cached, 'c', STYLE_YELLOW},
        {usage->groups[0].device_free, '.', STYLE_DIM},
    };
    const struct kind host[] = {
        {(uint64_t)usage->groups[0].host_moving + usage->groups[0].host_cached, 'h', STYLE_CYAN},
        {usage->groups[0].host_free, '.', STYLE_DIM},
    };
    const struct kind disk[] = {
        {usage->disk_bytes, 'd', STYLE_BOLD},
        {0, '.', STYLE_DIM},
    };
    terminal_say(STYLE_DIM, "%-*s", LABEL_COLUMNS, "map");
    map_line("device", device, sizeof device / sizeof device[0], usage->groups[0].device_blocks);
    if (usage->groups[0].host_blocks) {
        terminal_say(STYLE_DIM, "%-*s", LABEL_COLUMNS, "");
        map_line("host", host, sizeof host / sizeof host[0], usage->groups[0].host_blocks);
    }
    if (usage->has_disk && usage->disk_limit_bytes) {
        terminal_say(STYLE_DIM, "%-*s", LABEL_COLUMNS, "");
        map_line("disk", disk, sizeof disk / sizeof disk[0], usage->disk_limit_bytes);
    }
    row_show(&(struct row){.label = "",
                           .columns = LABEL_COLUMNS,
                           .text = "s shared · p private · c cached · h host · d disk · . free",
                           .style = WRAP_DIM});
}

// The first group goes by the tier, further ones by their kind.
static const char *label_of(const struct kv_usage *usage, int32_t group, const char *tier) {
    if (group == 0) return tier;
    switch (usage->groups[group].kind) {
    case CACHE_FULL:
        return " others";
    case CACHE_WINDOW:
        return " windows";
    case CACHE_STATE:
        break;
    }
    return " states";
}

static void show_pools(const struct kv_usage *usage) {
    if (has_tables())
        terminal_say(STYLE_DIM, "%-10s%11s   %9s   %9s   %9s  %12s\n", "blocks", "used", "cached",
                     "free", "all", "bytes");
    for (int32_t i = 0; i < usage->group_count; i++) {
        const struct kv_group_usage *group = &usage->groups[i];
        const uint32_t parts[3] = {group->device_held, group->device_cached, group->device_free};
        pool_row(label_of(usage, i, "device"), parts, group->device_blocks, group->block_bytes);
    }
    for (int32_t i = 0; i < usage->group_count; i++) {
        const struct kv_group_usage *group = &usage->groups[i];
        const uint32_t parts[3] = {group->host_moving, group->host_cached, group->host_free};
        if (group->host_blocks)
            pool_row(label_of(usage, i, "host"), parts, group->host_blocks, group->block_bytes);
    }
    disk_row(usage);
    show_map(usage);
}

static void show_traffic(const struct kv_usage *usage) {
    char value[200], a[COUNT_TEXT_BYTES], b[COUNT_TEXT_BYTES], c[COUNT_TEXT_BYTES];
    char d[COUNT_TEXT_BYTES], in[SIZE_TEXT_BYTES], out[SIZE_TEXT_BYTES];
    char read[SIZE_TEXT_BYTES], written[SIZE_TEXT_BYTES];
    snprintf(value, sizeof value, "%s blocks in several sequences; %s copies saved, %s",
             count_format(usage->groups[0].device_shared, a),
             count_format((int64_t)usage->groups[0].device_spared, b),
             size_format(usage->spared_bytes, in));
    row("shared", value);
    snprintf(value, sizeof value, "device %s · host %s · disk %s tokens",
             count_format((int64_t)usage->work.device_hit_tokens, a),
             count_format((int64_t)usage->work.host_hit_tokens, b),
             count_format((int64_t)usage->work.disk_hit_tokens, c));
    row("found", value);
    snprintf(value, sizeof value, "%s read · %s written tokens; %s blocks evicted, %s lost",
             count_format((int64_t)usage->work.prefilled_tokens, a),
             count_format((int64_t)usage->work.decoded_tokens, b),
             count_format((int64_t)usage->evicted_blocks, c),
             count_format((int64_t)usage->lost_blocks, d));
    row("computed", value);
    const int length = snprintf(
        value, sizeof value, "out %s, in %s · disk read %s, written %s",
        size_format(usage->swap_out_bytes, out), size_format(usage->swap_in_bytes, in),
        size_format(usage->disk_read_bytes, read), size_format(usage->disk_written_bytes, written));
    if (usage->disk_payload_bytes > 0) // else only the index was written
        snprintf(value + length, sizeof value - (size_t)length, " (%.2f ×)",
                 kv_report_amplification(usage));
    row("moved", value);
    if (usage->refused_writes > 0) {
        snprintf(value, sizeof value, "%s block writes, because the disk cache is at its limit",
                 count_format((int64_t)usage->refused_writes, a));
        row("refused", value);
    }
    if (usage->failed_reads == 0 && usage->failed_writes == 0) return;
    snprintf(value, sizeof value, "%s block reads, %s block writes",
             count_format((int64_t)usage->failed_reads, a),
             count_format((int64_t)usage->failed_writes, b));
    row("failed", value);
}

struct held { // by one conversation
    const struct conversation_row *row;
    struct conversation_usage usage;
};

static uint64_t bytes_of(const struct conversation_usage *usage) {
    return usage->unique_bytes + usage->shared_bytes;
}

// Most bytes first; then newest first, as in the list.
static int compare(const void *a, const void *b) {
    const struct held *x = a, *y = b;
    const uint64_t x_bytes = bytes_of(&x->usage), y_bytes = bytes_of(&y->usage);
    if (x_bytes != y_bytes) return x_bytes < y_bytes ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

static void show_held(const struct console *console, const struct held *held) {
    const struct conversation *conversation = &held->row->conversation;
    const bool here = strcmp(conversation->id, console->session->front->conversation.id) == 0;
    const struct conversation_usage *usage = &held->usage;
    char device[COUNT_TEXT_BYTES], host[COUNT_TEXT_BYTES], disk[COUNT_TEXT_BYTES], label[32];
    char tokens[COUNT_TEXT_BYTES], unique[SIZE_TEXT_BYTES], shared[SIZE_TEXT_BYTES], value[160];
    const int room = terminal_width() - NAME_INDENT;
    struct text line = {0};
    snprintf(label, sizeof label, "%c %s", here ? '*' : ' ', conversation->id);
    snprintf(value, sizeof value,
             has_tables() ? "%7s %7s %7s %7s %9s %9s"
                          : "%s: %s on the device, %s on the host, %s on the disk; %s of its "
                            "own, %s shared",
             (has_tables() ? count_format : tokens_format)(usage->tokens, tokens),
             count_format(usage->device_tokens, device), count_format(usage->host_tokens, host),
             count_format(usage->disk_tokens, disk), size_format(usage->unique_bytes, unique),
             size_format(usage->shared_bytes, shared));
    enum status status = text_format(&line, "%s%s", value, has_tables() ? "  " : "");
    if (status == STATUS_OK && has_tables())
        status = text_fit(&line, conversation_row_title(held->row), room > 8 ? room : 8, false);
    if (status == STATUS_OK)
        row_show(&(struct row){.label = label,
                               .columns = ID_COLUMNS,
                               .text = text_string(&line),
                               .label_style = here ? WRAP_BOLD : WRAP_PLAIN});
    text_deinit(&line);
}

static void show_conversation_usage(const struct console *console, struct held *held,
                                    size_t count) {
    qsort(held, count, sizeof *held, compare);
    size_t holding = 0;
    while (holding < count && held[holding].usage.tokens > 0)
        holding++;
    if (holding == 0) return;
    terminal_say(STYLE_PLAIN, "\n");
    if (has_tables())
        terminal_say(STYLE_DIM, "  %-8s %7s %7s %7s %7s %9s %9s\n", "id", "tokens", "device",
                     "host", "disk", "unique", "shared");
    for (size_t i = 0; i < holding && i < HOLDERS_SHOWN; i++)
        show_held(console, &held[i]);
    if (holding > HOLDERS_SHOWN)
        terminal_say(STYLE_DIM, "  and %zu more\n", holding - HOLDERS_SHOWN);
}

bool command_conversation_usage(struct console *console, const struct conversation_row *rows,
                                size_t count, struct conversation_usage *usage) {
    uint64_t *numbers = malloc((count + 1) * sizeof *numbers);
    if (!numbers) return false;
    for (size_t i = 0; i < count; i++)
        numbers[i] = conversation_number(rows[i].conversation.id);
    engine_conversation_usage(console->session->engine, numbers, count, usage);
    free(numbers);
    return true;
}

static void show_conversations(struct console *console) {
    struct conversation_row *rows = NULL;
    size_t count = 0;
    struct error err = {0};
    if (console_failed(conversation_list(console->session->db,
                                         &(struct conversation_query){"", HOLDERS_ASKED, true},
                                         &rows, &count, &err),
                       &err))
        return;
    struct conversation_usage *usage = calloc(count + 1, sizeof *usage);
    struct held *held = calloc(count + 1, sizeof *held);
    if (usage && held && command_conversation_usage(console, rows, count, usage)) {
        for (size_t i = 0; i < count; i++)
            held[i] = (struct held){&rows[i], usage[i]};
        show_conversation_usage(console, held, count);
    }
    free(usage);
    free(held);
    free(rows);
}

void command_kv(struct console *console, const char *argument) {
    (void)argument;
    struct engine_info info;
    struct kv_usage kv;
    engine_info(console->session->engine, &info);
    if (info.remote[0]) {
        terminal_tell(STYLE_DIM,
                      "The KV cache is on the server, %s; /stats shows its cache hits.\n",
                      info.device);
        return;
    }
    engine_kv_usage(console->session->engine, &kv);
    const struct usage usage = usage_of(console->session->front);
    char value[160], bytes[SIZE_TEXT_BYTES], cached[COUNT_TEXT_BYTES], length[COUNT_TEXT_BYTES];
    struct pager pager;
    pager_begin(&pager, console);
    show_pools(&kv);
    show_traffic(&kv);
    snprintf(value, sizeof value, "%s of %s on the device · %" PRId32 " tokens per block of %s, %s",
             count_format(usage.cached, cached), tokens_format(usage.length, length),
             info.block_size, size_format(info.block_bytes, bytes), info.kv_type);
    row("here", value);
    snprintf(value, sizeof value, "%d answers at once, %" PRId32 " tokens per step",
             ENGINE_MAX_REQUESTS, info.step_tokens);
    row("limits", value);
    show_conversations(console);
    terminal_say(STYLE_PLAIN, "\n");
    pager_end(&pager);
}

void command_strip(struct console *console, const char *argument) {
    struct conversation stripped;
    struct error err = {0};
    uint64_t bytes = 0;
    if (!argument[0]) {
        terminal_tell(STYLE_ERROR, "usage: /strip ID\n");
        return;
    }
    if (console_failed(chat_strip(console->session->front, argument, &stripped, &bytes, &err),
                       &err))
        return;
    char text[SIZE_TEXT_BYTES];
    terminal_tell(STYLE_DIM, "%s: dropped %s from the cache; the text is kept.\n", stripped.id,
                  size_format(bytes, text));
}
