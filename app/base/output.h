// app/base/output.h — stdout, whose reader may go away.
//
// A reader that went away is not a failure (output_gone()); a full disk is. After either, writing
// does nothing. There is one for the process, like stdout.
#ifndef APP_OUTPUT_H
#define APP_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/status.h"

void output_write(const char *bytes, size_t length);
void output_string(const char *string);

// Writes text unchanged to a file. For a terminal, or a pipe, which often leads to one, replaces
// characters that would control the terminal (printable.h). Programs that need every byte use JSON.
void output_text(const char *bytes, size_t length);
bool output_is_file(void);

bool output_gone(void);         // the reader is gone
const char *output_error(void); // why writing failed, or NULL
bool output_ended(void);        // either of the two

// Flushes stdio and prints the error, if any, to stderr. Returns the exit code: `code`, unless
// writing failed.
int output_exit_code(int code);

#endif
