// app/chat/shorten.h — a context that is full: old turns give way, to a summary or to nothing.
//
//   shorten_drop()                                               the oldest go
//   compaction_begin() ─► its turn is done ─► compaction_finish()     a summary stands for them
//                     └─► compaction_deinit(), and nothing has changed
//
// What is left goes into a fork that the chat moves to; the original stays as it is.
//
// A summary is a turn of its own over the turns that it will stand for, so it finds their KV in the
// cache. Nothing of it is stored, and its own KV does not stay. The last exchanges are kept as they
// are: two at most, and no more than a quarter of the context.
//
// Memory: struct compaction is owned by the caller, and stays where it is. Threads: the UI's.
#ifndef APP_SHORTEN_H
#define APP_SHORTEN_H

#include "app/chat/chat.h"

struct compaction {
    struct chat *chat;         // borrowed
    struct turn turn;          // writes the summary
    struct answer answer;      // of the turn
    struct sequence *sequence; // of the turn
    int32_t max_tokens;        // that the summary may have
    size_t keep_from;          // messages of the chat from here on are kept
};

// The fork has the preamble, the summary (NULL: none) as an exchange of its own, and the messages
// from number `keep_from`, a user's, on. Whole or not at all.
MUST_CHECK enum status chat_shorten(struct chat *chat, const char *summary, size_t keep_from,
                                    struct error *err);

// From which user's message on must be kept so that what is kept, `more` tokens and `spare` tokens
// fit the context? The first that does, or chat_message_count(): nothing fits but the preamble. At
// least one exchange is left out. TOO_LONG: not even the preamble and those fit.
MUST_CHECK enum status chat_keep_from(struct chat *chat, int32_t more, int32_t spare,
                                      size_t *keep_from, struct error *err);

// Leaves out as many of the oldest turns as it takes for a message of so many tokens and an answer;
// *dropped says how many. TOO_LONG: it would not fit even so.
MUST_CHECK enum status shorten_drop(struct chat *chat, int32_t message_tokens, int64_t *dropped,
                                    struct error *err);

// How many tokens of turns a summary would replace, and how many it may have: 0 and 0 of a server's
// model, whose tokens are not known.
void compaction_measure(struct chat *chat, int32_t *replaced, int32_t *most);

// Starts the summary, of what matters for `focus` above all ("": of all), leaving room for a
// message of so many tokens. BAD_INPUT: there is nothing to summarise; TOO_LONG: turns or message
// are too long for that.
MUST_CHECK enum status compaction_begin(struct chat *chat, const char *focus,
                                        int32_t message_tokens, struct compaction *compaction,
                                        struct error *err);

// The turn is done: moves the chat into a fork with the summary. CANCELLED: it was stopped;
// BAD_INPUT: there is no text in it. The chat is where it was then.
MUST_CHECK enum status compaction_finish(struct compaction *compaction, struct error *err);
bool compaction_is_cut(const struct compaction *compaction); // the summary, by what it may have
void compaction_deinit(struct compaction *compaction);       // leaves it empty

#endif
