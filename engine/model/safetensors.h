// engine/model/safetensors.h — what is in a safetensors file.
//
// Maps the file read-only and checks its header against its size before anything is used: after
// safetensors_open() returns OK every pointer handed out lies inside the mapping.
//
//   file    u64 n (little-endian) | n bytes of JSON | data
//   JSON    {"NAME": {"dtype": "BF16", "shape": [rows, columns], "data_offsets": [begin, end]}, …,
//            "__metadata__": {…}}
//
// Source: the format's specification, safetensors README.
//
// Invariants, checked by safetensors_open(): tensors fill the data without overlap or hole, each as
// many bytes as its type and shape say; names are well-formed UTF-8 without control
// characters; there are at most SAFETENSORS_MAX_* of each thing. Whether names are unique is for
// gguf_attach() to say, which joins the files of a model.
//
// Memory: names and data are borrowed until safetensors_close(). Immutable after opening.
#ifndef ENGINE_SAFETENSORS_H
#define ENGINE_SAFETENSORS_H

#include "engine/model/gguf.h"

enum {
    SAFETENSORS_MAX_HEADER = 32 << 20, // bytes
    SAFETENSORS_MAX_TENSORS = 1 << 16,
};

struct safetensors;

// BAD_FILE names path, tensor, what was expected and found; UNSUPPORTED a tensor of more than
// GGUF_MAX_DIMS dimensions or of a type that is not in the specification. IO when the system
// refuses. *file is the caller's until safetensors_close().
MUST_CHECK enum status safetensors_open(const char *path, struct safetensors **file,
                                        struct error *err);

// The same over bytes in memory (borrowed until safetensors_close()); `name` is for errors.
MUST_CHECK enum status safetensors_open_memory(const void *bytes, size_t length, const char *name,
                                               struct safetensors **file, struct error *err);
void safetensors_close(struct safetensors *file); // NULL is fine

// Tensors in the order of the header, described as those of a GGUF file: shape[0] elements lie side
// by side.
size_t safetensors_count(const struct safetensors *file);
const struct gguf_tensor *safetensors_at(const struct safetensors *file, size_t index);

size_t safetensors_bytes(const struct safetensors *file); // of the file
struct file_state safetensors_state(const struct safetensors *file);
struct hash128 safetensors_digest(const struct safetensors *file);
const struct mapped_file *safetensors_mapping(const struct safetensors *file); // {0}: in memory

#endif
