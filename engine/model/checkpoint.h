// engine/model/checkpoint.h — what a user points at: a GGUF file, one of its parts, a folder.
//
// Whatever it is, it becomes one gguf: of a split model the first part's keys and the tensors of
// all parts; of a Hugging Face folder (folder.h) its configuration in GGUF's words and the tensors
// of its safetensors files.
//
//   NAME-00001-of-00003.gguf    split.count 3, split.no 0; the keys of the model
//   NAME-00002-of-00003.gguf    split.no 1; tensors; …
//
// Source: the split of llama.cpp (gguf-split), facts of its files.
#ifndef ENGINE_CHECKPOINT_H
#define ENGINE_CHECKPOINT_H

#include "engine/model/gguf.h"

enum { CHECKPOINT_MAX_PARTS = 1024 };

// Any part of a split may be named, or a link to one. Errors as of gguf_open(); BAD_FILE for a part
// that is missing, of another model, or in another's place. *gguf is the caller's until
// gguf_close().
MUST_CHECK enum status checkpoint_open(const char *path, struct gguf **gguf, struct error *err);

// The path of a part, from 1, of the split that the path, or what it links to, is a part of. False:
// it is a part of none, there are fewer parts, or the path does not fit `size` bytes.
bool checkpoint_part(const char *path, int32_t part, char *out, size_t size);

#endif
