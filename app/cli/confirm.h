// app/cli/confirm.h — a question at the terminal that is answered by y or n.
#ifndef APP_CONFIRM_H
#define APP_CONFIRM_H

#include <stdbool.h>

bool confirm_possible(void); // is there a person to ask, on stdin and stderr?

// Shows "QUESTION? y/n " and reads a line; anything but y is no, a signal too.
bool confirm(const char *question);

// The same with "QUESTION? CHOICES ": the first letter of the answer, in lower case; 'n' without
// one.
char confirm_letter(const char *question, const char *choices);

#endif
