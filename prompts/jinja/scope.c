// prompts/jinja/scope.c — names and their values: machine.h's scopes.

#include "kernels/base/assert.h"
#include "prompts/jinja/builtin.h"
#include "prompts/jinja/machine.h"

enum status scope_create(struct machine *machine, struct scope *outer, struct scope **scope) {
    struct scope *made = arena_alloc(machine->arena, 1, sizeof *made);
    if (!made) return machine_full(machine, STATUS_FULL);
    ASSERT(made != outer); // the way outwards ends
    made->outer = outer;
    *scope = made;
    return STATUS_OK;
}

static struct variable *find_variable(struct machine *machine, const struct scope *scope,
                                      const struct chars *name) {
    // A scope has at most the names of one template, so the scan is bounded. Its work is counted
    // here without an error; running out of work is noticed at the next node.
    const size_t units = scope->count / 16;
    ASSERT(name && scope->count <= scope->capacity);
    machine->work_left -= units < machine->work_left ? units : machine->work_left;
    for (size_t i = 0; i < scope->count; i++)
        if (scope->variables[i].name == name) return &scope->variables[i];
    return NULL;
}

enum status scope_set(struct machine *machine, struct scope *scope, const struct chars *name,
                      struct value value) {
    struct variable *known = find_variable(machine, scope, name);
    if (known) {
        known->value = value;
        return STATUS_OK;
    }
    if (!arena_reserve(machine->arena, &scope->variables, scope->count, &scope->capacity,
                       sizeof scope->variables[0]))
        return machine_full(machine, STATUS_FULL);
    scope->variables[scope->count++] = (struct variable){name, value};
    return STATUS_OK;
}

void scope_get(struct machine *machine, const struct scope *scope, const struct chars *name,
               struct value *value) {
    enum { SCOPES_PER_WORK = 8 };
    size_t scopes = 0;
    for (; scope; scope = scope->outer) {
        if (++scopes % SCOPES_PER_WORK == 0) machine->work_left -= machine->work_left > 0;
        const struct variable *found = find_variable(machine, scope, name);
        if (!found) continue;
        *value = found->value;
        return;
    }
    const struct builtin *builtin = builtin_find_chars(BUILTIN_FUNCTION, name);
    *value = (struct value){VALUE_BUILTIN, {.builtin = builtin}};
    if (builtin) return;
    struct undefined *undefined = arena_alloc(machine->arena, 1, sizeof *undefined);
    if (undefined) undefined->name = name;
    *value = (struct value){VALUE_UNDEFINED, {.undefined = undefined}};
}
