// tests/fuzz/fuzz_config.c — any bytes as a config.json: refused with a reason, or figures that can
// be read as a model's, whose angles can be computed.
#include <stdlib.h>
#include <string.h>

#include "engine/model/config_read.h"
#include "engine/model/folder_config.h"
#include "engine/model/kv_shape.h"
#include "engine/model/rope.h"
#include "kernels/base/assert.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void read_shape(struct folder_config *folder) {
    struct gguf *gguf = NULL;
    struct model_config config;
    struct error err = {0};
    float inv_freq[MODEL_MAX_HEAD_SIZE / 2];
    if (folder_config_open(folder, "config", &gguf, &err) != STATUS_OK) return; // no memory
    if (model_config_read(gguf, &config, &err) == STATUS_OK) {
        const struct kv_shape shape = kv_shape_of(&config);
        for (int32_t i = 0; i < config.layers; i++) {
            const struct ffn_spec *ffn = &config.specs[i].ffn;
            const struct route route = {.experts = ffn->experts,
                                        .used = ffn->experts_used,
                                        .gating = ffn->gating,
                                        .groups = ffn->expert_groups,
                                        .groups_used = ffn->expert_groups_used};
            ASSERT(ffn->experts == 0 || route_is_possible(&route));
            if (config.specs[i].mixer != MIXER_ATTENTION) continue;
            const struct rope *rope = &config.specs[i].attention.rope;
            const bool divided = rope->divisors != DIVISORS_IGNORED;
            struct kv_cache cache = {0};
            ASSERT(!divided || rope->dimensions / 2 == folder->pairs);
            rope_inv_freq(rope, divided ? folder->rope_freqs : NULL, inv_freq);
            kv_shape_set(&cache, &shape, shape.layers[i].group, shape.layers[i].view);
            ASSERT(shape.layers[i].place < cache.num_layers);
            ASSERT(config.specs[i].attention.window < config.context);
        }
    } else {
        ASSERT(err.text[0]);
    }
    gguf_close(gguf);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct folder_config config = {0};
    struct error err = {0};
    cJSON *json = cJSON_ParseWithLength((const char *)bytes, length);
    if (cJSON_IsObject(json)) {
        const struct family *family;
        enum status status = folder_config_family(json, "input", &family, &err);
        if (status == STATUS_OK) status = folder_config_read(json, family, "input", &config, &err);
        if (status == STATUS_OK)
            read_shape(&config);
        else
            ASSERT(err.text[0]);
    }
    folder_config_deinit(&config);
    cJSON_Delete(json);
    return 0;
}
