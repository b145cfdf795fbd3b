// prompts/jinja/machine.h — runs a template: its variables, limits and steps.
//
//   machine.c     errors, limits, scopes            statements.c  text, if, for, set, macro, …
//   expressions.c the value of a node               operators.c   + - * / // % **, comparison, in
//   access.c      a.b, a[b], a[b:c]                 calls.c       macros, methods, loop(…)
//
// A scope holds the names that were set in it. Each loop body, macro, `with`, and each call, set or
// filter block has a scope of its own. A name is looked up from the innermost scope outwards, then
// among the built-in functions. If it is not found it is undefined, which is an error only when it
// is used.
//
// Three limits make every run end: work (one unit per node, and a fraction per byte copied or
// compared), the arena's bytes, and MACHINE_MAX_DEPTH nested nodes, macros and filters.
//
// Source: Jinja's documentation, and Python's for the behaviour of values.
//
// Threads: a machine belongs to one rendering.
#ifndef PROMPTS_JINJA_MACHINE_H
#define PROMPTS_JINJA_MACHINE_H

#include <locale.h>
#include <time.h>

#include "kernels/base/effort.h"
#include "prompts/jinja/call.h"
#include "prompts/jinja/lexer.h"
#include "prompts/jinja/tree.h"

enum {
    MACHINE_MAX_DEPTH = 1500,
    MACHINE_MAX_RANGE = 100000,
};

struct variable {
    const struct chars *name; // the tree's pointer
    struct value value;
};

struct scope {
    struct scope *outer; // or NULL
    struct variable *variables;
    size_t count, capacity;
};

struct loop {
    const struct list *items;
    size_t index; // from 0
    uint32_t depth;
    const struct node *node; // of a recursive loop, which can be called; else NULL
    struct scope *outer;     // the scope around a recursive loop, else NULL
    const struct list *changed;
};

struct macro {
    const struct node *node;
    struct scope *scope; // where it was defined
};

struct method {
    struct value self;
    const struct builtin *builtin;
};

struct machine {
    struct arena *arena;
    struct error *err;
    const struct lexed *lexed;
    const struct tree *tree;
    const struct tm *now;
    const struct chars *refusal; // the argument of raise_exception()
    uint64_t work, work_left;    // the whole budget, and what is left of it
    struct effort watch;         // notices that the user interrupts
    uint32_t depth;
    uint32_t at; // position of the current node, for errors
    locale_t locale;
};

enum flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE };

// Returns BAD_INPUT with the position and a one-line message.
enum status machine_fail(struct machine *machine, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Reports that a value is undefined, and how it was looked up.
MUST_CHECK enum status machine_undefined(struct machine *machine, const struct value *value);
MUST_CHECK enum status machine_work(struct machine *machine, size_t units);
MUST_CHECK enum status machine_copy(struct machine *machine, size_t bytes); // counts it as work
// Work of a lookup.
MUST_CHECK enum status machine_key(struct machine *machine, const struct value *key);
// Counts the work of searching `bytes` for `part`.
MUST_CHECK enum status machine_search(struct machine *machine, size_t bytes,
                                      const struct chars *part, bool from_right);
MUST_CHECK enum status machine_full(struct machine *machine, enum status status); // reports FULL

MUST_CHECK enum status scope_create(struct machine *machine, struct scope *outer,
                                    struct scope **scope);
MUST_CHECK enum status scope_set(struct machine *machine, struct scope *scope,
                                 const struct chars *name, struct value value);
void scope_get(struct machine *machine, const struct scope *scope, const struct chars *name,
               struct value *value); // undefined if not found

MUST_CHECK enum status machine_evaluate(struct machine *machine, struct scope *scope,
                                        const struct node *node, struct value *value);
MUST_CHECK enum status machine_arguments(struct machine *machine, struct scope *scope,
                                         const struct argument_nodes *nodes,
                                         struct arguments *arguments);
// A chain that ends in NULL applies to `text`.
MUST_CHECK enum status machine_filter(struct machine *machine, struct scope *scope,
                                      const struct node *filters, const struct value *text,
                                      struct value *value);
MUST_CHECK enum status machine_execute(struct machine *machine, struct scope *scope,
                                       const struct nodes *body, struct builder *out,
                                       enum flow *flow);
MUST_CHECK enum status machine_assign(struct machine *machine, struct scope *scope,
                                      const struct node *target, struct value value);
MUST_CHECK enum status machine_run_loop(struct machine *machine, const struct node *node,
                                        struct scope *outer, const struct value *over,
                                        uint32_t depth, struct builder *out);

MUST_CHECK enum status machine_call(struct machine *machine, const struct value *callee,
                                    const struct arguments *arguments, struct value *result);

MUST_CHECK enum status machine_binary(struct machine *machine, enum operator op,
                                      const struct value *a, const struct value *b,
                                      struct value *result);
MUST_CHECK enum status machine_compare(struct machine *machine, enum operator op,
                                       const struct value *a, const struct value *b, bool *holds);
// *order is below, equal to or above 0, as < orders the values; fails if < does not apply to them.
MUST_CHECK enum status machine_order(struct machine *machine, const struct value *a,
                                     const struct value *b, int *order);

// `a.name`: an attribute, else an item. `a[index]`: an item, else an attribute.
MUST_CHECK enum status machine_attribute(struct machine *machine, const struct value *of,
                                         const struct chars *name, struct value *result);
MUST_CHECK enum status machine_subscript(struct machine *machine, const struct value *of,
                                         const struct value *index, struct value *result);
MUST_CHECK enum status machine_slice(struct machine *machine, const struct value *of,
                                     const struct value bounds[3], struct value *result);

// As Python's str() and list().
MUST_CHECK enum status machine_string(struct machine *machine, const struct value *value,
                                      const struct chars **string);
MUST_CHECK enum status machine_items(struct machine *machine, const struct value *value,
                                     const struct list **items);
// The builder's string as a value; reports exceeded limits.
MUST_CHECK enum status machine_finish(struct machine *machine, struct builder *builder,
                                      struct value *value);
MUST_CHECK enum status machine_list(struct machine *machine, enum value_kind kind,
                                    struct list **list, struct value *value);
MUST_CHECK enum status machine_push(struct machine *machine, struct list *list, struct value item);
MUST_CHECK enum status machine_slice_text(struct machine *machine, const struct chars *of,
                                          size_t from, size_t to, struct value *value);

#endif
