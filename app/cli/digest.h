// app/cli/digest.h — which model a file is, by its content, which is hashed once and remembered.
//
// The database remembers the digest of a path with the file's size and the later of the times
// at which its content and its inode changed, so a file that replaced it with the same name, size
// and modification time is read again. Of a split model or a folder all files count. Owns nothing.
#ifndef APP_DIGEST_H
#define APP_DIGEST_H

#include <stdbool.h>

#include "kernels/base/hash.h"
#include "store/db.h"

// False: unknown, changed, or no such file.
bool digest_find(struct db *db, const char *path, struct hash128 *digest);

// If it cannot be remembered, that is logged, and the file is read again the next time.
void digest_remember(struct db *db, const char *path, struct hash128 digest);

#endif
