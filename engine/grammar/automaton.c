// engine/grammar/automaton.c — a recursive grammar as a deterministic automaton that grows in use.
//
// The textbook's subset construction, but each element of a state carries a stack of calls. For
//
//   root ::= "a" | "(" root ")"          nodes:  0 reads a, then END
//                                                1 reads (, then calls root and continues at 2
//                                                2 reads ), then END
//
//   text        configurations (node, stack)             state
//   ""          (0, -)      (1, -)                       1, START
//   "("         (0, [2])    (1, [2])                     2
//   "(("        (0, [2 2])  (1, [2 2])                   3
//   "((a"       (2, [2])                                 4: END pops 2 from [2 2]
//   "((a)"      (2, -)                                   5
//   "((a))"     none; accepts, with an empty stack       6
//
// Stacks are lists that share their ends: a frame is (node, frame below) and exists once, so a
// stack is one number, equal stacks have equal numbers, and depth n costs one frame more than depth
// n - 1. A state is its sorted list of configurations, also stored once. Both are found by hashing,
// so a state that was reached on two ways is made once, and most bytes of a text follow a known
// edge: one look-up in ways[class].
//
// The closure (visit, look_at) follows calls, splits and ends until only nodes are left that read a
// byte; `seen` makes repetitions of nothing end (left recursion is refused by network.c). A call
// whose next node is END pushes no frame (a tail call): without that, "list ::= item | item list"
// would have a deeper stack, and so a new state, for each item.
//
// Bytes that no set of the grammar tells apart are one class, so a row of ways has one entry a
// class instead of 256.
//
// With recursion there are infinitely many states, so they cannot be made beforehand.
#include "engine/grammar/automaton.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/assert.h"
#include "kernels/base/hash.h"

enum { UNKNOWN = -1, BOTTOM = 0 };

struct frame { // of a stack: continue at `node`, and then with the stack `below`
    int32_t node, below;
};

struct state {
    size_t first; // of its configurations
    int32_t count;
    bool accepts;
    int32_t *ways; // [class_count] the state behind each, or UNKNOWN; NULL: none is known
};

struct index { // open addressing: a number at the hash of what it stands for, or UNKNOWN
    int32_t *slots;
    size_t mask;
    size_t used;
};

struct automaton {
    struct network network;
    unsigned char class_of[256];
    int32_t class_count;
    int32_t class_size[256];
    unsigned char class_byte[256]; // one of each

    struct frame *frames; // [0] is the empty stack
    size_t frame_count, frame_capacity;
    struct state *states;
    size_t state_count, state_capacity;
    uint64_t *configurations; // of all states, then of the one in the making
    size_t configuration_count, configuration_capacity;
    size_t way_bytes;
    struct index frame_index, state_index;

    uint64_t *waiting; // of the closure
    size_t waiting_count, waiting_capacity;
    struct index seen; // places in `visited`
    uint64_t *visited; // node and stack
    size_t visited_count, visited_capacity;
    bool accepts, full;
    int64_t steps_left;
};

// ---- tables

static bool push_word(uint64_t **words, size_t *count, size_t *capacity, uint64_t word) {
    if (!array_reserve(words, *count, capacity, sizeof **words)) return false;
    (*words)[(*count)++] = word;
    return true;
}

static void index_clear(struct index *index) {
    if (index->slots) memset(index->slots, 0xFF, (index->mask + 1) * sizeof index->slots[0]);
    index->used = 0;
}

static uint64_t mix_word(uint64_t word) { // SplitMix64's finalizer
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
    word = (word ^ word >> 27) * 0x94D049BB133111EBu;
    return word ^ word >> 31;
}

// Doubles the index if it is half full. `hash_at` is the hash of an entry.
static bool index_reserve(struct index *index,
                          uint64_t (*hash_at)(const struct automaton *, int32_t),
                          const struct automaton *automaton) {
    if (index->slots && index->used < (index->mask + 1) / 2) return true;
    const size_t size = index->slots ? (index->mask + 1) * 2 : 64;
    int32_t *slots = malloc(size * sizeof *slots);
    if (!slots) return false;
    memset(slots, 0xFF, size * sizeof *slots);
    for (size_t i = 0; index->slots && i <= index->mask; i++) {
        if (index->slots[i] == UNKNOWN) continue;
        size_t at = hash_at(automaton, index->slots[i]) & (size - 1);
        while (slots[at] != UNKNOWN)
            at = (at + 1) & (size - 1);
        slots[at] = index->slots[i];
    }
    free(index->slots);
    index->slots = slots;
    index->mask = size - 1;
    return true;
}

static uint64_t frame_hash(const struct automaton *automaton, int32_t number) {
    const struct frame *frame = &automaton->frames[number];
    return mix_word((uint64_t)frame->node << 32 | (uint32_t)frame->below);
}

static uint64_t visited_hash(const struct automaton *automaton, int32_t number) {
    return mix_word(automaton->visited[number]);
}

static uint64_t hash_of(const uint64_t *configurations, int32_t count, bool accepts) {
    return hash_bytes(configurations, (size_t)count * sizeof *configurations, accepts).low;
}

static uint64_t state_hash(const struct automaton *automaton, int32_t number) {
    const struct state *state = &automaton->states[number];
    return hash_of(automaton->configurations + state->first, state->count, state->accepts);
}

// ---- stacks and closures

// The stack with one more frame; UNKNOWN: no memory.
static int32_t push_frame(struct automaton *automaton, int32_t node, int32_t below) {
    ASSERT(node >= 0 && below >= 0 && (size_t)below < automaton->frame_count);
    struct index *index = &automaton->frame_index;
    if (!index_reserve(index, frame_hash, automaton)) return UNKNOWN;
    if (!array_reserve(&automaton->frames, automaton->frame_count, &automaton->frame_capacity,
                       sizeof automaton->frames[0]))
        return UNKNOWN;
    const int32_t number = (int32_t)automaton->frame_count;
    automaton->frames[number] = (struct frame){node, below};
    size_t at = frame_hash(automaton, number) & index->mask;
    for (; index->slots[at] != UNKNOWN; at = (at + 1) & index->mask) {
        const struct frame *frame = &automaton->frames[index->slots[at]];
        if (frame->node == node && frame->below == below) return index->slots[at];
    }
    index->slots[at] = number;
    index->used++;
    automaton->frame_count++;
    return number;
}

// Puts a node and its stack aside, to be looked at, unless it has been in this closure.
static bool visit(struct automaton *automaton, int32_t node, int32_t stack) {
    ASSERT(node >= 0 && node < automaton->network.node_count);
    ASSERT(stack >= 0 && (size_t)stack < automaton->frame_count);
    const uint64_t word = (uint64_t)node << 32 | (uint32_t)stack;
    struct index *index = &automaton->seen;
    if (!automaton->network.nodes[node].useful) return true;
    if (automaton->visited_count == AUTOMATON_MAX_PLACES || automaton->steps_left-- <= 0)
        return false;
    if (!index_reserve(index, visited_hash, automaton)) return false;
    size_t at = mix_word(word) & index->mask;
    for (; index->slots[at] != UNKNOWN; at = (at + 1) & index->mask)
        if (automaton->visited[index->slots[at]] == word) return true;
    index->slots[at] = (int32_t)automaton->visited_count;
    index->used++;
    return push_word(&automaton->visited, &automaton->visited_count, &automaton->visited_capacity,
                     word) &&
           push_word(&automaton->waiting, &automaton->waiting_count, &automaton->waiting_capacity,
                     word);
}

// Does a node lead to its rule's end, and nowhere else? Then a call before it needs no frame.
static bool only_ends(const struct network *network, int32_t node) {
    return network->nodes[node].kind == NODE_END;
}

static bool look_at(struct automaton *automaton, int32_t number, int32_t stack) {
    ASSERT(number >= 0 && number < automaton->network.node_count);
    const struct network *network = &automaton->network;
    const struct node *node = &network->nodes[number];
    int32_t inner = stack;
    switch ((enum node_kind)node->kind) {
    case NODE_BYTES:
        return push_word(&automaton->configurations, &automaton->configuration_count,
                         &automaton->configuration_capacity,
                         (uint64_t)number << 32 | (uint32_t)stack);
    case NODE_SPLIT:
        return visit(automaton, node->next, stack) && visit(automaton, node->other, stack);
    case NODE_CALL:
        if (!only_ends(network, node->next)) inner = push_frame(automaton, node->next, stack);
        return inner != UNKNOWN && visit(automaton, network->rules[node->other].start, inner);
    case NODE_END:
        if (stack == BOTTOM) {
            automaton->accepts = true;
            return true;
        }
        return visit(automaton, automaton->frames[stack].node, automaton->frames[stack].below);
    }
    return true;
}

static void begin_closure(struct automaton *automaton) {
    if (automaton->visited_count > 64)
        index_clear(&automaton->seen);
    else // a small closure clears what it has used, not the whole table
        for (size_t i = 0; i < automaton->visited_count; i++) {
            size_t at = mix_word(automaton->visited[i]) & automaton->seen.mask;
            while (automaton->seen.slots[at] != UNKNOWN) {
                automaton->seen.slots[at] = UNKNOWN;
                at = (at + 1) & automaton->seen.mask;
            }
        }
    automaton->seen.used = automaton->visited_count = 0;
    automaton->accepts = false;
}

static bool finish_closure(struct automaton *automaton) {
    while (automaton->waiting_count > 0) {
        const uint64_t word = automaton->waiting[--automaton->waiting_count];
        if (!look_at(automaton, (int32_t)(word >> 32), (int32_t)(uint32_t)word)) return false;
    }
    return true;
}

// ---- states

static int by_value(const void *a, const void *b) {
    const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

// The number of the state whose configurations were pushed from `first` on; UNKNOWN: no memory.
static int32_t intern_state(struct automaton *automaton, size_t first) {
    ASSERT(first <= automaton->configuration_count && automaton->waiting_count == 0);
    const int32_t count = (int32_t)(automaton->configuration_count - first);
    struct index *index = &automaton->state_index;
    uint64_t *own = automaton->configurations + first;
    if (count == 0 && !automaton->accepts) return AUTOMATON_DEAD;
    if (!index_reserve(index, state_hash, automaton)) return UNKNOWN;
    if (count > 1) qsort(own, (size_t)count, sizeof *own, by_value);
    size_t at = hash_of(own, count, automaton->accepts) & index->mask;
    for (; index->slots[at] != UNKNOWN; at = (at + 1) & index->mask) {
        const struct state *state = &automaton->states[index->slots[at]];
        if (state->count != count || state->accepts != automaton->accepts) continue;
        const uint64_t *others = automaton->configurations + state->first;
        if (memcmp(others, own, (size_t)count * sizeof *own) != 0) continue;
        automaton->configuration_count = first;
        return index->slots[at];
    }
    if (!array_reserve(&automaton->states, automaton->state_count, &automaton->state_capacity,
                       sizeof automaton->states[0]))
        return UNKNOWN;
    index->slots[at] = (int32_t)automaton->state_count;
    index->used++;
    automaton->states[automaton->state_count] =
        (struct state){.first = first, .count = count, .accepts = automaton->accepts};
    return (int32_t)automaton->state_count++;
}

size_t automaton_bytes(const struct automaton *automaton) {
    return automaton->frame_count * sizeof automaton->frames[0] +
           automaton->state_count * sizeof automaton->states[0] +
           automaton->configuration_count * sizeof automaton->configurations[0] +
           automaton->way_bytes;
}

void automaton_allow(struct automaton *automaton, int64_t steps) { automaton->steps_left = steps; }

int64_t automaton_allowed(const struct automaton *automaton) { return automaton->steps_left; }

bool automaton_is_full(const struct automaton *automaton) { return automaton->full; }

// The state behind a byte of this class, which has not been asked for yet.
static int32_t make_way(struct automaton *automaton, int32_t state, int32_t class) {
    ASSERT(class >= 0 && class < automaton->class_count);
    const size_t row = (size_t)automaton->class_count * sizeof(int32_t);
    const unsigned char byte = automaton->class_byte[class];
    const size_t first = automaton->configuration_count;
    bool made = automaton_bytes(automaton) < AUTOMATON_MAX_BYTES;
    if (made && !automaton->states[state].ways) {
        int32_t *ways = malloc(row);
        made = ways != NULL;
        if (made) memset(ways, 0xFF, row);
        automaton->states[state].ways = ways;
        automaton->way_bytes += row;
    }
    begin_closure(automaton);
    for (int32_t i = 0; i < automaton->states[state].count && made; i++) {
        automaton->steps_left--;
        const uint64_t from = automaton->configurations[automaton->states[state].first + (size_t)i];
        const struct node *node = &automaton->network.nodes[from >> 32];
        if (byte_set_has(&automaton->network.sets[node->other], byte))
            made = visit(automaton, node->next, (int32_t)(uint32_t)from);
    }
    made = made && finish_closure(automaton);
    const int32_t next = made ? intern_state(automaton, first) : UNKNOWN;
    if (next != UNKNOWN) {
        automaton->states[state].ways[class] = next;
        return next;
    }
    automaton->configuration_count = first;
    automaton->waiting_count = 0;
    automaton->full = true;
    return AUTOMATON_DEAD;
}

int32_t automaton_step(struct automaton *automaton, int32_t state, unsigned char byte) {
    const int32_t class = automaton->class_of[byte];
    ASSERT(state >= 0 && (size_t)state < automaton->state_count);
    const int32_t *ways = automaton->states[state].ways;
    if (ways && ways[class] != UNKNOWN) return ways[class];
    return make_way(automaton, state, class);
}

bool automaton_accepts(const struct automaton *automaton, int32_t state) {
    ASSERT(state >= 0 && (size_t)state < automaton->state_count);
    return automaton->states[state].accepts;
}

bool automaton_forced(struct automaton *automaton, int32_t state, unsigned char *byte) {
    int32_t only = UNKNOWN;
    if (automaton_accepts(automaton, state)) return false;
    for (int32_t class = 0; class < automaton->class_count; class ++) {
        if (automaton_step(automaton, state, automaton->class_byte[class]) == AUTOMATON_DEAD)
            continue;
        if (only != UNKNOWN || automaton->class_size[class] > 1) return false;
        only = class;
    }
    if (only == UNKNOWN) return false;
    *byte = automaton->class_byte[only];
    return true;
}

// ---- life

// Bytes are of one class if they are in the same sets.
static void find_classes(struct automaton *automaton) {
    const struct network *network = &automaton->network;
    int32_t count = 1;
    for (int32_t i = 0; i < network->set_count && count < 256; i++) {
        int32_t inside[256];
        memset(inside, 0xFF, sizeof inside);
        bool stays[256] = {false}; // some byte of the class is not in the set
        for (int byte = 0; byte < 256; byte++)
            if (!byte_set_has(&network->sets[i], (unsigned char)byte))
                stays[automaton->class_of[byte]] = true;
        for (int byte = 0; byte < 256; byte++) {
            const unsigned char class = automaton->class_of[byte];
            if (!byte_set_has(&network->sets[i], (unsigned char)byte) || !stays[class]) continue;
            if (inside[class] < 0) inside[class] = count++;
            automaton->class_of[byte] = (unsigned char)inside[class];
        }
    }
    ASSERT(count <= 256);
    automaton->class_count = count;
    for (int byte = 255; byte >= 0; byte--) {
        automaton->class_byte[automaton->class_of[byte]] = (unsigned char)byte;
        automaton->class_size[automaton->class_of[byte]]++;
    }
}

static void drop_states(struct automaton *automaton) {
    ASSERT(automaton->state_count <= automaton->state_capacity);
    for (size_t i = 0; i < automaton->state_count; i++)
        free(automaton->states[i].ways);
    automaton->state_count = automaton->configuration_count = automaton->frame_count = 0;
    automaton->way_bytes = 0;
    index_clear(&automaton->frame_index);
    index_clear(&automaton->state_index);
}

void automaton_flush(struct automaton *automaton) {
    const struct network *network = &automaton->network;
    drop_states(automaton);
    automaton->full = false;
    automaton->steps_left = INT64_MAX;
    // Both tables have had an item since the automaton was made, so that this needs no memory.
    automaton->frames[automaton->frame_count++] = (struct frame){0, BOTTOM};
    automaton->states[automaton->state_count++] = (struct state){0};
    begin_closure(automaton);
    if (!visit(automaton, network->rules[network->root].start, BOTTOM) ||
        !finish_closure(automaton) || intern_state(automaton, 0) != AUTOMATON_START)
        automaton->full = true;
}

enum status automaton_create(struct network *network, struct automaton **result) {
    struct automaton *automaton = calloc(1, sizeof *automaton);
    if (!automaton) {
        network_deinit(network);
        return STATUS_NO_MEMORY;
    }
    automaton->network = *network;
    *network = (struct network){0};
    find_classes(automaton);
    enum status status = STATUS_NO_MEMORY;
    if (array_reserve(&automaton->frames, 0, &automaton->frame_capacity,
                      sizeof automaton->frames[0]) &&
        array_reserve(&automaton->states, 0, &automaton->state_capacity,
                      sizeof automaton->states[0]) &&
        array_reserve(&automaton->configurations, 0, &automaton->configuration_capacity,
                      sizeof automaton->configurations[0])) {
        automaton_flush(automaton);
        status = automaton->full ? STATUS_TOO_LONG : STATUS_OK;
    }
    if (status != STATUS_OK) {
        automaton_destroy(automaton);
        return status;
    }
    *result = automaton;
    return STATUS_OK;
}

void automaton_destroy(struct automaton *automaton) {
    if (!automaton) return;
    drop_states(automaton);
    network_deinit(&automaton->network);
    free(automaton->frames);
    free(automaton->states);
    free(automaton->configurations);
    free(automaton->frame_index.slots);
    free(automaton->state_index.slots);
    free(automaton->waiting);
    free(automaton->seen.slots);
    free(automaton->visited);
    free(automaton);
}
