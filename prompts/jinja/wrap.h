// prompts/jinja/wrap.h — breaks a line of text into lines no longer than a width.
//
// Works like Python's textwrap without expanding tabs: a word that does not fit moves to the next
// line. Lines may also break after a hyphen between letters and before a dash between words. Blanks
// around a break are dropped.
//
// Source: Python's documentation and behaviour, "textwrap".
#ifndef PROMPTS_JINJA_WRAP_H
#define PROMPTS_JINJA_WRAP_H

#include "prompts/jinja/machine.h"

struct wrap {
    int64_t width; // at least 1, in characters
    bool cuts_words, cuts_at_hyphens;
    const struct chars *separator; // between lines
};

// Writes `line`, which contains no newline, as several lines.
MUST_CHECK enum status wrap_line(struct machine *machine, const struct chars *line,
                                 const struct wrap *how, struct builder *out);

#endif
