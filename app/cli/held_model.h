// app/cli/held_model.h — the model that a conversation is held with: described, and found again.
//
// What is open becomes a struct model_source (store/model_source.h) with held_describe(). Later
// held_find() looks for each of its files: where it was, then, for the demo model and the hub's,
// where that is now, then, of its size, in the folders that finder.h searches and in its old one. A
// file is taken by its content alone, which is hashed once (digest.h). held_args() turns what was
// found into the options that open it.
//
// Memory: structs own their texts, {0} is empty. No threads.
#ifndef APP_HELD_MODEL_H
#define APP_HELD_MODEL_H

#include "app/cli/args.h"
#include "engine/engine.h"
#include "store/model_source.h"

// The model that was opened: by `name` (NULL: the demo model), from `path`, which of one elsewhere
// is its URL#MODEL; `args` have its adapters, `chat_template` is a file, a name, or NULL.
struct held_opened {
    const char *name, *path, *chat_template;
    const struct args *args;
    bool elsewhere, unlisted;        // the server does not list it
    struct hash128 digest, identity; // of the file, and with its adapters
};
MUST_CHECK enum status held_describe(struct db *db, const struct held_opened *opened,
                                     struct model_source *source, struct error *err);

struct held_files {
    struct text paths[MODEL_PARTS_MAX]; // of the source's parts
};

// NOT_FOUND: a file is gone; UNSUPPORTED: one has changed, or its section is no more. The error
// says which, as the end of a sentence that begins with whose it is.
MUST_CHECK enum status held_find(struct db *db, const struct args *args,
                                 const struct model_source *source, struct held_files *files,
                                 struct error *err);
void held_files_deinit(struct held_files *files);

// Does this file have the part's content?
bool held_is_part(struct db *db, const struct model_part *part, const char *path);

// In a copy of the options: the model, and what goes with it unless the command line says
// otherwise. `texts` keeps what they borrow.
MUST_CHECK enum status held_args(const struct model_source *source, const struct held_files *files,
                                 struct args *args, struct text *texts, struct error *err);

// Is it the same model elsewhere? A section may have moved to another URL.
bool held_is_same_server(const struct model_source *held, const struct model_source *other);

// The newest source that is shown by this name, or by one that begins so and ends in "…": a
// model's, its path, its server's. NOT_FOUND.
MUST_CHECK enum status held_named(struct db *db, const char *name, struct model_source *source,
                                  struct error *err);

// What a person types to get this one.
const char *held_place(const struct model_source *source);

#endif
