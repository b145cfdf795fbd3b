// app/chat/past.h — which earlier answers may drafts come from?
//
// Those of this process, and, unless nothing is saved, stored ones, the newest first, until they
// fill half of the engine's history (engine/draft/history.h). They are read a few at a time while
// an answer is being written. Each comes with the end of what it replies to, so that the same
// question finds it.
//
// Threads: the UI's. What cannot be read is left out: an answer needs none of it.
#ifndef APP_PAST_H
#define APP_PAST_H

#include "engine/engine.h"
#include "store/db.h"

enum { PAST_AT_ONCE = 4, PAST_AT_START = 64 }; // answers

struct past { // all of it borrowed
    struct engine *engine;
    struct db *db;  // NULL: nothing is read
    int64_t model;  // the db's number
    int64_t before; // message: those from there on have been read; 0: all that are wanted
};

// Reads up to `answers` older answers into the engine's history.
void past_read(struct past *past, int answers);

// Adds what a sequence has from token `begin` on.
void past_add(const struct past *past, const struct sequence *sequence, size_t begin);

// After a deletion: forgets everything, so that what is left is read again.
void past_forget(struct past *past);

#endif
