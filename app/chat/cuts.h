// app/chat/cuts.h — which answers were cut short, and by what, as one line.
//
//   the answer was cut off at 6 tokens (-n), before its structure was complete
//   3 of 8 answers were cut off: 2 at 6 tokens (-n), 1 because the context is full
//
// {0} is empty. Threads: no state.
#ifndef APP_CUTS_H
#define APP_CUTS_H

#include "kernels/base/text.h"
#include "store/message.h"

enum cut { // ordered as in the line
    CUT_BY_LIMIT,
    CUT_BY_SERVER, // at a limit of its own
    CUT_BY_CONTEXT,
    CUT_BY_SIGNAL,
};
enum { CUT_COUNT = 4 };

struct cuts {
    size_t answers; // all, cut or not
    size_t by[CUT_COUNT];
    size_t unfinished; // does not match its grammar
    size_t cut;        // short or unfinished
    int32_t limit;     // of tokens; 0: the answers had several
};

// Counts an answer that ended so, by the limit of a server if `of_server`.
void cuts_add(struct cuts *cuts, enum message_stop stop, bool of_server, bool unfinished);

// Appends the line; cuts->cut is not 0.
MUST_CHECK enum status cuts_describe(const struct cuts *cuts, struct text *line);

#endif
