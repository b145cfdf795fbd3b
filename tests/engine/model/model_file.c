#include "tests/engine/model/model_file.h"

#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/config_read.h"
#include "engine/model/model.h"

static struct device *device;
const struct backend *model_file_backend;

struct model_file model_file_load(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/golden/%s.gguf", TESTS_DIR, name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    struct model_file file = {.length = (size_t)ftell(in)};
    rewind(in);
    file.bytes = malloc(file.length);
    assert_non_null(file.bytes);
    assert_int_equal(fread(file.bytes, 1, file.length, in), file.length);
    fclose(in);
    return file;
}

static unsigned char *find_name(const struct model_file *file, const char *name) {
    const uint64_t length = strlen(name);
    for (size_t i = 0; i + 8 + length <= file->length; i++)
        if (!memcmp(file->bytes + i, &length, 8) && !memcmp(file->bytes + i + 8, name, length))
            return file->bytes + i + 8 + length;
    return NULL;
}

bool model_file_has(const struct model_file *file, const char *name) {
    return find_name(file, name) != NULL;
}

unsigned char *model_file_after(const struct model_file *file, const char *name) {
    unsigned char *after = find_name(file, name);
    if (!after) fail_msg("%s is not in the file", name);
    return after;
}

void model_file_set(unsigned char *at, uint32_t value) { memcpy(at, &value, sizeof value); }
void model_file_set_key(const struct model_file *file, const char *key, uint32_t value) {
    model_file_set(model_file_after(file, key) + 4, value);
}

void model_file_hide_key(const struct model_file *file, const char *key) {
    *(model_file_after(file, key) - strlen(key)) = 'X';
}

enum status model_file_open(const struct model_file *file, struct error *err) {
    struct gguf *gguf;
    struct model model;
    enum status status = gguf_open_memory(file->bytes, file->length, "test.gguf", &gguf, err);
    if (status != STATUS_OK) return status;
    status =
        model_open(&model, gguf,
                   &(struct model_options){.backend = model_file_backend, .device = device}, err);
    if (status == STATUS_OK) model_close(&model);
    gguf_close(gguf);
    return status;
}

void assert_model_refused(struct model_file *file, enum status expected, const char *word) {
    struct error err = {0};
    assert_int_equal(model_file_open(file, &err), expected);
    if (!strstr(err.text, word) || !strstr(err.text, "test.gguf"))
        fail_msg("\"%s\" does not say \"%s\"", err.text, word);
    free(file->bytes);
}

struct model_config model_file_config(const struct model_file *file) {
    struct gguf *gguf;
    struct model_config config;
    struct error err = {0};
    if (gguf_open_memory(file->bytes, file->length, "test.gguf", &gguf, &err) != STATUS_OK ||
        model_config_read(gguf, &config, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    gguf_close(gguf);
    return config;
}

void model_file_copy_keys(struct gguf_writer *writer, const struct gguf *gguf,
                          const struct model_file *file) {
    const struct gguf_string first = gguf_tensor_at(gguf, 0)->name;
    const size_t begin = 24, end = (size_t)((const unsigned char *)first.bytes - file->bytes) - 8;
    writer->keys = gguf_key_count(gguf);
    assert_int_equal(
        text_append(&writer->key_bytes, (const char *)file->bytes + begin, end - begin), STATUS_OK);
}

void model_file_copy_tensor(struct gguf_writer *writer, const struct gguf_tensor *tensor) {
    char name[GGUF_MAX_NAME_BYTES + 1];
    snprintf(name, sizeof name, "%.*s", (int)tensor->name.length, tensor->name.bytes);
    gguf_writer_tensor(writer, name, tensor->file_type, (uint32_t)tensor->dims, tensor->shape,
                       tensor->data, tensor->bytes);
}

void model_file_write_key(struct gguf_writer *writer, const struct model_key *key) {
    const int32_t elements[2] = {(int32_t)key->value, 0};
    if (key->type == GGUF_STRING)
        gguf_writer_string(writer, key->key, key->string);
    else if (key->type == GGUF_ARRAY)
        gguf_writer_array(writer, key->key, GGUF_I32, 2, elements, sizeof elements);
    else if (key->type == GGUF_F32)
        gguf_writer_float(writer, key->key, key->type, key->value);
    else
        gguf_writer_int(writer, key->key, key->type, (int64_t)key->value);
}

struct model_file model_file_load_with(const char *name, const struct model_key *keys,
                                       size_t count) {
    struct model_file whole = model_file_load(name), with;
    struct gguf_writer writer;
    struct gguf *gguf;
    struct error err;
    assert_int_equal(gguf_open_memory(whole.bytes, whole.length, "whole", &gguf, &err), STATUS_OK);
    gguf_writer_init(&writer);
    model_file_copy_keys(&writer, gguf, &whole);
    for (size_t i = 0; i < count; i++)
        model_file_write_key(&writer, &keys[i]);
    for (size_t i = 0; i < gguf_tensor_count(gguf); i++)
        model_file_copy_tensor(&writer, gguf_tensor_at(gguf, i));
    with.bytes = gguf_writer_finish(&writer, &with.length);
    gguf_writer_deinit(&writer);
    gguf_close(gguf);
    free(whole.bytes);
    return with;
}

int model_file_open_device(void **state) {
    (void)state;
    const struct device_options options = {0};
    model_file_backend = backend_reference();
    return model_file_backend->open(&options, &device, NULL) == STATUS_OK ? 0 : -1;
}

int model_file_close_device(void **state) {
    (void)state;
    model_file_backend->close(device);
    return 0;
}
