// tests/engine/grammar/accepting.h — does a text fit a grammar?
#ifndef TESTS_ACCEPTING_H
#define TESTS_ACCEPTING_H

#include <string.h>

#include "engine/grammar/automaton.h"
#include "engine/grammar/gbnf.h"

static inline struct automaton *automaton_of(const char *gbnf, struct error *err) {
    struct network network;
    struct automaton *automaton = NULL;
    if (gbnf_read(gbnf, strlen(gbnf), "root", &network, err) != STATUS_OK) return NULL;
    const enum status status = automaton_create(&network, &automaton);
    if (status != STATUS_OK) error_set(err, status, "%s", status_text(status));
    return status == STATUS_OK ? automaton : NULL;
}

// Every state on the way must be one that can go on; at the end it accepts, or this is false.
static inline bool accepts_text(struct automaton *automaton, const char *text) {
    int32_t state = AUTOMATON_START;
    for (; *text && state != AUTOMATON_DEAD; text++)
        state = automaton_step(automaton, state, (unsigned char)*text);
    return automaton_accepts(automaton, state);
}

#endif
