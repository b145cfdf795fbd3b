#include "engine/model/shape.h"

#include <string.h>

#include "kernels/base/assert.h"

#define LLAMA_3_ROPE(size) \
    { .base = 500000.0f, .dimensions = (size), .factor = 1.0f }
#define QWEN3_ROPE \
    { .base = 1000000.0f, .dimensions = 128, .factor = 1.0f }

static const struct shape shapes[] = {
    {.name = "llama-3-8b",
     .family = "llama",
     .config = {.dim = 4096,
                .layers = 32,
                .heads = 32,
                .kv_heads = 8,
                .head_size = 128,
                .ffn = 14336,
                .vocabulary = 128256,
                .context = 131072,
                .norm_eps = 1e-5f,
                .rope = LLAMA_3_ROPE(128)}},
    {.name = "llama-3.2-1b",
     .family = "llama",
     .tied = true,
     .config = {.dim = 2048,
                .layers = 16,
                .heads = 32,
                .kv_heads = 8,
                .head_size = 64,
                .ffn = 8192,
                .vocabulary = 128256,
                .context = 131072,
                .norm_eps = 1e-5f,
                .rope = LLAMA_3_ROPE(64)}},
    {.name = "qwen3-8b",
     .family = "qwen3",
     .config = {.dim = 4096,
                .layers = 36,
                .heads = 32,
                .kv_heads = 8,
                .head_size = 128,
                .ffn = 12288,
                .vocabulary = 151936,
                .context = 40960,
                .norm_eps = 1e-6f,
                .rope = QWEN3_ROPE}},
    {.name = "qwen3-0.6b",
     .family = "qwen3",
     .tied = true,
     .config = {.dim = 1024,
                .layers = 28,
                .heads = 16,
                .kv_heads = 8,
                .head_size = 128,
                .ffn = 3072,
                .vocabulary = 151936,
                .context = 40960,
                .norm_eps = 1e-6f,
                .rope = QWEN3_ROPE}},
    {.name = "qwen3-30b-a3b",
     .family = "qwen3moe",
     .config = {.dim = 2048,
                .layers = 48,
                .heads = 32,
                .kv_heads = 4,
                .head_size = 128,
                .ffn = 6144,
                .vocabulary = 151936,
                .context = 40960,
                .norm_eps = 1e-6f,
                .rope = QWEN3_ROPE,
                .experts = 128,
                .experts_used = 8,
                .expert_ffn = 768}},
    {.name = "gpt-oss-20b",
     .family = "gpt-oss",
     .config = {.dim = 2880,
                .layers = 24,
                .heads = 64,
                .kv_heads = 8,
                .head_size = 64,
                .ffn = 2880,
                .vocabulary = 201088,
                .context = 131072,
                .norm_eps = 1e-5f,
                .rope = {.base = 150000.0f,
                         .dimensions = 64,
                         .scaling = ROPE_YARN,
                         .factor = 32.0f,
                         .original_context = 4096,
                         .attention_factor = 1.0f,
                         .beta_fast = 32.0f,
                         .beta_slow = 1.0f,
                         .exact_yarn = true},
                .window = 128,
                .experts = 32,
                .experts_used = 4,
                .expert_ffn = 2880}},
    {.name = "gemma-4-26b-a4b",
     .family = "gemma4",
     .tied = true,
     .config =
         {.dim = 2816,
          .layers = 30,
          .heads = 16,
          .kv_heads = 2,
          .head_size = 512,
          .ffn = 2112,
          .vocabulary = 262144,
          .context = 262144,
          .norm_eps = 1e-6f,
          .rope = {.base = 1000000.0f, .dimensions = 512, .factor = 1.0f, .attention_factor = 1.0f},
          .window_rope =
              {.base = 10000.0f, .dimensions = 256, .factor = 1.0f, .attention_factor = 1.0f},
          .window = 1024,
          .logit_softcap = 30.0f,
          .window_kv_heads = 8,
          .window_head_size = 256,
          .experts = 128,
          .experts_used = 8,
          .expert_ffn = 704},
     .global_period = 6},
};

const struct shape *shape_find(const char *name) {
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (!strcmp(shapes[i].name, name)) return &shapes[i];
    return NULL;
}

const char *shape_names(void) {
    return "llama-3-8b, llama-3.2-1b, qwen3-8b, qwen3-0.6b, qwen3-30b-a3b, gpt-oss-20b, "
           "gemma-4-26b-a4b";
}

void shape_config(const struct shape *shape, struct model_config *config) {
    *config = shape->config;
    config->family = family_find(shape->family, strlen(shape->family));
    ASSERT(config->family);
    model_config_set_scales(config);
    for (int32_t i = 0; i < config->layers && config->family->mixed_layers; i++) {
        config->windows[i] = (i + 1) % shape->global_period != 0;
        config->ffns[i] = config->ffn;
    }
}
