// engine/grammar/network.h — a grammar's rules as networks of bytes.
//
// Each rule is a graph of nodes, as in a recursive transition network (Woods, 1970):
//
//   BYTES  reads one byte of a set and continues at `next`
//   SPLIT  continues at `next` or at `other`, and reads nothing
//   CALL   runs through the rule `other`, then continues at `next`
//   END    the rule is over
//
// Characters are bytes here: a range of code points is the byte sequences of its UTF-8, in a rule
// of their own. A repetition with bounds is that many copies.
//
// A node is useful if some finite text leads from it to its rule's end. What is not useful is never
// entered, so whoever follows useful nodes can always finish.
//
//   network_init ─► network_node, network_set, network_rule … ─► network_close
//
// Memory: owned tables. Threads: nothing is written after network_close().
#ifndef ENGINE_NETWORK_H
#define ENGINE_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/effort.h"

enum {
    NETWORK_MAX_NODES = 1 << 20,
    NETWORK_MAX_RULES = 1 << 13,
    NETWORK_MAX_SETS = 1 << 12,
    NETWORK_MAX_STEPS = 1 << 27, // of work on it, about a second
    NETWORK_NONE = -1,
};

enum node_kind { NODE_END, NODE_BYTES, NODE_SPLIT, NODE_CALL };

struct node {
    int32_t next, other; // BYTES: other is the set
    unsigned char kind;
    bool useful;
};

struct byte_set {
    uint64_t bits[4];
};

struct network_rule {
    int32_t start; // NETWORK_NONE: not defined yet
    bool nullable; // it may be empty
};

struct network {
    struct node *nodes;
    struct byte_set *sets;
    struct network_rule *rules;
    int32_t node_count, set_count, rule_count;
    size_t node_capacity, set_capacity, rule_capacity;
    int32_t root;
    struct effort effort;
    enum status status; // why a call failed, if one has: later ones do nothing
    const char *limit;  // TOO_LONG: which one is exceeded, such as "states"
    int32_t most;       // and how many there may be
};

void network_init(struct network *network); // node 0 is the one END
void network_deinit(struct network *network);

// Each returns a number, or 0 after a failure: NO_MEMORY; TOO_LONG, a limit; or CANCELLED.
int32_t network_node(struct network *network, enum node_kind kind, int32_t next, int32_t other);
int32_t network_set(struct network *network, const struct byte_set *set); // equal sets are one
int32_t network_rule(struct network *network);
bool network_spend(struct network *network, uint64_t steps); // false: it has failed

// When all rules are defined: finds what is useful. BAD_INPUT: no text fits the root; or *rule
// begins with itself, so that it would never read a byte.
MUST_CHECK enum status network_close(struct network *network, int32_t *rule);

static inline bool byte_set_has(const struct byte_set *set, unsigned char byte) {
    return set->bits[byte / 64] >> byte % 64 & 1;
}

static inline void byte_set_add(struct byte_set *set, unsigned char byte) {
    set->bits[byte / 64] |= (uint64_t)1 << byte % 64;
}

#endif
