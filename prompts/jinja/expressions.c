
#include "kernels/base/assert.h"
#include "prompts/jinja/builtin.h"
#include "prompts/jinja/machine.h"
#include "prompts/jinja/show.h"

static enum status evaluate_list(struct machine *machine, struct scope *scope,
                                 const struct node *node, struct value *value) {
    struct list *list;
    TRY(machine_list(machine, node->kind == NODE_TUPLE ? VALUE_TUPLE : VALUE_LIST, &list, value));
    for (size_t i = 0; i < node->items.count; i++) {
        struct value item;
        TRY(machine_evaluate(machine, scope, node->items.items[i], &item));
        TRY(machine_push(machine, list, item));
    }
    return STATUS_OK;
}

static enum status evaluate_dict(struct machine *machine, struct scope *scope,
                                 const struct node *node, struct value *value) {
    struct value made;
    ASSERT(node->items.count % 2 == 0); // a key and its value
    TRY(machine_full(machine, value_dict(machine->arena, &made)));
    for (size_t i = 0; i < node->items.count; i += 2) {
        struct value key, item;
        TRY(machine_evaluate(machine, scope, node->items.items[i], &key));
        TRY(machine_evaluate(machine, scope, node->items.items[i + 1], &item));
        if (!value_is_key(&key))
            return machine_fail(machine, "a dict's key cannot be of type '%s'",
                                value_type_name(&key));
        TRY(machine_key(machine, &key));
        TRY(machine_full(machine, dict_set(machine->arena, made.as.dict, key, item)));
    }
    *value = made;
    return STATUS_OK;
}

static enum status evaluate_sign(struct machine *machine, struct scope *scope,
                                 const struct node *node, struct value *value) {
    const struct value zero = value_integer(0);
    struct value operand;
    TRY(machine_evaluate(machine, scope, node->a, &operand));
    machine->at = node->at;
    if (operand.kind == VALUE_FLOAT) {
        *value = value_float(node->kind == NODE_NEGATIVE ? -operand.as.number : operand.as.number);
        return STATUS_OK;
    }
    if (operand.kind != VALUE_UNDEFINED && !value_is_number(&operand))
        return machine_fail(machine, "bad operand type for unary %c: '%s'",
                            node->kind == NODE_NEGATIVE ? '-' : '+', value_type_name(&operand));
    return machine_binary(machine, node->kind == NODE_NEGATIVE ? OPERATOR_SUB : OPERATOR_ADD, &zero,
                          &operand, value);
}

static enum status evaluate_logic(struct machine *machine, struct scope *scope,
                                  const struct node *node, struct value *value) {
    TRY(machine_evaluate(machine, scope, node->a, value));
    if (node->kind == NODE_NOT) {
        *value = value_boolean(!value_is_true(value));
        return STATUS_OK;
    }
    if (value_is_true(value) != (node->kind == NODE_AND)) return STATUS_OK;
    return machine_evaluate(machine, scope, node->b, value);
}

static enum status evaluate_binary(struct machine *machine, struct scope *scope,
                                   const struct node *node, struct value *value) {
    struct value a, b;
    TRY(machine_evaluate(machine, scope, node->a, &a));
    TRY(machine_evaluate(machine, scope, node->b, &b));
    machine->at = node->at;
    return machine_binary(machine, node->op, &a, &b, value);
}

static enum status evaluate_concat(struct machine *machine, struct scope *scope,
                                   const struct node *node, struct value *value) {
    struct builder out = {.arena = machine->arena};
    for (size_t i = 0; i < node->items.count; i++) {
        const struct chars *string;
        struct value item;
        TRY(machine_evaluate(machine, scope, node->items.items[i], &item));
        TRY(machine_string(machine, &item, &string));
        builder_push_chars(&out, string);
    }
    return machine_finish(machine, &out, value);
}

static enum status evaluate_compare(struct machine *machine, struct scope *scope,
                                    const struct node *node, struct value *value) {
    struct value left, right;
    bool holds = true;
    TRY(machine_evaluate(machine, scope, node->items.items[0], &left));
    for (size_t i = 1; holds && i < node->items.count; i++, left = right) {
        TRY(machine_evaluate(machine, scope, node->items.items[i], &right));
        machine->at = node->at;
        TRY(machine_compare(machine, node->ops[i - 1], &left, &right, &holds));
    }
    *value = value_boolean(holds);
    return STATUS_OK;
}

static enum status evaluate_condition(struct machine *machine, struct scope *scope,
                                      const struct node *node, struct value *value) {
    static const struct undefined hint = {
        .hint = "the inline if-expression evaluated to false and no else section was defined"};
    struct value test;
    TRY(machine_evaluate(machine, scope, node->b, &test));
    if (value_is_true(&test)) return machine_evaluate(machine, scope, node->a, value);
    if (node->c) return machine_evaluate(machine, scope, node->c, value);
    *value = (struct value){VALUE_UNDEFINED, {.undefined = &hint}};
    return STATUS_OK;
}

static enum status evaluate_slice(struct machine *machine, struct scope *scope,
                                  const struct value *of, const struct node *slice,
                                  struct value *value) {
    const struct node *const parts[] = {slice->a, slice->b, slice->c};
    struct value bounds[3];
    for (size_t i = 0; i < 3; i++) {
        bounds[i] = value_none();
        if (parts[i]) TRY(machine_evaluate(machine, scope, parts[i], &bounds[i]));
    }
    machine->at = slice->at;
    return machine_slice(machine, of, bounds, value);
}

static enum status evaluate_access(struct machine *machine, struct scope *scope,
                                   const struct node *node, struct value *value) {
    struct value of, index;
    TRY(machine_evaluate(machine, scope, node->a, &of));
    machine->at = node->at;
    if (node->kind == NODE_ATTRIBUTE) return machine_attribute(machine, &of, node->name, value);
    if (node->b->kind == NODE_SLICE) return evaluate_slice(machine, scope, &of, node->b, value);
    TRY(machine_evaluate(machine, scope, node->b, &index));
    machine->at = node->at;
    return machine_subscript(machine, &of, &index, value);
}

static enum status evaluate_call(struct machine *machine, struct scope *scope,
                                 const struct node *node, struct value *value) {
    struct value callee;
    struct arguments arguments;
    TRY(machine_evaluate(machine, scope, node->a, &callee));
    TRY(machine_arguments(machine, scope, node->arguments, &arguments));
    machine->at = node->at;
    return machine_call(machine, &callee, &arguments, value);
}

static enum status run_builtin(struct machine *machine, const struct node *node,
                               const struct value *self, const struct arguments *arguments,
                               struct value *value) {
    machine->at = node->at;
    if (node->builtin) return builtin_run(machine, node->builtin, self, arguments, value);
    return machine_fail(machine, "no %s named '%.*s'",
                        node->kind == NODE_FILTER ? "filter" : "test", (int)node->name->length,
                        node->name->bytes);
}

static enum status evaluate_builtin(struct machine *machine, struct scope *scope,
                                    const struct node *node, struct value *value) {
    struct value self;
    struct arguments arguments;
    TRY(machine_evaluate(machine, scope, node->a, &self));
    TRY(machine_arguments(machine, scope, node->arguments, &arguments));
    return run_builtin(machine, node, &self, &arguments, value);
}

static enum status evaluate_node(struct machine *machine, struct scope *scope,
                                 const struct node *node, struct value *value) {
    switch (node->kind) {
    case NODE_CONSTANT:
        *value = node->constant;
        return STATUS_OK;
    case NODE_NAME:
        scope_get(machine, scope, node->name, value);
        return STATUS_OK;
    case NODE_TUPLE:
    case NODE_LIST:
        return evaluate_list(machine, scope, node, value);
    case NODE_DICT:
        return evaluate_dict(machine, scope, node, value);
    case NODE_NEGATIVE:
    case NODE_POSITIVE:
        return evaluate_sign(machine, scope, node, value);
    case NODE_NOT:
    case NODE_AND:
    case NODE_OR:
        return evaluate_logic(machine, scope, node, value);
    case NODE_BINARY:
        return evaluate_binary(machine, scope, node, value);
    case NODE_CONCAT:
        return evaluate_concat(machine, scope, node, value);
    case NODE_COMPARE:
        return evaluate_compare(machine, scope, node, value);
    case NODE_CONDITION:
        return evaluate_condition(machine, scope, node, value);
    case NODE_ATTRIBUTE:
    case NODE_SUBSCRIPT:
        return evaluate_access(machine, scope, node, value);
    case NODE_CALL:
        return evaluate_call(machine, scope, node, value);
    case NODE_FILTER:
    case NODE_TEST:
        return evaluate_builtin(machine, scope, node, value);
    case NODE_SLICE:
    case NODE_TEXT:
    case NODE_PRINT:
    case NODE_IF:
    case NODE_FOR:
    case NODE_SET:
    case NODE_SET_BLOCK:
    case NODE_NAMESPACE_REF:
    case NODE_MACRO:
    case NODE_CALL_BLOCK:
    case NODE_FILTER_BLOCK:
    case NODE_WITH:
    case NODE_GROUP:
    case NODE_BREAK:
    case NODE_CONTINUE:
        break;
    }
    return machine_fail(machine, "expected an expression");
}

enum status machine_evaluate(struct machine *machine, struct scope *scope, const struct node *node,
                             struct value *value) {
    machine->at = node->at;
    TRY(machine_work(machine, 1));
    if (++machine->depth > MACHINE_MAX_DEPTH)
        return machine_fail(machine, "the template is nested too deeply");
    const uint32_t depth = machine->depth;
    TRY(evaluate_node(machine, scope, node, value));
    ASSERT(machine->depth == depth); // whatever was entered was left
    machine->depth--;
    return STATUS_OK;
}

static enum status push_named(struct machine *machine, struct named_value *named, size_t *count,
                              struct named_value argument) {
    for (size_t i = 0; i < *count; i++)
        if (chars_equal(named[i].name, argument.name))
            return machine_fail(machine, "got multiple values for keyword argument '%.*s'",
                                (int)argument.name->length, argument.name->bytes);
    named[(*count)++] = argument;
    return STATUS_OK;
}

// The values that `*` and `**` spread, and the number of arguments they make.
struct spread {
    const struct list *list;
    const struct dict *dict;
    size_t count, named_count;
};

static enum status evaluate_spread(struct machine *machine, struct scope *scope,
                                   const struct argument_nodes *nodes, struct spread *spread) {
    struct value value;
    *spread = (struct spread){.count = nodes->positional.count, .named_count = nodes->named_count};
    if (nodes->star) {
        TRY(machine_evaluate(machine, scope, nodes->star, &value));
        TRY(machine_items(machine, &value, &spread->list));
        spread->count += spread->list->count;
    }
    if (!nodes->double_star) return STATUS_OK;
    TRY(machine_evaluate(machine, scope, nodes->double_star, &value));
    if (value.kind != VALUE_DICT)
        return machine_fail(machine, "the argument after ** must be a mapping, not '%s'",
                            value_type_name(&value));
    spread->dict = value.as.dict;
    spread->named_count += spread->dict->count;
    size_t bytes = 0;
    for (size_t i = 0; i < spread->dict->count; i++) {
        const struct value *key = &spread->dict->entries[i].key;
        if (key->kind != VALUE_STRING) return machine_fail(machine, "keywords must be strings");
        bytes += key->as.string->length;
    }
    return machine_copy(machine, bytes * spread->named_count); // each is compared with the others
}

enum status machine_arguments(struct machine *machine, struct scope *scope,
                              const struct argument_nodes *nodes, struct arguments *arguments) {
    *arguments = (struct arguments){0};
    if (!nodes) return STATUS_OK;
    struct spread spread;
    TRY(evaluate_spread(machine, scope, nodes, &spread));
    TRY(machine_work(machine, spread.count + spread.named_count * spread.named_count));
    struct value *values = arena_alloc(machine->arena, spread.count, sizeof *values);
    struct named_value *named = arena_alloc(machine->arena, spread.named_count, sizeof *named);
    if (!values || !named) return machine_full(machine, STATUS_FULL);
    size_t count = 0, named_count = 0;
    for (; count < nodes->positional.count; count++)
        TRY(machine_evaluate(machine, scope, nodes->positional.items[count], &values[count]));
    for (size_t i = 0; spread.list && i < spread.list->count; i++)
        values[count++] = spread.list->items[i];
    for (size_t i = 0; i < nodes->named_count; i++) {
        struct named_value argument = {.name = nodes->named[i].name};
        TRY(machine_evaluate(machine, scope, nodes->named[i].value, &argument.value));
        TRY(push_named(machine, named, &named_count, argument));
    }
    for (size_t i = 0; spread.dict && i < spread.dict->count; i++) {
        const struct dict_entry *entry = &spread.dict->entries[i];
        const struct named_value argument = {entry->key.as.string, entry->value};
        TRY(push_named(machine, named, &named_count, argument));
    }
    *arguments = (struct arguments){values, count, named, named_count};
    return STATUS_OK;
}

enum status machine_filter(struct machine *machine, struct scope *scope, const struct node *filters,
                           const struct value *text, struct value *value) {
    struct value self = *text;
    struct arguments arguments;
    if (!filters) {
        *value = *text;
        return STATUS_OK;
    }
    if (filters->a) TRY(machine_filter(machine, scope, filters->a, text, &self));
    TRY(machine_arguments(machine, scope, filters->arguments, &arguments));
    return run_builtin(machine, filters, &self, &arguments, value);
}
