// app/base/path.h — paths as people type them: ~/notes.txt, "a file.txt", a\ file.txt, Tab.
//
// A name with blanks is quoted; inside quotes, \" is a quotation mark and \\ a backslash. Outside
// quotes, a backslash escapes a blank.
//
// Memory: texts are the caller's. Threads: no state.
#ifndef APP_PATH_H
#define APP_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/text.h"

// Appends the path; "~" and "~/…" mean the home folder.
MUST_CHECK enum status path_expand(const char *typed, struct text *path);

// Is it an http or https URL?
bool path_is_url(const char *path);

// Does the path end like this? Upper and lower case are equal.
bool path_ends_with(const char *path, const char *ending);

// Appends the path of a file that comes with quire: share/quire/NAME next to the installed program,
// or `built`, its place in the source tree if quire is not installed.
MUST_CHECK enum status path_of_share(const char *name, const char *built, struct text *path);

// "NAME-00002-of-00003.gguf" is part 2 of 3, and the first `stem` bytes are NAME. Any other path is
// part 1 of 1 and all stem.
struct path_part {
    size_t stem;
    int32_t part, parts;
};
struct path_part path_part(const char *path);

// Appends the next word of *rest and moves *rest past it. False: no word left, or memory is short.
bool path_next(const char **rest, struct text *word);

// The length of the word at `at`, which ends at a blank that is neither quoted nor escaped.
size_t path_word_length(const char *at);

// Unquotes a whole text that is a single name, in place: removes the quotes around it and the
// backslashes before blanks.
void path_unquote(char *name);

// Appends the name so that path_next() reads it back, quoted if necessary.
bool path_needs_quotes(const char *name);
MUST_CHECK enum status path_quote(const char *name, struct text *out);
MUST_CHECK enum status path_put_in_quotes(const char *name, struct text *out); // always quoted

// Calls `push` for each completion of the path prefix `typed`, at most PATH_MAX_CANDIDATES times.
// Folders end in '/'. Neither `typed` nor the completions are quoted.
enum { PATH_MAX_CANDIDATES = 1000 };
void path_complete(const char *typed, void (*push)(void *user, const char *path), void *user);

#endif
