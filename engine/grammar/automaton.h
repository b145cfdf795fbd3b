// engine/grammar/automaton.h — where in a grammar is a text, and which bytes may follow?
//
// A configuration is a node that reads a byte and the stack of calls that it is in. A state is the
// set of all configurations that a text can be in; stacks and states are numbered, each once, so
// that a transition is found by two numbers once it has been made: a deterministic automaton that
// is built while it is used. Bytes that no set of the grammar tells apart are one class.
//
//   DEAD (0)   no text that begins like this fits
//   START (1)  of the empty text
//
// Every other state can be continued to a text that fits (network.h: useful nodes).
//
// Limits: beyond AUTOMATON_MAX_BYTES, where a text could be in more than AUTOMATON_MAX_PLACES at
// once, or when the steps of automaton_allow() are used up, no new state or transition is made: a
// few bytes of grammar, with optional rules within optional rules, can mean more states than there
// is memory and time for. automaton_is_full() is then true, and each new transition leads to DEAD.
// automaton_flush() forgets every state but these two, and that it was full.
//
// Memory: the network is moved in. Threads: one at a time.
#ifndef ENGINE_AUTOMATON_H
#define ENGINE_AUTOMATON_H

#include "engine/grammar/network.h"

enum {
    AUTOMATON_DEAD = 0,
    AUTOMATON_START = 1,
    AUTOMATON_MAX_BYTES = 128 << 20,
    AUTOMATON_MAX_PLACES = 1 << 17, // nodes and stacks, including nodes that read no byte
};

struct automaton;

// TOO_LONG: an empty text can be in too many places.
MUST_CHECK enum status automaton_create(struct network *network, struct automaton **automaton);
void automaton_destroy(struct automaton *automaton); // NULL is fine
void automaton_flush(struct automaton *automaton);

// Limits the steps for new transitions from now on. A new transition takes a step for each place
// that it looks at. Without this call there is no limit.
void automaton_allow(struct automaton *automaton, int64_t steps);
int64_t automaton_allowed(const struct automaton *automaton); // how many are left; may be below 0

int32_t automaton_step(struct automaton *automaton, int32_t state, unsigned char byte);
bool automaton_accepts(const struct automaton *automaton, int32_t state); // the text is whole

// True, and the byte, if the text is not whole and only this one can follow.
bool automaton_forced(struct automaton *automaton, int32_t state, unsigned char *byte);

size_t automaton_bytes(const struct automaton *automaton); // memory of its states
bool automaton_is_full(const struct automaton *automaton);

#endif
