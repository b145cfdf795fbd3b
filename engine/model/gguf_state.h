// engine/model/gguf_state.h — what the sources behind gguf.h share; nobody else includes it.
#ifndef ENGINE_MODEL_GGUF_STATE_H
#define ENGINE_MODEL_GGUF_STATE_H

#include "engine/model/gguf.h"

enum { MIN_ALIGNMENT = 8 };

struct key {
    struct gguf_string name;
    enum gguf_type type;
    const unsigned char *value; // of a string: length, then bytes
    struct gguf_array array;    // only of type ARRAY
};

struct tensor {
    struct gguf_tensor face;
    uint64_t offset; // from the start of the tensor data
};

struct gguf_index {  // open addressing, at most half full
    uint32_t *slots; // 0: empty; else the number of the entry, plus 1
    size_t mask;
};

struct gguf {
    char *path;
    const unsigned char *bytes;
    size_t length;
    struct mapped_file mapping; // {0}: the bytes are borrowed
    struct gguf_owner *owners;  // of tensors that were attached
    size_t owner_count;
    uint32_t version;
    struct key *keys;
    size_t key_count;
    struct tensor *tensors;
    size_t tensor_count;
    struct gguf_index key_index, tensor_index;
    const struct folder_config *config; // borrowed, or NULL
};

// Bytes of a value of each type; 0 if the file says how long it is.
extern const size_t gguf_value_bytes[GGUF_F64 + 1];

bool gguf_index_create(struct gguf_index *index, size_t entries);

// The slot with this name, or the empty slot where it belongs.
uint32_t *gguf_key_slot(const struct gguf *gguf, struct gguf_string name);
uint32_t *gguf_tensor_slot(const struct gguf *gguf, struct gguf_string name);

// Fills keys, tensors and their indexes from the bytes (gguf_reader.c). After a failure,
// gguf_close() frees what was allocated. BAD_FILE names the place.
MUST_CHECK enum status gguf_read(struct gguf *gguf, struct error *err);

#endif
