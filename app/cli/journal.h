// app/cli/journal.h — results of a batch that may be cut off: which lines are done already.
//
// The journal is a file of results, one a line, in the order in which they came. Each names its
// line of the batch by number and by a hash of the line's bytes, so a result of a line that was
// changed since counts for nothing, and neither does a last line that was cut off.
//
// Memory: the results that were read are owned by the journal. Threads: one.
#ifndef APP_JOURNAL_H
#define APP_JOURNAL_H

#include <stddef.h>

#include "kernels/base/hash.h"
#include "kernels/base/status.h"

struct journal;

// Reads what is there; a file that is not there is made. BUSY: another run writes it; BAD_INPUT: it
// holds something else, and stays as it is; IO.
MUST_CHECK enum status journal_open(const char *path, struct journal **journal, struct error *err);
void journal_close(struct journal *journal); // NULL is fine

// The result of this line, or NULL. Borrowed until the close.
const char *journal_find(const struct journal *journal, size_t line, struct hash128 request);

// Adds one: JSON without a line break. It is in the file when this returns.
MUST_CHECK enum status journal_add(struct journal *journal, const char *result, struct error *err);

#endif
