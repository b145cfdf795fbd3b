// prompts/jinja/tree.h — a parsed template: statements and expressions as nodes.
//
//   expression    a, b, c                          items                name, constant, other
//   CONSTANT                                                            constant
//   NAME                                                                name
//   TUPLE, LIST                                    the items
//   DICT                                           key, value, key, …
//   NEGATIVE, POSITIVE, NOT   a
//   AND, OR       a, b
//   BINARY        a, b                                                  op
//   CONCAT                                         what is joined by ~
//   COMPARE                                        operands             ops: one less
//   CONDITION     then, test, else or NULL
//   ATTRIBUTE     of what                                               name
//   SUBSCRIPT     of what, index
//   SLICE         start, stop, step, each or NULL: only as a SUBSCRIPT's index
//   CALL          what                                                  arguments
//   FILTER, TEST  of what (NULL: a block's text)                        name, arguments,
//                                                                       builtin or NULL
//
//   statement     a, b, c                          items, others        name, other
//   TEXT, PRINT   - ; what                                              constant: the text
//   IF                                             test, then, test, …; else
//   FOR           target, over what, test or NULL  body; else           flag: recursive
//   SET           target, value
//   SET_BLOCK     target, filters or NULL          body
//   NAMESPACE_REF (a target)                                            name, constant: attribute
//   MACRO, CALL_BLOCK  (CALL_BLOCK: the call)      body; parameters     name, defaults
//   FILTER_BLOCK  filters                          body
//   WITH                                           body; target, value, …
//   GROUP                                          body
//   BREAK, CONTINUE
//
// Invariants: no path from the root is longer than TREE_MAX_DEPTH, so the tree may be walked by
// recursion; equal names are one pointer.
//
// Memory: all in the template's arena. Threads: read-only once parsed.
#ifndef PROMPTS_JINJA_TREE_H
#define PROMPTS_JINJA_TREE_H

#include "prompts/jinja/value.h"

enum { TREE_MAX_DEPTH = 400 };

enum node_kind {
    NODE_CONSTANT,
    NODE_NAME,
    NODE_TUPLE,
    NODE_LIST,
    NODE_DICT,
    NODE_NEGATIVE,
    NODE_POSITIVE,
    NODE_NOT,
    NODE_AND,
    NODE_OR,
    NODE_BINARY,
    NODE_CONCAT,
    NODE_COMPARE,
    NODE_CONDITION,
    NODE_ATTRIBUTE,
    NODE_SUBSCRIPT,
    NODE_SLICE,
    NODE_CALL,
    NODE_FILTER,
    NODE_TEST,
    NODE_TEXT,
    NODE_PRINT,
    NODE_IF,
    NODE_FOR,
    NODE_SET,
    NODE_SET_BLOCK,
    NODE_NAMESPACE_REF,
    NODE_MACRO,
    NODE_CALL_BLOCK,
    NODE_FILTER_BLOCK,
    NODE_WITH,
    NODE_GROUP,
    NODE_BREAK,
    NODE_CONTINUE,
};

enum operator{
    OPERATOR_ADD,
    OPERATOR_SUB,
    OPERATOR_MUL,
    OPERATOR_DIV,
    OPERATOR_FLOORDIV,
    OPERATOR_MOD,
    OPERATOR_POW,
    OPERATOR_EQ,
    OPERATOR_NE,
    OPERATOR_LT,
    OPERATOR_LE,
    OPERATOR_GT,
    OPERATOR_GE,
    OPERATOR_IN,
    OPERATOR_NOT_IN,
};

struct nodes {
    struct node **items;
    size_t count, capacity;
};

struct named_node {
    const struct chars *name;
    struct node *value;
};

struct argument_nodes {
    struct nodes positional;
    struct named_node *named;
    size_t named_count, named_capacity;
    struct node *star, *double_star; // or NULL
};

struct node {
    enum node_kind kind;
    enum operator op;
    uint32_t at;    // offset in the source
    uint32_t depth; // of the subtree, from 1
    bool flag;
    bool uses_caller, uses_kwargs, uses_varargs; // does the macro's body use them?
    const struct chars *name;
    struct node *a, *b, *c;
    struct nodes items, others;
    struct nodes defaults; // of a macro's last parameters
    enum operator* ops;
    struct argument_nodes *arguments;
    const struct builtin *builtin;
    struct value constant;
};

struct tree {
    struct node *root;  // a GROUP
    struct value names; // a dict of all names in the template
};

// The unique pointer for a name that occurs in the template, else NULL.
const struct chars *tree_find_name(const struct tree *tree, const char *name);

#endif
