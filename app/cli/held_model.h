// app/cli/held_model.h — describes the model that a conversation uses, and finds it again later.
//
// held_describe() turns the open model into a struct model_source (store/model_source.h). Later
// held_find() looks for each of its files: at its old path; for the demo model and hub models, at
// their current path; then among files of the same size in the folders that finder.h searches and
// in its old folder. Only the content decides whether a file is the right one; it is hashed once
// (digest.h). held_args() turns the found files into the options that open the model.
//
// Memory: structs own their texts, {0} is empty. Threads: no state.
#ifndef APP_HELD_MODEL_H
#define APP_HELD_MODEL_H

#include "app/cli/args.h"
#include "engine/engine.h"
#include "store/model_source.h"

// The opened model. `name`: as the user called it (NULL: the demo model); `path`: its file, or
// URL#MODEL on a server; `args`: its adapters; `chat_template`: a file, a name, or NULL.
struct held_opened {
    const char *name, *path, *chat_template;
    const struct args *args;
    bool elsewhere, unlisted;        // unlisted: the server does not list it
    struct hash128 digest, identity; // of the file alone, and with its adapters
};
MUST_CHECK enum status held_describe(struct db *db, const struct held_opened *opened,
                                     struct model_source *source, struct error *err);

struct held_files {
    struct text paths[MODEL_PARTS_MAX]; // [i]: the file of the source's part i
};

// NOT_FOUND: a file is gone; UNSUPPORTED: a file has changed, or the config section no longer
// exists. The error completes a sentence whose beginning names the model.
MUST_CHECK enum status held_find(struct db *db, const struct args *args,
                                 const struct model_source *source, struct held_files *files,
                                 struct error *err);
void held_files_deinit(struct held_files *files);

// Does this file have the part's content?
bool held_is_part(struct db *db, const struct model_part *part, const char *path);

// Sets the model and its accessories in `args`, a copy of the options; what the command line gave
// wins. `texts` owns the strings that `args` borrows.
MUST_CHECK enum status held_args(const struct model_source *source, const struct held_files *files,
                                 struct args *args, struct text *texts, struct error *err);

// Are both the same model on a server? A section may have moved to another URL.
bool held_is_same_server(const struct model_source *held, const struct model_source *other);

// Finds the newest source whose model name, path or server is `name`, or begins with `name` if that
// was cut with "…". NOT_FOUND.
MUST_CHECK enum status held_named(struct db *db, const char *name, struct model_source *source,
                                  struct error *err);

#endif
