// prompts/jinja/statements.c — runs statements: text goes to a builder, names to a scope.
//
// The tree is walked by recursion. Each statement writes to the builder that it is given; what
// turns output into a value (set and filter blocks here, macros in calls.c) runs its body with a
// builder of its own.
//
// Scopes are Jinja's, which surprises people who write templates: a name that is set in a loop is
// gone with the iteration. Only a namespace carries something out of it:
//
//   {% set n = 0 %}{% for x in [1, 2] %}{% set n = n + x %}{% endfor %}{{ n }}                  0
//   {% set s = namespace(n=0) %}{% for x in [1, 2] %}{% set s.n = s.n + x %}{% endfor %}{{ s.n }} 3
//
// An arena frees nothing before the end, so a loop has one scope and empties it for each iteration.
// A loop's test runs for all items before the first iteration: loop.length and loop.last need to
// know how many pass.
//
// `flow` is how break and continue travel: every body stops at the first statement that sets it,
// outwards to the loop, which has a `flow` of its own.
#include <string.h>

#include "kernels/base/assert.h"
#include "prompts/jinja/machine.h"

static enum status capture(struct machine *machine, struct scope *outer, const struct nodes *body,
                           struct value *text, enum flow *flow) {
    struct builder out = {.arena = machine->arena};
    struct scope *scope;
    TRY(scope_create(machine, outer, &scope));
    TRY(machine_execute(machine, scope, body, &out, flow));
    return machine_finish(machine, &out, text);
}

static enum status print(struct machine *machine, struct scope *scope, const struct node *node,
                         struct builder *out) {
    const struct chars *string;
    struct value value;
    TRY(machine_evaluate(machine, scope, node->a, &value));
    TRY(machine_string(machine, &value, &string));
    TRY(machine_copy(machine, string->length));
    builder_push_chars(out, string);
    return out->failed ? machine_full(machine, STATUS_FULL) : STATUS_OK;
}

static enum status run_if(struct machine *machine, struct scope *scope, const struct node *node,
                          struct builder *out, enum flow *flow) {
    ASSERT(node->items.count % 2 == 0); // a test and what follows it
    for (size_t i = 0; i < node->items.count; i += 2) {
        struct value test;
        TRY(machine_evaluate(machine, scope, node->items.items[i], &test));
        if (!value_is_true(&test)) continue;
        return machine_execute(machine, scope, &node->items.items[i + 1]->items, out, flow);
    }
    return machine_execute(machine, scope, &node->others, out, flow);
}

static enum status assign_names(struct machine *machine, struct scope *scope,
                                const struct node *target, const struct value *value) {
    const struct list *items;
    TRY(machine_items(machine, value, &items));
    if (items->count != target->items.count)
        return machine_fail(machine, "cannot unpack %zu values into %zu names", items->count,
                            target->items.count);
    for (size_t i = 0; i < items->count; i++)
        TRY(machine_assign(machine, scope, target->items.items[i], items->items[i]));
    return STATUS_OK;
}

enum status machine_assign(struct machine *machine, struct scope *scope, const struct node *target,
                           struct value value) {
    struct value owner;
    machine->at = target->at;
    if (target->kind == NODE_TUPLE) return assign_names(machine, scope, target, &value);
    if (target->kind == NODE_NAME) return scope_set(machine, scope, target->name, value);
    ASSERT(target->kind == NODE_NAMESPACE_REF && target->constant.kind == VALUE_STRING);
    scope_get(machine, scope, target->name, &owner);
    if (owner.kind != VALUE_NAMESPACE)
        return machine_fail(machine, "cannot assign attribute on non-namespace object");
    TRY(machine_key(machine, &target->constant));
    return machine_full(machine, dict_set(machine->arena, owner.as.dict, target->constant, value));
}

// The items that pass the loop's test.
static enum status select_items(struct machine *machine, const struct node *node,
                                struct scope *outer, const struct list *all,
                                const struct list **selected) {
    struct list *list;
    struct value holder, passes;
    struct scope *scope;
    *selected = all;
    if (!node->c) return STATUS_OK;
    TRY(scope_create(machine, outer, &scope));
    TRY(machine_list(machine, VALUE_LIST, &list, &holder));
    for (size_t i = 0; i < all->count; i++) {
        scope->count = 0;
        TRY(machine_assign(machine, scope, node->a, all->items[i]));
        TRY(machine_evaluate(machine, scope, node->c, &passes));
        if (value_is_true(&passes)) TRY(machine_push(machine, list, all->items[i]));
    }
    *selected = list;
    return STATUS_OK;
}

enum status machine_run_loop(struct machine *machine, const struct node *node, struct scope *outer,
                             const struct value *over, uint32_t depth, struct builder *out) {
    enum { LOOP_DEPTH = 4 };
    const struct list *items;
    struct scope *scope;
    const struct chars *name = tree_find_name(machine->tree, "loop");
    TRY(machine_items(machine, over, &items));
    TRY(select_items(machine, node, outer, items, &items));
    struct loop *loop = arena_alloc(machine->arena, 1, sizeof *loop);
    if (!loop) return machine_full(machine, STATUS_FULL);
    *loop = (struct loop){.items = items, .depth = depth, .outer = outer};
    if (node->flag) loop->node = node;
    TRY(scope_create(machine, outer, &scope));
    machine->depth += LOOP_DEPTH;
    for (; loop->index < items->count; loop->index++) {
        enum flow flow = FLOW_ON;
        scope->count = 0; // each iteration begins with an empty scope
        if (name) TRY(scope_set(machine, scope, name, (struct value){VALUE_LOOP, {.loop = loop}}));
        TRY(machine_assign(machine, scope, node->a, items->items[loop->index]));
        TRY(machine_execute(machine, scope, &node->items, out, &flow));
        if (flow == FLOW_BREAK) break;
    }
    ASSERT(machine->depth >= LOOP_DEPTH);
    machine->depth -= LOOP_DEPTH;
    return STATUS_OK;
}

static enum status run_for(struct machine *machine, struct scope *scope, const struct node *node,
                           struct builder *out, enum flow *flow) {
    struct value over;
    struct scope *inner;
    const struct list *items;
    TRY(machine_evaluate(machine, scope, node->b, &over));
    machine->at = node->b->at;
    TRY(machine_items(machine, &over, &items));
    const struct value list = {VALUE_LIST, {.list = items}};
    if (node->others.count == 0) return machine_run_loop(machine, node, scope, &list, 0, out);
    // The else part runs if no item is left after the loop's test.
    TRY(select_items(machine, node, scope, items, &items));
    if (items->count > 0) return machine_run_loop(machine, node, scope, &list, 0, out);
    TRY(scope_create(machine, scope, &inner));
    return machine_execute(machine, inner, &node->others, out, flow);
}

static enum status make_macro(struct machine *machine, struct scope *scope, const struct node *node,
                              struct value *value) {
    struct macro *macro = arena_alloc(machine->arena, 1, sizeof *macro);
    if (!macro) return machine_full(machine, STATUS_FULL);
    *macro = (struct macro){node, scope};
    *value = (struct value){VALUE_MACRO, {.macro = macro}};
    return STATUS_OK;
}

// {% call(x) what(y) %} … {% endcall %}: the body is the call's argument `caller`.
static enum status run_call_block(struct machine *machine, struct scope *scope,
                                  const struct node *node, struct builder *out) {
    struct value callee, caller, text;
    struct arguments arguments;
    const struct chars *string;
    TRY(make_macro(machine, scope, node, &caller));
    TRY(machine_evaluate(machine, scope, node->a->a, &callee));
    TRY(machine_arguments(machine, scope, node->a->arguments, &arguments));
    struct named_value *named =
        arena_alloc(machine->arena, arguments.named_count + 1, sizeof *named);
    if (!named) return machine_full(machine, STATUS_FULL);
    if (arguments.named_count)
        memcpy(named, arguments.named, arguments.named_count * sizeof *named);
    named[arguments.named_count++] = (struct named_value){node->name, caller};
    arguments.named = named;
    machine->at = node->at;
    TRY(machine_call(machine, &callee, &arguments, &text));
    TRY(machine_string(machine, &text, &string));
    builder_push_chars(out, string);
    return out->failed ? machine_full(machine, STATUS_FULL) : STATUS_OK;
}

static enum status run_filter_block(struct machine *machine, struct scope *scope,
                                    const struct node *node, struct builder *out, enum flow *flow) {
    struct value text, filtered;
    const struct chars *string;
    TRY(capture(machine, scope, &node->items, &text, flow));
    TRY(machine_filter(machine, scope, node->a, &text, &filtered));
    TRY(machine_string(machine, &filtered, &string));
    builder_push_chars(out, string);
    return out->failed ? machine_full(machine, STATUS_FULL) : STATUS_OK;
}

static enum status run_set(struct machine *machine, struct scope *scope, const struct node *node,
                           enum flow *flow) {
    struct value value, text;
    if (node->kind == NODE_SET) {
        TRY(machine_evaluate(machine, scope, node->b, &value));
    } else {
        TRY(capture(machine, scope, &node->items, &text, flow));
        TRY(machine_filter(machine, scope, node->b, &text, &value));
    }
    return machine_assign(machine, scope, node->a, value);
}

static enum status run_with(struct machine *machine, struct scope *outer, const struct node *node,
                            struct builder *out, enum flow *flow) {
    struct scope *scope;
    ASSERT(node->others.count % 2 == 0); // a name and its value
    TRY(scope_create(machine, outer, &scope));
    for (size_t i = 0; i < node->others.count; i += 2) {
        struct value value;
        TRY(machine_evaluate(machine, outer, node->others.items[i + 1], &value));
        TRY(machine_assign(machine, scope, node->others.items[i], value));
    }
    return machine_execute(machine, scope, &node->items, out, flow);
}

static enum status run_macro_statement(struct machine *machine, struct scope *scope,
                                       const struct node *node) {
    struct value macro;
    TRY(make_macro(machine, scope, node, &macro));
    return scope_set(machine, scope, node->name, macro);
}

static enum status execute_node(struct machine *machine, struct scope *scope,
                                const struct node *node, struct builder *out, enum flow *flow) {
    switch (node->kind) {
    case NODE_TEXT:
        builder_push_chars(out, node->constant.as.string);
        TRY(machine_copy(machine, node->constant.as.string->length));
        return out->failed ? machine_full(machine, STATUS_FULL) : STATUS_OK;
    case NODE_PRINT:
        return print(machine, scope, node, out);
    case NODE_IF:
        return run_if(machine, scope, node, out, flow);
    case NODE_FOR:
        return run_for(machine, scope, node, out, flow);
    case NODE_SET:
    case NODE_SET_BLOCK:
        return run_set(machine, scope, node, flow);
    case NODE_MACRO:
        return run_macro_statement(machine, scope, node);
    case NODE_CALL_BLOCK:
        return run_call_block(machine, scope, node, out);
    case NODE_FILTER_BLOCK:
        return run_filter_block(machine, scope, node, out, flow);
    case NODE_WITH:
        return run_with(machine, scope, node, out, flow);
    case NODE_GROUP:
        return machine_execute(machine, scope, &node->items, out, flow);
    case NODE_BREAK:
        *flow = FLOW_BREAK;
        return STATUS_OK;
    case NODE_CONTINUE:
        *flow = FLOW_CONTINUE;
        return STATUS_OK;
    case NODE_CONSTANT:
    case NODE_NAME:
    case NODE_TUPLE:
    case NODE_LIST:
    case NODE_DICT:
    case NODE_NEGATIVE:
    case NODE_POSITIVE:
    case NODE_NOT:
    case NODE_AND:
    case NODE_OR:
    case NODE_BINARY:
    case NODE_CONCAT:
    case NODE_COMPARE:
    case NODE_CONDITION:
    case NODE_ATTRIBUTE:
    case NODE_SUBSCRIPT:
    case NODE_SLICE:
    case NODE_CALL:
    case NODE_FILTER:
    case NODE_TEST:
    case NODE_NAMESPACE_REF:
        break;
    }
    return machine_fail(machine, "expected a statement");
}

enum status machine_execute(struct machine *machine, struct scope *scope, const struct nodes *body,
                            struct builder *out, enum flow *flow) {
    const uint32_t depth = machine->depth;
    if (++machine->depth > MACHINE_MAX_DEPTH)
        return machine_fail(machine, "the template is nested too deeply");
    for (size_t i = 0; i < body->count && *flow == FLOW_ON; i++) {
        machine->at = body->items[i]->at;
        TRY(machine_work(machine, 1));
        TRY(execute_node(machine, scope, body->items[i], out, flow));
    }
    machine->depth--;
    ASSERT(machine->depth == depth); // whatever was entered was left
    return STATUS_OK;
}
