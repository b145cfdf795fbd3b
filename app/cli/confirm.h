// app/cli/confirm.h — asks a yes-or-no question at the terminal.
#ifndef APP_CONFIRM_H
#define APP_CONFIRM_H

#include <stdbool.h>

bool confirm_possible(void); // are stdin and stderr a terminal, so that somebody can answer?

// Shows "QUESTION? y/n " and reads a line. Anything but y means no, including a signal.
bool confirm(const char *question);

// The same with "QUESTION? CHOICES ": returns the first letter of the answer in lower case, or 'n'
// without an answer.
char confirm_letter(const char *question, const char *choices);

#endif
