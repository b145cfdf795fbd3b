// tests/fuzz/fuzz_gguf.c — any bytes as a GGUF file: refused with a reason, or readable to the end.
#include <stdlib.h>
#include <string.h>

#include "engine/model/gguf.h"
#include "kernels/base/assert.h"
#include "tests/engine/model/gguf_touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct gguf *gguf = NULL;
    struct error err = {0};
    void *copy = malloc(length + (length == 0)); // aligned, and ends where the sanitizer watches
    ASSERT(copy != NULL);
    memcpy(copy, bytes, length);
    const enum status status = gguf_open_memory(copy, length, "input", &gguf, &err);
    if (status == STATUS_OK)
        gguf_touch(gguf);
    else
        ASSERT(!gguf && err.status == status && strstr(err.text, "found") != NULL);
    gguf_close(gguf);
    free(copy);
    return 0;
}
