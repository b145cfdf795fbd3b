#include "app/chat/cuts.h"

#include "app/base/figures.h"

void cuts_add(struct cuts *cuts, enum message_stop stop, bool of_server, bool unfinished) {
    bool cut = true;
    cuts->answers++;
    switch (stop) {
    case STOP_LENGTH:
        cuts->by[of_server ? CUT_BY_SERVER : CUT_BY_LIMIT]++;
        break;
    case STOP_CONTEXT:
        cuts->by[CUT_BY_CONTEXT]++;
        break;
    case STOP_INTERRUPTED:
        cuts->by[CUT_BY_SIGNAL]++;
        break;
    case STOP_NONE:
    case STOP_END:
    case STOP_STRING:
        cut = unfinished;
    }
    cuts->unfinished += unfinished;
    cuts->cut += cut;
}

static enum status append_cause(const struct cuts *cuts, enum cut cut, struct text *line) {
    char limit[COUNT_TEXT_BYTES];
    switch (cut) {
    case CUT_BY_LIMIT:
        if (cuts->limit == 0) return text_append_string(line, " at the token limit");
        return text_format(line, " at %s (-n)", tokens_format(cuts->limit, limit));
    case CUT_BY_SERVER:
        return text_append_string(line, " at the server's own token limit");
    case CUT_BY_CONTEXT:
        return text_append_string(line, " because the context is full");
    case CUT_BY_SIGNAL:
        return text_append_string(line, " by a signal");
    }
    return STATUS_OK;
}

enum status cuts_describe(const struct cuts *cuts, struct text *line) {
    const bool one = cuts->answers == 1;
    size_t causes = 0;
    for (int i = 0; i < CUT_COUNT; i++)
        causes += cuts->by[i] > 0;
    if (one)
        TRY(text_append_string(line, "the answer was cut off"));
    else if (cuts->cut == cuts->answers)
        TRY(text_format(line, "all %zu answers were cut off", cuts->answers));
    else
        TRY(text_format(line, "%zu of %zu answers were cut off", cuts->cut, cuts->answers));
    const char *before = ":";
    for (int i = 0; i < CUT_COUNT; i++) {
        if (cuts->by[i] == 0) continue;
        if (causes > 1) TRY(text_format(line, "%s %zu", before, cuts->by[i]));
        TRY(append_cause(cuts, (enum cut)i, line));
        before = ",";
    }
    if (cuts->unfinished == 0) return STATUS_OK;
    if (one || cuts->unfinished == cuts->cut)
        return text_format(line, "%s before %s structure was complete", causes ? "," : "",
                           one ? "its" : "their");
    return text_format(line, "; %zu before %s structure was complete", cuts->unfinished,
                       cuts->unfinished == 1 ? "its" : "their");
}
