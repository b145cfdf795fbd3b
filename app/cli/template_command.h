// app/cli/template_command.h — quire template FILE.jinja|MODEL < request.json: the prompt that a
// model would get.
#ifndef APP_TEMPLATE_COMMAND_H
#define APP_TEMPLATE_COMMAND_H

#include "app/cli/args.h"

// Prints the rendering of the request on stdin, a JSON object with `messages`,
// `add_generation_prompt` and any other variables, and nothing else. Returns the exit code: a
// template that refuses has its own message on stderr, and 1.
//
// The time is the clock's, or SOURCE_DATE_EPOCH's (seconds since 1970), in the local zone.
int template_command_run(const struct args *args);

#endif
