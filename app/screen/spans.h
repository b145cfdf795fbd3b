// app/screen/spans.h — inline Markdown while it is being written: bold, italics, code, links.
//
// Output is never rewritten, so a mark can be removed only once its closing mark has arrived:
// `**bold**` is held until its end, and shown unchanged if no end comes within SPANS_HELD_BYTES or
// the line. Inline code keeps its backticks and is never held. The result depends only on the text,
// not on how it was split into pieces.
//
//   **bold** *italics* _italics_ ***both***   without the marks
//   `code`                                    coloured, with its backticks; nothing in it is a mark
//   [text](url) ![text](url)                  underlined text, then (url)
//   \* \_ \` \$ \# \~ \< \>                   without the backslash; others are as often a part of
//                                             a formula (\[, \{) or of a path (\.)
//   https://…                                 nothing in it is a mark
//
// Stricter than CommonMark, to keep marks in text that is not meant as Markdown: 2**3, *.c,
// snake_case and __init__ stay, and so does a mark that is never closed.
//
// Source: CommonMark 0.31, section 6. Embedded by its owner; {0} is the start of a line. Memory:
// none.
#ifndef APP_SPANS_H
#define APP_SPANS_H

#include "app/screen/wrap.h"

enum { SPANS_HELD_BYTES = 160, SPANS_URL_BYTES = 1024, SPANS_DEPTH = 4 };

struct spans {
    unsigned style;     // the line's own style, as for a heading
    unsigned char last; // the previous byte; 0: none
    size_t ticks;       // number that closes the code; 0: not in code
    bool url;           // inside a URL
    int depth;          // nesting of spans
};

// Writes the decided part of text[0..length), *taken bytes. The text contains no newline and begins
// where the last call ended. `whole`: the line ends after it, so everything is decided.
MUST_CHECK enum status spans_append(struct spans *spans, struct wrap *wrap, const char *text,
                                    size_t length, bool whole, struct text *out, size_t *taken);

#endif
