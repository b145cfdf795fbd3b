// app/chat/removal.h — deletes conversations for a user: what to say first, and what else to erase.
//
// store/deletion.h deletes from the database. Their words are also in the disk cache, whose index
// holds tokens, and in the history of typed lines.
//
// Threads and memory: the db's.
#ifndef APP_REMOVAL_H
#define APP_REMOVAL_H

#include <stdbool.h>

#include "kernels/base/text.h"
#include "store/deletion.h"

// Appends "987c433f (other), 12ab34cd “What is a fox?” and 3 more".
MUST_CHECK enum status removal_list(struct db *db, const struct conversation *conversations,
                                    size_t count, struct text *text);

// Locks all planned conversations, deletes them, and releases the locks. BUSY: another process, or
// an answer in the background, holds one of them; nothing is deleted.
MUST_CHECK enum status removal_run(struct db *db, struct deletion *deletion, struct error *err);

// After removal_run(): erases the deleted bytes from the database and from the disk cache in
// `kv_folder` (NULL: none). Logs what could not be erased, and why.
void removal_erase(struct db *db, const struct deletion *deletion, const char *kv_folder);

// Decides which history entries to delete: typed lines of deleted messages, commands with a deleted
// name, and lines with a word that only deleted texts had.
struct removal {
    struct db *db;
    const struct deletion *deletion;
};
bool removal_had_typed(const void *removal, const char *entry);

#endif
