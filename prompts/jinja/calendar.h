// prompts/jinja/calendar.h — formats a time as strftime() does, always in English.
//
// %a %A %b %B %d %D %e %F %H %I %j %m %M %p %R %S %T %u %w %y %Y %Z %z %%, and "-" after the % to
// omit padding. Anything else is copied as it is.
#ifndef PROMPTS_JINJA_CALENDAR_H
#define PROMPTS_JINJA_CALENDAR_H

#include <time.h>

#include "prompts/jinja/chars.h"

void calendar_push(struct builder *out, const struct chars *format, const struct tm *now);

#endif
