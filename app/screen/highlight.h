// app/screen/highlight.h — colours code while it is still being written.
//
// Comments, strings, numbers and keywords, from a table of languages. Nothing is parsed, so
// truncated or invalid code, and code in an unknown language, is shown too. A word is held until it
// ends, and so are characters that may begin a comment or a string; nothing else is held. The
// result depends only on the text, not on how it was split into pieces.
//
// Embedded by its owner, {0} colours nothing. Memory: none.
#ifndef APP_HIGHLIGHT_H
#define APP_HIGHLIGHT_H

#include "app/screen/wrap.h"

enum { HIGHLIGHT_WORD_BYTES = 64 }; // a longer word cannot be a keyword and is not held

struct language;

struct highlight {
    const struct language *language; // NULL: no colours
    const char *close;               // end of the open comment or string, or NULL
    unsigned style;                  // its style
    bool escapes;                    // a backslash in it escapes the next character
    bool escaped;                    // the last character was such a backslash
    bool line_only;                  // it ends at the end of the line
    bool in_word;                    // in the rest of a word too long to hold
    bool in_number;                  // that word is a number, which may contain points
    char last;                       // the previous byte; 0: start of a line
};

// Begins code in the language named by a fence: "python", "c++".
void highlight_begin(struct highlight *highlight, const char *name, size_t length);

// Writes the decided part of text[0..length), *taken bytes. The text contains no newline and begins
// where the last call ended. `whole`: the line ends after it, so everything is decided.
MUST_CHECK enum status highlight_append(struct highlight *highlight, struct wrap *wrap,
                                        const char *text, size_t length, bool whole,
                                        struct text *out, size_t *taken);

// Stops holding the current word.
void highlight_release(struct highlight *highlight);

#endif
