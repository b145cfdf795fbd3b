// prompts/jinja/wrap.h — a line of text as several, none longer than a width.
//
// As Python's textwrap does it without expanding tabs: words go on the next line, and may be cut
// behind a hyphen between letters and before dashes between words; blanks around a cut are dropped.
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

// Writes the lines of `line`, which has no ends of lines.
MUST_CHECK enum status wrap_line(struct machine *machine, const struct chars *line,
                                 const struct wrap *how, struct builder *out);

#endif
