// prompts/jinja/take.h — a call's arguments as what its function needs them to be.
//
// Each reads argument `index`, or says what is there instead: where it was not given, the default.
#ifndef PROMPTS_JINJA_TAKE_H
#define PROMPTS_JINJA_TAKE_H

#include "prompts/jinja/machine.h"

MUST_CHECK enum status take_integer(struct machine *machine, const struct call *call, size_t index,
                                    int64_t otherwise, int64_t *number);
bool take_flag(const struct call *call, size_t index, bool otherwise); // anything is true or false
// A string; with `any` other values too, as str(). None is as if it was not given.
MUST_CHECK enum status take_chars(struct machine *machine, const struct call *call, size_t index,
                                  bool any, const struct chars **string);

#endif
