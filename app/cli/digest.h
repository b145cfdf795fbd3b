// app/cli/digest.h — which model a file is, by its content, which is hashed once and remembered.
//
// The database remembers the digest of a path with the file's size and the later of the times
// at which its content and its inode changed, so a file that replaced it with the same name, size
// and modification time is read again. Of a split model or a folder all files count.
//
//   digest_identify ─► digest_find ─► the file is opened, and hashed ─► digest_remember
//
// Another file may take its place at any time. So the open file is asked what it is, not its path,
// and what changed meanwhile is not remembered. Owns nothing.
#ifndef APP_DIGEST_H
#define APP_DIGEST_H

#include <limits.h>
#include <stdbool.h>

#include "engine/model/gguf.h"
#include "store/db.h"

struct digest_file {     // a model's files, as they are now
    const char *given;   // borrowed
    char path[PATH_MAX]; // the real one; "": there is no such file
    struct file_state state;
    bool is_folder; // whose state has files that are read, not mapped
};

void digest_identify(const char *path, struct digest_file *file);

// False: unknown, changed, or no such file.
bool digest_find(struct db *db, const struct digest_file *file, struct hash128 *digest);

// Remembers the digest of what was opened since the file was identified, unless that was another
// one, or it has changed. If it cannot be remembered, that is logged, and it is read again the next
// time.
void digest_remember(struct db *db, const struct digest_file *file, const struct gguf *opened,
                     struct hash128 digest);

#endif
