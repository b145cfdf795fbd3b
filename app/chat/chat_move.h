// app/chat/chat_move.h — moves a chat to another conversation, or within its own.
//
// Moving to another conversation unlocks the current one. BUSY: an answer is being written, or
// another chat or process holds the conversation. On failure the chat stays where it was. No move
// deletes a message.
//
// Threads and memory: chat.h.
#ifndef APP_CHAT_MOVE_H
#define APP_CHAT_MOVE_H

#include "app/chat/chat.h"

MUST_CHECK enum status chat_new(struct chat *chat, const char *name, struct error *err);

// An unanswered question (after a crash, say) is given back into chat_draft().
MUST_CHECK enum status chat_resume(struct chat *chat, const char *name_or_id, struct error *err);

// Sets the preamble: in a new conversation if the current one already has turns.
MUST_CHECK enum status chat_set_preamble(struct chat *chat, const char *preamble,
                                         struct error *err);

// Moves into a fork of the current conversation: at its end; before turn N (from 1), whose text
// goes to chat_draft(); or after the answer to turn N.
MUST_CHECK enum status chat_fork(struct chat *chat, const char *name, struct error *err);
MUST_CHECK enum status chat_fork_at(struct chat *chat, int64_t turn, const char *name,
                                    struct error *err);
MUST_CHECK enum status chat_fork_after(struct chat *chat, int64_t turn, const char *name,
                                       struct error *err);

// Moves into a fork of any conversation, before turn N or (0) at its tip. Does not lock the
// original, so another process may hold it.
MUST_CHECK enum status chat_fork_from(struct chat *chat, const char *name_or_id, int64_t turn,
                                      const char *name, struct error *err);

// Moves a freshly opened chat into a fork of a chat whose answer is being written. The fork ends
// with the answer so far.
MUST_CHECK enum status chat_fork_running(struct chat *chat, const struct chat *running,
                                         const char *name, struct error *err);

// Moves the tip back by `turns` exchanges; the text of the first undone message goes to *draft.
MUST_CHECK enum status chat_rewind(struct chat *chat, int64_t turns, struct text *draft,
                                   struct error *err);

// Moves forward again after a rewind or a chat_go(), as long as nothing new was said: by at most
// `turns`, or (0) to where the last move here came from. After a restart it moves towards the
// newest message that the conversation left. NOT_FOUND: nothing to redo.
MUST_CHECK enum status chat_redo(struct chat *chat, int64_t turns, struct error *err);

// Moves the tip to any message of the family (store/family.h). For a user message, moves to before
// it and puts its text into chat_draft(). NOT_FOUND.
MUST_CHECK enum status chat_go(struct chat *chat, int64_t message, struct error *err);

// Makes this one of chat_alternatives() the conversation's answer. NOT_FOUND: it is not one of
// them.
MUST_CHECK enum status chat_choose(struct chat *chat, int64_t answer, struct error *err);

#endif
