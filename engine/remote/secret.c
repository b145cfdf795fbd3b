#include "engine/remote/secret.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernels/base/assert.h"

static const char MASK[] = "****";

enum {
    BASE64 = 4, // the first of its forms
    LEAST_BYTES = sizeof MASK - 1,
    LEAST_DIGITS = 8 // fewer are found in any text
};

void secret_deinit(struct secret *secret) {
    for (int i = 0; i < secret->count; i++) {
        struct secret_form *form = &secret->forms[i];
        if (form->bytes.bytes) explicit_bzero(form->bytes.bytes, form->bytes.length);
        text_deinit(&form->bytes);
        free(form->fallback);
    }
    *secret = (struct secret){0};
}

// Bytes of `form` that match once `byte` follows `matched` of them.
static uint32_t advance_match(const struct secret_form *form, uint32_t matched, char byte) {
    ASSERT(matched <= form->bytes.length);
    while (matched > 0 && (matched == form->bytes.length || form->bytes.bytes[matched] != byte))
        matched = form->fallback[matched - 1];
    return matched + (form->bytes.bytes[matched] == byte);
}

// Adds a form, unless it is there already or too short to distinguish from other text.
static enum status add_form(struct secret *secret, const struct text *bytes, size_t least) {
    ASSERT(secret->count < SECRET_FORMS);
    if (bytes->length < least) return STATUS_OK;
    for (int i = 0; i < secret->count; i++)
        if (strcmp(secret->forms[i].bytes.bytes, bytes->bytes) == 0) return STATUS_OK;
    struct secret_form *form = &secret->forms[secret->count];
    form->fallback = calloc(bytes->length, sizeof *form->fallback);
    if (!form->fallback) return STATUS_NO_MEMORY;
    secret->count++;
    TRY(text_append(&form->bytes, bytes->bytes, bytes->length));
    for (size_t i = 1; i < bytes->length; i++)
        form->fallback[i] = advance_match(form, form->fallback[i - 1], bytes->bytes[i]);
    return STATUS_OK;
}

static enum status escape_percent(const char *key, const char *hex, struct text *form) {
    static const char PLAIN[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    for (; *key; key++)
        if (strchr(PLAIN, *key))
            TRY(text_append(form, key, 1));
        else
            TRY(text_format(form, "%%%c%c", hex[(unsigned char)*key >> 4], hex[*key & 15]));
    return STATUS_OK;
}

static enum status escape_json(const char *key, struct text *form) {
    for (; *key; key++)
        TRY(text_format(form, "%s%c", strchr("\"\\", *key) ? "\\" : "", *key));
    return STATUS_OK;
}

// The base64 digits that depend only on the key, after `before` bytes of something else.
static enum status encode_base64(const char *key, size_t before, const char *last_two,
                                 struct text *form) {
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const size_t bits = strlen(key) * 8, first = (6 - before * 8 % 6) % 6;
    for (size_t at = first; at + 6 <= bits; at += 6) {
        const unsigned byte = (unsigned char)key[at / 8], next = (unsigned char)key[at / 8 + 1];
        const unsigned digit = ((byte << 8 | next) >> (10 - at % 8)) & 63;
        TRY(text_append(form, digit < 62 ? &DIGITS[digit] : &last_two[digit - 62], 1));
    }
    return STATUS_OK;
}

static enum status write_form(const char *key, int number, struct text *form) {
    switch (number) {
    case 0:
        return text_append_string(form, key);
    case 1:
        return escape_percent(key, "0123456789ABCDEF", form);
    case 2:
        return escape_percent(key, "0123456789abcdef", form);
    case 3:
        return escape_json(key, form);
    default: // of base64: three alignments in two alphabets
        return encode_base64(key, (size_t)(number - BASE64) % 3, number < BASE64 + 3 ? "+/" : "-_",
                             form);
    }
}

static bool is_public(const char *key) {
    static const char *const words[] = {"none",      "null",       "empty",      "ollama",
                                        "lm-studio", "not-needed", "no-key",     "dummy",
                                        "unused",    "anything",   "no_api_key", "no-key-required"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(key, words[i]) == 0) return true;
    return false;
}

enum status secret_set(struct secret *secret, const char *key, size_t length) {
    ASSERT(secret->count == 0 && strlen(key) == length);
    enum status status = STATUS_OK;
    if (is_public(key)) return STATUS_OK;
    for (int i = 0; i < SECRET_FORMS && status == STATUS_OK; i++) {
        struct text form = {0};
        status = write_form(key, i, &form);
        if (status == STATUS_OK)
            status = add_form(secret, &form, i < BASE64 ? LEAST_BYTES : LEAST_DIGITS);
        if (form.bytes) explicit_bzero(form.bytes, form.length);
        text_deinit(&form);
    }
    return status;
}

// Continues at `at`; the matched bytes before it are still there. Masking reduces *length. Returns
// how many bytes at the end may still become the key.
static size_t mask(const struct secret *secret, uint32_t *matched, char *bytes, size_t at,
                   size_t *length) {
    size_t most = 0, end = at; // of what is kept: nothing matches across a mask
    for (; at < *length; at++) {
        const char byte = bytes[at];
        size_t whole = 0;
        bytes[end++] = byte;
        for (int i = 0; i < secret->count; i++) {
            const struct secret_form *form = &secret->forms[i];
            matched[i] = advance_match(form, matched[i], byte);
            if (matched[i] == form->bytes.length && matched[i] > whole) whole = matched[i];
        }
        if (whole == 0) continue;
        ASSERT(whole <= end && whole >= sizeof MASK - 1);
        end -= whole;
        memcpy(bytes + end, MASK, sizeof MASK - 1);
        end += sizeof MASK - 1;
        memset(matched, 0, SECRET_FORMS * sizeof *matched);
    }
    if (end < *length) bytes[end] = '\0';
    *length = end;
    for (int i = 0; i < secret->count; i++)
        if (matched[i] > most) most = matched[i];
    return most;
}

size_t secret_hide(const struct secret *secret, char *bytes, size_t length) {
    uint32_t matched[SECRET_FORMS] = {0};
    (void)mask(secret, matched, bytes, 0, &length);
    return length;
}

enum status secret_read(struct secret_reader *reader, const char *bytes, size_t length,
                        struct text *out) {
    struct text *held = &reader->held;
    if (length == 0) return STATUS_OK;
    if (!reader->secret || reader->secret->count == 0) return text_append(out, bytes, length);
    const size_t before = held->length;
    TRY(text_append(held, bytes, length));
    const size_t kept = mask(reader->secret, reader->matched, held->bytes, before, &held->length);
    ASSERT(kept <= held->length);
    const size_t certain = held->length - kept;
    TRY(text_append(out, held->bytes, certain));
    if (certain) memmove(held->bytes, held->bytes + certain, kept + 1);
    held->length = kept;
    return STATUS_OK;
}

enum status secret_read_end(struct secret_reader *reader, struct text *out) {
    TRY(text_append(out, text_string(&reader->held), reader->held.length));
    text_clear(&reader->held);
    memset(reader->matched, 0, sizeof reader->matched);
    return STATUS_OK;
}

void secret_reader_deinit(struct secret_reader *reader) {
    text_deinit(&reader->held);
    *reader = (struct secret_reader){.secret = reader->secret};
}
