// app/cli/template_command.h — `quire template FILE.jinja|MODEL < request.json`: prints the prompt
// that a model would get.
#ifndef APP_TEMPLATE_COMMAND_H
#define APP_TEMPLATE_COMMAND_H

#include "app/cli/args.h"

// Renders the request on stdin, a JSON object with `messages`, `add_generation_prompt` and any
// other variables, and prints only that. Returns the exit code: if the template refuses, its
// message goes to stderr and the code is 1.
//
// The time is now, or SOURCE_DATE_EPOCH (seconds since 1970), in the local zone.
int template_command_run(const struct args *args);

#endif
