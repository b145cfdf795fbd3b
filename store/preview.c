#include "store/preview.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/base/text.h"

void preview_make(const char *bytes, size_t length, char *line, size_t size) {
    size_t written = 0;
    bool space = false;
    length -= utf8_incomplete_tail(bytes, length); // the SELECT cut it
    for (size_t at = 0, used; at < length; at += used) {
        char character[UTF8_MAX_BYTES];
        const uint32_t code_point = utf8_decode(bytes + at, length - at, &used);
        if (code_point <= 0x20 || (code_point >= 0x7F && code_point <= 0xA0)) {
            space = written > 0;
            continue;
        }
        const size_t count = utf8_encode(code_point, character);
        if (written + space + count >= size) break;
        if (space) line[written++] = ' ';
        memcpy(line + written, character, count);
        written += count;
        space = false;
    }
    line[written] = '\0';
}
