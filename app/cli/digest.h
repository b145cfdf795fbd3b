// app/cli/digest.h — which model a file is, by its content, which is hashed once and remembered.
//
// The database remembers the digest of a path with the file's size and the later of the times
// at which its content and its inode changed, so a file that replaced it with the same name, size
// and modification time is read again. Of a split model or a folder all files count.
//
//   digest_identify ─► digest_find ─► the file is opened, and hashed ─► digest_remember
//
// Of a folder there are two. Keys and values depend on weights and token ids alone, so blocks of
// the KV cache go by the digest of the weights and config.json: a template that is mended or a
// token that is added costs no prefill. What the ids mean, and which ids a message becomes, depends
// on the tokenizer and the chat template too. The ids that a conversation has stored are of the
// model with these, so its model goes by digest_with_texts(). A GGUF file holds all of it and has
// one digest.
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

// The digest of the whole model, where `path` is a folder or the tokenizer.json of one: of
// `weights` and the files that its tokenizer and chat template are read from. Else it is `weights`.
struct hash128 digest_with_texts(const char *path, struct hash128 weights);

#endif
