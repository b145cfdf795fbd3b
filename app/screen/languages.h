// app/screen/languages.h — what highlight.h knows of each language.
#ifndef APP_LANGUAGES_H
#define APP_LANGUAGES_H

#include <stdbool.h>
#include <stddef.h>

enum { LANGUAGE_STRINGS = 5 };

struct language {
    const char *names;                     // that a fence gives it, lower case, separated by spaces
    const char *line_comments[2];          // or NULL
    const char *comment[2];                // what opens and closes a block; or NULL
    const char *strings[LANGUAGE_STRINGS]; // quotes; those that come in threes first
    const char *keywords;                  // separated by spaces
    const char *long_strings; // quotes that may go on on the next line, separated by spaces
    bool any_case;            // of keywords
    bool raw;                 // backslashes in strings mean nothing
};

const struct language *language_find(const char *name, size_t length); // NULL: not known
bool language_has_keyword(const struct language *language, const char *word, size_t length);
bool language_has_long_string(const struct language *language, const char *quote); // over lines

#endif
