// app/chat/chat_turn.h — sends a message in a chat and keeps its answers.
//
// The order of a turn: the user's message is stored before the model sees it; tokens
// stream to the turn's follower (session.h); each answer is stored when it ends, an interrupted one
// with the text so far. The tip is then the first stored answer. If there was no answer, the new
// message goes back into chat_draft() and the tip to where it was. In the background the message
// stays the tip instead, and resuming gives it back.
//
// Threads and memory: chat.h.
#ifndef APP_CHAT_TURN_H
#define APP_CHAT_TURN_H

#include "app/chat/chat.h"

// How many tokens a user message would add, and how many are free: those of the context that the
// conversation does not have yet. A message and its answer share them.
MUST_CHECK enum status chat_measure(struct chat *chat, const char *text, size_t length,
                                    int32_t *tokens, int32_t *free_tokens, struct error *err);

// How many tokens a text has by itself: what a file adds to a message, whatever else is in it.
MUST_CHECK enum status chat_count_tokens(const struct chat *chat, const char *text, size_t length,
                                         int32_t *tokens);

struct outgoing { // a message to send
    const char *text;
    size_t length;
    size_t said;     // offset of the user's own words (store/message.h)
    int32_t reserve; // tokens to leave for its answer; 0: one
};

// The reserve for interactive use: a sixteenth of the context but at least 64 tokens, or the
// answer's limit if that is lower.
int32_t chat_reserve(const struct session *session);

// The ids that a message adds to a transcript. BAD_INPUT: it is empty or not text. TOO_LONG: the
// message and its reserve do not fit; the error has the numbers.
MUST_CHECK enum status chat_encode(const struct session *session,
                                   const struct transcript *transcript,
                                   const struct outgoing *message, struct token_ids *ids,
                                   struct error *err);

// Begins a turn: stores the message and starts the requests. TOO_LONG and BAD_INPUT as above, with
// nothing stored.
//
// Several answers are written at once over the same cached past, with the seeds seed, seed + 1, …;
// each equals what its seed would produce alone. FULL, before anything is stored: the cache cannot
// hold that many; the error says how many it can. The tip is the first one stored; chat_choose()
// moves it.
MUST_CHECK enum status chat_send(struct chat *chat, const struct outgoing *message,
                                 struct error *err);

// Generates alternatives to the last answer, which is kept: `answers` of them, or, if `beams` is
// above 1, one by beam search of that width, whose text arrives all at once. BAD_INPUT when there
// is no answer.
MUST_CHECK enum status chat_regenerate(struct chat *chat, int32_t answers, int32_t beams,
                                       struct error *err);

// Continues a cut or interrupted answer. BAD_INPUT when the last answer is complete.
MUST_CHECK enum status chat_continue(struct chat *chat, struct error *err);

// Answers that cannot be stored when they end, for example on a full disk, stay in memory. Until
// chat_save() has stored them, the chat counts as not saved and does nothing else. IO: some still
// cannot be stored.
bool chat_is_saved(const struct chat *chat);
MUST_CHECK enum status chat_save(struct chat *chat, struct error *err);

// Where the ids of the turn's answers begin in their sequences, and an answer as a message, whose
// text is borrowed from the answer.
size_t chat_log_begin(const struct chat *chat);
struct message chat_message_of(const struct chat *chat, const struct answer *answer);

// All answers to the last user message, ordered by number. *answers is the caller's
// (message_path_free); *current is the index of the conversation's own. BAD_INPUT: there is no
// answer.
MUST_CHECK enum status chat_alternatives(struct chat *chat, struct message **answers, size_t *count,
                                         size_t *current, struct error *err);

#endif
