// engine/model/folder.h — a model as Hugging Face publishes it.
//
// A folder with config.json and safetensors files: model.safetensors, or all the files that
// model.safetensors.index.json names. It becomes a gguf: its configuration is translated to GGUF's
// keys (folder_config.h), and its tensors get GGUF's names. Most weights stay where the files are
// mapped. Copied are small vectors, such as norms that multiply by 1 + weight; matrices of a few
// families whose rows are in another order or must be scaled; and experts in MXFP4, which are
// packed in another way (folder_tensors.c).
//
// The tokenizer is not read: the gguf has no keys of a tokenizer, and gguf_path() is the folder.
#ifndef ENGINE_FOLDER_H
#define ENGINE_FOLDER_H

#include <cjson/cJSON.h>

#include "engine/model/gguf.h"

enum {
    FOLDER_MAX_FILES = 1024,
    FOLDER_MAX_JSON = 64 << 20, // bytes of config.json, or of the index
};

// BAD_FILE names the file and what is wrong with it, UNSUPPORTED the family, feature or tensor that
// is not supported. NOT_FOUND: the folder has no config.json. *gguf is the caller's until
// gguf_close().
MUST_CHECK enum status folder_open(const char *path, struct gguf **gguf, struct error *err);

bool folder_has_file(const char *folder, const char *name);

// Parses the JSON object in a file of the folder. *json is the caller's to delete.
MUST_CHECK enum status folder_read_json(const char *folder, const char *name, cJSON **json,
                                        struct error *err);

#endif
