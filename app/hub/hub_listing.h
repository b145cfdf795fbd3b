// app/hub/hub_listing.h — which files does a repository have, and which of them form a model?
//
// A listing comes from the hub (hub.h) or from the cache (hub_cache.h). A model in it is a GGUF
// file, all parts of a split one, or, if there is no GGUF file, the repository's top folder:
// safetensors, config.json and the tokenizer's files. The user can name a model by its file name or
// weight type ("Q4_K_M", "UD-Q4_K_XL"); otherwise it is chosen to fit the machine's memory. A
// drafter, adapter, projector or vocabulary is not a model (model_name.h) and is downloaded only by
// its full name.
//
// Names and digests are checked as they are added: a name must stay below its folder and have no
// control characters; a digest must be hexadecimal. Memory: a listing owns its names, {0} is empty.
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
    char which[HUB_WHICH_BYTES]; // "": not given
};

struct hub_file {
    char *path;                         // "Q4_K_M/x-00001-of-00002.gguf"; owned
    uint64_t bytes;                     // size
    char digest[HUB_SHA256_DIGITS + 1]; // SHA-256, or git's SHA-1 of a blob; "": unknown
};

struct hub_listing {
    char commit[HUB_COMMIT_DIGITS + 1];
    struct hub_file *files;
    size_t count, capacity;
    uint64_t largest;   // bytes of the largest GGUF file whose name can only be a model's
    char quantizer[24]; // that packed the safetensors, so that quire cannot read them; "": none
};

struct hub_model {
    size_t first;     // index of its file in the listing; of a split, of the first part
    int32_t parts;    // 0: the top folder
    uint64_t bytes;   // of all its files
    const char *type; // "Q4_K_M", "UD-Q4_K_M"; NULL: its name has none
    int rank;         // of the type, 0 is about the largest
};

struct hub_machine {
    uint64_t memory_free;
    bool card; // memory_free is a GPU's
};

bool hub_name_is(const char *name); // does it begin with hf:?
// BAD_INPUT: not a valid repository name.
MUST_CHECK enum status hub_name_parse(const char *name, struct hub_name *parsed, struct error *err);

// BAD_FILE: not a valid file name or digest; the error quotes it.
MUST_CHECK enum status hub_listing_add(struct hub_listing *listing, const char *path,
                                       uint64_t bytes, const char *digest, struct error *err);
// Adds the files of a revision from the hub's JSON: "sha", "siblings" with names, sizes and
// digests, and what "config" says of a quantization. BAD_FILE: it is something else, or a file has
// no digest to verify it by.
MUST_CHECK enum status hub_listing_read(const char *json, size_t length,
                                        struct hub_listing *listing, struct error *err);
void hub_listing_deinit(struct hub_listing *listing);

// The i-th model. False: there are fewer.
bool hub_listing_model(const struct hub_listing *listing, size_t i, struct hub_model *model);
bool hub_model_has(const struct hub_listing *listing, const struct hub_model *model, size_t file);
const char *hub_model_path(const struct hub_listing *listing, const struct hub_model *model);

// Would its weights and some context fit into memory?
bool hub_model_fits(const struct hub_model *model, const struct hub_machine *machine);

// Chooses the model that `name` means. *why gets the reason, unless the model was named and fits.
// NOT_FOUND: no such model; BAD_INPUT: ambiguous; FULL: none fits this machine; UNSUPPORTED: quire
// can read none of them; BAD_FILE: parts are missing.
MUST_CHECK enum status hub_listing_choose(const struct hub_listing *listing,
                                          const struct hub_name *name,
                                          const struct hub_machine *machine,
                                          struct hub_model *model, struct text *why,
                                          struct error *err);

#endif
