#include "app/bench/report.h"

#include <stdio.h>

#include "app/base/json.h"
#include "kernels/base/assert.h"
#include "kernels/base/size.h"

void report_print_heading(const struct engine_info *info, double read_bytes_per_s) {
    char weights[SIZE_TEXT_BYTES];
    printf("%.32s, %s, %s of weights, KV %s\n%s: %.60s\n", info->model_name, info->file_type,
           size_format(info->weight_bytes, weights), info->kv_type, info->backend, info->device);
    if (info->placement[0]) printf("%s\n", info->placement);
    printf("read bandwidth %.1f GB/s (measured in this run)\n", read_bytes_per_s / 1e9);
}

// ---- JSON

// Adds `item` to what is open, which the document is not yet for the first.
static void add(struct report *report, const char *name, cJSON *item) {
    cJSON *outer = report->depth ? report->open[report->depth - 1] : NULL;
    bool added = item && !report->failed;
    if (added && outer && name) added = cJSON_AddItemToObject(outer, name, item);
    if (added && outer && !name) added = cJSON_AddItemToArray(outer, item);
    if (!added) cJSON_Delete(item);
    report->failed = !added;
}

static void open_item(struct report *report, const char *name, cJSON *item) {
    ASSERT(report->depth < REPORT_DEPTH);
    add(report, name, item);
    report->open[report->depth++] = report->failed ? NULL : item;
}

void report_object(struct report *report, const char *name) {
    open_item(report, name, cJSON_CreateObject());
}

void report_array(struct report *report, const char *name) {
    open_item(report, name, cJSON_CreateArray());
}

void report_end(struct report *report) { report->depth--; }

void report_number(struct report *report, const char *name, double value) {
    add(report, name, cJSON_CreateNumber(value));
}

void report_text(struct report *report, const char *name, const char *value) {
    add(report, name, value ? cJSON_CreateString(value) : cJSON_CreateNull());
}

void report_figure(struct report *report, const char *name, const struct figure *figure,
                   double unit) {
    if (figure->count == 0) {
        report_text(report, name, NULL);
        return;
    }
    report_object(report, name);
    report_number(report, "median", figure->median / unit);
    report_number(report, "low", figure->low / unit);
    report_number(report, "high", figure->high / unit);
    report_number(report, "runs", figure->count);
    report_end(report);
}

bool report_measured(struct report *report, const char *missing) {
    report_text(report, "not_measured", missing[0] ? missing : NULL);
    return !missing[0];
}

void report_model(struct report *report, const struct engine_info *info, double read_bytes_per_s) {
    report_text(report, "model", info->model_name);
    report_text(report, "type", info->file_type);
    report_number(report, "weight_bytes", (double)info->weight_bytes);
    report_text(report, "kv_type", info->kv_type);
    report_text(report, "backend", info->backend);
    report_text(report, "device", info->device);
    if (info->placement[0]) report_text(report, "placement", info->placement);
    report_number(report, "threads", info->threads);
    report_number(report, "read_bytes_per_s", read_bytes_per_s);
}

void report_discard(struct report *report) {
    cJSON_Delete(report->open[0]);
    *report = (struct report){0};
}

bool report_print(struct report *report, bool one_line) {
    bool printed = !report->failed;
    if (printed) {
        printed = json_put(report->open[0], one_line); // frees it
        report->open[0] = NULL;
    }
    report_discard(report);
    return printed;
}
