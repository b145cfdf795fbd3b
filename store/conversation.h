// store/conversation.h — the names of conversations, and where each one stands.
//
// A conversation is a name and a pointer to its last message (its tip), as a branch is in git.
// A fork is a second pointer. Deleting a conversation deletes the messages that only it
// reaches; text that a fork still reaches stays. What it has left behind (undone turns, other
// answers) goes with the last conversation of the tree.
//
// A conversation is written by one process at a time: conversation_lock().
//
// Memory: as in message.h. Threads: the db's.
#ifndef STORE_CONVERSATION_H
#define STORE_CONVERSATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/conversation_id.h"
#include "store/db.h"
#include "store/message.h"

enum {
    CONVERSATION_ID_SHORTEST = 4, // of a prefix that people type
    CONVERSATION_NAME_BYTES = 121,
};

struct conversation {
    char id[CONVERSATION_ID_BYTES];          // random, unique
    char name[CONVERSATION_NAME_BYTES];      // "" until named; unique among named ones
    char title[CONVERSATION_NAME_BYTES];     // that it is shown by without one; "": by its opening
    char forked_from[CONVERSATION_ID_BYTES]; // "" if it is no fork
    int64_t forked_at;                       // the message it was forked at
    int64_t tip;                             // MESSAGE_NONE: empty
    int64_t model;                           // the db's number of the model last used
    int64_t source; // the db's number of how that one is opened (model_source.h); 0: not known
    int64_t created_ms, updated_ms;
    bool one_shot; // a single question outside of a chat: lists leave it out
};

struct conversation_query {
    const char *words; // "": all
    size_t limit;
    bool one_shot; // without words: those too
};

// One line of a list.
struct conversation_row {
    struct conversation conversation;
    int32_t depth;    // below the topmost of its family in this list
    int64_t turns;    // user messages on its path
    int64_t tokens;   // stored for its model
    char preview[81]; // the beginning of its first user message, one line; also if taken back
    char last[81];    // the same of its last one
    // Where a fork left its parent: its first message of the user that the parent has not, and its
    // turn. 0: it is no fork, or went back beyond that place.
    int64_t fork_turn;
    char fork_preview[81];
    char model_name[121];
    char found[121]; // of a search: its words in a message; "": they are in the name
};

// What it is shown by.
static inline const char *conversation_row_title(const struct conversation_row *row) {
    const struct conversation *conversation = &row->conversation;
    if (conversation->name[0]) return conversation->name;
    return conversation->title[0] ? conversation->title : row->preview;
}

// Can every command be given this name again? BAD_INPUT: no, and why: it is empty, too long, not
// one line of UTF-8, looks like an id, an option, a path or a model's file, or a blank is at an
// end.
MUST_CHECK enum status conversation_check_name(const char *name, struct error *err);

// Makes an empty conversation with a new id. name may be ""; BAD_INPUT if it is taken, or as
// conversation_check_name().
MUST_CHECK enum status conversation_create(struct db *db, const char *name, int64_t model,
                                           struct conversation *conversation, struct error *err);

// A second pointer: at `tip`, which is on the original's path (or MESSAGE_NONE), else BAD_INPUT.
MUST_CHECK enum status conversation_fork(struct db *db, const struct conversation *original,
                                         int64_t tip, const char *name, struct conversation *fork,
                                         struct error *err);

// By whole id, name, or an id's prefix of CONVERSATION_ID_SHORTEST or more that fits only one.
// NOT_FOUND; BAD_INPUT when several fit, with some of them.
MUST_CHECK enum status conversation_find(struct db *db, const char *name_or_id,
                                         struct conversation *conversation, struct error *err);

// The same, and the beginning of a name, in any case, that only one has: for what deletes nothing.
MUST_CHECK enum status conversation_find_begun(struct db *db, const char *typed,
                                               struct conversation *conversation,
                                               struct error *err);

// The one used last, among chats only or among all, or NOT_FOUND.
MUST_CHECK enum status conversation_latest(struct db *db, bool one_shot,
                                           struct conversation *conversation, struct error *err);

// One line, at most CONVERSATION_NAME_BYTES - 1 bytes; "": none. Others may have the same.
MUST_CHECK enum status conversation_set_title(struct db *db, const char *id, const char *title,
                                              struct error *err);

// Whether lists leave it out. A name given later takes it in again.
MUST_CHECK enum status conversation_set_one_shot(struct db *db, const char *id, bool one_shot,
                                                 struct error *err);

// Which model it is held with; 0: none. A fork has its original's.
MUST_CHECK enum status conversation_set_source(struct db *db, const char *id, int64_t source,
                                               struct error *err);

// Moves the tip (and says which model wrote it; 0: as before); updates updated_ms. "Newest" is
// by these moves, not by the clock.
MUST_CHECK enum status conversation_move(struct db *db, const char *id, int64_t tip, int64_t model,
                                         struct error *err);
MUST_CHECK enum status conversation_rename(struct db *db, const char *id, const char *name,
                                           struct error *err);
// What others of its family reach stays; deletion.h says what that is.
MUST_CHECK enum status conversation_delete(struct db *db, const char *id, struct error *err);

// Newest first, forks below their parents. Every conversation that has text is there, also a fork
// in which nothing was said and one whose turns were all taken back; empty ones are left out unless
// named, and what was forked from those stands below their parents.
// With words: those that have them all in their name, or in one message, each as the beginning of a
// word (FTS5; a single letter as a whole word), one-shot ones too; with more than `limit` of them,
// those with the newest such messages. *rows is owned by the caller (free).
MUST_CHECK enum status conversation_list(struct db *db, const struct conversation_query *query,
                                         struct conversation_row **rows, size_t *count,
                                         struct error *err);

// The conversation is ours to write until unlock, close, or the end of the process (a lock on
// a byte of the lock file beside the database, so a crash leaves none behind). BUSY names the
// process that has it, or says that this handle has it; FULL: it has DB_MAX_LOCKS of them.
MUST_CHECK enum status conversation_lock(struct db *db, const char *id, struct error *err);
void conversation_unlock(struct db *db, const char *id);

#endif
