// tests/engine/model/model_file.h — the small models of tests/golden, changed in one place.
//
// A file is its bytes, from malloc. What is not as it should be fails the test.
#ifndef TESTS_MODEL_FILE_H
#define TESTS_MODEL_FILE_H

#include <stdbool.h>

#include "engine/model/gguf.h"
#include "engine/model/model_config.h"
#include "tests/engine/model/gguf_writer.h"

struct model_file {
    unsigned char *bytes;
    size_t length;
};

struct model_file model_file_load(const char *name); // "llama"

bool model_file_has(const struct model_file *file, const char *name); // a key, or a tensor

// Where the bytes after a name begin: a key's type, or a tensor's number of dimensions.
unsigned char *model_file_after(const struct model_file *file, const char *name);
void model_file_set(unsigned char *at, uint32_t value);
void model_file_set_key(const struct model_file *file, const char *key, uint32_t value);
void model_file_hide_key(const struct model_file *file, const char *key); // as if it were not there

// A key that is put into a file.
struct model_key {
    const char *key;
    enum gguf_type type; // GGUF_ARRAY: of two int32, the value and 0
    double value;        // of a string: none
    const char *string;
};
void model_file_write_key(struct gguf_writer *writer, const struct model_key *key);
struct model_file model_file_load_with(const char *name, const struct model_key *keys,
                                       size_t count);

// For files made anew: what comes before the tensors, and a tensor, as the file has them.
void model_file_copy_keys(struct gguf_writer *writer, const struct gguf *gguf,
                          const struct model_file *file);
void model_file_copy_tensor(struct gguf_writer *writer, const struct gguf_tensor *tensor);

struct model_config model_file_config(const struct model_file *file);

// Opens the model on the backend, and closes it again.
extern const struct backend *model_file_backend; // the reference, but for what a test does
enum status model_file_open(const struct model_file *file, struct error *err);

// With `word` in the message, beside the path. Frees the file.
void assert_model_refused(struct model_file *file, enum status expected, const char *word);

int model_file_open_device(void **state); // for cmocka, before all tests and after them
int model_file_close_device(void **state);

#endif
