// app/cli/journal.h — which lines of an interrupted batch are done already?
//
// The journal is a file with one result per line, in order of arrival. Each result has the number
// of its batch line and a hash of that line, so the result of a line that has changed since is
// ignored; so is an incomplete last line. Each result ends with a hash of itself, "check"; those of
// older versions lack it.
//
// Memory: the journal owns the results it has read. Threads: one.
#ifndef APP_JOURNAL_H
#define APP_JOURNAL_H

#include <stddef.h>

#include "kernels/base/hash.h"
#include "kernels/base/status.h"

struct journal;

// Reads the file, or creates it. BUSY: another run is writing it; BAD_INPUT: it is not a journal or
// has a damaged line, and is left unchanged; IO.
MUST_CHECK enum status journal_open(const char *path, struct journal **journal, struct error *err);
void journal_close(struct journal *journal); // NULL is fine

// The result of this line, or NULL. Borrowed until journal_close().
const char *journal_find(const struct journal *journal, size_t line, struct hash128 request);

// Appends a result, a JSON object without a newline. It is in the file when this returns.
MUST_CHECK enum status journal_add(struct journal *journal, const char *result, struct error *err);

#endif
