#include "prompts/jinja/argument.h"

enum status argument_integer(struct machine *machine, const struct call *call, size_t index,
                             int64_t otherwise, int64_t *number) {
    const struct value *value = call->values[index];
    *number = otherwise;
    if (!value) return STATUS_OK;
    if (value->kind == VALUE_UNDEFINED) return machine_undefined(machine, value);
    if (value->kind != VALUE_INTEGER && value->kind != VALUE_BOOLEAN)
        return machine_fail(machine, "'%s' object cannot be interpreted as an integer",
                            value_type_name(value));
    *number = value->kind == VALUE_INTEGER ? value->as.integer : value->as.boolean;
    return STATUS_OK;
}

bool argument_flag(const struct call *call, size_t index, bool otherwise) {
    return call->values[index] ? value_is_true(call->values[index]) : otherwise;
}

enum status argument_chars(struct machine *machine, const struct call *call, size_t index, bool any,
                           const struct chars **string) {
    const struct value *value = call->values[index];
    if (!value || value->kind == VALUE_NONE) return STATUS_OK;
    if (any || value->kind == VALUE_STRING) return machine_string(machine, value, string);
    if (value->kind == VALUE_UNDEFINED) return machine_undefined(machine, value);
    return machine_fail(machine, "argument %zu must be str, not %s", index + 1,
                        value_type_name(value));
}
