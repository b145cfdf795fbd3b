#include "engine/remote/server_json.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"

enum {
    ESCAPE_BYTES = 6, // of \u0000
    GROWTH = 3,       // a NUL becomes three bytes
};

static const char REPLACEMENT[] = "\xef\xbf\xbd";

struct rewriting {
    const char *bytes;
    size_t length, at;
    char *out;
    size_t count;
    size_t values; // at most as many as there are commas, colons and brackets
};

static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The code unit of the escape \uXXXX at `at`, or -1.
static int32_t code_unit(const struct rewriting *from, size_t at) {
    int32_t unit = 0;
    if (from->length - at < ESCAPE_BYTES || from->bytes[at] != '\\' || from->bytes[at + 1] != 'u')
        return -1;
    for (size_t i = at + 2; i < at + ESCAPE_BYTES; i++) {
        const int digit = digit_of(from->bytes[i]);
        if (digit < 0) return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

static void copy_bytes(struct rewriting *to, size_t bytes) {
    memcpy(to->out + to->count, to->bytes + to->at, bytes);
    to->count += bytes;
    to->at += bytes;
}

static void put_bytes(struct rewriting *to, const char *bytes, size_t length, size_t taken) {
    memcpy(to->out + to->count, bytes, length);
    to->count += length;
    to->at += taken;
}

static bool is_high(int32_t unit) { return unit >= 0xd800 && unit <= 0xdbff; }
static bool is_low(int32_t unit) { return unit >= 0xdc00 && unit <= 0xdfff; }

// At a backslash within a string.
static void rewrite_escape(struct rewriting *to) {
    const int32_t unit = code_unit(to, to->at);
    const size_t rest = to->length - to->at;
    if (unit < 0 && rest >= 2 && to->bytes[to->at + 1] == '/') return put_bytes(to, "/", 1, 2);
    if (unit < 0) return copy_bytes(to, rest >= 2 ? 2 : 1);
    if (unit == 0) return put_bytes(to, REPLACEMENT, sizeof REPLACEMENT - 1, ESCAPE_BYTES);
    if (is_high(unit) && rest > ESCAPE_BYTES && is_low(code_unit(to, to->at + ESCAPE_BYTES)))
        return copy_bytes(to, 2 * ESCAPE_BYTES);
    const char c = (char)unit;
    if (unit >= ' ' && unit < 0x7f && c != '"' && c != '\\')
        return put_bytes(to, &c, 1, ESCAPE_BYTES);
    if (!is_high(unit) && !is_low(unit)) return copy_bytes(to, ESCAPE_BYTES);
    const char half[] = {(char)(0xe0 | unit >> 12), (char)(0x80 | (unit >> 6 & 63)),
                         (char)(0x80 | (unit & 63))};
    put_bytes(to, half, sizeof half, ESCAPE_BYTES);
}

// Behind a quotation mark, up to the next.
static void rewrite_string(struct rewriting *to, const struct secret *secret) {
    const size_t first = to->count;
    while (to->at < to->length && to->bytes[to->at] != '"')
        if (to->bytes[to->at] == '\\')
            rewrite_escape(to);
        else if (to->bytes[to->at] == '\0')
            put_bytes(to, REPLACEMENT, sizeof REPLACEMENT - 1, 1);
        else
            copy_bytes(to, 1);
    if (secret) to->count = first + secret_hide(secret, to->out + first, to->count - first);
}

static void rewrite(struct rewriting *to, const struct secret *secret) {
    while (to->at < to->length) {
        const char c = to->bytes[to->at];
        to->values += c == ',' || c == ':' || c == '[' || c == '{';
        copy_bytes(to, 1);
        if (c != '"') continue;
        rewrite_string(to, secret);
        if (to->at < to->length) copy_bytes(to, 1);
    }
}

enum status server_json_read(const char *bytes, size_t length, const struct secret *secret,
                             cJSON **json) {
    size_t nuls = 0;
    for (size_t i = 0; i < length; i++)
        nuls += bytes[i] == '\0';
    struct rewriting to = {.bytes = bytes, .length = length};
    to.out = malloc(length + nuls * GROWTH + 1);
    if (!to.out) return STATUS_NO_MEMORY;
    rewrite(&to, secret);
    ASSERT(to.count <= length + nuls * GROWTH);
    to.out[to.count] = '\0';
    enum status status = to.values < SERVER_JSON_MAX_VALUES ? STATUS_OK : STATUS_TOO_LONG;
    const char *end = NULL;
    cJSON *read =
        status == STATUS_OK ? cJSON_ParseWithLengthOpts(to.out, to.count + 1, &end, true) : NULL;
    if (status == STATUS_OK && !read) status = STATUS_BAD_INPUT;
    free(to.out);
    if (status == STATUS_OK) *json = read;
    return status;
}

// ---- what was cut

enum { CLOSABLE_DEPTH = 64 };

struct closing {
    char open[CLOSABLE_DEPTH]; // what closes each
    size_t depth;
    size_t whole; // bytes that are a value once `open` is closed
    bool value;   // what follows is no name
};

// Is the string that begins at `at` whole? *end is behind it, or where what is whole of it ends.
static bool find_end(const struct text *json, size_t at, size_t *end) {
    size_t from = ++at;
    while (at < json->length && json->bytes[at] != '"') {
        const bool escaped = json->bytes[at] == '\\';
        const bool unicode = escaped && at + 1 < json->length && json->bytes[at + 1] == 'u';
        from = at;
        at += unicode ? ESCAPE_BYTES : escaped ? 2 : 1;
    }
    *end = at < json->length ? at + 1 : at == json->length ? at : from;
    return at < json->length;
}

// Returns where the text continues.
static size_t pass(struct closing *closing, const struct text *json, size_t at) {
    const char c = json->bytes[at];
    const bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
    if (opens) closing->open[closing->depth++] = c == '{' ? '}' : ']';
    if (closes && closing->depth) closing->depth--;
    if (opens || closes) closing->whole = at + 1;
    if (c == ',') closing->whole = at;
    if (c == ':' || c == '[') closing->value = true;
    if (c == ',' || c == '{')
        closing->value = closing->depth && closing->open[closing->depth - 1] == ']';
    return at + 1;
}

enum status server_json_close(struct text *json) {
    struct closing closing = {0};
    bool cut = false; // in a text
    for (size_t at = 0; at < json->length && !cut;) {
        if (closing.depth == CLOSABLE_DEPTH) return STATUS_BAD_INPUT;
        if (json->bytes[at] != '"') {
            at = pass(&closing, json, at);
            continue;
        }
        const bool whole = find_end(json, at, &at);
        if (closing.value) closing.whole = at;
        cut = !whole && closing.value;
        if (!whole) break;
    }
    json->length = closing.whole;
    if (cut) json->length -= utf8_incomplete_tail(json->bytes, json->length);
    if (cut) TRY(text_append(json, "\"", 1));
    while (closing.depth > 0)
        TRY(text_append(json, &closing.open[--closing.depth], 1));
    return STATUS_OK;
}
