#include "app/chat/kv_report.h"

#include <inttypes.h>
#include <string.h>

#include "app/base/figures.h"
#include "app/base/json.h"
#include "kernels/base/size.h"

enum field_kind { FIELD_BOOL, FIELD_U32, FIELD_U64, FIELD_SIZE };

struct field {
    enum field_kind kind;
    const char *name, *window_name; // window_name: of a second group; NULL: none
    size_t offset;
};

#define GROUP_FIELD(kind, name, window_name) \
    { kind, #name, window_name, offsetof(struct kv_group_usage, name) }
#define WORK_FIELD(kind, name) \
    { kind, #name, NULL, offsetof(struct kv_usage, work.name) }
#define FIELD(kind, name) \
    { kind, #name, NULL, offsetof(struct kv_usage, name) }

static const struct field GROUP_FIELDS[] = {
    GROUP_FIELD(FIELD_SIZE, block_bytes, "window_block_bytes"),
    GROUP_FIELD(FIELD_U32, device_blocks, "window_blocks"),
    GROUP_FIELD(FIELD_U32, device_held, "window_held"),
    GROUP_FIELD(FIELD_U32, device_cached, "window_cached"),
    GROUP_FIELD(FIELD_U32, device_free, "window_free"),
    GROUP_FIELD(FIELD_U32, device_shared, NULL),
    GROUP_FIELD(FIELD_U64, device_spared, NULL),
    GROUP_FIELD(FIELD_U32, host_blocks, "window_host_blocks"),
    GROUP_FIELD(FIELD_U32, host_cached, "window_host_cached"),
    GROUP_FIELD(FIELD_U32, host_moving, "window_host_moving"),
    GROUP_FIELD(FIELD_U32, host_free, "window_host_free"),
};

static const struct field FIELDS[] = {
    FIELD(FIELD_U64, spared_bytes),
    FIELD(FIELD_BOOL, has_disk),
    FIELD(FIELD_U32, disk_blocks),
    FIELD(FIELD_U64, disk_bytes),
    FIELD(FIELD_U64, disk_limit_bytes),
    FIELD(FIELD_U32, unwritten_blocks),
    WORK_FIELD(FIELD_U64, device_hit_tokens),
    WORK_FIELD(FIELD_U64, host_hit_tokens),
    WORK_FIELD(FIELD_U64, disk_hit_tokens),
    WORK_FIELD(FIELD_U64, prefilled_tokens),
    WORK_FIELD(FIELD_U64, decoded_tokens),
    FIELD(FIELD_U64, duplicate_blocks),
    FIELD(FIELD_U64, evicted_blocks),
    FIELD(FIELD_U64, lost_blocks),
    WORK_FIELD(FIELD_U64, preempted_requests),
    FIELD(FIELD_U64, swap_out_bytes),
    FIELD(FIELD_U64, swap_in_bytes),
    FIELD(FIELD_U64, disk_read_bytes),
    FIELD(FIELD_U64, disk_written_bytes),
    FIELD(FIELD_U64, disk_payload_bytes),
    FIELD(FIELD_U64, failed_reads),
    FIELD(FIELD_U64, failed_writes),
    FIELD(FIELD_U64, refused_writes),
};

enum { GROUP_FIELD_COUNT = sizeof GROUP_FIELDS / sizeof GROUP_FIELDS[0] };

static bool add_field(cJSON *object, const char *name, const void *of, const struct field *field) {
    const char *at = (const char *)of + field->offset;
    uint32_t small;
    uint64_t large;
    size_t size;
    bool fact;
    switch (field->kind) {
    case FIELD_BOOL:
        memcpy(&fact, at, sizeof fact);
        return cJSON_AddBoolToObject(object, name, fact) != NULL;
    case FIELD_U32:
        memcpy(&small, at, sizeof small);
        return json_add_number(object, name, small);
    case FIELD_U64:
        memcpy(&large, at, sizeof large);
        return json_add_number(object, name, (double)large);
    case FIELD_SIZE:
        memcpy(&size, at, sizeof size);
        return json_add_number(object, name, (double)size);
    }
    return false;
}

static bool add_group(cJSON *groups, const struct kv_group_usage *group) {
    cJSON *object = cJSON_CreateObject();
    bool whole = object && cJSON_AddStringToObject(object, "kind", cache_kind_name(group->kind)) &&
                 json_add_number(object, "reach", group->reach);
    for (int i = 0; i < GROUP_FIELD_COUNT && whole; i++)
        whole = add_field(object, GROUP_FIELDS[i].name, group, &GROUP_FIELDS[i]);
    if (whole && cJSON_AddItemToArray(groups, object)) return true;
    cJSON_Delete(object);
    return false;
}

// The first group by names of its own, and a second one as its windows: what scripts have read
// since there were two. "groups" has all.
static bool add_groups(cJSON *object, const struct kv_usage *usage) {
    const int32_t count = usage->group_count, reach = usage->groups[count > 1 ? 1 : 0].reach;
    bool whole = true, states = false;
    for (int i = 0; i < GROUP_FIELD_COUNT && whole; i++)
        whole = add_field(object, GROUP_FIELDS[i].name, &usage->groups[0], &GROUP_FIELDS[i]);
    for (int i = 0; i < GROUP_FIELD_COUNT && whole; i++) {
        const struct field *field = &GROUP_FIELDS[i];
        whole =
            !field->window_name || add_field(object, field->window_name, &usage->groups[1], field);
    }
    for (int32_t i = 0; i < count; i++)
        states = states || usage->groups[i].kind == CACHE_STATE;
    whole = whole && json_add_number(object, "window_reach", reach) &&
            cJSON_AddBoolToObject(object, "has_states", states);
    cJSON *groups = whole ? cJSON_AddArrayToObject(object, "groups") : NULL;
    for (int32_t i = 0; i < count && groups && whole; i++)
        whole = add_group(groups, &usage->groups[i]);
    return whole && groups;
}

cJSON *kv_report_json(const struct kv_usage *usage) {
    cJSON *object = cJSON_CreateObject();
    bool whole = object && add_groups(object, usage);
    for (size_t i = 0; i < sizeof FIELDS / sizeof FIELDS[0] && whole; i++)
        whole = add_field(object, FIELDS[i].name, usage, &FIELDS[i]);
    if (whole) return object;
    cJSON_Delete(object);
    return NULL;
}

// "92 ms", "4.1 s"
static enum status append_time(struct text *line, int64_t us) {
    if (us >= 10 * 1000000) return text_format(line, "%.1f s", (double)us / 1e6);
    return text_format(line, "%.0f ms", (double)us / 1e3);
}

// "; prefill would take 410 ms"
static enum status append_clause(struct text *line, const char *words, int64_t us) {
    if (us <= 0) return STATUS_OK;
    TRY(text_append_string(line, words));
    return append_time(line, us);
}

// "host 8,000, disk 3,204", or "disk" if all are in one tier.
static enum status append_tiers(struct text *line, const struct restore_report *report) {
    const struct {
        const char *name;
        int32_t tokens;
    } tiers[] = {{"device", report->device_tokens},
                 {"host", report->host_tokens},
                 {"disk", report->disk_tokens}};
    const int32_t all = report->device_tokens + report->host_tokens + report->disk_tokens;
    bool first = true;
    for (size_t i = 0; i < sizeof tiers / sizeof tiers[0]; i++) {
        char count[COUNT_TEXT_BYTES];
        if (tiers[i].tokens == 0) continue;
        TRY(text_format(line, "%s%s", first ? "" : ", ", tiers[i].name));
        if (tiers[i].tokens < all)
            TRY(text_format(line, " %s", count_format(tiers[i].tokens, count)));
        first = false;
    }
    return STATUS_OK;
}

static enum status append_found(struct text *line, const struct restore_report *report) {
    const int32_t moved = report->host_tokens + report->disk_tokens;
    char found[COUNT_TEXT_BYTES], length[COUNT_TEXT_BYTES];
    TRY(text_format(line, "%s%s of %s%s (", moved ? "restored " : "",
                    count_format(moved + report->device_tokens, found),
                    tokens_format(report->length, length), moved ? "" : " are in the cache"));
    TRY(append_tiers(line, report));
    if (moved) {
        TRY(append_clause(line, ", ", report->restore_us));
        TRY(append_clause(line, "; prefill would take ", report->prefill_us));
    }
    return text_append_string(line, ")");
}

// Tokens that are cached but will be computed; the first figure is the chosen one.
static enum status append_left(struct text *line, const struct restore_report *report) {
    char count[COUNT_TEXT_BYTES];
    TRY(text_format(line, "computing %s", tokens_format(report->left_tokens, count)));
    if (report->prefill_us <= 0 || report->left_restore_us <= 0) return STATUS_OK;
    TRY(append_clause(line, " (prefill ", report->prefill_us));
    TRY(append_clause(line, "; reading them from the disk would take ", report->left_restore_us));
    return text_append_string(line, ")");
}

static enum status append_all(struct text *line, const struct restore_report *report) {
    char count[COUNT_TEXT_BYTES];
    TRY(text_format(line, "computing %s", tokens_format(report->length, count)));
    if (report->prefill_us <= 0) return STATUS_OK;
    TRY(append_clause(line, " (prefill ", report->prefill_us));
    return text_append_string(line, ")");
}

// "; 3,000 tokens are computed again, as layers with a window have dropped what came before them"
static enum status append_lost(struct text *line, const struct restore_report *report) {
    char count[COUNT_TEXT_BYTES];
    return text_format(
        line, "; %s %s recomputed because layers with a window or a state dropped what came before",
        tokens_format(report->lost_tokens, count), report->lost_tokens == 1 ? "is" : "are");
}

enum status kv_report_restored(const struct restore_report *report, struct text *line) {
    const int32_t found = report->device_tokens + report->host_tokens + report->disk_tokens;
    if (report->length == 0) return STATUS_OK;
    if (found) TRY(append_found(line, report));
    if (found && report->left_tokens) TRY(text_append_string(line, ", "));
    if (report->left_tokens) TRY(append_left(line, report));
    if (!report->done) return text_append_string(line, found ? ", still restoring" : "restoring");
    if (!found && !report->left_tokens) TRY(append_all(line, report));
    return report->lost_tokens ? append_lost(line, report) : STATUS_OK;
}

// "window", "state", or "window or state": of all groups whose past may be gone.
static enum status append_kinds(struct text *line, const struct kv_usage *usage) {
    bool has[] = {[CACHE_FULL] = false, [CACHE_WINDOW] = false, [CACHE_STATE] = false};
    for (int32_t i = 0; i < usage->group_count; i++)
        has[usage->groups[i].kind] = true;
    const bool both = has[CACHE_WINDOW] && has[CACHE_STATE];
    if (has[CACHE_WINDOW]) TRY(text_append_string(line, cache_kind_name(CACHE_WINDOW)));
    if (both) TRY(text_append_string(line, " or "));
    return has[CACHE_STATE] ? text_append_string(line, cache_kind_name(CACHE_STATE)) : STATUS_OK;
}

enum status kv_report_lost(const struct restore_report *report, const struct kv_usage *usage,
                           int64_t turn, struct text *line) {
    // Tokens after the last full block are always lost. Reports a small loss only if it takes a
    // while.
    enum { LITTLE_TOKENS = 64, MUCH_TOKENS = 256, LITTLE_US = 100000 };
    const int32_t lost = report->lost_tokens;
    char count[COUNT_TEXT_BYTES];
    if (lost < LITTLE_TOKENS || (lost < MUCH_TOKENS && report->lost_us < LITTLE_US))
        return STATUS_OK;
    TRY(append_kinds(line, usage));
    TRY(text_append_string(line, " of "));
    if (turn > 0)
        TRY(text_format(line, "turn %" PRId64, turn));
    else
        TRY(text_append_string(line, "the preamble"));
    TRY(text_format(line, " is gone: %s to recompute", tokens_format(lost, count)));
    return append_clause(line, ", about ", report->lost_us);
}

enum status kv_report_pools(const struct kv_usage *usage, struct text *line) {
    char bytes[SIZE_TEXT_BYTES], limit[SIZE_TEXT_BYTES];
    TRY(text_format(line, "device %s", size_format(kv_usage_device_bytes(usage), bytes)));
    if (usage->groups[0].host_blocks)
        TRY(text_format(line, " · host %s", size_format(kv_usage_host_bytes(usage), bytes)));
    if (!usage->has_disk) return text_append_string(line, " · no disk");
    TRY(text_format(line, " · disk %s", size_format(usage->disk_bytes, bytes)));
    if (usage->disk_limit_bytes == 0) return STATUS_OK;
    return text_format(line, " of %s", size_format(usage->disk_limit_bytes, limit));
}

double kv_report_amplification(const struct kv_usage *usage) {
    if (usage->disk_payload_bytes == 0) return 0;
    return (double)usage->disk_written_bytes / (double)usage->disk_payload_bytes;
}
