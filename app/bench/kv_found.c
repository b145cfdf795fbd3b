// app/bench/kv_found.c — prints what `quire bench kv` found, as tables or as JSON.
//
// A figure is the median of its runs with the lowest and highest beside it. In JSON each row has
// `not_measured`: null, or the reason, and then the row has no figures. A speed divides the bytes
// that were moved to the device by the time until the conversation was ready, so reading, verifying
// and copying all count.
#include "app/bench/kv_found.h"

#include <inttypes.h>
#include <stdio.h>

#include "app/base/figures.h"
#include "app/base/json.h"
#include "kernels/base/size.h"

enum { NUMBER_BYTES = 24, RANGE_BYTES = 80 };

static const char *const FROM[RESUME_FROM_COUNT] = {
    [FROM_DEVICE] = "device",
    [FROM_HOST] = "host",
    [FROM_DISK] = "disk",
    [FROM_NOTHING] = "computed",
};

// Bytes a second of what was brought to the device, until it was there; 0: none.
static double resume_speed(const struct resume_row *row) {
    return row->ready_us.median > 0 ? (double)row->moved_bytes / row->ready_us.median * 1e6 : 0;
}

// ---- for people

// Three digits that count.
static const char *number_text(double value, char text[NUMBER_BYTES]) {
    snprintf(text, NUMBER_BYTES, "%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
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

static void print_heading(const struct kv_found *found) {
    const struct engine_info *info = &found->info;
    char size[SIZE_TEXT_BYTES];
    printf("%.40s, %s, %s of weights\n", info->model_name, info->file_type,
           size_format(info->weight_bytes, size));
    printf("KV %s, %s a token, blocks of %" PRId32, info->kv_type,
           size_format(info->token_bytes, size), info->block_size);
    if (info->state_bytes > 0)
        printf("; states of %s", size_format(info->state_bytes, size));
    else if (info->sequence_bytes > 0)
        printf("; windows of %s a sequence", size_format(info->sequence_bytes, size));
    printf("\n%s: %.60s\nread bandwidth %.1f GB/s (measured in this run)\n", info->backend,
           info->device, found->read_bytes_per_s / 1e9);
}

static void print_forks(const struct kv_found *found) {
    char size[SIZE_TEXT_BYTES], count[COUNT_TEXT_BYTES], idle[RANGE_BYTES];
    printf("\nForks: median (low - high) in us of %" PRId32 "\n", found->forks[0].idle_us.count);
    printf("%7s %7s %11s %22s %12s\n", "tokens", "blocks", "prefill, s", "fork", "first write");
    for (int32_t i = 0; i < FORK_ROWS; i++) {
        const struct fork_row *row = &found->forks[i];
        printf("%7s ", count_format(row->tokens, count));
        if (row->missing[0])
            printf("not measured: %s\n", row->missing);
        else
            printf("%7" PRId32 " %11.2f %22s %6" PRIu32 " block%s\n", row->blocks,
                   row->prefill_us / 1e6, range_text(&row->idle_us, 1, idle),
                   row->first_write_blocks, row->first_write_blocks == 1 ? "" : "s");
    }
    printf("first write: blocks of %s that the fork's first own token takes",
           size_format(found->info.block_bytes, size));
    if (found->info.state_bytes > 0)
        printf(", and %" PRIu32 " states of %s", found->forks[0].first_write_states,
               size_format(found->info.state_bytes, size));
    printf("\n");
}

static void print_sharing(const struct kv_found *found) {
    char computed[COUNT_TEXT_BYTES], least[COUNT_TEXT_BYTES];
    printf("\nConversations with %d tokens in common, and %d of their own\n", SHARED_TOKENS,
           OWN_TOKENS);
    printf("%13s %9s %9s %8s %16s %9s\n", "conversations", "blocks", "separate", "part",
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
    char count[COUNT_TEXT_BYTES], ready[RANGE_BYTES], first[RANGE_BYTES], places[RANGE_BYTES];
    char share[NUMBER_BYTES] = "-";
    const double speed = resume_speed(row);
    const struct request_stats *stats = &row->stats;
    printf("%6s %-8s ", count_format(row->tokens, count), FROM[from]);
    if (row->missing[0]) {
        printf("not measured: %s\n", row->missing);
        return;
    }
    if (speed > 0) snprintf(share, sizeof share, "%.0f %%", 100 * speed / found->read_bytes_per_s);
    snprintf(places, sizeof places, "%" PRId64 "/%" PRId64 "/%" PRId64 "/%" PRIu64,
             stats->device_tokens, stats->host_tokens, stats->disk_tokens, row->prefilled);
    printf("%19s %21s %14s %6s\n", range_text(&row->ready_us, 1e3, ready),
           range_text(&row->first_token_us, 1e3, first), places, share);
}

void kv_found_print(const struct kv_found *found) {
    print_heading(found);
    print_forks(found);
    print_sharing(found);
    printf("\nTaken up again: median (low - high) in ms\n");
    printf("%6s %-8s %19s %21s %14s %6s\n", "tokens", "from", "ready", "first token", "found",
           "read");
    for (int32_t i = 0; i < RESUME_LENGTHS; i++)
        for (int32_t from = 0; from < RESUME_FROM_COUNT; from++)
            print_resume_row(found, &found->resume[i][from], (enum resume_from)from);
    printf("found: tokens on the device/in host memory/on the disk/computed\n"
           "read: bytes a second until ready, as a part of the read bandwidth\n");
}

// ---- for programs

// cJSON answers NULL when memory is short, and its functions take NULL for an object.
static void add(cJSON *object, const char *name, double value) {
    cJSON_AddNumberToObject(object, name, value);
}

static void add_figure(cJSON *object, const char *name, const struct figure *figure, double unit) {
    if (figure->count == 0) {
        cJSON_AddNullToObject(object, name);
        return;
    }
    cJSON *value = cJSON_AddObjectToObject(object, name);
    add(value, "median", figure->median / unit);
    add(value, "low", figure->low / unit);
    add(value, "high", figure->high / unit);
    add(value, "runs", figure->count);
}

static cJSON *add_item(cJSON *array) {
    cJSON *object = cJSON_CreateObject();
    if (cJSON_AddItemToArray(array, object)) return object;
    cJSON_Delete(object);
    return NULL;
}

// False, with the reason added, where the row has no figures.
static bool is_measured(cJSON *object, const char *missing) {
    cJSON *why = missing[0] ? cJSON_CreateString(missing) : cJSON_CreateNull();
    if (!cJSON_AddItemToObject(object, "not_measured", why)) cJSON_Delete(why);
    return !missing[0];
}

static void add_machine(cJSON *root, const struct kv_found *found) {
    const struct engine_info *info = &found->info;
    cJSON_AddStringToObject(root, "model", info->model_name);
    cJSON_AddStringToObject(root, "type", info->file_type);
    add(root, "weight_bytes", (double)info->weight_bytes);
    cJSON_AddStringToObject(root, "kv_type", info->kv_type);
    add(root, "block_tokens", info->block_size);
    add(root, "block_bytes", (double)info->block_bytes);
    add(root, "token_bytes", (double)info->token_bytes);
    add(root, "state_bytes", (double)info->state_bytes);
    add(root, "sequence_bytes", (double)info->sequence_bytes);
    cJSON_AddStringToObject(root, "backend", info->backend);
    cJSON_AddStringToObject(root, "device", info->device);
    add(root, "threads", info->threads);
    add(root, "read_bytes_per_s", found->read_bytes_per_s);
}

static void add_forks(cJSON *root, const struct kv_found *found) {
    cJSON *array = cJSON_AddArrayToObject(root, "forks");
    for (int32_t i = 0; i < FORK_ROWS; i++) {
        const struct fork_row *row = &found->forks[i];
        cJSON *object = add_item(array);
        add(object, "tokens", row->tokens);
        add_figure(object, "idle_us", &row->idle_us, 1);
        if (!is_measured(object, row->missing)) continue;
        add(object, "blocks", row->blocks);
        add(object, "prefill_us", row->prefill_us);
        add(object, "first_write_blocks", row->first_write_blocks);
        add(object, "first_write_bytes",
            (double)row->first_write_blocks * (double)found->info.block_bytes);
        add(object, "first_write_states", row->first_write_states);
    }
}

static void add_sharing(cJSON *root, const struct kv_found *found) {
    cJSON *array = cJSON_AddArrayToObject(root, "sharing");
    for (int32_t i = 0; i < SHARING_ROWS; i++) {
        const struct sharing_row *row = &found->sharing[i];
        cJSON *object = add_item(array);
        add(object, "conversations", row->conversations);
        if (!is_measured(object, row->missing)) continue;
        add(object, "tokens_each", SHARED_TOKENS + OWN_TOKENS);
        add(object, "held_blocks", row->held_blocks);
        add(object, "separate_blocks", (double)row->separate_blocks);
        add(object, "prefilled_tokens", (double)row->prefilled);
        add(object, "least_tokens", (double)row->least);
    }
}

static void add_resume_row(cJSON *array, const struct kv_found *found, const struct resume_row *row,
                           enum resume_from from) {
    cJSON *object = add_item(array);
    add(object, "tokens", row->tokens);
    cJSON_AddStringToObject(object, "from", FROM[from]);
    add_figure(object, "ready_ms", &row->ready_us, 1e3);
    add_figure(object, "first_token_ms", &row->first_token_us, 1e3);
    if (!is_measured(object, row->missing)) return;
    add(object, "device_tokens", (double)row->stats.device_tokens);
    add(object, "host_tokens", (double)row->stats.host_tokens);
    add(object, "disk_tokens", (double)row->stats.disk_tokens);
    add(object, "prefilled_tokens", (double)row->prefilled);
    add(object, "moved_bytes", (double)row->moved_bytes);
    add(object, "bytes_per_s", resume_speed(row));
    add(object, "of_read_bandwidth", resume_speed(row) / found->read_bytes_per_s);
}

bool kv_found_print_json(const struct kv_found *found, bool one_line) {
    cJSON *root = cJSON_CreateObject();
    add_machine(root, found);
    add_forks(root, found);
    add_sharing(root, found);
    cJSON *array = cJSON_AddArrayToObject(root, "resume");
    for (int32_t i = 0; i < RESUME_LENGTHS; i++)
        for (int32_t from = 0; from < RESUME_FROM_COUNT; from++)
            add_resume_row(array, found, &found->resume[i][from], (enum resume_from)from);
    return json_put(root, one_line);
}
