// prompts/jinja/parse_expression.c — expressions, by one function for each level of precedence.
//
// Each function reads its operands with the function of the next tighter level and joins them into
// a node: parse_expression (if else), parse_unconditional (or), parse_and, parse_not,
// parse_compare, parse_sum, parse_concat (~), parse_product, parse_pow, parse_unary. The levels are
// Jinja's, and published templates depend on where they differ from Python's:
//
//   2 ** 3 ** 2      (2 ** 3) ** 2          joined from the left
//   -2 ** 2          (-2) ** 2              the sign binds tighter
//   -x|abs           (-x)|abs               a filter comes after the sign
//   a + b ~ c        a + (b ~ c)            ~ binds tighter than +
//   x is divisibleby 3 and y                a test takes one argument without brackets
//
// Depth is limited twice. parser_enter() counts the recursion of these functions. But a + b + c + …
// nests its nodes to the left without any recursion here, and whoever walks the tree does recurse:
// so parser_close() also measures each finished subtree.
//
// A string literal is of the template itself, even an empty one (ORIGIN_CONTROL in chars.h).
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/text.h"
#include "prompts/jinja/builtin.h"
#include "prompts/jinja/parser_state.h"

static enum status parse_unary(struct parser *parser, bool filters, struct node **node);

static enum status unary(struct parser *parser, enum node_kind kind, struct node *operand,
                         struct node **node) {
    TRY(parser_node(parser, kind, node));
    (*node)->at = operand->at;
    (*node)->a = operand;
    return parser_close(parser, *node);
}

static enum status binary(struct parser *parser, enum node_kind kind, struct node *left,
                          struct node *right, struct node **node) {
    TRY(parser_node(parser, kind, node));
    (*node)->at = left->at;
    (*node)->a = left;
    (*node)->b = right;
    return parser_close(parser, *node);
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Reads up to `most` digits of `base` at *at.
static size_t read_code(const char **at, const char *end, int base, size_t most, uint32_t *code) {
    size_t digits = 0;
    *code = 0;
    while (digits < most && *at < end && hex_digit(**at) >= 0 && hex_digit(**at) < base) {
        *code = *code * (uint32_t)base + (uint32_t)hex_digit(*(*at)++);
        digits++;
    }
    return digits;
}

// Reads an escape sequence at *at; an unknown one is kept as it is.
static enum status read_escape(struct parser *parser, const char **at, const char *end,
                               struct builder *string) {
    static const char letters[] = "abfnrtv\\'\"", meant[] = "\a\b\f\n\r\t\v\\'\"";
    const char c = (*at)[1];
    const char *letter = strchr(letters, c);
    uint32_t code;
    *at += 2;
    if (c == '\n') return STATUS_OK;
    if (c && letter) {
        builder_push(string, &meant[letter - letters], 1, ORIGIN_CONTROL);
        return STATUS_OK;
    }
    if (c >= '0' && c <= '7') {
        --*at;
        read_code(at, end, 8, 3, &code);
    } else if (c == 'x' || c == 'u' || c == 'U') {
        const size_t wanted = c == 'x' ? 2 : c == 'u' ? 4 : 8;
        if (read_code(at, end, 16, wanted, &code) < wanted)
            return parser_fail(parser, "truncated escape in this string");
    } else {
        builder_push(string, *at - 2, 2, ORIGIN_CONTROL);
        return STATUS_OK;
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return parser_fail(parser, "invalid character in an escape");
    builder_push_code(string, code, ORIGIN_CONTROL);
    return STATUS_OK;
}

// Parses a string literal; adjacent literals are one.
static enum status parse_string(struct parser *parser, struct node *node) {
    struct builder string = {.arena = parser->arena};
    const struct chars *whole;
    for (; parser_at(parser, TOKEN_STRING, NULL); parser->token++) {
        const char *at = parser->token->bytes + 1, *end = at + parser->token->length - 2;
        while (at < end) {
            const char *escape = memchr(at, '\\', (size_t)(end - at));
            const char *plain = escape ? escape : end;
            builder_push(&string, at, (size_t)(plain - at), ORIGIN_CONTROL);
            at = plain;
            if (escape) TRY(read_escape(parser, &at, end, &string));
        }
    }
    TRY(builder_finish(&string, &whole));
    if (whole->length == 0) { // an empty literal is the template's as well
        struct chars empty = *whole;
        empty.origin = ORIGIN_CONTROL;
        whole = chars_keep(parser->arena, empty);
        if (!whole) return STATUS_FULL;
    }
    node->constant = value_string(whole);
    return STATUS_OK;
}

enum { NUMBER_MOST_BYTES = 64 };

static enum status parse_number(struct parser *parser, struct node *node) {
    char digits[NUMBER_MOST_BYTES + 1];
    size_t length = 0;
    const struct token *token = parser->token;
    for (size_t i = 0; i < token->length; i++) {
        if (token->bytes[i] == '_') continue;
        if (length == NUMBER_MOST_BYTES) return parser_fail(parser, "this number is too long");
        digits[length++] = token->bytes[i];
    }
    digits[length] = '\0';
    char *end;
    errno = 0;
    if (token->kind == TOKEN_FLOAT) {
        node->constant = value_float(strtod(digits, &end));
    } else {
        const char mark = (char)(digits[1] | 0x20);
        const bool prefixed = digits[0] == '0' && (mark == 'x' || mark == 'o' || mark == 'b');
        const int base = !prefixed ? 10 : mark == 'x' ? 16 : mark == 'o' ? 8 : 2;
        const long long number = strtoll(digits + (prefixed ? 2 : 0), &end, base);
        if (errno == ERANGE) return parser_fail(parser, "this number does not fit in 64 bits");
        node->constant = value_integer(number);
    }
    if (*end || end == digits) return parser_fail(parser, "invalid number");
    parser->token++;
    return STATUS_OK;
}

static enum status parse_items(struct parser *parser, const char *close, struct nodes *items) {
    while (!parser_skip(parser, TOKEN_OPERATOR, close)) {
        struct node *item;
        if (items->count > 0) {
            TRY(parser_expect(parser, TOKEN_OPERATOR, ","));
            if (parser_skip(parser, TOKEN_OPERATOR, close)) break;
        }
        TRY(parse_expression(parser, &item));
        TRY(parser_push(parser, items, item));
    }
    return STATUS_OK;
}

static enum status parse_dict(struct parser *parser, struct node *node) {
    while (!parser_skip(parser, TOKEN_OPERATOR, "}")) {
        struct node *key, *value;
        if (node->items.count > 0) {
            TRY(parser_expect(parser, TOKEN_OPERATOR, ","));
            if (parser_skip(parser, TOKEN_OPERATOR, "}")) break;
        }
        TRY(parse_expression(parser, &key));
        TRY(parser_expect(parser, TOKEN_OPERATOR, ":"));
        TRY(parse_expression(parser, &value));
        TRY(parser_push(parser, &node->items, key));
        TRY(parser_push(parser, &node->items, value));
    }
    return STATUS_OK;
}

static enum status parse_named_constant(struct parser *parser, struct node *node) {
    static const struct {
        const char *name;
        enum value_kind kind;
        bool value;
    } constants[] = {
        {"true", VALUE_BOOLEAN, true},   {"True", VALUE_BOOLEAN, true},
        {"false", VALUE_BOOLEAN, false}, {"False", VALUE_BOOLEAN, false},
        {"none", VALUE_NONE, false},     {"None", VALUE_NONE, false},
    };
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        if (!parser_skip(parser, TOKEN_NAME, constants[i].name)) continue;
        node->constant = (struct value){constants[i].kind, {.boolean = constants[i].value}};
        return STATUS_OK;
    }
    node->kind = NODE_NAME;
    return parser_name(parser, &node->name);
}

static enum status parse_primary(struct parser *parser, struct node **result) {
    struct node *node;
    TRY(parser_node(parser, NODE_CONSTANT, &node));
    *result = node;
    switch (parser->token->kind) {
    case TOKEN_NAME:
        TRY(parse_named_constant(parser, node));
        break;
    case TOKEN_STRING:
        TRY(parse_string(parser, node));
        break;
    case TOKEN_INTEGER:
    case TOKEN_FLOAT:
        TRY(parse_number(parser, node));
        break;
    case TOKEN_END:
    case TOKEN_TEXT:
    case TOKEN_PRINT_BEGIN:
    case TOKEN_PRINT_END:
    case TOKEN_BLOCK_BEGIN:
    case TOKEN_BLOCK_END:
        return parser_expected(parser, "an expression");
    case TOKEN_OPERATOR:
        if (parser_skip(parser, TOKEN_OPERATOR, "(")) {
            if (parser_at(parser, TOKEN_OPERATOR, ")"))
                node->kind = NODE_TUPLE;
            else
                TRY(parse_tuple(parser, true, result));
            TRY(parser_expect(parser, TOKEN_OPERATOR, ")"));
            if (*result != node) return STATUS_OK;
        } else if (parser_skip(parser, TOKEN_OPERATOR, "[")) {
            node->kind = NODE_LIST;
            TRY(parse_items(parser, "]", &node->items));
        } else if (parser_skip(parser, TOKEN_OPERATOR, "{")) {
            node->kind = NODE_DICT;
            TRY(parse_dict(parser, node));
        } else {
            return parser_expected(parser, "an expression");
        }
        break;
    }
    return parser_close(parser, node);
}

// Parses part of what [ and ] enclose: an expression, a slice, or several with commas.
static enum status parse_slice_part(struct parser *parser, struct node **part) {
    if (parser_at(parser, TOKEN_OPERATOR, ":") || parser_at(parser, TOKEN_OPERATOR, "]") ||
        parser_at(parser, TOKEN_OPERATOR, ","))
        return STATUS_OK;
    return parse_expression(parser, part);
}

// "a, b" as the index of a dict whose keys are tuples, after the first.
static enum status parse_more_parts(struct parser *parser, struct node **node) {
    struct node *tuple, *part;
    TRY(parser_node(parser, NODE_TUPLE, &tuple));
    TRY(parser_push(parser, &tuple->items, *node));
    while (parser_skip(parser, TOKEN_OPERATOR, ",")) {
        if (parser_at(parser, TOKEN_OPERATOR, "]")) break;
        TRY(parse_expression(parser, &part));
        TRY(parser_push(parser, &tuple->items, part));
    }
    *node = tuple;
    return parser_close(parser, tuple);
}

static enum status parse_index(struct parser *parser, struct node **node) {
    struct node *slice, *start = NULL;
    TRY(parser_node(parser, NODE_SLICE, &slice));
    TRY(parse_slice_part(parser, &start));
    if (!parser_skip(parser, TOKEN_OPERATOR, ":")) {
        *node = start;
        if (!start) return parser_expected(parser, "an index");
        return parser_at(parser, TOKEN_OPERATOR, ",") ? parse_more_parts(parser, node) : STATUS_OK;
    }
    slice->a = start;
    TRY(parse_slice_part(parser, &slice->b));
    if (parser_skip(parser, TOKEN_OPERATOR, ":")) TRY(parse_slice_part(parser, &slice->c));
    *node = slice;
    return parser_close(parser, slice);
}

static enum status push_named(struct parser *parser, struct argument_nodes *arguments,
                              const struct chars *name, struct node *value) {
    if (!arena_reserve(parser->arena, &arguments->named, arguments->named_count,
                       &arguments->named_capacity, sizeof arguments->named[0]))
        return STATUS_FULL;
    arguments->named[arguments->named_count++] = (struct named_node){name, value};
    return STATUS_OK;
}

static enum status parse_argument(struct parser *parser, struct argument_nodes *arguments) {
    struct node *value;
    const bool is_named = parser_at(parser, TOKEN_NAME, NULL) &&
                          parser->token[1].kind == TOKEN_OPERATOR && parser->token[1].length == 1 &&
                          parser->token[1].bytes[0] == '=';
    if (parser_skip(parser, TOKEN_OPERATOR, "**"))
        return parse_expression(parser, &arguments->double_star);
    if (parser_skip(parser, TOKEN_OPERATOR, "*")) return parse_expression(parser, &arguments->star);
    if (is_named) {
        const struct chars *name;
        TRY(parser_name(parser, &name));
        parser->token++;
        TRY(parse_expression(parser, &value));
        return push_named(parser, arguments, name, value);
    }
    if (arguments->named_count > 0 || arguments->double_star)
        return parser_fail(parser, "positional argument after a keyword argument");
    TRY(parse_expression(parser, &value));
    return parser_push(parser, &arguments->positional, value);
}

// After the opening bracket.
static enum status parse_arguments(struct parser *parser, struct argument_nodes **result) {
    struct argument_nodes *arguments = arena_alloc(parser->arena, 1, sizeof *arguments);
    if (!arguments) return STATUS_FULL;
    bool first = true;
    while (!parser_skip(parser, TOKEN_OPERATOR, ")")) {
        if (!first) {
            TRY(parser_expect(parser, TOKEN_OPERATOR, ","));
            if (parser_skip(parser, TOKEN_OPERATOR, ")")) break;
        }
        TRY(parse_argument(parser, arguments));
        first = false;
    }
    *result = arguments;
    return STATUS_OK;
}

enum status parse_call(struct parser *parser, struct node *callee, struct node **node) {
    TRY(parser_node(parser, NODE_CALL, node));
    (*node)->at = callee->at;
    (*node)->a = callee;
    TRY(parser_expect(parser, TOKEN_OPERATOR, "("));
    TRY(parse_arguments(parser, &(*node)->arguments));
    return parser_close(parser, *node);
}

static enum status parse_attribute(struct parser *parser, struct node *of, struct node **node) {
    TRY(parser_node(parser, NODE_ATTRIBUTE, node));
    (*node)->a = of;
    if (parser_at(parser, TOKEN_INTEGER, NULL)) {
        (*node)->kind = NODE_SUBSCRIPT;
        TRY(parser_node(parser, NODE_CONSTANT, &(*node)->b));
        TRY(parse_number(parser, (*node)->b));
    } else {
        const bool caller = parser->caller, kwargs = parser->kwargs, varargs = parser->varargs;
        TRY(parser_name(parser, &(*node)->name));
        parser->caller = caller;
        parser->kwargs = kwargs;
        parser->varargs = varargs;
    }
    return parser_close(parser, *node);
}

static enum status parse_postfix(struct parser *parser, struct node **node) {
    for (;;) {
        struct node *of = *node;
        if (parser_skip(parser, TOKEN_OPERATOR, ".")) {
            TRY(parse_attribute(parser, of, node));
        } else if (parser_skip(parser, TOKEN_OPERATOR, "[")) {
            TRY(parser_node(parser, NODE_SUBSCRIPT, node));
            (*node)->a = of;
            TRY(parse_index(parser, &(*node)->b));
            TRY(parser_expect(parser, TOKEN_OPERATOR, "]"));
            TRY(parser_close(parser, *node));
        } else if (parser_at(parser, TOKEN_OPERATOR, "(")) {
            TRY(parse_call(parser, of, node));
        } else {
            return STATUS_OK;
        }
    }
}

// "a.b" as one name, of a filter or a test.
static enum status read_builtin_name(struct parser *parser, char name[NUMBER_MOST_BYTES]) {
    size_t length = 0;
    do {
        const struct token *token = parser->token;
        TRY(parser_expect(parser, TOKEN_NAME, NULL));
        if (length + token->length + 2 > NUMBER_MOST_BYTES)
            return parser_fail(parser, "this name is too long");
        if (length) name[length++] = '.';
        memcpy(name + length, token->bytes, token->length);
        length += token->length;
    } while (parser_skip(parser, TOKEN_OPERATOR, "."));
    name[length] = '\0';
    return STATUS_OK;
}

// A name that is unknown fails only where it is reached, as in Jinja2: a template may have a branch
// for other programs.
static enum status find_builtin(struct parser *parser, enum builtin_kind kind, struct node *node) {
    char name[NUMBER_MOST_BYTES];
    struct value kept;
    TRY(read_builtin_name(parser, name));
    TRY(value_text(parser->arena, name, strlen(name), ORIGIN_CONTROL, &kept));
    node->builtin = builtin_find(kind, name);
    node->name = kept.as.string;
    return STATUS_OK;
}

enum status parse_filter(struct parser *parser, struct node *operand, struct node **node) {
    TRY(parser_node(parser, NODE_FILTER, node));
    (*node)->a = operand;
    TRY(find_builtin(parser, BUILTIN_FILTER, *node));
    if (parser_skip(parser, TOKEN_OPERATOR, "(")) TRY(parse_arguments(parser, &(*node)->arguments));
    return parser_close(parser, *node);
}

enum status parse_filters(struct parser *parser, struct node *operand, struct node **node) {
    *node = operand;
    while (parser_skip(parser, TOKEN_OPERATOR, "|"))
        TRY(parse_filter(parser, *node, node));
    return STATUS_OK;
}

// Can the token begin a test's single argument without brackets?
static bool begins_argument(const struct parser *parser) {
    static const char *const words[] = {"else", "or", "and", "is", "if", "not", "in", "recursive"};
    switch (parser->token->kind) {
    case TOKEN_NAME:
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            if (parser_at(parser, TOKEN_NAME, words[i])) return false;
        return true;
    case TOKEN_STRING:
    case TOKEN_INTEGER:
    case TOKEN_FLOAT:
        return true;
    case TOKEN_OPERATOR:
        return parser_at(parser, TOKEN_OPERATOR, "[") || parser_at(parser, TOKEN_OPERATOR, "{");
    case TOKEN_END:
    case TOKEN_TEXT:
    case TOKEN_PRINT_BEGIN:
    case TOKEN_PRINT_END:
    case TOKEN_BLOCK_BEGIN:
    case TOKEN_BLOCK_END:
        return false;
    }
    return false;
}

static enum status parse_test(struct parser *parser, struct node *operand, struct node **node) {
    const bool negated = parser_skip(parser, TOKEN_NAME, "not");
    struct node *test, *argument;
    TRY(parser_node(parser, NODE_TEST, &test));
    test->a = operand;
    TRY(find_builtin(parser, BUILTIN_TEST, test));
    if (parser_skip(parser, TOKEN_OPERATOR, "(")) {
        TRY(parse_arguments(parser, &test->arguments));
    } else if (begins_argument(parser)) {
        test->arguments = arena_alloc(parser->arena, 1, sizeof *test->arguments);
        if (!test->arguments) return STATUS_FULL;
        TRY(parse_primary(parser, &argument));
        TRY(parse_postfix(parser, &argument));
        TRY(parser_push(parser, &test->arguments->positional, argument));
    }
    TRY(parser_close(parser, test));
    *node = test;
    return negated ? unary(parser, NODE_NOT, test, node) : STATUS_OK;
}

static enum status parse_filters_and_tests(struct parser *parser, struct node **node) {
    for (;;) {
        if (parser_skip(parser, TOKEN_OPERATOR, "|"))
            TRY(parse_filter(parser, *node, node));
        else if (parser_skip(parser, TOKEN_NAME, "is")) {
            TRY(parse_test(parser, *node, node));
            if (parser_at(parser, TOKEN_NAME, "is"))
                return parser_fail(parser, "tests cannot be chained");
        } else if (parser_at(parser, TOKEN_OPERATOR, "("))
            TRY(parse_call(parser, *node, node));
        else
            return STATUS_OK;
    }
}

static enum status parse_unary(struct parser *parser, bool filters, struct node **node) {
    struct node *operand;
    const bool minus = parser_at(parser, TOKEN_OPERATOR, "-");
    TRY(parser_enter(parser));
    if (minus || parser_at(parser, TOKEN_OPERATOR, "+")) {
        parser->token++;
        TRY(parse_unary(parser, false, &operand));
        TRY(unary(parser, minus ? NODE_NEGATIVE : NODE_POSITIVE, operand, node));
    } else {
        TRY(parse_primary(parser, node));
    }
    TRY(parse_postfix(parser, node));
    if (filters) TRY(parse_filters_and_tests(parser, node));
    parser_leave(parser);
    return STATUS_OK;
}

static enum status parse_pow(struct parser *parser, struct node **node) {
    struct node *right;
    TRY(parse_unary(parser, true, node));
    while (parser_skip(parser, TOKEN_OPERATOR, "**")) {
        TRY(parse_unary(parser, true, &right));
        TRY(binary(parser, NODE_BINARY, *node, right, node));
        (*node)->op = OPERATOR_POW;
    }
    return STATUS_OK;
}

struct operator_name {
    const char *name;
    enum operator op;
};

static bool skip_operator(struct parser *parser, const struct operator_name *names, size_t count,
                          enum operator* op) {
    for (size_t i = 0; i < count; i++) {
        if (!parser_skip(parser, TOKEN_OPERATOR, names[i].name)) continue;
        *op = names[i].op;
        return true;
    }
    return false;
}

static enum status parse_product(struct parser *parser, struct node **node) {
    static const struct operator_name names[] = {
        {"*", OPERATOR_MUL}, {"/", OPERATOR_DIV}, {"//", OPERATOR_FLOORDIV}, {"%", OPERATOR_MOD}};
    enum operator op;
    struct node *right;
    TRY(parse_pow(parser, node));
    while (skip_operator(parser, names, 4, &op)) {
        TRY(parse_pow(parser, &right));
        TRY(binary(parser, NODE_BINARY, *node, right, node));
        (*node)->op = op;
    }
    return STATUS_OK;
}

static enum status parse_concat(struct parser *parser, struct node **node) {
    struct node *first, *concat;
    TRY(parse_product(parser, &first));
    *node = first;
    if (!parser_at(parser, TOKEN_OPERATOR, "~")) return STATUS_OK;
    TRY(parser_node(parser, NODE_CONCAT, &concat));
    concat->at = first->at;
    TRY(parser_push(parser, &concat->items, first));
    while (parser_skip(parser, TOKEN_OPERATOR, "~")) {
        TRY(parse_product(parser, &first));
        TRY(parser_push(parser, &concat->items, first));
    }
    *node = concat;
    return parser_close(parser, concat);
}

static enum status parse_sum(struct parser *parser, struct node **node) {
    static const struct operator_name names[] = {{"+", OPERATOR_ADD}, {"-", OPERATOR_SUB}};
    enum operator op;
    struct node *right;
    TRY(parse_concat(parser, node));
    while (skip_operator(parser, names, 2, &op)) {
        TRY(parse_concat(parser, &right));
        TRY(binary(parser, NODE_BINARY, *node, right, node));
        (*node)->op = op;
    }
    return STATUS_OK;
}

static bool skip_comparison(struct parser *parser, enum operator* op) {
    static const struct operator_name names[] = {{"==", OPERATOR_EQ}, {"!=", OPERATOR_NE},
                                                 {"<=", OPERATOR_LE}, {">=", OPERATOR_GE},
                                                 {"<", OPERATOR_LT},  {">", OPERATOR_GT}};
    if (skip_operator(parser, names, 6, op)) return true;
    *op = OPERATOR_IN;
    if (parser_skip(parser, TOKEN_NAME, "in")) return true;
    const struct token *next = parser->token + 1;
    if (!parser_at(parser, TOKEN_NAME, "not") || next->kind != TOKEN_NAME || next->length != 2 ||
        memcmp(next->bytes, "in", 2) != 0)
        return false;
    parser->token += 2;
    *op = OPERATOR_NOT_IN;
    return true;
}

static enum status parse_compare(struct parser *parser, struct node **node) {
    struct node *operand, *compare = NULL;
    enum operator op;
    size_t capacity = 0;
    TRY(parse_sum(parser, node));
    while (skip_comparison(parser, &op)) {
        if (!compare) {
            TRY(parser_node(parser, NODE_COMPARE, &compare));
            compare->at = (*node)->at;
            TRY(parser_push(parser, &compare->items, *node));
        }
        const size_t count = compare->items.count - 1;
        if (!arena_reserve(parser->arena, &compare->ops, count, &capacity, sizeof compare->ops[0]))
            return STATUS_FULL;
        compare->ops[count] = op;
        TRY(parse_sum(parser, &operand));
        TRY(parser_push(parser, &compare->items, operand));
    }
    if (!compare) return STATUS_OK;
    *node = compare;
    return parser_close(parser, compare);
}

static enum status parse_not(struct parser *parser, struct node **node) {
    struct node *operand;
    if (!parser_skip(parser, TOKEN_NAME, "not")) return parse_compare(parser, node);
    TRY(parser_enter(parser));
    TRY(parse_not(parser, &operand));
    parser_leave(parser);
    return unary(parser, NODE_NOT, operand, node);
}

static enum status parse_and(struct parser *parser, struct node **node) {
    struct node *right;
    TRY(parse_not(parser, node));
    while (parser_skip(parser, TOKEN_NAME, "and")) {
        TRY(parse_not(parser, &right));
        TRY(binary(parser, NODE_AND, *node, right, node));
    }
    return STATUS_OK;
}

enum status parse_unconditional(struct parser *parser, struct node **node) {
    struct node *right;
    TRY(parse_and(parser, node));
    while (parser_skip(parser, TOKEN_NAME, "or")) {
        TRY(parse_and(parser, &right));
        TRY(binary(parser, NODE_OR, *node, right, node));
    }
    return STATUS_OK;
}

enum status parse_expression(struct parser *parser, struct node **node) {
    struct node *condition;
    TRY(parser_enter(parser));
    TRY(parse_unconditional(parser, node));
    while (parser_skip(parser, TOKEN_NAME, "if")) {
        TRY(parser_node(parser, NODE_CONDITION, &condition));
        condition->at = (*node)->at;
        condition->a = *node;
        TRY(parse_unconditional(parser, &condition->b));
        if (parser_skip(parser, TOKEN_NAME, "else")) TRY(parse_expression(parser, &condition->c));
        TRY(parser_close(parser, condition));
        *node = condition;
    }
    parser_leave(parser);
    return STATUS_OK;
}

// After a comma: does the tuple end here?
static bool ends_tuple(const struct parser *parser) {
    return parser_at(parser, TOKEN_PRINT_END, NULL) || parser_at(parser, TOKEN_BLOCK_END, NULL) ||
           parser_at(parser, TOKEN_OPERATOR, ")") || parser_at(parser, TOKEN_NAME, "recursive");
}

enum status parse_tuple(struct parser *parser, bool conditional, struct node **node) {
    struct node *tuple, *item;
    enum status (*parse)(struct parser *, struct node **) =
        conditional ? parse_expression : parse_unconditional;
    TRY(parse(parser, node));
    if (!parser_at(parser, TOKEN_OPERATOR, ",")) return STATUS_OK;
    TRY(parser_node(parser, NODE_TUPLE, &tuple));
    tuple->at = (*node)->at;
    TRY(parser_push(parser, &tuple->items, *node));
    while (parser_skip(parser, TOKEN_OPERATOR, ",")) {
        if (ends_tuple(parser)) break;
        TRY(parse(parser, &item));
        TRY(parser_push(parser, &tuple->items, item));
    }
    *node = tuple;
    return parser_close(parser, tuple);
}
