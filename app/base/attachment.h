// app/base/attachment.h — text from files, into a message.
//
// An attached file begins with a line that names it, so that the model and the person can tell
// one from another. Text is taken as it is: what is not UTF-8 is refused, never changed.
#ifndef APP_ATTACHMENT_H
#define APP_ATTACHMENT_H

#include "kernels/base/text.h"

enum { ATTACHMENT_MAX_BYTES = 64 << 20 };

// Appends a file's bytes, without a byte order mark. NOT_FOUND: there is none; IO: it cannot be
// read, or is a folder; BAD_INPUT: larger than ATTACHMENT_MAX_BYTES, or a pipe or device, which
// might never end. The error names it.
MUST_CHECK enum status file_read(const char *path, struct text *text, struct error *err);

// The same for an open file; `name` is for errors.
MUST_CHECK enum status file_read_open(int fd, const char *name, struct text *text,
                                      struct error *err);

// Appends "[file: NAME]", the file's text and an empty line. As file_read(); BAD_INPUT names
// the offset of what is not UTF-8, or of the first NUL.
MUST_CHECK enum status attachment_append(struct text *message, const char *path, struct error *err);

#endif
