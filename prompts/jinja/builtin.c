#include "prompts/jinja/builtin.h"

#include <string.h>

#include "kernels/base/assert.h"
#include "prompts/jinja/machine.h"

static const struct builtin *find_in(const struct builtin_table *table, const struct chars *name) {
    for (size_t i = 0; i < table->count; i++)
        if (chars_are(name, table->rows[i].name)) return &table->rows[i];
    return NULL;
}

const struct builtin *builtin_find_chars(enum builtin_kind kind, const struct chars *name) {
    const struct builtin *found;
    switch (kind) {
    case BUILTIN_FILTER:
        found = find_in(&builtin_filters, name);
        return found ? found : find_in(&builtin_list_filters, name);
    case BUILTIN_TEST:
        return find_in(&builtin_tests, name);
    case BUILTIN_FUNCTION:
        return find_in(&builtin_functions, name);
    case BUILTIN_TEXT_METHOD:
        return find_in(&builtin_text_methods, name);
    case BUILTIN_DICT_METHOD:
        return find_in(&builtin_dict_methods, name);
    case BUILTIN_LIST_METHOD:
        return find_in(&builtin_list_methods, name);
    }
    return NULL;
}

const struct builtin *builtin_find(enum builtin_kind kind, const char *name) {
    const struct chars wanted = chars_of(name, strlen(name), ORIGIN_CONTROL);
    return builtin_find_chars(kind, &wanted);
}

static enum status bind_named(struct machine *machine, const struct builtin *builtin,
                              const struct named_value *given, struct call *call) {
    for (size_t i = 0; i < BUILTIN_MAX_PARAMETERS && builtin->parameters[i]; i++) {
        if (!chars_are(given->name, builtin->parameters[i])) continue;
        if (call->values[i])
            return machine_fail(machine, "%s() got two values for '%s'", builtin->name,
                                builtin->parameters[i]);
        call->values[i] = &given->value;
        return STATUS_OK;
    }
    if (builtin->variadic) return STATUS_OK;
    const int shown = given->name->length > 40 ? 40 : (int)given->name->length;
    return machine_fail(machine, "%s() takes no argument '%.*s'", builtin->name, shown,
                        given->name->bytes);
}

enum status builtin_run(struct machine *machine, const struct builtin *builtin,
                        const struct value *self, const struct arguments *arguments,
                        struct value *result) {
    struct call call = {.self = self, .all = arguments};
    size_t parameters = 0;
    while (parameters < BUILTIN_MAX_PARAMETERS && builtin->parameters[parameters])
        parameters++;
    if (arguments->count > parameters && !builtin->variadic)
        return machine_fail(machine, "%s() takes at most %zu arguments, not %zu", builtin->name,
                            parameters, arguments->count);
    for (size_t i = 0; i < parameters && i < arguments->count; i++)
        call.values[i] = &arguments->values[i];
    for (size_t i = 0; i < arguments->named_count; i++)
        TRY(bind_named(machine, builtin, &arguments->named[i], &call));
    for (size_t i = 0; i < builtin->required; i++)
        if (!call.values[i])
            return machine_fail(machine, "%s() is missing its argument '%s'", builtin->name,
                                builtin->parameters[i]);
    if (++machine->depth > MACHINE_MAX_DEPTH) // map() runs filters, including itself
        return machine_fail(machine, "filters are nested too deeply");
    const uint32_t depth = machine->depth;
    TRY(builtin->run(machine, &call, result));
    ASSERT(machine->depth == depth);
    machine->depth--;
    return STATUS_OK;
}
