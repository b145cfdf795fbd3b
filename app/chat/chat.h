// app/chat/chat.h — one open conversation, across engine, store and prompts.
//
// A chat is an open conversation: its messages in the store, its token log in the engine, and the
// turn being written. Interactive and one-shot use make the same calls, so tests need no terminal:
//
//   chat.h           the chat itself: open, name, read
//   chat_turn.h      a message and its answers
//   chat_move.h      moves to other conversations and within the tree of this one
//   chat_kv.h        its part of the cache
//   chat_preamble.h  what its preamble costs, and who shares it
//   shorten.h        replaces old turns by a summary, or drops them
//   front.h          which chat the user sees
//
// Between turns the transcript is the path to the conversation's tip, and `sequence` holds its
// token log, or less if the log does not fit the context. A chat holds only the sequence of its own
// conversation; the KV of others is found by content. A stored conversation retains the cached KV
// of its log, so that it is evicted from disk last.
//
// Threads: the UI's. Memory: a chat owns everything it returns; texts are valid until the next call
// that changes it. Callers may read the fields but not change them. chat_check() asserts the above.
#ifndef APP_CHAT_H
#define APP_CHAT_H

#include "app/chat/session.h"
#include "app/chat/transcript.h"

enum { CHAT_MAX_ANSWERS = ENGINE_MAX_REQUESTS }; // answers to one message at a time

enum reply_kind {
    REPLY_ANSWER,  // to a new message
    REPLY_ANOTHER, // an alternative to the last answer
    REPLY_LONGER,  // a continuation of the last answer
};

struct reply { // what the turn's answers will be stored as
    enum reply_kind kind;
    int64_t began_ms;     // since 1970
    int64_t saved_ms;     // when the first answer was last stored, by clock_ms(); 0: not yet
    size_t message_count; // messages of the transcript before the answers
    bool unsaved;         // an answer could not be stored (chat_save())
};

struct chat {
    struct session *session;
    struct chat *next;                // in the session's list of unsaved chats
    struct conversation conversation; // id "": stored only with its first message or name. In
                                      // one-shot use, a name or fork waits here for the message
    struct transcript transcript;
    struct sequence *sequence; // never NULL; may be empty
    bool preamble_pinned;      // the sequence's preamble is pinned
    bool reads_only;           // it uses another model than the session (chat_is_foreign)
    struct text draft;         // text that a turn or a move gave back to the user
    struct turn turn;
    struct reply reply;
    struct answer answers[CHAT_MAX_ANSWERS]; // of the current or last turn
};

// Opens a chat in a new, empty conversation.
MUST_CHECK enum status chat_open(struct session *session, struct chat **chat, struct error *err);

// Stops the running turn. A message without an answer stays the tip of the conversation, and
// resuming gives it back. NULL is fine.
void chat_close(struct chat *chat);

// Closes a chat that is not in front, unless an answer of it is not saved: then the session keeps
// it for front_save().
void chat_leave(struct chat *chat);

size_t chat_message_count(const struct chat *chat);
const struct message *chat_message(const struct chat *chat, size_t index); // from the root
int64_t chat_turn_count(const struct chat *chat);                          // user messages
// A routing key for remote servers, the same for all branches of a tree, which share the first
// message.
uint64_t chat_route(const struct chat *chat);
const char *chat_preamble_text(const struct chat *chat); // prompts/preamble.h; "" if none
const char *chat_draft(const struct chat *chat);         // "" unless text was given back

MUST_CHECK enum status chat_rename(struct chat *chat, const char *name, struct error *err);

// Stores the conversation unless it is stored already, and locks it.
MUST_CHECK enum status chat_store(struct chat *chat, const char *name, struct error *err);

// Marks the conversation as a question outside a chat; unmarks it once a chat continues it.
MUST_CHECK enum status chat_mark_one_shot(struct chat *chat, bool one_shot, struct error *err);

// Sets *foreign if the conversation uses another model than the session, so that it can only be
// read here. A conversation without text or without a known model uses the session's.
MUST_CHECK enum status chat_is_foreign(const struct session *session,
                                       const struct conversation *conversation, bool *foreign,
                                       struct error *err);

// Switches the conversation, which must be stored and locked, to the session's model.
MUST_CHECK enum status chat_take_over(struct chat *chat, struct error *err);

// As chat_check_idle(), and UNSUPPORTED if it can only be read.
MUST_CHECK enum status chat_check_writable(const struct chat *chat, struct error *err);

// BUSY while an answer is being written. IO while the last one is not saved (chat_save()).
MUST_CHECK enum status chat_check_idle(const struct chat *chat, struct error *err);

void chat_check(const struct chat *chat);

#endif
