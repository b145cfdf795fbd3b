// engine/grammar/network.c — building the networks, and what is refused before they are used.
//
// Three properties are fixed points: a set of marks that is gone over until nothing changes.
//
//   useful     a node from which the end of its rule can be reached. Marks grow from END: a node
//              is useful if what follows it is, and a call if the called rule's start is, too
//   nullable   a rule that can read nothing. Marks grow: its end is reached through calls of
//              nullable rules alone
//   recursive  rules that begin with themselves. Marks shrink: all rules are marked, and a rule
//              loses its mark if it can begin with no marked one. What stays marked is a circle, or
//              leads to one
//
//   a ::= b "x"     b ::= a | "y"     c ::= a          c stays marked: it begins with a
//                                                      a begins with b, b with a: left recursion
//
// Left recursion is refused, because a stack of calls would grow without a byte being read.
#include "engine/grammar/network.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/assert.h"

static void exceed(struct network *network, const char *limit, int32_t most) {
    network->status = STATUS_TOO_LONG;
    network->limit = limit;
    network->most = most;
}

bool network_spend(struct network *network, uint64_t steps) {
    if (network->status != STATUS_OK) return false;
    const enum status status = effort_spend(&network->effort, steps);
    if (status == STATUS_FULL)
        exceed(network, "steps", NETWORK_MAX_STEPS);
    else
        network->status = status;
    return network->status == STATUS_OK;
}

// Makes room for one more item; false, with the status set, if there is none.
static bool grow_items(struct network *network, void *items, size_t bytes, int32_t count,
                       size_t *capacity, int32_t most, const char *limit) {
    ASSERT(count >= 0);
    if (!network_spend(network, 1)) return false;
    if (count >= most)
        exceed(network, limit, most);
    else if (!array_reserve(items, (size_t)count, capacity, bytes))
        network->status = STATUS_NO_MEMORY;
    return network->status == STATUS_OK;
}

int32_t network_node(struct network *network, enum node_kind kind, int32_t next, int32_t other) {
    ASSERT(next >= 0 && other >= 0);
    if (!grow_items(network, &network->nodes, sizeof network->nodes[0], network->node_count,
                    &network->node_capacity, NETWORK_MAX_NODES, "states"))
        return 0;
    network->nodes[network->node_count] =
        (struct node){.next = next, .other = other, .kind = (unsigned char)kind};
    return network->node_count++;
}

int32_t network_set(struct network *network, const struct byte_set *set) {
    if (!network_spend(network, (uint64_t)network->set_count)) return 0;
    for (int32_t i = 0; i < network->set_count; i++)
        if (memcmp(&network->sets[i], set, sizeof *set) == 0) return i;
    if (!grow_items(network, &network->sets, sizeof network->sets[0], network->set_count,
                    &network->set_capacity, NETWORK_MAX_SETS, "byte sets"))
        return 0;
    network->sets[network->set_count] = *set;
    return network->set_count++;
}

int32_t network_rule(struct network *network) {
    if (!grow_items(network, &network->rules, sizeof network->rules[0], network->rule_count,
                    &network->rule_capacity, NETWORK_MAX_RULES, "rules"))
        return 0;
    network->rules[network->rule_count] = (struct network_rule){.start = NETWORK_NONE};
    return network->rule_count++;
}

void network_init(struct network *network) {
    *network = (struct network){.effort = effort_of(NETWORK_MAX_STEPS)};
    network_node(network, NODE_END, 0, 0);
}

void network_deinit(struct network *network) {
    free(network->nodes);
    free(network->sets);
    free(network->rules);
    *network = (struct network){0};
}

// Most nodes are made after those that they lead to, so that a few rounds suffice.
static void find_useful(struct network *network) {
    struct node *nodes = network->nodes;
    for (bool changed = true; changed && network_spend(network, (uint64_t)network->node_count);) {
        changed = false;
        for (int32_t i = 0; i < network->node_count; i++) {
            struct node *node = &nodes[i];
            ASSERT(node->kind <= NODE_CALL);
            bool useful = node->kind == NODE_END || nodes[node->next].useful;
            if (node->kind == NODE_SPLIT) useful = useful || nodes[node->other].useful;
            if (node->kind == NODE_CALL)
                useful = useful && nodes[network->rules[node->other].start].useful;
            if (node->kind == NODE_BYTES) {
                const uint64_t *bits = network->sets[node->other].bits;
                useful = useful && (bits[0] | bits[1] | bits[2] | bits[3]);
            }
            changed = changed || useful != node->useful;
            node->useful = useful;
        }
    }
}

// The nodes that a rule reaches before it reads a byte.
struct reach {
    struct network *network;
    int32_t *seen;    // [nodes] by which walk; starts as 0
    int32_t *waiting; // [nodes]
    int32_t walk;
};

// Visits what `rule` reaches without a byte: true if its end is among it. *calls is set if a rule
// that is `marked` is.
static bool reach_from(struct reach *reach, int32_t rule, const bool *marked, bool *calls) {
    struct network *network = reach->network;
    int32_t count = 0;
    bool ends = false;
    ASSERT(rule >= 0 && rule < network->rule_count);
    reach->walk++;
    *calls = false;
    reach->waiting[count++] = network->rules[rule].start;
    reach->seen[network->rules[rule].start] = reach->walk;
    while (count > 0 && network_spend(network, 1)) {
        const struct node *node = &network->nodes[reach->waiting[--count]];
        if (!node->useful || node->kind == NODE_BYTES) continue;
        if (node->kind == NODE_END) {
            ends = true;
            continue;
        }
        const bool calling = node->kind == NODE_CALL;
        if (calling && marked && marked[node->other]) *calls = true;
        const int32_t ways[] = {node->next, node->other};
        for (int way = 0; way < (calling ? 1 : 2); way++) {
            if (calling && !network->rules[node->other].nullable) continue;
            if (reach->seen[ways[way]] == reach->walk) continue;
            reach->seen[ways[way]] = reach->walk;
            reach->waiting[count++] = ways[way];
        }
    }
    return ends;
}

static void find_nullable(struct reach *reach) {
    struct network *network = reach->network;
    for (bool changed = true; changed && network->status == STATUS_OK;) {
        changed = false;
        for (int32_t i = 0; i < network->rule_count; i++) {
            bool calls;
            if (network->rules[i].nullable || !reach_from(reach, i, NULL, &calls)) continue;
            network->rules[i].nullable = changed = true;
        }
    }
}

// Unmarks rules that begin with no marked rule, until only those are left that begin, in the end,
// with themselves. Returns one of them, or NETWORK_NONE.
static int32_t find_left_recursion(struct reach *reach, bool *marked) {
    struct network *network = reach->network;
    int32_t found = NETWORK_NONE;
    for (int32_t i = 0; i < network->rule_count; i++)
        marked[i] = true;
    for (bool changed = true; changed && network->status == STATUS_OK;) {
        changed = false;
        found = NETWORK_NONE;
        for (int32_t i = 0; i < network->rule_count; i++) {
            bool calls;
            if (!marked[i]) continue;
            reach_from(reach, i, marked, &calls);
            changed = changed || !calls;
            marked[i] = calls;
            if (calls) found = i;
        }
    }
    return found;
}

enum status network_close(struct network *network, int32_t *rule) {
    TRY(network->status);
    ASSERT(network->root >= 0 && network->root < network->rule_count);
    find_useful(network);
    TRY(network->status);
    *rule = network->root;
    if (!network->nodes[network->rules[network->root].start].useful) return STATUS_BAD_INPUT;
    const size_t nodes = (size_t)network->node_count;
    struct reach reach = {.network = network,
                          .seen = calloc(nodes, sizeof *reach.seen),
                          .waiting = calloc(nodes, sizeof *reach.waiting)};
    bool *marked = calloc((size_t)network->rule_count, sizeof *marked);
    enum status status = STATUS_NO_MEMORY;
    if (reach.seen && reach.waiting && marked) {
        find_nullable(&reach);
        *rule = find_left_recursion(&reach, marked);
        status = *rule == NETWORK_NONE ? STATUS_OK : STATUS_BAD_INPUT;
        if (network->status != STATUS_OK) status = network->status;
    }
    free(reach.seen);
    free(reach.waiting);
    free(marked);
    return status;
}
