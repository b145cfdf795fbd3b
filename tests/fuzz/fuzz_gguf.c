// tests/fuzz/fuzz_gguf.c — any bytes as a GGUF file: refused with a reason, or readable to the end;
// and its keys as a model's: refused with a reason, or layers that have a place in the cache.
#include <stdlib.h>
#include <string.h>

#include "engine/model/config_read.h"
#include "engine/model/gguf.h"
#include "engine/model/kv_shape.h"
#include "kernels/base/assert.h"
#include "tests/engine/model/gguf_touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void read_layers(const struct gguf *gguf) {
    struct model_config config;
    struct error err = {0};
    if (model_config_read(gguf, &config, &err) != STATUS_OK) {
        ASSERT(err.text[0]);
        return;
    }
    const struct kv_shape shape = kv_shape_of(&config);
    for (int32_t i = 0; i < model_config_all_layers(&config); i++) {
        struct kv_cache cache = {0};
        kv_shape_set(&cache, &shape, shape.layers[i].group, shape.layers[i].view);
        ASSERT(shape.layers[i].place < cache.num_layers);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct gguf *gguf = NULL;
    struct error err = {0};
    void *copy = malloc(length + (length == 0)); // aligned, and ends where the sanitizer watches
    ASSERT(copy != NULL);
    memcpy(copy, bytes, length);
    const enum status status = gguf_open_memory(copy, length, "input", &gguf, &err);
    if (status == STATUS_OK) {
        gguf_touch(gguf);
        read_layers(gguf);
    } else {
        ASSERT(!gguf && err.status == status && strstr(err.text, "found") != NULL);
    }
    gguf_close(gguf);
    free(copy);
    return 0;
}
