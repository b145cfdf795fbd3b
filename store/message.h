// store/message.h — messages as a tree, with their exact tokens.
//
// A message never changes once written, except that an answer can be completed by its own
// continuation (message_extend). Its parent is the message it replies to; several messages with one
// parent are alternatives. The path from the root to a message is the text of a conversation.
// Concatenating the token ids of the messages on that path gives its token log for a model, unless
// a message's ids begin with a cut: MESSAGE_CUT + n keeps only the first n ids of the log so far,
// and the ids after the cut follow them.
//
// Memory: returned structs are owned by the caller: message_deinit(). Threads: the db's.
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
    char *text;         // UTF-8, `length` bytes, then a NUL; may contain NULs
    size_t length;
    size_t said; // offset of the writer's own words; previews skip the attached files before it
    struct message_stats stats;
};

void message_deinit(struct message *message);

// Adds a message with its token ids for `model` (count may be 0; model 0: no tokens known). Ignores
// `message->id`; created_ms 0 means now; copies text and stats. *id is the new message's id.
// NOT_FOUND when the parent is gone, BAD_INPUT when the text is not UTF-8.
MUST_CHECK enum status message_add(struct db *db, const struct message *message, int64_t model,
                                   const int32_t *tokens, size_t token_count, int64_t *id,
                                   struct error *err);

// Replaces an answer's text, stop, stats and tokens with those of its longer form. BAD_INPUT when
// the message is not an answer, has replies, or is the tip of several conversations.
MUST_CHECK enum status message_extend(struct db *db, int64_t id, const struct message *longer,
                                      int64_t model, const int32_t *tokens, size_t token_count,
                                      struct error *err);

// NOT_FOUND; BAD_FILE when its row is damaged; the error says what was found.
MUST_CHECK enum status message_get(struct db *db, int64_t id, struct message *message,
                                   struct error *err);

// The messages from the root to `tip`, in that order. *path is an array of *count messages, owned
// by the caller (message_path_free); empty for tip MESSAGE_NONE.
MUST_CHECK enum status message_path(struct db *db, int64_t tip, struct message **path,
                                    size_t *count, struct error *err);
void message_path_free(struct message *path, size_t count);

// The messages whose parent is `id`, ordered by created_ms, at most MESSAGE_MAX_REPLIES; ownership
// as in message_path().
enum { MESSAGE_MAX_REPLIES = 4096 };
MUST_CHECK enum status message_replies(struct db *db, int64_t id, struct message **replies,
                                       size_t *count, struct error *err);

#endif
