// prompts/jinja/argument.h — reads a call's arguments as the types that its function needs.
//
// Each function reads argument `index`, and returns the default if it was not given.
#ifndef PROMPTS_JINJA_ARGUMENT_H
#define PROMPTS_JINJA_ARGUMENT_H

#include "prompts/jinja/machine.h"

MUST_CHECK enum status argument_integer(struct machine *machine, const struct call *call,
                                        size_t index, int64_t otherwise, int64_t *number);
bool argument_flag(const struct call *call, size_t index, bool otherwise); // the truth of any value
// A string. With `any`, also accepts other values and converts them like str(). None counts as not
// given.
MUST_CHECK enum status argument_chars(struct machine *machine, const struct call *call,
                                      size_t index, bool any, const struct chars **string);

#endif
