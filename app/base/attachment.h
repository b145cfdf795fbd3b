// app/base/attachment.h — puts the text of files into a message.
//
// An attached file begins with a line that names it, so that model and person can tell files apart.
// Text is never changed: a file that is not UTF-8 is refused.
#ifndef APP_ATTACHMENT_H
#define APP_ATTACHMENT_H

#include "kernels/base/text.h"

enum { ATTACHMENT_MAX_BYTES = 64 << 20 };

// Appends a file's bytes, without a byte order mark. NOT_FOUND: no such file; IO: unreadable, or a
// folder; BAD_INPUT: larger than ATTACHMENT_MAX_BYTES, or a pipe or device, which might never end.
// The error names the file.
MUST_CHECK enum status file_read(const char *path, struct text *text, struct error *err);

// The same for an open file; errors call it `name`.
MUST_CHECK enum status file_read_open(int fd, const char *name, struct text *text,
                                      struct error *err);

// BAD_INPUT with the offset of the first NUL or byte that is not UTF-8, counted from `from`, where
// what was read as `name` begins.
MUST_CHECK enum status file_check_text(const struct text *text, size_t from, const char *name,
                                       struct error *err);

// Appends "[file: NAME]", the file's text and an empty line. Outcomes as for file_read() and
// file_check_text().
MUST_CHECK enum status attachment_append(struct text *message, const char *path, struct error *err);

#endif
