// prompts/jinja/calendar.h — formats a time as the C library's strftime() does, always in English.
//
// Width, flags and all directives are those of the C library; %f, which is Python's, is 000000. A
// "%" that begins no directive is copied as it is.
#ifndef PROMPTS_JINJA_CALENDAR_H
#define PROMPTS_JINJA_CALENDAR_H

#include <time.h>

#include "prompts/jinja/chars.h"

void calendar_push(struct builder *out, const struct chars *format, const struct tm *now);

#endif
