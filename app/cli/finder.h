// app/cli/finder.h — finds the models on this machine, and resolves a name to one of them.
//
// Searches these places in this order. Only reads; downloads nothing:
//   QUIRE_MODELS             folders, separated by ":"
//   QUIRE_HOME, else $XDG_CONFIG_HOME/quire if that is absolute, ~/.config/quire: its folder models
//   Hugging Face             $HF_HUB_CACHE, $HUGGINGFACE_HUB_CACHE, $HF_HOME/hub,
//                            $XDG_CACHE_HOME/huggingface/hub, ~/.cache/huggingface/hub:
//                            models--OWNER--NAME/snapshots/REVISION/FILE
//   Ollama                   $OLLAMA_MODELS, ~/.ollama/models, /usr/share/ollama/.ollama/models:
//                            manifests/HOST/OWNER/NAME/TAG, JSON, names a blob
//   LM Studio                ~/.lmstudio/models, ~/.cache/lm-studio/models
//   llama.cpp                $LLAMA_CACHE, $XDG_CACHE_HOME/llama.cpp, ~/.cache/llama.cpp
//
// A variable may begin with "~/", since it may come from a settings file that no shell has
// expanded.
//
// Folders are searched to a depth of FINDER_MAX_DEPTH. A model is a GGUF file (the first part of a
// split) or a folder with config.json and safetensors. Links to files are followed.
//
// Memory: the caller owns the list. Limits: FINDER_MAX_*.
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
    char *adapter;          // that Ollama applies to the file; owned, or NULL
    const char *place;      // "ollama"
    size_t bytes;           // total of its files
    uint64_t device, inode; // of its file or folder, so that none is listed twice
};

struct found_models { // {0} is empty
    struct found_model *items;
    size_t count, capacity;
    size_t entries; // folder entries looked at
};

// Lists all models, sorted by name. Skips what cannot be read. NO_MEMORY keeps what was found so
// far.
MUST_CHECK enum status finder_list(struct found_models *models);
void found_models_deinit(struct found_models *models);

// Finds files that were moved: lists each model, adapter or other file of exactly `bytes` in the
// same places and in `folder`. As finder_list(), but unsorted.
MUST_CHECK enum status finder_list_of_size(const char *folder, size_t bytes,
                                           struct found_models *models);

// The size of a file, of all parts of a split, or of a folder's weights; 0: not found.
size_t finder_bytes(const char *path);

// finder_find_demo() appends the path of the model that comes with quire; NOT_FOUND: not installed.
// finder_is_demo() accepts "demo" and the name the model shows.
MUST_CHECK enum status finder_find_demo(struct text *path, struct error *err);
bool finder_is_demo(const char *name);

// Resolves `name` to a path: an existing path stays as it is; a folder that is not a model but
// contains one means that model; hf:ORG/REPO[:WHICH] is looked up in the hub's cache; the demo
// model goes by its name. Any other name means the model of that name, or the only one that has
// `name` as a whole part of its name, ignoring case. NOT_FOUND: none; BAD_INPUT: several; the error
// lists them. UNSUPPORTED: Ollama's model has an adapter, which would be ignored; the error says
// how to open both.
MUST_CHECK enum status finder_find(const char *name, struct text *path, struct error *err);

#endif
