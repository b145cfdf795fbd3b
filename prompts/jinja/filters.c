#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/text.h"
#include "prompts/jinja/argument.h"
#include "prompts/jinja/builtin.h"
#include "prompts/jinja/edit.h"
#include "prompts/jinja/format.h"
#include "prompts/jinja/json_value.h"
#include "prompts/jinja/show.h"
#include "prompts/jinja/wrap.h"

static enum status self_chars(struct machine *machine, const struct call *call,
                              const struct chars **string) {
    return machine_string(machine, call->self, string);
}

static enum status trim(struct machine *machine, const struct call *call, struct value *result) {
    const struct chars *string, *set = NULL;
    TRY(self_chars(machine, call, &string));
    TRY(argument_chars(machine, call, 0, false, &set));
    return edit_strip(machine, string, set, EDIT_BOTH, result);
}

static enum status to_string(struct machine *machine, const struct call *call,
                             struct value *result) {
    const struct chars *string;
    TRY(self_chars(machine, call, &string));
    *result = value_string(string);
    return STATUS_OK;
}

static enum status with_case(struct machine *machine, const struct call *call, enum edit_case how,
                             struct value *result) {
    const struct chars *string;
    TRY(self_chars(machine, call, &string));
    return edit_case(machine, string, how, result);
}

static enum status upper(struct machine *machine, const struct call *call, struct value *result) {
    return with_case(machine, call, EDIT_UPPER, result);
}

static enum status lower(struct machine *machine, const struct call *call, struct value *result) {
    return with_case(machine, call, EDIT_LOWER, result);
}

static enum status title(struct machine *machine, const struct call *call, struct value *result) {
    return with_case(machine, call, EDIT_TITLE_WORDS, result);
}

static enum status capitalize(struct machine *machine, const struct call *call,
                              struct value *result) {
    return with_case(machine, call, EDIT_CAPITALIZE, result);
}

static enum status replace(struct machine *machine, const struct call *call, struct value *result) {
    const struct chars *string, *old = NULL, *by = NULL;
    int64_t most = -1;
    TRY(self_chars(machine, call, &string));
    TRY(machine_string(machine, call->values[0], &old));
    TRY(machine_string(machine, call->values[1], &by));
    if (call->values[2] && call->values[2]->kind != VALUE_NONE)
        TRY(argument_integer(machine, call, 2, -1, &most));
    return edit_replace(machine, string, old, by, most, result);
}

static enum status use_default(struct machine *machine, const struct call *call,
                               struct value *result) {
    const bool falsy = argument_flag(call, 1, false) && !value_is_true(call->self);
    *result = *call->self;
    if (call->self->kind != VALUE_UNDEFINED && !falsy) return STATUS_OK;
    if (!call->values[0])
        return machine_full(machine, value_text(machine->arena, "", 0, ORIGIN_TEXT, result));
    *result = *call->values[0];
    return STATUS_OK;
}

static enum status center(struct machine *machine, const struct call *call, struct value *result) {
    const struct chars space = chars_of(" ", 1, ORIGIN_TEXT), *string;
    int64_t width;
    TRY(self_chars(machine, call, &string));
    TRY(argument_integer(machine, call, 0, 80, &width));
    return edit_pad(machine, string, width, &space, EDIT_BOTH, result);
}

// Reads the indentation of each line.
static enum status read_indent(struct machine *machine, const struct call *call,
                               const struct chars **indent) {
    enum { WIDTH_MOST = 10000 };
    const struct chars space = chars_of(" ", 1, ORIGIN_TEXT), none = chars_of("", 0, ORIGIN_TEXT);
    struct value padded;
    int64_t width;
    if (call->values[0] && call->values[0]->kind == VALUE_STRING) {
        *indent = call->values[0]->as.string;
        return STATUS_OK;
    }
    TRY(argument_integer(machine, call, 0, 4, &width));
    if (width > WIDTH_MOST) return machine_fail(machine, "indent() is too wide");
    TRY(edit_pad(machine, &none, width, &space, EDIT_RIGHT, &padded));
    *indent = padded.as.string;
    return STATUS_OK;
}

// Every line end becomes \n, and empty lines are indented only if `blank`.
static enum status indent(struct machine *machine, const struct call *call, struct value *result) {
    const struct chars *string, *space = NULL;
    struct builder out = {.arena = machine->arena};
    struct value lines;
    const bool first = argument_flag(call, 1, false), blank = argument_flag(call, 2, false);
    TRY(self_chars(machine, call, &string));
    TRY(read_indent(machine, call, &space));
    TRY(edit_split_lines(machine, string, false, &lines));
    const struct list *list = lines.as.list;
    if (first) builder_push_chars(&out, space);
    for (size_t i = 0; i < list->count; i++) {
        const struct chars *line = list->items[i].as.string;
        if (i > 0) builder_push_string(&out, "\n");
        if (i > 0 && (blank || line->length > 0)) builder_push_chars(&out, space);
        builder_push_chars(&out, line);
        TRY(machine_copy(machine, line->length + space->length));
    }
    const char last = string->length ? string->bytes[string->length - 1] : '\0';
    if (last == '\n' || last == '\r') builder_push_string(&out, "\n");
    if (blank && (last == '\n' || last == '\r')) builder_push_chars(&out, space);
    return machine_finish(machine, &out, result);
}

static enum status wordwrap(struct machine *machine, const struct call *call,
                            struct value *result) {
    const struct chars *string, line_end = chars_of("\n", 1, ORIGIN_TEXT), *separator = &line_end;
    struct builder out = {.arena = machine->arena};
    struct value lines;
    int64_t width;
    TRY(self_chars(machine, call, &string));
    TRY(argument_integer(machine, call, 0, 79, &width));
    TRY(argument_chars(machine, call, 2, true, &separator));
    if (width < 1 || width > INT32_MAX)
        return machine_fail(machine, "wordwrap() does not support this width");
    const struct wrap how = {width, argument_flag(call, 1, true), argument_flag(call, 3, true),
                             separator};
    TRY(edit_split_lines(machine, string, false, &lines));
    for (size_t i = 0; i < lines.as.list->count; i++) {
        if (i > 0) builder_push_chars(&out, separator);
        TRY(wrap_line(machine, lines.as.list->items[i].as.string, &how, &out));
    }
    return machine_finish(machine, &out, result);
}

static enum status truncate(struct machine *machine, const struct call *call,
                            struct value *result) {
    const struct chars *string, dots = chars_of("...", 3, ORIGIN_TEXT), *end = &dots;
    const struct chars space = chars_of(" ", 1, ORIGIN_TEXT);
    struct builder out = {.arena = machine->arena};
    int64_t length, leeway;
    size_t at;
    TRY(self_chars(machine, call, &string));
    TRY(argument_integer(machine, call, 0, 255, &length));
    TRY(argument_chars(machine, call, 2, true, &end));
    TRY(argument_integer(machine, call, 3, 5, &leeway));
    if (length < (int64_t)end->count || leeway < 0 || leeway > INT32_MAX)
        return machine_fail(machine, "truncate() does not support a length of %lld",
                            (long long)length);
    if ((int64_t)string->count <= length || (int64_t)string->count - length <= leeway) {
        *result = value_string(string);
        return STATUS_OK;
    }
    TRY(machine_copy(machine, string->length));
    size_t to = chars_offset(string, (size_t)length - end->count);
    if (!argument_flag(call, 1, false) && chars_find_last(string, &space, 0, to, &at)) to = at;
    builder_push_slice(&out, string, 0, to);
    builder_push_chars(&out, end);
    return machine_finish(machine, &out, result);
}

static enum status wordcount(struct machine *machine, const struct call *call,
                             struct value *result) {
    const struct chars *string;
    bool inside = false;
    int64_t count = 0;
    TRY(self_chars(machine, call, &string));
    TRY(machine_copy(machine, string->length));
    for (size_t at = 0; at < string->length; at++) {
        const unsigned char c = (unsigned char)string->bytes[at];
        const bool word = c >= 0x80 || c == '_' || (c >= '0' && c <= '9') ||
                          ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
        count += word && !inside;
        inside = word;
    }
    *result = value_integer(count);
    return STATUS_OK;
}

static enum status escape(struct machine *machine, const struct call *call, struct value *result) {
    static const char marks[] = "&<>'\"";
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&#39;", "&#34;"};
    const struct chars *string;
    struct builder out = {.arena = machine->arena};
    TRY(self_chars(machine, call, &string));
    for (size_t at = 0; at < string->length; at++) {
        const char *mark = string->bytes[at] ? strchr(marks, string->bytes[at]) : NULL;
        if (mark)
            builder_push_string(&out, names[mark - marks]);
        else
            builder_push_slice(&out, string, at, at + 1);
    }
    return machine_finish(machine, &out, result);
}

static enum status urlencode(struct machine *machine, const struct call *call,
                             struct value *result) {
    static const char plain[] = "-_.~/";
    const struct chars *string;
    struct builder out = {.arena = machine->arena};
    TRY(self_chars(machine, call, &string));
    for (size_t at = 0; at < string->length; at++) {
        const unsigned char c = (unsigned char)string->bytes[at];
        const bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z' && c < 0x80;
        char code[4];
        if (letter || (c >= '0' && c <= '9') || (c && strchr(plain, c))) {
            builder_push_slice(&out, string, at, at + 1);
            continue;
        }
        snprintf(code, sizeof code, "%%%02X", c);
        builder_push_string(&out, code);
    }
    return machine_finish(machine, &out, result);
}

static enum status format(struct machine *machine, const struct call *call, struct value *result) {
    const struct chars *pattern;
    struct value values;
    struct list *list;
    TRY(self_chars(machine, call, &pattern));
    if (call->all->named_count && call->all->count)
        return machine_fail(machine, "can't handle positional and keyword arguments at once");
    if (call->all->named_count) {
        TRY(machine_full(machine, value_dict(machine->arena, &values)));
        for (size_t i = 0; i < call->all->named_count; i++)
            TRY(machine_full(machine, dict_set(machine->arena, values.as.dict,
                                               value_string(call->all->named[i].name),
                                               call->all->named[i].value)));
        return format_percent(machine, pattern, &values, result);
    }
    TRY(machine_list(machine, VALUE_TUPLE, &list, &values));
    for (size_t i = 0; i < call->all->count; i++)
        TRY(machine_push(machine, list, call->all->values[i]));
    return format_percent(machine, pattern, &values, result);
}

enum { NUMBER_BYTES = 400 };

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Drops surrounding spaces and underscores between digits.
static bool copy_number(const struct chars *string, char digits[NUMBER_BYTES]) {
    size_t from = 0, to = string->length, length = 0;
    while (from < to && is_space(string->bytes[from]))
        from++;
    while (to > from && is_space(string->bytes[to - 1]))
        to--;
    if (to - from >= NUMBER_BYTES) return false;
    for (size_t i = from; i < to; i++) {
        const bool between = i > from && i + 1 < to &&
                             isalnum((unsigned char)string->bytes[i - 1]) &&
                             isalnum((unsigned char)string->bytes[i + 1]);
        if (!string->bytes[i] || (string->bytes[i] == '_' && !between)) return false;
        if (string->bytes[i] != '_') digits[length++] = string->bytes[i];
    }
    digits[length] = '\0';
    return length > 0;
}

// As float() reads it.
static bool read_float(const struct chars *string, double *number) {
    char digits[NUMBER_BYTES], *end;
    if (!copy_number(string, digits) || strpbrk(digits, "xXpP")) return false;
    *number = strtod(digits, &end);
    return *end == '\0';
}

// Parses like int(): 0x, 0o and 0b may precede digits of their base, and determine the base if it
// is 0.
static bool read_whole(const struct chars *string, int base, int64_t *whole) {
    static const struct {
        char letter;
        int base;
    } prefixes[] = {{'x', 16}, {'o', 8}, {'b', 2}};
    char digits[NUMBER_BYTES], *end, *at = digits;
    if (!copy_number(string, digits)) return false;
    const bool minus = *at == '-';
    at += minus || *at == '+';
    for (size_t i = 0; i < 3 && at[0] == '0'; i++) {
        if (tolower((unsigned char)at[1]) != prefixes[i].letter) continue;
        if (base != 0 && base != prefixes[i].base) continue;
        base = prefixes[i].base;
        at += 2;
    }
    if (base == 0 && at[0] == '0' && at[strspn(at, "0")]) return false;
    if (!isalnum((unsigned char)*at) || (at[0] == '0' && tolower((unsigned char)at[1]) == 'x'))
        return false;
    if (minus) *--at = '-';
    errno = 0;
    *whole = strtoll(at, &end, base ? base : 10);
    return !errno && *end == '\0';
}

static enum status to_integer(struct machine *machine, const struct call *call,
                              struct value *result) {
    const struct value *self = call->self;
    int64_t base, whole;
    double number = 0;
    TRY(argument_integer(machine, call, 1, 10, &base));
    if (base != 0 && (base < 2 || base > 36))
        return machine_fail(machine, "int() base must be 0 or 2 to 36");
    *result = call->values[0] ? *call->values[0] : value_integer(0);
    if (self->kind == VALUE_UNDEFINED) return machine_undefined(machine, self);
    if (self->kind == VALUE_STRING) {
        TRY(machine_work(machine, SHOW_FLOAT_WORK));
        if (read_whole(self->as.string, (int)base, &whole)) {
            *result = value_integer(whole);
            return STATUS_OK;
        }
        if (!read_float(self->as.string, &number)) return STATUS_OK;
    } else if (value_is_number(self)) {
        if (self->kind != VALUE_FLOAT) {
            *result =
                value_integer(self->kind == VALUE_INTEGER ? self->as.integer : self->as.boolean);
            return STATUS_OK;
        }
        number = self->as.number;
    } else {
        return STATUS_OK;
    }
    if (isnan(number)) return machine_fail(machine, "cannot convert float NaN to integer");
    if (!(fabs(number) < 9.2e18))
        return machine_fail(machine, "an integer does not fit in 64 bits");
    *result = value_integer((int64_t)number);
    return STATUS_OK;
}

static enum status to_float(struct machine *machine, const struct call *call,
                            struct value *result) {
    const struct value *self = call->self;
    double number = 0;
    if (self->kind == VALUE_UNDEFINED) return machine_undefined(machine, self);
    *result = call->values[0] ? *call->values[0] : value_float(0);
    TRY(machine_work(machine, SHOW_FLOAT_WORK));
    if (value_is_number(self))
        *result = value_float(value_number(self));
    else if (self->kind == VALUE_STRING && read_float(self->as.string, &number))
        *result = value_float(number);
    return STATUS_OK;
}

static enum status absolute(struct machine *machine, const struct call *call,
                            struct value *result) {
    const struct value *self = call->self, zero = value_integer(0);
    if (self->kind == VALUE_FLOAT) {
        *result = value_float(fabs(self->as.number));
        return STATUS_OK;
    }
    const bool negative = self->kind == VALUE_INTEGER && self->as.integer < 0;
    if (self->kind != VALUE_UNDEFINED && !value_is_number(self))
        return machine_fail(machine, "bad operand type for abs(): '%s'", value_type_name(self));
    return machine_binary(machine, negative ? OPERATOR_SUB : OPERATOR_ADD, &zero, self, result);
}

// Rounds to a number of digits; ties go to the even neighbour, as in Python.
static enum status round_common(struct machine *machine, const struct value *self,
                                int64_t precision, struct value *result) {
    char digits[NUMBER_BYTES];
    if (self->kind != VALUE_FLOAT && precision >= 0) {
        *result = value_integer(self->kind == VALUE_INTEGER ? self->as.integer : self->as.boolean);
        return STATUS_OK;
    }
    const double number = value_number(self);
    if (precision >= 0) {
        snprintf(digits, sizeof digits, "%.*f", (int)precision, number);
        *result = value_float(strtod(digits, NULL));
    } else {
        const double unit = pow(10, (double)-precision);
        *result = value_float(nearbyint(number / unit) * unit);
        if (self->kind == VALUE_FLOAT) return STATUS_OK;
        if (!(fabs(result->as.number) < 9.2e18))
            return machine_fail(machine, "an integer does not fit in 64 bits");
        *result = value_integer((int64_t)result->as.number);
    }
    return STATUS_OK;
}

static enum status round_number(struct machine *machine, const struct call *call,
                                struct value *result) {
    enum { PRECISION_MOST = 30 };
    const struct chars common = chars_of("common", 6, ORIGIN_TEXT), *method = &common;
    int64_t precision;
    if (call->self->kind == VALUE_UNDEFINED) return machine_undefined(machine, call->self);
    TRY(argument_integer(machine, call, 0, 0, &precision));
    TRY(argument_chars(machine, call, 1, false, &method));
    if (!value_is_number(call->self) || precision > PRECISION_MOST || precision < -PRECISION_MOST)
        return machine_fail(machine, "type %s cannot be rounded", value_type_name(call->self));
    TRY(machine_work(machine, SHOW_FLOAT_WORK));
    if (chars_are(method, "common")) return round_common(machine, call->self, precision, result);
    const bool up = chars_are(method, "ceil");
    if (!up && !chars_are(method, "floor"))
        return machine_fail(machine, "method must be common, ceil or floor");
    const double unit = pow(10, (double)precision), scaled = value_number(call->self) * unit;
    *result = value_float((up ? ceil(scaled) : floor(scaled)) / unit);
    return STATUS_OK;
}

// The text of each level: a number of spaces, or a string.
static enum status read_json_indent(struct machine *machine, const struct call *call,
                                    struct json_style *style) {
    enum { INDENT_MOST = 64 };
    static const char spaces[INDENT_MOST + 1] = "                                "
                                                "                                ";
    const struct value *given = call->values[1];
    int64_t width;
    if (!given || given->kind == VALUE_NONE) return STATUS_OK;
    if (given->kind == VALUE_STRING) {
        style->indent = given->as.string;
        return STATUS_OK;
    }
    TRY(argument_integer(machine, call, 1, 0, &width));
    if (width > INDENT_MOST) return machine_fail(machine, "tojson() indent is too wide");
    style->indent =
        chars_keep(machine->arena, chars_of(spaces, width > 0 ? (size_t)width : 0, ORIGIN_TEXT));
    return style->indent ? STATUS_OK : machine_full(machine, STATUS_FULL);
}

static enum status tojson(struct machine *machine, const struct call *call, struct value *result) {
    struct json_style style = {.ascii = argument_flag(call, 0, false),
                               .sort_keys = argument_flag(call, 3, false)};
    const struct value *separators = call->values[2];
    struct builder out = {.arena = machine->arena, .work = &machine->work_left};
    TRY(read_json_indent(machine, call, &style));
    if (separators && separators->kind != VALUE_NONE) {
        const struct list *pair;
        TRY(machine_items(machine, separators, &pair));
        if (pair->count != 2 || pair->items[0].kind != VALUE_STRING ||
            pair->items[1].kind != VALUE_STRING)
            return machine_fail(machine, "tojson() needs two separators");
        style.item_separator = pair->items[0].as.string;
        style.key_separator = pair->items[1].as.string;
    }
    const char *kind, *wrong = show_json(&out, call->self, &style, &kind);
    if (wrong && kind) return machine_fail(machine, "Object of type %s %s", kind, wrong);
    if (wrong) return machine_fail(machine, "%s", wrong);
    return machine_finish(machine, &out, result);
}

// Not part of Jinja; templates that read tool arguments expect it.
static enum status from_json(struct machine *machine, const struct call *call,
                             struct value *result) {
    enum { READINGS = 4 };
    struct error err = {0};
    const struct value *self = call->self;
    if (self->kind != VALUE_STRING)
        return machine_fail(machine, "from_json() expects a string, not '%s'",
                            value_type_name(self));
    TRY(machine_copy(machine, self->as.string->length * READINGS));
    const enum status status = json_value_read(self->as.string->bytes, self->as.string->length,
                                               machine->arena, result, &err);
    if (status == STATUS_BAD_INPUT) return machine_fail(machine, "from_json(): %s", err.text);
    return machine_full(machine, status);
}

static const struct builtin rows[] = {
    {"trim", trim, {"chars"}, 0, false},
    {"string", to_string, {NULL}, 0, false},
    {"safe", to_string, {NULL}, 0, false},
    {"upper", upper, {NULL}, 0, false},
    {"lower", lower, {NULL}, 0, false},
    {"title", title, {NULL}, 0, false},
    {"capitalize", capitalize, {NULL}, 0, false},
    {"replace", replace, {"old", "new", "count"}, 2, false},
    {"default", use_default, {"default_value", "boolean"}, 0, false},
    {"d", use_default, {"default_value", "boolean"}, 0, false},
    {"center", center, {"width"}, 0, false},
    {"indent", indent, {"width", "first", "blank"}, 0, false},
    {"truncate", truncate, {"length", "killwords", "end", "leeway"}, 0, false},
    {"wordcount", wordcount, {NULL}, 0, false},
    {"wordwrap",
     wordwrap,
     {"width", "break_long_words", "wrapstring", "break_on_hyphens"},
     0,
     false},
    {"escape", escape, {NULL}, 0, false},
    {"e", escape, {NULL}, 0, false},
    {"forceescape", escape, {NULL}, 0, false},
    {"urlencode", urlencode, {NULL}, 0, false},
    {"format", format, {NULL}, 0, true},
    {"int", to_integer, {"default", "base"}, 0, false},
    {"float", to_float, {"default"}, 0, false},
    {"abs", absolute, {NULL}, 0, false},
    {"round", round_number, {"precision", "method"}, 0, false},
    {"tojson", tojson, {"ensure_ascii", "indent", "separators", "sort_keys"}, 0, false},
    {"from_json", from_json, {NULL}, 0, false},
    {"fromjson", from_json, {NULL}, 0, false},
};

const struct builtin_table builtin_filters = {rows, sizeof rows / sizeof rows[0]};
