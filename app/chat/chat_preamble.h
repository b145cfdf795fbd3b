// app/chat/chat_preamble.h — what a chat's preamble (prompts/preamble.h) costs, and who shares it.
//
// Threads and memory: chat.h.
#ifndef APP_CHAT_PREAMBLE_H
#define APP_CHAT_PREAMBLE_H

#include "app/chat/chat.h"

struct chat_preamble {
    int32_t tokens, cached; // cached: in any tier
    int64_t others;         // other conversations with the same preamble
};

// Also starts to restore what is cached in host memory or on disk.
MUST_CHECK enum status chat_preamble(struct chat *chat, struct chat_preamble *preamble,
                                     struct error *err);

// The first tokens of a log that depend on nothing but this preamble.
MUST_CHECK enum status chat_measure_preamble(const struct chat *chat, const char *preamble,
                                             struct token_ids *ids, struct error *err);

#endif
