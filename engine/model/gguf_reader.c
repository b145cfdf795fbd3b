// engine/model/gguf_reader.c — reads an untrusted GGUF file once, from front to back.
//
// Every read is checked against what is left of the file (read_bytes), and every count against what
// is left divided by the smallest size of an entry (check_count), so a few bytes cannot ask for
// gigabytes. Strings, arrays and tensors stay in the mapping. Only their places are kept, with an
// index by name.
//
// It is not enough that a tensor lies within the file. If the writer assumed another size for a
// type, we would read numbers from the wrong place, without an error. So each tensor must begin
// where the one before it ends, rounded up to the alignment (place_tensors). After a type of
// unknown size only the order is checked.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/gguf_state.h"
#include "kernels/base/assert.h"
#include "kernels/base/size.h"
#include "kernels/base/text.h"

enum {
    HEADER_BYTES = 24,     // magic, version and the two counts
    MIN_KEY_BYTES = 14,    // the shortest name, a type and the shortest value
    MIN_TENSOR_BYTES = 33, // the shortest name, one dimension, type and offset
    DEFAULT_ALIGNMENT = 32,
    MAX_ALIGNMENT = 1 << 16,
};

struct reader {
    const struct gguf *gguf;
    size_t at;
    const char *part; // "key", "tensor", or NULL in the header
    size_t number;
    struct gguf_string name; // length 0: not read yet
    struct error *err;
};

// The format's tensor types by number: those of dtype.h, and the names of the others. Gaps are
// numbers that were withdrawn.
struct file_type {
    const char *name;
    bool known;
    enum dtype type;
};

#define FILE_TYPE(id, name, gguf, ...) [gguf] = {#id, true, DTYPE_##id},
static const struct file_type file_types[] = {
    [9] = {.name = "Q8_1"}, [15] = {.name = "Q8_K"}, [24] = {.name = "I8"},
    [25] = {.name = "I16"}, [26] = {.name = "I32"},  [27] = {.name = "I64"},
    [28] = {.name = "F64"}, [41] = {.name = "Q1_0"}, [42] = {.name = "Q2_0"},
    DTYPE_MAP(FILE_TYPE)};
#undef FILE_TYPE

// "PATH: tensor 4 'output.weight', byte 912: " and then what was expected and what was found.
__attribute__((format(printf, 3, 4))) static enum status
refuse(const struct reader *reader, enum status status, const char *format, ...) {
    char what[256], where[GGUF_MAX_NAME_BYTES + 64] = "header";
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (reader->part && reader->name.length > 0)
        snprintf(where, sizeof where, "%s %zu '%.*s'", reader->part, reader->number,
                 (int)reader->name.length, reader->name.bytes);
    else if (reader->part)
        snprintf(where, sizeof where, "%s %zu", reader->part, reader->number);
    return error_set(reader->err, status, "%s: %s, byte %zu: %s",
                     mapped_file_shown(reader->gguf->path), where, reader->at, what);
}
#ifdef __clang_analyzer__ // it does not look into variadic functions, as in status.h
#define refuse(reader, status, ...) ((void)refuse(reader, status, __VA_ARGS__), (status))
#endif

static enum status no_memory(const struct reader *reader) {
    return error_set(reader->err, STATUS_NO_MEMORY, "%s: not enough memory for the index",
                     mapped_file_shown(reader->gguf->path));
}

static size_t bytes_left(const struct reader *reader) { return reader->gguf->length - reader->at; }

static enum status read_bytes(struct reader *reader, uint64_t count, const unsigned char **bytes) {
    if (count > bytes_left(reader))
        return refuse(reader, STATUS_BAD_FILE,
                      "expected %llu more bytes, found the end of the file after %zu",
                      (unsigned long long)count, bytes_left(reader));
    *bytes = reader->gguf->bytes + reader->at;
    reader->at += (size_t)count;
    ASSERT(reader->at <= reader->gguf->length);
    return STATUS_OK;
}

static enum status read_u32(struct reader *reader, uint32_t *value) {
    const unsigned char *bytes = NULL;
    TRY(read_bytes(reader, sizeof *value, &bytes));
    memcpy(value, bytes, sizeof *value);
    return STATUS_OK;
}

static enum status read_u64(struct reader *reader, uint64_t *value) {
    const unsigned char *bytes = NULL;
    TRY(read_bytes(reader, sizeof *value, &bytes));
    memcpy(value, bytes, sizeof *value);
    return STATUS_OK;
}

static enum status read_string(struct reader *reader, struct gguf_string *string) {
    uint64_t length = 0;
    const unsigned char *bytes = NULL;
    TRY(read_u64(reader, &length));
    TRY(read_bytes(reader, length, &bytes));
    *string = (struct gguf_string){(const char *)bytes, (size_t)length};
    return STATUS_OK;
}

static enum status read_name(struct reader *reader) {
    struct gguf_string name;
    TRY(read_string(reader, &name));
    if (name.length == 0 || name.length > GGUF_MAX_NAME_BYTES)
        return refuse(reader, STATUS_BAD_FILE, "expected a name of 1 to %d bytes, found %zu",
                      GGUF_MAX_NAME_BYTES, name.length);
    if (!utf8_valid(name.bytes, name.length, NULL) || utf8_has_control(name.bytes, name.length))
        return refuse(reader, STATUS_BAD_FILE,
                      "expected a name in UTF-8 without control characters, found other bytes");
    reader->name = name;
    return STATUS_OK;
}

static enum status read_value_type(struct reader *reader, enum gguf_type *type) {
    uint32_t number = 0;
    TRY(read_u32(reader, &number));
    if (number > GGUF_F64)
        return refuse(reader, STATUS_BAD_FILE, "expected a value type of 0 to %d, found %u",
                      GGUF_F64, number);
    *type = (enum gguf_type)number;
    return STATUS_OK;
}

static enum status check_bools(const struct reader *reader, const unsigned char *bytes,
                               size_t count) {
    for (size_t i = 0; i < count; i++)
        if (bytes[i] > 1)
            return refuse(reader, STATUS_BAD_FILE, "expected a bool of 0 or 1, found %u", bytes[i]);
    return STATUS_OK;
}

static enum status read_array(struct reader *reader, struct gguf_array *array) {
    enum gguf_type type = GGUF_U8;
    uint64_t count = 0;
    TRY(read_value_type(reader, &type));
    TRY(read_u64(reader, &count));
    if (type == GGUF_ARRAY)
        return refuse(reader, STATUS_UNSUPPORTED,
                      "expected an array of values, found an array of arrays");
    const size_t least = type == GGUF_STRING ? sizeof(uint64_t) : gguf_value_bytes[type];
    if (count > bytes_left(reader) / least)
        return refuse(reader, STATUS_BAD_FILE,
                      "expected an array of %llu elements, found the end of the file after %zu "
                      "bytes",
                      (unsigned long long)count, bytes_left(reader));
    const unsigned char *bytes = reader->gguf->bytes + reader->at;
    struct gguf_string string;
    if (type == GGUF_STRING)
        for (uint64_t i = 0; i < count; i++)
            TRY(read_string(reader, &string));
    else
        TRY(read_bytes(reader, count * gguf_value_bytes[type], &bytes));
    if (type == GGUF_BOOL) TRY(check_bools(reader, bytes, (size_t)count));
    *array = (struct gguf_array){type, (size_t)count, bytes};
    return STATUS_OK;
}

static enum status read_key(struct reader *reader, struct key *key) {
    TRY(read_name(reader));
    key->name = reader->name;
    TRY(read_value_type(reader, &key->type));
    key->value = reader->gguf->bytes + reader->at;
    struct gguf_string string;
    if (key->type == GGUF_ARRAY) return read_array(reader, &key->array);
    if (key->type == GGUF_STRING) return read_string(reader, &string);
    TRY(read_bytes(reader, gguf_value_bytes[key->type], &key->value));
    return key->type == GGUF_BOOL ? check_bools(reader, key->value, 1) : STATUS_OK;
}

static bool find_type(uint32_t number, enum dtype *type) {
    const size_t count = sizeof file_types / sizeof file_types[0];
    if (number >= count || !file_types[number].known) return false;
    *type = file_types[number].type;
    return true;
}

static enum status read_shape(struct reader *reader, struct gguf_tensor *tensor, size_t *elements) {
    uint32_t dims = 0;
    size_t product = 1;
    TRY(read_u32(reader, &dims));
    if (dims < 1 || dims > GGUF_MAX_DIMS)
        return refuse(reader, STATUS_BAD_FILE, "expected 1 to %d dimensions, found %u",
                      GGUF_MAX_DIMS, dims);
    for (size_t i = 0; i < GGUF_MAX_DIMS; i++) {
        uint64_t extent = 1;
        if (i < dims) TRY(read_u64(reader, &extent));
        if (extent == 0 || extent > INT64_MAX || !size_mul(product, (size_t)extent, &product) ||
            product > INT64_MAX)
            return refuse(reader, STATUS_BAD_FILE,
                          "expected a dimension of at least 1 and fewer than 2^63 elements, found "
                          "%llu in dimension %zu",
                          (unsigned long long)extent, i);
        tensor->shape[i] = (int64_t)extent;
    }
    tensor->dims = (int32_t)dims;
    *elements = product;
    return STATUS_OK;
}

static enum status measure(const struct reader *reader, struct gguf_tensor *tensor,
                           size_t elements) {
    const int32_t block = dtype_block_elements(tensor->type);
    if (tensor->shape[0] % block != 0)
        return refuse(reader, STATUS_BAD_FILE,
                      "expected rows of a multiple of %d for %s, found %lld", block,
                      gguf_type_name(tensor->file_type), (long long)tensor->shape[0]);
    if (!size_mul(elements / (size_t)block, (size_t)dtype_block_bytes(tensor->type),
                  &tensor->bytes))
        return refuse(reader, STATUS_BAD_FILE,
                      "expected a size in bytes that fits in 64 bits, found %zu elements",
                      elements);
    return STATUS_OK;
}

static enum status read_tensor(struct reader *reader, struct tensor *tensor) {
    struct gguf_tensor *face = &tensor->face;
    size_t elements = 0;
    TRY(read_name(reader));
    face->name = reader->name;
    TRY(read_shape(reader, face, &elements));
    TRY(read_u32(reader, &face->file_type));
    face->known = find_type(face->file_type, &face->type);
    if (face->known) TRY(measure(reader, face, elements));
    return read_u64(reader, &tensor->offset);
}

static enum status put_name(const struct reader *reader, uint32_t *slot) {
    if (*slot != 0)
        return refuse(reader, STATUS_BAD_FILE,
                      "expected unique names, found the name of %s %u again", reader->part,
                      *slot - 1);
    ASSERT(reader->number < UINT32_MAX);
    *slot = (uint32_t)reader->number + 1;
    return STATUS_OK;
}

static enum status read_magic(struct reader *reader) {
    const struct gguf *gguf = reader->gguf;
    const unsigned char *in = gguf->bytes;
    if (gguf->length == 0)
        return refuse(reader, STATUS_BAD_FILE, "expected a GGUF file, found an empty file");
    if (gguf->length < 4)
        return refuse(reader, STATUS_BAD_FILE, "expected a GGUF file, found a file of %zu bytes",
                      gguf->length);
    if (memcmp(in, "FUGG", 4) == 0)
        return refuse(reader, STATUS_UNSUPPORTED,
                      "expected a little-endian GGUF file, found a big-endian file");
    if (memcmp(in, "GGUF", 4) != 0) {
        char start[4];
        for (int i = 0; i < 4; i++)
            start[i] = (char)(in[i] >= ' ' && in[i] <= '~' ? in[i] : '.');
        return refuse(reader, STATUS_BAD_FILE,
                      "expected a GGUF file, found a file that starts with \"%.4s\"", start);
    }
    reader->at = 4;
    return STATUS_OK;
}

static enum status check_version(const struct reader *reader, uint32_t version) {
    if (version == 2 || version == 3) return STATUS_OK;
    if (version != 0 && (version & 0xFFFF) == 0)
        return refuse(reader, STATUS_UNSUPPORTED,
                      "expected a little-endian GGUF file, found a big-endian file");
    return refuse(reader, STATUS_UNSUPPORTED, "expected GGUF version 2 or 3, found %u", version);
}

// `most` is our limit. A file cannot hold more entries than its bytes have space for, either.
static enum status check_count(const struct reader *reader, const char *what, uint64_t count,
                               size_t most, size_t least_bytes) {
    if (count > most)
        return refuse(reader, STATUS_BAD_FILE, "expected at most %zu %s, found %llu", most, what,
                      (unsigned long long)count);
    if (count > bytes_left(reader) / least_bytes)
        return refuse(reader, STATUS_BAD_FILE,
                      "expected %llu %s, found the end of the file after %zu bytes",
                      (unsigned long long)count, what, bytes_left(reader));
    return STATUS_OK;
}

static enum status read_header(struct reader *reader, struct gguf *gguf) {
    uint64_t tensors = 0, keys = 0;
    TRY(read_magic(reader));
    TRY(read_u32(reader, &gguf->version));
    TRY(check_version(reader, gguf->version));
    TRY(read_u64(reader, &tensors));
    TRY(read_u64(reader, &keys));
    ASSERT(reader->at == HEADER_BYTES);
    TRY(check_count(reader, "tensors", tensors, GGUF_MAX_TENSORS, MIN_TENSOR_BYTES));
    TRY(check_count(reader, "keys", keys, GGUF_MAX_KEYS, MIN_KEY_BYTES));
    gguf->tensor_count = (size_t)tensors;
    gguf->key_count = (size_t)keys;
    gguf->keys = calloc(gguf->key_count + 1, sizeof gguf->keys[0]);
    gguf->tensors = calloc(gguf->tensor_count + 1, sizeof gguf->tensors[0]);
    if (!gguf->keys || !gguf->tensors || !gguf_index_create(&gguf->key_index, gguf->key_count) ||
        !gguf_index_create(&gguf->tensor_index, gguf->tensor_count))
        return no_memory(reader);
    return STATUS_OK;
}

static void enter(struct reader *reader, const char *part, size_t number) {
    reader->part = part;
    reader->number = number;
    reader->name = (struct gguf_string){0};
}

static enum status read_keys(struct reader *reader, struct gguf *gguf) {
    for (size_t i = 0; i < gguf->key_count; i++) {
        enter(reader, "key", i);
        TRY(read_key(reader, &gguf->keys[i]));
        TRY(put_name(reader, gguf_key_slot(gguf, gguf->keys[i].name)));
    }
    return STATUS_OK;
}

static enum status read_tensors(struct reader *reader, struct gguf *gguf) {
    for (size_t i = 0; i < gguf->tensor_count; i++) {
        enter(reader, "tensor", i);
        TRY(read_tensor(reader, &gguf->tensors[i]));
        TRY(put_name(reader, gguf_tensor_slot(gguf, gguf->tensors[i].face.name)));
    }
    return STATUS_OK;
}

static enum status find_alignment(const struct reader *reader, size_t *alignment) {
    static const char name[] = "general.alignment";
    int64_t value = DEFAULT_ALIGNMENT;
    const bool found = gguf_find_int(reader->gguf, name, &value);
    if (!found && gguf_has_key(reader->gguf, name))
        return refuse(reader, STATUS_BAD_FILE, "expected an integer in %s, found another type",
                      name);
    if (value < MIN_ALIGNMENT || value > MAX_ALIGNMENT || (value & (value - 1)) != 0)
        return refuse(reader, STATUS_BAD_FILE,
                      "expected a power of two from %d to %d in %s, found %lld", MIN_ALIGNMENT,
                      MAX_ALIGNMENT, name, (long long)value);
    *alignment = (size_t)value;
    return STATUS_OK;
}

// Gives every tensor its bytes. Each must lie right after the one before it; otherwise the wrong
// numbers might be read. The size of an unknown type is not known, but its first byte must exist.
static enum status place_tensors(struct reader *reader, struct gguf *gguf, size_t alignment) {
    const size_t start = size_round_up(reader->at, alignment);
    const size_t room = start < gguf->length ? gguf->length - start : 0;
    size_t next = 0;
    for (size_t i = 0; i < gguf->tensor_count; i++) {
        const uint64_t offset = gguf->tensors[i].offset;
        struct gguf_tensor *face = &gguf->tensors[i].face;
        enter(reader, "tensor", i);
        reader->name = face->name;
        if (offset % alignment != 0)
            return refuse(reader, STATUS_BAD_FILE,
                          "expected an offset that is a multiple of %zu, found %llu", alignment,
                          (unsigned long long)offset);
        if (offset >= room || face->bytes > room - (size_t)offset)
            return refuse(reader, STATUS_BAD_FILE,
                          "expected %zu bytes of %s at offset %llu, found %zu bytes of tensor "
                          "data; is the file cut off?",
                          face->bytes, gguf_type_name(face->file_type), (unsigned long long)offset,
                          room);
        const bool behind_unknown = i > 0 && !gguf->tensors[i - 1].face.known;
        if (behind_unknown ? offset < next : offset != next)
            return refuse(reader, STATUS_BAD_FILE,
                          "expected offset %zu, found %llu: tensors overlap or leave a gap", next,
                          (unsigned long long)offset);
        face->data = gguf->bytes + start + (size_t)offset;
        next = size_round_up((size_t)offset + (face->known ? face->bytes : 1), alignment);
    }
    return STATUS_OK;
}

enum status gguf_read(struct gguf *gguf, struct error *err) {
    struct reader reader = {.gguf = gguf, .err = err};
    size_t alignment = 0;
    TRY(read_header(&reader, gguf));
    TRY(read_keys(&reader, gguf));
    TRY(find_alignment(&reader, &alignment));
    TRY(read_tensors(&reader, gguf));
    return place_tensors(&reader, gguf, alignment);
}

const char *gguf_type_name(uint32_t file_type) {
    const size_t count = sizeof file_types / sizeof file_types[0];
    const char *name = file_type < count ? file_types[file_type].name : NULL;
    return name ? name : "unknown";
}
