#include "prompts/jinja/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/text.h"
#include "prompts/jinja/machine.h"
#include "prompts/jinja/show.h"

enum { WIDTH_MOST = 10000, PRECISION_MOST = 60, FIELD_BYTES = 512 };

struct spec {
    char fill, align; // align: '<', '>', '^', or 0
    char sign;        // '+', ' ' or 0
    char group;       // ',' or '_' between groups of digits, or 0
    bool zeros, alternate;
    int width, precision; // -1: none
    char type;            // 0: as str()
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads a number at *at; false where it is above `most`.
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

// The digits before a point in groups of three, or of four in bases of two.
static void group_digits(const struct spec *spec, const char *digits, char grouped[FIELD_BYTES]) {
    const size_t whole = strspn(digits, "0123456789abcdefABCDEF");
    const size_t each = spec->type && strchr("xXob", spec->type) ? 4 : 3;
    size_t length = 0;
    for (size_t i = 0; digits[i] && length + 2 < FIELD_BYTES; i++) {
        if (i > 0 && i < whole && (whole - i) % each == 0) grouped[length++] = spec->group;
        grouped[length++] = digits[i];
    }
    grouped[length] = '\0';
}

// `digits` with a minus, if there is one; the prefix of a base goes behind it.
static void push_number(struct builder *out, const char *prefix, const char *digits,
                        const struct spec *spec) {
    const bool minus = digits[0] == '-';
    char signed_digits[FIELD_BYTES + 4], grouped[FIELD_BYTES];
    const char sign[] = {minus ? '-' : spec->sign, '\0'};
    const char *plain = digits + (minus ? 1 : 0);
    if (spec->group) {
        group_digits(spec, plain, grouped);
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
    if (spec->type == 'f' || spec->type == 'F')
        snprintf(digits, sizeof digits, "%.*f", precision, number);
    else if (spec->type == 'e')
        snprintf(digits, sizeof digits, "%.*e", precision, number);
    else if (spec->type == '%')
        snprintf(digits, sizeof digits, "%.*f%%", precision, number * 100);
    else
        snprintf(digits, sizeof digits, "%.*g", precision ? precision : 1, number);
    push_number(out, "", digits, spec);
    return STATUS_OK;
}

// The character with this number, or of one character that one.
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
    push_padded(out, &text, spec, '<');
    return STATUS_OK;
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
    if (!(spec->type == 'r' ? show_repr(&text, value) : show_string(&text, value)))
        return machine_fail(machine, "a value is nested too deep");
    TRY(machine_copy(machine, text.length));
    TRY(machine_full(machine, builder_finish(&text, &shown)));
    struct chars part = *shown;
    if (spec->precision >= 0 && (size_t)spec->precision < part.count)
        part = chars_slice(shown, 0, chars_offset(shown, (size_t)spec->precision));
    push_padded(out, &part, spec, value_is_number(value) ? '>' : '<');
    return STATUS_OK;
}

static enum status bad_pattern(struct machine *machine) {
    return machine_fail(machine, "invalid format");
}

// "[flags][width][.precision]type" at *at, after the %.
static enum status read_percent(struct machine *machine, const char **at, const char *end,
                                struct spec *spec) {
    *spec = (struct spec){.precision = -1};
    for (; *at < end && strchr("-+ 0#", **at) && **at; ++*at) {
        if (**at == '-') spec->align = '<';
        if (**at == '+' || (**at == ' ' && !spec->sign)) spec->sign = **at;
        if (**at == '0') spec->zeros = true;
        if (**at == '#') spec->alternate = true;
    }
    if (!read_number(at, end, WIDTH_MOST, &spec->width)) return bad_pattern(machine);
    if (*at < end && **at == '.') {
        ++*at;
        if (!read_number(at, end, PRECISION_MOST, &spec->precision)) return bad_pattern(machine);
    }
    if (*at == end || !**at || !strchr("sradiuxXofFegc", **at)) return bad_pattern(machine);
    spec->type = *(*at)++;
    if (spec->type == 'a') spec->type = 'r';
    if (spec->type == 's') spec->type = '\0';
    if (!spec->align) spec->align = '>';
    if (spec->align == '<') spec->zeros = false;
    return STATUS_OK;
}

// The value of a '%' field: the next one, or the one called "(name)".
static enum status find_percent_value(struct machine *machine, const char **at, const char *end,
                                      const struct value *values, size_t *next,
                                      const struct value **value) {
    if (*at < end && **at == '(') {
        const char *close = memchr(*at, ')', (size_t)(end - *at));
        if (!close || values->kind != VALUE_DICT)
            return machine_fail(machine, "format requires a mapping");
        const struct chars name = chars_of(*at + 1, (size_t)(close - *at) - 1, ORIGIN_TEXT);
        TRY(machine_copy(machine, name.length * KEY_READINGS));
        *value = dict_find_chars(values->as.dict, &name);
        *at = close + 1;
        if (!*value) return machine_fail(machine, "the format's mapping is missing a key");
        return STATUS_OK;
    }
    const bool several = values->kind == VALUE_TUPLE;
    const size_t count = several ? values->as.list->count : 1;
    if (*next == count) return machine_fail(machine, "not enough arguments for format string");
    *value = several ? &values->as.list->items[*next] : values;
    ++*next;
    return STATUS_OK;
}

enum status format_percent(struct machine *machine, const struct chars *pattern,
                           const struct value *values, struct value *result) {
    struct builder out = {.arena = machine->arena};
    const char *begin = pattern->bytes, *at = begin, *end = begin + pattern->length;
    size_t next = 0;
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
        TRY(find_percent_value(machine, &at, end, values, &next, &value));
        TRY(read_percent(machine, &at, end, &spec));
        TRY(push_field(machine, &spec, value, &out));
    }
    if (values->kind == VALUE_TUPLE ? next < values->as.list->count
                                    : next == 0 && values->kind != VALUE_DICT)
        return machine_fail(machine, "not all arguments converted during string formatting");
    return machine_finish(machine, &out, result);
}

// "[[fill]align][sign][#][0][width][grouping][.precision][type]", all of it.
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
    if (at < end && *at == '0') spec->zeros = !spec->align && *at++ == '0';
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

// Without a type whole numbers are written as such where there is any other detail; of other
// numbers Python has a form of its own then, which is not known here.
static enum status set_default_type(struct machine *machine, const struct value *value,
                                    struct spec *spec) {
    if (spec->type) return STATUS_OK;
    if (value->kind == VALUE_INTEGER || value->kind == VALUE_BOOLEAN) spec->type = 'd';
    if (value->kind == VALUE_FLOAT && (spec->group || spec->precision >= 0))
        return bad_pattern(machine);
    return STATUS_OK;
}

static const struct value *find_named(const struct arguments *arguments, const struct chars *name) {
    for (size_t i = 0; i < arguments->named_count; i++)
        if (chars_equal(arguments->named[i].name, name)) return &arguments->named[i].value;
    return NULL;
}

// One "{name!r:spec}" between its braces.
static enum status push_brace_field(struct machine *machine, const char *at, const char *end,
                                    const struct arguments *arguments, size_t *next,
                                    struct builder *out) {
    const char *colon = memchr(at, ':', (size_t)(end - at));
    const char *name_end = colon ? colon : end;
    const char *bang = memchr(at, '!', (size_t)(name_end - at));
    struct spec spec;
    int index = 0;
    TRY(read_spec(machine, colon ? colon + 1 : end, end, &spec));
    if (bang) {
        if (name_end - bang != 2 || !strchr("rs", bang[1])) return bad_pattern(machine);
        if (bang[1] == 'r') spec.type = 'r';
        name_end = bang;
    }
    const struct chars name = chars_of(at, (size_t)(name_end - at), ORIGIN_TEXT);
    const struct value *value = NULL;
    if (name.length == 0) {
        value = *next < arguments->count ? &arguments->values[*next] : NULL;
        ++*next;
    } else if (is_digit(*at)) {
        if (!read_number(&at, name_end, WIDTH_MOST, &index) || at != name_end)
            return bad_pattern(machine);
        value = (size_t)index < arguments->count ? &arguments->values[index] : NULL;
    } else {
        TRY(machine_copy(machine, (name.length + 1) * arguments->named_count));
        value = find_named(arguments, &name);
    }
    if (!value) return machine_fail(machine, "the format has a field without an argument");
    if (!bang && colon && colon + 1 < end) TRY(set_default_type(machine, value, &spec));
    if (!bang && spec.type == 's' && value->kind != VALUE_STRING)
        return wrong_type(machine, &spec, value);
    if (spec.type == 's') spec.type = '\0';
    return push_field(machine, &spec, value, out);
}

enum status format_braces(struct machine *machine, const struct chars *pattern,
                          const struct arguments *arguments, struct value *result) {
    struct builder out = {.arena = machine->arena};
    const char *begin = pattern->bytes, *end = begin + pattern->length;
    size_t next = 0;
    for (const char *at = begin; at < end;) {
        const char *mark = at;
        while (mark < end && *mark != '{' && *mark != '}')
            mark++;
        builder_push_slice(&out, pattern, (size_t)(at - begin), (size_t)(mark - begin));
        at = mark;
        if (at == end) break;
        if (at + 1 < end && at[1] == *at) {
            builder_push_slice(&out, pattern, (size_t)(at - begin), (size_t)(at - begin) + 1);
            at += 2;
            continue;
        }
        const char *close = memchr(at, '}', (size_t)(end - at));
        if (*at == '}' || !close) return bad_pattern(machine);
        TRY(push_brace_field(machine, at + 1, close, arguments, &next, &out));
        at = close + 1;
    }
    return machine_finish(machine, &out, result);
}
