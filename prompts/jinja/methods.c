#include <string.h>

#include "kernels/base/text.h"
#include "prompts/jinja/argument.h"
#include "prompts/jinja/builtin.h"
#include "prompts/jinja/edit.h"
#include "prompts/jinja/format.h"

static const struct chars *text_of(const struct call *call) { return call->self->as.string; }

static enum status strip_sides(struct machine *machine, const struct call *call,
                               enum edit_sides sides, struct value *result) {
    const struct chars *set = NULL;
    TRY(argument_chars(machine, call, 0, false, &set));
    return edit_strip(machine, text_of(call), set, sides, result);
}

static enum status strip(struct machine *machine, const struct call *call, struct value *result) {
    return strip_sides(machine, call, EDIT_BOTH, result);
}

static enum status lstrip(struct machine *machine, const struct call *call, struct value *result) {
    return strip_sides(machine, call, EDIT_LEFT, result);
}

static enum status rstrip(struct machine *machine, const struct call *call, struct value *result) {
    return strip_sides(machine, call, EDIT_RIGHT, result);
}

static enum status split_from(struct machine *machine, const struct call *call, bool from_right,
                              struct value *result) {
    struct edit_split how = {.from_right = from_right};
    TRY(argument_chars(machine, call, 0, false, &how.separator));
    TRY(argument_integer(machine, call, 1, -1, &how.most));
    return edit_split(machine, text_of(call), &how, result);
}

static enum status split(struct machine *machine, const struct call *call, struct value *result) {
    return split_from(machine, call, false, result);
}

static enum status rsplit(struct machine *machine, const struct call *call, struct value *result) {
    return split_from(machine, call, true, result);
}

static enum status splitlines(struct machine *machine, const struct call *call,
                              struct value *result) {
    return edit_split_lines(machine, text_of(call), argument_flag(call, 0, false), result);
}

// Bytes [from, to) for the optional arguments start and end, from number `first` on.
static enum status read_window(struct machine *machine, const struct call *call, size_t first,
                               size_t *from, size_t *to, bool *sound) {
    const int64_t length = (int64_t)text_of(call)->count;
    int64_t start, end;
    if (text_of(call)->count < text_of(call)->length)
        TRY(machine_copy(machine, text_of(call)->length));
    TRY(argument_integer(machine, call, first, 0, &start));
    TRY(argument_integer(machine, call, first + 1, length, &end));
    if (start < 0) start = start < -length ? 0 : start + length;
    if (end < 0) end = end < -length ? 0 : end + length;
    if (end > length) end = length;
    *sound = start <= end;
    *from = chars_offset(text_of(call), (size_t)(start > length ? length : start));
    *to = chars_offset(text_of(call), (size_t)end);
    return STATUS_OK;
}

static bool is_at(const struct chars *string, const struct chars *part, size_t from, size_t to,
                  bool end) {
    if (to - from < part->length) return false;
    const size_t at = end ? to - part->length : from;
    return part->length == 0 || memcmp(string->bytes + at, part->bytes, part->length) == 0;
}

// startswith() and endswith() accept one part or a tuple of them.
static enum status has_end(struct machine *machine, const struct call *call, bool end,
                           struct value *result) {
    const struct value *parts = call->values[0];
    const bool several = parts->kind == VALUE_TUPLE;
    const size_t count = several ? parts->as.list->count : 1;
    size_t from, to;
    bool sound, found = false;
    TRY(read_window(machine, call, 1, &from, &to, &sound));
    for (size_t i = 0; i < count && !found; i++) {
        const struct value *part = several ? &parts->as.list->items[i] : parts;
        if (part->kind == VALUE_UNDEFINED) return machine_undefined(machine, part);
        if (part->kind != VALUE_STRING)
            return machine_fail(machine, "%s first arg must be str or a tuple of str, not %s",
                                end ? "endswith" : "startswith", value_type_name(part));
        TRY(machine_copy(machine, part->as.string->length));
        found = sound && is_at(text_of(call), part->as.string, from, to, end);
    }
    *result = value_boolean(found);
    return STATUS_OK;
}

static enum status startswith(struct machine *machine, const struct call *call,
                              struct value *result) {
    return has_end(machine, call, false, result);
}

static enum status endswith(struct machine *machine, const struct call *call,
                            struct value *result) {
    return has_end(machine, call, true, result);
}

static enum status replace(struct machine *machine, const struct call *call, struct value *result) {
    const struct chars *old = NULL, *by = NULL;
    int64_t most;
    TRY(argument_chars(machine, call, 0, false, &old));
    TRY(argument_chars(machine, call, 1, false, &by));
    TRY(argument_integer(machine, call, 2, -1, &most));
    if (!old || !by) return machine_fail(machine, "replace() expects strings");
    return edit_replace(machine, text_of(call), old, by, most, result);
}

static enum status upper(struct machine *machine, const struct call *call, struct value *result) {
    return edit_case(machine, text_of(call), EDIT_UPPER, result);
}

static enum status lower(struct machine *machine, const struct call *call, struct value *result) {
    return edit_case(machine, text_of(call), EDIT_LOWER, result);
}

static enum status casefold(struct machine *machine, const struct call *call,
                            struct value *result) {
    return edit_case(machine, text_of(call), EDIT_FOLD, result);
}

static enum status title(struct machine *machine, const struct call *call, struct value *result) {
    return edit_case(machine, text_of(call), EDIT_TITLE, result);
}

static enum status capitalize(struct machine *machine, const struct call *call,
                              struct value *result) {
    return edit_case(machine, text_of(call), EDIT_CAPITALIZE, result);
}

static enum status swapcase(struct machine *machine, const struct call *call,
                            struct value *result) {
    return edit_case(machine, text_of(call), EDIT_SWAP, result);
}

static enum status join(struct machine *machine, const struct call *call, struct value *result) {
    const struct list *items;
    TRY(machine_items(machine, call->values[0], &items));
    for (size_t i = 0; i < items->count; i++)
        if (items->items[i].kind != VALUE_STRING)
            return machine_fail(machine, "sequence item %zu: expected str instance, %s found", i,
                                value_type_name(&items->items[i]));
    return edit_join(machine, items, text_of(call), result);
}

struct search {
    bool from_right, must;
};

static enum status search(struct machine *machine, const struct call *call, struct search how,
                          struct value *result) {
    const struct chars *part = NULL;
    size_t from, to, at;
    bool sound;
    TRY(argument_chars(machine, call, 0, false, &part));
    if (!part) return machine_fail(machine, "must be str, not None");
    TRY(machine_search(machine, text_of(call)->length, part, how.from_right));
    TRY(read_window(machine, call, 1, &from, &to, &sound));
    const bool found =
        sound && (how.from_right ? chars_find_last(text_of(call), part, from, to, &at)
                                 : chars_find(text_of(call), part, from, to, &at));
    if (!found && how.must) return machine_fail(machine, "substring not found");
    *result = value_integer(found ? (int64_t)chars_index(text_of(call), at) : -1);
    return STATUS_OK;
}

static enum status find(struct machine *machine, const struct call *call, struct value *result) {
    return search(machine, call, (struct search){false, false}, result);
}

static enum status rfind(struct machine *machine, const struct call *call, struct value *result) {
    return search(machine, call, (struct search){true, false}, result);
}

static enum status text_index(struct machine *machine, const struct call *call,
                              struct value *result) {
    return search(machine, call, (struct search){false, true}, result);
}

static enum status text_rindex(struct machine *machine, const struct call *call,
                               struct value *result) {
    return search(machine, call, (struct search){true, true}, result);
}

static enum status count_text(struct machine *machine, const struct call *call,
                              struct value *result) {
    const struct chars *part = NULL;
    size_t from, to, at;
    bool sound;
    int64_t count = 0;
    TRY(argument_chars(machine, call, 0, false, &part));
    if (!part) return machine_fail(machine, "must be str, not None");
    TRY(machine_search(machine, text_of(call)->length, part, false));
    TRY(read_window(machine, call, 1, &from, &to, &sound));
    if (sound && part->length == 0) {
        count = (int64_t)chars_slice(text_of(call), from, to).count + 1;
        sound = false;
    }
    for (; sound && chars_find(text_of(call), part, from, to, &at); from = at + part->length) {
        TRY(machine_work(machine, 1));
        count++;
    }
    *result = value_integer(count);
    return STATUS_OK;
}

enum class { CLASS_DIGIT, CLASS_ALPHA, CLASS_ALNUM, CLASS_SPACE };

// Beyond ASCII, letters are characters with case, and all of scripts without case.
static bool is_of(const struct machine *machine, uint32_t c, enum class class) {
    const bool digit = c >= '0' && c <= '9';
    const bool cased = char_upper(c, machine->locale) != c || char_lower(c, machine->locale) != c;
    const bool letter = cased || (c >= 0xC0 && c != 0xD7 && c != 0xF7 && !char_is_space(c) &&
                                  !(c >= 0x2000 && c <= 0x2BFF) && !(c >= 0x3000 && c <= 0x3020) &&
                                  !(c >= 0xE000 && c <= 0xF8FF) && c < 0x1F000);
    switch (class) {
    case CLASS_DIGIT:
        return digit;
    case CLASS_ALPHA:
        return letter;
    case CLASS_ALNUM:
        return digit || letter;
    case CLASS_SPACE:
        return char_is_space(c);
    }
    return false;
}

static enum status is_all(struct machine *machine, const struct call *call, enum class class,
                          struct value *result) {
    const struct chars *string = text_of(call);
    bool all = string->length > 0;
    TRY(machine_copy(machine, string->length * 8));
    for (size_t at = 0, used; all && at < string->length; at += used)
        all = is_of(machine, utf8_decode(string->bytes + at, string->length - at, &used), class);
    *result = value_boolean(all);
    return STATUS_OK;
}

static enum status is_digit(struct machine *machine, const struct call *call,
                            struct value *result) {
    return is_all(machine, call, CLASS_DIGIT, result);
}

static enum status is_alpha(struct machine *machine, const struct call *call,
                            struct value *result) {
    return is_all(machine, call, CLASS_ALPHA, result);
}

static enum status is_alnum(struct machine *machine, const struct call *call,
                            struct value *result) {
    return is_all(machine, call, CLASS_ALNUM, result);
}

static enum status is_space(struct machine *machine, const struct call *call,
                            struct value *result) {
    return is_all(machine, call, CLASS_SPACE, result);
}

static enum status run_test(struct machine *machine, const struct call *call, const char *test,
                            struct value *result) {
    const struct arguments none = {0};
    return builtin_run(machine, builtin_find(BUILTIN_TEST, test), call->self, &none, result);
}

static enum status is_upper(struct machine *machine, const struct call *call,
                            struct value *result) {
    return run_test(machine, call, "upper", result);
}

static enum status is_lower(struct machine *machine, const struct call *call,
                            struct value *result) {
    return run_test(machine, call, "lower", result);
}

static enum status pad(struct machine *machine, const struct call *call, enum edit_sides sides,
                       struct value *result) {
    const struct chars space = chars_of(" ", 1, ORIGIN_TEXT);
    const struct chars *fill = &space;
    int64_t width;
    TRY(argument_integer(machine, call, 0, 0, &width));
    TRY(argument_chars(machine, call, 1, false, &fill));
    return edit_pad(machine, text_of(call), width, fill, sides, result);
}

static enum status ljust(struct machine *machine, const struct call *call, struct value *result) {
    return pad(machine, call, EDIT_RIGHT, result);
}

static enum status rjust(struct machine *machine, const struct call *call, struct value *result) {
    return pad(machine, call, EDIT_LEFT, result);
}

static enum status center(struct machine *machine, const struct call *call, struct value *result) {
    return pad(machine, call, EDIT_BOTH, result);
}

static enum status zfill(struct machine *machine, const struct call *call, struct value *result) {
    const struct chars zero = chars_of("0", 1, ORIGIN_TEXT), *string = text_of(call);
    const bool sign = string->length && (string->bytes[0] == '-' || string->bytes[0] == '+');
    const struct chars digits = chars_slice(string, sign ? 1 : 0, string->length);
    struct builder out = {.arena = machine->arena};
    struct value padded;
    int64_t width;
    TRY(argument_integer(machine, call, 0, 0, &width));
    TRY(edit_pad(machine, &digits, width - sign, &zero, EDIT_LEFT, &padded));
    builder_push_slice(&out, string, 0, sign ? 1 : 0);
    builder_push_chars(&out, padded.as.string);
    return machine_finish(machine, &out, result);
}

static enum status format(struct machine *machine, const struct call *call, struct value *result) {
    return format_braces(machine, text_of(call), call->all, result);
}

static enum status remove_end(struct machine *machine, const struct call *call, bool end,
                              struct value *result) {
    const struct chars *part = NULL, *string = text_of(call);
    TRY(argument_chars(machine, call, 0, false, &part));
    if (!part) return machine_fail(machine, "must be str, not None");
    TRY(machine_copy(machine, part->length));
    const bool there = is_at(string, part, 0, string->length, end);
    const size_t cut = there ? part->length : 0;
    return machine_slice_text(machine, string, end ? 0 : cut,
                              end ? string->length - cut : string->length, result);
}

static enum status removeprefix(struct machine *machine, const struct call *call,
                                struct value *result) {
    return remove_end(machine, call, false, result);
}

static enum status removesuffix(struct machine *machine, const struct call *call,
                                struct value *result) {
    return remove_end(machine, call, true, result);
}

static enum status partition_from(struct machine *machine, const struct call *call, bool from_right,
                                  struct value *result) {
    const struct chars *part = NULL, *string = text_of(call);
    size_t at = from_right ? 0 : string->length, length = 0;
    struct list *list;
    TRY(argument_chars(machine, call, 0, false, &part));
    if (!part || part->length == 0) return machine_fail(machine, "empty separator");
    TRY(machine_search(machine, string->length, part, from_right));
    if (from_right ? chars_find_last(string, part, 0, string->length, &at)
                   : chars_find(string, part, 0, string->length, &at))
        length = part->length;
    const size_t cuts[] = {0, at, at + length, string->length};
    TRY(machine_list(machine, VALUE_TUPLE, &list, result));
    for (size_t i = 0; i < 3; i++) {
        struct value piece;
        TRY(machine_slice_text(machine, string, cuts[i], cuts[i + 1], &piece));
        TRY(machine_push(machine, list, piece));
    }
    return STATUS_OK;
}

static enum status partition(struct machine *machine, const struct call *call,
                             struct value *result) {
    return partition_from(machine, call, false, result);
}

static enum status rpartition(struct machine *machine, const struct call *call,
                              struct value *result) {
    return partition_from(machine, call, true, result);
}

enum part { PART_KEYS, PART_VALUES, PART_ITEMS };

static enum status view(struct machine *machine, const struct call *call, enum part part,
                        struct value *result) {
    const struct dict *dict = call->self->as.dict;
    static const char *const names[] = {"dict_keys", "dict_values", "dict_items"};
    struct list *list, *pair;
    TRY(machine_list(machine, VALUE_VIEW, &list, result));
    list->name = names[part];
    for (size_t i = 0; i < dict->count; i++) {
        struct value item = part == PART_KEYS ? dict->entries[i].key : dict->entries[i].value;
        if (part == PART_ITEMS) {
            TRY(machine_list(machine, VALUE_TUPLE, &pair, &item));
            TRY(machine_push(machine, pair, dict->entries[i].key));
            TRY(machine_push(machine, pair, dict->entries[i].value));
        }
        TRY(machine_push(machine, list, item));
    }
    return STATUS_OK;
}

static enum status keys(struct machine *machine, const struct call *call, struct value *result) {
    return view(machine, call, PART_KEYS, result);
}

static enum status values(struct machine *machine, const struct call *call, struct value *result) {
    return view(machine, call, PART_VALUES, result);
}

static enum status items(struct machine *machine, const struct call *call, struct value *result) {
    return view(machine, call, PART_ITEMS, result);
}

static enum status get(struct machine *machine, const struct call *call, struct value *result) {
    TRY(machine_key(machine, call->values[0]));
    const struct value *found = dict_find(call->self->as.dict, call->values[0]);
    *result = found ? *found : call->values[1] ? *call->values[1] : value_none();
    return STATUS_OK;
}

static enum status copy(struct machine *machine, const struct call *call, struct value *result) {
    (void)machine;
    *result = *call->self; // values are immutable
    return STATUS_OK;
}

// Refuses methods that would change a dict or list: templates see immutable values.
static enum status refuse_change(struct machine *machine, const struct call *call,
                                 struct value *result) {
    (void)result;
    return machine_fail(machine, "a template cannot change a %s", value_type_name(call->self));
}

static bool is_list(const struct call *call) {
    return call->self->kind == VALUE_LIST || call->self->kind == VALUE_TUPLE;
}

static enum status count_items(struct machine *machine, const struct call *call,
                               struct value *result) {
    int64_t count = 0;
    if (!is_list(call)) return machine_fail(machine, "count() needs a list");
    for (size_t i = 0; i < call->self->as.list->count; i++) {
        bool same;
        TRY(machine_compare(machine, OPERATOR_EQ, &call->self->as.list->items[i], call->values[0],
                            &same));
        count += same;
    }
    *result = value_integer(count);
    return STATUS_OK;
}

static enum status index_item(struct machine *machine, const struct call *call,
                              struct value *result) {
    if (!is_list(call)) return machine_fail(machine, "index() needs a list");
    for (size_t i = 0; i < call->self->as.list->count; i++) {
        bool same;
        TRY(machine_compare(machine, OPERATOR_EQ, &call->self->as.list->items[i], call->values[0],
                            &same));
        *result = value_integer((int64_t)i);
        if (same) return STATUS_OK;
    }
    return machine_fail(machine, "the value is not in the list");
}

// loop.cycle(a, b): chooses by the loop's index.
static enum status cycle(struct machine *machine, const struct call *call, struct value *result) {
    if (call->self->kind != VALUE_LOOP || call->all->count == 0)
        return machine_fail(machine, "no items for cycling given");
    *result = call->all->values[call->self->as.loop->index % call->all->count];
    return STATUS_OK;
}

// loop.changed(value): does it differ from the last call's value?
static enum status changed(struct machine *machine, const struct call *call, struct value *result) {
    if (call->self->kind != VALUE_LOOP) return machine_fail(machine, "changed() needs a loop");
    struct loop *loop = call->self->as.loop;
    struct list *given;
    struct value holder;
    bool same = false;
    TRY(machine_list(machine, VALUE_TUPLE, &given, &holder));
    for (size_t i = 0; i < call->all->count; i++)
        TRY(machine_push(machine, given, call->all->values[i]));
    if (loop->changed) {
        const struct value before = {VALUE_TUPLE, {.list = loop->changed}};
        TRY(machine_compare(machine, OPERATOR_EQ, &before, &holder, &same));
    }
    loop->changed = given;
    *result = value_boolean(!same);
    return STATUS_OK;
}

static enum status next(struct machine *machine, const struct call *call, struct value *result) {
    if (call->self->kind != VALUE_CYCLER) return machine_fail(machine, "next() needs a cycler");
    struct cycle *cycler = call->self->as.cycle;
    *result = cycler->items->items[cycler->at];
    cycler->at = (cycler->at + 1) % cycler->items->count;
    return STATUS_OK;
}

static enum status reset(struct machine *machine, const struct call *call, struct value *result) {
    if (call->self->kind != VALUE_CYCLER) return machine_fail(machine, "reset() needs a cycler");
    call->self->as.cycle->at = 0;
    *result = value_none();
    return STATUS_OK;
}

static const struct builtin text_rows[] = {
    {"strip", strip, {"chars"}, 0, false},
    {"lstrip", lstrip, {"chars"}, 0, false},
    {"rstrip", rstrip, {"chars"}, 0, false},
    {"split", split, {"sep", "maxsplit"}, 0, false},
    {"rsplit", rsplit, {"sep", "maxsplit"}, 0, false},
    {"splitlines", splitlines, {"keepends"}, 0, false},
    {"startswith", startswith, {"prefix", "start", "end"}, 1, false},
    {"endswith", endswith, {"suffix", "start", "end"}, 1, false},
    {"replace", replace, {"old", "new", "count"}, 2, false},
    {"upper", upper, {NULL}, 0, false},
    {"lower", lower, {NULL}, 0, false},
    {"casefold", casefold, {NULL}, 0, false},
    {"title", title, {NULL}, 0, false},
    {"capitalize", capitalize, {NULL}, 0, false},
    {"swapcase", swapcase, {NULL}, 0, false},
    {"join", join, {"iterable"}, 1, false},
    {"find", find, {"sub", "start", "end"}, 1, false},
    {"rfind", rfind, {"sub", "start", "end"}, 1, false},
    {"index", text_index, {"sub", "start", "end"}, 1, false},
    {"rindex", text_rindex, {"sub", "start", "end"}, 1, false},
    {"count", count_text, {"sub", "start", "end"}, 1, false},
    {"isdigit", is_digit, {NULL}, 0, false},
    {"isdecimal", is_digit, {NULL}, 0, false},
    {"isnumeric", is_digit, {NULL}, 0, false},
    {"isalpha", is_alpha, {NULL}, 0, false},
    {"isalnum", is_alnum, {NULL}, 0, false},
    {"isspace", is_space, {NULL}, 0, false},
    {"isupper", is_upper, {NULL}, 0, false},
    {"islower", is_lower, {NULL}, 0, false},
    {"ljust", ljust, {"width", "fillchar"}, 1, false},
    {"rjust", rjust, {"width", "fillchar"}, 1, false},
    {"center", center, {"width", "fillchar"}, 1, false},
    {"zfill", zfill, {"width"}, 1, false},
    {"format", format, {NULL}, 0, true},
    {"removeprefix", removeprefix, {"prefix"}, 1, false},
    {"removesuffix", removesuffix, {"suffix"}, 1, false},
    {"partition", partition, {"sep"}, 1, false},
    {"rpartition", rpartition, {"sep"}, 1, false},
};

static const struct builtin dict_rows[] = {
    {"get", get, {"key", "default"}, 1, false}, {"items", items, {NULL}, 0, false},
    {"keys", keys, {NULL}, 0, false},           {"values", values, {NULL}, 0, false},
    {"copy", copy, {NULL}, 0, false},           {"update", refuse_change, {NULL}, 0, true},
    {"pop", refuse_change, {NULL}, 0, true},    {"popitem", refuse_change, {NULL}, 0, true},
    {"clear", refuse_change, {NULL}, 0, true},  {"setdefault", refuse_change, {NULL}, 0, true},
};

static const struct builtin list_rows[] = {
    {"count", count_items, {"value"}, 1, false},
    {"index", index_item, {"value"}, 1, false},
    {"copy", copy, {NULL}, 0, false},
    {"cycle", cycle, {NULL}, 0, true},
    {"changed", changed, {NULL}, 0, true},
    {"next", next, {NULL}, 0, false},
    {"reset", reset, {NULL}, 0, false},
    {"append", refuse_change, {NULL}, 0, true},
    {"extend", refuse_change, {NULL}, 0, true},
    {"insert", refuse_change, {NULL}, 0, true},
    {"remove", refuse_change, {NULL}, 0, true},
    {"pop", refuse_change, {NULL}, 0, true},
    {"sort", refuse_change, {NULL}, 0, true},
    {"reverse", refuse_change, {NULL}, 0, true},
    {"clear", refuse_change, {NULL}, 0, true},
};

const struct builtin_table builtin_text_methods = {text_rows,
                                                   sizeof text_rows / sizeof text_rows[0]};
const struct builtin_table builtin_dict_methods = {dict_rows,
                                                   sizeof dict_rows / sizeof dict_rows[0]};
const struct builtin_table builtin_list_methods = {list_rows,
                                                   sizeof list_rows / sizeof list_rows[0]};
