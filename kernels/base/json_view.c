#include "kernels/base/json_view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/text.h"

enum { NUMBER_BYTES = 64 }; // more digits than any double needs

// What a text is checked with. `open` holds the brackets that are not closed yet.
struct checker {
    const char *bytes;
    size_t length, at;
    char open[JSON_VIEW_MAX_DEPTH];
    size_t depth;
    const char *wrong; // NULL: nothing so far
};

static bool is_blank_byte(char byte) {
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

static int hex_digit(char digit) {
    if (is_digit(digit)) return digit - '0';
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    return -1;
}

// The code unit of four digits, or -1.
static int32_t code_unit(const char *bytes, size_t length) {
    if (length < 4) return -1;
    int32_t unit = 0;
    for (size_t i = 0; i < 4; i++) {
        const int digit = hex_digit(bytes[i]);
        if (digit < 0) return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

static bool fail_view(struct checker *checker, const char *wrong) {
    checker->wrong = wrong;
    return false;
}

static void skip_blanks(struct checker *checker) {
    while (checker->at < checker->length && is_blank_byte(checker->bytes[checker->at]))
        checker->at++;
}

static char peek(const struct checker *checker) {
    return checker->at < checker->length ? checker->bytes[checker->at] : '\0';
}

// At the letter behind a backslash.
static bool check_escape(struct checker *checker) {
    const char letter = peek(checker);
    if (letter != 'u') {
        if (letter == '\0' || !strchr("\"\\/bfnrt", letter))
            return fail_view(checker, "unknown escape");
        checker->at++;
        return true;
    }
    const char *digits = checker->bytes + checker->at + 1;
    const size_t left = checker->length - checker->at - 1;
    const int32_t unit = code_unit(digits, left);
    if (unit < 0) return fail_view(checker, "\\u needs four hexadecimal digits");
    if (unit >= 0xDC00 && unit <= 0xDFFF) return fail_view(checker, "unpaired surrogate");
    checker->at += 5;
    if (unit < 0xD800 || unit > 0xDBFF) return true;
    const int32_t low =
        left >= 10 && digits[4] == '\\' && digits[5] == 'u' ? code_unit(digits + 6, 4) : -1;
    if (low < 0xDC00 || low > 0xDFFF) return fail_view(checker, "unpaired surrogate");
    checker->at += 6;
    return true;
}

static bool check_string(struct checker *checker) {
    for (checker->at++; checker->at < checker->length;) {
        const char byte = checker->bytes[checker->at];
        if ((unsigned char)byte < 0x20) return fail_view(checker, "control character in a string");
        checker->at++;
        if (byte == '"') return true;
        if (byte == '\\' && !check_escape(checker)) return false;
    }
    return fail_view(checker, "unterminated string");
}

static bool check_digits(struct checker *checker) {
    if (!is_digit(peek(checker))) return fail_view(checker, "number without digits");
    while (is_digit(peek(checker)))
        checker->at++;
    return true;
}

static bool check_number(struct checker *checker) {
    const size_t start = checker->at;
    if (peek(checker) == '-') checker->at++;
    const char first = peek(checker);
    const size_t digits = checker->at;
    if (!check_digits(checker)) return false;
    if (first == '0' && checker->at > digits + 1)
        return fail_view(checker, "number with a leading 0");
    if (peek(checker) == '.') {
        checker->at++;
        if (!check_digits(checker)) return false;
    }
    if (peek(checker) == 'e' || peek(checker) == 'E') {
        checker->at++;
        if (peek(checker) == '+' || peek(checker) == '-') checker->at++;
        if (!check_digits(checker)) return false;
    }
    if (checker->at - start >= NUMBER_BYTES)
        return fail_view(checker, "number with too many digits");
    return true;
}

static bool check_word(struct checker *checker, const char *word) {
    const size_t length = strlen(word);
    if (checker->length - checker->at < length ||
        memcmp(checker->bytes + checker->at, word, length) != 0)
        return fail_view(checker, "expected a value");
    checker->at += length;
    return true;
}

static bool check_key(struct checker *checker) {
    skip_blanks(checker);
    if (peek(checker) != '"') return fail_view(checker, "expected a member name");
    if (!check_string(checker)) return false;
    skip_blanks(checker);
    if (peek(checker) != ':') return fail_view(checker, "expected a colon after a member name");
    checker->at++;
    return true;
}

// A scalar, or the opening of a list: true with *closed false when items are to follow.
static bool check_start(struct checker *checker, bool *closed) {
    *closed = true;
    skip_blanks(checker);
    const char first = peek(checker);
    if (first == '"') return check_string(checker);
    if (first == 't') return check_word(checker, "true");
    if (first == 'f') return check_word(checker, "false");
    if (first == 'n') return check_word(checker, "null");
    if (first == '-' || is_digit(first)) return check_number(checker);
    if (first != '{' && first != '[') return fail_view(checker, "expected a value");
    if (checker->depth == JSON_VIEW_MAX_DEPTH) return fail_view(checker, "nested too deeply");
    checker->open[checker->depth++] = first;
    checker->at++;
    skip_blanks(checker);
    if (peek(checker) == (first == '{' ? '}' : ']')) {
        checker->at++;
        checker->depth--;
        return true;
    }
    *closed = false;
    return first == '[' || check_key(checker);
}

// Behind a value: closes what ends here. True with *done at the end of the outermost value.
static bool check_end(struct checker *checker, bool *done) {
    while (checker->depth > 0) {
        const char open = checker->open[checker->depth - 1];
        skip_blanks(checker);
        const char next = peek(checker);
        if (next == ',') {
            checker->at++;
            return open == '[' || check_key(checker);
        }
        if (next != (open == '{' ? '}' : ']'))
            return fail_view(checker, "expected a comma or a closing bracket");
        checker->at++;
        checker->depth--;
    }
    *done = true;
    return true;
}

static bool check_all(struct checker *checker) {
    for (bool done = false, closed; !done;) {
        if (!check_start(checker, &closed)) return false;
        if (closed && !check_end(checker, &done)) return false;
    }
    skip_blanks(checker);
    return checker->at == checker->length || fail_view(checker, "unexpected text after the value");
}

enum status json_view_open(const char *bytes, size_t length, const char *name,
                           struct json_view *view, struct error *err) {
    static const char MARK[] = "\xEF\xBB\xBF"; // of the byte order, as Windows writes it
    const bool marked = length >= sizeof MARK - 1 && memcmp(bytes, MARK, sizeof MARK - 1) == 0;
    const size_t first = marked ? sizeof MARK - 1 : 0;
    size_t bad;
    if (!utf8_valid(bytes, length, &bad))
        return error_set(err, STATUS_BAD_INPUT, "%s: byte %zu is not UTF-8", name, bad);
    struct checker checker = {.bytes = bytes, .length = length, .at = first};
    if (!check_all(&checker))
        return error_set(err, STATUS_BAD_INPUT, "%s: invalid JSON at byte %zu: %s", name,
                         checker.at, checker.wrong);
    size_t start = first;
    while (is_blank_byte(bytes[start]))
        start++;
    ASSERT(start < length); // a valid text has a value
    *view = (struct json_view){bytes + start, length - start};
    return STATUS_OK;
}

enum json_kind json_view_kind(struct json_view view) {
    if (view.length == 0) return JSON_ABSENT;
    switch (view.bytes[0]) {
    case '{':
        return JSON_OBJECT;
    case '[':
        return JSON_ARRAY;
    case '"':
        return JSON_STRING;
    case 't':
        return JSON_TRUE;
    case 'f':
        return JSON_FALSE;
    case 'n':
        return JSON_NULL;
    default:
        return JSON_NUMBER;
    }
}

// Bytes of the string at the start, with both quotes.
static size_t string_length(const char *bytes) {
    size_t at = 1;
    for (; bytes[at] != '"'; at++)
        if (bytes[at] == '\\') at++;
    return at + 1;
}

// Bytes of the value at the start of well-formed text.
static size_t value_length(const char *bytes, size_t length) {
    if (bytes[0] == '"') return string_length(bytes);
    size_t at = 0;
    if (bytes[0] != '{' && bytes[0] != '[') {
        while (at < length && !is_blank_byte(bytes[at]) && !strchr(",]}", bytes[at]))
            at++;
        return at;
    }
    for (size_t depth = 0;;) {
        const char byte = bytes[at];
        if (byte == '"') {
            at += string_length(bytes + at);
            continue;
        }
        at++;
        if (byte == '{' || byte == '[') depth++;
        if ((byte == '}' || byte == ']') && --depth == 0) return at;
    }
}

// The first byte at or after *cursor that separates nothing.
static const char *skip_to_value(struct json_view view, size_t *cursor) {
    while (is_blank_byte(view.bytes[*cursor]) || view.bytes[*cursor] == ',' ||
           view.bytes[*cursor] == ':')
        ++*cursor;
    return view.bytes + *cursor;
}

static struct json_view read_value(struct json_view view, size_t *cursor) {
    const char *start = skip_to_value(view, cursor);
    const struct json_view value = {start, value_length(start, view.length - *cursor)};
    *cursor += value.length;
    return value;
}

bool json_view_next(struct json_view view, size_t *cursor, struct json_view *key,
                    struct json_view *value) {
    const enum json_kind kind = json_view_kind(view);
    if (kind != JSON_OBJECT && kind != JSON_ARRAY) return false;
    if (*cursor == 0) *cursor = 1;
    ASSERT(*cursor < view.length);
    const char next = *skip_to_value(view, cursor);
    if (next == '}' || next == ']') return false;
    if (kind == JSON_OBJECT) {
        const struct json_view name = read_value(view, cursor);
        if (key) *key = name;
    }
    *value = read_value(view, cursor);
    return true;
}

struct json_view json_view_find(struct json_view view, const char *name) {
    struct json_view key, value;
    if (json_view_kind(view) == JSON_OBJECT)
        for (size_t cursor = 0; json_view_next(view, &cursor, &key, &value);)
            if (json_view_is(key, name)) return value;
    return (struct json_view){0};
}

size_t json_view_string_bound(struct json_view string) {
    ASSERT(json_view_kind(string) == JSON_STRING);
    return string.length - 2;
}

// Writes what an escape stands for; `escape` is behind the backslash. Returns its bytes.
static size_t unescape(const char *escape, char *out, size_t *written) {
    static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    *written = 1;
    if (escape[0] != 'u') {
        const char *letter = strchr(letters, escape[0]);
        *out = letter ? meanings[letter - letters] : escape[0];
        return 1;
    }
    const uint32_t unit = (uint32_t)code_unit(escape + 1, 4);
    if (unit < 0xD800 || unit > 0xDFFF) {
        *written = utf8_encode(unit, out);
        return 5;
    }
    const uint32_t low = (uint32_t)code_unit(escape + 7, 4);
    *written = utf8_encode(0x10000 + ((unit - 0xD800) << 10 | (low - 0xDC00)), out);
    return 11;
}

size_t json_view_string(struct json_view string, char *out) {
    const size_t length = json_view_string_bound(string) + 1;
    ASSERT(length < string.length && string.bytes[length] == '"');
    size_t count = 0;
    for (size_t at = 1; at < length;) {
        const char *escape = memchr(string.bytes + at, '\\', length - at);
        const size_t until = escape ? (size_t)(escape - string.bytes) : length;
        memcpy(out + count, string.bytes + at, until - at);
        count += until - at;
        at = until;
        if (!escape) break;
        size_t written;
        at += 1 + unescape(escape + 1, out + count, &written);
        count += written;
    }
    return count;
}

bool json_view_is(struct json_view view, const char *string) {
    if (json_view_kind(view) != JSON_STRING) return false;
    const size_t length = strlen(string), bound = json_view_string_bound(view);
    if (bound == length && memcmp(view.bytes + 1, string, length) == 0)
        return memchr(string, '\\', length) == NULL;
    if (bound < length || bound > 6 * length || !memchr(view.bytes + 1, '\\', bound)) return false;
    char unescaped[256];
    return bound <= sizeof unescaped && json_view_string(view, unescaped) == length &&
           memcmp(unescaped, string, length) == 0;
}

bool json_view_double(struct json_view view, double *number) {
    if (json_view_kind(view) != JSON_NUMBER) return false;
    char digits[NUMBER_BYTES];
    const size_t length = value_length(view.bytes, view.length);
    ASSERT(length < sizeof digits);
    memcpy(digits, view.bytes, length);
    digits[length] = '\0';
    const double value = strtod(digits, NULL);
    if (!isfinite(value)) return false;
    *number = value;
    return true;
}

bool json_view_int(struct json_view view, int64_t *number) {
    if (json_view_kind(view) != JSON_NUMBER) return false;
    char digits[NUMBER_BYTES], *end;
    const size_t length = value_length(view.bytes, view.length);
    ASSERT(length < sizeof digits);
    memcpy(digits, view.bytes, length);
    digits[length] = '\0';
    errno = 0;
    const long long value = strtoll(digits, &end, 10);
    if (errno != 0 || *end != '\0') return false;
    *number = value;
    return true;
}
