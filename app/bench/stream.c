#include "app/bench/stream.h"

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

#include "app/base/exit_code.h"
#include "app/base/json.h"
#include "app/bench/samples.h"
#include "app/screen/complain.h"
#include "app/screen/stream.h"
#include "kernels/base/assert.h"

enum {
    DEFAULT_RUNS = 5,
    DEFAULT_TOKENS = 20000,
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
    const struct bench_options *options;
    int32_t tokens, runs;
    struct figure us_per_token[SHEET_COUNT];
    struct error err;
};

static int screen = -1; // the pseudo-terminal that is written to

static void put(const char *bytes, size_t length) {
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

static double play(const struct bench *bench, const struct text *text) {
    const struct stream_options options = {
        .write = put,
        .width = COLUMNS,
        .styled = true,
        .markdown = true,
        .thought = {.styled = true, .width = COLUMNS, .rows = THOUGHT_ROWS}};
    struct stream stream;
    int32_t tokens = 0;
    stream_begin(&stream, &options);
    const double from = thread_us();
    for (size_t at = 0, piece; tokens < bench->tokens && at < text->length; at += piece) {
        piece = token_length(text->bytes + at, text->length - at);
        stream_append(&stream, text->bytes + at, piece, ++tokens);
    }
    stream_end(&stream);
    const double us = thread_us() - from;
    stream_deinit(&stream);
    return us / tokens;
}

static enum status measure_sheet(struct bench *bench, const struct sheet *sheet,
                                 struct figure *figure) {
    struct text text = {0};
    struct samples samples = {0};
    const size_t bytes = (size_t)bench->tokens * (TOKEN_BYTES + UTF8_MAX_BYTES);
    enum status status = text_append_string(&text, sheet->begin);
    while (status == STATUS_OK && text.length < bytes)
        status = text_append_string(&text, sheet->text);
    for (int32_t i = 0; i < bench->runs && status == STATUS_OK; i++)
        samples_add(&samples, play(bench, &text));
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
        return error_set(err, STATUS_IO, "a pseudo-terminal can not be opened: %s",
                         strerror(errno));
    }
    return STATUS_OK;
}

static enum status measure(struct bench *bench) {
    pthread_t reader;
    int ours;
    TRY(open_terminal(&ours, &bench->err));
    enum status status = STATUS_OK;
    const bool reads = pthread_create(&reader, NULL, drain, &ours) == 0;
    if (!reads) status = error_set(&bench->err, STATUS_NO_MEMORY, "a thread can not be started");
    for (size_t i = 0; i < SHEET_COUNT && status == STATUS_OK; i++)
        status = measure_sheet(bench, &SHEETS[i], &bench->us_per_token[i]);
    close(screen);
    if (reads) pthread_join(reader, NULL);
    close(ours);
    return status;
}

static double percent_of_core(double us_per_token) { return us_per_token * TOKENS_PER_S / 1e4; }

static void print_table(const struct bench *bench) {
    printf("%" PRId32 " tokens of %d bytes, %d columns; processor time of one token\n",
           bench->tokens, TOKEN_BYTES, COLUMNS);
    for (size_t i = 0; i < SHEET_COUNT; i++) {
        const struct figure *figure = &bench->us_per_token[i];
        printf("  %-8s %7.2f us   (%.2f to %.2f)   %5.2f %% of a core at %d tokens/s\n",
               SHEETS[i].name, figure->median, figure->low, figure->high,
               percent_of_core(figure->median), TOKENS_PER_S);
    }
}

static bool add_row(cJSON *rows, const struct sheet *sheet, const struct figure *figure) {
    cJSON *row = cJSON_CreateObject();
    if (!cJSON_AddItemToArray(rows, row)) {
        cJSON_Delete(row);
        return false;
    }
    return json_add_text(row, "text", sheet->name) &&
           json_add_number(row, "us_per_token", figure->median) &&
           json_add_number(row, "us_per_token_low", figure->low) &&
           json_add_number(row, "us_per_token_high", figure->high) &&
           json_add_number(row, "percent_of_core", percent_of_core(figure->median));
}

static bool print_json(const struct bench *bench) {
    cJSON *root = cJSON_CreateObject();
    cJSON *rows = root ? cJSON_AddArrayToObject(root, "results") : NULL;
    bool whole = rows && json_add_number(root, "tokens", bench->tokens) &&
                 json_add_number(root, "tokens_per_s", TOKENS_PER_S);
    for (size_t i = 0; i < SHEET_COUNT && whole; i++)
        whole = add_row(rows, &SHEETS[i], &bench->us_per_token[i]);
    if (whole) return json_put(root, bench->options->one_line);
    cJSON_Delete(root);
    return false;
}

int bench_stream_run(const struct bench_options *options) {
    struct bench bench = {
        .options = options,
        .tokens = options->tokens ? options->tokens : DEFAULT_TOKENS,
        .runs = options->runs ? options->runs : DEFAULT_RUNS,
    };
    enum status status = measure(&bench);
    if (status == STATUS_OK && !options->json) print_table(&bench);
    if (status == STATUS_OK && options->json && !print_json(&bench)) status = STATUS_NO_MEMORY;
    return status == STATUS_OK ? EXIT_DONE
                               : complain_failed(exit_code_for_bench(status), status, &bench.err);
}
