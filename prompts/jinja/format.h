// prompts/jinja/format.h — Python's two ways to format values: '%s of %d' % (a, b) and
// '{} of {:.2f}'.format(a, b).
//
// The characters of the pattern and of strings keep their origins.
//
// Source: Python's documentation, "printf-style String Formatting", "Format String Syntax".
#ifndef PROMPTS_JINJA_FORMAT_H
#define PROMPTS_JINJA_FORMAT_H

#include "prompts/jinja/builtin.h"

// `values` is a tuple, a dict for %(name)s, or the one value.
MUST_CHECK enum status format_percent(struct machine *machine, const struct chars *pattern,
                                      const struct value *values, struct value *result);
MUST_CHECK enum status format_braces(struct machine *machine, const struct chars *pattern,
                                     const struct arguments *arguments, struct value *result);

#endif
