// app/cli/journal.h — the results of a batch that may be interrupted: which lines are done already.
//
// The journal is a file of results, one a line, in the order in which they arrived. Each names its
// line of the batch by number and by a hash of the line's bytes, so the result of a line that has
// changed since is ignored, and so is an incomplete last line. A hash of its own, "check", ends
// each; lines of an older quire have none.
//
// Memory: the results that were read are owned by the journal. Threads: one.
#ifndef APP_JOURNAL_H
#define APP_JOURNAL_H

#include <stddef.h>

#include "kernels/base/hash.h"
#include "kernels/base/status.h"

struct journal;

// Reads an existing file, or creates it. BUSY: another run writes it; BAD_INPUT: it contains
// something else, or a line that is damaged, and is left unchanged; IO.
MUST_CHECK enum status journal_open(const char *path, struct journal **journal, struct error *err);
void journal_close(struct journal *journal); // NULL is fine

// The result of this line, or NULL. Borrowed until the close.
const char *journal_find(const struct journal *journal, size_t line, struct hash128 request);

// Appends a result, a JSON object without a line break. It is in the file when this returns.
MUST_CHECK enum status journal_add(struct journal *journal, const char *result, struct error *err);

#endif
