// prompts/jinja/builtin.h — the built-in filters, tests, methods and functions.
//
// Each has one row: its name, its parameters and its function. builtin_run() assigns arguments to
// parameters, so the function finds each argument at its parameter's index, or NULL if it was not
// given.
//
//   filters.c          {{ text|trim }}, of one value       filter_lists.c   … of lists
//   predicates.c       {% if x is string %}                methods.c        text.strip(), d.items()
//   functions.c        range(3), namespace(…), raise_exception(…), strftime_now(…)
//
// Threads: rows are read-only; a call uses its machine's memory.
#ifndef PROMPTS_JINJA_BUILTIN_H
#define PROMPTS_JINJA_BUILTIN_H

#include "prompts/jinja/call.h"

struct machine;

enum builtin_kind {
    BUILTIN_FILTER,
    BUILTIN_TEST,
    BUILTIN_FUNCTION,
    BUILTIN_TEXT_METHOD,
    BUILTIN_DICT_METHOD,
    BUILTIN_LIST_METHOD,
};

typedef enum status builtin_function(struct machine *machine, const struct call *call,
                                     struct value *result);

struct builtin {
    const char *name;
    builtin_function *run;
    const char *parameters[BUILTIN_MAX_PARAMETERS]; // or NULL
    size_t required;                                // how many of the first must be given
    bool variadic;                                  // accepts more arguments: see call.all
};

struct builtin_table {
    const struct builtin *rows;
    size_t count;
};

extern const struct builtin_table builtin_filters, builtin_list_filters, builtin_tests,
    builtin_functions, builtin_text_methods, builtin_dict_methods, builtin_list_methods;

const struct builtin *builtin_find(enum builtin_kind kind, const char *name); // or NULL
const struct builtin *builtin_find_chars(enum builtin_kind kind, const struct chars *name);

// BAD_INPUT: the arguments do not fit the parameters, or the function failed.
MUST_CHECK enum status builtin_run(struct machine *machine, const struct builtin *builtin,
                                   const struct value *self, const struct arguments *arguments,
                                   struct value *result);

#endif
