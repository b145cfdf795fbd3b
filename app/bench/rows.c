#include "app/bench/rows.h"

#include <inttypes.h>
#include <stdio.h>

#include "app/base/json.h"
#include "kernels/base/size.h"

enum { SHARE_BYTES = 24 };

static double bytes_per_s(const struct bench_row *row) {
    return (double)row->bytes_per_token * row->tokens_per_s.median;
}

// Of the ceiling; 0: the step reads so little that caches have a part of it.
static double share_of(const struct bench_rows *rows, const struct bench_row *row) {
    if (row->step_bytes < rows->least_bytes) return 0;
    return bytes_per_s(row) / rows->read_bytes_per_s;
}

void bench_rows_print_heading(const struct bench_rows *rows) {
    const struct engine_info *info = &rows->info;
    char weights[SIZE_TEXT_BYTES];
    printf("%s, %s, %s of weights, KV %s\n", info->model_name, info->file_type,
           size_format(info->weight_bytes, weights), info->kv_type);
    printf("%s: %s\n", info->backend, info->device);
    printf("read bandwidth %.1f GB/s (measured in this run)\n\n", rows->read_bytes_per_s / 1e9);
    printf("%-9s %6s %6s %5s %10s %19s %12s %7s %7s\n", "", "tokens", "depth", "batch", "tokens/s",
           "low - high", "bytes/token", "GB/s", "of read");
}

void bench_rows_print(const struct bench_rows *rows, const struct bench_row *row) {
    printf("%-9s %6" PRId32 " %6" PRId32 " %5" PRId32 " ", row->name, row->tokens, row->depth,
           row->batch);
    if (row->missing[0]) {
        printf("%s\n", row->missing);
        return;
    }
    const struct figure *speed = &row->tokens_per_s;
    char bytes[SIZE_TEXT_BYTES], share[SHARE_BYTES] = "  -";
    if (share_of(rows, row) > 0)
        snprintf(share, sizeof share, "%5.1f %%", 100 * share_of(rows, row));
    printf("%10.1f %9.1f - %7.1f %12s %7.1f %s\n", speed->median, speed->low, speed->high,
           size_format(row->bytes_per_token, bytes), bytes_per_s(row) / 1e9, share);
}

static bool add_figures(cJSON *object, const struct bench_rows *rows, const struct bench_row *row) {
    const struct figure *speed = &row->tokens_per_s;
    if (row->missing[0]) return json_add_text(object, "not_measured", row->missing);
    return json_add_text(object, "not_measured", NULL) &&
           json_add_number(object, "tokens_per_s", speed->median) &&
           json_add_number(object, "tokens_per_s_low", speed->low) &&
           json_add_number(object, "tokens_per_s_high", speed->high) &&
           json_add_number(object, "bytes_per_token", (double)row->bytes_per_token) &&
           json_add_number(object, "bytes_per_s", bytes_per_s(row)) &&
           (share_of(rows, row) > 0
                ? json_add_number(object, "of_read_bandwidth", share_of(rows, row))
                : json_add_text(object, "of_read_bandwidth", NULL));
}

static bool add_row(cJSON *results, const struct bench_rows *rows, const struct bench_row *row) {
    cJSON *object = cJSON_CreateObject();
    if (!cJSON_AddItemToArray(results, object)) {
        cJSON_Delete(object);
        return false;
    }
    return json_add_text(object, "name", row->name) &&
           json_add_number(object, "tokens", row->tokens) &&
           json_add_number(object, "depth", row->depth) &&
           json_add_number(object, "batch", row->batch) && add_figures(object, rows, row);
}

bool bench_rows_print_json(const struct bench_rows *rows, bool one_line) {
    const struct engine_info *info = &rows->info;
    cJSON *root = cJSON_CreateObject();
    cJSON *results = NULL;
    bool whole = root && json_add_text(root, "model", info->model_name) &&
                 json_add_text(root, "type", info->file_type) &&
                 json_add_number(root, "weight_bytes", (double)info->weight_bytes) &&
                 json_add_text(root, "kv_type", info->kv_type) &&
                 json_add_text(root, "backend", info->backend) &&
                 json_add_text(root, "device", info->device) &&
                 json_add_number(root, "threads", info->threads) &&
                 json_add_number(root, "read_bytes_per_s", rows->read_bytes_per_s) &&
                 (results = cJSON_AddArrayToObject(root, "results"));
    for (int32_t i = 0; whole && i < rows->count; i++)
        whole = add_row(results, rows, &rows->rows[i]);
    if (whole) return json_put(root, one_line);
    cJSON_Delete(root);
    return false;
}
