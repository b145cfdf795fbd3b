// app/console/overflow.h — a message that does not fit: what is too much, and what the person
// wants.
//
//   the message needs 812 tokens, 340 are free of 4,096 (one is for the answer)
//   [c]ompact [d]rop oldest [e]dit [a]bort
//
// Compact and drop work in a fork, so nothing is lost. Threads: the UI's.
#ifndef APP_OVERFLOW_H
#define APP_OVERFLOW_H

#include "app/console/console.h"

// What became of a message.
enum sent {
    SENT,         // its turn has begun
    SENT_BACK,    // it could not be sent, or the person wants to change it: into the draft with it
    SENT_NOWHERE, // the person gave it up; it is in the history
};

// Begins the message's turn. What does not fit asks the person first. What comes of its text is the
// caller's.
enum sent overflow_send(struct console *console, const char *text, size_t length);

// A summary stands for the old turns from here on, in a fork, streamed as it is written. False:
// nothing has changed, and it was said why.
bool overflow_compact(struct console *console, const char *focus, int32_t message_tokens);

#endif
