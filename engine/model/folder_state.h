// engine/model/folder_state.h — what the sources behind folder.h share; nobody else includes it.
#ifndef ENGINE_MODEL_FOLDER_STATE_H
#define ENGINE_MODEL_FOLDER_STATE_H

#include "engine/model/folder.h"
#include "engine/model/folder_config.h"
#include "engine/model/folder_names.h"
#include "engine/model/safetensors.h"

// Owned by the gguf that it becomes.
struct folder {
    const struct family *family;
    struct folder_config config;
    struct hash128 stated; // of all that config.json says
    struct safetensors *files[FOLDER_MAX_FILES];
    size_t file_count, bytes;
    struct file_state state; // of those files
    struct gguf_tensor *tensors;
    char (*names)[FOLDER_NAME_BYTES];
    size_t count, room; // of both
    void **made;        // what no file holds as it is needed
    size_t made_count;
    int32_t mtp_layer; // the block that drafts; 0: none, or an incomplete one
    const char *path;  // while it is opened, as is the next
    struct error *err;
};

// Gives the tensors of all files their places, with what a model that drafts has. An unexpected one
// is an error.
MUST_CHECK enum status folder_arrange(struct folder *folder);

#endif
