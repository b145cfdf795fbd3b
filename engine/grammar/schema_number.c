// engine/grammar/schema_number.c — a range of numbers, spelled as digits.
//
// A grammar sees characters, so a range is divided until each part is a prefix followed by free
// digits: by sign, by length (write_whole), and from the first digit that differs (same_length).
// For 7 to 123:
//
//   one digit       [7-9]
//   two digits      [1-9] [0-9]
//   three digits    "1" ([0-1] [0-9] | "2" [0-3])         100 to 119, 120 to 123
//
// -5 to 3 is 0 to 3, or a minus and 1 to 5. With fractions, each whole number but the one farthest
// from zero may have digits after the point: 0 to 3 is 0 to 2 with any fraction, or 3 with ".0" at
// most. That is why their bounds must be whole numbers, and none may be exclusive.
//
// A side without a bound ends at 16 digits. A bound of an integer may have up to 18; where it
// leaves nothing of 16 digits, the other side ends at 18 too. "never" stands where a range is
// empty.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/grammar/schema_parts.h"

static const int64_t LARGEST = 9999999999999999; // of 16 digits, where no bound has more
static const int64_t MOST = 999999999999999999;  // SCHEMA_MAX_DIGITS

enum { DIGITS = SCHEMA_MAX_DIGITS + 1 };

// Numbers as long as both and between them: digits that both begin with stand for themselves, and
// at the first that differs the way divides into its lowest, its highest and what is between.
static enum status same_length(struct text *out, const char *low, const char *high) {
    const size_t length = strlen(low);
    size_t at = 0;
    while (at < length && low[at] == high[at])
        at++;
    if (at > 0) TRY(text_format(out, "\"%.*s\" ", (int)at, low));
    if (at == length) return STATUS_OK;
    const size_t rest = length - at - 1;
    const bool from_zero = strspn(low + at + 1, "0") == rest;
    const bool to_nine = strspn(high + at + 1, "9") == rest;
    const char first = (char)(low[at] + !from_zero), last = (char)(high[at] - !to_nine);
    char edge[DIGITS + 1];
    TRY(text_append_string(out, "(never"));
    if (first <= last) {
        TRY(text_format(out, " | [%c-%c]", first, last));
        if (rest > 0) TRY(text_format(out, " [0-9]{%zu}", rest));
    }
    memset(edge, '9', rest);
    edge[rest] = '\0';
    if (!from_zero) {
        TRY(text_format(out, " | \"%c\" ", low[at]));
        TRY(same_length(out, low + at + 1, edge));
    }
    memset(edge, '0', rest);
    if (!to_nine) {
        TRY(text_format(out, " | \"%c\" ", high[at]));
        TRY(same_length(out, edge, high + at + 1));
    }
    return text_append_string(out, ")");
}

// Whole numbers from low to high, 0 <= low; never if low > high.
static enum status write_whole(struct text *out, int64_t low, int64_t high) {
    TRY(text_append_string(out, "(never"));
    const uint64_t end = high < 0 ? 0 : (uint64_t)high + 1; // powers of ten up to 10^19 fit
    for (uint64_t from = (uint64_t)low, power = 10; from < end; power *= 10) {
        if (from >= power) continue;
        const uint64_t to = end < power ? end - 1 : power - 1;
        char first[DIGITS + 4], last[DIGITS + 4];
        snprintf(first, sizeof first, "%" PRIu64, from);
        snprintf(last, sizeof last, "%" PRIu64, to);
        TRY(text_append_string(out, " | "));
        TRY(same_length(out, first, last));
        from = to + 1;
    }
    return text_append_string(out, ")");
}

static enum status magnitudes(struct text *out, int64_t low, int64_t high, bool fractions) {
    if (!fractions) return write_whole(out, low, high);
    TRY(text_append_string(out, "("));
    TRY(write_whole(out, low, high - 1));
    TRY(text_append_string(out, " (\".\" [0-9]{1,16})? | "));
    TRY(write_whole(out, high, high));
    return text_append_string(out, " (\".0\")?)");
}

// A bound that was given, as a whole number; for integers rounded inwards by `direction`. Where
// more digits than are written are allowed, as many as are written are.
static enum status read_bound(struct compiler *compiler, const cJSON *schema, const char *keyword,
                              int direction, bool fractions, int64_t *bound) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(schema, keyword);
    const bool exclusive = keyword[0] == 'e';
    struct decimal value;
    int64_t found;
    if (!item) return STATUS_OK;
    if (!cJSON_IsNumber(item))
        return schema_refuse(compiler, STATUS_BAD_INPUT, "\"%s\" must be a number", keyword);
    schema_decimal(item, &value);
    if (fractions && (exclusive || !decimal_is_whole(&value)))
        return schema_refuse(compiler, STATUS_UNSUPPORTED,
                             "\"%s\" for non-integer numbers is not supported%s", keyword,
                             exclusive ? "" : " unless the value is whole");
    if (!decimal_to_int(&value, direction, &found)) {
        found = -direction * MOST;
        if (value.negative == (direction < 0))
            return schema_refuse(compiler, STATUS_UNSUPPORTED,
                                 "\"%s\" with more than %d digits is not supported", keyword,
                                 SCHEMA_MAX_DIGITS);
    } else if (exclusive && decimal_is_whole(&value)) {
        found += direction;
    }
    if (*bound == -direction * LARGEST || (direction > 0 ? found > *bound : found < *bound))
        *bound = found;
    return STATUS_OK;
}

// What OpenAPI and generators have for "format" of numbers. All that has 16 digits is an int64 and
// a double.
static enum status read_format(struct compiler *compiler, const cJSON *format, bool *fractions,
                               int64_t *low, int64_t *high) {
    static const struct {
        const char *name;
        int64_t low, high;
        bool fractions;
    } FORMATS[] = {
        {"int8", INT8_MIN, INT8_MAX, false},    {"uint8", 0, UINT8_MAX, false},
        {"int16", INT16_MIN, INT16_MAX, false}, {"uint16", 0, UINT16_MAX, false},
        {"int32", INT32_MIN, INT32_MAX, false}, {"uint32", 0, UINT32_MAX, false},
        {"int64", INT64_MIN, INT64_MAX, false}, {"uint64", 0, INT64_MAX, false},
        {"float", INT64_MIN, INT64_MAX, true},  {"double", INT64_MIN, INT64_MAX, true},
    };
    for (size_t i = 0; i < sizeof FORMATS / sizeof FORMATS[0]; i++) {
        if (!cJSON_IsString(format) || strcmp(format->valuestring, FORMATS[i].name) != 0) continue;
        *fractions = *fractions && FORMATS[i].fractions;
        *low = FORMATS[i].low < -LARGEST ? -LARGEST : FORMATS[i].low;
        *high = FORMATS[i].high > LARGEST ? LARGEST : FORMATS[i].high;
        return STATUS_OK;
    }
    return schema_refuse(compiler, STATUS_UNSUPPORTED,
                         "\"format\": \"%.40s\" is not supported for numbers",
                         cJSON_IsString(format) ? format->valuestring : "?");
}

enum status schema_number(struct compiler *compiler, const cJSON *schema, unsigned types,
                          struct text *out) {
    const cJSON *format = cJSON_GetObjectItemCaseSensitive(schema, "format");
    bool fractions = types & SCHEMA_FRACTION;
    int64_t low = -LARGEST, high = LARGEST;
    if (format && !(types & SCHEMA_STRING)) // else it is the text's
        TRY(read_format(compiler, format, &fractions, &low, &high));
    TRY(read_bound(compiler, schema, "minimum", 1, fractions, &low));
    TRY(read_bound(compiler, schema, "exclusiveMinimum", 1, fractions, &low));
    TRY(read_bound(compiler, schema, "maximum", -1, fractions, &high));
    TRY(read_bound(compiler, schema, "exclusiveMaximum", -1, fractions, &high));
    if (low > LARGEST && high == LARGEST) high = MOST;
    if (high < -LARGEST && low == -LARGEST) low = -MOST;
    if (fractions && (low < -LARGEST || high > LARGEST)) {
        low = low < -LARGEST ? -LARGEST : low;
        high = high > LARGEST ? LARGEST : high;
    }
    TRY(text_append_string(out, "(never"));
    if (low <= high && high >= 0) {
        TRY(text_append_string(out, " | "));
        TRY(magnitudes(out, low > 0 ? low : 0, high, fractions));
    }
    if (low <= high && low < 0) {
        TRY(text_append_string(out, " | \"-\" "));
        TRY(magnitudes(out, high < 0 ? -high : !fractions, -low, fractions));
    }
    return text_append_string(out, ")");
}
