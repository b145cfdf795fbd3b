// app/base/output.h — stdout as a stream that may be cut off.
//
// A reader that went away is no failure, and says so by output_gone(); a full disk is one. After
// either, writing does nothing. One for the process, as stdout is.
#ifndef APP_OUTPUT_H
#define APP_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/status.h"

void output_write(const char *bytes, size_t length);
void output_string(const char *string);

// As it is for a file; for a terminal, and for a pipe, which often ends at one, without what a
// terminal would obey (printable.h). A program that needs every byte has JSON.
void output_text(const char *bytes, size_t length);
bool output_is_file(void);

bool output_gone(void);         // nobody reads any more
const char *output_error(void); // why writing failed, or NULL
bool output_ended(void);        // one of both

// The exit code for a program that had `code` to say: prints the error, if any, to stderr. What
// was printed by stdio is written here too.
int output_exit_code(int code);

#endif
