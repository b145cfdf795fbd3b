// app/screen/markdown.h — renders Markdown on a terminal while it is still being written.
//
// Text arrives in pieces of whole characters, and what is on the screen is never laid out again. So
// the start of a line is held until the kind of line is clear, and marks inside it until their
// closing marks arrive (spans.h); nothing else is held. The output depends only on the text, not on
// how it was split into pieces.
//
//   # heading              bold, without its #; the first level underlined too, the third and
//                          below in italics
//   - item, * item, + item "• item"; 1. item as it is. Broken lines continue under the text
//   > quote                "│ quote", on broken lines too
//   ``` or ~~~             a line with the language's name, the code in colours (highlight.h), a
//                          closing line. Code has no prefix and is never broken
//                          here, so it can be copied
//   ---, ***, ___          a line
//   | a table |            drawn once complete (table.h); until then one line counts its rows.
//                          Inside a quote it is text
//
// Everything else is text, with its line breaks kept.
//
//   a line's beginning ──► text ──► newline ──► a line's beginning
//             │ └──► a line as it is ──┘  ▲
//             ├──► code: its lines ───────┤ (closing fence)
//             └──► table: its lines ──────┘ (another line)
//
// Source: CommonMark 0.31, section 4. Input must be safe (printable_text). The only escapes in the
// output are styles, wrap.h's erasing and "\r\033[K"; with width 0 only styles.
//
// Starts as {.wrap = {.width = w}}; owned: markdown_deinit(). Threads: no state.
#ifndef APP_MARKDOWN_H
#define APP_MARKDOWN_H

#include "app/screen/highlight.h"
#include "app/screen/spans.h"
#include "app/screen/table.h"

enum {
    MARKDOWN_QUOTES = 8,       // nesting; further ">" are text
    MARKDOWN_HELD_BYTES = 256, // a line still undecided by then is text
};

enum markdown_where {
    MARKDOWN_LINE, // at the start of a line, after its quote marks
    MARKDOWN_TEXT,
    MARKDOWN_CODE,
    MARKDOWN_AS_IT_IS, // the rest of the line
    MARKDOWN_ROW,      // after a line that belongs to the table
};

struct markdown {
    struct wrap wrap;
    struct text held; // not decided yet
    enum markdown_where where;
    struct spans spans;
    int quotes; // quote marks of this line
    struct {
        char mark;     // '`', '~'; 0: not in code
        size_t length; // of the run of marks
        size_t indent; // before it
        int quotes;
    } fence;
    struct highlight highlight;
    struct table table;
    int table_indent;
};

void markdown_deinit(struct markdown *markdown);

// Appends the decided part of the rendered text to *out.
MUST_CHECK enum status markdown_append(struct markdown *markdown, const char *text, size_t length,
                                       struct text *out);

// Writes the held word of code, so that the screen shows all text so far.
MUST_CHECK enum status markdown_flush(struct markdown *markdown, struct text *out);

// Ends the text: writes what is held, closes open code, and resets.
MUST_CHECK enum status markdown_end(struct markdown *markdown, struct text *out);

#endif
