// store/model_source.h — how to open the model of a conversation again.
//
// A source is what a person opened: the demo model, a path, a hub name, a server's model, or a
// section of the config file. It lists the files of the model at that time by path, size and
// digest, so that a moved file is found and a changed one is noticed. A stored source never
// changes: another path, adapter or template makes another source. It never holds an API key, only
// the name of the variable or file that does.
//
// `model` is what the token log belongs to (db.h). `identity` distinguishes more: two sources with
// the same identity give the same answers and differ only in where they were found.
//
// Memory: a source owns its texts; {0} is empty; lists are the caller's. Threads: the db's.
#ifndef STORE_MODEL_SOURCE_H
#define STORE_MODEL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/hash.h"
#include "kernels/base/text.h"
#include "store/db.h"

enum { MODEL_PARTS_MAX = 12, MODEL_NAME_BYTES = 121 };

// The numbers are stored: never change them.
enum model_kind {
    MODEL_NONE = 0,
    MODEL_DEMO = 1,
    MODEL_PATH = 2,    // a file or a folder
    MODEL_HUB = 3,     // hf:ORG/REPO[:WHICH]
    MODEL_SERVER = 4,  // URL#MODEL
    MODEL_SECTION = 5, // NAME of [remote.NAME]
};
enum model_role { PART_WEIGHTS = 1, PART_ADAPTER = 2, PART_TEMPLATE = 3, PART_VOCABULARY = 4 };

struct model_part {
    enum model_role role;
    struct text path;      // absolute; for a built-in template its name
    int64_t bytes;         // 0: no file
    struct hash128 digest; // of the file's content; {0}: no file
    float scale;           // adapters only
};

struct model_source {
    int64_t id;    // the db's number; 0: not stored
    int64_t model; // the db's number
    struct hash128 identity;
    enum model_kind kind;
    struct text name;     // what opens it: "/models/x.gguf", "hf:…", "http://…#x", "office"
    struct text server;   // "URL#MODEL" of the server or section at that time; "": a local model
    bool listed;          // that server listed the model at that time
    struct text key_from; // env:NAME or file:PATH, or ""
    char model_name[MODEL_NAME_BYTES]; // the db's name for `model`; read, not stored
    struct model_part parts[MODEL_PARTS_MAX];
    size_t part_count;
};

void model_source_deinit(struct model_source *source);
MUST_CHECK enum status model_source_copy(const struct model_source *source,
                                         struct model_source *copy);

// Adds a part; FULL when the source has MODEL_PARTS_MAX parts.
MUST_CHECK enum status model_source_add(struct model_source *source, const struct model_part *part,
                                        const char *path);

// The first part of this role, or NULL.
const struct model_part *model_source_part(const struct model_source *source, enum model_role role);

// Stores the source unless it is stored already, and marks it as the most recently used. *id is its
// number.
MUST_CHECK enum status model_source_enter(struct db *db, const struct model_source *source,
                                          int64_t *id, struct error *err);

// NOT_FOUND; BAD_FILE for a damaged row.
MUST_CHECK enum status model_source_get(struct db *db, int64_t id, struct model_source *source,
                                        struct error *err);
MUST_CHECK enum status model_source_identity(struct db *db, int64_t id, struct hash128 *identity,
                                             struct error *err);

// The numbers of the `limit` most recently used sources, newest first. *ids is the caller's (free).
MUST_CHECK enum status model_source_recent(struct db *db, size_t limit, int64_t **ids,
                                           size_t *count, struct error *err);

#endif
