#include "engine/model/shape.h"

#include <string.h>

#define LLAMA_3_ROPE(size) \
    { .base = 500000.0f, .dimensions = (size), .factor = 1.0f }
#define QWEN3_ROPE \
    { .base = 1000000.0f, .dimensions = 128, .factor = 1.0f }

static const struct shape shapes[] = {
    {"llama-3-8b",
     "llama",
     false,
     {.dim = 4096,
      .layers = 32,
      .heads = 32,
      .kv_heads = 8,
      .head_size = 128,
      .ffn = 14336,
      .vocabulary = 128256,
      .context = 131072,
      .norm_eps = 1e-5f,
      .rope = LLAMA_3_ROPE(128)}},
    {"llama-3.2-1b",
     "llama",
     true,
     {.dim = 2048,
      .layers = 16,
      .heads = 32,
      .kv_heads = 8,
      .head_size = 64,
      .ffn = 8192,
      .vocabulary = 128256,
      .context = 131072,
      .norm_eps = 1e-5f,
      .rope = LLAMA_3_ROPE(64)}},
    {"qwen3-8b",
     "qwen3",
     false,
     {.dim = 4096,
      .layers = 36,
      .heads = 32,
      .kv_heads = 8,
      .head_size = 128,
      .ffn = 12288,
      .vocabulary = 151936,
      .context = 40960,
      .norm_eps = 1e-6f,
      .rope = QWEN3_ROPE}},
    {"qwen3-0.6b",
     "qwen3",
     true,
     {.dim = 1024,
      .layers = 28,
      .heads = 16,
      .kv_heads = 8,
      .head_size = 128,
      .ffn = 3072,
      .vocabulary = 151936,
      .context = 40960,
      .norm_eps = 1e-6f,
      .rope = QWEN3_ROPE}},
};

const struct shape *shape_find(const char *name) {
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (!strcmp(shapes[i].name, name)) return &shapes[i];
    return NULL;
}

const char *shape_names(void) { return "llama-3-8b, llama-3.2-1b, qwen3-8b, qwen3-0.6b"; }
