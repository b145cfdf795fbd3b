// engine/grammar/schema_product.c — strings that several expressions accept at the same time.
//
// A grammar has no "and", so the expressions become automata that read the string together (the
// product construction). A product state is one state of each automaton, and becomes a rule:
//
//   ^a+b?$ and two characters     states   quote (1 1)   "a" (2 2)   "aa" or "ab" (3 3), (4 3)
//
//   r7 ::= "\"" r8     r8 ::= "a" r9     r9 ::= "a" r10 | "b" r11     r10 ::= "\"" r12     …
//
// An excluded expression is one that the string must not fit: its automaton reads along, and may be
// dead. Each byte would need a way of its own for UTF-8, and an escape would have to be the same in
// all expressions; so these strings are of ASCII and without a backslash, which makes the grammar
// narrower, never wider. Formats have no other characters anyway.
#include <stdlib.h>
#include <string.h>

#include "engine/grammar/automaton.h"
#include "engine/grammar/gbnf.h"
#include "engine/grammar/schema_parts.h"
#include "kernels/base/array.h"
#include "kernels/base/assert.h"
#include "kernels/base/hash.h"

enum {
    FIRST_BYTE = ' ',
    LAST_BYTE = '~',
    BYTES = LAST_BYTE - FIRST_BYTE + 1,
    STATES_MOST = 4096,
    SLOTS = 4 * STATES_MOST,
    STEPS_MOST = 1 << 22, // for each automaton
    NODE_STEPS = 16,      // of reading a grammar, for each node that it becomes
};

struct product_state {
    int32_t at[SCHEMA_MAX_PARTS]; // of each automaton; 0 behind the last
};

struct product {
    struct compiler *compiler;
    const struct schema_expression *parts;
    size_t part_count;
    struct automaton *automata[SCHEMA_MAX_PARTS];
    struct product_state *states; // [count]; the first `done` have their rules
    size_t count, capacity;
    int32_t slots[SLOTS]; // open addressing: the number of a state and 1; 0: free
    int32_t first_rule;
};

static enum status too_large(const struct product *product) {
    return schema_refuse(product->compiler, STATUS_TOO_LONG,
                         "\"format\" together with other constraints needs more than %d states",
                         STATES_MOST);
}

static enum status open_part(struct product *product, size_t index) {
    struct text gbnf = {0};
    struct network network;
    struct error err = {0};
    enum status status = text_append_string(&gbnf, SCHEMA_COMMON_RULES);
    if (status == STATUS_OK)
        status =
            text_format(&gbnf, "root ::= %s\n", text_string(&product->parts[index].expression));
    if (status == STATUS_OK) {
        status = gbnf_read(gbnf.bytes, gbnf.length, "root", &network, &err);
        if (status != STATUS_OK && status != STATUS_NO_MEMORY)
            status = schema_refuse(product->compiler, status, "%s", err.text);
    }
    if (status == STATUS_OK) {
        const uint64_t nodes = (uint64_t)network.node_count;
        status = automaton_create(&network, &product->automata[index]);
        if (status == STATUS_OK) status = schema_spend(product->compiler, NODE_STEPS * nodes);
    }
    if (status == STATUS_OK) automaton_allow(product->automata[index], STEPS_MOST);
    text_deinit(&gbnf);
    return status;
}

// The number of a state, which is new if it is not known.
static enum status number_of(struct product *product, const struct product_state *state,
                             int32_t *number) {
    size_t slot = hash_bytes(state, sizeof *state, 0).low % SLOTS;
    for (; product->slots[slot]; slot = (slot + 1) % SLOTS) {
        ASSERT(product->states);
        *number = product->slots[slot] - 1;
        if (memcmp(&product->states[*number], state, sizeof *state) == 0) return STATUS_OK;
    }
    if (product->count == STATES_MOST) return too_large(product);
    if (!array_reserve(&product->states, product->count, &product->capacity,
                       sizeof product->states[0]))
        return STATUS_NO_MEMORY;
    product->states[product->count++] = *state;
    *number = (int32_t)product->count - 1;
    product->slots[slot] = *number + 1;
    return STATUS_OK;
}

// False: no string continues like this.
static bool step(struct product *product, const struct product_state *from, unsigned char byte,
                 struct product_state *to) {
    *to = (struct product_state){0};
    if (byte == '\\') return false;
    for (size_t i = 0; i < product->part_count; i++) {
        to->at[i] = automaton_step(product->automata[i], from->at[i], byte);
        if (to->at[i] == AUTOMATON_DEAD && !product->parts[i].excluded) return false;
    }
    return true;
}

static bool accepts(const struct product *product, const struct product_state *state) {
    for (size_t i = 0; i < product->part_count; i++)
        if (automaton_accepts(product->automata[i], state->at[i]) == product->parts[i].excluded)
            return false;
    return true;
}

static int64_t steps_allowed(const struct product *product) {
    int64_t steps = 0;
    for (size_t i = 0; i < product->part_count; i++)
        steps += automaton_allowed(product->automata[i]);
    return steps;
}

// Appends a rule's alternatives: for each state behind this one, the bytes that lead there.
static enum status write_rule(struct product *product, size_t number, struct text *out) {
    int32_t ways[BYTES];
    const struct product_state from = product->states[number];
    const int64_t allowed = steps_allowed(product);
    for (int i = 0; i < BYTES; i++) {
        struct product_state to;
        ways[i] = -1;
        if (step(product, &from, (unsigned char)(FIRST_BYTE + i), &to))
            TRY(number_of(product, &to, &ways[i]));
    }
    TRY(schema_spend(product->compiler,
                     BYTES * product->part_count + (uint64_t)(allowed - steps_allowed(product))));
    for (size_t i = 0; i < product->part_count; i++)
        if (automaton_is_full(product->automata[i])) return too_large(product);
    TRY(text_append_string(out, accepts(product, &from) ? "\"\"" : "never"));
    for (int i = 0; i < BYTES; i++) {
        const int32_t way = ways[i];
        if (way < 0) continue;
        TRY(text_append_string(out, " | ["));
        for (int first = i; first < BYTES; first++) {
            int last = first;
            if (ways[first] != way) continue;
            while (last + 1 < BYTES && ways[last + 1] == way)
                last++;
            TRY(text_format(out, "\\x%02X-\\x%02X", (unsigned)(FIRST_BYTE + first),
                            (unsigned)(FIRST_BYTE + last)));
            for (; first <= last; first++)
                ways[first] = -1;
        }
        TRY(text_format(out, "] r%d", product->first_rule + way));
    }
    return text_append_string(out, "\n");
}

static enum status write_rules(struct product *product, struct text *out) {
    struct compiler *compiler = product->compiler;
    struct product_state start = {0};
    int32_t number;
    for (size_t i = 0; i < product->part_count; i++)
        start.at[i] = AUTOMATON_START;
    TRY(number_of(product, &start, &number));
    product->first_rule = compiler->rule_count;
    for (size_t done = 0; done < product->count; done++) {
        TRY(text_format(compiler->gbnf, "r%d ::= ", product->first_rule + (int32_t)done));
        TRY(write_rule(product, done, compiler->gbnf));
    }
    compiler->rule_count += (int32_t)product->count;
    return text_format(out, "r%d", product->first_rule);
}

enum status schema_product(struct compiler *compiler, const struct schema_expression *parts,
                           size_t count, struct text *out) {
    struct product *product = calloc(1, sizeof *product);
    enum status status = product ? STATUS_OK : STATUS_NO_MEMORY;
    if (product) {
        product->compiler = compiler;
        product->parts = parts;
    }
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = open_part(product, i);
        product->part_count = i + 1;
    }
    if (status == STATUS_OK) status = write_rules(product, out);
    for (size_t i = 0; product && i < product->part_count; i++)
        automaton_destroy(product->automata[i]);
    if (product) free(product->states);
    free(product);
    return status;
}
