#include "kernels/base/log.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE_BYTES = 1024 };

static log_sink *current_sink;

void log_set_sink(log_sink *sink) { current_sink = sink; }

void log_write(enum log_level level, const char *format, ...) {
    if (!current_sink) return;
    char line[LINE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    current_sink(level, line);
}
