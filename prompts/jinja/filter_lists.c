#include <string.h>

#include "prompts/jinja/argument.h"
#include "prompts/jinja/builtin.h"
#include "prompts/jinja/edit.h"
#include "prompts/jinja/show.h"

// An item and its sort key: an attribute's value, in lower case unless case matters.
struct keyed {
    struct value key, item;
};

// `value.a.b.0` for the attribute "a.b.0", or item number `attribute`.
static enum status follow_attribute(struct machine *machine, const struct value *value,
                                    const struct value *attribute, struct value *result) {
    *result = *value;
    if (attribute->kind != VALUE_STRING) {
        const struct value of = *value;
        return machine_subscript(machine, &of, attribute, result);
    }
    const struct chars *path = attribute->as.string;
    for (size_t from = 0; from <= path->length;) {
        const char *dot =
            path->length > from ? memchr(path->bytes + from, '.', path->length - from) : NULL;
        const size_t to = dot ? (size_t)(dot - path->bytes) : path->length;
        struct value part;
        const struct value of = *result;
        int64_t number = 0;
        bool digits = to > from && to - from < 10;
        for (size_t i = from; digits && i < to; i++) {
            digits = path->bytes[i] >= '0' && path->bytes[i] <= '9';
            number = number * 10 + (path->bytes[i] - '0');
        }
        TRY(machine_slice_text(machine, path, from, to, &part));
        if (digits) part = value_integer(number);
        TRY(machine_subscript(machine, &of, &part, result));
        from = to + 1;
    }
    return STATUS_OK;
}

static enum status self_items(struct machine *machine, const struct call *call,
                              const struct list **items) {
    return machine_items(machine, call->self, items);
}

static enum status nothing(struct machine *machine, const char *hint, struct value *result) {
    struct undefined *undefined = arena_alloc(machine->arena, 1, sizeof *undefined);
    if (!undefined) return machine_full(machine, STATUS_FULL);
    undefined->hint = hint;
    *result = (struct value){VALUE_UNDEFINED, {.undefined = undefined}};
    return STATUS_OK;
}

static enum status first(struct machine *machine, const struct call *call, struct value *result) {
    const struct list *items;
    TRY(self_items(machine, call, &items));
    if (items->count == 0) return nothing(machine, "No first item, sequence was empty.", result);
    *result = items->items[0];
    return STATUS_OK;
}

static enum status last(struct machine *machine, const struct call *call, struct value *result) {
    const struct list *items;
    TRY(self_items(machine, call, &items));
    if (items->count == 0) return nothing(machine, "No last item, sequence was empty.", result);
    *result = items->items[items->count - 1];
    return STATUS_OK;
}

static enum status length(struct machine *machine, const struct call *call, struct value *result) {
    if (!value_has_length(call->self))
        return machine_fail(machine, "object of type '%s' has no len()",
                            value_type_name(call->self));
    *result = value_integer((int64_t)value_length(call->self));
    return STATUS_OK;
}

static enum status to_list(struct machine *machine, const struct call *call, struct value *result) {
    const struct list *items;
    TRY(self_items(machine, call, &items));
    *result = (struct value){VALUE_LIST, {.list = items}};
    return STATUS_OK;
}

static enum status join(struct machine *machine, const struct call *call, struct value *result) {
    const struct chars empty = chars_of("", 0, ORIGIN_TEXT), *separator = &empty;
    const struct list *items;
    TRY(self_items(machine, call, &items));
    if (call->values[0]) TRY(machine_string(machine, call->values[0], &separator));
    if (call->values[1] && call->values[1]->kind != VALUE_NONE) {
        struct list *picked;
        struct value holder, item;
        TRY(machine_list(machine, VALUE_LIST, &picked, &holder));
        for (size_t i = 0; i < items->count; i++) {
            TRY(follow_attribute(machine, &items->items[i], call->values[1], &item));
            TRY(machine_push(machine, picked, item));
        }
        items = picked;
    }
    return edit_join(machine, items, separator, result);
}

static enum status reverse(struct machine *machine, const struct call *call, struct value *result) {
    const struct list *items;
    struct list *list;
    const bool text = call->self->kind == VALUE_STRING;
    TRY(self_items(machine, call, &items));
    TRY(machine_list(machine, text ? VALUE_LIST : VALUE_GENERATOR, &list, result));
    for (size_t i = items->count; i-- > 0;)
        TRY(machine_push(machine, list, items->items[i]));
    const struct chars empty = chars_of("", 0, ORIGIN_TEXT);
    return text ? edit_join(machine, list, &empty, result) : STATUS_OK;
}

// Compares two keys, in ascending or descending order.
static enum status in_order(struct machine *machine, const struct keyed *a, const struct keyed *b,
                            bool descending, bool *swap) {
    int order;
    TRY(machine_order(machine, &a->key, &b->key, &order));
    *swap = descending ? order < 0 : order > 0;
    return STATUS_OK;
}

// A merge sort: items with equal keys keep their order.
static enum status sort_keyed(struct machine *machine, struct keyed *items, size_t count,
                              bool descending) {
    struct keyed *from = items, *to = arena_alloc(machine->arena, count, sizeof *to);
    if (!to) return machine_full(machine, STATUS_FULL);
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            const size_t middle = begin + width < count ? begin + width : count;
            const size_t end = middle + width < count ? middle + width : count;
            size_t left = begin, right = middle;
            for (size_t at = begin; at < end; at++) {
                bool take_right = left == middle;
                if (left < middle && right < end)
                    TRY(in_order(machine, &from[left], &from[right], descending, &take_right));
                to[at] = take_right ? from[right++] : from[left++];
            }
        }
        struct keyed *const swapped = from;
        from = to;
        to = swapped;
    }
    if (from != items && count) memcpy(items, from, count * sizeof *items);
    return STATUS_OK;
}

static enum status make_key(struct machine *machine, const struct value *item,
                            const struct value *attribute, bool case_matters, struct value *key) {
    *key = *item;
    if (attribute && attribute->kind != VALUE_NONE)
        TRY(follow_attribute(machine, item, attribute, key));
    if (case_matters || key->kind != VALUE_STRING) return STATUS_OK;
    return edit_case(machine, key->as.string, EDIT_LOWER, key);
}

struct keying {
    const struct value *attribute; // or NULL
    bool case_matters;
};

static enum status make_keyed(struct machine *machine, const struct list *items,
                              const struct keying *how, struct keyed **result) {
    struct keyed *keyed = *result = arena_alloc(machine->arena, items->count, sizeof *keyed);
    if (!keyed) return machine_full(machine, STATUS_FULL);
    for (size_t i = 0; i < items->count; i++) {
        keyed[i].item = items->items[i];
        TRY(make_key(machine, &keyed[i].item, how->attribute, how->case_matters, &keyed[i].key));
    }
    return STATUS_OK;
}

static enum status sort(struct machine *machine, const struct call *call, struct value *result) {
    const struct keying how = {call->values[2], argument_flag(call, 1, false)};
    const struct list *items;
    struct keyed *keyed;
    struct list *list;
    TRY(self_items(machine, call, &items));
    TRY(make_keyed(machine, items, &how, &keyed));
    TRY(sort_keyed(machine, keyed, items->count, argument_flag(call, 0, false)));
    TRY(machine_list(machine, VALUE_LIST, &list, result));
    for (size_t i = 0; i < items->count; i++)
        TRY(machine_push(machine, list, keyed[i].item));
    return STATUS_OK;
}

static enum status unique(struct machine *machine, const struct call *call, struct value *result) {
    const struct keying how = {call->values[1], argument_flag(call, 0, false)};
    const struct list *items;
    struct keyed *keyed;
    struct list *list, *seen;
    struct value holder;
    TRY(self_items(machine, call, &items));
    TRY(make_keyed(machine, items, &how, &keyed));
    TRY(machine_list(machine, VALUE_GENERATOR, &list, result));
    TRY(machine_list(machine, VALUE_LIST, &seen, &holder));
    for (size_t i = 0; i < items->count; i++) {
        bool known;
        TRY(machine_compare(machine, OPERATOR_IN, &keyed[i].key, &holder, &known));
        if (known) continue;
        TRY(machine_push(machine, seen, keyed[i].key));
        TRY(machine_push(machine, list, keyed[i].item));
    }
    return STATUS_OK;
}

static enum status extreme(struct machine *machine, const struct call *call, bool largest,
                           struct value *result) {
    const struct keying how = {call->values[1], argument_flag(call, 0, false)};
    const struct list *items;
    struct keyed *keyed;
    size_t best = 0;
    TRY(self_items(machine, call, &items));
    if (items->count == 0)
        return nothing(machine, "No aggregated item, sequence was empty.", result);
    TRY(make_keyed(machine, items, &how, &keyed));
    for (size_t i = 1; i < items->count; i++) {
        bool better;
        TRY(in_order(machine, &keyed[best], &keyed[i], largest, &better));
        if (better) best = i;
    }
    *result = keyed[best].item;
    return STATUS_OK;
}

static enum status min(struct machine *machine, const struct call *call, struct value *result) {
    return extreme(machine, call, false, result);
}

static enum status max(struct machine *machine, const struct call *call, struct value *result) {
    return extreme(machine, call, true, result);
}

static enum status sum(struct machine *machine, const struct call *call, struct value *result) {
    const struct list *items;
    struct value total = call->values[1] ? *call->values[1] : value_integer(0);
    TRY(self_items(machine, call, &items));
    for (size_t i = 0; i < items->count; i++) {
        struct value item;
        const struct value before = total;
        TRY(machine_work(machine, 1));
        TRY(make_key(machine, &items->items[i], call->values[0], true, &item));
        TRY(machine_binary(machine, OPERATOR_ADD, &before, &item, &total));
    }
    *result = total;
    return STATUS_OK;
}

static enum status push_pair(struct machine *machine, struct list *list, bool group, struct value a,
                             struct value b) {
    struct list *pair;
    struct value holder;
    TRY(machine_list(machine, VALUE_TUPLE, &pair, &holder));
    pair->group = group;
    TRY(machine_push(machine, pair, a));
    TRY(machine_push(machine, pair, b));
    return machine_push(machine, list, holder);
}

// Makes pairs of an attribute's value and the items that have it.
static enum status groupby(struct machine *machine, const struct call *call, struct value *result) {
    const struct keying how = {call->values[0], argument_flag(call, 2, false)};
    const struct list *items;
    struct keyed *keyed;
    struct list *list, *group = NULL;
    struct value holder, name;
    TRY(self_items(machine, call, &items));
    TRY(make_keyed(machine, items, &how, &keyed));
    for (size_t i = 0; i < items->count; i++)
        if (keyed[i].key.kind == VALUE_UNDEFINED && call->values[1])
            keyed[i].key = *call->values[1];
    TRY(sort_keyed(machine, keyed, items->count, false));
    TRY(machine_list(machine, VALUE_LIST, &list, result));
    for (size_t i = 0; i < items->count; i++) {
        bool same = false;
        if (i > 0)
            TRY(machine_compare(machine, OPERATOR_EQ, &keyed[i - 1].key, &keyed[i].key, &same));
        if (!same) {
            TRY(machine_list(machine, VALUE_LIST, &group, &holder));
            TRY(make_key(machine, &keyed[i].item, how.attribute, true, &name));
            if (name.kind == VALUE_UNDEFINED) name = keyed[i].key;
            TRY(push_pair(machine, list, true, name, holder));
        }
        TRY(machine_push(machine, group, keyed[i].item));
    }
    return STATUS_OK;
}

static enum status entries(struct machine *machine, const struct call *call, struct value *result) {
    const struct arguments none = {0};
    struct list *list;
    if (call->self->kind == VALUE_UNDEFINED)
        return machine_list(machine, VALUE_GENERATOR, &list, result);
    if (call->self->kind != VALUE_DICT)
        return machine_fail(machine, "Can only get item pairs from a mapping.");
    TRY(builtin_run(machine, builtin_find(BUILTIN_DICT_METHOD, "items"), call->self, &none,
                    result));
    result->kind = VALUE_GENERATOR;
    return STATUS_OK;
}

static enum status dictsort(struct machine *machine, const struct call *call,
                            struct value *result) {
    const struct chars by_key = chars_of("key", 3, ORIGIN_TEXT), *by = &by_key;
    const bool case_matters = argument_flag(call, 0, false);
    struct list *list;
    TRY(argument_chars(machine, call, 1, false, &by));
    const bool by_value = chars_are(by, "value");
    if (!by_value && !chars_are(by, "key"))
        return machine_fail(machine, "You can only sort by either \"key\" or \"value\"");
    if (call->self->kind == VALUE_UNDEFINED) return machine_undefined(machine, call->self);
    if (call->self->kind != VALUE_DICT)
        return machine_fail(machine, "'%s' object has no attribute 'items'",
                            value_type_name(call->self));
    const struct dict *dict = call->self->as.dict;
    struct keyed *keyed = arena_alloc(machine->arena, dict->count, sizeof *keyed);
    TRY(machine_list(machine, VALUE_LIST, &list, result));
    if (!keyed) return machine_full(machine, STATUS_FULL);
    for (size_t i = 0; i < dict->count; i++) {
        const struct dict_entry *entry = &dict->entries[i];
        struct list pairs = {0};
        TRY(push_pair(machine, &pairs, false, entry->key, entry->value));
        keyed[i].item = pairs.items[0];
        TRY(make_key(machine, by_value ? &entry->value : &entry->key, NULL, case_matters,
                     &keyed[i].key));
    }
    TRY(sort_keyed(machine, keyed, dict->count, argument_flag(call, 2, false)));
    for (size_t i = 0; i < dict->count; i++)
        TRY(machine_push(machine, list, keyed[i].item));
    return STATUS_OK;
}

// The arguments from index `first` on.
static struct arguments rest_of(const struct arguments *all, size_t first) {
    struct arguments rest = *all;
    rest.count = all->count > first ? all->count - first : 0;
    rest.values = rest.count ? all->values + first : NULL;
    return rest;
}

static enum status find_named(struct machine *machine, enum builtin_kind kind,
                              const struct value *name, const struct builtin **builtin) {
    const char *what = kind == BUILTIN_FILTER ? "filter" : "test";
    if (name->kind != VALUE_STRING)
        return machine_fail(machine, "the name of a %s must be a string", what);
    *builtin = builtin_find_chars(kind, name->as.string);
    if (*builtin) return STATUS_OK;
    const int shown = name->as.string->length > 40 ? 40 : (int)name->as.string->length;
    return machine_fail(machine, "no %s named '%.*s'", what, shown, name->as.string->bytes);
}

static const struct value *named_argument(const struct call *call, const char *name) {
    for (size_t i = 0; i < call->all->named_count; i++)
        if (chars_are(call->all->named[i].name, name)) return &call->all->named[i].value;
    return NULL;
}

// map('upper') or map(attribute='name', default='x'). False values, such as none, give an empty
// list, as in select() and its relatives.
static enum status map(struct machine *machine, const struct call *call, struct value *result) {
    const struct value *attribute = named_argument(call, "attribute");
    const struct value *otherwise = named_argument(call, "default");
    const struct arguments rest = rest_of(call->all, 1);
    const struct builtin *builtin = NULL;
    const struct list *items;
    struct list *list;
    if (!value_is_true(call->self)) return machine_list(machine, VALUE_GENERATOR, &list, result);
    if (!attribute && call->all->count == 0)
        return machine_fail(machine, "map requires a filter argument");
    if (!attribute || call->all->count > 0)
        TRY(find_named(machine, BUILTIN_FILTER, &call->all->values[0], &builtin));
    TRY(self_items(machine, call, &items));
    TRY(machine_list(machine, VALUE_GENERATOR, &list, result));
    for (size_t i = 0; i < items->count; i++) {
        struct value item;
        if (builtin)
            TRY(builtin_run(machine, builtin, &items->items[i], &rest, &item));
        else
            TRY(follow_attribute(machine, &items->items[i], attribute, &item));
        if (!builtin && item.kind == VALUE_UNDEFINED && otherwise) item = *otherwise;
        TRY(machine_push(machine, list, item));
    }
    return STATUS_OK;
}

struct selection {
    bool by_attribute, wanted;
};

// Keeps items that pass a test or, if no test is named, that are true.
static enum status pick(struct machine *machine, const struct call *call, struct selection how,
                        struct value *result) {
    const size_t skipped = how.by_attribute ? 1 : 0;
    const struct arguments rest = rest_of(call->all, skipped + 1);
    const struct builtin *test = NULL;
    const struct list *items;
    struct list *list;
    if (!value_is_true(call->self)) return machine_list(machine, VALUE_GENERATOR, &list, result);
    if (call->all->count < skipped)
        return machine_fail(machine, "Missing parameter for attribute name");
    if (call->all->count > skipped)
        TRY(find_named(machine, BUILTIN_TEST, &call->all->values[skipped], &test));
    TRY(self_items(machine, call, &items));
    TRY(machine_list(machine, VALUE_GENERATOR, &list, result));
    for (size_t i = 0; i < items->count; i++) {
        struct value looked_at = items->items[i], holds;
        if (how.by_attribute)
            TRY(follow_attribute(machine, &items->items[i], &call->all->values[0], &looked_at));
        holds = looked_at;
        if (test) TRY(builtin_run(machine, test, &looked_at, &rest, &holds));
        if (value_is_true(&holds) == how.wanted) TRY(machine_push(machine, list, items->items[i]));
    }
    return STATUS_OK;
}

static enum status select_items(struct machine *machine, const struct call *call,
                                struct value *result) {
    return pick(machine, call, (struct selection){false, true}, result);
}

static enum status reject(struct machine *machine, const struct call *call, struct value *result) {
    return pick(machine, call, (struct selection){false, false}, result);
}

static enum status selectattr(struct machine *machine, const struct call *call,
                              struct value *result) {
    return pick(machine, call, (struct selection){true, true}, result);
}

static enum status rejectattr(struct machine *machine, const struct call *call,
                              struct value *result) {
    return pick(machine, call, (struct selection){true, false}, result);
}

static enum status attr(struct machine *machine, const struct call *call, struct value *result) {
    struct value found;
    if (call->self->kind == VALUE_DICT) { // attributes only: a dict's items do not count
        const struct value name = *call->values[0];
        const struct value bare = {VALUE_DICT, {.dict = &(struct dict){0}}};
        TRY(machine_subscript(machine, &bare, &name, &found));
        if (found.kind == VALUE_METHOD)
            return machine_subscript(machine, call->self, &name, result);
        *result = found;
        return STATUS_OK;
    }
    return machine_subscript(machine, call->self, call->values[0], result);
}

static enum status fill_list(struct machine *machine, struct list *list, size_t count,
                             const struct value *with) {
    while (with && with->kind != VALUE_NONE && list->count < count)
        TRY(machine_push(machine, list, *with));
    return STATUS_OK;
}

static enum status batch(struct machine *machine, const struct call *call, struct value *result) {
    const struct list *items;
    struct list *list, *line = NULL;
    struct value holder;
    int64_t wanted;
    TRY(self_items(machine, call, &items));
    TRY(argument_integer(machine, call, 0, 0, &wanted));
    if (wanted < 1) return machine_fail(machine, "batch() needs at least one item per line");
    TRY(machine_list(machine, VALUE_GENERATOR, &list, result));
    for (size_t i = 0; i < items->count; i++) {
        if (i % (size_t)wanted == 0) {
            TRY(machine_list(machine, VALUE_LIST, &line, &holder));
            TRY(machine_push(machine, list, holder));
        }
        TRY(machine_push(machine, line, items->items[i]));
    }
    return line ? fill_list(machine, line, (size_t)wanted, call->values[1]) : STATUS_OK;
}

static enum status slice(struct machine *machine, const struct call *call, struct value *result) {
    const struct list *items;
    struct list *list, *column;
    struct value holder;
    int64_t columns;
    size_t at = 0;
    TRY(self_items(machine, call, &items));
    TRY(argument_integer(machine, call, 0, 0, &columns));
    if (columns < 1) return machine_fail(machine, "slice() needs at least one slice");
    const size_t each = items->count / (size_t)columns, longer = items->count % (size_t)columns;
    TRY(machine_list(machine, VALUE_GENERATOR, &list, result));
    for (size_t i = 0; i < (size_t)columns; i++) {
        const size_t end = at + each + (i < longer ? 1 : 0);
        TRY(machine_list(machine, VALUE_LIST, &column, &holder));
        while (at < end)
            TRY(machine_push(machine, column, items->items[at++]));
        if (i >= longer && longer > 0) TRY(fill_list(machine, column, each + 1, call->values[1]));
        TRY(machine_push(machine, list, holder));
    }
    return STATUS_OK;
}

static const struct builtin rows[] = {
    {"first", first, {NULL}, 0, false},
    {"last", last, {NULL}, 0, false},
    {"length", length, {NULL}, 0, false},
    {"count", length, {NULL}, 0, false},
    {"list", to_list, {NULL}, 0, false},
    {"join", join, {"d", "attribute"}, 0, false},
    {"reverse", reverse, {NULL}, 0, false},
    {"sort", sort, {"reverse", "case_sensitive", "attribute"}, 0, false},
    {"unique", unique, {"case_sensitive", "attribute"}, 0, false},
    {"min", min, {"case_sensitive", "attribute"}, 0, false},
    {"max", max, {"case_sensitive", "attribute"}, 0, false},
    {"sum", sum, {"attribute", "start"}, 0, false},
    {"groupby", groupby, {"attribute", "default", "case_sensitive"}, 1, false},
    {"items", entries, {NULL}, 0, false},
    {"dictsort", dictsort, {"case_sensitive", "by", "reverse"}, 0, false},
    {"map", map, {NULL}, 0, true},
    {"select", select_items, {NULL}, 0, true},
    {"reject", reject, {NULL}, 0, true},
    {"selectattr", selectattr, {NULL}, 0, true},
    {"rejectattr", rejectattr, {NULL}, 0, true},
    {"attr", attr, {"name"}, 1, false},
    {"batch", batch, {"linecount", "fill_with"}, 1, false},
    {"slice", slice, {"slices", "fill_with"}, 1, false},
};

const struct builtin_table builtin_list_filters = {rows, sizeof rows / sizeof rows[0]};
