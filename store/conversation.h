// store/conversation.h — the names of conversations, and where each one stands.
//
// A conversation is a name and a pointer to its last message (its tip), as a branch is in git.
// A fork is a second pointer. Deleting a conversation deletes the messages that only it reaches;
// messages that a fork still reaches stay. What it left behind on other branches (undone turns,
// other answers) is deleted with the last conversation of the tree.
//
// Only one process at a time writes a conversation: conversation_lock().
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
    CONVERSATION_ID_SHORTEST = 4, // the shortest prefix of an id that find() accepts
    CONVERSATION_NAME_BYTES = 121,
};

struct conversation {
    char id[CONVERSATION_ID_BYTES];          // random, unique
    char name[CONVERSATION_NAME_BYTES];      // "" until named; unique among named ones
    char title[CONVERSATION_NAME_BYTES];     // shown while it has no name; "": none
    char forked_from[CONVERSATION_ID_BYTES]; // "" if it is not a fork
    int64_t forked_at;                       // the message it was forked at
    int64_t tip;                             // MESSAGE_NONE: empty
    int64_t model;                           // the db's number of the model last used
    int64_t source; // how that model is opened: the db's number (model_source.h); 0: unknown
    int64_t created_ms, updated_ms;
    bool one_shot; // a single question outside a chat: left out of lists
};

struct conversation_query {
    const char *words; // "": all
    size_t limit;
    bool one_shot; // include one-shot conversations even when there are no words
};

// One line of a list.
struct conversation_row {
    struct conversation conversation;
    int32_t depth;    // in the list's tree of forks: 0 for the topmost of its family
    int64_t turns;    // user messages on its path
    int64_t tokens;   // stored for its model; by a server's count; -1: unknown
    char preview[81]; // start of its first user message on one line, even if that was undone
    char last[81];    // start of its last user message
    // Where a fork left its parent: its first user message that the parent does not have, and the
    // number of that turn. 0: not a fork, or it went back past that point.
    int64_t fork_turn;
    char fork_preview[81];
    char model_name[121];
    char found[121]; // search only: the matching words in a message; "": they are in the name
};

// What people see instead of the id: the name, else the title, else the preview.
static inline const char *conversation_row_title(const struct conversation_row *row) {
    const struct conversation *conversation = &row->conversation;
    if (conversation->name[0]) return conversation->name;
    return conversation->title[0] ? conversation->title : row->preview;
}

// Checks that every command will accept this name later. BAD_INPUT with the reason: it is empty,
// too long, not one line of UTF-8, begins or ends with a blank, or looks like an id, an option, a
// path or a model file.
MUST_CHECK enum status conversation_check_name(const char *name, struct error *err);

// Creates an empty conversation with a new id. `name` may be "". BAD_INPUT if the name is taken or
// conversation_check_name() refuses it.
MUST_CHECK enum status conversation_create(struct db *db, const char *name, int64_t model,
                                           struct conversation *conversation, struct error *err);

// Creates a second pointer, at `tip`. BAD_INPUT if `tip` is neither on the original's path nor
// MESSAGE_NONE.
MUST_CHECK enum status conversation_fork(struct db *db, const struct conversation *original,
                                         int64_t tip, const char *name, struct conversation *fork,
                                         struct error *err);

// Finds by full id, by name, or by a unique id prefix of at least CONVERSATION_ID_SHORTEST digits.
// NOT_FOUND; BAD_INPUT when several match, and the error lists some of them.
MUST_CHECK enum status conversation_find(struct db *db, const char *name_or_id,
                                         struct conversation *conversation, struct error *err);

// Like conversation_find(), but also accepts a unique prefix of a name, ignoring case. For commands
// that delete nothing.
MUST_CHECK enum status conversation_find_begun(struct db *db, const char *typed,
                                               struct conversation *conversation,
                                               struct error *err);

// The most recently used chat; with `one_shot`, one-shot conversations count too. NOT_FOUND.
MUST_CHECK enum status conversation_latest(struct db *db, bool one_shot,
                                           struct conversation *conversation, struct error *err);

// One line of at most CONVERSATION_NAME_BYTES - 1 bytes; "" removes it. Titles need not be unique.
MUST_CHECK enum status conversation_set_title(struct db *db, const char *id, const char *title,
                                              struct error *err);

// Sets whether lists leave it out. Naming it later puts it back into lists.
MUST_CHECK enum status conversation_set_one_shot(struct db *db, const char *id, bool one_shot,
                                                 struct error *err);

// Sets the model source it uses; 0: none. A fork inherits its original's.
MUST_CHECK enum status conversation_set_source(struct db *db, const char *id, int64_t source,
                                               struct error *err);

// Moves the tip, records the model that wrote it (0: unchanged) and updates updated_ms. "Newest" in
// this header means the order of these moves, not the clock.
MUST_CHECK enum status conversation_move(struct db *db, const char *id, int64_t tip, int64_t model,
                                         struct error *err);
MUST_CHECK enum status conversation_rename(struct db *db, const char *id, const char *name,
                                           struct error *err);
// Messages that others of its family reach stay (deletion.h).
MUST_CHECK enum status conversation_delete(struct db *db, const char *id, struct error *err);

// Newest first, forks below their parents. Every conversation with text is listed, even a fork in
// which nothing was said or one whose turns were all undone. Empty ones are left out unless they
// have a name; their forks then move up to the nearest listed ancestor.
// With words: conversations that have all of them in the name, or in one message, each as the start
// of a word (FTS5; a single letter must be a whole word). One-shot conversations are included. If
// more than `limit` match, those with the newest matching messages win. *rows is owned by the
// caller (free).
MUST_CHECK enum status conversation_list(struct db *db, const struct conversation_query *query,
                                         struct conversation_row **rows, size_t *count,
                                         struct error *err);

// How many a list without words has, however long.
MUST_CHECK enum status conversation_count(struct db *db, bool one_shot, int64_t *count,
                                          struct error *err);

// Reserves the conversation for writing until unlock, close, or the end of the process. The lock is
// on one byte of the lock file next to the database, so a crash leaves no lock behind. BUSY names
// the process that holds it, or says that this handle does. FULL: this handle holds DB_MAX_LOCKS
// locks.
MUST_CHECK enum status conversation_lock(struct db *db, const char *id, struct error *err);
void conversation_unlock(struct db *db, const char *id);

#endif
