// engine/model/adapter.h — LoRA adapters: what is added to a model's matrices.
//
// y = W x becomes y = W x + s B (A x) for each matrix that an adapter has a pair for (arXiv
// 2106.09685). The model's own matrices stay packed as they are. Where several adapters change one
// matrix, their pairs become one: the A's below one another, the B's side by side.
//
//   GGUF file   general.type "adapter", adapter.type "lora", adapter.lora.alpha, the model's
//               general.architecture; NAME.lora_a [rank, columns], NAME.lora_b [rows, rank], where
//               NAME is that of the model's tensor (facts of llama.cpp's files)
//   folder      of PEFT's (peft.h): base_model.model.NAME.lora_A.weight and lora_B.weight, where
//               NAME is the module's
//
// s is the scale that is wanted times alpha / rank, or alpha / sqrt(rank) where the folder says so
// (rsLoRA, arXiv 2312.03732).
//
// Memory: an adapter owns its mapped file; what a model takes of it is copied.
#ifndef ENGINE_ADAPTER_H
#define ENGINE_ADAPTER_H

#include "engine/model/gguf.h"
#include "engine/model/peft.h"
#include "kernels/base/text.h"

enum {
    ADAPTER_MAX = 8,         // that one model has
    ADAPTER_MAX_RANK = 4096, // of all that change one matrix
    ADAPTER_NAME_BYTES = 64,
};

struct adapter {
    struct gguf *gguf;  // its tensors, under a GGUF file's names
    float scale, alpha; // alpha 0: the rank does not count
    bool root_of_rank;
    bool of_folder;                // rows of q and k are in the order of a folder's
    char base[PEFT_BASE_BYTES];    // the family of a file, the model that a folder names; or ""
    char name[ADAPTER_NAME_BYTES]; // of the file, without ".gguf": UTF-8 without controls
};

struct adapter_source {
    const char *path;
    float scale;
};

bool adapter_is_file(const struct gguf *gguf); // by its kind; peft_is_folder() tells of folders

// UNSUPPORTED: not a LoRA adapter, or of an unsupported kind. BAD_FILE names what is wrong.
// BAD_INPUT: the scale is not a number. *adapter is the caller's until adapter_close().
MUST_CHECK enum status adapter_open(const struct adapter_source *source, struct adapter *adapter,
                                    struct error *err);
void adapter_close(struct adapter *adapter); // {0} is fine

int32_t adapter_rank(const struct adapter *adapter); // the highest of its pairs

struct adapters { // of one model, in the order in which they were given
    struct adapter of[ADAPTER_MAX];
    int32_t count;
};

// The same of several; BAD_INPUT: too many.
MUST_CHECK enum status adapters_open(const struct adapter_source *sources, int32_t count,
                                     struct adapters *adapters, struct error *err);
void adapters_close(struct adapters *adapters); // {0} is fine

// Hash of everything that changes an answer: bytes, scales and how they are used. Reads all files.
struct hash128 adapters_identity(const struct adapters *adapters);

// "poet, rank 8, scale 0.5; …", appended.
MUST_CHECK enum status adapters_describe(const struct adapters *adapters, struct text *out);

// Appends " + poet=0.5" for each to a model's name, as long as it fits.
void adapters_append_names(const struct adapters *adapters, char *name, size_t size);

struct model;
struct model_config;
struct backend;

// Before the model is loaded from the file: can it have these adapters? *rank is what the model's
// will be. BAD_FILE or UNSUPPORTED names the adapter and its tensor: one that the model has no
// place for, of another shape, or without its other half. Does not read values, nor know the shape
// of a matrix that the file has under another name, as a part of attn_qkv.
MUST_CHECK enum status adapters_check(const struct adapters *adapters, const struct gguf *gguf,
                                      const struct model_config *config, int32_t *rank,
                                      struct error *err);

// What the pairs of adapters that passed will take of a device; a token reads all of it.
size_t adapters_device_bytes(const struct adapters *adapters, const struct model_config *config,
                             const struct backend *backend);

// Gives a model that was just opened the pairs of all adapters. Checks all that adapters_check()
// does, and the rest.
MUST_CHECK enum status adapters_apply(struct model *model, const struct adapters *adapters,
                                      struct error *err);
#endif
