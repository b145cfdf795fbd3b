// tests/engine/model/gguf_writer.h — GGUF files made for tests, good ones and bad ones.
//
// Writes what it is told: names may repeat, offsets may be wrong. Keys and tensors come in the
// order of the calls. Running out of memory is an ASSERT. One writer makes one file.
#ifndef TESTS_GGUF_WRITER_H
#define TESTS_GGUF_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "engine/model/gguf.h"
#include "kernels/base/text.h"

enum { // the format's numbers of some tensor types
    FILE_F32 = 0,
    FILE_F16 = 1,
    FILE_Q4_0 = 2,
    FILE_Q8_0 = 8,
    FILE_Q8_1 = 9,
    FILE_Q6_K = 14,
    FILE_IQ2_XXS = 16,
};

struct gguf_writer {
    uint32_t version; // may be changed until finish
    size_t alignment; // of tensors; adds no key
    uint64_t keys, tensors;
    struct text key_bytes, tensor_bytes, data;
};

void gguf_writer_init(struct gguf_writer *writer); // version 3, alignment 32
void gguf_writer_deinit(struct gguf_writer *writer);

void gguf_writer_int(struct gguf_writer *writer, const char *key, enum gguf_type type,
                     int64_t value); // integers of any size, bool
void gguf_writer_float(struct gguf_writer *writer, const char *key, enum gguf_type type,
                       double value); // F32, F64
void gguf_writer_string(struct gguf_writer *writer, const char *key, const char *value);
void gguf_writer_strings(struct gguf_writer *writer, const char *key, const char *const *values,
                         size_t count);

// An array whose elements are `length` bytes as they shall stand in the file.
void gguf_writer_array(struct gguf_writer *writer, const char *key, uint32_t type, uint64_t count,
                       const void *elements, size_t length);

void gguf_writer_tensor(struct gguf_writer *writer, const char *name, uint32_t file_type,
                        uint32_t dims, const int64_t *shape, const void *data, size_t bytes);

// The same without data: the offset is the caller's.
void gguf_writer_tensor_at(struct gguf_writer *writer, const char *name, uint32_t file_type,
                           uint32_t dims, const int64_t *shape, uint64_t offset);

// The file: from malloc, owned by the caller. The last tensor's last byte is the file's.
unsigned char *gguf_writer_finish(const struct gguf_writer *writer, size_t *length);

#endif
