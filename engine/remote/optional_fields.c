#include "engine/remote/optional_fields.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "kernels/base/log.h"

static const struct {
    unsigned bit;
    const char *name;
} FIELDS[] = {
    {OMIT_CHOICES, "n"},
    {OMIT_ROUTE, "prompt_cache_key"},
    {OMIT_USAGE, "stream_options"},
    {OMIT_SEED, "seed"},
    {OMIT_SALT, "cache_salt"},
    {OMIT_TEMPERATURE, "temperature"},
    {OMIT_TOP_P, "top_p"},
    {OMIT_TOP_K, "top_k"},
    {OMIT_MIN_P, "min_p"},
    {OMIT_REPEAT_PENALTY, "repetition_penalty"},
    {OMIT_PRESENCE_PENALTY, "presence_penalty"},
    {OMIT_FREQUENCY_PENALTY, "frequency_penalty"},
    {OMIT_MAX_TOKENS, "max_tokens"},
};
enum { FIELD_COUNT = sizeof FIELDS / sizeof FIELDS[0] };

unsigned optional_fields_of(const char *query) {
    unsigned bits = 0;
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        char member[40];
        snprintf(member, sizeof member, "\"%s\":", FIELDS[i].name);
        if (strstr(query, member)) bits |= FIELDS[i].bit;
    }
    return bits;
}

static bool is_of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Is `name` there as a word of its own? A \n of JSON is not the field n.
static bool has_word(const char *text, size_t length, const char *name) {
    const size_t bytes = strlen(name);
    for (size_t at = 0; at + bytes <= length; at++) {
        if (memcmp(text + at, name, bytes) != 0) continue;
        const char before = at ? text[at - 1] : ' ';
        const char after = at + bytes < length ? text[at + bytes] : ' ';
        if (!is_of_name(before) && before != '\\' && !is_of_name(after)) return true;
    }
    return false;
}

static bool contains_word(const char *text, size_t length, const char *word) {
    const size_t bytes = strlen(word);
    for (size_t at = 0; at + bytes <= length; at++)
        if (strncasecmp(text + at, word, bytes) == 0) return true;
    return false;
}

bool optional_fields_unknown(const char *refusal, size_t length) {
    static const char *const words[] = {"unsupported",   "not support", "unrecognized",   "unknown",
                                        "not permitted", "unexpected",  "extra_forbidden"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (contains_word(refusal, length, words[i])) return true;
    return false;
}

unsigned optional_fields_named(const char *refusal, size_t length) {
    unsigned bits = 0;
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (has_word(refusal, length, FIELDS[i].name)) bits |= FIELDS[i].bit;
    // A limit may also be refused for its value, and then its name is right.
    if (bits & OMIT_MAX_TOKENS && !contains_word(refusal, length, "max_completion_tokens") &&
        !optional_fields_unknown(refusal, length))
        bits &= ~(unsigned)OMIT_MAX_TOKENS;
    return bits;
}

void optional_fields_warn(unsigned omitted, const char *host) {
    omitted &= ~(unsigned)(OMIT_HELPFUL | OMIT_MAX_TOKENS);
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (omitted & FIELDS[i].bit)
            log_write(LOG_WARNING, "%s rejects \"%s\"; asking without it", host, FIELDS[i].name);
}
