#include "app/screen/complain.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/base/printable.h"
#include "app/screen/terminal.h"

// When memory is short: replaces everything but ASCII by question marks.
static void print_plain(const char *prefix, const char *text) {
    fputs(prefix, stderr);
    for (; *text; text++)
        fputc(*text >= ' ' && *text <= '~' ? *text : '?', stderr);
    fputc('\n', stderr);
}

// One line; on a terminal as many rows as it takes, with whole words.
static enum status put_line(const char *prefix, const char *text, struct text *out) {
    struct text line = {0};
    struct wrap wrap = {.width = isatty(STDERR_FILENO) ? terminal_width() : 0, .whole_words = true};
    enum status status = text_append_string(&line, prefix);
    if (status == STATUS_OK) status = printable_text(text, strlen(text), &line);
    for (size_t i = 0; i < line.length; i++) // a name in it may contain newlines
        if (line.bytes[i] == '\n') line.bytes[i] = ' ';
    if (status == STATUS_OK) status = wrap_append(&wrap, text_string(&line), line.length, out);
    if (status == STATUS_OK) status = wrap_flush(&wrap, out);
    if (status == STATUS_OK) status = text_append(out, "\n", 1);
    wrap_deinit(&wrap);
    text_deinit(&line);
    return status;
}

static void print(const char *prefix, const char *text) {
    struct text out = {0};
    if (put_line(prefix, text, &out) == STATUS_OK)
        fputs(text_string(&out), stderr);
    else
        print_plain(prefix, text);
    text_deinit(&out);
}

void complain(const char *text) { print("quire: ", text); }

void complain_mildly(const char *text) { print("", text); }

int complain_failed(int code, enum status status, const struct error *err) {
    complain(err && err->text[0] ? err->text : status_text(status));
    return code;
}
