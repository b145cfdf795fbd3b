#include "tests/engine/model/gguf_touch.h"

#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/text.h"

static uint64_t touch_string(struct gguf_string string) {
    uint64_t sum = string.length;
    for (size_t i = 0; i < string.length; i++)
        sum = sum * 31 + (unsigned char)string.bytes[i];
    return sum;
}

static uint64_t touch_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static const char *terminated(struct gguf_string name, char text[GGUF_MAX_NAME_BYTES + 1]) {
    ASSERT(name.length > 0 && name.length <= GGUF_MAX_NAME_BYTES);
    ASSERT(utf8_valid(name.bytes, name.length, NULL));
    memcpy(text, name.bytes, name.length);
    text[name.length] = '\0';
    return text;
}

static uint64_t touch_array(const struct gguf_array *array) {
    uint64_t sum = array->count;
    size_t cursor = 0;
    ASSERT(array->type != GGUF_ARRAY);
    for (size_t i = 0; i < array->count; i++) {
        if (array->type == GGUF_STRING)
            sum += touch_string(gguf_array_next_string(array, &cursor));
        else if (array->type == GGUF_F32 || array->type == GGUF_F64)
            sum += touch_bits(gguf_array_float(array, i));
        else
            sum += (uint64_t)gguf_array_int(array, i);
    }
    return sum;
}

static uint64_t touch_key(const struct gguf *gguf, struct gguf_key key) {
    char name[GGUF_MAX_NAME_BYTES + 1];
    int64_t integer = 0;
    double number = 0;
    bool truth = false;
    struct gguf_string string = {"", 0};
    struct gguf_array array = {.type = GGUF_U8};
    terminated(key.name, name);
    const bool is_int = gguf_find_int(gguf, name, &integer);
    const bool is_float = gguf_find_float(gguf, name, &number);
    const bool is_bool = gguf_find_bool(gguf, name, &truth);
    const bool is_string = gguf_find_string(gguf, name, &string);
    const bool is_array = gguf_find_array(gguf, name, &array);
    ASSERT(is_bool == (key.type == GGUF_BOOL));
    ASSERT(is_string == (key.type == GGUF_STRING));
    ASSERT(is_array == (key.type == GGUF_ARRAY));
    ASSERT(is_int + is_bool + is_string + is_array <= 1);
    ASSERT(!is_float || (!is_bool && !is_string && !is_array));
    return touch_string(key.name) + (uint64_t)integer + touch_bits(number) + truth +
           touch_string(string) + touch_array(&array);
}

static uint64_t touch_tensor(const struct gguf *gguf, const struct gguf_tensor *tensor) {
    char name[GGUF_MAX_NAME_BYTES + 1];
    const unsigned char *data = tensor->data;
    ASSERT(gguf_find_tensor(gguf, terminated(tensor->name, name)) == tensor);
    ASSERT(tensor->dims >= 1 && tensor->dims <= GGUF_MAX_DIMS);
    for (int i = 0; i < GGUF_MAX_DIMS; i++)
        ASSERT(tensor->shape[i] >= 1 && (i < tensor->dims || tensor->shape[i] == 1));
    ASSERT(tensor->known == (tensor->bytes > 0));
    ASSERT(gguf_type_name(tensor->file_type) != NULL);
    return touch_string(tensor->name) + data[0] + (tensor->known ? data[tensor->bytes - 1] : 0u);
}

uint64_t gguf_touch(const struct gguf *gguf) {
    uint64_t sum = gguf_version(gguf) + gguf_file_bytes(gguf) + strlen(gguf_path(gguf));
    for (size_t i = 0; i < gguf_key_count(gguf); i++)
        sum += touch_key(gguf, gguf_key_at(gguf, i));
    for (size_t i = 0; i < gguf_tensor_count(gguf); i++)
        sum += touch_tensor(gguf, gguf_tensor_at(gguf, i));
    return sum;
}
