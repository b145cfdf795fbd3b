// app/hub/hub_listing.h — which files a repository has, and which of them are a model.
//
// A listing comes from the hub (hub.h) or from what is in the cache (hub_cache.h). A model in it is
// a GGUF file, all parts of a split one, or, where there is no GGUF file, the repository's top
// folder: safetensors, config.json and what a tokenizer needs. Which one is meant can be said by
// its file's name or its type ("Q4_K_M", "UD-Q4_K_XL"); otherwise it is chosen by the machine's
// memory. A drafter, adapter, projector or vocabulary is no model (model_name.h), and is downloaded
// by its whole name only.
//
// Names and digests are checked as they are added: a name stays below its folder and has no control
// characters, a digest is hexadecimal. Memory: a listing owns its names, {0} is empty.
#ifndef APP_HUB_LISTING_H
#define APP_HUB_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"
#include "kernels/base/text.h"

enum {
    HUB_MAX_FILES = 4096,
    HUB_REPO_BYTES = 200,
    HUB_WHICH_BYTES = 400,
    HUB_COMMIT_DIGITS = 40,
    HUB_SHA1_DIGITS = 40,
    HUB_SHA256_DIGITS = 64
};

struct hub_name { // hf:ORG/REPO[:WHICH]
    char repo[HUB_REPO_BYTES];
    char which[HUB_WHICH_BYTES]; // "": not said
};

struct hub_file {
    char *path;                         // "Q4_K_M/x-00001-of-00002.gguf"; owned
    uint64_t bytes;                     // and
    char digest[HUB_SHA256_DIGITS + 1]; // SHA-256, or git's SHA-1 of a blob; "": not known
};

struct hub_listing {
    char commit[HUB_COMMIT_DIGITS + 1];
    struct hub_file *files;
    size_t count, capacity;
    uint64_t largest; // bytes of a GGUF file whose name says of nothing else than a model
};

struct hub_model {
    size_t first;     // its file in the listing, of a split its first part
    int32_t parts;    // 0: the folder
    uint64_t bytes;   // of all its files
    const char *type; // "Q4_K_M", "UD-Q4_K_M"; NULL: its name has none
    int rank;         // of the type, 0 is about the largest
};

struct hub_machine {
    uint64_t memory_free;
    bool card; // it is a card's
};

bool hub_name_is(const char *name); // does it begin with hf:?
// BAD_INPUT: not what the hub calls a repository.
MUST_CHECK enum status hub_name_parse(const char *name, struct hub_name *parsed, struct error *err);

// BAD_FILE names what cannot be a file's name, or a digest.
MUST_CHECK enum status hub_listing_add(struct hub_listing *listing, const char *path,
                                       uint64_t bytes, const char *digest, struct error *err);
// Adds what the hub's JSON says of a revision: "sha", and "siblings" with names, sizes and digests.
// BAD_FILE: it is something else, or a file has no digest by which it could be verified.
MUST_CHECK enum status hub_listing_read(const char *json, size_t length,
                                        struct hub_listing *listing, struct error *err);
void hub_listing_deinit(struct hub_listing *listing);

// The i-th model. False: there are fewer.
bool hub_listing_model(const struct hub_listing *listing, size_t i, struct hub_model *model);
bool hub_model_has(const struct hub_listing *listing, const struct hub_model *model, size_t file);
const char *hub_model_path(const struct hub_listing *listing, const struct hub_model *model);

// Would its weights and some context fit the memory?
bool hub_model_fits(const struct hub_model *model, const struct hub_machine *machine);

// The model that `name` means, and why, unless it was named and fits. NOT_FOUND: no such model;
// BAD_INPUT: it could be several; FULL: none fits this machine; UNSUPPORTED: quire reads none of
// them; BAD_FILE: parts are missing.
MUST_CHECK enum status hub_listing_choose(const struct hub_listing *listing,
                                          const struct hub_name *name,
                                          const struct hub_machine *machine,
                                          struct hub_model *model, struct text *why,
                                          struct error *err);

#endif
