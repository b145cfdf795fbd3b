#include "prompts/jinja/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/text.h"
#include "prompts/jinja/machine.h"
#include "prompts/jinja/show.h"

enum { WIDTH_MOST = 10000, PRECISION_MOST = 60, FIELD_BYTES = 512, GROUPED_MOST = 128 };

// The most zeros put before grouped digits.
static const char ZEROS[GROUPED_MOST + 1] =
    "0000000000000000000000000000000000000000000000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000000000000";

struct spec {
    char fill, align; // align: '<', '>', '^', or 0
    char sign;        // '+', ' ' or 0
    char group;       // ',' or '_' between groups of digits, or 0
    bool zeros, alternate;
    int width, precision; // -1: none
    char type;            // 0: as str()
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads a number at *at; false if it is above `most`.
static bool read_number(const char **at, const char *end, int most, int *number) {
    *number = 0;
    for (; *at < end && is_digit(**at); ++*at) {
        *number = *number * 10 + (**at - '0');
        if (*number > most) return false;
    }
    return true;
}

static void pad(struct builder *out, char fill, size_t count) {
    for (size_t i = 0; i < count && !out->failed; i++)
        builder_push(out, &fill, 1, ORIGIN_TEXT);
}

static void push_padded(struct builder *out, const struct chars *text, const struct spec *spec,
                        char align) {
    const size_t width = spec->width > 0 ? (size_t)spec->width : 0;
    const size_t missing = width > text->count ? width - text->count : 0;
    if (spec->align) align = spec->align;
    const size_t before = align == '>' ? missing : align == '^' ? missing / 2 : 0;
    const char fill = spec->fill ? spec->fill : ' ';
    pad(out, fill, before);
    builder_push_chars(out, text);
    pad(out, fill, missing - before);
}

static size_t whole_digits(const struct spec *spec, const char *digits) {
    return strspn(digits,
                  spec->type == 'x' || spec->type == 'X' ? "0123456789abcdefABCDEF" : "0123456789");
}

static size_t group_size(const struct spec *spec) { // differs for binary, octal and hex
    return spec->type && strchr("xXob", spec->type) ? 4 : 3;
}

// The number of zeros that pad `digits` to at least `width` characters once grouped.
static int zeros_before(const struct spec *spec, const char *digits, int width) {
    const size_t whole = whole_digits(spec, digits), rest = strlen(digits) - whole;
    size_t zeros = 0;
    while (zeros < GROUPED_MOST &&
           (int)(zeros + whole + (zeros + whole - 1) / group_size(spec) + rest) < width)
        zeros++;
    return (int)zeros;
}

// Groups the digits before the point.
static void group_digits(const struct spec *spec, const char *digits, char grouped[FIELD_BYTES]) {
    const size_t whole = whole_digits(spec, digits), each = group_size(spec);
    size_t length = 0;
    for (size_t i = 0; digits[i] && length + 2 < FIELD_BYTES; i++) {
        if (i > 0 && i < whole && (whole - i) % each == 0) grouped[length++] = spec->group;
        grouped[length++] = digits[i];
    }
    grouped[length] = '\0';
}

static bool fills_zeros(const struct spec *spec) {
    return spec->zeros || (spec->align == '=' && spec->fill == '0');
}

// Pushes `digits`, with the base's prefix after a minus sign, if any.
static void push_number(struct builder *out, const char *prefix, const char *digits,
                        const struct spec *spec) {
    const bool minus = digits[0] == '-';
    char signed_digits[FIELD_BYTES + 4], wide[FIELD_BYTES], grouped[FIELD_BYTES];
    const char sign[] = {minus ? '-' : spec->sign, '\0'};
    const char *plain = digits + (minus ? 1 : 0);
    if (spec->group) {
        const int taken = (int)(strlen(sign) + strlen(prefix));
        const int zeros = fills_zeros(spec) ? zeros_before(spec, plain, spec->width - taken) : 0;
        snprintf(wide, sizeof wide, "%.*s%s", zeros, ZEROS, plain);
        group_digits(spec, wide, grouped);
        plain = grouped;
    }
    const size_t length = strlen(sign) + strlen(prefix) + strlen(plain);
    const size_t width = spec->width > 0 ? (size_t)spec->width : 0;
    if ((spec->zeros || spec->align == '=') && width > length) {
        builder_push_string(out, sign);
        builder_push_string(out, prefix);
        pad(out, spec->zeros ? '0' : spec->fill ? spec->fill : ' ', width - length);
        builder_push_string(out, plain);
        return;
    }
    snprintf(signed_digits, sizeof signed_digits, "%s%s%s", sign, prefix, plain);
    const struct chars text = chars_of(signed_digits, strlen(signed_digits), ORIGIN_TEXT);
    push_padded(out, &text, spec, '>');
}

static enum status wrong_type(struct machine *machine, const struct spec *spec,
                              const struct value *value) {
    return machine_fail(machine, "format '%c' cannot be used for '%s'", spec->type,
                        value_type_name(value));
}

static void binary_digits(bool minus, uint64_t size, char digits[FIELD_BYTES]) {
    int bits = 1;
    while (bits < 64 && size >> bits)
        bits++;
    digits[0] = '-';
    char *at = digits + (minus ? 1 : 0);
    while (bits-- > 0)
        *at++ = (char)('0' + (size >> bits & 1));
    *at = '\0';
}

static enum status push_integer(struct machine *machine, const struct spec *spec,
                                const struct value *value, struct builder *out) {
    char digits[FIELD_BYTES];
    const bool whole = value->kind == VALUE_INTEGER || value->kind == VALUE_BOOLEAN;
    if (!whole && value->kind != VALUE_FLOAT) return wrong_type(machine, spec, value);
    if (!whole && !(fabs(value->as.number) < 9.2e18)) return wrong_type(machine, spec, value);
    const int64_t number = value->kind == VALUE_INTEGER   ? value->as.integer
                           : value->kind == VALUE_BOOLEAN ? value->as.boolean
                                                          : (int64_t)value->as.number;
    const uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    const char *minus = number < 0 ? "-" : "";
    const char prefix[] = {spec->alternate && strchr("xXob", spec->type) ? '0' : '\0', spec->type,
                           '\0'};
    if (spec->type == 'x')
        snprintf(digits, sizeof digits, "%s%" PRIx64, minus, size);
    else if (spec->type == 'X')
        snprintf(digits, sizeof digits, "%s%" PRIX64, minus, size);
    else if (spec->type == 'o')
        snprintf(digits, sizeof digits, "%s%" PRIo64, minus, size);
    else if (spec->type == 'b')
        binary_digits(number < 0, size, digits);
    else
        snprintf(digits, sizeof digits, "%s%" PRIu64, minus, size);
    push_number(out, prefix, digits, spec);
    return STATUS_OK;
}

static enum status push_float(struct machine *machine, const struct spec *spec,
                              const struct value *value, struct builder *out) {
    char digits[FIELD_BYTES];
    if (!value_is_number(value)) return wrong_type(machine, spec, value);
    TRY(machine_work(machine, SHOW_FLOAT_WORK));
    const double number = value_number(value);
    const int precision = spec->precision < 0 ? 6 : spec->precision;
    const char type = spec->type == 'F' ? 'f' : spec->type == 'n' ? 'g' : spec->type;
    const double shown = type == '%' ? number * 100 : number;
    if (type == '%' || type == 'f')
        snprintf(digits, sizeof digits, spec->alternate ? "%#.*f" : "%.*f", precision, shown);
    else if (type == 'e')
        snprintf(digits, sizeof digits, spec->alternate ? "%#.*e" : "%.*e", precision, shown);
    else
        snprintf(digits, sizeof digits, spec->alternate ? "%#.*g" : "%.*g",
                 precision ? precision : 1, shown);
    const size_t length = strlen(digits);
    if (type == '%') snprintf(digits + length, sizeof digits - length, "%%");
    push_number(out, "", digits, spec);
    return STATUS_OK;
}

// A float without a type: as repr(), or as 'g' with at least one digit after the point, and an
// exponent as soon as the digits do not reach the point.
static enum status push_general(struct machine *machine, const struct spec *spec, double number,
                                struct builder *out) {
    char digits[FIELD_BYTES], shortest[SHOW_NUMBER_BYTES];
    const int precision = spec->precision > 0 ? spec->precision : 1;
    TRY(machine_work(machine, SHOW_FLOAT_WORK));
    if (spec->precision < 0) {
        push_number(out, "", show_float(number, shortest), spec);
        return STATUS_OK;
    }
    snprintf(digits, sizeof digits, "%.*e", precision - 1, number);
    char *exponent = strchr(digits, 'e');
    const int power = exponent ? (int)strtol(exponent + 1, NULL, 10) : 0;
    if (exponent && (power < -4 || power > precision - 2)) {
        char *last = exponent;
        while (precision > 1 && last[-1] == '0')
            last--;
        if (last[-1] == '.') last--;
        memmove(last, exponent, strlen(exponent) + 1);
    } else if (exponent) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        const size_t length = strlen(digits);
        if (!strchr(digits, '.')) snprintf(digits + length, sizeof digits - length, ".0");
    }
    push_number(out, "", digits, spec);
    return STATUS_OK;
}

// Pushes the character with this code point, or a string of one character.
static enum status push_character(struct machine *machine, const struct spec *spec,
                                  const struct value *value, struct builder *out) {
    char bytes[4];
    struct chars text = {0};
    const int64_t code = value->kind == VALUE_INTEGER ? value->as.integer : -1;
    if (value->kind == VALUE_STRING && value->as.string->count == 1)
        text = *value->as.string;
    else if (code > 0 && code < 0x110000 && (code < 0xD800 || code > 0xDFFF))
        text = chars_of(bytes, utf8_encode((uint32_t)code, bytes), ORIGIN_TEXT);
    else
        return wrong_type(machine, spec, value);
    push_padded(out, &text, spec, '>');
    return STATUS_OK;
}

// Escapes as Python's ascii() does, given the output of repr().
static enum status escape_beyond_ascii(struct machine *machine, const struct chars **string) {
    const struct chars *from = *string;
    struct builder out = {.arena = machine->arena, .work = &machine->work_left};
    for (size_t at = 0, used; at < from->length; at += used) {
        char escape[12];
        const uint32_t c = utf8_decode(from->bytes + at, from->length - at, &used);
        const int digits = c < 0x100 ? 2 : c < 0x10000 ? 4 : 8;
        if (c < 0x80) {
            builder_push_slice(&out, from, at, at + used);
        } else {
            snprintf(escape, sizeof escape, "\\%c%0*" PRIx32,
                     digits == 2   ? 'x'
                     : digits == 4 ? 'u'
                                   : 'U',
                     digits, c);
            builder_push_string(&out, escape);
        }
    }
    return machine_full(machine, builder_finish(&out, string));
}

static enum status push_field(struct machine *machine, const struct spec *spec,
                              const struct value *value, struct builder *out) {
    TRY(machine_copy(machine, spec->width > 0 ? (size_t)spec->width : 0));
    if (spec->type && strchr("dixXoubn", spec->type))
        return push_integer(machine, spec, value, out);
    if (spec->type && strchr("fFeg%", spec->type)) return push_float(machine, spec, value, out);
    if (spec->type == 'c') return push_character(machine, spec, value, out);
    struct builder text = {.arena = machine->arena, .work = &machine->work_left};
    const struct chars *shown;
    const bool is_repr = spec->type == 'r' || spec->type == 'a';
    if (!(is_repr ? show_repr(&text, value) : show_string(&text, value)))
        return machine_fail(machine, "a value is nested too deeply");
    TRY(machine_copy(machine, text.length));
    TRY(machine_full(machine, builder_finish(&text, &shown)));
    if (spec->type == 'a') TRY(escape_beyond_ascii(machine, &shown));
    struct chars part = *shown;
    if (spec->precision >= 0 && (size_t)spec->precision < part.count)
        part = chars_slice(shown, 0, chars_offset(shown, (size_t)spec->precision));
    push_padded(out, &part, spec, value_is_number(value) ? '>' : '<');
    return STATUS_OK;
}

static enum status bad_pattern(struct machine *machine) {
    return machine_fail(machine, "invalid format");
}

// The values of a '%' pattern.
struct percent {
    const struct value *values; // a tuple, a dict, or the only value
    size_t next;
};

static enum status next_value(struct machine *machine, struct percent *percent,
                              const struct value **value) {
    const bool several = percent->values->kind == VALUE_TUPLE;
    const size_t count = several ? percent->values->as.list->count : 1;
    if (percent->next == count)
        return machine_fail(machine, "not enough arguments for format string");
    *value = several ? &percent->values->as.list->items[percent->next] : percent->values;
    percent->next++;
    return STATUS_OK;
}

// Reads a number at *at, or takes the next value for a '*'.
static enum status read_size(struct machine *machine, struct percent *percent, const char **at,
                             const char *end, int most, int *number) {
    const struct value *value = NULL;
    if (*at == end || **at != '*')
        return read_number(at, end, most, number) ? STATUS_OK : bad_pattern(machine);
    ++*at;
    TRY(next_value(machine, percent, &value));
    if (value->kind != VALUE_INTEGER) return machine_fail(machine, "* expects an int");
    if (value->as.integer < -most || value->as.integer > most) return bad_pattern(machine);
    *number = (int)value->as.integer;
    return STATUS_OK;
}

// "[flags][width][.precision]type" at *at, after the % and a name.
static enum status read_percent(struct machine *machine, struct percent *percent, const char **at,
                                const char *end, struct spec *spec) {
    *spec = (struct spec){.precision = -1};
    for (; *at < end && strchr("-+ 0#", **at) && **at; ++*at) {
        if (**at == '-') spec->align = '<';
        if (**at == '+' || (**at == ' ' && !spec->sign)) spec->sign = **at;
        if (**at == '0') spec->zeros = true;
        if (**at == '#') spec->alternate = true;
    }
    TRY(read_size(machine, percent, at, end, WIDTH_MOST, &spec->width));
    if (spec->width < 0) spec->align = '<';
    spec->width = abs(spec->width);
    if (*at < end && **at == '.') {
        ++*at;
        TRY(read_size(machine, percent, at, end, PRECISION_MOST, &spec->precision));
        if (spec->precision < 0) spec->precision = 0;
    }
    if (*at == end || !**at || !strchr("sradiuxXofFegc", **at)) return bad_pattern(machine);
    spec->type = *(*at)++;
    if (spec->type == 's') spec->type = '\0';
    if (!spec->align) spec->align = '>';
    if (spec->align == '<') spec->zeros = false;
    return STATUS_OK;
}

// Finds the value for "(name)" at *at; NULL: no name there.
static enum status find_percent_name(struct machine *machine, const char **at, const char *end,
                                     const struct value *values, const struct value **value) {
    if (*at == end || **at != '(') return STATUS_OK;
    const char *close = memchr(*at, ')', (size_t)(end - *at));
    if (!close || values->kind != VALUE_DICT)
        return machine_fail(machine, "format requires a mapping");
    const struct chars name = chars_of(*at + 1, (size_t)(close - *at) - 1, ORIGIN_TEXT);
    TRY(machine_copy(machine, name.length * KEY_READINGS));
    *value = dict_find_chars(values->as.dict, &name);
    *at = close + 1;
    return *value ? STATUS_OK : machine_fail(machine, "the format's mapping is missing a key");
}

enum status format_percent(struct machine *machine, const struct chars *pattern,
                           const struct value *values, struct value *result) {
    struct builder out = {.arena = machine->arena};
    const char *begin = pattern->bytes, *at = begin, *end = begin + pattern->length;
    struct percent percent = {values, 0};
    while (at < end) {
        const char *mark = memchr(at, '%', (size_t)(end - at));
        if (!mark) mark = end;
        builder_push_slice(&out, pattern, (size_t)(at - begin), (size_t)(mark - begin));
        at = mark;
        if (at == end) break;
        at++;
        if (at < end && *at == '%') {
            builder_push_slice(&out, pattern, (size_t)(at - begin), (size_t)(at - begin) + 1);
            at++;
            continue;
        }
        struct spec spec;
        const struct value *value = NULL;
        TRY(find_percent_name(machine, &at, end, values, &value));
        TRY(read_percent(machine, &percent, &at, end, &spec));
        if (!value) TRY(next_value(machine, &percent, &value));
        TRY(push_field(machine, &spec, value, &out));
    }
    if (values->kind == VALUE_TUPLE ? percent.next < values->as.list->count
                                    : percent.next == 0 && values->kind != VALUE_DICT)
        return machine_fail(machine, "not all arguments converted during string formatting");
    return machine_finish(machine, &out, result);
}

// Parses all of "[[fill]align][sign][#][0][width][grouping][.precision][type]".
static enum status read_spec(struct machine *machine, const char *at, const char *end,
                             struct spec *spec) {
    *spec = (struct spec){.precision = -1};
    if (at + 1 < end && at[1] && strchr("<>^=", at[1])) {
        spec->fill = *at++;
        spec->align = *at++;
    } else if (at < end && *at && strchr("<>^=", *at)) {
        spec->align = *at++;
    }
    if (at < end && *at && strchr("+- ", *at)) {
        if (*at != '-') spec->sign = *at;
        at++;
    }
    if (at < end && *at == '#') spec->alternate = *at++ == '#';
    if (at < end && *at == '0') {
        spec->zeros = !spec->align;
        if (!spec->fill) spec->fill = *at;
        at++;
    }
    if (!read_number(&at, end, WIDTH_MOST, &spec->width)) return bad_pattern(machine);
    if (at < end && (*at == ',' || *at == '_')) spec->group = *at++;
    if (at < end && *at == '.') {
        at++;
        if (!read_number(&at, end, PRECISION_MOST, &spec->precision)) return bad_pattern(machine);
    }
    if (at < end) {
        if (!*at || !strchr("sdxXobcnfFeg%", *at)) return bad_pattern(machine);
        spec->type = *at;
        at++;
    }
    return at == end ? STATUS_OK : bad_pattern(machine);
}

static const struct value *find_named(const struct arguments *arguments, const struct chars *name) {
    for (size_t i = 0; i < arguments->named_count; i++)
        if (chars_equal(arguments->named[i].name, name)) return &arguments->named[i].value;
    return NULL;
}

// The values of a pattern with braces.
struct braces {
    const struct arguments *arguments;
    size_t next;
    bool counts, numbers; // unnumbered or numbered fields: a pattern cannot mix them
};

// Parses digits as a number; -1: not a number.
static int number_of(const char *at, const char *end) {
    int number;
    return at < end && is_digit(*at) && read_number(&at, end, WIDTH_MOST, &number) && at == end
               ? number
               : -1;
}

// The argument that [at, end) names: if empty the next one, else by number or by name.
static enum status find_argument(struct machine *machine, struct braces *braces, const char *at,
                                 const char *end, const struct value **value) {
    const struct arguments *arguments = braces->arguments;
    const int number = number_of(at, end);
    *value = NULL;
    if (at < end && number < 0) {
        const struct chars name = chars_of(at, (size_t)(end - at), ORIGIN_TEXT);
        TRY(machine_copy(machine, (name.length + 1) * arguments->named_count));
        *value = find_named(arguments, &name);
    } else {
        const size_t index = number >= 0 ? (size_t)number : braces->next++;
        *(number >= 0 ? &braces->numbers : &braces->counts) = true;
        if (braces->numbers && braces->counts)
            return machine_fail(machine, "cannot mix numbered and automatic fields in a format");
        if (index < arguments->count) *value = &arguments->values[index];
    }
    return *value ? STATUS_OK
                  : machine_fail(machine, "not enough arguments for the fields of the format");
}

// Resolves all of "name.attribute[item]…".
static enum status find_field(struct machine *machine, struct braces *braces, const char *at,
                              const char *end, struct value *value) {
    const char *stop = at;
    const struct value *argument;
    while (stop < end && *stop != '.' && *stop != '[')
        stop++;
    TRY(find_argument(machine, braces, at, stop, &argument));
    *value = *argument;
    while (stop < end) {
        const bool item = *stop == '[';
        at = stop + 1;
        stop = at;
        while (stop < end && (item ? *stop != ']' : *stop != '.' && *stop != '['))
            stop++;
        if (stop == at || (item && stop == end)) return bad_pattern(machine);
        TRY(machine_copy(machine, (size_t)(stop - at) * KEY_READINGS));
        const struct chars *name = // an undefined value keeps a pointer to it
            chars_keep(machine->arena, chars_of(at, (size_t)(stop - at), ORIGIN_TEXT));
        if (!name) return machine_full(machine, STATUS_FULL);
        const int number = number_of(at, stop);
        const struct value of = *value;
        const struct value index = number >= 0 ? value_integer(number) : value_string(name);
        TRY(item ? machine_subscript(machine, &of, &index, value)
                 : machine_attribute(machine, &of, name, value));
        stop += item;
        if (item && stop < end && *stop != '.' && *stop != '[') return bad_pattern(machine);
    }
    return STATUS_OK;
}

// Pushes a value by its specification, which is not empty.
static enum status push_specified(struct machine *machine, const struct spec *spec,
                                  const struct value *value, struct builder *out) {
    struct spec typed = *spec;
    const bool is_float = value->kind == VALUE_FLOAT, is_string = value->kind == VALUE_STRING;
    const bool of_integers = spec->type ? strchr("dxXobc", spec->type) != NULL : !is_float;
    const char *bad = is_string ? "dxXobcnfFeg%" : is_float ? "sdxXobc" : "s";
    if ((!is_string && !value_is_number(value)) || (spec->type && strchr(bad, spec->type)))
        return machine_fail(machine, "this format specification is not supported for '%s'",
                            value_type_name(value));
    if (is_string) {
        typed.type = '\0';
        const bool plain = !spec->sign && !spec->alternate && !spec->group && spec->align != '=';
        return plain ? push_field(machine, &typed, value, out) : bad_pattern(machine);
    }
    if ((of_integers && spec->precision >= 0) || (spec->group && spec->width > GROUPED_MOST) ||
        (spec->group && spec->type && strchr(spec->group == ',' ? "xXobcn" : "cn", spec->type)))
        return bad_pattern(machine);
    if (!spec->type && is_float)
        return spec->alternate ? bad_pattern(machine)
                               : push_general(machine, spec, value->as.number, out);
    if (!spec->type) typed.type = 'd';
    return push_field(machine, &typed, value, out);
}

static enum status push_braces(struct machine *machine, struct braces *braces,
                               const struct chars *pattern, int depth, struct builder *out);

// Pushes one "{name!r:spec}", given without braces.
static enum status push_brace_field(struct machine *machine, struct braces *braces,
                                    const struct chars *field, int depth, struct builder *out) {
    const char *at = field->bytes, *end = at + field->length, *stop = at;
    struct builder filled = {.arena = machine->arena};
    const struct chars *text = NULL;
    struct spec spec;
    struct value value;
    for (bool item = false; stop < end && (item || (*stop != ':' && *stop != '!')); stop++)
        item = *stop == '[' || (item && *stop != ']');
    TRY(find_field(machine, braces, at, stop, &value));
    const char conversion = stop < end && *stop == '!' && stop + 1 < end ? stop[1] : '\0';
    if (stop < end && *stop == '!') stop += 2;
    if (stop > end || (stop < end && *stop != ':')) return bad_pattern(machine);
    stop += stop < end;
    const struct chars rest = chars_slice(field, (size_t)(stop - at), field->length);
    TRY(push_braces(machine, braces, &rest, depth - 1, &filled));
    TRY(machine_full(machine, builder_finish(&filled, &text)));
    TRY(read_spec(machine, text->bytes, text->bytes + text->length, &spec));
    if (conversion) {
        if (!strchr("rsa", conversion) || (spec.type && spec.type != 's'))
            return bad_pattern(machine);
        spec.type = conversion == 's' ? '\0' : conversion;
        if (!spec.align) spec.align = '<';
        return push_field(machine, &spec, &value, out);
    }
    if (text->length > 0) return push_specified(machine, &spec, &value, out);
    return push_field(machine, &spec, &value, out);
}

// One past the '}' that closes the field from `at` on, or NULL.
static const char *close_of(const char *at, const char *end) {
    int open = 1;
    for (bool item = false, spec = false; at < end; at++) {
        if (!spec) item = *at == '[' || (item && *at != ']');
        if (item) continue;
        if (*at == ':') spec = true;
        open += (*at == '{') - (*at == '}');
        if (open == 0) return at + 1;
    }
    return NULL;
}

static enum status push_braces(struct machine *machine, struct braces *braces,
                               const struct chars *pattern, int depth, struct builder *out) {
    const char *begin = pattern->bytes, *end = begin + pattern->length;
    for (const char *at = begin; at < end;) {
        const char *mark = at;
        while (mark < end && *mark != '{' && *mark != '}')
            mark++;
        builder_push_slice(out, pattern, (size_t)(at - begin), (size_t)(mark - begin));
        at = mark;
        if (at == end) break;
        if (at + 1 < end && at[1] == *at) {
            builder_push_slice(out, pattern, (size_t)(at - begin), (size_t)(at - begin) + 1);
            at += 2;
            continue;
        }
        const char *close = *at == '{' && depth > 0 ? close_of(at + 1, end) : NULL;
        if (!close) return bad_pattern(machine);
        const struct chars field =
            chars_slice(pattern, (size_t)(at + 1 - begin), (size_t)(close - 1 - begin));
        TRY(push_brace_field(machine, braces, &field, depth, out));
        at = close;
    }
    return STATUS_OK;
}

enum status format_braces(struct machine *machine, const struct chars *pattern,
                          const struct arguments *arguments, struct value *result) {
    enum { DEPTH = 2 }; // a specification may contain fields, but not theirs in turn
    struct builder out = {.arena = machine->arena};
    struct braces braces = {.arguments = arguments};
    TRY(push_braces(machine, &braces, pattern, DEPTH, &out));
    return machine_finish(machine, &out, result);
}
