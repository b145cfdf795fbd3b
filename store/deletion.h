// store/deletion.h — what is deleted with a conversation, and who else still has its text?
//
//   deletion_plan ─► (locks, a question) ─► deletion_run ─► deletion_erase
//
// A conversation's family: its ancestors and descendants by forking, the conversations that have
// been in one of its trees, and their families in turn. Deleting one conversation leaves what the
// others share; only deleting the whole family deletes everything said in it.
//
// Deleted rows leave their bytes in pages that SQLite reuses later, and secure_delete misses rows
// that were moved between pages. deletion_erase() therefore rewrites the file.
//
// Memory: a plan owns its arrays: deletion_deinit(). Threads: the db's.
#ifndef STORE_DELETION_H
#define STORE_DELETION_H

#include "store/conversation.h"

struct deletion { // {0} is empty
    struct conversation *gone,
        *kept; // most recently used first; kept: the family's others that have text
    size_t gone_count, kept_count;
    char **said; // the deleted texts, without the files attached to them
    size_t said_count, said_capacity;
};

// Plans deleting this conversation, or its whole family. NOT_FOUND.
MUST_CHECK enum status deletion_plan(struct db *db, const char *id, bool family,
                                     struct deletion *deletion, struct error *err);

// Deletes all of `gone` or nothing, and fills `said`. The caller has locked them.
MUST_CHECK enum status deletion_run(struct db *db, struct deletion *deletion, struct error *err);

// Erases every byte of deleted rows from the database's files; takes as long as copying them. On
// failure (FULL, BUSY) the rows are deleted all the same.
MUST_CHECK enum status deletion_erase(struct db *db, struct error *err);

// Sets *left to whether some message still contains this word.
MUST_CHECK enum status deletion_left_word(struct db *db, const char *word, size_t length,
                                          bool *left, struct error *err);

void deletion_deinit(struct deletion *deletion);

#endif
