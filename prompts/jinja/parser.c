#include "prompts/jinja/parser.h"

#include <string.h>

#include "kernels/base/text.h"
#include "prompts/jinja/parser_state.h"

static enum status parse_body(struct parser *parser, const char *const *ends, struct nodes *body);
static enum status parse_target(struct parser *parser, bool namespaces, struct node **node);

enum status parser_fail(const struct parser *parser, const char *what) {
    char position[POSITION_BYTES];
    return error_set(parser->err, STATUS_BAD_INPUT, "%s%s",
                     lexer_position(parser->lexed, parser->token->at, position), what);
}

enum { TOKEN_SHOWN_BYTES = 40 };

enum status parser_expected(const struct parser *parser, const char *what) {
    char position[POSITION_BYTES];
    const struct token *token = parser->token;
    lexer_position(parser->lexed, token->at, position);
    if (token->kind == TOKEN_END)
        return error_set(parser->err, STATUS_BAD_INPUT, "%sexpected %s, but the template ends here",
                         position, what);
    size_t shown = 0; // characters of that line
    while (shown < token->length && shown < TOKEN_SHOWN_BYTES &&
           (unsigned char)token->bytes[shown] >= ' ')
        shown++;
    shown -= utf8_incomplete_tail(token->bytes, shown);
    return error_set(parser->err, STATUS_BAD_INPUT, "%sexpected %s, found \"%.*s\"", position, what,
                     (int)shown, token->bytes);
}

enum status parser_enter(struct parser *parser) {
    if (++parser->depth > TREE_MAX_DEPTH)
        return parser_fail(parser, "the template is nested too deeply here");
    return STATUS_OK;
}

bool parser_at(const struct parser *parser, enum token_kind kind, const char *what) {
    const struct token *token = parser->token;
    if (token->kind != kind) return false;
    return !what ||
           (token->length == strlen(what) && memcmp(token->bytes, what, token->length) == 0);
}

bool parser_skip(struct parser *parser, enum token_kind kind, const char *what) {
    if (!parser_at(parser, kind, what)) return false;
    parser->token++;
    return true;
}

enum status parser_expect(struct parser *parser, enum token_kind kind, const char *what) {
    static const char *const names[] = {
        [TOKEN_END] = "the end",          [TOKEN_TEXT] = "text",
        [TOKEN_PRINT_BEGIN] = "\"{{\"",   [TOKEN_PRINT_END] = "\"}}\"",
        [TOKEN_BLOCK_BEGIN] = "\"{%\"",   [TOKEN_BLOCK_END] = "\"%}\"",
        [TOKEN_NAME] = "a name",          [TOKEN_STRING] = "a string",
        [TOKEN_INTEGER] = "a number",     [TOKEN_FLOAT] = "a number",
        [TOKEN_OPERATOR] = "an operator",
    };
    if (parser_skip(parser, kind, what)) return STATUS_OK;
    return parser_expected(parser, what ? what : names[kind]);
}

enum status parser_node(struct parser *parser, enum node_kind kind, struct node **node) {
    struct node *made = arena_alloc(parser->arena, 1, sizeof *made);
    if (!made) return STATUS_FULL;
    made->kind = kind;
    made->at = parser->token->at;
    *node = made;
    return STATUS_OK;
}

static void deepen(struct node *node, const struct node *child) {
    if (child && child->depth >= node->depth) node->depth = child->depth + 1;
}

static void deepen_all(struct node *node, const struct nodes *children) {
    for (size_t i = 0; i < children->count; i++)
        deepen(node, children->items[i]);
}

enum status parser_close(const struct parser *parser, struct node *node) {
    const struct argument_nodes *arguments = node->arguments;
    node->depth = 1;
    deepen(node, node->a);
    deepen(node, node->b);
    deepen(node, node->c);
    deepen_all(node, &node->items);
    deepen_all(node, &node->others);
    deepen_all(node, &node->defaults);
    if (arguments) {
        deepen_all(node, &arguments->positional);
        for (size_t i = 0; i < arguments->named_count; i++)
            deepen(node, arguments->named[i].value);
        deepen(node, arguments->star);
        deepen(node, arguments->double_star);
    }
    if (node->depth > TREE_MAX_DEPTH)
        return parser_fail(parser, "the template is nested too deeply here");
    return STATUS_OK;
}

enum status parser_push(struct parser *parser, struct nodes *nodes, struct node *node) {
    if (!arena_reserve(parser->arena, &nodes->items, nodes->count, &nodes->capacity,
                       sizeof nodes->items[0]))
        return STATUS_FULL;
    nodes->items[nodes->count++] = node;
    return STATUS_OK;
}

static enum status intern(struct parser *parser, const char *bytes, size_t length,
                          const struct chars **name) {
    struct dict *names = parser->tree->names.as.dict;
    const struct chars wanted = chars_of(bytes, length, ORIGIN_CONTROL);
    const struct value *known = dict_find_chars(names, &wanted);
    if (known) {
        *name = known->as.string;
        return STATUS_OK;
    }
    const struct chars *kept = chars_keep(parser->arena, wanted);
    if (!kept) return STATUS_FULL;
    TRY(dict_set(parser->arena, names, value_string(kept), value_string(kept)));
    *name = kept;
    return STATUS_OK;
}

enum status parser_name(struct parser *parser, const struct chars **name) {
    const struct token *token = parser->token;
    TRY(parser_expect(parser, TOKEN_NAME, NULL));
    TRY(intern(parser, token->bytes, token->length, name));
    parser->caller |= chars_are(*name, "caller");
    parser->kwargs |= chars_are(*name, "kwargs");
    parser->varargs |= chars_are(*name, "varargs");
    return STATUS_OK;
}

static enum status parse_target_name(struct parser *parser, bool namespaces, struct node **node) {
    static const char *const reserved[] = {"true", "false", "none", "True", "False", "None"};
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (parser_at(parser, TOKEN_NAME, reserved[i]))
            return parser_fail(parser, "cannot assign to a constant");
    TRY(parser_node(parser, NODE_NAME, node));
    TRY(parser_name(parser, &(*node)->name));
    if (namespaces && parser_skip(parser, TOKEN_OPERATOR, ".")) {
        const struct chars *attribute;
        (*node)->kind = NODE_NAMESPACE_REF;
        TRY(parser_name(parser, &attribute));
        (*node)->constant = value_string(attribute);
    }
    return parser_close(parser, *node);
}

static enum status parse_target_part(struct parser *parser, bool namespaces, struct node **node) {
    if (!parser_skip(parser, TOKEN_OPERATOR, "("))
        return parse_target_name(parser, namespaces, node);
    TRY(parser_enter(parser));
    TRY(parse_target(parser, namespaces, node));
    parser_leave(parser);
    return parser_expect(parser, TOKEN_OPERATOR, ")");
}

// The left side of an assignment: a name, in `set` an attribute of a namespace, or several
// separated by commas, which may be nested in brackets.
static enum status parse_target(struct parser *parser, bool namespaces, struct node **node) {
    struct node *first, *tuple;
    TRY(parse_target_part(parser, namespaces, &first));
    *node = first;
    if (!parser_at(parser, TOKEN_OPERATOR, ",")) return STATUS_OK;
    TRY(parser_node(parser, NODE_TUPLE, &tuple));
    TRY(parser_push(parser, &tuple->items, first));
    while (parser_skip(parser, TOKEN_OPERATOR, ",")) {
        struct node *next;
        const bool name =
            parser_at(parser, TOKEN_NAME, NULL) && !parser_at(parser, TOKEN_NAME, "in");
        if (!name && !parser_at(parser, TOKEN_OPERATOR, "(")) break;
        TRY(parse_target_part(parser, namespaces, &next));
        TRY(parser_push(parser, &tuple->items, next));
    }
    *node = tuple;
    return parser_close(parser, tuple);
}

// Parses the end of a tag, the body, and the name that ends it.
static enum status parse_block(struct parser *parser, const char *const *ends, struct nodes *body) {
    parser_skip(parser, TOKEN_OPERATOR, ":");
    TRY(parser_expect(parser, TOKEN_BLOCK_END, NULL));
    TRY(parse_body(parser, ends, body));
    parser->token++;
    return STATUS_OK;
}

static bool ended_by(const struct parser *parser, const char *name) {
    const struct token *token = parser->token - 1;
    return token->length == strlen(name) && memcmp(token->bytes, name, token->length) == 0;
}

static enum status parse_if(struct parser *parser, struct node *node) {
    static const char *const ends[] = {"elif", "else", "endif", NULL};
    static const char *const last[] = {"endif", NULL};
    do {
        struct node *test, *then;
        TRY(parse_tuple(parser, false, &test));
        TRY(parser_node(parser, NODE_GROUP, &then));
        TRY(parse_block(parser, ends, &then->items));
        TRY(parser_close(parser, then));
        TRY(parser_push(parser, &node->items, test));
        TRY(parser_push(parser, &node->items, then));
    } while (ended_by(parser, "elif"));
    if (ended_by(parser, "else")) TRY(parse_block(parser, last, &node->others));
    return STATUS_OK;
}

static enum status parse_for(struct parser *parser, struct node *node) {
    static const char *const ends[] = {"else", "endfor", NULL};
    static const char *const last[] = {"endfor", NULL};
    TRY(parse_target(parser, false, &node->a));
    TRY(parser_expect(parser, TOKEN_NAME, "in"));
    TRY(parse_tuple(parser, false, &node->b));
    if (parser_skip(parser, TOKEN_NAME, "if")) TRY(parse_expression(parser, &node->c));
    node->flag = parser_skip(parser, TOKEN_NAME, "recursive");
    parser->loops++;
    TRY(parse_block(parser, ends, &node->items));
    parser->loops--;
    if (ended_by(parser, "else")) TRY(parse_block(parser, last, &node->others));
    return STATUS_OK;
}

static enum status parse_set(struct parser *parser, struct node *node) {
    static const char *const ends[] = {"endset", NULL};
    TRY(parse_target(parser, true, &node->a));
    if (parser_skip(parser, TOKEN_OPERATOR, "=")) return parse_tuple(parser, true, &node->b);
    node->kind = NODE_SET_BLOCK;
    TRY(parse_filters(parser, NULL, &node->b));
    return parse_block(parser, ends, &node->items);
}

// Parses "(a, b=1)": names into `others`, values of the last of them into `defaults`.
static enum status parse_signature(struct parser *parser, struct node *node) {
    TRY(parser_expect(parser, TOKEN_OPERATOR, "("));
    while (!parser_skip(parser, TOKEN_OPERATOR, ")")) {
        struct node *parameter, *value;
        if (node->others.count > 0) TRY(parser_expect(parser, TOKEN_OPERATOR, ","));
        if (parser_skip(parser, TOKEN_OPERATOR, ")")) break;
        TRY(parse_target_name(parser, false, &parameter));
        TRY(parser_push(parser, &node->others, parameter));
        if (parser_skip(parser, TOKEN_OPERATOR, "=")) {
            TRY(parse_expression(parser, &value));
            TRY(parser_push(parser, &node->defaults, value));
        } else if (node->defaults.count > 0) {
            return parser_fail(parser, "parameter without a default after one with a default");
        }
    }
    return STATUS_OK;
}

// Parses the body of a macro or call block, which does not see the loops around it.
static enum status parse_macro_body(struct parser *parser, const char *const *ends,
                                    struct node *node) {
    const struct parser outer = *parser;
    parser->loops = 0;
    parser->caller = parser->kwargs = parser->varargs = false;
    TRY(parse_block(parser, ends, &node->items));
    node->uses_caller = parser->caller;
    node->uses_kwargs = parser->kwargs;
    node->uses_varargs = parser->varargs;
    parser->loops = outer.loops;
    parser->caller |= outer.caller;
    parser->kwargs |= outer.kwargs;
    parser->varargs |= outer.varargs;
    return STATUS_OK;
}

static enum status parse_macro(struct parser *parser, struct node *node) {
    static const char *const ends[] = {"endmacro", NULL};
    TRY(parser_name(parser, &node->name));
    TRY(parse_signature(parser, node));
    return parse_macro_body(parser, ends, node);
}

static enum status parse_call_block(struct parser *parser, struct node *node) {
    static const char *const ends[] = {"endcall", NULL};
    if (parser_at(parser, TOKEN_OPERATOR, "(")) TRY(parse_signature(parser, node));
    TRY(parse_expression(parser, &node->a));
    if (node->a->kind != NODE_CALL) return parser_fail(parser, "a call block needs a call");
    TRY(intern(parser, "caller", 6, &node->name));
    return parse_macro_body(parser, ends, node);
}

static enum status parse_filter_block(struct parser *parser, struct node *node) {
    static const char *const ends[] = {"endfilter", NULL};
    struct node *first;
    TRY(parse_filter(parser, NULL, &first));
    TRY(parse_filters(parser, first, &node->a));
    return parse_block(parser, ends, &node->items);
}

static enum status parse_with(struct parser *parser, struct node *node) {
    static const char *const ends[] = {"endwith", NULL};
    while (!parser_at(parser, TOKEN_BLOCK_END, NULL)) {
        struct node *target, *value;
        if (node->others.count > 0) TRY(parser_expect(parser, TOKEN_OPERATOR, ","));
        TRY(parse_target(parser, false, &target));
        TRY(parser_expect(parser, TOKEN_OPERATOR, "="));
        TRY(parse_expression(parser, &value));
        TRY(parser_push(parser, &node->others, target));
        TRY(parser_push(parser, &node->others, value));
    }
    return parse_block(parser, ends, &node->items);
}

static enum status parse_generation(struct parser *parser, struct node *node) {
    static const char *const ends[] = {"endgeneration", NULL};
    return parse_block(parser, ends, &node->items);
}

static enum status parse_jump(struct parser *parser, struct node *node) {
    (void)node;
    if (parser->loops > 0) return STATUS_OK;
    parser->token--;
    return parser_fail(parser, "break and continue are allowed only in a loop");
}

static const struct statement {
    const char *name;
    enum node_kind kind;
    enum status (*parse)(struct parser *parser, struct node *node);
} statements[] = {
    {"if", NODE_IF, parse_if},
    {"for", NODE_FOR, parse_for},
    {"set", NODE_SET, parse_set},
    {"macro", NODE_MACRO, parse_macro},
    {"call", NODE_CALL_BLOCK, parse_call_block},
    {"filter", NODE_FILTER_BLOCK, parse_filter_block},
    {"with", NODE_WITH, parse_with},
    {"generation", NODE_GROUP, parse_generation},
    {"break", NODE_BREAK, parse_jump},
    {"continue", NODE_CONTINUE, parse_jump},
};

static enum status refuse_tag(struct parser *parser) {
    static const char *const loads[] = {"include", "import", "from", "extends", "block"};
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++)
        if (parser_at(parser, TOKEN_NAME, loads[i]))
            return parser_fail(parser, "a chat template is one file: include, import, from, "
                                       "extends and block are not supported");
    return parser_expected(parser, "a statement");
}

static enum status parse_statement(struct parser *parser, struct node **node) {
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        if (!parser_at(parser, TOKEN_NAME, statements[i].name)) continue;
        TRY(parser_enter(parser));
        TRY(parser_node(parser, statements[i].kind, node));
        parser->token++;
        TRY(statements[i].parse(parser, *node));
        TRY(parser_expect(parser, TOKEN_BLOCK_END, NULL));
        parser_leave(parser);
        return parser_close(parser, *node);
    }
    return refuse_tag(parser);
}

static bool at_end(const struct parser *parser, const char *const *ends) {
    for (; ends && *ends; ends++)
        if (parser_at(parser, TOKEN_NAME, *ends)) return true;
    return false;
}

static enum status parse_text(struct parser *parser, struct node **node) {
    TRY(parser_node(parser, NODE_TEXT, node));
    const struct chars *text = chars_keep(
        parser->arena, chars_of(parser->token->bytes, parser->token->length, ORIGIN_CONTROL));
    if (!text) return STATUS_FULL;
    (*node)->constant = value_string(text);
    parser->token++;
    return parser_close(parser, *node);
}

static enum status parse_print(struct parser *parser, struct node **node) {
    TRY(parser_node(parser, NODE_PRINT, node));
    parser->token++;
    TRY(parse_tuple(parser, true, &(*node)->a));
    TRY(parser_expect(parser, TOKEN_PRINT_END, NULL));
    return parser_close(parser, *node);
}

// Parses up to a tag of one of `ends`, whose name is then the current token; NULL: up to the end.
static enum status parse_body(struct parser *parser, const char *const *ends, struct nodes *body) {
    for (;;) {
        struct node *node = NULL;
        if (parser_at(parser, TOKEN_END, NULL))
            return ends ? parser_expected(parser, ends[0]) : STATUS_OK;
        if (parser_at(parser, TOKEN_TEXT, NULL)) {
            TRY(parse_text(parser, &node));
        } else if (parser_at(parser, TOKEN_PRINT_BEGIN, NULL)) {
            TRY(parse_print(parser, &node));
        } else {
            TRY(parser_expect(parser, TOKEN_BLOCK_BEGIN, NULL));
            if (at_end(parser, ends)) return STATUS_OK;
            TRY(parse_statement(parser, &node));
        }
        TRY(parser_push(parser, body, node));
    }
}

const struct chars *tree_find_name(const struct tree *tree, const char *name) {
    const struct chars wanted = chars_of(name, strlen(name), ORIGIN_CONTROL);
    const struct value *found = dict_find_chars(tree->names.as.dict, &wanted);
    return found ? found->as.string : NULL;
}

enum status parser_run(const struct lexed *lexed, struct arena *arena, struct tree *tree,
                       struct error *err) {
    struct parser parser = {
        .lexed = lexed, .arena = arena, .tree = tree, .err = err, .token = lexed->tokens};
    TRY(value_dict(arena, &tree->names));
    TRY(parser_node(&parser, NODE_GROUP, &tree->root));
    TRY(parse_body(&parser, NULL, &tree->root->items));
    return parser_close(&parser, tree->root);
}
