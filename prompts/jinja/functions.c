#include <string.h>

#include "prompts/jinja/builtin.h"
#include "prompts/jinja/calendar.h"
#include "prompts/jinja/machine.h"

static enum status read_whole(struct machine *machine, const struct value *value, int64_t *number) {
    if (value->kind == VALUE_UNDEFINED) return machine_undefined(machine, value);
    if (value->kind != VALUE_INTEGER && value->kind != VALUE_BOOLEAN)
        return machine_fail(machine, "'%s' object cannot be interpreted as an integer",
                            value_type_name(value));
    *number = value->kind == VALUE_INTEGER ? value->as.integer : value->as.boolean;
    return STATUS_OK;
}

static enum status range(struct machine *machine, const struct call *call, struct value *result) {
    int64_t start = 0, stop, step = 1;
    TRY(read_whole(machine, call->values[call->values[1] ? 1 : 0], &stop));
    if (call->values[1]) TRY(read_whole(machine, call->values[0], &start));
    if (call->values[2]) TRY(read_whole(machine, call->values[2], &step));
    if (step == 0) return machine_fail(machine, "range() arg 3 must not be zero");
    const bool empty = step > 0 ? start >= stop : start <= stop;
    const uint64_t low = (uint64_t)(step > 0 ? start : stop);
    const uint64_t span = (uint64_t)(step > 0 ? stop : start) - low;
    const uint64_t width = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    const uint64_t count = empty ? 0 : (span - 1) / width + 1;
    if (count > MACHINE_MAX_RANGE)
        return machine_fail(machine, "range() has more than %d numbers", MACHINE_MAX_RANGE);
    struct range *made = arena_alloc(machine->arena, 1, sizeof *made);
    if (!made) return machine_full(machine, STATUS_FULL);
    *made = (struct range){start, stop, step, (size_t)count};
    *result = (struct value){VALUE_RANGE, {.range = made}};
    return STATUS_OK;
}

// Adds a mapping's entries, or a list of pairs, to the dict.
static enum status add_entries(struct machine *machine, const struct value *from,
                               struct dict *dict) {
    const struct list *items;
    if (from->kind == VALUE_DICT) {
        for (size_t i = 0; i < from->as.dict->count; i++) {
            TRY(machine_key(machine, &from->as.dict->entries[i].key));
            TRY(machine_full(machine, dict_set(machine->arena, dict, from->as.dict->entries[i].key,
                                               from->as.dict->entries[i].value)));
        }
        return STATUS_OK;
    }
    TRY(machine_items(machine, from, &items));
    for (size_t i = 0; i < items->count; i++) {
        const struct list *pair;
        TRY(machine_items(machine, &items->items[i], &pair));
        if (pair->count != 2 || !value_is_key(&pair->items[0]))
            return machine_fail(machine, "dict() expects a mapping or pairs");
        TRY(machine_key(machine, &pair->items[0]));
        TRY(machine_full(machine, dict_set(machine->arena, dict, pair->items[0], pair->items[1])));
    }
    return STATUS_OK;
}

static enum status make_dict(struct machine *machine, const struct call *call,
                             struct value *result) {
    struct value made;
    TRY(machine_full(machine, value_dict(machine->arena, &made)));
    if (call->all->count > 1) return machine_fail(machine, "dict() takes at most 1 argument");
    if (call->all->count == 1) TRY(add_entries(machine, &call->all->values[0], made.as.dict));
    for (size_t i = 0; i < call->all->named_count; i++)
        TRY(machine_full(machine, dict_set(machine->arena, made.as.dict,
                                           value_string(call->all->named[i].name),
                                           call->all->named[i].value)));
    *result = made;
    return STATUS_OK;
}

static enum status make_namespace(struct machine *machine, const struct call *call,
                                  struct value *result) {
    TRY(make_dict(machine, call, result));
    result->kind = VALUE_NAMESPACE;
    return STATUS_OK;
}

static enum status raise_exception(struct machine *machine, const struct call *call,
                                   struct value *result) {
    (void)result;
    TRY(machine_string(machine, call->values[0], &machine->refusal));
    return error_set(machine->err, STATUS_BAD_INPUT, "%.*s",
                     machine->refusal->length > 500 ? 500 : (int)machine->refusal->length,
                     machine->refusal->bytes);
}

static enum status strftime_now(struct machine *machine, const struct call *call,
                                struct value *result) {
    const struct chars *format;
    struct builder out = {.arena = machine->arena};
    TRY(machine_string(machine, call->values[0], &format));
    TRY(machine_copy(machine, format->length * 8));
    calendar_push(&out, format, machine->now);
    return machine_finish(machine, &out, result);
}

static enum status make_cycle(struct machine *machine, enum value_kind kind,
                              const struct list *items, struct value *result) {
    struct cycle *cycle = arena_alloc(machine->arena, 1, sizeof *cycle);
    if (!cycle) return machine_full(machine, STATUS_FULL);
    cycle->items = items;
    *result = (struct value){kind, {.cycle = cycle}};
    return STATUS_OK;
}

static enum status cycler(struct machine *machine, const struct call *call, struct value *result) {
    struct list *items;
    struct value holder;
    if (call->all->count == 0) return machine_fail(machine, "at least one item is required");
    TRY(machine_list(machine, VALUE_LIST, &items, &holder));
    for (size_t i = 0; i < call->all->count; i++)
        TRY(machine_push(machine, items, call->all->values[i]));
    return make_cycle(machine, VALUE_CYCLER, items, result);
}

static enum status joiner(struct machine *machine, const struct call *call, struct value *result) {
    struct list *items;
    struct value holder, separator;
    TRY(machine_list(machine, VALUE_LIST, &items, &holder));
    TRY(machine_full(machine, value_text(machine->arena, ", ", 2, ORIGIN_TEXT, &separator)));
    TRY(machine_push(machine, items, call->values[0] ? *call->values[0] : separator));
    return make_cycle(machine, VALUE_JOINER, items, result);
}

static const struct builtin rows[] = {
    {"range", range, {"start", "stop", "step"}, 1, false},
    {"dict", make_dict, {NULL}, 0, true},
    {"namespace", make_namespace, {NULL}, 0, true},
    {"raise_exception", raise_exception, {"message"}, 1, false},
    {"strftime_now", strftime_now, {"format"}, 1, false},
    {"cycler", cycler, {NULL}, 0, true},
    {"joiner", joiner, {"sep"}, 0, false},
};

const struct builtin_table builtin_functions = {rows, sizeof rows / sizeof rows[0]};
