// tests/fuzz/fuzz_safetensors.c — any bytes as a safetensors file: refused with a reason, or every
// tensor's name and bytes can be read.
#include <stdlib.h>
#include <string.h>

#include "engine/model/safetensors.h"
#include "kernels/base/assert.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static volatile unsigned sink;

static void touch(const struct safetensors *file) {
    for (size_t i = 0; i < safetensors_count(file); i++) {
        const struct gguf_tensor *tensor = safetensors_at(file, i);
        size_t elements = 1;
        for (int d = 0; d < GGUF_MAX_DIMS; d++)
            elements *= (size_t)tensor->shape[d];
        ASSERT(!tensor->known ||
               tensor->bytes == elements * (size_t)dtype_block_bytes(tensor->type));
        ASSERT(tensor->name.bytes[tensor->name.length] == '\0');
        for (size_t b = 0; b < tensor->bytes; b++)
            sink += ((const unsigned char *)tensor->data)[b];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct safetensors *file = NULL;
    struct error err = {0};
    void *copy = malloc(length + (length == 0)); // ends where the sanitizer watches
    ASSERT(copy != NULL);
    memcpy(copy, bytes, length);
    const enum status status = safetensors_open_memory(copy, length, "input", &file, &err);
    if (status == STATUS_OK)
        touch(file);
    else
        ASSERT(!file && err.status == status && err.text[0]);
    safetensors_close(file);
    free(copy);
    return 0;
}
