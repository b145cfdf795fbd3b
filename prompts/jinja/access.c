
#include "prompts/jinja/builtin.h"
#include "prompts/jinja/machine.h"

static enum status missing(struct machine *machine, const struct value *of,
                           const struct chars *name, int64_t element, struct value *result) {
    struct undefined *undefined = arena_alloc(machine->arena, 1, sizeof *undefined);
    if (!undefined) return machine_full(machine, STATUS_FULL);
    undefined->name = name;
    undefined->owner = value_type_name(of);
    undefined->element = element;
    *result = (struct value){VALUE_UNDEFINED, {.undefined = undefined}};
    return STATUS_OK;
}

static enum status find_neighbour(const struct loop *loop, bool next, struct value *result) {
    static const struct undefined previous = {.hint = "there is no previous item"};
    static const struct undefined following = {.hint = "there is no next item"};
    const bool there = next ? loop->index + 1 < loop->items->count : loop->index > 0;
    *result = (struct value){VALUE_UNDEFINED, {.undefined = next ? &following : &previous}};
    if (there) *result = loop->items->items[next ? loop->index + 1 : loop->index - 1];
    return STATUS_OK;
}

// An attribute of the loop variable; false if there is no such attribute.
static bool find_loop_attribute(const struct loop *loop, const struct chars *name,
                                struct value *result) {
    const int64_t index = (int64_t)loop->index, length = (int64_t)loop->items->count;
    const struct {
        const char *name;
        struct value value;
    } attributes[] = {
        {"index", value_integer(index + 1)},
        {"index0", value_integer(index)},
        {"revindex", value_integer(length - index)},
        {"revindex0", value_integer(length - index - 1)},
        {"length", value_integer(length)},
        {"first", value_boolean(index == 0)},
        {"last", value_boolean(index == length - 1)},
        {"depth", value_integer((int64_t)loop->depth + 1)},
        {"depth0", value_integer((int64_t)loop->depth)},
    };
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        if (!chars_are(name, attributes[i].name)) continue;
        *result = attributes[i].value;
        return true;
    }
    return false;
}

static enum status bind(struct machine *machine, const struct value *self,
                        const struct builtin *builtin, struct value *result) {
    struct method *method = arena_alloc(machine->arena, 1, sizeof *method);
    if (!method) return machine_full(machine, STATUS_FULL);
    *method = (struct method){*self, builtin};
    *result = (struct value){VALUE_METHOD, {.method = method}};
    return STATUS_OK;
}

static const struct builtin *find_method(const struct value *of, const struct chars *name) {
    switch (of->kind) {
    case VALUE_STRING:
        return builtin_find_chars(BUILTIN_TEXT_METHOD, name);
    case VALUE_DICT:
        return builtin_find_chars(BUILTIN_DICT_METHOD, name);
    case VALUE_LIST:
    case VALUE_TUPLE:
    case VALUE_LOOP:
    case VALUE_CYCLER:
        return builtin_find_chars(BUILTIN_LIST_METHOD, name);
    case VALUE_UNDEFINED:
    case VALUE_NONE:
    case VALUE_BOOLEAN:
    case VALUE_INTEGER:
    case VALUE_FLOAT:
    case VALUE_VIEW:
    case VALUE_GENERATOR:
    case VALUE_RANGE:
    case VALUE_NAMESPACE:
    case VALUE_MACRO:
    case VALUE_METHOD:
    case VALUE_BUILTIN:
    case VALUE_JOINER:
        return NULL;
    }
    return NULL;
}

// Looks for an attribute, not an item; *found says whether there is one.
static enum status find_attribute(struct machine *machine, const struct value *of,
                                  const struct chars *name, struct value *result, bool *found) {
    *found = true;
    if (of->kind == VALUE_LOOP) {
        if (find_loop_attribute(of->as.loop, name, result)) return STATUS_OK;
        if (chars_are(name, "previtem")) return find_neighbour(of->as.loop, false, result);
        if (chars_are(name, "nextitem")) return find_neighbour(of->as.loop, true, result);
    }
    if (of->kind == VALUE_NAMESPACE) {
        TRY(machine_copy(machine, name->length * KEY_READINGS));
        const struct value *value = dict_find_chars(of->as.dict, name);
        *found = value != NULL;
        if (value) *result = *value;
        return STATUS_OK;
    }
    if (of->kind == VALUE_TUPLE && of->as.list->group &&
        (chars_are(name, "grouper") || chars_are(name, "list"))) {
        *result = of->as.list->items[chars_are(name, "list")];
        return STATUS_OK;
    }
    if (of->kind == VALUE_MACRO && chars_are(name, "name")) {
        *result = value_string(of->as.macro->node->name);
        return STATUS_OK;
    }
    if (of->kind == VALUE_CYCLER && chars_are(name, "current")) {
        *result = of->as.cycle->items->items[of->as.cycle->at];
        return STATUS_OK;
    }
    const struct builtin *builtin = find_method(of, name);
    *found = builtin != NULL;
    return builtin ? bind(machine, of, builtin, result) : STATUS_OK;
}

enum status machine_attribute(struct machine *machine, const struct value *of,
                              const struct chars *name, struct value *result) {
    bool found;
    if (of->kind == VALUE_UNDEFINED) return machine_undefined(machine, of);
    TRY(find_attribute(machine, of, name, result, &found));
    if (found) return STATUS_OK;
    TRY(machine_copy(machine, name->length * KEY_READINGS));
    const struct value *item = of->kind == VALUE_DICT ? dict_find_chars(of->as.dict, name) : NULL;
    if (!item) return missing(machine, of, name, 0, result);
    *result = *item;
    return STATUS_OK;
}

static bool is_indexed(const struct value *value) {
    return value->kind == VALUE_STRING || value->kind == VALUE_LIST || value->kind == VALUE_TUPLE ||
           value->kind == VALUE_RANGE;
}

enum status machine_subscript(struct machine *machine, const struct value *of,
                              const struct value *index, struct value *result) {
    if (of->kind == VALUE_UNDEFINED) return machine_undefined(machine, of);
    if (of->kind == VALUE_DICT) {
        TRY(machine_key(machine, index));
        const struct value *item = dict_find(of->as.dict, index);
        if (item) {
            *result = *item;
            return STATUS_OK;
        }
    }
    const bool whole = index->kind == VALUE_INTEGER || index->kind == VALUE_BOOLEAN;
    if (is_indexed(of) && whole) {
        const int64_t length = (int64_t)value_length(of);
        int64_t at = index->kind == VALUE_INTEGER ? index->as.integer : index->as.boolean;
        const int64_t asked = at;
        if (at < 0) at += length;
        if (at < 0 || at >= length) return missing(machine, of, NULL, asked, result);
        if (of->kind == VALUE_STRING) TRY(machine_copy(machine, of->as.string->length));
        return machine_full(machine, value_item(machine->arena, of, (size_t)at, result));
    }
    if (index->kind == VALUE_STRING) {
        bool found;
        TRY(find_attribute(machine, of, index->as.string, result, &found));
        if (found) return STATUS_OK;
        return missing(machine, of, index->as.string, 0, result);
    }
    return missing(machine, of, NULL, whole ? index->as.integer : 0, result);
}

// A slice's bounds as Python reads them: where it begins, and how many items it has.
struct slice_range {
    int64_t start, step, count;
};

static enum status read_bound(struct machine *machine, const struct value *bound, int64_t absent,
                              int64_t length, int64_t step, int64_t *at) {
    *at = absent;
    if (bound->kind == VALUE_NONE) return STATUS_OK;
    if (bound->kind == VALUE_UNDEFINED) return machine_undefined(machine, bound);
    if (bound->kind != VALUE_INTEGER && bound->kind != VALUE_BOOLEAN)
        return machine_fail(machine, "slice indices must be integers or None, not '%s'",
                            value_type_name(bound));
    int64_t given = bound->kind == VALUE_INTEGER ? bound->as.integer : bound->as.boolean;
    const int64_t lowest = step < 0 ? -1 : 0, highest = step < 0 ? length - 1 : length;
    if (given < 0) given = given < -length ? lowest : given + length;
    *at = given < lowest ? lowest : given > highest ? highest : given;
    return STATUS_OK;
}

static enum status read_slice_range(struct machine *machine, const struct value bounds[3],
                                    int64_t length, struct slice_range *range) {
    int64_t start, stop, step = 1;
    if (bounds[2].kind == VALUE_INTEGER) step = bounds[2].as.integer;
    if (bounds[2].kind != VALUE_INTEGER && bounds[2].kind != VALUE_NONE)
        return machine_fail(machine, "a slice's step must be an integer");
    if (step == 0) return machine_fail(machine, "slice step cannot be zero");
    if (step > INT32_MAX) step = INT32_MAX; // longer than anything, and no sum overflows
    if (step < -INT32_MAX) step = -INT32_MAX;
    TRY(read_bound(machine, &bounds[0], step < 0 ? length - 1 : 0, length, step, &start));
    TRY(read_bound(machine, &bounds[1], step < 0 ? -1 : length, length, step, &stop));
    const int64_t span = step < 0 ? start - stop : stop - start;
    const int64_t width = step < 0 ? -step : step;
    *range = (struct slice_range){start, step, span > 0 ? (span + width - 1) / width : 0};
    return STATUS_OK;
}

static enum status slice_text(struct machine *machine, const struct chars *of,
                              const struct slice_range *range, struct value *result) {
    if (range->count == 0) return machine_slice_text(machine, of, 0, 0, result);
    if (range->step == 1) {
        const size_t from = chars_offset(of, (size_t)range->start);
        TRY(machine_copy(machine, of->length));
        return machine_slice_text(machine, of, from,
                                  chars_offset(of, (size_t)(range->start + range->count)), result);
    }
    const struct value string = value_string(of);
    const struct list *items;
    struct builder out = {.arena = machine->arena};
    TRY(machine_items(machine, &string, &items));
    for (int64_t i = 0; i < range->count; i++)
        builder_push_chars(&out, items->items[range->start + i * range->step].as.string);
    return machine_finish(machine, &out, result);
}

enum status machine_slice(struct machine *machine, const struct value *of,
                          const struct value bounds[3], struct value *result) {
    struct slice_range range = {0};
    struct list *list;
    if (of->kind == VALUE_UNDEFINED) return machine_undefined(machine, of);
    if (!is_indexed(of))
        return machine_fail(machine, "'%s' object cannot be sliced", value_type_name(of));
    TRY(read_slice_range(machine, bounds, (int64_t)value_length(of), &range));
    if (of->kind == VALUE_STRING) return slice_text(machine, of->as.string, &range, result);
    TRY(machine_list(machine, of->kind == VALUE_TUPLE ? VALUE_TUPLE : VALUE_LIST, &list, result));
    for (int64_t i = 0; i < range.count; i++) {
        struct value item;
        TRY(machine_full(machine, value_item(machine->arena, of,
                                             (size_t)(range.start + i * range.step), &item)));
        TRY(machine_push(machine, list, item));
    }
    return STATUS_OK;
}
