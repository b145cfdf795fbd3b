// app/screen/status_line.h — the status line about conversation, context and cache.
//
//   a story about a dog · 4.1k/32k (13 %) · 96 % cached · 118 tok/s · pool 41 %
//
// Zeros are left out, and so are a name and a pool that the previous line had already. On a narrow
// screen the name is shortened first, then parts are dropped from the end. Memory and threads: no
// state.
#ifndef APP_STATUS_LINE_H
#define APP_STATUS_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/text.h"

struct status_facts {
    const char *name;      // of the conversation; NULL: shown before
    int32_t used, context; // tokens
    int context_percent;
    int pool_percent;   // 0: left out, like the next two
    int cached_percent; // of the last answer
    double tokens_per_s;
};

// Appends the line, at most columns - 1 wide.
MUST_CHECK enum status status_line_append(const struct status_facts *facts, int columns,
                                          struct text *line);

#endif
