
#include "kernels/base/assert.h"
#include "prompts/jinja/builtin.h"
#include "prompts/jinja/machine.h"

static const struct value *find_named(const struct arguments *arguments, const struct chars *name) {
    for (size_t i = 0; i < arguments->named_count; i++)
        if (chars_equal(arguments->named[i].name, name)) return &arguments->named[i].value;
    return NULL;
}

static bool has_parameter(const struct node *node, const struct chars *name) {
    for (size_t i = 0; i < node->others.count; i++)
        if (chars_equal(node->others.items[i]->name, name)) return true;
    return false;
}

// Arguments without a parameter go to `varargs` and `kwargs` if the body uses these.
static enum status bind_rest(struct machine *machine, const struct node *node,
                             const struct arguments *arguments, struct scope *scope) {
    const size_t parameters = node->others.count;
    const struct chars *varargs = tree_find_name(machine->tree, "varargs");
    const struct chars *kwargs = tree_find_name(machine->tree, "kwargs");
    const struct chars *caller = tree_find_name(machine->tree, "caller");
    struct list *list;
    struct value rest, named;
    if (!node->uses_varargs && arguments->count > parameters)
        return machine_fail(machine, "macro '%.*s' takes at most %zu argument(s)",
                            (int)node->name->length, node->name->bytes, parameters);
    TRY(machine_list(machine, VALUE_TUPLE, &list, &rest));
    TRY(machine_full(machine, value_dict(machine->arena, &named)));
    for (size_t i = parameters; i < arguments->count; i++)
        TRY(machine_push(machine, list, arguments->values[i]));
    for (size_t i = 0; i < arguments->named_count; i++) {
        const struct named_value *given = &arguments->named[i];
        if (has_parameter(node, given->name)) continue;
        if (node->uses_caller && given->name == caller) {
            TRY(scope_set(machine, scope, caller, given->value));
            continue;
        }
        if (!node->uses_kwargs)
            return machine_fail(machine, "macro '%.*s' takes no keyword argument '%.*s'",
                                (int)node->name->length, node->name->bytes,
                                (int)given->name->length, given->name->bytes);
        TRY(machine_full(machine, dict_set(machine->arena, named.as.dict, value_string(given->name),
                                           given->value)));
    }
    if (node->uses_varargs) TRY(scope_set(machine, scope, varargs, rest));
    if (node->uses_kwargs) TRY(scope_set(machine, scope, kwargs, named));
    return STATUS_OK;
}

static enum status bind_parameters(struct machine *machine, const struct macro *macro,
                                   const struct arguments *arguments, struct scope *scope) {
    static const struct undefined no_caller = {.hint = "No caller defined"};
    const struct node *node = macro->node;
    ASSERT(node->defaults.count <= node->others.count);
    const size_t plain = node->others.count - node->defaults.count;
    const struct value absent = {VALUE_UNDEFINED, {.undefined = &no_caller}};
    if (node->uses_caller && !has_parameter(node, tree_find_name(machine->tree, "caller")))
        TRY(scope_set(machine, scope, tree_find_name(machine->tree, "caller"), absent));
    for (size_t i = 0; i < node->others.count; i++) {
        const struct chars *name = node->others.items[i]->name;
        const struct value *given =
            i < arguments->count ? &arguments->values[i] : find_named(arguments, name);
        struct value value = {.kind = VALUE_UNDEFINED};
        if (given)
            value = *given;
        else if (i >= plain)
            TRY(machine_evaluate(machine, scope, node->defaults.items[i - plain], &value));
        else {
            struct undefined *undefined = arena_alloc(machine->arena, 1, sizeof *undefined);
            if (!undefined) return machine_full(machine, STATUS_FULL);
            undefined->name = name;
            value.as.undefined = undefined;
        }
        TRY(scope_set(machine, scope, name, value));
    }
    return bind_rest(machine, node, arguments, scope);
}

static enum status call_macro(struct machine *machine, const struct macro *macro,
                              const struct arguments *arguments, struct value *result) {
    enum { MACRO_DEPTH = 8 }; // counted as several, for its larger frames
    struct scope *scope;
    struct builder out = {.arena = machine->arena};
    enum flow flow = FLOW_ON;
    machine->depth += MACRO_DEPTH;
    if (machine->depth > MACHINE_MAX_DEPTH)
        return machine_fail(machine, "macros are nested too deeply");
    TRY(scope_create(machine, macro->scope, &scope));
    TRY(bind_parameters(machine, macro, arguments, scope));
    TRY(machine_execute(machine, scope, &macro->node->items, &out, &flow));
    ASSERT(machine->depth >= MACRO_DEPTH);
    machine->depth -= MACRO_DEPTH;
    return machine_finish(machine, &out, result);
}

// loop(items) of a recursive loop.
static enum status call_loop(struct machine *machine, const struct loop *loop,
                             const struct arguments *arguments, struct value *result) {
    struct builder out = {.arena = machine->arena};
    if (!loop->node) return machine_fail(machine, "only a recursive loop can be called");
    if (arguments->count != 1 || arguments->named_count)
        return machine_fail(machine, "loop() needs an iterable");
    TRY(machine_run_loop(machine, loop->node, loop->outer, &arguments->values[0], loop->depth + 1,
                         &out));
    return machine_finish(machine, &out, result);
}

static enum status call_joiner(struct machine *machine, struct cycle *joiner,
                               struct value *result) {
    if (joiner->at++ > 0) {
        *result = joiner->items->items[0];
        return STATUS_OK;
    }
    return machine_full(machine, value_text(machine->arena, "", 0, ORIGIN_TEXT, result));
}

enum status machine_call(struct machine *machine, const struct value *callee,
                         const struct arguments *arguments, struct value *result) {
    switch (callee->kind) {
    case VALUE_MACRO:
        return call_macro(machine, callee->as.macro, arguments, result);
    case VALUE_BUILTIN:
        return builtin_run(machine, callee->as.builtin, NULL, arguments, result);
    case VALUE_METHOD:
        return builtin_run(machine, callee->as.method->builtin, &callee->as.method->self, arguments,
                           result);
    case VALUE_LOOP:
        return call_loop(machine, callee->as.loop, arguments, result);
    case VALUE_JOINER:
        return call_joiner(machine, callee->as.cycle, result);
    case VALUE_UNDEFINED:
        return machine_undefined(machine, callee);
    case VALUE_NONE:
    case VALUE_BOOLEAN:
    case VALUE_INTEGER:
    case VALUE_FLOAT:
    case VALUE_STRING:
    case VALUE_LIST:
    case VALUE_TUPLE:
    case VALUE_VIEW:
    case VALUE_GENERATOR:
    case VALUE_RANGE:
    case VALUE_DICT:
    case VALUE_NAMESPACE:
    case VALUE_CYCLER:
        break;
    }
    return machine_fail(machine, "'%s' object is not callable", value_type_name(callee));
}
