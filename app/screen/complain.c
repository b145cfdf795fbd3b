#include "app/screen/complain.h"

#include <stdio.h>
#include <string.h>

#include "app/base/printable.h"
#include "app/screen/terminal.h"

// Without memory: what is not plain ASCII becomes a question mark.
static void print_plain(const char *text) {
    fputs("quire: ", stderr);
    for (; *text; text++)
        fputc(*text >= ' ' && *text <= '~' ? *text : '?', stderr);
    fputc('\n', stderr);
}

void complain(const char *text) {
    struct text line = {0};
    if (printable_text(text, strlen(text), &line) == STATUS_OK) {
        for (size_t i = 0; i < line.length; i++) // a name in it may hold some
            if (line.bytes[i] == '\n') line.bytes[i] = ' ';
        fprintf(stderr, "quire: %s\n", text_string(&line));
    } else
        print_plain(text);
    text_deinit(&line);
}

int complain_failed(int code, enum status status, const struct error *err) {
    complain(err && err->text[0] ? err->text : status_text(status));
    return code;
}
