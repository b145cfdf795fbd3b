#include "app/screen/printable_stream.h"

#include <wchar.h>

#include "app/base/printable.h"

// The bytes of a character that is not whole yet.
static struct {
    char bytes[UTF8_MAX_BYTES];
    size_t length;
} rest;

static ssize_t write_printable(void *cookie, const char *bytes, size_t length) {
    (void)cookie;
    for (size_t i = 0, used; i < length; i++) {
        rest.bytes[rest.length++] = bytes[i];
        if (rest.length < UTF8_MAX_BYTES && utf8_incomplete_tail(rest.bytes, rest.length)) continue;
        const uint32_t code_point = utf8_decode(rest.bytes, rest.length, &used);
        if (code_point < 0x80 || !printable_is_hidden(code_point))
            fwrite(rest.bytes, 1, rest.length, stdout);
        else if (wcwidth((wchar_t)code_point) != 0) // the columns that the library counts with
            fputs("\uFFFD", stdout);
        rest.length = 0;
    }
    return fflush(stdout) == 0 ? (ssize_t)length : 0;
}

FILE *printable_stream(void) {
    static FILE *stream;
    if (stream) return stream;
    stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_printable});
    if (stream) setvbuf(stream, NULL, _IOLBF, BUFSIZ);
    return stream;
}
