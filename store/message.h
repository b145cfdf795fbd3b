// store/message.h — what was said: messages as a tree, with their exact tokens.
//
// A message never changes once it is written, except an answer being completed by its own
// continuation (message_extend). Its parent is what it replies to; several messages with one
// parent are alternatives. The path from the root to a message is a conversation's text; the
// token ids of the messages on that path, one after the other, are its token log for a model,
// where no message's ids begin with a cut: MESSAGE_CUT + n keeps only the first n ids of the log so
// far, and those behind the cut come after them.
//
// Memory: structs that come back are owned by the caller: message_deinit(). Threads: the db's.
#ifndef STORE_MESSAGE_H
#define STORE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/db.h"
#include "store/tokens.h"

enum { MESSAGE_NONE = 0 }; // no message; ids start at 1

// The numbers are stored: never change them.
enum message_role { MESSAGE_SYSTEM = 0, MESSAGE_USER = 1, MESSAGE_ASSISTANT = 2 };
enum message_stop {
    STOP_NONE = 0,        // not an answer
    STOP_END = 1,         // the model ended its turn
    STOP_LENGTH = 2,      // the token limit of the request
    STOP_STRING = 3,      // a stop string
    STOP_INTERRUPTED = 4, // by the user
    STOP_CONTEXT = 5,     // the context is full
};
const char *message_stop_name(enum message_stop stop); // "end", "length", "stop", …

struct message_stats { // of an answer; microseconds
    int64_t prompt_tokens, cached_tokens, output_tokens;
    int64_t first_token_us, prefill_us, decode_us;
};

struct message {
    int64_t id, parent; // parent MESSAGE_NONE: a root
    enum message_role role;
    enum message_stop stop;
    int64_t created_ms; // since 1970, UTC
    char *text;         // UTF-8, `length` bytes, NUL after; may hold NULs
    size_t length;
    size_t said; // where its writer's own words begin; previews leave out the files before them
    struct message_stats stats;
};

void message_deinit(struct message *message);

// A new message; `message->id` is ignored, created_ms 0 is now, text and stats are copied. Its
// token ids for `model` go in with it (count may be 0; model 0: none are known). *id is the new
// message's. NOT_FOUND when the parent is gone, BAD_INPUT when the text is not UTF-8.
MUST_CHECK enum status message_add(struct db *db, const struct message *message, int64_t model,
                                   const int32_t *tokens, size_t token_count, int64_t *id,
                                   struct error *err);

// Replaces text, stop, stats and tokens of an answer: the longer form of itself. BAD_INPUT when
// it is no answer, has replies, or is the tip of several conversations.
MUST_CHECK enum status message_extend(struct db *db, int64_t id, const struct message *longer,
                                      int64_t model, const int32_t *tokens, size_t token_count,
                                      struct error *err);

// NOT_FOUND; BAD_FILE when its row is damaged, with what was found.
MUST_CHECK enum status message_get(struct db *db, int64_t id, struct message *message,
                                   struct error *err);

// The messages from the root to `tip`, in that order: *path is an array of *count, owned by
// the caller (message_path_free). tip MESSAGE_NONE: none.
MUST_CHECK enum status message_path(struct db *db, int64_t tip, struct message **path,
                                    size_t *count, struct error *err);
void message_path_free(struct message *path, size_t count);

// The messages whose parent is `id`, by created_ms, as message_path(): at most MESSAGE_MAX_REPLIES.
enum { MESSAGE_MAX_REPLIES = 4096 };
MUST_CHECK enum status message_replies(struct db *db, int64_t id, struct message **replies,
                                       size_t *count, struct error *err);

#endif
