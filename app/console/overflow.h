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

// Sends the message once there is room for it. `why` is what chat_send() said.
enum sent overflow_send(struct console *console, const char *text, size_t length,
                        const struct error *why);

// A summary stands for the old turns from here on, in a fork, streamed as it is written. False:
// nothing has changed, and it was said why.
bool overflow_compact(struct console *console, const char *focus, int32_t message_tokens);

#endif
