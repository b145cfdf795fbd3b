// prompts/jinja/machine.c — the accounts that make every run end, and the messages of those that
// fail.
//
// A template comes with a model, so it is a stranger's program. Three accounts bound it: work,
// memory (the arena) and depth. Work is counted in steps and not in seconds, so that a template
// that renders on one machine renders on all:
//
//   {% for name in names %}{{ name }}{% endfor %}
//   each iteration costs 1 for the statement, 1 for the name and 1 + length / 32 for the copy
//
// Anything whose cost grows with its data pays for that, not only for its node: copying, hashing a
// key, searching, building a list. Otherwise a few nodes that double a string would be cheap.
//
// Depth is counted where the C stack is used (expressions.c, calls.c, builtin.c): nested nodes, and
// loops and macros several times, for their larger frames. It is only counted down on success,
// because a machine is not used again after a failure.
//
// Messages name a position. `at` is that of the node being evaluated; whoever evaluates operands,
// which move it, sets it back before it does its own part.
#include "prompts/jinja/machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "prompts/jinja/show.h"

enum status machine_fail(struct machine *machine, const char *format, ...) {
    char position[POSITION_BYTES], what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    for (char *c = what; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' '; // keep it one line, whatever a name contains
    return error_set(machine->err, STATUS_BAD_INPUT, "%s%s",
                     lexer_position(machine->lexed, machine->at, position), what);
}

enum { NAME_SHOWN_BYTES = 80 };

enum status machine_undefined(struct machine *machine, const struct value *value) {
    const struct undefined *undefined = value->as.undefined;
    ASSERT(value->kind == VALUE_UNDEFINED);
    if (!undefined) return machine_fail(machine, "a value is undefined");
    if (undefined->hint) return machine_fail(machine, "%s", undefined->hint);
    const struct chars *name = undefined->name;
    ASSERT(name || undefined->owner);
    if (!name)
        return machine_fail(machine, "%s object has no element %" PRId64, undefined->owner,
                            undefined->element);
    const int shown = name->length > NAME_SHOWN_BYTES ? NAME_SHOWN_BYTES : (int)name->length;
    if (!undefined->owner) return machine_fail(machine, "'%.*s' is undefined", shown, name->bytes);
    const bool none = strcmp(undefined->owner, "NoneType") == 0;
    return machine_fail(machine, "'%s%s' has no attribute '%.*s'", none ? "None" : undefined->owner,
                        none ? "" : " object", shown, name->bytes);
}

enum status machine_work(struct machine *machine, size_t units) {
    ASSERT(machine->work_left <= machine->work);
    if (units > machine->work_left)
        return machine_fail(machine,
                            "the template takes too many steps (stopped after %" PRIu64 ")",
                            machine->work);
    machine->work_left -= units;
    const enum status status = effort_spend(&machine->watch, units);
    return status == STATUS_OK ? status : error_set(machine->err, status, "stopped");
}

enum status machine_copy(struct machine *machine, size_t bytes) {
    return machine_work(machine, bytes / VALUE_BYTES_PER_WORK + 1);
}

enum status machine_key(struct machine *machine, const struct value *key) {
    if (key->kind == VALUE_STRING)
        return machine_copy(machine, key->as.string->length * KEY_READINGS);
    for (size_t i = 0; value_is_key(key) && key->kind == VALUE_TUPLE && i < key->as.list->count;
         i++)
        TRY(machine_key(machine, &key->as.list->items[i]));
    return STATUS_OK;
}

// Searching from the left compares at most this many bytes of `part` at each position; for a longer
// part memmem() takes linear time. Searching from the right compares all of them.
enum status machine_search(struct machine *machine, size_t bytes, const struct chars *part,
                           bool from_right) {
    enum { COMPARED_MOST = 256, QUICK_BYTES = 4, PLACE_BYTES = 8 };
    const size_t compared = part->length < COMPARED_MOST ? part->length : COMPARED_MOST;
    return machine_copy(
        machine, bytes * (from_right ? part->length + PLACE_BYTES : 1 + compared / QUICK_BYTES));
}

enum status machine_full(struct machine *machine, enum status status) {
    if (status != STATUS_FULL) return status;
    return machine_fail(machine, "the template needs more than %zu MiB of memory",
                        machine->arena->limit_bytes >> 20);
}

enum status machine_string(struct machine *machine, const struct value *value,
                           const struct chars **string) {
    if (value->kind == VALUE_STRING) {
        *string = value->as.string;
        return STATUS_OK;
    }
    struct builder out = {.arena = machine->arena, .work = &machine->work_left};
    if (!show_string(&out, value)) return machine_fail(machine, "a value is nested too deeply");
    TRY(machine_copy(machine, out.length));
    return machine_full(machine, builder_finish(&out, string));
}

enum status machine_finish(struct machine *machine, struct builder *builder, struct value *value) {
    const struct chars *string;
    TRY(machine_copy(machine, builder->length));
    TRY(machine_full(machine, builder_finish(builder, &string)));
    *value = value_string(string);
    return STATUS_OK;
}

enum status machine_list(struct machine *machine, enum value_kind kind, struct list **list,
                         struct value *value) {
    return machine_full(machine, value_list(machine->arena, kind, list, value));
}

enum status machine_push(struct machine *machine, struct list *list, struct value item) {
    TRY(machine_work(machine, 1));
    return machine_full(machine, list_push(machine->arena, list, item));
}

enum status machine_slice_text(struct machine *machine, const struct chars *of, size_t from,
                               size_t to, struct value *value) {
    TRY(machine_copy(machine, to - from));
    return machine_full(machine, value_slice(machine->arena, of, from, to, value));
}

static enum status push_characters(struct machine *machine, const struct chars *string,
                                   struct list *list) {
    for (size_t at = 0; at < string->length;) {
        struct value item;
        size_t end = at + 1;
        while (end < string->length && ((unsigned char)string->bytes[end] & 0xC0) == 0x80)
            end++;
        TRY(machine_slice_text(machine, string, at, end, &item));
        TRY(machine_push(machine, list, item));
        at = end;
    }
    return STATUS_OK;
}

enum status machine_items(struct machine *machine, const struct value *value,
                          const struct list **items) {
    static const struct list empty = {0};
    *items = value->as.list;
    if (value->kind == VALUE_LIST || value->kind == VALUE_TUPLE || value->kind == VALUE_VIEW ||
        value->kind == VALUE_GENERATOR)
        return STATUS_OK;
    *items = &empty;
    if (value->kind == VALUE_UNDEFINED) return STATUS_OK;
    if (!value_is_iterable(value))
        return machine_fail(machine, "'%s' object is not iterable", value_type_name(value));
    struct list *list;
    struct value holder;
    TRY(machine_list(machine, VALUE_LIST, &list, &holder));
    *items = list;
    if (value->kind == VALUE_STRING) return push_characters(machine, value->as.string, list);
    for (size_t i = 0; i < value_length(value); i++) {
        struct value item;
        TRY(machine_full(machine, value_item(machine->arena, value, i, &item)));
        TRY(machine_push(machine, list, item));
    }
    return STATUS_OK;
}
