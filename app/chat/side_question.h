// app/chat/side_question.h — asks the model something about a chat without changing the chat.
//
// The question follows some of the chat's messages, so it finds their KV in the cache; its answer
// is written without thinking. Nothing of it is stored, and nothing stays in the cache after it
// ends.
//
// Memory: the sequence is the caller's. Threads: the UI's.
#ifndef APP_SIDE_QUESTION_H
#define APP_SIDE_QUESTION_H

#include "app/chat/chat.h"

// Creates a sequence with the first `count` messages and the question. TOO_LONG as for
// chat_encode().
MUST_CHECK enum status side_question_begin(const struct chat *chat, size_t count,
                                           const char *question, struct sequence **sequence,
                                           struct error *err);
void side_question_end(struct session *session,
                       struct sequence **sequence); // *sequence NULL is fine

#endif
