#include "kernels/base/status.h"

#include <stdarg.h>
#include <stdio.h>

const char *status_text(enum status status) {
    switch (status) {
#define STATUS_CASE(name, text) \
    case STATUS_##name:         \
        return text;
        STATUS_MAP(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}

enum status error_set(struct error *err, enum status status, const char *format, ...) {
    if (err) {
        va_list args;
        va_start(args, format);
        err->status = status;
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return status;
}
