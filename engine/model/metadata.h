// engine/model/metadata.h — the figures that a file states under its family's name.
//
// Keys are GGUF's, "block_count" for "llama.block_count"; a folder's config.json has figures of the
// same names (folder_layout.h). The first failure is kept and what is read afterwards is harmless,
// so that reading twenty keys is twenty lines and one check at the end. What was found is
// remembered: a key that nobody read is checked at the end. A key that the family does not have
// (family_keys_have()) counts as absent, and so as one that nobody read.
#ifndef ENGINE_METADATA_H
#define ENGINE_METADATA_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/model/gguf.h"
#include "kernels/base/status.h"

enum { METADATA_ASKED_MOST = 128 }; // different keys that quire knows how to read

struct metadata {
    const struct gguf *gguf;            // borrowed
    const struct folder_config *folder; // borrowed; what is stated is this; NULL: the gguf's keys
    const char *family;                 // the name that keys begin with
    const char *keys;                   // of family_keys_have(): what the family reads
    int32_t blocks;                     // that a list may count: layers, and such as only draft
    enum status status;                 // of the first failure
    struct error *err;
    const char *asked[METADATA_ASKED_MOST]; // borrowed: string literals
    bool found[METADATA_ASKED_MOST];        // is it there, and of a type that was asked for?
    int32_t asked_count;
};

// Keeps "PATH: FAMILY.KEY WHAT (found VALUE)", unless something failed before.
void metadata_fail(struct metadata *metadata, enum status status, const char *key,
                   const char *what);

// Keeps "PATH: unsupported FAMILY.KEY VALUE (expected EXPECTED)", unless something failed before.
void metadata_unsupported(struct metadata *metadata, const char *key, const char *expected);

// Fails with UNSUPPORTED for the first of the family's keys that was not read, unless nobody asked
// for it and it is known to change no answer, in general or with its value.
void metadata_check_unread(struct metadata *metadata);

// Was the file written by llama.cpp itself, and not by a converter? Its writer states every key
// that it knows, whether the family has it or not.
bool metadata_is_of_writer(const struct metadata *metadata);

// A key that the family does not have counts as read if its value is about this one.
void metadata_accept(struct metadata *metadata, const char *key, double value);

bool metadata_has(struct metadata *metadata, const char *key);     // a number, or a list
void metadata_require(struct metadata *metadata, const char *key); // fails unless it has
bool metadata_find_float(struct metadata *metadata, const char *key, double *value);
bool metadata_is_set(struct metadata *metadata, const char *key); // a number other than 0
bool metadata_flag(struct metadata *metadata, const char *key, bool otherwise);

// A whole number; false where the key is absent. UNSUPPORTED: it has another number.
bool metadata_find_int(struct metadata *metadata, const char *key, int64_t *value);

// Which of `count` names the key has; -1 where it is absent. UNSUPPORTED: another one.
int metadata_choice(struct metadata *metadata, const char *key, const char *const names[],
                    int count, const char *expected);

// A whole number in 1 … most, or a list of nothing else; `otherwise` where the key is absent or 0,
// and 0 says that it must be there. After a failure 1.
int32_t metadata_int(struct metadata *metadata, const char *key, int32_t otherwise, int32_t most);

// The same of a length in tokens. A longer context than quire has is one that is never filled.
int32_t metadata_context(struct metadata *metadata, const char *key, int32_t otherwise);

// A whole number for each of `count` layers: of a list of at least `least`, or one for all, as
// metadata_int(). After a failure 1.
void metadata_list(struct metadata *metadata, const char *key, int32_t count, int32_t least,
                   int32_t otherwise, int32_t most, int32_t *values);

// A number of at least 0 for each of `count` layers, from a list or one for all; 0 where the key is
// absent.
void metadata_reals(struct metadata *metadata, const char *key, int32_t count, float *values);

// A whole number in 0 … most; 0 where the key is absent.
int32_t metadata_count(struct metadata *metadata, const char *key, int32_t most);

// At least 0; `otherwise` where the key is absent, and NAN says that it must be there. A factor is
// neither close to 0 nor huge, and 0 counts as absent.
float metadata_float(struct metadata *metadata, const char *key, float otherwise);
float metadata_factor(struct metadata *metadata, const char *key, float otherwise);

// Which of `count` layers are of a kind: as the file lists them, with 0 and 1; else all but each
// n-th, where the file states n, or n is `period`; 0: all. Of a period below 0 the first layer is
// not of the kind, and then each n-th after it.
void metadata_pattern(struct metadata *metadata, const char *key, int32_t count, int32_t period,
                      bool *values);

#endif
