#include "engine/tokenizer/normalizer.h"

#include <stdlib.h>
#include <string.h>
#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>

#include "kernels/base/assert.h"

enum { LOWERCASE_BYTES = 32 }; // of one character, which becomes three at most

// From one text to the next.
struct passage {
    const struct normalizer_step *step;
    struct expression_match *match; // of steps with an expression
    bool first;                     // of the input
    const char *bytes;
    size_t length;
    size_t limit; // of what comes out
    struct text *out;
};

static enum status put_bytes(const struct passage *passage, const char *bytes, size_t length) {
    if (length > passage->limit || passage->out->length > passage->limit - length)
        return STATUS_TOO_LONG;
    return text_append(passage->out, bytes, length);
}

enum status normalizer_add(struct normalizer *normalizer, struct normalizer_step step,
                           struct error *err) {
    if (normalizer->count == NORMALIZER_MAX_STEPS) {
        expression_destroy(step.expression);
        return error_set(err, STATUS_UNSUPPORTED, "the normalizer has more than %d steps",
                         NORMALIZER_MAX_STEPS);
    }
    ASSERT(normalizer->count < NORMALIZER_MAX_STEPS && step.with_length <= NORMALIZER_TEXT_BYTES);
    normalizer->steps[normalizer->count++] = step;
    return STATUS_OK;
}

void normalizer_deinit(struct normalizer *normalizer) {
    for (size_t i = 0; i < normalizer->count; i++)
        expression_destroy(normalizer->steps[i].expression);
    *normalizer = (struct normalizer){0};
}

static bool is_space(const char *bytes, size_t length, size_t *used) {
    const uint32_t code_point = utf8_decode(bytes, length, used);
    return uc_is_property_white_space((ucs4_t)code_point);
}

static size_t leading_spaces(const char *bytes, size_t length) {
    size_t at = 0, used;
    while (at < length && is_space(bytes + at, length - at, &used))
        at += used;
    return at;
}

static size_t without_trailing_spaces(const char *bytes, size_t length) {
    size_t end = 0, used;
    for (size_t at = 0; at < length; at += used)
        if (!is_space(bytes + at, length - at, &used)) end = at + used;
    return end;
}

static uninorm_t form_of(enum normalizer_kind kind) {
    if (kind == NORMALIZE_NFC) return UNINORM_NFC;
    if (kind == NORMALIZE_NFD) return UNINORM_NFD;
    return kind == NORMALIZE_NFKC ? UNINORM_NFKC : UNINORM_NFKD;
}

// The length of a prefix that is normalised already. For NFC, characters below U+0300 are composed
// and do not compose with each other; for the other forms, ASCII characters are.
static size_t settled(const char *bytes, size_t length, enum normalizer_kind kind) {
    const unsigned char limit = kind == NORMALIZE_NFC ? 0xCC : 0x80; // lead byte of U+0300
    size_t at = 0;
    while (at < length && (unsigned char)bytes[at] < limit)
        at++;
    if (at == length) return length;
    while (at > 0 && ((unsigned char)bytes[at] & 0xC0) == 0x80)
        at--;
    if (at == 0) return 0;
    do // what follows may compose with the character before it
        at--;
    while (at > 0 && ((unsigned char)bytes[at] & 0xC0) == 0x80);
    return at;
}

// Up to an ASCII character, which never composes with what precedes it.
static size_t unsettled(const char *bytes, size_t length) {
    size_t at = 0;
    while (at < length && (at == 0 || (unsigned char)bytes[at] < 0x80))
        at++;
    while (at < length && (unsigned char)bytes[at] >= 0x80)
        at++;
    return at;
}

static enum status normalize_form(const struct passage *passage) {
    const uninorm_t form = form_of(passage->step->kind);
    for (size_t at = 0; at < passage->length;) {
        const char *bytes = passage->bytes + at;
        const size_t left = passage->length - at;
        const size_t done = settled(bytes, left, passage->step->kind);
        TRY(put_bytes(passage, bytes, done));
        const size_t more = unsettled(bytes + done, left - done);
        ASSERT(done + more > 0 && done + more <= left);
        at += done + more;
        if (more == 0) continue;
        size_t length;
        uint8_t *normal = u8_normalize(form, (const uint8_t *)bytes + done, more, NULL, &length);
        if (!normal) return STATUS_NO_MEMORY;
        const enum status status = put_bytes(passage, (const char *)normal, length);
        free(normal);
        if (status != STATUS_OK) return status;
    }
    return STATUS_OK;
}

// Character by character, as the files require: independent of language and of neighbours (such as
// a sigma at a word's end).
static enum status lowercase(const struct passage *passage) {
    for (size_t at = 0, used; at < passage->length; at += used) {
        const char *bytes = passage->bytes + at;
        utf8_decode(bytes, passage->length - at, &used);
        uint8_t buffer[LOWERCASE_BYTES];
        size_t length = sizeof buffer;
        uint8_t *lower = u8_tolower((const uint8_t *)bytes, used, NULL, NULL, buffer, &length);
        if (!lower) return STATUS_NO_MEMORY;
        const enum status status = put_bytes(passage, (const char *)lower, length);
        if (lower != buffer) free(lower);
        if (status != STATUS_OK) return status;
    }
    return STATUS_OK;
}

static enum status replace_matches(const struct passage *passage) {
    const struct normalizer_step *step = passage->step;
    size_t done = 0;
    for (size_t at = 0, begin, end; at <= passage->length;) {
        bool found;
        TRY(expression_find(step->expression, passage->match, passage->bytes, passage->length, at,
                            &found, &begin, &end));
        if (!found) break;
        ASSERT(begin >= at && end >= begin && end <= passage->length);
        at = end;
        if (begin == end) { // Nothing is replaced by nothing: the files mean stretches of text.
            size_t used = 1;
            if (at < passage->length) utf8_decode(passage->bytes + at, passage->length - at, &used);
            at += used;
            continue;
        }
        TRY(put_bytes(passage, passage->bytes + done, begin - done));
        TRY(put_bytes(passage, step->with, step->with_length));
        done = end;
    }
    return put_bytes(passage, passage->bytes + done, passage->length - done);
}

static enum status begin_with(const struct passage *passage) {
    const struct normalizer_step *step = passage->step;
    const bool begins = passage->length >= step->with_length &&
                        memcmp(passage->bytes, step->with, step->with_length) == 0;
    const bool wanted = step->kind == NORMALIZE_PREPEND || (!begins && passage->first) ||
                        (!begins && step->kind == NORMALIZE_BEGIN_WITH);
    if (wanted) TRY(put_bytes(passage, step->with, step->with_length));
    return put_bytes(passage, passage->bytes, passage->length);
}

static enum status run_step(const struct passage *passage) {
    size_t skipped;
    switch (passage->step->kind) {
    case NORMALIZE_NFC:
    case NORMALIZE_NFD:
    case NORMALIZE_NFKC:
    case NORMALIZE_NFKD:
        return normalize_form(passage);
    case NORMALIZE_LOWERCASE:
        return lowercase(passage);
    case NORMALIZE_STRIP_LEFT:
        skipped = leading_spaces(passage->bytes, passage->length);
        return put_bytes(passage, passage->bytes + skipped, passage->length - skipped);
    case NORMALIZE_STRIP_RIGHT:
        return put_bytes(passage, passage->bytes,
                         without_trailing_spaces(passage->bytes, passage->length));
    case NORMALIZE_PREPEND:
    case NORMALIZE_BEGIN_WITH:
    case NORMALIZE_BEGIN_FIRST:
        return begin_with(passage);
    case NORMALIZE_REPLACE:
        return replace_matches(passage);
    }
    return STATUS_UNSUPPORTED;
}

// Applies one step to one text. Steps that need well-formed UTF-8 get it one stretch at a time.
static enum status run_stretches(const struct passage *passage) {
    size_t bad = 0;
    const enum normalizer_kind kind = passage->step->kind;
    const bool any_bytes = kind >= NORMALIZE_STRIP_LEFT && kind <= NORMALIZE_BEGIN_FIRST;
    if (any_bytes || utf8_valid(passage->bytes, passage->length, &bad)) return run_step(passage);
    for (size_t at = 0; at < passage->length; at += bad) {
        struct passage stretch = *passage;
        stretch.bytes += at;
        stretch.length -= at;
        if (utf8_valid(stretch.bytes, stretch.length, &bad)) bad = stretch.length;
        stretch.length = bad;
        if (bad > 0) TRY(run_step(&stretch));
        if (at + bad < passage->length) {
            TRY(put_bytes(passage, passage->bytes + at + bad, 1));
            at++;
        }
    }
    return STATUS_OK;
}

// Texts change places from step to step: `bytes` is never in the one that is written.
static enum status run_steps(const struct normalizer *normalizer, struct passage *passage,
                             struct text texts[2], size_t *last) {
    *last = 1;
    for (size_t i = 0; i < normalizer->count && passage->length > 0; i++) {
        passage->step = &normalizer->steps[i];
        *last = 1 - *last;
        passage->out = &texts[*last];
        ASSERT(passage->bytes != passage->out->bytes);
        text_clear(passage->out);
        TRY(run_stretches(passage));
        passage->bytes = text_string(passage->out);
        passage->length = passage->out->length;
    }
    return STATUS_OK;
}

enum status normalizer_apply(const struct normalizer *normalizer, const char *bytes, size_t length,
                             bool first, size_t limit, struct text *out) {
    struct passage passage = {.first = first, .bytes = bytes, .length = length, .limit = limit};
    struct text texts[2] = {0};
    text_clear(out);
    if (normalizer->count == 0 || length == 0) return text_append(out, bytes, length);
    TRY(expression_match_create(&passage.match));
    size_t last;
    texts[0] = *out; // its memory serves again
    *out = (struct text){0};
    const enum status status = run_steps(normalizer, &passage, texts, &last);
    expression_match_destroy(passage.match);
    *out = texts[last];
    text_deinit(&texts[1 - last]);
    return status;
}
