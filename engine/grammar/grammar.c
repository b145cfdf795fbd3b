// engine/grammar/grammar.c — from an automaton over bytes to tokens that are allowed.
//
// A mask is made in one walk over all tokens at once (fill_mask). The trie lies in depth-first
// order, and `states[depth]` is the automaton's state along the path to the current node:
//
//   node      a      ab     abc    b            tokens "a", "ab", "abc", "b"
//   depth     1      2      3      1
//   state     s1     DEAD   -      s2           "ab" is impossible: skip leads to b at once
//
// So a prefix that 10,000 tokens share is stepped through once, and what cannot follow costs one
// step for a whole subtree. The mask belongs to the automaton's state alone, so it is kept, and a
// later position in the same state finds it. grammar_filter() needs no mask: a few candidates are
// stepped through byte by byte, and only if too few of them are allowed does the sampler ask for
// the mask.
//
// When masks and states exceed the limit, all of them are dropped, and `flushes` tells each walk
// that its state number means nothing any more: it begins again from the answer's first token.
//
// Forced text (grammar_forced) is found as bytes, then encoded as a whole. Its last token is left
// to be sampled: the next character might belong to a longer token that the model would have
// preferred.
#include "engine/grammar/grammar.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine/grammar/automaton.h"
#include "engine/grammar/gbnf.h"
#include "kernels/backend.h"
#include "kernels/base/assert.h"

enum {
    KEPT_BYTES = 64 << 20,
    FORCED_BYTES = 4096,  // looked ahead at once
    WALK_STEPS = 1 << 24, // of new transitions, for the tokens that a walk passes
    FIRST = -2,           // SentencePiece's first byte, if a space, is not text: its own state
};

struct mask {
    int32_t count;
    uint64_t bits[]; // [words]
};

struct grammar {
    atomic_int references;
    const struct token_trie *trie;
    struct automaton *automaton;
    bool strips_space;
    size_t words; // of a mask
    uint64_t flushes;
    size_t limit;        // of kept_bytes()
    struct mask **masks; // [mask_capacity] of each state, FIRST's before them; NULL: none yet
    size_t mask_count, mask_capacity;
    struct text forced;
    int32_t *depths;   // [TOKEN_TRIE_MAX_DEPTH + 1] states along the trie's path
    char *gbnf, *root; // what it was made of; NULL: it is applied elsewhere
    char *source;      // of one that is applied elsewhere; or NULL
    bool is_schema;    // the source
};

enum status grammar_create(const struct token_trie *trie, const char *gbnf, const char *root,
                           struct grammar **result, struct error *err) {
    struct network network;
    TRY(gbnf_read(gbnf, strlen(gbnf), root, &network, err));
    struct grammar *grammar = calloc(1, sizeof *grammar);
    if (!grammar) {
        network_deinit(&network);
        return error_set(err, STATUS_NO_MEMORY, "not enough memory for the grammar");
    }
    atomic_init(&grammar->references, 1);
    grammar->trie = trie;
    grammar->strips_space = tokenizer_adds_space_prefix(trie->tokenizer);
    grammar->words = ((size_t)tokenizer_vocabulary(trie->tokenizer) + 63) / 64;
    grammar->flushes = 1;
    grammar->limit = KEPT_BYTES;
    grammar->depths = malloc((TOKEN_TRIE_MAX_DEPTH + 1) * sizeof *grammar->depths);
    grammar->gbnf = strdup(gbnf);
    grammar->root = strdup(root);
    const enum status status = automaton_create(&network, &grammar->automaton);
    if (status != STATUS_OK || !grammar->depths || !grammar->gbnf || !grammar->root) {
        grammar_release(grammar);
        if (status == STATUS_TOO_LONG)
            return error_set(err, status, "the grammar is too large: more than %d start states",
                             AUTOMATON_MAX_PLACES);
        return error_set(err, STATUS_NO_MEMORY, "not enough memory for the grammar");
    }
    *result = grammar;
    return STATUS_OK;
}

enum status grammar_create_elsewhere(const char *source, bool is_schema, struct grammar **result) {
    struct grammar *grammar = calloc(1, sizeof *grammar);
    if (!grammar) return STATUS_NO_MEMORY;
    atomic_init(&grammar->references, 1);
    grammar->is_schema = is_schema;
    grammar->source = strdup(source);
    if (!grammar->source) {
        grammar_release(grammar);
        return STATUS_NO_MEMORY;
    }
    *result = grammar;
    return STATUS_OK;
}

const char *grammar_source(const struct grammar *grammar, bool *is_schema) {
    ASSERT(grammar->source);
    *is_schema = grammar->is_schema;
    return grammar->source;
}

struct grammar *grammar_retain(struct grammar *grammar) {
    if (grammar) atomic_fetch_add(&grammar->references, 1);
    return grammar;
}

static void drop_masks(struct grammar *grammar) {
    for (size_t i = 0; i < grammar->mask_capacity; i++)
        free(grammar->masks[i]);
    free(grammar->masks);
    grammar->masks = NULL;
    grammar->mask_count = grammar->mask_capacity = 0;
}

void grammar_release(struct grammar *grammar) {
    if (!grammar || atomic_fetch_sub(&grammar->references, 1) > 1) return;
    drop_masks(grammar);
    automaton_destroy(grammar->automaton);
    text_deinit(&grammar->forced);
    free(grammar->depths);
    free(grammar->gbnf);
    free(grammar->root);
    free(grammar->source);
    free(grammar);
}

bool grammar_fits(const struct grammar *grammar, const char *text) {
    struct network network;
    struct automaton *automaton = NULL;
    if (!grammar->gbnf ||
        gbnf_read(grammar->gbnf, strlen(grammar->gbnf), grammar->root, &network, NULL) != STATUS_OK)
        return false;
    int32_t state = AUTOMATON_DEAD;
    if (automaton_create(&network, &automaton) == STATUS_OK) {
        automaton_allow(automaton, WALK_STEPS);
        state = AUTOMATON_START;
    }
    for (; *text && state != AUTOMATON_DEAD; text++)
        state = automaton_step(automaton, state, (unsigned char)*text);
    const bool fits = state != AUTOMATON_DEAD && automaton_accepts(automaton, state);
    automaton_destroy(automaton);
    return fits;
}

// ---- steps

static int32_t step_state(struct grammar *grammar, int32_t state, unsigned char byte) {
    if (state != FIRST) return automaton_step(grammar->automaton, state, byte);
    if (byte == ' ') return AUTOMATON_START;
    return automaton_step(grammar->automaton, AUTOMATON_START, byte);
}

static bool accepts(const struct grammar *grammar, int32_t state) {
    return automaton_accepts(grammar->automaton, state == FIRST ? AUTOMATON_START : state);
}

static bool is_end(const struct grammar *grammar, int32_t id) {
    return tokenizer_ends_turn(grammar->trie->tokenizer, id);
}

// The state behind a token's bytes; one without any leads nowhere.
static int32_t step_token(struct grammar *grammar, int32_t state, int32_t id) {
    size_t length;
    const char *bytes = token_trie_bytes(grammar->trie, id, &length);
    if (length == 0) return AUTOMATON_DEAD;
    for (size_t i = 0; i < length && state != AUTOMATON_DEAD; i++)
        state = step_state(grammar, state, (unsigned char)bytes[i]);
    return state;
}

static size_t kept_bytes(const struct grammar *grammar) {
    return automaton_bytes(grammar->automaton) +
           grammar->mask_count * grammar->words * sizeof(uint64_t);
}

void grammar_limit(struct grammar *grammar, size_t bytes) { grammar->limit = bytes; }

static void begin_walk(struct grammar *grammar, struct grammar_walk *walk) {
    walk->state = AUTOMATON_START;
    walk->tokens = 0;
    walk->flushes = grammar->flushes;
    for (const char *c = walk->begun; c && *c; c++)
        walk->state = step_state(grammar, walk->state, (unsigned char)*c);
    if (grammar->strips_space && !walk->begun) walk->state = FIRST;
}

bool grammar_walk(struct grammar *grammar, struct grammar_walk *walk, const int32_t *tokens,
                  int32_t count) {
    if (kept_bytes(grammar) > grammar->limit || automaton_is_full(grammar->automaton)) {
        automaton_flush(grammar->automaton);
        drop_masks(grammar);
        grammar->flushes++;
    }
    automaton_allow(grammar->automaton, WALK_STEPS);
    if (walk->flushes != grammar->flushes || walk->tokens > count) begin_walk(grammar, walk);
    for (; walk->tokens < count; walk->tokens++)
        walk->state = step_token(grammar, walk->state, tokens[walk->tokens]);
    automaton_allow(grammar->automaton, GRAMMAR_TOKEN_STEPS);
    return walk->state != AUTOMATON_DEAD;
}

bool grammar_is_full(const struct grammar *grammar) {
    return automaton_is_full(grammar->automaton);
}

bool grammar_accepts(const struct grammar *grammar, const struct grammar_walk *walk) {
    return accepts(grammar, walk->state);
}

// ---- masks

static void allow(struct mask *mask, int32_t id) {
    mask->bits[id / 64] |= (uint64_t)1 << id % 64;
    mask->count++;
}

static void fill_mask(struct grammar *grammar, int32_t state, struct mask *mask) {
    const struct token_trie *trie = grammar->trie;
    int32_t *states = grammar->depths;
    states[0] = state;
    for (uint32_t at = 0; at < trie->node_count;) {
        const struct token_trie_node *node = &trie->nodes[at];
        states[node->depth] = step_state(grammar, states[node->depth - 1], node->byte);
        if (states[node->depth] == AUTOMATON_DEAD) {
            at = node->skip;
            continue;
        }
        for (uint32_t i = node->first; i < node[1].first; i++)
            allow(mask, trie->ids[i]);
        at++;
    }
    for (int32_t i = 0; i < trie->end_count && accepts(grammar, state); i++)
        allow(mask, trie->ends[i]);
}

static size_t index_of(int32_t state) { return state == FIRST ? 0 : (size_t)state + 1; }

// Where the mask of a state is kept, which need not be there yet; NULL: no memory.
static struct mask **place_of(struct grammar *grammar, int32_t state) {
    const size_t at = index_of(state);
    if (at >= grammar->mask_capacity) {
        const size_t capacity = at * 2 + 64;
        struct mask **masks = realloc(grammar->masks, capacity * sizeof *masks);
        if (!masks) return NULL;
        for (size_t i = grammar->mask_capacity; i < capacity; i++)
            masks[i] = NULL;
        grammar->masks = masks;
        grammar->mask_capacity = capacity;
    }
    return &grammar->masks[at];
}

enum status grammar_allowed(struct grammar *grammar, const struct grammar_walk *walk,
                            struct grammar_mask *result) {
    struct mask **place = place_of(grammar, walk->state);
    if (!place) return STATUS_NO_MEMORY;
    if (!*place) {
        struct mask *mask = calloc(1, sizeof *mask + grammar->words * sizeof mask->bits[0]);
        if (!mask) return STATUS_NO_MEMORY;
        if (walk->state != AUTOMATON_DEAD) fill_mask(grammar, walk->state, mask);
        *place = mask;
        grammar->mask_count++;
    }
    *result = (struct grammar_mask){(*place)->bits, (*place)->count};
    return automaton_is_full(grammar->automaton) ? STATUS_TOO_LONG : STATUS_OK;
}

int32_t grammar_filter(struct grammar *grammar, const struct grammar_walk *walk,
                       const struct candidate *best, int32_t most, struct candidate *kept) {
    const size_t at = index_of(walk->state);
    const struct mask *mask = at < grammar->mask_capacity ? grammar->masks[at] : NULL;
    int32_t count = 0;
    for (int32_t i = 0; i < CANDIDATES_MAX && best[i].id >= 0 && count < most; i++) {
        const int32_t id = best[i].id;
        const bool allowed = mask ? mask->bits[id / 64] >> id % 64 & 1
                             : is_end(grammar, id)
                                 ? accepts(grammar, walk->state)
                                 : step_token(grammar, walk->state, id) != AUTOMATON_DEAD;
        if (allowed) kept[count++] = best[i];
    }
    return count;
}

// ---- what must follow

// Does the text of these tokens begin with `bytes`, all of them?
static bool spells(const struct grammar *grammar, const struct token_ids *ids, size_t from,
                   const struct text *text) {
    size_t passed = 0;
    for (size_t i = from; i < ids->count; i++) {
        size_t length;
        const char *bytes = token_trie_bytes(grammar->trie, ids->ids[i], &length);
        if (length == 0 || length > text->length - passed) return false;
        if (memcmp(bytes, text->bytes + passed, length) != 0) return false;
        passed += length;
    }
    return passed == text->length;
}

enum status grammar_forced(struct grammar *grammar, const struct grammar_walk *walk, int32_t most,
                           struct token_ids *ids) {
    struct text *text = &grammar->forced;
    int32_t state = walk->state;
    unsigned char byte;
    text_clear(text);
    if (state == FIRST || most <= 0) return STATUS_OK;
    while (text->length < FORCED_BYTES && automaton_forced(grammar->automaton, state, &byte)) {
        TRY(text_append(text, (const char *)&byte, 1));
        state = automaton_step(grammar->automaton, state, byte);
    }
    // The tokenizer cuts whole characters.
    if (text->length < 2 || utf8_incomplete_tail(text->bytes, text->length) > 0 ||
        !utf8_valid(text->bytes, text->length, NULL))
        return STATUS_OK;
    const size_t before = ids->count;
    const struct piece piece = {PIECE_TEXT, text->bytes, text->length};
    TRY(tokenizer_encode(grammar->trie->tokenizer, &piece, 1, ids));
    if (!spells(grammar, ids, before, text)) ids->count = before;
    if (ids->count > before) ids->count--;
    if (ids->count > before + (size_t)most) ids->count = before + (size_t)most;
    return STATUS_OK;
}
