#include "app/screen/status_line.h"

#include <inttypes.h>
#include <stdio.h>

#include "app/base/figures.h"

#define SEPARATOR " · "

enum { NAME_COLUMNS = 24, PART_BYTES = 64, PARTS = 4 };

// "412", "4.1k", "32k".
static const char *short_count(int32_t count, char text[COUNT_TEXT_BYTES]) {
    if (count < 1000)
        snprintf(text, COUNT_TEXT_BYTES, "%" PRId32, count);
    else if (count < 10000)
        snprintf(text, COUNT_TEXT_BYTES, "%" PRId32 ".%" PRId32 "k", count / 1000,
                 count % 1000 / 100);
    else
        snprintf(text, COUNT_TEXT_BYTES, "%" PRId32 "k", count / 1000);
    return text;
}

enum status status_line_append(const struct status_facts *facts, int columns, struct text *line) {
    char used[COUNT_TEXT_BYTES], context[COUNT_TEXT_BYTES], parts[PARTS][PART_BYTES] = {""};
    const char *separator = facts->name ? SEPARATOR : "";
    if (facts->context > 0)
        snprintf(parts[0], PART_BYTES, "%s%s/%s (%d %%)", separator, short_count(facts->used, used),
                 short_count(facts->context, context), facts->context_percent);
    else
        snprintf(parts[0], PART_BYTES, "%s%s token%s", separator, short_count(facts->used, used),
                 facts->used == 1 ? "" : "s");
    if (facts->cached_percent > 0)
        snprintf(parts[1], PART_BYTES, SEPARATOR "%d %% cached", facts->cached_percent);
    if (facts->tokens_per_s >= 1)
        snprintf(parts[2], PART_BYTES, SEPARATOR "%.0f tok/s", facts->tokens_per_s);
    if (facts->pool_percent > 0)
        snprintf(parts[3], PART_BYTES, SEPARATOR "pool %d %%", facts->pool_percent);
    int available = columns - 1 - text_columns(parts[0]);
    const int wanted = available < NAME_COLUMNS ? available : NAME_COLUMNS;
    const size_t before = line->length;
    if (facts->name && wanted > 0) TRY(text_fit(line, facts->name, wanted, false));
    available -= text_columns(text_string(line) + before);
    for (int i = 0; i < PARTS; i++) {
        if (i > 0) available -= text_columns(parts[i]);
        if (available < 0) break;
        TRY(text_append_string(line, parts[i]));
    }
    return STATUS_OK;
}
