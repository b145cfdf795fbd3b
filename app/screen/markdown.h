// app/screen/markdown.h — light Markdown on a terminal, while it is still being written.
//
// Text comes in pieces of whole characters; what is on the screen is never laid out again. So the
// beginning of a line is held until the kind of line is clear, and marks inside it until their
// closing marks arrive (spans.h); nothing else waits. The output depends on the text alone, not on
// how it was cut into pieces.
//
//   # heading              bold, without its #; the first level underlined too, the third and
//                          below in italics
//   - item, * item, + item "• item"; 1. item as it is. Broken lines go on under the text
//   > quote                "│ quote", on broken lines too
//   ``` or ~~~             a line with the language's name, the code in colours (highlight.h), a
//                          closing line. Nothing stands before the code, and it is never broken
//                          here, so it can be copied
//   ---, ***, ___          a line
//   | a table |            drawn when its last line is there (table.h); until then, one line says
//                          how many rows have arrived. Inside a quote it is text
//
// Everything else is text; its line breaks are kept.
//
//   a line's beginning ──► text ──► newline ──► a line's beginning
//             │ └──► a line as it is ──┘  ▲
//             ├──► code: its lines ───────┤ (closing fence)
//             └──► table: its lines ──────┘ (another line)
//
// Source: CommonMark 0.31, section 4. Input must be harmless (printable_text); of escapes the
// output contains only styles, wrap.h's erasing and "\r\033[K"; with width 0 only styles.
//
// {.wrap = {.width = w}} begins; owned: markdown_deinit(). No threads.
#ifndef APP_MARKDOWN_H
#define APP_MARKDOWN_H

#include "app/screen/highlight.h"
#include "app/screen/spans.h"
#include "app/screen/table.h"

enum {
    MARKDOWN_QUOTES = 8,       // in each other; the next > is text
    MARKDOWN_HELD_BYTES = 256, // a line whose kind is not clear by then is text
};

enum markdown_where {
    MARKDOWN_LINE, // at a line's beginning, behind its quotes' marks
    MARKDOWN_TEXT,
    MARKDOWN_CODE,
    MARKDOWN_AS_IT_IS, // the rest of the line
    MARKDOWN_ROW,      // behind a line that the table has taken
};

struct markdown {
    struct wrap wrap;
    struct text held; // what came and is not decided yet
    enum markdown_where where;
    struct spans spans;
    int quotes; // marks of this line
    struct {
        char mark;     // '`', '~'; 0: not in code
        size_t length; // of the run
        size_t indent; // before it
        int quotes;
    } fence;
    struct highlight highlight;
    struct table table;
    int table_indent;
};

void markdown_deinit(struct markdown *markdown);

// Appends the rendered text to *out, as far as it is decided.
MUST_CHECK enum status markdown_append(struct markdown *markdown, const char *text, size_t length,
                                       struct text *out);

// Writes the word of code that is held, for the text before is on the screen.
MUST_CHECK enum status markdown_flush(struct markdown *markdown, struct text *out);

// Ends the text: writes what is held, closes open code, and resets.
MUST_CHECK enum status markdown_end(struct markdown *markdown, struct text *out);

#endif
