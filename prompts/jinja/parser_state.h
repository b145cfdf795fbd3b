// prompts/jinja/parser_state.h — state shared by parser.c and parse_expression.c, and private to
// them.
//
//   parser.c            statements, and helpers for both
//   parse_expression.c  expressions, by falling precedence: or, and, not, compare and in, + -, ~,
//                       * / // %, **, sign; and what follows an operand: . [] () | is
#ifndef PROMPTS_JINJA_PARSER_STATE_H
#define PROMPTS_JINJA_PARSER_STATE_H

#include "kernels/base/assert.h"
#include "prompts/jinja/parser.h"

struct parser {
    const struct lexed *lexed;
    struct arena *arena;
    struct tree *tree;
    struct error *err;
    const struct token *token;    // the current one
    uint32_t depth;               // of the parser's recursion
    size_t loops;                 // loops around the current token, within the current macro
    bool caller, kwargs, varargs; // does this macro use that name?
};

MUST_CHECK enum status parser_fail(const struct parser *parser, const char *what);
MUST_CHECK enum status parser_expected(const struct parser *parser, const char *what);
// One level deeper; pair with parser_leave().
MUST_CHECK enum status parser_enter(struct parser *parser);
static inline void parser_leave(struct parser *parser) {
    ASSERT(parser->depth > 0);
    parser->depth--;
}

bool parser_at(const struct parser *parser, enum token_kind kind, const char *what);
bool parser_skip(struct parser *parser, enum token_kind kind, const char *what);
MUST_CHECK enum status parser_expect(struct parser *parser, enum token_kind kind, const char *what);

// Creates a node that begins at the current token. parser_close() sets its depth and fails if the
// tree becomes too deep.
MUST_CHECK enum status parser_node(struct parser *parser, enum node_kind kind, struct node **node);
MUST_CHECK enum status parser_close(const struct parser *parser, struct node *node);
MUST_CHECK enum status parser_push(struct parser *parser, struct nodes *nodes, struct node *node);
// The unique pointer of the current token, which must be a name; moves past it.
MUST_CHECK enum status parser_name(struct parser *parser, const struct chars **name);

MUST_CHECK enum status parse_expression(struct parser *parser, struct node **node);
// Without "then if test else other" at the top level, because a loop's test follows its list.
MUST_CHECK enum status parse_unconditional(struct parser *parser, struct node **node);
// One expression, or several with commas between them.
MUST_CHECK enum status parse_tuple(struct parser *parser, bool conditional, struct node **node);
MUST_CHECK enum status parse_call(struct parser *parser, struct node *callee, struct node **node);
// "|name" of `operand`, or, without the bar, a block's first filter.
MUST_CHECK enum status parse_filter(struct parser *parser, struct node *operand,
                                    struct node **node);
MUST_CHECK enum status parse_filters(struct parser *parser, struct node *operand,
                                     struct node **node);

#endif
