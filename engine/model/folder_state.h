// engine/model/folder_state.h — what the sources behind folder.h share; nobody else includes it.
#ifndef ENGINE_MODEL_FOLDER_STATE_H
#define ENGINE_MODEL_FOLDER_STATE_H

#include "engine/model/folder.h"
#include "engine/model/folder_config.h"
#include "engine/model/folder_names.h"
#include "engine/model/safetensors.h"

// The gguf that the folder becomes owns it.
struct folder {
    const struct family *family;
    struct folder_config config;
    struct hash128 stated; // hash of all that config.json says
    struct safetensors *files[FOLDER_MAX_FILES];
    size_t file_count, bytes;
    struct file_state state; // of these files together
    struct gguf_tensor *tensors;
    char (*names)[FOLDER_NAME_BYTES];
    size_t count, room; // of both: how many there are, and how many fit
    void **made;        // owned: the bytes of tensors that no file holds as they are needed
    size_t made_count;
    int32_t mtp_layer; // the layer that drafts; 0: none, or an incomplete one
    const char *path;  // borrowed while the folder is opened, like the next
    struct error *err;
};

// Fills `tensors` with the tensors of all files, under their GGUF names, and finds the layer that
// drafts. UNSUPPORTED: no layer has a place for a tensor, or it is quantized. BAD_FILE: it has the
// wrong shape.
MUST_CHECK enum status folder_arrange(struct folder *folder);

#endif
