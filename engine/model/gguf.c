// engine/model/gguf.c — a GGUF file that was read: its keys and tensors by name, and the tensors of
// other files that are attached to it.
#include "engine/model/gguf.h"

#include <stdlib.h>
#include <string.h>

#include "engine/model/gguf_state.h"
#include "engine/model/mapped_file.h"
#include "kernels/base/assert.h"
#include "kernels/base/hash.h"

// Bytes of a value by type; 0 for those whose length stands in the file.
const size_t gguf_value_bytes[GGUF_F64 + 1] = {
    [GGUF_U8] = 1,  [GGUF_I8] = 1,     [GGUF_U16] = 2,   [GGUF_I16] = 2, [GGUF_U32] = 4,
    [GGUF_I32] = 4, [GGUF_F32] = 4,    [GGUF_BOOL] = 1,  [GGUF_U64] = 8, [GGUF_I64] = 8,
    [GGUF_F64] = 8, [GGUF_STRING] = 0, [GGUF_ARRAY] = 0,
};

// Types of whole numbers, by whether they may be negative.
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

bool gguf_string_begins(struct gguf_string string, const char *text) {
    const size_t length = strlen(text);
    return string.length >= length && memcmp(string.bytes, text, length) == 0;
}

bool gguf_string_is(struct gguf_string string, const char *text) {
    return string.length == strlen(text) && gguf_string_begins(string, text);
}

static size_t home_slot(const struct gguf_index *index, struct gguf_string name) {
    return (size_t)hash_bytes(name.bytes, name.length, 0).low & index->mask;
}

static bool same_name(struct gguf_string a, struct gguf_string b) {
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

bool gguf_index_create(struct gguf_index *index, size_t entries) {
    size_t slots = 2;
    while (slots < 2 * entries)
        slots *= 2;
    index->slots = calloc(slots, sizeof index->slots[0]);
    index->mask = slots - 1;
    return index->slots != NULL;
}

// The slot that holds the name, or the empty one where it belongs. Names are `stride` bytes
// apart, from `names`, the name of entry 0.
static uint32_t *index_slot(const struct gguf_index *index, const void *names, size_t stride,
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

uint32_t *gguf_key_slot(const struct gguf *gguf, struct gguf_string name) {
    return index_slot(&gguf->key_index, &gguf->keys->name, sizeof gguf->keys[0], name);
}

uint32_t *gguf_tensor_slot(const struct gguf *gguf, struct gguf_string name) {
    return index_slot(&gguf->tensor_index, &gguf->tensors->face.name, sizeof gguf->tensors[0],
                      name);
}

static const struct key *find_key(const struct gguf *gguf, const char *name) {
    const uint32_t slot = *gguf_key_slot(gguf, (struct gguf_string){name, strlen(name)});
    ASSERT(slot <= gguf->key_count);
    return slot ? &gguf->keys[slot - 1] : NULL;
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
    const enum status status = gguf_read(opened, err);
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
        uint32_t *slot = gguf_tensor_slot(gguf, name);
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
    struct gguf_index index = {0}, before = gguf->tensor_index;
    struct tensor *all = realloc(gguf->tensors, (total + 1) * sizeof *all);
    if (all) gguf->tensors = all;
    struct gguf_owner *owners = realloc(gguf->owners, (gguf->owner_count + 1) * sizeof *owners);
    if (owners) gguf->owners = owners;
    if (!all || !owners || !gguf_index_create(&index, total))
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
    const size_t size = gguf_value_bytes[type];
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
    const unsigned char *bytes = array->bytes + index * gguf_value_bytes[array->type];
    int64_t value = INT64_MAX; // stays for a U64 above it
    if (array->type == GGUF_BOOL) return bytes[0];
    MUST(load_int(array->type, bytes, &value) || array->type == GGUF_U64);
    return value;
}

double gguf_array_float(const struct gguf_array *array, size_t index) {
    ASSERT(index < array->count);
    double value = 0;
    MUST(load_float(array->type, array->bytes + index * gguf_value_bytes[array->type], &value));
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
    const uint32_t slot = *gguf_tensor_slot(gguf, (struct gguf_string){name, strlen(name)});
    ASSERT(slot <= gguf->tensor_count);
    return slot ? &gguf->tensors[slot - 1].face : NULL;
}

size_t gguf_tensor_index(const struct gguf *gguf, const struct gguf_tensor *tensor) {
    const size_t offset = (size_t)((const char *)tensor - (const char *)&gguf->tensors[0].face);
    ASSERT(offset / sizeof gguf->tensors[0] < gguf->tensor_count);
    return offset / sizeof gguf->tensors[0];
}
