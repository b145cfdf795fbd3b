// engine/grammar/gbnf.c — reads one rule at a time into a tree, and the tree into nodes.
//
//   why ::= [a-z]{1,2} "."     CHOICE ── SEQUENCE ─┬─ REPEAT 1, 2 ── CLASS [a-z]
//                                                  └─ SEQUENCE ── BYTE '.'
//
// Nodes are made from the end of a rule to its beginning: build_item() is given the node that
// follows, `next`, and returns the first one of what it has built in front of it. So no node needs
// to be changed later, except for the loop of an unlimited repetition:
//
//   SPLIT a, b means: continue at a or at b
//   x{1,2}   x ─► SPLIT (x ─► next), next          the item is built once for each time
//   x*       s: SPLIT (x ─► s), next               the SPLIT is made first, and its way in set last
//
// A grammar is outside data: each step is paid for (spend_effort), and depth, items and repetitions
// have limits. A rule may be named before it is defined; read_rules() refuses what is missing.
#include "engine/grammar/gbnf.h"

#include <stdlib.h>
#include <string.h>

#include "engine/grammar/characters.h"
#include "kernels/base/array.h"
#include "kernels/base/assert.h"
#include "kernels/base/text.h"

// A rule's right side is read into a tree first, since a repetition needs its item several times.
enum kind { ITEM_BYTE, ITEM_CLASS, ITEM_RULE, ITEM_SEQUENCE, ITEM_CHOICE, ITEM_REPEAT };

struct item {
    enum kind kind;
    int32_t first, next; // its first child, and the next child of its parent; 0: none
    int32_t value;       // BYTE, CLASS, RULE: which
    int32_t least, most; // REPEAT; most < 0: no limit
};

struct name {
    const char *bytes; // borrowed from the grammar
    size_t length;
};

struct reader {
    const char *start, *at, *end;
    const char *root; // the rule to begin with
    struct network *network;
    struct character_classes classes;
    struct item *items; // of the rule that is being read; 0 is none
    int32_t item_count;
    size_t item_capacity;
    struct name *names; // [network->rule_count]
    int32_t depth;
    struct error *err;
};

static int32_t line_of(const struct reader *reader, const char *at) {
    int32_t line = 1;
    ASSERT(at >= reader->start && at <= reader->end);
    for (const char *c = reader->start; c < at; c++)
        line += *c == '\n';
    return line;
}

static enum status refuse_grammar(struct reader *reader, const char *what) {
    const int length = (int)(reader->end - reader->at < 12 ? reader->end - reader->at : 12);
    return error_set(reader->err, STATUS_BAD_INPUT, "grammar, line %d: %s at \"%.*s\"",
                     line_of(reader, reader->at), what,
                     (int)strcspn(reader->at, "\n") < length ? (int)strcspn(reader->at, "\n")
                                                             : length,
                     reader->at);
}

static enum status too_large(struct reader *reader, const char *what) {
    return error_set(reader->err, STATUS_TOO_LONG, "grammar, line %d: %s",
                     line_of(reader, reader->at), what);
}

// Says why the network has failed.
static enum status explain_network(struct reader *reader) {
    const struct network *network = reader->network;
    if (network->status == STATUS_CANCELLED)
        return error_set(reader->err, STATUS_CANCELLED, "stopped while reading the grammar");
    if (network->status != STATUS_TOO_LONG) return network->status;
    return error_set(reader->err, STATUS_TOO_LONG, "grammar, line %d: too large: more than %d %s",
                     line_of(reader, reader->at), (int)network->most, network->limit);
}

static enum status spend_effort(struct reader *reader, int32_t steps) {
    return network_spend(reader->network, (uint64_t)steps) ? STATUS_OK : explain_network(reader);
}

// ---- reading

// The grammar ends with a NUL, so that looking ahead is safe.
static void skip_space(struct reader *reader, bool lines) {
    ASSERT(reader->at <= reader->end);
    for (;;) {
        const char c = *reader->at;
        if (c == '#')
            reader->at += strcspn(reader->at, "\n");
        else if (c == ' ' || c == '\t' || (lines && (c == '\n' || c == '\r')))
            reader->at++;
        else
            return;
    }
}

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

static enum status read_rule_name(struct reader *reader, int32_t *rule) {
    struct name name = {.bytes = reader->at};
    while (is_name(*reader->at))
        reader->at++;
    name.length = (size_t)(reader->at - name.bytes);
    if (name.length == 0) return refuse_grammar(reader, "expected a rule name");
    TRY(spend_effort(reader, reader->network->rule_count));
    for (int32_t i = 0; i < reader->network->rule_count; i++) {
        if (!reader->names[i].bytes || reader->names[i].length != name.length ||
            memcmp(reader->names[i].bytes, name.bytes, name.length) != 0)
            continue;
        *rule = i;
        return STATUS_OK;
    }
    *rule = network_rule(reader->network);
    if (reader->network->status != STATUS_OK) return explain_network(reader);
    reader->names[*rule] = name;
    return STATUS_OK;
}

static enum status add_item(struct reader *reader, struct item item, int32_t *number) {
    TRY(spend_effort(reader, 1));
    if (reader->item_count == GBNF_MAX_ITEMS)
        return too_large(reader, "the rule has more than 1048576 items");
    if (!array_reserve(&reader->items, (size_t)reader->item_count, &reader->item_capacity,
                       sizeof reader->items[0]))
        return STATUS_NO_MEMORY;
    *number = reader->item_count++;
    reader->items[*number] = item;
    return STATUS_OK;
}

static enum status add_class(struct reader *reader, struct character_set *set, int32_t *item) {
    int32_t number;
    TRY(spend_effort(reader, reader->classes.count));
    const enum status status =
        character_classes_find(&reader->classes, reader->network, set, &number);
    if (reader->network->status != STATUS_OK) return explain_network(reader);
    if (status == STATUS_TOO_LONG)
        return too_large(reader, "more than 2048 different character classes");
    TRY(status);
    return add_item(reader, (struct item){.kind = ITEM_CLASS, .value = number}, item);
}

static enum status read_hex(struct reader *reader, int digits, uint32_t *character) {
    ASSERT(digits > 0 && digits <= 8);
    uint32_t value = 0;
    for (int i = 0; i < digits; i++) {
        const char c = *reader->at;
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return refuse_grammar(reader, "expected a hexadecimal digit");
        value = value << 4 | (uint32_t)digit;
        reader->at++;
    }
    if (value == 0 || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
        return refuse_grammar(reader, "invalid character in an escape");
    *character = value;
    return STATUS_OK;
}

static enum status read_character(struct reader *reader, uint32_t *character) {
    static const char ESCAPES[] = "nrt\\\"[]", MEANT[] = "\n\r\t\\\"[]";
    size_t used;
    if (*reader->at != '\\') {
        if (reader->at == reader->end || *reader->at == '\n')
            return refuse_grammar(reader, "missing closing quote or bracket");
        *character = utf8_decode(reader->at, (size_t)(reader->end - reader->at), &used);
        reader->at += used;
        return STATUS_OK;
    }
    const char escape = reader->at[1];
    const char *known = escape ? strchr(ESCAPES, escape) : NULL;
    if (known) {
        *character = (unsigned char)MEANT[known - ESCAPES];
        reader->at += 2;
        return STATUS_OK;
    }
    const int digits = escape == 'x' ? 2 : escape == 'u' ? 4 : escape == 'U' ? 8 : 0;
    if (digits == 0) return refuse_grammar(reader, "unknown escape");
    reader->at += 2;
    return read_hex(reader, digits, character);
}

// Links the children that follow one another.
struct children {
    int32_t parent, last;
};

static void add_child(struct reader *reader, struct children *children, int32_t item) {
    ASSERT(item > 0 && item < reader->item_count && children->parent > 0);
    if (children->last)
        reader->items[children->last].next = item;
    else
        reader->items[children->parent].first = item;
    children->last = item;
}

static enum status read_text(struct reader *reader, int32_t *item) {
    struct children children = {0};
    ASSERT(*reader->at == '"');
    TRY(add_item(reader, (struct item){.kind = ITEM_SEQUENCE}, item));
    children.parent = *item;
    reader->at++;
    while (*reader->at != '"') {
        uint32_t character;
        char bytes[UTF8_MAX_BYTES];
        TRY(read_character(reader, &character));
        const size_t length = utf8_encode(character, bytes);
        for (size_t i = 0; i < length; i++) {
            int32_t child;
            TRY(add_item(reader, (struct item){.kind = ITEM_BYTE, .value = (unsigned char)bytes[i]},
                         &child));
            add_child(reader, &children, child);
        }
    }
    reader->at++;
    return STATUS_OK;
}

static enum status read_class(struct reader *reader, int32_t *item) {
    struct character_set set = {0};
    ASSERT(*reader->at == '[');
    const bool negated = reader->at[1] == '^';
    reader->at += negated ? 2 : 1;
    while (*reader->at != ']') {
        uint32_t first, last;
        TRY(spend_effort(reader, 1 + set.count / 8));
        TRY(read_character(reader, &first));
        last = first;
        if (reader->at[0] == '-' && reader->at[1] != ']') {
            reader->at++;
            TRY(read_character(reader, &last));
            if (last < first) return refuse_grammar(reader, "descending range");
        }
        if (!character_set_add(&set, first, last))
            return too_large(reader, "more than 256 ranges in a character class");
    }
    reader->at++;
    if (negated) character_set_negate(&set);
    return add_class(reader, &set, item);
}

static enum status read_number(struct reader *reader, int32_t *number) {
    int32_t value = 0;
    while (*reader->at >= '0' && *reader->at <= '9') {
        value = value * 10 + (*reader->at++ - '0');
        if (value > GBNF_MAX_REPEAT) return too_large(reader, "more than 100000 repetitions");
    }
    *number = value;
    return STATUS_OK;
}

// {m}, {m,}, {m,n} or {,n}, after the brace.
static enum status read_bounds(struct reader *reader, struct item *repeat) {
    skip_space(reader, false);
    const char *before = reader->at;
    TRY(read_number(reader, &repeat->least));
    repeat->most = repeat->least;
    bool any = reader->at > before;
    skip_space(reader, false);
    if (*reader->at == ',') {
        reader->at++;
        skip_space(reader, false);
        before = reader->at;
        TRY(read_number(reader, &repeat->most));
        any = any || reader->at > before;
        if (reader->at == before) repeat->most = -1;
        skip_space(reader, false);
    }
    if (!any || *reader->at != '}') return refuse_grammar(reader, "expected {m}, {m,} or {m,n}");
    reader->at++;
    if (repeat->most >= 0 && repeat->most < repeat->least)
        return refuse_grammar(reader, "repetition with a maximum below its minimum");
    return STATUS_OK;
}

static enum status read_repeats(struct reader *reader, int32_t *item) {
    for (int32_t times = 0;; times++) {
        struct item repeat = {.kind = ITEM_REPEAT, .most = -1, .first = *item};
        const char c = *reader->at;
        if (!c || !strchr("*+?{", c)) return STATUS_OK;
        if (times == GBNF_MAX_REPEATS) return too_large(reader, "more than 8 repetitions in a row");
        reader->at++;
        if (c == '+') repeat.least = 1;
        if (c == '?') repeat.most = 1;
        if (c == '{') TRY(read_bounds(reader, &repeat));
        TRY(add_item(reader, repeat, item));
        skip_space(reader, reader->depth > 0);
    }
}

static enum status read_choice(struct reader *reader, int32_t *item);

static enum status read_one(struct reader *reader, int32_t *item) {
    struct character_set any = {0};
    struct item rule = {.kind = ITEM_RULE};
    switch (*reader->at) {
    case '"':
        return read_text(reader, item);
    case '[':
        return read_class(reader, item);
    case '.':
        reader->at++;
        character_set_negate(&any);
        return add_class(reader, &any, item);
    case '(':
        if (++reader->depth > GBNF_MAX_DEPTH)
            return too_large(reader, "nested too deeply (at most 128 parentheses)");
        reader->at++;
        TRY(read_choice(reader, item));
        if (*reader->at != ')') return refuse_grammar(reader, "expected )");
        reader->at++;
        reader->depth--;
        return STATUS_OK;
    case '<':
    case '!':
        return error_set(reader->err, STATUS_UNSUPPORTED,
                         "grammar, line %d: <…> and !<…>, which match tokens, are not supported",
                         line_of(reader, reader->at));
    default:
        TRY(read_rule_name(reader, &rule.value));
        return add_item(reader, rule, item);
    }
}

// One alternative: what stands up to |, ) or the rule's end.
static enum status read_sequence(struct reader *reader, int32_t *item) {
    struct children children = {0};
    TRY(add_item(reader, (struct item){.kind = ITEM_SEQUENCE}, item));
    children.parent = *item;
    for (;;) {
        int32_t child;
        skip_space(reader, reader->depth > 0);
        if (!*reader->at || strchr("|)\r\n", *reader->at)) return STATUS_OK;
        TRY(read_one(reader, &child));
        skip_space(reader, reader->depth > 0);
        TRY(read_repeats(reader, &child));
        add_child(reader, &children, child);
    }
}

static enum status read_choice(struct reader *reader, int32_t *item) {
    struct children children = {0};
    TRY(add_item(reader, (struct item){.kind = ITEM_CHOICE}, item));
    children.parent = *item;
    skip_space(reader, true);
    for (;;) {
        int32_t child;
        TRY(read_sequence(reader, &child));
        add_child(reader, &children, child);
        if (*reader->at != '|') return STATUS_OK;
        reader->at++;
        skip_space(reader, true);
    }
}

// ---- from trees to nodes: each returns the first node of a chain that continues at `next`

static int32_t build_item(struct reader *reader, int32_t number, int32_t next);

static int32_t build_sequence(struct reader *reader, int32_t child, int32_t next) {
    int32_t reversed = 0; // children are linked forwards, and built backwards
    while (child) {
        const int32_t after = reader->items[child].next;
        reader->items[child].next = reversed;
        reversed = child;
        child = after;
    }
    while (reversed) {
        const int32_t before = reader->items[reversed].next;
        next = build_item(reader, reversed, next);
        reader->items[reversed].next = child;
        child = reversed;
        reversed = before;
    }
    return next;
}

static int32_t build_repeat(struct reader *reader, const struct item *repeat, int32_t next) {
    struct network *network = reader->network;
    int32_t start = next;
    ASSERT(repeat->first > 0 && repeat->first < reader->item_count);
    if (repeat->most < 0) {
        start = network_node(network, NODE_SPLIT, next, next);
        const int32_t body = build_item(reader, repeat->first, start);
        network->nodes[start].next = body;
    }
    for (int32_t i = repeat->least; i < repeat->most && network_spend(network, 1); i++)
        start = network_node(network, NODE_SPLIT, build_item(reader, repeat->first, start), next);
    for (int32_t i = 0; i < repeat->least && network_spend(network, 1); i++)
        start = build_item(reader, repeat->first, start);
    return start;
}

static int32_t build_item(struct reader *reader, int32_t number, int32_t next) {
    ASSERT(number > 0 && number < reader->item_count);
    const struct item item = reader->items[number];
    struct byte_set byte = {{0}};
    int32_t start = NETWORK_NONE;
    switch (item.kind) {
    case ITEM_BYTE:
        byte_set_add(&byte, (unsigned char)item.value);
        return network_node(reader->network, NODE_BYTES, next, network_set(reader->network, &byte));
    case ITEM_CLASS:
        return character_classes_node(&reader->classes, reader->network, item.value, next);
    case ITEM_RULE:
        return network_node(reader->network, NODE_CALL, next, item.value);
    case ITEM_SEQUENCE:
        return build_sequence(reader, item.first, next);
    case ITEM_REPEAT:
        return build_repeat(reader, &item, next);
    case ITEM_CHOICE:
        for (int32_t child = item.first; child; child = reader->items[child].next) {
            const int32_t way = build_item(reader, child, next);
            start = start < 0 ? way : network_node(reader->network, NODE_SPLIT, start, way);
        }
        return start;
    }
    return start;
}

static enum status read_rule(struct reader *reader) {
    int32_t rule, item;
    TRY(read_rule_name(reader, &rule));
    skip_space(reader, false);
    if (strncmp(reader->at, "::=", 3) != 0) return refuse_grammar(reader, "expected ::=");
    if (reader->network->rules[rule].start >= 0)
        return refuse_grammar(reader, "the rule is defined twice");
    reader->at += 3;
    reader->item_count = 1; // 0 is none
    reader->depth = 0;
    TRY(read_choice(reader, &item));
    if (*reader->at == ')') return refuse_grammar(reader, "unexpected )");
    if (reader->at < reader->end && !strchr("\r\n", *reader->at))
        return refuse_grammar(reader, "expected the end of the line");
    const int32_t start = build_item(reader, item, 0);
    if (reader->network->status != STATUS_OK) return explain_network(reader);
    reader->network->rules[rule].start = start;
    return STATUS_OK;
}

static enum status read_rules(struct reader *reader) {
    int32_t wrong;
    for (skip_space(reader, true); reader->at < reader->end; skip_space(reader, true))
        TRY(read_rule(reader));
    reader->network->root = NETWORK_NONE;
    for (int32_t i = 0; i < reader->network->rule_count; i++) {
        const struct name *name = &reader->names[i];
        if (reader->network->rules[i].start < 0)
            return error_set(reader->err, STATUS_BAD_INPUT, "grammar, line %d: undefined rule %.*s",
                             line_of(reader, name->bytes),
                             (int)(name->length < 60 ? name->length : 60), name->bytes);
        if (name->length == strlen(reader->root) &&
            memcmp(name->bytes, reader->root, name->length) == 0)
            reader->network->root = i;
    }
    if (reader->network->root < 0)
        return error_set(reader->err, STATUS_BAD_INPUT, "the grammar has no rule \"%s\"",
                         reader->root);
    const enum status status = network_close(reader->network, &wrong);
    if (reader->network->status != STATUS_OK) return explain_network(reader);
    if (status != STATUS_BAD_INPUT) return status;
    if (wrong == reader->network->root &&
        !reader->network->nodes[reader->network->rules[wrong].start].useful)
        return error_set(reader->err, status, "no finite text matches the grammar");
    const struct name *name = &reader->names[wrong];
    return error_set(reader->err, status, "grammar, line %d: left recursion in rule %.*s",
                     line_of(reader, name->bytes), (int)(name->length < 60 ? name->length : 60),
                     name->bytes);
}

enum status gbnf_read(const char *bytes, size_t length, const char *root, struct network *network,
                      struct error *err) {
    struct text copy = {0};
    struct network made;
    size_t bad;
    if (length > GBNF_MAX_BYTES)
        return error_set(err, STATUS_TOO_LONG, "the grammar is longer than %d bytes",
                         GBNF_MAX_BYTES);
    if (!utf8_valid(bytes, length, &bad) || memchr(bytes, '\0', length))
        return error_set(err, STATUS_BAD_INPUT, "the grammar is not UTF-8 text");
    TRY(text_append(&copy, bytes, length));
    network_init(&made);
    struct reader reader = {.start = text_string(&copy),
                            .at = text_string(&copy),
                            .end = text_string(&copy) + length,
                            .root = root,
                            .network = &made,
                            .names = calloc(NETWORK_MAX_RULES, sizeof *reader.names),
                            .err = err};
    enum status status = reader.names ? made.status : STATUS_NO_MEMORY;
    if (status == STATUS_OK) status = add_item(&reader, (struct item){0}, &(int32_t){0});
    if (status == STATUS_OK) status = read_rules(&reader);
    if (status == STATUS_OK)
        *network = made;
    else
        network_deinit(&made);
    if (status == STATUS_NO_MEMORY) error_set(err, status, "not enough memory for the grammar");
    character_classes_deinit(&reader.classes);
    free(reader.items);
    free(reader.names);
    text_deinit(&copy);
    return status;
}
