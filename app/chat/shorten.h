// app/chat/shorten.h — shortens a conversation that fills the context: drops or summarises old
// turns.
//
//   shorten_drop()                                               drops the oldest turns
//   compaction_begin() ─► its turn is done ─► compaction_finish()     replaces them by a summary
//                     └─► compaction_deinit(): nothing changes
//
// The shortened conversation is a fork that the chat moves to, named "TITLE (shortened)"; the
// original stays unchanged.
//
// A summary is written in a turn of its own after the turns that it will replace, so it finds their
// KV in the cache. That turn is not stored, and its own KV is not kept. The last exchanges stay as
// they are: at most two, and at most a quarter of the context.
//
// Memory: the caller owns struct compaction and must not move it. Threads: the UI's.
#ifndef APP_SHORTEN_H
#define APP_SHORTEN_H

#include "app/chat/chat.h"

struct compaction {
    struct chat *chat;         // borrowed
    struct turn turn;          // writes the summary
    struct answer answer;      // of the turn
    struct sequence *sequence; // of the turn
    int32_t max_tokens;        // most tokens of the summary
    size_t keep_from;          // index of the first message that stays
};

// Moves to a fork with the preamble, the summary (NULL: none) as one exchange, and the messages
// from `keep_from`, a user message, on. All or nothing.
MUST_CHECK enum status chat_shorten(struct chat *chat, const char *summary, size_t keep_from,
                                    struct error *err);

// Finds the first user message from which on everything can be kept, so that it fits the context
// together with `more` and `spare` tokens. Leaves out at least one exchange. chat_message_count():
// only the preamble fits. TOO_LONG: not even that.
MUST_CHECK enum status chat_keep_from(struct chat *chat, int32_t more, int32_t spare,
                                      size_t *keep_from, struct error *err);

// Drops as many of the oldest turns as necessary, *dropped, to make space for a message of
// `message_tokens` and its answer. TOO_LONG: that cannot make enough.
MUST_CHECK enum status shorten_drop(struct chat *chat, int32_t message_tokens, int64_t *dropped,
                                    struct error *err);

// How many tokens of turns a summary would replace, and how many it may have. Both are 0 for a
// model on a server, whose tokens are unknown.
void compaction_measure(struct chat *chat, int32_t *replaced, int32_t *most);

// Starts a summary that stresses what matters for `focus` ("": everything) and leaves space for a
// message of `message_tokens`. BAD_INPUT: nothing to summarise; TOO_LONG: the turns or the message
// are too long for that.
MUST_CHECK enum status compaction_begin(struct chat *chat, const char *focus,
                                        int32_t message_tokens, struct compaction *compaction,
                                        struct error *err);

// After the turn is done: moves the chat into a fork with the summary. On failure the chat stays
// where it was. CANCELLED: the turn was stopped; BAD_INPUT: the summary has no text.
MUST_CHECK enum status compaction_finish(struct compaction *compaction, struct error *err);
bool compaction_is_cut(const struct compaction *compaction); // the summary was cut off by a limit
void compaction_deinit(struct compaction *compaction);       // leaves it empty

#endif
