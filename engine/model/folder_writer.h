// engine/model/folder_writer.h — reads a config.json and writes GGUF's keys. Private to folder_*.c.
//
// One translation, with the first failure kept, so that a list of keys reads as a list. Whatever is
// read is remembered, so that what nobody reads can be refused (writer_refuse_unread()).
//
// Memory: all is borrowed, but `defaults`, which folder_config_read() deletes.
#ifndef ENGINE_FOLDER_WRITER_H
#define ENGINE_FOLDER_WRITER_H

#include <cjson/cJSON.h>

#include "engine/model/family.h"
#include "kernels/base/text.h"

enum { WRITER_READ_MOST = 192 }; // different keys that quire knows how to read

struct writer {
    const cJSON *json;
    const char *path;
    const struct family *family;
    cJSON *defaults;                    // of the family, where `json` lacks a key; owned
    bool mixed;                         // heads of layers with a window are of another size
    bool lists_layers;                  // KV heads and feed-forwards are listed layer by layer
    const char *read[WRITER_READ_MOST]; // string literals
    size_t read_count;
    struct text *out;
    uint64_t keys;
    enum status status;
    struct error *err;
};

struct writer_line { // of a table from their keys to ours
    const char *theirs, *ours;
};

// Both keep the first failure: "PATH: KEY WHAT", and of a key of the whole configuration
// "PATH: unsupported KEY VALUE (expected EXPECTED)".
void writer_fail(struct writer *writer, enum status status, const char *key, const char *what);
void writer_unsupported(struct writer *writer, const char *key, const char *expected);

// A file's first bytes and its family; its number of keys is set at the end.
void writer_begin(struct writer *writer);
void writer_end(struct writer *writer);

// "FAMILY.KEY"; a key that begins with a dot is whole behind it. A number is an integer where it is
// one, because sizes are read as such; a list has one number a layer.
void writer_put_int(struct writer *writer, const char *key, int64_t value);
void writer_put_float(struct writer *writer, const char *key, double value);
void writer_put_number(struct writer *writer, const char *key, double value);
void writer_put_text(struct writer *writer, const char *key, const char *value);
void writer_put_list(struct writer *writer, const char *key, const int32_t *values, int32_t count);
void writer_put_flag(struct writer *writer, const char *key, bool value);

// Of the whole configuration or of a part of it. NULL: it is absent, or null. What is there and of
// another kind is refused.
const cJSON *writer_get(struct writer *writer, const cJSON *json, const char *key);
double writer_number(struct writer *writer, const cJSON *json, const char *key, double otherwise);
const char *writer_string(struct writer *writer, const cJSON *json, const char *key,
                          const char *otherwise);
bool writer_flag(struct writer *writer, const cJSON *json, const char *key, bool otherwise);

// Whole, 0 … 2^31 - 1; `otherwise` where the key is absent, -1: it must be there.
int64_t writer_count(struct writer *writer, const char *key, int64_t otherwise);

bool writer_is_among(const char *const *words, size_t count, const char *word);

// Is one of the words, or absent.
bool writer_is_word(const char *const *words, size_t count, const cJSON *item);

// Of the object, each key that nobody reads must be known to change no answer, or be off. A name
// that begins with _ is the library's own, and what drops out does so in training.
void writer_refuse_unread(struct writer *writer, const cJSON *object);

#endif
