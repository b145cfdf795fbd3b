#include "app/chat/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "app/base/figures.h"
#include "app/base/json.h"
#include "app/chat/kv_report.h"
#include "engine/draft/draft.h"
#include "engine/tokenizer/thinking.h"

// A shorter time measures the clock and the network rather than the tokens.
enum { MEASURED_US = 1000 };

// Today's models neither decode a sequence nor read a prompt faster: such tokens arrived in a
// burst.
static const double DECODE_MOST = 10000, PREFILL_MOST = 1e6;

static double rate(int64_t tokens, int64_t us, double most) {
    const double rate = tokens > 0 && us >= MEASURED_US ? (double)tokens * 1e6 / (double)us : 0;
    return rate > most ? 0 : rate;
}

double report_prefill_rate(const struct message_stats *stats) {
    return rate(stats->prompt_tokens - stats->cached_tokens, stats->prefill_us, PREFILL_MOST);
}

// The first token belongs to the prefill.
double report_decode_rate(const struct message_stats *stats) {
    return rate(stats->output_tokens - 1, stats->decode_us, DECODE_MOST);
}

static double to_tenth(double value) { return round(value * 10) / 10; }

static bool add_rate(cJSON *object, const char *name, double rate) {
    if (rate <= 0) return cJSON_AddNullToObject(object, name) != NULL;
    return json_add_number(object, name, to_tenth(rate));
}

static bool add_cached(cJSON *object, const struct answer_cache *cache) {
    cJSON *cached = cJSON_AddObjectToObject(object, "cached_tokens");
    return cached && json_add_number(cached, "device", (double)cache->device_tokens) &&
           json_add_number(cached, "host", (double)cache->host_tokens) &&
           json_add_number(cached, "disk", (double)cache->disk_tokens);
}

// Each step gave one token that was not drafted.
double report_tokens_per_step(const struct draft_stats *drafts) {
    int64_t accepted = 0;
    for (int i = 0; i < DRAFT_SOURCES; i++)
        accepted += drafts->of[i].accepted;
    return drafts->steps > 0 ? 1 + (double)accepted / (double)drafts->steps : 0;
}

static bool add_drafts(cJSON *object, const struct draft_stats *stats) {
    cJSON *drafts = cJSON_AddObjectToObject(object, "drafts");
    bool whole = drafts && json_add_number(drafts, "tokens_per_step",
                                           round(report_tokens_per_step(stats) * 100) / 100);
    for (enum draft_source_kind i = 0; i < DRAFT_SOURCES && whole; i++) {
        cJSON *source = cJSON_AddObjectToObject(drafts, draft_source_name(i));
        whole = source && json_add_number(source, "drafted", (double)stats->of[i].drafted) &&
                json_add_number(source, "accepted", (double)stats->of[i].accepted);
    }
    return whole;
}

static bool add_kv(cJSON *object, const struct kv_usage *usage) {
    cJSON *kv = kv_report_json(usage);
    return kv && cJSON_AddItemToObject(object, "kv", kv);
}

bool report_add_text(cJSON *object, const char *text, size_t length) {
    struct text thought = {0}, answer = {0};
    const bool whole =
        thinking_split(text, length, &thought, &answer) == STATUS_OK &&
        json_add_bytes(object, "text", text_string(&answer), answer.length) &&
        (thought.length ? json_add_bytes(object, "thinking", thought.bytes, thought.length)
                        : cJSON_AddNullToObject(object, "thinking") != NULL);
    text_deinit(&thought);
    text_deinit(&answer);
    return whole;
}

bool report_add_seed(cJSON *object, uint64_t seed, bool known) {
    char digits[24]; // all of them, which a double has not
    snprintf(digits, sizeof digits, "%" PRIu64, seed);
    return known ? cJSON_AddRawToObject(object, "seed", digits) != NULL
                 : cJSON_AddNullToObject(object, "seed") != NULL;
}

bool report_add_prompt(cJSON *object, const struct message_stats *stats) {
    return stats->prompt_tokens > 0
               ? json_add_number(object, "prompt_tokens", (double)stats->prompt_tokens)
               : cJSON_AddNullToObject(object, "prompt_tokens") != NULL;
}

cJSON *report_json(const struct turn_report *report, const char *model, const char *conversation,
                   const struct kv_usage *kv) {
    const struct message_stats *stats = &report->stats;
    cJSON *object = cJSON_CreateObject();
    const bool whole =
        object && json_add_number(object, "id", (double)report->message) &&
        json_add_number(object, "parent", (double)report->parent) &&
        json_add_text(object, "conversation", conversation) &&
        json_add_text(object, "model", model) &&
        report_add_text(object, report->text, report->length) &&
        json_add_text(object, "stop_reason", message_stop_name(report->stop)) &&
        report_add_prompt(object, stats) && add_cached(object, &report->cache) &&
        json_add_number(object, "output_tokens", (double)stats->output_tokens) &&
        add_drafts(object, &report->drafts) &&
        json_add_number(object, "restore_ms", to_tenth((double)report->cache.restore_us / 1e3)) &&
        json_add_number(object, "ttft_ms", to_tenth((double)stats->first_token_us / 1e3)) &&
        add_rate(object, "prefill_tps", report_prefill_rate(stats)) &&
        add_rate(object, "decode_tps", report_decode_rate(stats)) &&
        report_add_seed(object, report->seed, report->knows_seed) && add_kv(object, kv);
    if (whole) return object;
    cJSON_Delete(object);
    return NULL;
}

// How many tokens each step gave, or why none was drafted.
static enum status add_drafts_to_line(const struct draft_stats *drafts, struct text *line) {
    int64_t drafted = 0;
    for (int i = 0; i < DRAFT_SOURCES; i++)
        drafted += drafts->of[i].drafted;
    if (drafts->steps == 0) return STATUS_OK; // a server does not say
    if (drafted > 0) return text_format(line, ", %.2f tokens/step", report_tokens_per_step(drafts));
    const bool computes = drafts->sources & (1u << DRAFT_HEAD | 1u << DRAFT_MODEL);
    return text_format(line, ", no drafts (%s)",
                       drafts->sources == 0                 ? "off"
                       : drafts->proposed == 0 && !computes ? "nothing repeats"
                                                            : "would not pay");
}

enum status report_line(const struct turn_report *report, struct text *line) {
    const struct message_stats *stats = &report->stats;
    const double rate = report_decode_rate(stats);
    char output[COUNT_TEXT_BYTES];
    if (stats->prompt_tokens > 0) TRY(text_format(line, "%" PRId64 " + ", stats->prompt_tokens));
    TRY(text_append_string(line, tokens_format(stats->output_tokens, output)));
    if (stats->prompt_tokens > 0)
        TRY(text_format(line, ", %" PRId64 " cached", stats->cached_tokens));
    TRY(text_format(line, ", first token after %.2f s", (double)stats->first_token_us / 1e6));
    if (rate > 0) TRY(text_format(line, ", %.1f tok/s", rate));
    TRY(add_drafts_to_line(&report->drafts, line));
    return text_format(line, ", %s", message_stop_name(report->stop));
}
