// app/chat/chat.h — one chat: where engine, store and prompts meet.
//
// A chat is a conversation that is open: its messages in the store, its token log in the engine,
// and the turn that is being written in it. The interactive chat and one-shot use go through the
// same calls, so tests need no terminal:
//
//   chat.h           the chat itself: opened, named, read
//   chat_turn.h      a message and its answers
//   chat_move.h      to other conversations, and in the tree of this one
//   chat_kv.h        its part of the cache
//   chat_preamble.h  what its system prompt costs, and who shares it
//   shorten.h        old turns give way to a summary, or to nothing
//   front.h          which chat is in front of the person
//
// Between turns the transcript is the path to the conversation's tip, and `sequence` has its token
// log, or less where the log does not fit the context. A chat keeps the sequence of its
// conversation and nothing else: the KV of others is found by its content. A stored conversation
// keeps what its log needs in the cache, so that it leaves the disk last.
//
// Threads: the UI's. Memory: a chat owns all it hands out; texts are valid until the next call that
// changes it. Others read the fields, and change none.
#ifndef APP_CHAT_H
#define APP_CHAT_H

#include "app/chat/session.h"
#include "app/chat/transcript.h"

enum { CHAT_MAX_ANSWERS = ENGINE_MAX_REQUESTS }; // to one message at once

enum reply_kind {
    REPLY_ANSWER,  // to a new message
    REPLY_ANOTHER, // beside the last answer
    REPLY_LONGER,  // of the last answer
};

struct reply { // what the turn's answers become
    enum reply_kind kind;
    int64_t began_ms;     // since 1970
    int64_t saved_ms;     // when the first answer was stored last, by clock_ms(); 0: not yet
    int64_t tip_before;   // where the tip goes when a message is given back
    size_t message_count; // of the transcript, that the answers come after
};

struct chat {
    struct session *session;
    struct conversation conversation; // id "": not stored yet, which its first message or name is;
                                      // a one-shot's name or fork waits in it for the message
    struct transcript transcript;
    struct sequence *sequence; // never NULL; may be empty
    bool preamble_pinned;      // of the sequence
    bool reads_only;           // its model is another than the session's (chat_is_foreign)
    struct text draft;         // what a turn or a move has given back
    struct turn turn;
    struct reply reply;
    struct answer answers[CHAT_MAX_ANSWERS]; // of the turn, or of the last one
};

// In a new, empty conversation.
MUST_CHECK enum status chat_open(struct session *session, struct chat **chat, struct error *err);

// Stops the turn that runs. A message without an answer stays the conversation's tip, and a resume
// gives it back. NULL is fine.
void chat_close(struct chat *chat);

size_t chat_message_count(const struct chat *chat);
const struct message *chat_message(const struct chat *chat, size_t index); // from the root
int64_t chat_turn_count(const struct chat *chat);                          // user messages
// Where a server elsewhere knows the conversation: all branches of its tree have its first message,
// and so one route.
uint64_t chat_route(const struct chat *chat);
const char *chat_preamble_text(const struct chat *chat); // prompts/preamble.h; "" if there is none
const char *chat_draft(const struct chat *chat);         // "" unless text was given back

MUST_CHECK enum status chat_rename(struct chat *chat, const char *name, struct error *err);

// Stores the conversation if it is not yet, and locks it.
MUST_CHECK enum status chat_store(struct chat *chat, const char *name, struct error *err);

// A question outside of a chat, or, once a chat goes on with it, no more.
MUST_CHECK enum status chat_mark_one_shot(struct chat *chat, bool one_shot, struct error *err);

// Is the conversation held with another model than the session's, so that it can only be read here?
// One that nothing was said in, or whose model is not known, takes the session's.
MUST_CHECK enum status chat_is_foreign(const struct session *session,
                                       const struct conversation *conversation, bool *foreign,
                                       struct error *err);

// From now on the conversation, which is stored and locked, is held with the session's model.
MUST_CHECK enum status chat_take_over(struct chat *chat, struct error *err);

// chat_check_idle(), and UNSUPPORTED where it can only be read.
MUST_CHECK enum status chat_check_writable(const struct chat *chat, struct error *err);

// BUSY while an answer is being written.
MUST_CHECK enum status chat_check_idle(const struct chat *chat, struct error *err);

#endif
