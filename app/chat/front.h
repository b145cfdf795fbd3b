// app/chat/front.h — which chat does the user see, and which ones continue in the background?
//
//   in front ──left while its answer is written──► in the background ──its answer ends──► closed
//       ▲                                                 │
//       └──────────────── front_resume() ─────────────────┘
//
// These go to the same places as chat_new(), chat_resume() ("-" is the previous conversation),
// chat_fork() and chat_fork_at(). If an answer is being written in front, that chat goes to the
// background and another takes its place. Going to a conversation in the background brings its chat
// back to the front. An answer in the background is stored when it ends, like any other, and leaves
// a note in the session. FULL: SESSION_MAX_UNFOLLOWED chats are in the background already. On
// failure nothing changes.
//
// Threads: the UI's. Memory: the session owns the chats in front and in the background.
#ifndef APP_FRONT_H
#define APP_FRONT_H

#include "app/chat/session.h"

MUST_CHECK enum status front_new(struct session *session, const char *name, struct error *err);
MUST_CHECK enum status front_resume(struct session *session, const char *which, struct error *err);
MUST_CHECK enum status front_fork(struct session *session, const char *name, struct error *err);
MUST_CHECK enum status front_fork_at(struct session *session, int64_t turn, struct error *err);

// The conversation that front_resume() would go to.
MUST_CHECK enum status front_find(const struct session *session, const char *which,
                                  struct conversation *found, struct error *err);

// Is an answer being written in the conversation, in front or in the background?
bool front_is_writing(const struct session *session, const char *conversation);

// Answers that could not be stored are kept in memory: those of the chat in front, and of others
// that wrote in the background or were asked beside it. front_save() stores them all and closes the
// others; until it has, go nowhere. IO: some still cannot be stored.
bool front_is_saved(const struct session *session);
MUST_CHECK enum status front_save(struct session *session, struct error *err);

void front_close(struct session *session); // closes them all

// Asserts that each chat in the background is writing an answer, and that no two chats have the
// same conversation.
void front_check(const struct session *session);

#endif
