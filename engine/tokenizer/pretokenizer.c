#include "engine/tokenizer/pretokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

// Unicode's White_Space. PCRE2's own \s would add U+180E, which lost that property.
#define SPACE  \
    "\\t-\\r " \
    "\\x{85}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}"

#define GPT2                                                                          \
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^" SPACE "\\p{L}\\p{N}]+|[" SPACE \
    "]+(?![^" SPACE "])|[" SPACE "]+"

// Digits are cut off one by one first and GPT-2's expression sees what lies between them, so
// for "followed by no more text" a digit is an end of text as well.
#define DIGITS_THEN_GPT2                                                                           \
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+|\\p{N}| ?[^" SPACE "\\p{L}\\p{N}]+|[" SPACE "]+(?![^" SPACE \
    "\\p{N}])|[" SPACE "]+"

#define WORDS_AND_LINES(digits)                                                        \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" digits "| ?[^" SPACE \
    "\\p{L}\\p{N}]+[\\r\\n]*|[" SPACE "]*[\\r\\n]+|[" SPACE "]+(?![^" SPACE "])|[" SPACE "]+"
#define LLAMA3 WORDS_AND_LINES("\\p{N}{1,3}")
#define QWEN2  WORDS_AND_LINES("\\p{N}")

struct row {
    const char *name;
    const char *expression;
    bool ignores_merges, adds_bos;
};

// Several names for one expression: converters name models, not expressions.
static const struct row rows[] = {
    {"gpt-2", GPT2, false, false},
    {"phi-2", GPT2, false, false},
    {"mpt", GPT2, false, false},
    {"olmo", GPT2, false, false},
    // What a converter writes that did not know: GPT-2's is where most families began.
    {"default", GPT2, false, false},
    {"smollm", DIGITS_THEN_GPT2, false, false},
    {"starcoder", DIGITS_THEN_GPT2, false, false},
    {"refact", DIGITS_THEN_GPT2, false, false},
    {"command-r", DIGITS_THEN_GPT2, false, false},
    {"codeshell", DIGITS_THEN_GPT2, false, false},
    {"llama-bpe", LLAMA3, true, true},
    {"llama3", LLAMA3, true, true},
    {"llama-v3", LLAMA3, true, true},
    {"falcon3", LLAMA3, true, true},
    {"dbrx", LLAMA3, false, false},
    {"smaug-bpe", LLAMA3, false, false},
    {"qwen2", QWEN2, false, false},
    {"deepseek-r1-qwen", QWEN2, false, false},
    {"megrez", QWEN2, false, false},
    {"stablelm2", QWEN2, false, false},
};

struct pretokenizer {
    const struct row *row;
    pcre2_code *code;
};

struct pretokenizer_walk {
    const struct pretokenizer *pretokenizer;
    pcre2_match_data *match;
    const char *bytes;
    size_t length;
    size_t offset; // where the next word begins
    size_t valid;  // bytes[run..valid) is well-formed, run <= offset
    size_t run;    // where that stretch begins: what lies before it is another text
};

static const struct row *find_row(struct gguf_string name) {
    if (name.length == 0) name = (struct gguf_string){"default", strlen("default")};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strlen(rows[i].name) == name.length &&
            memcmp(rows[i].name, name.bytes, name.length) == 0)
            return &rows[i];
    return NULL;
}

enum status pretokenizer_open(struct gguf_string name, struct pretokenizer **pretokenizer,
                              struct error *err) {
    const struct row *row = find_row(name);
    if (!row)
        return error_set(err, STATUS_UNSUPPORTED, "pre-tokeniser \"%.*s\" is not known",
                         (int)(name.length < 64 ? name.length : 64), name.bytes);
    struct pretokenizer *opened = calloc(1, sizeof *opened);
    if (!opened) return STATUS_NO_MEMORY;
    opened->row = row;
    int code;
    PCRE2_SIZE where;
    opened->code = pcre2_compile((PCRE2_SPTR)row->expression, PCRE2_ZERO_TERMINATED,
                                 PCRE2_UTF | PCRE2_ANCHORED | PCRE2_NO_START_OPTIMIZE |
                                     PCRE2_NEVER_BACKSLASH_C,
                                 &code, &where, NULL);
    if (!opened->code) {
        free(opened);
        return STATUS_NO_MEMORY;
    }
    // Systems that forbid making code at run time refuse; matching then is slower, not other.
    (void)pcre2_jit_compile(opened->code, PCRE2_JIT_COMPLETE);
    *pretokenizer = opened;
    return STATUS_OK;
}

void pretokenizer_close(struct pretokenizer *pretokenizer) {
    if (!pretokenizer) return;
    pcre2_code_free(pretokenizer->code);
    free(pretokenizer);
}

const char *pretokenizer_name(const struct pretokenizer *pretokenizer) {
    return pretokenizer->row->name;
}

bool pretokenizer_ignores_merges(const struct pretokenizer *pretokenizer) {
    return pretokenizer->row->ignores_merges;
}

bool pretokenizer_adds_bos(const struct pretokenizer *pretokenizer) {
    return pretokenizer->row->adds_bos;
}

enum status pretokenizer_walk_create(const struct pretokenizer *pretokenizer,
                                     struct pretokenizer_walk **walk) {
    struct pretokenizer_walk *created = calloc(1, sizeof *created);
    if (!created) return STATUS_NO_MEMORY;
    created->pretokenizer = pretokenizer;
    created->match = pcre2_match_data_create(1, NULL);
    if (!created->match) {
        free(created);
        return STATUS_NO_MEMORY;
    }
    *walk = created;
    return STATUS_OK;
}

void pretokenizer_walk_destroy(struct pretokenizer_walk *walk) {
    if (!walk) return;
    pcre2_match_data_free(walk->match);
    free(walk);
}

void pretokenizer_walk_start(struct pretokenizer_walk *walk, const char *bytes, size_t length) {
    walk->bytes = bytes;
    walk->length = length;
    walk->offset = walk->valid = walk->run = 0;
}

enum status pretokenizer_walk_next(struct pretokenizer_walk *walk, size_t *length) {
    if (walk->offset == walk->length) {
        *length = 0;
        return STATUS_OK;
    }
    if (walk->offset == walk->valid) {
        walk->run = walk->offset;
        size_t bad;
        if (utf8_valid(walk->bytes + walk->run, walk->length - walk->run, &bad))
            walk->valid = walk->length;
        else
            walk->valid = walk->run + bad;
    }
    if (walk->offset == walk->valid) { // an ill-formed byte
        walk->offset = ++walk->valid;
        *length = 1;
        return STATUS_OK;
    }
    // The stretch is known to be well-formed; checking it for each word would be quadratic.
    const char *run = walk->bytes + walk->run;
    const size_t at = walk->offset - walk->run;
    const int found =
        pcre2_match(walk->pretokenizer->code, (PCRE2_SPTR)run, walk->valid - walk->run, at,
                    PCRE2_NO_UTF_CHECK, walk->match, NULL);
    size_t word;
    if (found == PCRE2_ERROR_NOMATCH)
        utf8_decode(walk->bytes + walk->offset, walk->valid - walk->offset, &word);
    else if (found < 0)
        return STATUS_NO_MEMORY;
    else
        word = pcre2_get_ovector_pointer(walk->match)[1] - at;
    walk->offset += word;
    *length = word;
    return STATUS_OK;
}
