// tests/bench/bench_stream.c — what does it cost to show an answer?
//
// Plays texts as a model would write them, four bytes a token, one write for each, onto a
// pseudo-terminal of 80 columns that a second thread reads, and takes the processor time of the
// first: rendering and the kernel's part of each write. The texts: prose with Markdown, code, a
// thought that folds, wide characters and pictures, and marks that nothing closes. In per cent of a
// core at 200 tokens a second; the budget is 1 %.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "app/bench/samples.h"
#include "app/screen/stream.h"
#include "kernels/base/assert.h"

enum {
    RUNS = 5,
    TOKENS = 20000,
    TOKEN_BYTES = 4,
    TOKENS_PER_S = 200, // that the budget is for
    COLUMNS = 80,
    THOUGHT_ROWS = 6,
};

struct sheet {
    const char *name, *begin, *text; // the text comes again and again
};

static const struct sheet SHEETS[] = {
    {"prose", "",
     "## A heading\n\nSome **bold words** and *slanted ones*, `inline code()`, and [a link]"
     "(https://example.org/page) in a paragraph that is so long that its words move on.\n\n"
     "- an item with more words than fit on one line of a screen of eighty columns, as most have\n"
     "1. another one\n> and a quote, long enough to go on below its bar on the next line of it\n"},
    {"code", "```c\n",
     "static int sum(const int *values, int count) {\n    int all = 0;\n"
     "    for (int i = 0; i < count; i++)\n        all += values[i]; // *each* of them\n"
     "    return all;\n}\n\n"},
    {"thought", "<think>\n",
     "The person asks for a sum, so I look at each of the numbers in turn and add it to those "
     "before.\n\nWait, there may be none at all: then it is nothing.\n"},
    {"wide", "",
     "漢字かな交じり文は幅が二倍になります。 Caf\u00e9 cafe\u0301 \U0001F600 "
     "\U0001F44D\U0001F3FD \u2764\uFE0F \U0001F468\u200D\U0001F469 \U0001F1E9\U0001F1EA "
     "words after pictures are held until they are whole.\n"},
    {"marks", "", "**never closed [nor (this, *nor that _and so on with many words "},
};
enum { SHEET_COUNT = sizeof SHEETS / sizeof SHEETS[0] };

struct bench {
    struct figure us_per_token[SHEET_COUNT];
    struct error err;
};

static int screen = -1; // the pseudo-terminal that is written to

static void write_screen(const char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t written = write(screen, bytes, length);
        if (written < 0 && errno != EINTR) return; // its reader is gone, and says so
        if (written < 0) continue;
        bytes += written;
        length -= (size_t)written;
    }
}

// Reads what is written until the terminal is closed.
static void *drain(void *user) {
    char bytes[4096];
    const int reader = *(const int *)user;
    for (ssize_t got = 1; got > 0 || (got < 0 && errno == EINTR);)
        got = read(reader, bytes, sizeof bytes);
    return NULL;
}

static double thread_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static size_t token_length(const char *text, size_t length) {
    size_t end = 0;
    while (end < TOKEN_BYTES && end < length) {
        size_t used;
        utf8_decode(text + end, length - end, &used);
        end += used;
    }
    return end;
}

static double play_stream(const struct text *text) {
    const struct stream_options options = {
        .write = write_screen,
        .width = COLUMNS,
        .styled = true,
        .markdown = true,
        .thought = {.styled = true, .width = COLUMNS, .rows = THOUGHT_ROWS}};
    struct stream stream;
    int32_t tokens = 0;
    stream_begin(&stream, &options);
    const double from = thread_us();
    for (size_t at = 0, piece; tokens < TOKENS && at < text->length; at += piece) {
        piece = token_length(text->bytes + at, text->length - at);
        stream_append(&stream, text->bytes + at, piece, ++tokens);
    }
    stream_end(&stream);
    const double us = thread_us() - from;
    stream_deinit(&stream);
    return us / tokens;
}

static enum status measure_sheet(const struct sheet *sheet, struct figure *figure) {
    struct text text = {0};
    struct samples samples = {0};
    const size_t bytes = (size_t)TOKENS * (TOKEN_BYTES + UTF8_MAX_BYTES);
    enum status status = text_append_string(&text, sheet->begin);
    while (status == STATUS_OK && text.length < bytes)
        status = text_append_string(&text, sheet->text);
    for (int32_t i = 0; i < RUNS && status == STATUS_OK; i++)
        samples_add(&samples, play_stream(&text));
    *figure = samples_figure(&samples);
    text_deinit(&text);
    return status;
}

static enum status open_terminal(int *ours, struct error *err) {
    struct termios modes;
    *ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*ours >= 0 && grantpt(*ours) == 0 && unlockpt(*ours) == 0)
        screen = open(ptsname(*ours), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (screen < 0 || tcgetattr(screen, &modes) != 0) {
        if (*ours >= 0) close(*ours);
        return error_set(err, STATUS_IO, "a pseudo-terminal cannot be opened: %s", strerror(errno));
    }
    return STATUS_OK;
}

static enum status measure_sheets(struct bench *bench) {
    pthread_t reader;
    int ours;
    TRY(open_terminal(&ours, &bench->err));
    enum status status = STATUS_OK;
    const bool reads = pthread_create(&reader, NULL, drain, &ours) == 0;
    if (!reads) status = error_set(&bench->err, STATUS_NO_MEMORY, "a thread cannot be started");
    for (size_t i = 0; i < SHEET_COUNT && status == STATUS_OK; i++)
        status = measure_sheet(&SHEETS[i], &bench->us_per_token[i]);
    close(screen);
    if (reads) pthread_join(reader, NULL);
    close(ours);
    return status;
}

static double percent_of_core(double us_per_token) { return us_per_token * TOKENS_PER_S / 1e4; }

static void print_table(const struct bench *bench) {
    printf("%d tokens of %d bytes, %d columns; processor time of one token\n", TOKENS, TOKEN_BYTES,
           COLUMNS);
    for (size_t i = 0; i < SHEET_COUNT; i++) {
        const struct figure *figure = &bench->us_per_token[i];
        printf("  %-8s %7.2f us   (%.2f to %.2f)   %5.2f %% of a core at %d tokens/s\n",
               SHEETS[i].name, figure->median, figure->low, figure->high,
               percent_of_core(figure->median), TOKENS_PER_S);
    }
}

int main(void) {
    struct bench bench = {0};
    const enum status status = measure_sheets(&bench);
    if (status == STATUS_OK)
        print_table(&bench);
    else
        fprintf(stderr, "%s\n", bench.err.text[0] ? bench.err.text : status_text(status));
    return status == STATUS_OK ? 0 : 1;
}
