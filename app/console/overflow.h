// app/console/overflow.h — what to do about a message that does not fit: the person decides.
//
//   the message needs 812 tokens, but only 940 of 4,096 are free (256 are reserved for the answer)
//   [s]end [c]ompact [d]rop oldest [e]dit [a]bort
//
// Compact and drop work in a fork, so nothing is lost. Threads: the UI's.
#ifndef APP_OVERFLOW_H
#define APP_OVERFLOW_H

#include "app/chat/chat_turn.h"
#include "app/console/console.h"

// What became of a message.
enum sent {
    SENT,         // its turn has begun
    SENT_BACK,    // it could not be sent, or the person wants to change it: into the draft with it
    SENT_NOWHERE, // the person gave it up; it is in the history
};

// Begins the message's turn; if it leaves its answer less than chat_reserve(), asks the person
// first, who may send it all the same where it fits. The caller decides what becomes of its text.
enum sent overflow_send(struct console *console, const struct outgoing *message);

// Moves into a fork in which a summary replaces the old turns; shows it as it is written. False:
// nothing has changed, and it has said why.
bool overflow_compact(struct console *console, const char *focus, int32_t message_tokens);

#endif
