// app/chat/chat_turn.h — a message and its answers, in a conversation.
//
// The order of a turn (promise P1): the user's message is in the store before the model sees it;
// tokens stream to whoever follows the turn (session.h); each answer is in the store when it has
// ended, an interrupted one with what it had, and the tip is the first of them. Where nothing was
// answered, a new message is given back into chat_draft(), and the tip is where it was; in the
// background the message stays the tip, and a resume gives it back.
//
// Threads and memory: chat.h.
#ifndef APP_CHAT_TURN_H
#define APP_CHAT_TURN_H

#include "app/chat/chat.h"

// How many tokens a user message would add, and how many are free. For warnings before sending.
MUST_CHECK enum status chat_measure(struct chat *chat, const char *text, size_t length,
                                    int32_t *tokens, int32_t *free_tokens, struct error *err);

struct outgoing { // a message that is to be sent
    const char *text;
    size_t length;
    size_t said;     // where the person's own words begin (store/message.h)
    int32_t reserve; // tokens that are left for its answer; 0: one
};

// What an answer that a person waits for should have: a sixteenth of the context, and no less than
// 64 tokens, unless its limit is lower.
int32_t chat_reserve(const struct session *session);

// The ids that a message adds to a past, or BAD_INPUT: it is empty, or no text; TOO_LONG, with the
// numbers: it and what it reserves do not fit.
MUST_CHECK enum status chat_encode(const struct session *session,
                                   const struct transcript *transcript,
                                   const struct outgoing *message, struct token_ids *ids,
                                   struct error *err);

// Begins a turn: stores the message, starts the requests. TOO_LONG and BAD_INPUT as above, with
// nothing stored.
//
// Several answers are written at once, over the same cached past, with the seeds seed, seed + 1, …:
// each is as it would be alone with its seed. FULL says how many the cache has room for, before
// anything is stored. The tip is the first that is stored; chat_choose() moves it to another.
MUST_CHECK enum status chat_send(struct chat *chat, const struct outgoing *message,
                                 struct error *err);

// New answers beside the last one, which stays. BAD_INPUT when there is none to replace.
MUST_CHECK enum status chat_regenerate(struct chat *chat, int32_t answers, struct error *err);

// Another by a search of this width, 2 to BEAMS_MAX_WIDTH: its text comes as a whole.
MUST_CHECK enum status chat_search(struct chat *chat, int32_t width, struct error *err);

// Goes on with a cut or interrupted answer. BAD_INPUT when the last answer is complete.
MUST_CHECK enum status chat_continue(struct chat *chat, struct error *err);

// Where the ids of the turn's answers begin in their sequences; and an answer as a message, whose
// text is the answer's.
size_t chat_log_begin(const struct chat *chat);
struct message chat_message_of(const struct chat *chat, const struct answer *answer);

// All answers to the message that the last one replies to, by their numbers: *answers is the
// caller's (message_path_free), *current is the index of the conversation's own. BAD_INPUT: there
// is no answer.
MUST_CHECK enum status chat_alternatives(struct chat *chat, struct message **answers, size_t *count,
                                         size_t *current, struct error *err);

#endif
