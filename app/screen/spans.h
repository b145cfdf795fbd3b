// app/screen/spans.h — inline Markdown while it is being written: bold, italics, code, links.
//
// Output is never rewritten, so a mark is removed only once its closing mark has arrived:
// `**bold**` is held until its end is there, and shown as it is if none comes within
// SPANS_HELD_BYTES or on the line. Inline code keeps its backticks and is never held. The result
// depends on the text alone, not on how it was cut into pieces.
//
//   **bold** *italics* _italics_ ***both***   their marks go
//   `code`                                    coloured, with its backticks; nothing in it counts
//   [text](url) ![text](url)                  underlined text, then (url)
//   \* \_ \`                                  without the backslash
//   https://…                                 nothing in it counts
//
// Stricter than CommonMark where that would remove marks from text that is not meant as Markdown:
// 2**3, *.c, snake_case and __init__ are kept, and so is a mark that is never closed.
//
// Source: CommonMark 0.31, section 6. Embedded by its owner, {0} is a line's beginning; no memory.
#ifndef APP_SPANS_H
#define APP_SPANS_H

#include "app/screen/wrap.h"

enum { SPANS_HELD_BYTES = 160, SPANS_URL_BYTES = 1024, SPANS_DEPTH = 4 };

struct spans {
    unsigned style;     // of the line: a heading's
    unsigned char last; // byte before what comes; 0: none
    size_t ticks;       // that close the code; 0: not in code
    bool url;           // in one
    int depth;          // of spans in spans
};

// Writes as much of text[0..length) as is decided; *taken is how many bytes that is. The text has
// no newline and begins where the last call ended. `whole`: the line ends there, so all is decided.
MUST_CHECK enum status spans_append(struct spans *spans, struct wrap *wrap, const char *text,
                                    size_t length, bool whole, struct text *out, size_t *taken);

#endif
