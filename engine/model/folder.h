// engine/model/folder.h — a model as Hugging Face publishes it.
//
// A folder with config.json and safetensors files: model.safetensors, or as many as
// model.safetensors.index.json names. Its configuration is read in GGUF's words (folder_config.h),
// and its tensors get the names that GGUF has for them; weights stay where the files are mapped.
// Only small vectors are computed: norms that multiply by 1 + weight, divisors of the rotation; and
// a few hybrids' matrices, whose rows are in another order or have to be multiplied.
//
// The tokenizer is not looked at: the gguf has no tokenizer's keys, and gguf_path() is the folder.
#ifndef ENGINE_FOLDER_H
#define ENGINE_FOLDER_H

#include <cjson/cJSON.h>

#include "engine/model/gguf.h"

enum {
    FOLDER_MAX_FILES = 1024,
    FOLDER_MAX_JSON = 64 << 20, // bytes of config.json, or of the index
};

// BAD_FILE names the file and what is wrong with it; UNSUPPORTED a family, feature or tensor
// that is not supported; NOT_FOUND: the folder has no config.json. *gguf is the caller's until
// gguf_close().
MUST_CHECK enum status folder_open(const char *path, struct gguf **gguf, struct error *err);

bool folder_has_file(const char *folder, const char *name);

// An object in a file of the folder; the caller's to delete.
MUST_CHECK enum status folder_read_json(const char *folder, const char *name, cJSON **json,
                                        struct error *err);

#endif
