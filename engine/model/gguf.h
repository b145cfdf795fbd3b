// engine/model/gguf.h — what is in a GGUF file.
//
// Opens version 2 and 3 files (little-endian), maps them read-only, and checks every count,
// offset, type, alignment and length against the file's size before anything is used: after
// gguf_open() returns OK every pointer handed out lies inside the mapping. Knows nothing of
// models: family.h reads meaning into the keys.
//
//   GGUF file   magic "GGUF" | u32 version | u64 tensors | u64 keys
//               keys:    string name | u32 type | value          (array: u32 type | u64 n | …)
//               tensors: string name | u32 dims | u64 dim… | u32 type | u64 offset
//               padding to general.alignment (32 by default), tensor data
//
// Source: the GGUF specification, ggml docs/gguf.md. Dimension 0 is the one whose elements
// lie side by side: a matrix [rows, columns] is stored as dims {columns, rows}.
//
// Invariants, checked by gguf_open(): names are unique, non-empty and well-formed UTF-8
// without control characters; tensors lie in the file one after another, as they are listed;
// offsets are multiples of the alignment, a power of two from 8 to 65536; element counts fit;
// bools are 0 or 1; there are at most GGUF_MAX_* of each thing.
//
// Memory: the index is owned by the gguf; names, strings and tensor data are borrowed from
// the mapping and valid until gguf_close(). Immutable after opening, so any thread may read.
#ifndef ENGINE_GGUF_H
#define ENGINE_GGUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/model/mapped_file.h"
#include "kernels/base/hash.h"
#include "kernels/base/status.h"
#include "kernels/dtype.h"

enum {
    GGUF_MAX_KEYS = 1 << 16,
    GGUF_MAX_TENSORS = 1 << 16,
    GGUF_MAX_DIMS = 4,
    GGUF_MAX_NAME_BYTES = 256,
};

struct gguf;

struct gguf_string { // not NUL-terminated
    const char *bytes;
    size_t length;
};

bool gguf_string_is(struct gguf_string string, const char *text);
bool gguf_string_begins(struct gguf_string string, const char *text);

// The value types of the format, with its numbers.
enum gguf_type {
    GGUF_U8 = 0,
    GGUF_I8,
    GGUF_U16,
    GGUF_I16,
    GGUF_U32,
    GGUF_I32,
    GGUF_F32,
    GGUF_BOOL,
    GGUF_STRING,
    GGUF_ARRAY,
    GGUF_U64,
    GGUF_I64,
    GGUF_F64,
};

struct gguf_array {      // elements are not aligned: read them with gguf_array_*()
    enum gguf_type type; // never GGUF_ARRAY: nested arrays are refused
    size_t count;
    const unsigned char *bytes;
};

struct gguf_tensor {
    struct gguf_string name;
    bool known;                   // is `type` one that quire computes with?
    enum dtype type;              // only if known
    uint32_t file_type;           // the format's number
    int32_t dims;                 // 1 to GGUF_MAX_DIMS
    int64_t shape[GGUF_MAX_DIMS]; // shape[0] elements lie side by side; 1 past `dims`
    size_t bytes;                 // 0 if not known
    const void *data;             // of a GGUF file 8-aligned, at a multiple of its alignment there;
                                  // of another that is attached at any address
};

// BAD_FILE names path, what was expected and what was found; so does UNSUPPORTED (another
// version or byte order, nested arrays). IO when the system refuses. *gguf is owned by the caller
// until gguf_close(). `path` must be a regular file.
MUST_CHECK enum status gguf_open(const char *path, struct gguf **gguf, struct error *err);

// The same over bytes in memory (8-aligned, borrowed until gguf_close()); `name` is for errors.
MUST_CHECK enum status gguf_open_memory(const void *bytes, size_t length, const char *name,
                                        struct gguf **gguf, struct error *err);
void gguf_close(struct gguf *gguf); // NULL is fine

// Who owns tensors that lie in another file than the gguf's own: another part of a split, or
// weights of another format.
struct gguf_owner {
    void *self;
    size_t bytes;            // of its files
    struct file_state state; // of them
    struct hash128 (*digest)(const void *self);
    void (*visit_files)(const void *self, mapped_file_visitor *visitor, void *user);
    void (*close)(void *self);
};

// More tensors of the same model, checked like those of a file. Names and data live until the owner
// is closed, which gguf_close() does; on failure (BAD_FILE for a name that is already there, or too
// many; NO_MEMORY) it is still the caller's.
MUST_CHECK enum status gguf_attach(struct gguf *gguf, const struct gguf_tensor *tensors,
                                   size_t count, const struct gguf_owner *owner, struct error *err);

// Figures of a folder's config.json in place of the file's keys (folder_layout.h), borrowed; NULL:
// the keys are the file's own.
struct folder_config;
void gguf_lend_config(struct gguf *gguf, const struct folder_config *config);
const struct folder_config *gguf_config(const struct gguf *gguf);

const char *gguf_path(const struct gguf *gguf);
uint32_t gguf_version(const struct gguf *gguf);
size_t gguf_file_bytes(const struct gguf *gguf); // of all its files

// Of all files that are mapped: those of a folder's weights, but not its configuration.
struct file_state gguf_state(const struct gguf *gguf);

// Hash of the bytes of all its files, header and tensors. Reads all of them, unless the user
// interrupts (effort.h).
struct hash128 gguf_digest(const struct gguf *gguf);

// All its files, as of gguf_state(). The second tells the kernel that they will be read soon.
void gguf_visit_files(const struct gguf *gguf, mapped_file_visitor *visitor, void *user);
void gguf_prefetch(const struct gguf *gguf);

// Keys by name. False when there is no such key or its type does not convert without loss
// (any integer type to int64, F32 or F64 or an integer to double).
bool gguf_find_int(const struct gguf *gguf, const char *key, int64_t *value);
bool gguf_find_float(const struct gguf *gguf, const char *key, double *value);
bool gguf_find_bool(const struct gguf *gguf, const char *key, bool *value);
bool gguf_find_string(const struct gguf *gguf, const char *key, struct gguf_string *value);
bool gguf_find_array(const struct gguf *gguf, const char *key, struct gguf_array *value);
bool gguf_says(const struct gguf *gguf, const char *key, const char *text); // it is that string
bool gguf_has_key(const struct gguf *gguf, const char *key);                // of whatever type

// UNSUPPORTED names a key whose value is of another kind. Reading it with a default
// would not notice.
enum gguf_kind { GGUF_REAL, GGUF_WHOLE, GGUF_FLAG, GGUF_TEXT, GGUF_LIST };
MUST_CHECK enum status gguf_check_kind(const struct gguf *gguf, const char *key,
                                       enum gguf_kind kind, struct error *err);

// Elements of an array; `index` < count, the type must match. Strings are walked in order:
// start with *cursor = 0 and call `count` times. An integer above INT64_MAX reads as that.
int64_t gguf_array_int(const struct gguf_array *array, size_t index);  // any integer, bool
double gguf_array_float(const struct gguf_array *array, size_t index); // F32, F64
struct gguf_string gguf_array_next_string(const struct gguf_array *array, size_t *cursor);

// All keys and tensors in file order, for inspection.
struct gguf_key {
    struct gguf_string name;
    enum gguf_type type;
};
size_t gguf_key_count(const struct gguf *gguf);
struct gguf_key gguf_key_at(const struct gguf *gguf, size_t index);
size_t gguf_tensor_count(const struct gguf *gguf);
const struct gguf_tensor *gguf_tensor_at(const struct gguf *gguf, size_t index);
const struct gguf_tensor *gguf_find_tensor(const struct gguf *gguf, const char *name); // or NULL
size_t gguf_tensor_index(const struct gguf *gguf, const struct gguf_tensor *tensor);   // one of its

const char *gguf_type_name(uint32_t file_type); // of tensor types, known or not: "Q5_1"

#endif
