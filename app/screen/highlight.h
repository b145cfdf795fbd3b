// app/screen/highlight.h — colours for code, while it is still being written.
//
// Comments, strings, numbers and keywords, by a table of languages; nothing is parsed, so code that
// is cut, wrong or of an unknown language is shown as well. A word is held until it ends, and so is
// what may begin a comment or a string; nothing else waits. The result depends on the text alone,
// not on how it was cut into pieces.
//
// Embedded by its owner, {0} colours nothing; no memory.
#ifndef APP_HIGHLIGHT_H
#define APP_HIGHLIGHT_H

#include "app/screen/wrap.h"

enum { HIGHLIGHT_WORD_BYTES = 64 }; // a longer word is no keyword, and is held no longer

struct language;

struct highlight {
    const struct language *language; // NULL: no colours
    const char *close;               // of the comment or the string that is open; or NULL
    unsigned style;                  // of that
    bool escapes;                    // a backslash in it takes the next character along
    bool escaped;                    // one came last
    bool line_only;                  // it ends with the line
    bool in_word;                    // the rest of a word that was not held any longer
    bool in_number;                  // that word is a number, which may have points
    char last;                       // byte before what comes; 0: the line begins
};

// Begins code of the language that a fence names: "python", "c++".
void highlight_begin(struct highlight *highlight, const char *name, size_t length);

// Writes as much of text[0..length) as is decided; *taken is how many bytes that is. The text has
// no newline and begins where the last call ended. `whole`: the line ends there, so all is decided.
MUST_CHECK enum status highlight_append(struct highlight *highlight, struct wrap *wrap,
                                        const char *text, size_t length, bool whole,
                                        struct text *out, size_t *taken);

// The word that is held will not be waited for.
void highlight_release(struct highlight *highlight);

#endif
