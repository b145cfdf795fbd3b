// store/deletion.h — what goes when a person deletes a conversation, and what else keeps its text.
//
//   deletion_plan ─► (locks, a question) ─► deletion_run ─► deletion_erase
//
// The family of a conversation are those that it was forked from or that were forked from it, and
// those that have been in one of its trees, and their families in turn. Only when the whole family
// goes is all that was said in it deleted: the others keep what they share.
//
// Deleted rows leave their bytes in the file, in pages that SQLite uses again later; with its
// secure_delete, too, where rows were moved between pages. So deletion_erase() rewrites the file.
//
// Memory: a plan owns its arrays: deletion_deinit(). Threads: the db's.
#ifndef STORE_DELETION_H
#define STORE_DELETION_H

#include "store/conversation.h"

struct deletion { // {0} is empty
    struct conversation *gone,
        *kept; // the one used last first; kept: those of the family that have text
    size_t gone_count, kept_count;
    char **said; // the texts that were deleted, without the files that went with them
    size_t said_count, said_capacity;
};

// This one, or its family. NOT_FOUND.
MUST_CHECK enum status deletion_plan(struct db *db, const char *id, bool family,
                                     struct deletion *deletion, struct error *err);

// Deletes all of `gone`, or nothing; the caller has them locked. Fills `said`.
MUST_CHECK enum status deletion_run(struct db *db, struct deletion *deletion, struct error *err);

// Leaves no byte of what was deleted in the database's files: takes as long as copying them. On
// failure (FULL, BUSY) the rows are gone all the same.
MUST_CHECK enum status deletion_erase(struct db *db, struct error *err);

// Is there a message that has this word still?
MUST_CHECK enum status deletion_left_word(struct db *db, const char *word, size_t length,
                                          bool *left, struct error *err);

void deletion_deinit(struct deletion *deletion);

#endif
