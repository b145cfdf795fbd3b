#include "app/report.h"

#include <inttypes.h>
#include <math.h>

// Tokens per second, 0 when nothing was measured.
static double rate(int64_t tokens, int64_t us) {
    return tokens > 0 && us > 0 ? (double)tokens * 1e6 / (double)us : 0;
}

static double prefill_rate(const struct message_stats *stats) {
    return rate(stats->prompt_tokens - stats->cached_tokens, stats->prefill_us);
}

// The first token belongs to the prefill.
static double decode_rate(const struct message_stats *stats) {
    return rate(stats->output_tokens - 1, stats->decode_us);
}

static bool add_number(cJSON *object, const char *name, double value) {
    return cJSON_AddNumberToObject(object, name, value) != NULL;
}

static bool add_text(cJSON *object, const char *name, const char *value) {
    if (!value) return cJSON_AddNullToObject(object, name) != NULL;
    return cJSON_AddStringToObject(object, name, value) != NULL;
}

static bool add_cached(cJSON *object, const struct message_stats *stats) {
    cJSON *cached = cJSON_AddObjectToObject(object, "cached_tokens");
    return cached && add_number(cached, "device", (double)stats->cached_tokens) &&
           add_number(cached, "host", 0) && add_number(cached, "disk", 0);
}

static double to_tenth(double value) { return round(value * 10) / 10; }

cJSON *report_json(const struct turn_report *report, const char *model, const char *conversation) {
    const struct message_stats *stats = &report->stats;
    cJSON *object = cJSON_CreateObject();
    const bool whole =
        object && add_number(object, "id", (double)report->message) &&
        add_number(object, "parent", (double)report->parent) &&
        add_text(object, "conversation", conversation) && add_text(object, "model", model) &&
        add_text(object, "text", report->text) && add_text(object, "thinking", NULL) &&
        add_text(object, "stop_reason", message_stop_name(report->stop)) &&
        add_number(object, "prompt_tokens", (double)stats->prompt_tokens) &&
        add_cached(object, stats) &&
        add_number(object, "output_tokens", (double)stats->output_tokens) &&
        add_number(object, "ttft_ms", to_tenth((double)stats->first_token_us / 1e3)) &&
        add_number(object, "prefill_tps", to_tenth(prefill_rate(stats))) &&
        add_number(object, "decode_tps", to_tenth(decode_rate(stats))) &&
        add_number(object, "seed", (double)report->seed);
    if (whole) return object;
    cJSON_Delete(object);
    return NULL;
}

enum status report_line(const struct turn_report *report, struct text *line) {
    const struct message_stats *stats = &report->stats;
    return text_format(
        line,
        "%" PRId64 " + %" PRId64 " tokens, %" PRId64 " cached, first after %.2f s, %.1f tok/s, %s",
        stats->prompt_tokens, stats->output_tokens, stats->cached_tokens,
        (double)stats->first_token_us / 1e6, decode_rate(stats), message_stop_name(report->stop));
}
