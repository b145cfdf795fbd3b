#include "engine/model/safetensors.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/mapped_file.h"
#include "kernels/base/assert.h"
#include "kernels/base/size.h"
#include "kernels/base/text.h"

struct safetensors {
    struct mapped_file mapping; // {0}: the bytes are borrowed
    const unsigned char *bytes;
    size_t length;
    const char *path; // while it is opened, as is the next
    struct error *err;
    cJSON *header; // owned: names lie in it
    struct gguf_tensor *tensors;
    size_t count;
};

// Of the specification. Numbers are those of GGUF, where it has the type.
struct element {
    const char *name;
    size_t bytes;
    uint32_t file_type;
    bool known;
    enum dtype type;
};

enum { NOT_IN_GGUF = UINT16_MAX };

static const struct element elements[] = {
    {"F32", 4, 0, true, DTYPE_F32},
    {"F16", 2, 1, true, DTYPE_F16},
    {"BF16", 2, 30, true, DTYPE_BF16},
    {.name = "F64", .bytes = 8, .file_type = 28},
    {.name = "I64", .bytes = 8, .file_type = 27},
    {.name = "I32", .bytes = 4, .file_type = 26},
    {.name = "I16", .bytes = 2, .file_type = 25},
    {.name = "I8", .bytes = 1, .file_type = 24},
    {.name = "U64", .bytes = 8, .file_type = NOT_IN_GGUF},
    {.name = "U32", .bytes = 4, .file_type = NOT_IN_GGUF},
    {.name = "U16", .bytes = 2, .file_type = NOT_IN_GGUF},
    {.name = "U8", .bytes = 1, .file_type = NOT_IN_GGUF},
    {.name = "BOOL", .bytes = 1, .file_type = NOT_IN_GGUF},
    {.name = "F8_E4M3", .bytes = 1, .file_type = NOT_IN_GGUF},
    {.name = "F8_E5M2", .bytes = 1, .file_type = NOT_IN_GGUF},
    {.name = "F8_E8M0", .bytes = 1, .file_type = NOT_IN_GGUF},
};

static enum status refuse_file(const struct safetensors *file, const char *name, const char *what) {
    return error_set(file->err, STATUS_BAD_FILE, "%s: tensor '%s': %s",
                     mapped_file_shown(file->path), name, what);
}

// A whole number of 0 … 2^53, which doubles hold exactly.
static bool to_count(const cJSON *item, uint64_t *value) {
    if (!cJSON_IsNumber(item)) return false;
    const double number = item->valuedouble;
    if (!(number >= 0 && number <= 0x1p53) || floor(number) != number) return false;
    *value = (uint64_t)number;
    return true;
}

static bool is_name(const char *name) { // NULL: of no member, which a reader has to exclude
    const size_t length = name ? strlen(name) : 0;
    return length > 0 && length <= GGUF_MAX_NAME_BYTES && utf8_valid(name, length, NULL) &&
           !utf8_has_control(name, length);
}

static const struct element *find_element(const cJSON *item) {
    if (!cJSON_IsString(item)) return NULL;
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++)
        if (!strcmp(elements[i].name, item->valuestring)) return &elements[i];
    return NULL;
}

static enum status read_shape(const struct safetensors *file, const cJSON *item,
                              struct gguf_tensor *tensor, size_t *count) {
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(item, "shape"), *extent;
    const int dims = cJSON_GetArraySize(shape);
    if (!cJSON_IsArray(shape)) return refuse_file(file, item->string, "shape is missing");
    int at = dims;
    *count = 1;
    for (int i = 0; i < GGUF_MAX_DIMS; i++)
        tensor->shape[i] = 1;
    tensor->dims = dims == 0 ? 1 : dims < GGUF_MAX_DIMS ? dims : GGUF_MAX_DIMS;
    cJSON_ArrayForEach(extent, shape) {
        uint64_t value;
        if (!to_count(extent, &value) || value == 0 || !size_mul(*count, (size_t)value, count) ||
            *count > INT64_MAX)
            return refuse_file(file, item->string, "shape must be whole numbers above 0");
        at--; // the last one's elements lie side by side; an image's patch has five, made four here
        tensor->shape[at < GGUF_MAX_DIMS ? at : GGUF_MAX_DIMS - 1] *= (int64_t)value;
    }
    return STATUS_OK;
}

static enum status read_tensor(const struct safetensors *file, const cJSON *item,
                               struct gguf_tensor *tensor) {
    const struct element *element = find_element(cJSON_GetObjectItemCaseSensitive(item, "dtype"));
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(item, "data_offsets");
    size_t count = 0;
    uint64_t begin, end;
    if (!is_name(item->string))
        return error_set(file->err, STATUS_BAD_FILE,
                         "%s: expected tensor names in UTF-8 without control characters",
                         mapped_file_shown(file->path));
    if (!cJSON_IsObject(item)) return refuse_file(file, item->string, "expected an object");
    if (!element) return refuse_file(file, item->string, "dtype is missing or unknown");
    TRY(read_shape(file, item, tensor, &count));
    if (cJSON_GetArraySize(offsets) != 2 || !to_count(cJSON_GetArrayItem(offsets, 0), &begin) ||
        !to_count(cJSON_GetArrayItem(offsets, 1), &end) || begin > end)
        return refuse_file(file, item->string, "expected two data_offsets in ascending order");
    if (!size_mul(count, element->bytes, &tensor->bytes) || end - begin != tensor->bytes)
        return refuse_file(file, item->string, "data_offsets do not match the shape");
    tensor->name = (struct gguf_string){item->string, strlen(item->string)};
    tensor->known = element->known;
    tensor->type = element->type;
    tensor->file_type = element->file_type;
    tensor->data = (const void *)(uintptr_t)begin; // an offset until place_tensors()
    return STATUS_OK;
}

static int by_offset(const void *a, const void *b) {
    const struct gguf_tensor *const *left = a, *const *right = b;
    const uintptr_t x = (uintptr_t)(*left)->data, y = (uintptr_t)(*right)->data;
    return x < y ? -1 : x > y;
}

// Each begins where the one before it ends, and the last one ends where the file does.
static enum status place_tensors(struct safetensors *file, const unsigned char *data, size_t room) {
    struct gguf_tensor **order = calloc(file->count + 1, sizeof *order);
    enum status status = STATUS_OK;
    size_t at = 0;
    if (!order) return error_set(file->err, STATUS_NO_MEMORY, "%s: not enough memory", file->path);
    for (size_t i = 0; i < file->count; i++)
        order[i] = &file->tensors[i];
    qsort(order, file->count, sizeof order[0], by_offset);
    for (size_t i = 0; i < file->count && status == STATUS_OK; i++) {
        struct gguf_tensor *tensor = order[i];
        if ((uintptr_t)tensor->data != at || tensor->bytes > room - at)
            status = refuse_file(
                file, tensor->name.bytes,
                "overlaps another tensor, leaves a gap before it, or ends outside the file");
        ASSERT(status != STATUS_OK || at + tensor->bytes <= room);
        tensor->data = data + at;
        if (status == STATUS_OK) at += tensor->bytes;
    }
    if (status == STATUS_OK && at != room)
        status = error_set(file->err, STATUS_BAD_FILE,
                           "%s: expected %zu bytes of tensor data, found %zu",
                           mapped_file_shown(file->path), at, room);
    free(order);
    return status;
}

static enum status parse_header(struct safetensors *file, size_t *header) {
    const char *path = mapped_file_shown(file->path);
    uint64_t length = 0;
    if (file->length < sizeof length)
        return error_set(file->err, STATUS_BAD_FILE,
                         "%s: expected a safetensors file, found a file of %zu bytes", path,
                         file->length);
    memcpy(&length, file->bytes, sizeof length);
    if (length > SAFETENSORS_MAX_HEADER || length > file->length - sizeof length)
        return error_set(
            file->err, STATUS_BAD_FILE,
            "%s: expected a header of at most %d bytes that fits in the file, found %llu", path,
            SAFETENSORS_MAX_HEADER, (unsigned long long)length);
    const char *text = (const char *)file->bytes + sizeof length, *end = NULL;
    file->header = cJSON_ParseWithLengthOpts(text, (size_t)length, &end, false);
    if (!cJSON_IsObject(file->header))
        return error_set(file->err, STATUS_BAD_FILE, "%s: expected a header that is a JSON object",
                         path);
    for (; end < text + length; end++)
        if (*end != ' ')
            return error_set(file->err, STATUS_BAD_FILE,
                             "%s: expected only spaces after the JSON header", path);
    *header = sizeof length + (size_t)length;
    return STATUS_OK;
}

static enum status read_file(struct safetensors *file) {
    size_t header = 0;
    const cJSON *item;
    TRY(parse_header(file, &header));
    const int items = cJSON_GetArraySize(file->header);
    if (items > SAFETENSORS_MAX_TENSORS)
        return error_set(file->err, STATUS_BAD_FILE, "%s: expected at most %d tensors, found %d",
                         mapped_file_shown(file->path), SAFETENSORS_MAX_TENSORS, items);
    file->tensors = calloc((size_t)items + 1, sizeof file->tensors[0]);
    if (!file->tensors)
        return error_set(file->err, STATUS_NO_MEMORY, "%s: not enough memory", file->path);
    cJSON_ArrayForEach(item, file->header) {
        if (item->string && !strcmp(item->string, "__metadata__")) continue;
        TRY(read_tensor(file, item, &file->tensors[file->count]));
        file->count++;
    }
    return place_tensors(file, file->bytes + header, file->length - header);
}

// Over the mapping, or, where that is {0}, over bytes that are borrowed.
static enum status open_bytes(struct safetensors from, const char *path,
                              struct safetensors **result, struct error *err) {
    struct safetensors *file = calloc(1, sizeof *file);
    if (!file) {
        mapped_file_close(&from.mapping);
        return error_set(err, STATUS_NO_MEMORY, "%s: not enough memory", path);
    }
    *file = from;
    file->path = path;
    file->err = err;
    const enum status status = read_file(file);
    file->path = NULL;
    file->err = NULL;
    if (status == STATUS_OK)
        *result = file;
    else
        safetensors_close(file);
    return status;
}

enum status safetensors_open(const char *path, struct safetensors **file, struct error *err) {
    struct safetensors from = {0};
    TRY(mapped_file_open(path, "a safetensors file", &from.mapping, err));
    from.bytes = from.mapping.bytes;
    from.length = from.mapping.length;
    return open_bytes(from, path, file, err);
}

enum status safetensors_open_memory(const void *bytes, size_t length, const char *name,
                                    struct safetensors **file, struct error *err) {
    return open_bytes((struct safetensors){.bytes = bytes, .length = length}, name, file, err);
}

void safetensors_close(struct safetensors *file) {
    if (!file) return;
    cJSON_Delete(file->header);
    mapped_file_close(&file->mapping);
    free(file->tensors);
    free(file);
}

size_t safetensors_count(const struct safetensors *file) { return file->count; }

const struct gguf_tensor *safetensors_at(const struct safetensors *file, size_t index) {
    ASSERT(index < file->count);
    return &file->tensors[index];
}

size_t safetensors_bytes(const struct safetensors *file) { return file->length; }

struct file_state safetensors_state(const struct safetensors *file) {
    return file->mapping.state;
}

struct hash128 safetensors_digest(const struct safetensors *file) {
    return hash_file(file->bytes, file->length);
}

const struct mapped_file *safetensors_mapping(const struct safetensors *file) {
    return &file->mapping;
}
