// store/family.h — every message ever said around a conversation, and which conversations share its
// trees.
//
// A family is the trees that a conversation has been in, with their forks, undone turns and other
// answers, and every conversation whose tip is in one of those trees.
//
// Memory: arrays are the caller's (free). Threads: the db's.
#ifndef STORE_FAMILY_H
#define STORE_FAMILY_H

#include "store/conversation.h"

struct family_message {
    int64_t id, parent; // parent MESSAGE_NONE: a root
    int64_t created_ms; // replies to one message are sorted by it (message_replies())
    enum message_role role;
    enum message_stop stop;
    char preview[121]; // the beginning of its text, one line
};

// The family's messages, parents before replies; the oldest `limit` of them.
MUST_CHECK enum status family_messages(struct db *db, const char *id, size_t limit,
                                       struct family_message **messages, size_t *count,
                                       struct error *err);

// The newest message below `message` (MESSAGE_NONE: in any of its trees) that this conversation
// said and then left. Messages that another conversation said after a fork do not count. NOT_FOUND.
MUST_CHECK enum status family_newest_below(struct db *db, const char *id, int64_t message,
                                           int64_t *newest, struct error *err);

// The conversations whose tip is in these trees, this one included; oldest first, at most `limit`.
MUST_CHECK enum status family_conversations(struct db *db, const char *id, size_t limit,
                                            struct conversation **conversations, size_t *count,
                                            struct error *err);

// How many conversations begin with a system message of exactly this text.
MUST_CHECK enum status family_count_preambles(struct db *db, const char *head, size_t length,
                                              int64_t *count, struct error *err);

#endif
