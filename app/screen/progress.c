#include "app/screen/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "app/base/figures.h"
#include "app/screen/terminal.h"

enum {
    BAR_MOST = 24,
    BAR_LEAST = 8,
    KNOWN_AFTER_MS = 500, // a shorter time does not give a useful speed
    FACT_BYTES = 96,
    MINUTE_S = 60,
};

// "3 s left", "2 min left"; "" when it is not known.
static void format_left(const struct progress *progress, const struct progress_now *now,
                        char left[FACT_BYTES]) {
    const int64_t took = now->now_ms - progress->from_ms, did = now->done - progress->from_done;
    left[0] = '\0';
    if (took < KNOWN_AFTER_MS || did <= 0 || now->done >= now->total) return;
    const double ms = (double)took / (double)did * (double)(now->total - now->done);
    const int64_t s = (int64_t)(ms / 1000) + 1;
    if (s < 2 * MINUTE_S)
        snprintf(left, FACT_BYTES, " · %" PRId64 " s left", s);
    else
        snprintf(left, FACT_BYTES, " · %" PRId64 " min left", (s + MINUTE_S / 2) / MINUTE_S);
}

static void format_fact(const struct progress_now *now, char fact[FACT_BYTES]) {
    char done[COUNT_TEXT_BYTES], total[COUNT_TEXT_BYTES];
    if (now->unit)
        snprintf(fact, FACT_BYTES, "%s/%s %s", count_format(now->done, done),
                 count_format(now->total, total), now->unit);
    else
        snprintf(fact, FACT_BYTES, "%" PRId64 " %%", now->done * 100 / now->total);
}

static enum status append_bar(const struct progress_now *now, int columns, struct text *line) {
    const int full = (int)((double)now->done / (double)now->total * columns);
    for (int i = 0; i < columns; i++)
        TRY(text_append_string(line, i < full ? "━" : "─"));
    return text_append(line, " ", 1);
}

enum status progress_line(struct progress *progress, const struct progress_now *now,
                          struct text *line) {
    if (!progress->begun) {
        progress->from_ms = now->now_ms;
        progress->from_done = now->done;
    }
    progress->begun = true;
    char fact[FACT_BYTES], left[FACT_BYTES];
    format_fact(now, fact);
    format_left(progress, now, left);
    // One column stays free: a full line may be broken by the terminal.
    int available = now->columns - 1 - text_columns(now->what) - 1 - text_columns(fact);
    if (available < text_columns(left)) left[0] = '\0';
    available -= text_columns(left) + 1;
    TRY(text_format(line, "%s ", now->what));
    if (available >= BAR_LEAST)
        TRY(append_bar(now, available < BAR_MOST ? available : BAR_MOST, line));
    return text_format(line, "%s%s", fact, left);
}

void progress_show(struct progress *progress, const struct progress_now *now) {
    struct text line = {0};
    if (isatty(STDERR_FILENO) && terminal_takes_styles(STDERR_FILENO) &&
        progress_line(progress, now, &line) == STATUS_OK) {
        fprintf(stderr, "\r\033[K%s", text_string(&line));
        fflush(stderr);
        progress->shown = true;
    }
    text_deinit(&line);
}

void progress_clear(struct progress *progress) {
    if (progress->shown) fprintf(stderr, "\r\033[K");
    progress->shown = false;
}
