// app/console/overflow.h — asks the user what to do about a message that does not fit.
//
//   the message needs 812 tokens, but only 940 of 4,096 are free (256 are reserved for the answer)
//   [s]end [c]ompact [d]rop oldest [e]dit [a]bort
//
// Compact and drop work in a fork, so nothing is lost. Threads: the UI's.
#ifndef APP_OVERFLOW_H
#define APP_OVERFLOW_H

#include "app/chat/chat_turn.h"
#include "app/console/console.h"

// What happened to a message.
enum sent {
    SENT,         // its turn has begun
    SENT_BACK,    // it failed, or the user wants to change it: put it into the draft
    SENT_NOWHERE, // the user gave it up; it is in the history
};

// Begins the message's turn. If that would leave less than chat_reserve() for the answer, asks the
// user first, who can send it anyway if it fits. The caller decides what happens to the text.
enum sent overflow_send(struct console *console, const struct outgoing *message);

// Moves into a fork in which a summary replaces the old turns; shows the summary as it is written.
// False: nothing has changed; it has printed why.
bool overflow_compact(struct console *console, const char *focus, int32_t message_tokens);

#endif
