// app/chat/room.h — room in the context: old turns are dropped, or summarised, in a fork.
//
//   room_drop()                                     the oldest go
//   compaction_begin() ─► the scratch's turn ─► compaction_finish()     a summary stands for them
//                     └─► compaction_deinit(), and nothing has changed
//
// A summary is written by the model in a scratch chat over the turns that it will stand for, so it
// finds their KV in the cache and leaves no trace. The last exchanges are kept as they are: two at
// most, and no more than a quarter of the context.
//
// Memory: struct compaction is owned by the caller. Threads: the UI's.
#ifndef APP_ROOM_H
#define APP_ROOM_H

#include "app/chat/turn.h"

struct compaction {
    struct chat *chat;    // borrowed
    struct chat *scratch; // owned; its turn writes the summary
    size_t keep_from;     // messages of the chat from here on are kept
};

// Moves the chat into a fork without as many of its oldest turns as it takes for a message of so
// many tokens and an answer; *dropped says how many. TOO_LONG: it would not fit even so.
MUST_CHECK enum status room_drop(struct chat *chat, int32_t message_tokens, int64_t *dropped,
                                 struct error *err);

// Starts the summary, of what matters for `focus` above all ("": of all), leaving room for a
// message of so many tokens. BAD_INPUT: there is nothing to summarise; TOO_LONG: turns or message
// are too long for that.
MUST_CHECK enum status compaction_begin(struct chat *chat, const char *focus,
                                        int32_t message_tokens, struct compaction *compaction,
                                        struct error *err);

// The scratch's turn is over: moves the chat into a fork with the summary. CANCELLED: it was
// stopped; BAD_INPUT: there is no text in it. The chat is where it was then.
MUST_CHECK enum status compaction_finish(struct compaction *compaction, struct error *err);
bool compaction_is_cut(const struct compaction *compaction); // the summary, by what it may have
void compaction_deinit(struct compaction *compaction);       // leaves it empty

#endif
