// engine/model/gguf.c — a file that nobody has checked, read once from front to back.
//
// Each read compares with what is left of the file (read_bytes), and each count with what is left
// divided by the least that an entry takes (check_count): a few bytes cannot ask for gigabytes.
// Strings, arrays and tensors stay in the mapping. Only their places are kept, with an index by
// name.
//
// It is not enough that a tensor lies within the file. A writer that has another idea of a type's
// size would make us read numbers from the wrong place, without an error. So each tensor must begin
// where the one before ends, rounded up to the alignment (place_tensors). Behind a type of unknown
// size only the order is checked.
#include "engine/model/gguf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/mapped_file.h"
#include "kernels/base/assert.h"
#include "kernels/base/hash.h"
#include "kernels/base/size.h"
#include "kernels/base/text.h"

enum {
    HEADER_BYTES = 24,     // magic, version and the two counts
    MIN_KEY_BYTES = 14,    // the shortest name, a type and the shortest value
    MIN_TENSOR_BYTES = 33, // the shortest name, one dimension, type and offset
    DEFAULT_ALIGNMENT = 32,
    MIN_ALIGNMENT = 8,
    MAX_ALIGNMENT = 1 << 16,
};

struct key {
    struct gguf_string name;
    enum gguf_type type;
    const unsigned char *value; // of a string: its length, then its bytes
    struct gguf_array array;    // only of type ARRAY
};

struct tensor {
    struct gguf_tensor face;
    uint64_t offset; // from the start of the tensor data
};

struct index {       // open addressing, at most half full
    uint32_t *slots; // 0: empty; else one more than the number of the entry
    size_t mask;
};

struct gguf {
    char *path;
    const unsigned char *bytes;
    size_t length;
    struct mapped_file mapping; // {0}: the bytes are borrowed
    struct gguf_owner *owners;  // of tensors that were attached
    size_t owner_count;
    uint32_t version;
    struct key *keys;
    size_t key_count;
    struct tensor *tensors;
    size_t tensor_count;
    struct index key_index, tensor_index;
    const struct folder_config *config; // borrowed, or NULL
};

struct reader {
    const struct gguf *gguf;
    size_t at;
    const char *part; // "key", "tensor", or NULL in the header
    size_t number;
    struct gguf_string name; // length 0: not read yet
    struct error *err;
};

// The format's tensor types by number: those that dtype.h has, and names for the others. Gaps are
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

// Bytes of a value by type; 0 for those whose length stands in the file.
static const size_t value_bytes[] = {
    [GGUF_U8] = 1,  [GGUF_I8] = 1,     [GGUF_U16] = 2,   [GGUF_I16] = 2, [GGUF_U32] = 4,
    [GGUF_I32] = 4, [GGUF_F32] = 4,    [GGUF_BOOL] = 1,  [GGUF_U64] = 8, [GGUF_I64] = 8,
    [GGUF_F64] = 8, [GGUF_STRING] = 0, [GGUF_ARRAY] = 0,
};

// Those of whole numbers, by whether they may be negative.
enum { NOT_WHOLE, NATURAL, INTEGER };
static const int value_kinds[GGUF_F64 + 1] = {
    [GGUF_U8] = NATURAL, [GGUF_U16] = NATURAL, [GGUF_U32] = NATURAL, [GGUF_U64] = NATURAL,
    [GGUF_I8] = INTEGER, [GGUF_I16] = INTEGER, [GGUF_I32] = INTEGER, [GGUF_I64] = INTEGER,
};

static uint64_t load_u64(const unsigned char *bytes) {
    uint64_t value;
    ASSERT(bytes);
    memcpy(&value, bytes, sizeof value);
    return value;
}

static const char *shown_path(const struct gguf *gguf) { return mapped_file_shown(gguf->path); }

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
    return error_set(reader->err, status, "%s: %s, byte %zu: %s", shown_path(reader->gguf), where,
                     reader->at, what);
}
#ifdef __clang_analyzer__ // it does not look into variadic functions, as in status.h
#define refuse(reader, status, ...) ((void)refuse(reader, status, __VA_ARGS__), (status))
#endif

static enum status no_memory(const struct reader *reader) {
    return error_set(reader->err, STATUS_NO_MEMORY, "%s: not enough memory for the index",
                     shown_path(reader->gguf));
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
    *value = load_u64(bytes);
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
    const size_t least = type == GGUF_STRING ? sizeof(uint64_t) : value_bytes[type];
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
        TRY(read_bytes(reader, count * value_bytes[type], &bytes));
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
    TRY(read_bytes(reader, value_bytes[key->type], &key->value));
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

bool gguf_string_begins(struct gguf_string string, const char *text) {
    const size_t length = strlen(text);
    return string.length >= length && memcmp(string.bytes, text, length) == 0;
}

bool gguf_string_is(struct gguf_string string, const char *text) {
    return string.length == strlen(text) && gguf_string_begins(string, text);
}

static size_t home_slot(const struct index *index, struct gguf_string name) {
    return (size_t)hash_bytes(name.bytes, name.length, 0).low & index->mask;
}

static bool same_name(struct gguf_string a, struct gguf_string b) {
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

static bool index_create(struct index *index, size_t entries) {
    size_t slots = 2;
    while (slots < 2 * entries)
        slots *= 2;
    index->slots = calloc(slots, sizeof index->slots[0]);
    index->mask = slots - 1;
    return index->slots != NULL;
}

// The slot that holds the name, or the empty one where it belongs. Names are `stride` bytes
// apart, from `names`, the name of entry 0.
static uint32_t *index_slot(const struct index *index, const void *names, size_t stride,
                            struct gguf_string name) {
    size_t slot = home_slot(index, name);
    while (index->slots[slot] != 0) {
        const size_t entry = index->slots[slot] - 1;
        const struct gguf_string *other =
            (const void *)((const unsigned char *)names + entry * stride);
        if (same_name(*other, name)) break;
        slot = (slot + 1) & index->mask;
    }
    return &index->slots[slot];
}

static uint32_t *key_slot(const struct gguf *gguf, struct gguf_string name) {
    return index_slot(&gguf->key_index, &gguf->keys->name, sizeof gguf->keys[0], name);
}

static uint32_t *tensor_slot(const struct gguf *gguf, struct gguf_string name) {
    return index_slot(&gguf->tensor_index, &gguf->tensors->face.name, sizeof gguf->tensors[0],
                      name);
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

// `most` is our limit; no file holds more entries than its bytes have room for.
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
    if (!gguf->keys || !gguf->tensors || !index_create(&gguf->key_index, gguf->key_count) ||
        !index_create(&gguf->tensor_index, gguf->tensor_count))
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
        TRY(put_name(reader, key_slot(gguf, gguf->keys[i].name)));
    }
    return STATUS_OK;
}

static enum status read_tensors(struct reader *reader, struct gguf *gguf) {
    for (size_t i = 0; i < gguf->tensor_count; i++) {
        enter(reader, "tensor", i);
        TRY(read_tensor(reader, &gguf->tensors[i]));
        TRY(put_name(reader, tensor_slot(gguf, gguf->tensors[i].face.name)));
    }
    return STATUS_OK;
}

static const struct key *find_key(const struct gguf *gguf, const char *name) {
    const uint32_t slot = *key_slot(gguf, (struct gguf_string){name, strlen(name)});
    ASSERT(slot <= gguf->key_count);
    return slot ? &gguf->keys[slot - 1] : NULL;
}

static enum status find_alignment(const struct reader *reader, size_t *alignment) {
    static const char name[] = "general.alignment";
    int64_t value = DEFAULT_ALIGNMENT;
    const bool found = gguf_find_int(reader->gguf, name, &value);
    if (!found && find_key(reader->gguf, name))
        return refuse(reader, STATUS_BAD_FILE, "expected an integer in %s, found another type",
                      name);
    if (value < MIN_ALIGNMENT || value > MAX_ALIGNMENT || (value & (value - 1)) != 0)
        return refuse(reader, STATUS_BAD_FILE,
                      "expected a power of two from %d to %d in %s, found %lld", MIN_ALIGNMENT,
                      MAX_ALIGNMENT, name, (long long)value);
    *alignment = (size_t)value;
    return STATUS_OK;
}

// Gives every tensor its bytes: each lies behind the one before it, or other numbers would be read.
// An unknown type has no size here, but its first byte must exist.
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

static enum status read_file(struct gguf *gguf, struct error *err) {
    struct reader reader = {.gguf = gguf, .err = err};
    size_t alignment = 0;
    TRY(read_header(&reader, gguf));
    TRY(read_keys(&reader, gguf));
    TRY(find_alignment(&reader, &alignment));
    TRY(read_tensors(&reader, gguf));
    return place_tensors(&reader, gguf, alignment);
}

static enum status create(const char *path, struct gguf **gguf, struct error *err) {
    struct gguf *created = calloc(1, sizeof *created);
    char *copy = strdup(path);
    if (!created || !copy) {
        free(created);
        free(copy);
        return error_set(err, STATUS_NO_MEMORY, "%s: not enough memory", path);
    }
    created->path = copy;
    *gguf = created;
    return STATUS_OK;
}

static enum status open_bytes(struct gguf *opened, const void *bytes, size_t length,
                              struct gguf **gguf, struct error *err) {
    opened->bytes = bytes;
    opened->length = length;
    const enum status status = read_file(opened, err);
    if (status == STATUS_OK)
        *gguf = opened;
    else
        gguf_close(opened);
    return status;
}

enum status gguf_open(const char *path, struct gguf **gguf, struct error *err) {
    struct gguf *opened;
    TRY(create(path, &opened, err));
    const struct mapped_file *file = &opened->mapping;
    const enum status status = mapped_file_open(path, "a GGUF file", &opened->mapping, err);
    if (status == STATUS_OK) return open_bytes(opened, file->bytes, file->length, gguf, err);
    gguf_close(opened);
    return status;
}

enum status gguf_open_memory(const void *bytes, size_t length, const char *name, struct gguf **gguf,
                             struct error *err) {
    ASSERT((uintptr_t)bytes % MIN_ALIGNMENT == 0);
    struct gguf *opened;
    TRY(create(name, &opened, err));
    return open_bytes(opened, bytes, length, gguf, err);
}

void gguf_close(struct gguf *gguf) {
    if (!gguf) return;
    for (size_t i = 0; i < gguf->owner_count; i++)
        gguf->owners[i].close(gguf->owners[i].self);
    mapped_file_close(&gguf->mapping);
    free(gguf->owners);
    free(gguf->key_index.slots);
    free(gguf->tensor_index.slots);
    free(gguf->keys);
    free(gguf->tensors);
    free(gguf->path);
    free(gguf);
}

void gguf_lend_config(struct gguf *gguf, const struct folder_config *config) {
    gguf->config = config;
}

const struct folder_config *gguf_config(const struct gguf *gguf) { return gguf->config; }

const char *gguf_path(const struct gguf *gguf) { return gguf->path; }
uint32_t gguf_version(const struct gguf *gguf) { return gguf->version; }

size_t gguf_file_bytes(const struct gguf *gguf) {
    size_t bytes = gguf->length;
    for (size_t i = 0; i < gguf->owner_count; i++)
        bytes += gguf->owners[i].bytes;
    return bytes;
}

struct file_state gguf_state(const struct gguf *gguf) {
    struct file_state state = gguf->mapping.state;
    for (size_t i = 0; i < gguf->owner_count; i++)
        file_state_join(&state, &gguf->owners[i].state);
    return state;
}

struct hash128 gguf_digest(const struct gguf *gguf) {
    struct hash128 digest = hash_file(gguf->bytes, gguf->length);
    for (size_t i = 0; i < gguf->owner_count; i++) {
        const struct hash128 both[2] = {digest, gguf->owners[i].digest(gguf->owners[i].self)};
        digest = hash_bytes(both, sizeof both, 0);
    }
    return digest;
}

void gguf_visit_files(const struct gguf *gguf, mapped_file_visitor *visitor, void *user) {
    visitor(&gguf->mapping, user);
    for (size_t i = 0; i < gguf->owner_count; i++)
        gguf->owners[i].visit_files(gguf->owners[i].self, visitor, user);
}

static void prefetch_file(const struct mapped_file *file, void *user) {
    (void)user;
    mapped_file_prefetch(file);
}

void gguf_prefetch(const struct gguf *gguf) { gguf_visit_files(gguf, prefetch_file, NULL); }

// Fills an empty index.
static enum status name_all(struct gguf *gguf, struct error *err) {
    for (size_t i = 0; i < gguf->tensor_count; i++) {
        const struct gguf_string name = gguf->tensors[i].face.name;
        uint32_t *slot = tensor_slot(gguf, name);
        if (*slot != 0)
            return error_set(err, STATUS_BAD_FILE, "%s: tensor '%.*s' appears twice",
                             shown_path(gguf), (int)name.length, name.bytes);
        *slot = (uint32_t)i + 1;
    }
    ASSERT(gguf->tensor_count <= GGUF_MAX_TENSORS);
    return STATUS_OK;
}

enum status gguf_attach(struct gguf *gguf, const struct gguf_tensor *tensors, size_t count,
                        const struct gguf_owner *owner, struct error *err) {
    const size_t total = gguf->tensor_count + count;
    ASSERT(owner->self && owner->digest && owner->visit_files && owner->close);
    if (count > GGUF_MAX_TENSORS || total > GGUF_MAX_TENSORS)
        return error_set(err, STATUS_BAD_FILE, "%s: expected at most %d tensors, found %zu",
                         shown_path(gguf), GGUF_MAX_TENSORS, total);
    struct index index = {0}, before = gguf->tensor_index;
    struct tensor *all = realloc(gguf->tensors, (total + 1) * sizeof *all);
    if (all) gguf->tensors = all;
    struct gguf_owner *owners = realloc(gguf->owners, (gguf->owner_count + 1) * sizeof *owners);
    if (owners) gguf->owners = owners;
    if (!all || !owners || !index_create(&index, total))
        return error_set(err, STATUS_NO_MEMORY, "%s: not enough memory for the index",
                         shown_path(gguf));
    for (size_t i = 0; i < count; i++)
        all[gguf->tensor_count + i] = (struct tensor){.face = tensors[i]};
    gguf->tensor_index = index;
    gguf->tensor_count = total;
    const enum status status = name_all(gguf, err);
    if (status == STATUS_OK) {
        gguf->owners[gguf->owner_count++] = *owner;
    } else {
        gguf->tensor_index = before;
        gguf->tensor_count = total - count;
    }
    free(status == STATUS_OK ? before.slots : index.slots);
    return status;
}

// The value of an integer of any type; false for other types and above INT64_MAX.
static bool load_int(enum gguf_type type, const unsigned char *bytes, int64_t *value) {
    const size_t size = value_bytes[type];
    uint64_t raw = 0;
    if (value_kinds[type] == NOT_WHOLE) return false;
    memcpy(&raw, bytes, size); // little-endian, as the file
    const uint64_t sign = value_kinds[type] == INTEGER ? (uint64_t)1 << (8 * size - 1) : 0;
    if (sign == 0 && raw > INT64_MAX) return false;
    *value = (int64_t)((raw ^ sign) - sign);
    return true;
}

static bool load_float(enum gguf_type type, const unsigned char *bytes, double *value) {
    float narrow;
    if (type == GGUF_F32) {
        memcpy(&narrow, bytes, sizeof narrow);
        *value = (double)narrow;
    } else if (type == GGUF_F64) {
        memcpy(value, bytes, sizeof *value);
    }
    return type == GGUF_F32 || type == GGUF_F64;
}

bool gguf_find_int(const struct gguf *gguf, const char *key, int64_t *value) {
    const struct key *found = find_key(gguf, key);
    return found && load_int(found->type, found->value, value);
}

bool gguf_find_float(const struct gguf *gguf, const char *key, double *value) {
    static const int64_t exact = (int64_t)1 << 53; // doubles hold every integer up to here
    const struct key *found = find_key(gguf, key);
    int64_t integer;
    if (!found) return false;
    if (load_float(found->type, found->value, value)) return true;
    if (!load_int(found->type, found->value, &integer) || integer > exact || integer < -exact)
        return false;
    *value = (double)integer;
    return true;
}

bool gguf_find_bool(const struct gguf *gguf, const char *key, bool *value) {
    const struct key *found = find_key(gguf, key);
    if (!found || found->type != GGUF_BOOL) return false;
    *value = found->value[0] != 0;
    return true;
}

bool gguf_find_string(const struct gguf *gguf, const char *key, struct gguf_string *value) {
    const struct key *found = find_key(gguf, key);
    if (!found || found->type != GGUF_STRING) return false;
    *value = (struct gguf_string){(const char *)found->value + sizeof(uint64_t),
                                  (size_t)load_u64(found->value)};
    return true;
}

bool gguf_says(const struct gguf *gguf, const char *key, const char *text) {
    struct gguf_string value;
    return gguf_find_string(gguf, key, &value) && gguf_string_is(value, text);
}

bool gguf_find_array(const struct gguf *gguf, const char *key, struct gguf_array *value) {
    const struct key *found = find_key(gguf, key);
    if (!found || found->type != GGUF_ARRAY) return false;
    *value = found->array;
    return true;
}

bool gguf_has_key(const struct gguf *gguf, const char *key) { return find_key(gguf, key) != NULL; }

enum status gguf_check_kind(const struct gguf *gguf, const char *key, enum gguf_kind kind,
                            struct error *err) {
    static const char *const names[] = {"a number", "a whole number", "true or false", "a string",
                                        "a list"};
    static const enum gguf_kind others[GGUF_F64 + 1] = {
        [GGUF_BOOL] = GGUF_FLAG, [GGUF_STRING] = GGUF_TEXT, [GGUF_ARRAY] = GGUF_LIST};
    const struct key *found = find_key(gguf, key);
    if (!found) return STATUS_OK;
    const bool whole = value_kinds[found->type] != NOT_WHOLE;
    if ((whole ? GGUF_WHOLE : others[found->type]) == kind) return STATUS_OK;
    return error_set(err, STATUS_UNSUPPORTED, "%s: %s has an unsupported type (expected %s)",
                     shown_path(gguf), key, names[kind]);
}

int64_t gguf_array_int(const struct gguf_array *array, size_t index) {
    ASSERT(index < array->count);
    const unsigned char *bytes = array->bytes + index * value_bytes[array->type];
    int64_t value = INT64_MAX; // stays for a U64 above it
    if (array->type == GGUF_BOOL) return bytes[0];
    MUST(load_int(array->type, bytes, &value) || array->type == GGUF_U64);
    return value;
}

double gguf_array_float(const struct gguf_array *array, size_t index) {
    ASSERT(index < array->count);
    double value = 0;
    MUST(load_float(array->type, array->bytes + index * value_bytes[array->type], &value));
    return value;
}

struct gguf_string gguf_array_next_string(const struct gguf_array *array, size_t *cursor) {
    ASSERT(array->type == GGUF_STRING);
    const unsigned char *at = array->bytes + *cursor;
    const size_t length = (size_t)load_u64(at);
    *cursor += sizeof(uint64_t) + length;
    return (struct gguf_string){(const char *)at + sizeof(uint64_t), length};
}

size_t gguf_key_count(const struct gguf *gguf) { return gguf->key_count; }

struct gguf_key gguf_key_at(const struct gguf *gguf, size_t index) {
    ASSERT(index < gguf->key_count);
    return (struct gguf_key){gguf->keys[index].name, gguf->keys[index].type};
}

size_t gguf_tensor_count(const struct gguf *gguf) { return gguf->tensor_count; }

const struct gguf_tensor *gguf_tensor_at(const struct gguf *gguf, size_t index) {
    ASSERT(index < gguf->tensor_count);
    return &gguf->tensors[index].face;
}

const struct gguf_tensor *gguf_find_tensor(const struct gguf *gguf, const char *name) {
    const uint32_t slot = *tensor_slot(gguf, (struct gguf_string){name, strlen(name)});
    ASSERT(slot <= gguf->tensor_count);
    return slot ? &gguf->tensors[slot - 1].face : NULL;
}

size_t gguf_tensor_index(const struct gguf *gguf, const struct gguf_tensor *tensor) {
    const size_t offset = (size_t)((const char *)tensor - (const char *)&gguf->tensors[0].face);
    ASSERT(offset / sizeof gguf->tensors[0] < gguf->tensor_count);
    return offset / sizeof gguf->tensors[0];
}

const char *gguf_type_name(uint32_t file_type) {
    const size_t count = sizeof file_types / sizeof file_types[0];
    const char *name = file_type < count ? file_types[file_type].name : NULL;
    return name ? name : "unknown";
}
