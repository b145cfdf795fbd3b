// app/cli/digest.h — which model a file is: by its content, which is read once and remembered.
//
// The database remembers the digest of a path with the file's size and the later of the times
// at which its content and its inode changed, so a file that was put in its place under the same
// name, size and modification time is read anew. Of a split or a folder all files count. Owns
// nothing.
#ifndef APP_DIGEST_H
#define APP_DIGEST_H

#include <stdbool.h>

#include "kernels/base/hash.h"
#include "store/db.h"

// False: unknown, changed, or no such file.
bool digest_find(struct db *db, const char *path, struct hash128 *digest);

// What cannot be remembered costs a read the next time, and is logged.
void digest_remember(struct db *db, const char *path, struct hash128 digest);

#endif
