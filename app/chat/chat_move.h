// app/chat/chat_move.h — a chat goes to another conversation, or elsewhere in its own.
//
// A move to another conversation unlocks the current one. BUSY: an answer is being written,
// or another chat or process has the conversation. On failure the chat stays where it was. No move
// deletes a message.
//
// Threads and memory: chat.h.
#ifndef APP_CHAT_MOVE_H
#define APP_CHAT_MOVE_H

#include "app/chat/chat.h"

MUST_CHECK enum status chat_new(struct chat *chat, const char *name, struct error *err);

// A question that never got its answer (a crash, say) is given back into chat_draft().
MUST_CHECK enum status chat_resume(struct chat *chat, const char *name_or_id, struct error *err);

// Starts anew under this preamble: in a new conversation when the current one has turns already.
MUST_CHECK enum status chat_set_preamble(struct chat *chat, const char *preamble,
                                         struct error *err);

// Into a fork of the current conversation: of all of it; before turn N (from 1), whose text goes to
// chat_draft(); or after the answer to it.
MUST_CHECK enum status chat_fork(struct chat *chat, const char *name, struct error *err);
MUST_CHECK enum status chat_fork_at(struct chat *chat, int64_t turn, const char *name,
                                    struct error *err);
MUST_CHECK enum status chat_fork_after(struct chat *chat, int64_t turn, const char *name,
                                       struct error *err);

// Into a fork of any conversation, before turn N or (0) at its tip. The original is not locked:
// another process may have it.
MUST_CHECK enum status chat_fork_from(struct chat *chat, const char *name_or_id, int64_t turn,
                                      const char *name, struct error *err);

// A chat that was just opened goes into a fork of one in which an answer is being written: the fork
// ends with what there is of it.
MUST_CHECK enum status chat_fork_running(struct chat *chat, const struct chat *running,
                                         const char *name, struct error *err);

// Moves the tip `turns` exchanges back; the text of the first message left goes to *draft.
MUST_CHECK enum status chat_rewind(struct chat *chat, int64_t turns, struct text *draft,
                                   struct error *err);

// Forward again, after a rewind or a chat_go(), until something new is said: `turns`, or as many as
// there are; 0: to where the last move that led here came from. After a restart the way is to the
// newest message that the conversation left. NOT_FOUND: there is none.
MUST_CHECK enum status chat_redo(struct chat *chat, int64_t turns, struct error *err);

// The tip goes to any message of the conversation's family (store/family.h); at a user's message to
// before it, with its text in chat_draft(). NOT_FOUND.
MUST_CHECK enum status chat_go(struct chat *chat, int64_t message, struct error *err);

// The conversation has this one of chat_alternatives() from now on. NOT_FOUND: it is none.
MUST_CHECK enum status chat_choose(struct chat *chat, int64_t answer, struct error *err);

#endif
