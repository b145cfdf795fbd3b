// app/base/path.h — paths as people type them: ~/notes.txt, "a file.txt", a\ file.txt, Tab.
//
// A name with blanks stands in quotation marks, in which \" is a quotation mark and \\ a backslash.
// Without them, a blank may follow a backslash.
//
// Memory: texts are the caller's. No threads.
#ifndef APP_PATH_H
#define APP_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/text.h"

// Appends the path; "~" and "~/…" are the home folder.
MUST_CHECK enum status path_expand(const char *typed, struct text *path);

// Does it name a place on the net, http or https?
bool path_is_url(const char *path);

// "NAME-00002-of-00003.gguf" is part 2 of 3, and NAME the first `stem` bytes; anything else is part
// 1 of 1, all stem.
struct path_part {
    size_t stem;
    int32_t part, parts;
};
struct path_part path_part(const char *path);

// Moves *rest behind its next word, which is appended. False: there is none, or memory is short.
bool path_next(const char **rest, struct text *word);

// How many bytes the word at `at` takes, up to a blank that is neither quoted nor after a
// backslash.
size_t path_word_length(const char *at);

// In place: all of it is one name, so only quotation marks around it and backslashes before blanks
// go.
void path_unquote(char *name);

// Appends the name as path_next() reads it: with quotation marks if it needs them.
bool path_needs_quotes(const char *name);
MUST_CHECK enum status path_quote(const char *name, struct text *out);

// Calls `push` with each way to complete a path that begins so, at most PATH_MAX_CANDIDATES;
// folders end in '/'. Neither is quoted.
enum { PATH_MAX_CANDIDATES = 1000 };
void path_complete(const char *typed, void (*push)(void *user, const char *path), void *user);

#endif
