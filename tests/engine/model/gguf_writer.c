#include "tests/engine/model/gguf_writer.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"

static void put_bytes(struct text *text, const void *bytes, size_t length) {
    ASSERT(text_append(text, bytes, length) == STATUS_OK);
}

static void put_u32(struct text *text, uint32_t value) { put_bytes(text, &value, sizeof value); }
static void put_u64(struct text *text, uint64_t value) { put_bytes(text, &value, sizeof value); }

static void put_string(struct text *text, const char *string) {
    put_u64(text, strlen(string));
    put_bytes(text, string, strlen(string));
}

static void put_zeros(struct text *text, size_t count) {
    for (size_t i = 0; i < count; i++)
        put_bytes(text, "", 1);
}

static struct text *begin_key(struct gguf_writer *writer, const char *key, uint32_t type) {
    writer->keys++;
    put_string(&writer->key_bytes, key);
    put_u32(&writer->key_bytes, type);
    return &writer->key_bytes;
}

void gguf_writer_init(struct gguf_writer *writer) {
    *writer = (struct gguf_writer){.version = 3, .alignment = 32};
}

void gguf_writer_deinit(struct gguf_writer *writer) {
    text_deinit(&writer->key_bytes);
    text_deinit(&writer->tensor_bytes);
    text_deinit(&writer->data);
}

void gguf_writer_int(struct gguf_writer *writer, const char *key, enum gguf_type type,
                     int64_t value) {
    static const size_t bytes[] = {
        [GGUF_U8] = 1,  [GGUF_I8] = 1,  [GGUF_U16] = 2,  [GGUF_I16] = 2, [GGUF_U32] = 4,
        [GGUF_I32] = 4, [GGUF_F32] = 0, [GGUF_BOOL] = 1, [GGUF_U64] = 8, [GGUF_I64] = 8,
    };
    ASSERT((size_t)type < sizeof bytes / sizeof bytes[0] && bytes[type] > 0);
    put_bytes(begin_key(writer, key, type), &value,
              bytes[type]); // little-endian: the low bytes first
}

void gguf_writer_float(struct gguf_writer *writer, const char *key, enum gguf_type type,
                       double value) {
    const float narrow = (float)value;
    ASSERT(type == GGUF_F32 || type == GGUF_F64);
    if (type == GGUF_F32)
        put_bytes(begin_key(writer, key, type), &narrow, sizeof narrow);
    else
        put_bytes(begin_key(writer, key, type), &value, sizeof value);
}

void gguf_writer_string(struct gguf_writer *writer, const char *key, const char *value) {
    put_string(begin_key(writer, key, GGUF_STRING), value);
}

void gguf_writer_strings(struct gguf_writer *writer, const char *key, const char *const *values,
                         size_t count) {
    struct text elements = {0};
    for (size_t i = 0; i < count; i++)
        put_string(&elements, values[i]);
    gguf_writer_array(writer, key, GGUF_STRING, count, text_string(&elements), elements.length);
    text_deinit(&elements);
}

void gguf_writer_array(struct gguf_writer *writer, const char *key, uint32_t type, uint64_t count,
                       const void *elements, size_t length) {
    struct text *out = begin_key(writer, key, GGUF_ARRAY);
    put_u32(out, type);
    put_u64(out, count);
    put_bytes(out, elements, length);
}

void gguf_writer_tensor(struct gguf_writer *writer, const char *name, uint32_t file_type,
                        uint32_t dims, const int64_t *shape, const void *data, size_t bytes) {
    put_zeros(&writer->data,
              (writer->alignment - writer->data.length % writer->alignment) % writer->alignment);
    gguf_writer_tensor_at(writer, name, file_type, dims, shape, writer->data.length);
    put_bytes(&writer->data, data, bytes);
}

void gguf_writer_tensor_at(struct gguf_writer *writer, const char *name, uint32_t file_type,
                           uint32_t dims, const int64_t *shape, uint64_t offset) {
    struct text *out = &writer->tensor_bytes;
    writer->tensors++;
    put_string(out, name);
    put_u32(out, dims);
    for (uint32_t i = 0; i < dims; i++)
        put_u64(out, (uint64_t)shape[i]);
    put_u32(out, file_type);
    put_u64(out, offset);
}

unsigned char *gguf_writer_finish(const struct gguf_writer *writer, size_t *length) {
    struct text file = {0};
    put_bytes(&file, "GGUF", 4);
    put_u32(&file, writer->version);
    put_u64(&file, writer->tensors);
    put_u64(&file, writer->keys);
    put_bytes(&file, text_string(&writer->key_bytes), writer->key_bytes.length);
    put_bytes(&file, text_string(&writer->tensor_bytes), writer->tensor_bytes.length);
    if (writer->data.length > 0) {
        put_zeros(&file, (writer->alignment - file.length % writer->alignment) % writer->alignment);
        put_bytes(&file, writer->data.bytes, writer->data.length);
    }
    *length = file.length;
    return (unsigned char *)file.bytes;
}
