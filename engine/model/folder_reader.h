// engine/model/folder_reader.h — reads a config.json, key by key. Private to folder_*.c and to the
// parts of layers (layer_part.h).
//
// One reading, with the first failure kept, so that a list of keys reads as a list. Whatever is
// read is remembered, so that what nobody reads can be refused (reader_refuse_unread()).
//
// Memory: everything is borrowed except `defaults`, which folder_config_read() deletes.
#ifndef ENGINE_FOLDER_READER_H
#define ENGINE_FOLDER_READER_H

#include <cjson/cJSON.h>

#include "engine/model/family.h"
#include "engine/model/folder_layout.h"
#include "kernels/base/text.h"

enum { READER_READ_MOST = 256 }; // different keys that quire knows how to read

struct reader {
    const cJSON *json;
    const char *path;
    const struct family *family;
    cJSON *defaults;                    // of the family, where `json` lacks a key; owned
    bool mixed;                         // heads of layers with a window are of another size
    bool lists_heads;                   // layer by layer
    bool lists_layers;                  // KV heads and feed-forwards are listed layer by layer
    const char *read[READER_READ_MOST]; // string literals
    size_t read_count;
    struct folder_config *config; // what is read
    enum status status;
    struct error *err;
};

// Both keep the first failure: "PATH: KEY WHAT", and of a key of the whole configuration
// "PATH: unsupported KEY VALUE (expected EXPECTED)".
void reader_fail(struct reader *reader, enum status status, const char *key, const char *what);
void reader_unsupported(struct reader *reader, const char *key, const char *expected);

// Keeps a figure, or one for each layer. `stated`: the key that it was read from, a literal.
void reader_state(struct reader *reader, const char *name, double value);
void reader_state_as(struct reader *reader, const char *name, const char *stated, double value);
void reader_state_count(struct reader *reader, const char *name, int64_t value);
void reader_state_list(struct reader *reader, const char *name, const int32_t *values,
                       int32_t count);
void reader_state_reals(struct reader *reader, const char *name, const float *values,
                        int32_t count);

// Of the whole configuration or of a part of it. NULL: it is absent, or null. What is there and of
// another kind is refused.
const cJSON *reader_get(struct reader *reader, const cJSON *json, const char *key);
double reader_number(struct reader *reader, const cJSON *json, const char *key, double otherwise);
const char *reader_string(struct reader *reader, const cJSON *json, const char *key,
                          const char *otherwise);
bool reader_flag(struct reader *reader, const cJSON *json, const char *key, bool otherwise);

// Whole, 0 … 2^31 - 1; `otherwise` where the key is absent, -1: it must be there.
int64_t reader_count(struct reader *reader, const char *key, int64_t otherwise);

bool reader_is_among(const char *const *words, size_t count, const char *word);

// Is one of the words, or absent.
bool reader_is_word(const char *const *words, size_t count, const cJSON *item);

// Each key of the object that nobody reads must be known to change no answer, or be off. Names that
// begin with _ are the library's own, and dropout belongs to training.
void reader_refuse_unread(struct reader *reader, const cJSON *object);

#endif
