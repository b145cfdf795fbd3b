// tests/bench/bench_tokenize.c — how fast does text become tokens?
//
//   bench_tokenize MODEL [FILE]
//
// Opens the model's tokenizer several times, and encodes texts of several kinds: the file, or made
// ones (words as frequent as in prose, a program, characters of many scripts), one turn of 4 KB,
// and what is worst for one part or another: a letter, spaces, digits, marks and a line without
// spaces, a megabyte each. Times are of the processor, in one thread.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/base/attachment.h"
#include "app/bench/samples.h"
#include "app/cli/tokenize.h"
#include "kernels/base/clock.h"

enum {
    MEGABYTE = 1 << 20,
    LONG_BYTES = 8 * MEGABYTE,
    TURN_BYTES = 4096,
    WORDS = 20000, // of the made prose
    RUNS = 5,
};

struct kind {
    const char *name;
    size_t bytes;
    enum status (*make)(struct text *text, size_t bytes);
};

struct row {
    const char *name;
    size_t bytes, tokens;
    struct figure seconds;
};

// Of the processor's time, which others on the machine take no part of: one thread does it all.
static double now_s(void) {
    struct timespec time;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return (double)clock_now_us() / 1e6;
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// Knuth's MMIX: the same texts in every run.
static uint32_t random_below(uint64_t *state, uint32_t count) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % count);
}

// The word of a rank: the frequent ones are short.
static enum status append_word(struct text *text, uint32_t rank) {
    static const char *const syllables[] = {"th", "e",  "an", "in",  "er", "on", "re", "at",
                                            "en", "st", "or", "ing", "al", "to", "is", "com"};
    for (uint32_t left = rank + 1; left > 0; left /= 16)
        TRY(text_append_string(text, syllables[left % 16]));
    return STATUS_OK;
}

// A rank by Zipf's law: as many words of ranks 1 to 2 as of 2 to 4 as of 4 to 8.
static uint32_t zipf(uint64_t *state) {
    uint32_t most = 1;
    while (most < WORDS && random_below(state, 15) != 0)
        most *= 2;
    return random_below(state, most < WORDS ? most : WORDS);
}

static enum status make_prose(struct text *text, size_t bytes) {
    uint64_t state = 1;
    while (text->length < bytes) {
        TRY(append_word(text, zipf(&state)));
        const uint32_t next = random_below(&state, 60);
        TRY(text_append_string(text, next < 50   ? " "
                                     : next < 55 ? ", "
                                     : next < 58 ? ". "
                                     : next < 59 ? "'s "
                                                 : ".\n\n"));
    }
    return STATUS_OK;
}

static enum status make_code(struct text *text, size_t bytes) {
    uint64_t state = 2;
    while (text->length < bytes) {
        const uint32_t depth = 4 * random_below(&state, 4);
        TRY(text_format(text, "%*s", (int)depth, ""));
        TRY(append_word(text, zipf(&state)));
        TRY(text_append_string(text, random_below(&state, 2) ? "_" : "->"));
        TRY(append_word(text, zipf(&state)));
        TRY(text_format(text, random_below(&state, 2) ? "(%u, &" : "[%u] = ",
                        (unsigned)random_below(&state, 1000)));
        TRY(append_word(text, zipf(&state)));
        TRY(text_append_string(text, random_below(&state, 4) ? ");\n" : ") {\n"));
    }
    return STATUS_OK;
}

static enum status make_scripts(struct text *text, size_t bytes) {
    static const uint32_t begins[] = {0x3B1, 0x430, 0x5D0, 0x915, 0x4E00, 0x3042, 0xAC00, 0x1F600};
    uint64_t state = 3;
    while (text->length < bytes) {
        const uint32_t script = begins[random_below(&state, 8)];
        for (uint32_t left = 1 + random_below(&state, 10); left > 0; left--) {
            char encoded[UTF8_MAX_BYTES];
            const size_t length = utf8_encode(script + random_below(&state, 20), encoded);
            TRY(text_append(text, encoded, length));
        }
        TRY(text_append_string(text, " "));
    }
    return STATUS_OK;
}

static enum status repeat(struct text *text, size_t bytes, const char *unit) {
    while (text->length < bytes)
        TRY(text_append_string(text, unit));
    return STATUS_OK;
}

static enum status make_letter(struct text *text, size_t bytes) { return repeat(text, bytes, "a"); }
static enum status make_spaces(struct text *text, size_t bytes) { return repeat(text, bytes, " "); }
static enum status make_digits(struct text *text, size_t bytes) { return repeat(text, bytes, "7"); }
static enum status make_marks(struct text *text, size_t bytes) {
    return repeat(text, bytes, "\xCC\x81\xCC\xA3");
}

static enum status make_line(struct text *text, size_t bytes) {
    uint64_t state = 4;
    while (text->length < bytes)
        TRY(append_word(text, zipf(&state)));
    return STATUS_OK;
}

static const struct kind kinds[] = {
    {"prose", LONG_BYTES, make_prose},     {"code", LONG_BYTES, make_code},
    {"scripts", LONG_BYTES, make_scripts}, {"a turn", TURN_BYTES, make_prose},
    {"one letter", MEGABYTE, make_letter}, {"spaces", MEGABYTE, make_spaces},
    {"digits", MEGABYTE, make_digits},     {"marks", MEGABYTE, make_marks},
    {"no spaces", MEGABYTE, make_line},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static enum status measure_encoding(const struct tokenizer *tokenizer, const struct text *text,
                                    struct row *row) {
    struct samples samples = {0};
    enum status status = STATUS_OK;
    for (int32_t run = -1; run < RUNS && status == STATUS_OK; run++) {
        struct token_ids ids = {0};
        const struct piece piece = {PIECE_TEXT, text_string(text), text->length};
        const double before = now_s();
        status = tokenizer_encode(tokenizer, &piece, 1, &ids);
        if (run >= 0) samples_add(&samples, now_s() - before); // one does not count
        row->tokens = ids.count;
        token_ids_deinit(&ids);
    }
    row->bytes = text->length;
    row->seconds = samples_figure(&samples);
    return status;
}

static enum status measure_opening(const char *path, struct figure *figure, struct error *err) {
    struct samples samples = {0};
    for (int32_t run = -1; run < RUNS; run++) {
        struct gguf *gguf = NULL;
        struct tokenizer *tokenizer;
        const double before = now_s();
        TRY(tokenize_open(path, &gguf, &tokenizer, err));
        if (run >= 0) samples_add(&samples, now_s() - before);
        tokenizer_close(tokenizer);
        gguf_close(gguf);
    }
    *figure = samples_figure(&samples);
    return STATUS_OK;
}

static enum status read_file(const char *path, struct text *text, struct error *err) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return error_set(err, STATUS_IO, "%s: cannot be opened", path);
    const enum status status = file_read_open(file, path, text, err);
    close(file);
    return status;
}

static enum status measure_all(const char *file, const struct tokenizer *tokenizer,
                               struct row *rows, size_t *count, struct error *err) {
    enum status status = STATUS_OK;
    *count = file ? 1 : KINDS;
    for (size_t i = 0; i < *count && status == STATUS_OK; i++) {
        struct text text = {0};
        rows[i].name = file ? "file" : kinds[i].name;
        status = file ? read_file(file, &text, err) : kinds[i].make(&text, kinds[i].bytes);
        if (status == STATUS_OK) status = measure_encoding(tokenizer, &text, &rows[i]);
        text_deinit(&text);
    }
    return status;
}

static void print_rows(const char *description, struct figure opening, const struct row *rows,
                       size_t count) {
    printf("%s, opened in %.1f ms\n\n", description, opening.median * 1e3);
    printf("  %-12s %10s %10s %10s %10s\n", "text", "bytes", "tokens", "ms", "MB/s");
    for (size_t i = 0; i < count; i++)
        printf("  %-12s %10zu %10zu %10.2f %10.1f\n", rows[i].name, rows[i].bytes, rows[i].tokens,
               rows[i].seconds.median * 1e3, (double)rows[i].bytes / rows[i].seconds.median / 1e6);
}

int main(int argc, char **argv) {
    struct gguf *gguf = NULL;
    struct tokenizer *tokenizer = NULL;
    struct error err = {0};
    struct figure opening = {0};
    struct row rows[KINDS] = {0};
    size_t count = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: %s MODEL [FILE]\n", argv[0]);
        return 2;
    }
    enum status status = measure_opening(argv[1], &opening, &err);
    if (status == STATUS_OK) status = tokenize_open(argv[1], &gguf, &tokenizer, &err);
    if (status == STATUS_OK) status = measure_all(argv[2], tokenizer, rows, &count, &err);
    if (status == STATUS_OK)
        print_rows(tokenizer_description(tokenizer), opening, rows, count);
    else
        fprintf(stderr, "%s\n", err.text[0] ? err.text : status_text(status));
    tokenizer_close(tokenizer);
    gguf_close(gguf);
    return status == STATUS_OK ? 0 : 1;
}
