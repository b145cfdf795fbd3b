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

#include "app/chat/session.h"

enum { PAST_AT_ONCE = 4, PAST_AT_START = 64 }; // answers

// Reads so many older answers into the engine's history.
void past_read(struct session *session, int answers);

// Adds what a sequence has from token `begin` on.
void past_add(const struct session *session, const struct sequence *sequence, size_t begin);

// After a deletion: forgets everything and reads what is left.
void past_forget(struct session *session);

#endif
