// app/cli/digest.h — identifies a model file by its content; hashes it once and remembers the
// digest.
//
// The database remembers a path's digest with the file's size and the later of its mtime and ctime,
// so a file that was replaced by another with the same name, size and mtime is hashed again. For a
// split model or a folder, all files count.
//
//   digest_identify ─► digest_find ─► the file is opened, and hashed ─► digest_remember
//
// A folder has two digests. Keys and values depend only on weights and token ids, so blocks of the
// KV cache use the digest of the weights and config.json: fixing a template or adding a token costs
// no prefill. The token ids of a message also depend on the tokenizer and the chat template, so
// stored conversations use digest_with_texts(). A GGUF file contains everything and has one digest.
//
// Another file may replace the model at any time. So the digest is taken from the open file, not
// from its path, and is not remembered if the file changed meanwhile. Owns nothing.
#ifndef APP_DIGEST_H
#define APP_DIGEST_H

#include <limits.h>
#include <stdbool.h>

#include "engine/model/gguf.h"
#include "store/db.h"

struct digest_file {     // a model's files, as they are now
    const char *given;   // borrowed
    char path[PATH_MAX]; // resolved; "": no such file
    struct file_state state;
    bool is_folder; // its state covers files that are read, not mapped
};

void digest_identify(const char *path, struct digest_file *file);

// False: unknown, changed, or no such file.
bool digest_find(struct db *db, const struct digest_file *file, struct hash128 *digest);

// Remembers the digest of the opened file, unless it is not the file that was identified or has
// changed since. A failure is only logged: the file is then hashed again next time.
void digest_remember(struct db *db, const struct digest_file *file, const struct gguf *opened,
                     struct hash128 digest);

// The digest of the whole model. If `path` is a folder or the tokenizer.json in one, combines
// `weights` with the files of its tokenizer and chat template; else returns `weights`.
struct hash128 digest_with_texts(const char *path, struct hash128 weights);

#endif
