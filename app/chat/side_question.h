// app/chat/side_question.h — a question after some of a chat's messages, of which the chat knows
// nothing.
//
// It finds their KV in the cache, and its answer is written without thinking. Nothing of it is
// stored, and where it ends nothing of it stays in the cache.
//
// Memory: the sequence is the caller's. Threads: the UI's.
#ifndef APP_SIDE_QUESTION_H
#define APP_SIDE_QUESTION_H

#include "app/chat/chat.h"

// A sequence with the first `count` messages and the question. TOO_LONG as chat_encode().
MUST_CHECK enum status side_question_begin(const struct chat *chat, size_t count,
                                           const char *question, struct sequence **sequence,
                                           struct error *err);
void side_question_end(struct session *session,
                       struct sequence **sequence); // *sequence NULL is fine

#endif
