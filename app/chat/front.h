// app/chat/front.h — which chat is in front of the person.
//
//   in front ──left while its answer is written──► in the background ──its answer ends──► closed
//       ▲                                                 │
//       └──────────────── front_resume() ─────────────────┘
//
// Each of these goes where chat_new(), chat_resume() ("-" is the previous one), chat_fork() and
// chat_fork_at() go. While an answer is written in front, another chat takes that one's place; and
// one in the background comes back to the front. What runs in the background is stored when it ends
// as any other answer, and leaves a note in the session. FULL: SESSION_MAX_UNFOLLOWED are there
// already. On failure all is as it was.
//
// Threads: the UI's. Memory: the session's chats are those in front and in the background.
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

// Each chat in the background is being written, and no two chats are in one conversation.
void front_check(const struct session *session);

#endif
