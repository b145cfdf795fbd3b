// store/family.h — all that was ever said around a conversation: its trees, and who stands in them.
//
// A family is the trees that a conversation has been in, and every conversation whose tip is a
// message of them: forks, what was undone, other answers.
//
// Memory: arrays are the caller's (free). Threads: the db's.
#ifndef STORE_FAMILY_H
#define STORE_FAMILY_H

#include "store/conversation.h"

struct family_message {
    int64_t id, parent; // parent MESSAGE_NONE: a root
    enum message_role role;
    enum message_stop stop;
    char preview[121]; // the beginning of its text, one line
};

// The messages, parents before their replies, and at most `limit` of them: the oldest.
MUST_CHECK enum status family_messages(struct db *db, const char *id, size_t limit,
                                       struct family_message **messages, size_t *count,
                                       struct error *err);

// The newest message below `message` (MESSAGE_NONE: in its trees) that this conversation has said
// and left: none that another has said since they were forked. NOT_FOUND.
MUST_CHECK enum status family_newest_below(struct db *db, const char *id, int64_t message,
                                           int64_t *newest, struct error *err);

// The conversations that stand in these trees now, this one too; by age, at most `limit`.
MUST_CHECK enum status family_conversations(struct db *db, const char *id, size_t limit,
                                            struct conversation **conversations, size_t *count,
                                            struct error *err);

// How many conversations begin with a system message of exactly this text.
MUST_CHECK enum status family_count_preambles(struct db *db, const char *head, size_t length,
                                              int64_t *count, struct error *err);

#endif
