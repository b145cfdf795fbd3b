// app/screen/languages.h — what highlight.h knows about each language.
#ifndef APP_LANGUAGES_H
#define APP_LANGUAGES_H

#include <stdbool.h>
#include <stddef.h>

enum { LANGUAGE_STRINGS = 5 };

struct language {
    const char *names;                     // as in fences, lower case, separated by spaces
    const char *line_comments[2];          // or NULL
    const char *comment[2];                // opens and closes a block comment; or NULL
    const char *strings[LANGUAGE_STRINGS]; // quotes, triple ones first
    const char *keywords;                  // separated by spaces
    const char *long_strings;              // quotes of multi-line strings, separated by spaces
    bool any_case;                         // keywords ignore case
    bool raw;                              // no backslash escapes in strings
};

const struct language *language_find(const char *name, size_t length); // NULL: unknown
bool language_has_keyword(const struct language *language, const char *word, size_t length);
// Over several lines.
bool language_has_long_string(const struct language *language, const char *quote);

#endif
