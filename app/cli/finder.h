// app/cli/finder.h — finds the models on this machine, and resolves a name to one of them.
//
// Places, in this order; each is only read, and nothing is downloaded:
//   QUIRE_MODELS             folders, separated by ":"
//   QUIRE_HOME, else $XDG_CONFIG_HOME/quire if that is absolute, ~/.config/quire: its folder models
//   Hugging Face             $HF_HUB_CACHE, $HF_HOME/hub, $XDG_CACHE_HOME/huggingface/hub,
//                            ~/.cache/huggingface/hub:
//                            models--OWNER--NAME/snapshots/REVISION/FILE
//   Ollama                   $OLLAMA_MODELS, ~/.ollama/models, /usr/share/ollama/.ollama/models:
//                            manifests/HOST/OWNER/NAME/TAG, JSON, names a blob
//   LM Studio                ~/.lmstudio/models, ~/.cache/lm-studio/models
//   llama.cpp                $LLAMA_CACHE, ~/.cache/llama.cpp
//
// A folder is searched to a few folders' depth; a model is a GGUF file (of a split, its first
// part), or a folder with config.json and safetensors. Links are followed where they point to
// files.
//
// Memory: a list is owned by the caller. Limits: FINDER_MAX_*.
#ifndef APP_FINDER_H
#define APP_FINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/text.h"

enum { FINDER_MAX_MODELS = 4096, FINDER_MAX_DEPTH = 6, FINDER_MAX_ENTRIES = 100000 };

struct found_model {
    char *name;             // "Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0", "llama3.2:1b"; owned
    char *path;             // owned
    const char *place;      // "ollama"
    size_t bytes;           // of its files
    uint64_t device, inode; // of its file or folder: none is listed twice
};

struct found_models { // {0} is empty
    struct found_model *items;
    size_t count, capacity;
    size_t entries; // of folders that were looked at
};

// Sorted by name. What cannot be read is skipped. NO_MEMORY leaves what was found so far.
MUST_CHECK enum status finder_list(struct found_models *models);
void found_models_deinit(struct found_models *models);

// What was moved: each model, adapter or other file of exactly these bytes in the same places and
// in the folder `beside`. As finder_list(), in no order.
MUST_CHECK enum status finder_list_of_size(const char *beside, size_t bytes,
                                           struct found_models *models);

// Of a file, of all parts of a split, or of a folder's weights; 0: it is not there.
size_t finder_bytes(const char *path);

// The model that is part of quire, "demo" or by the name that it shows. NOT_FOUND: not installed.
MUST_CHECK enum status finder_find_demo(struct text *path, struct error *err);
bool finder_is_demo(const char *name);

// The path of the model that `name` means: an existing path is itself; the demo model by its name;
// a folder that is no model but contains one means that one; hf:ORG/REPO[:WHICH] is what the hub's
// cache has; otherwise the model of this name, or the only one whose name has it as a whole part,
// ignoring case. NOT_FOUND: none; BAD_INPUT: several, with a list.
MUST_CHECK enum status finder_find(const char *name, struct text *path, struct error *err);

#endif
