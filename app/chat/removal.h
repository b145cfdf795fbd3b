// app/chat/removal.h — deleting conversations for a person: what is said first, and what is erased
// with them.
//
// store/deletion.h deletes from the database. What else has their words are the disk cache, whose
// index has tokens, and the history of what was typed.
//
// Threads and memory: the db's.
#ifndef APP_REMOVAL_H
#define APP_REMOVAL_H

#include <stdbool.h>

#include "kernels/base/text.h"
#include "store/deletion.h"

// "987c433f (other), 12ab34cd “What is a fox?” and 3 more", appended.
MUST_CHECK enum status removal_list(struct db *db, const struct conversation *conversations,
                                    size_t count, struct text *text);

// Locks all that are to go, deletes them, and gives the locks back. BUSY: another process, or an
// answer in the background, has one of them: then nothing is deleted.
MUST_CHECK enum status removal_run(struct db *db, struct deletion *deletion, struct error *err);

// After removal_run(): no byte is left in the database and in the disk cache in `kv_folder` (NULL:
// there is none). Logs what stays, and why.
void removal_erase(struct db *db, const struct deletion *deletion, const char *kv_folder);

// Which entries of the history go: what was typed to say something that was deleted, a command with
// a deleted name, and what has a word that only deleted texts had.
struct removal {
    struct db *db;
    const struct deletion *deletion;
};
bool removal_had_typed(const void *removal, const char *entry);

#endif
