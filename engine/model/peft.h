// engine/model/peft.h — a LoRA adapter as PEFT writes it: a folder with adapter_config.json and
// adapter_model.safetensors.
//
// It becomes a gguf without keys, whose tensors have the names that they would have in a GGUF file
// (adapter.h), and which owns the mapped file. adapter_config.json is read here.
#ifndef ENGINE_PEFT_H
#define ENGINE_PEFT_H

#include "engine/model/gguf.h"

enum { PEFT_BASE_BYTES = 128 };

struct peft_config {
    float alpha;
    bool root_of_rank;          // alpha is divided by it, and not by the rank
    char base[PEFT_BASE_BYTES]; // the model that the folder names, or ""
};

bool peft_is_folder(const char *path);

// UNSUPPORTED: a key that may change the answers and is not understood, or a tensor that is none of
// a pair. BAD_FILE names what is wrong. *gguf is the caller's until gguf_close().
MUST_CHECK enum status peft_open(const char *path, struct gguf **gguf, struct peft_config *config,
                                 struct error *err);
#endif
