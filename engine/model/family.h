// engine/model/family.h — what a model's metadata says about its shape.
//
// Families are rows of a table over one forward pass: a row says how the family differs. A
// file whose family, or any detail of it, is not understood is refused with a sentence that
// names what is missing; nothing half-works.
//
// Sources: LLaMA, arXiv 2302.13971; Llama 3, arXiv 2407.21783; Qwen2, arXiv 2407.10671; Qwen3,
// arXiv 2505.09388; keys as in the GGUF specification.
#ifndef ENGINE_FAMILY_H
#define ENGINE_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/status.h"
#include "engine/model/gguf.h"

enum {
    FAMILY_MAX_LAYERS = 512,
    FAMILY_MAX_DIM = 1 << 17, // of hidden and feed-forward rows
    FAMILY_MAX_HEADS = 1 << 10,
    FAMILY_MAX_HEAD_SIZE = 512,
    FAMILY_MAX_CONTEXT = 1 << 24,
    FAMILY_MAX_VOCABULARY = 1 << 22,
};

struct family {
    const char *name;      // general.architecture
    bool interleaved_rope; // rotary pairs lie side by side (Llama's files), not half a head apart
    bool qkv_bias;         // q, k and v have biases
    bool qk_norm;          // q and k heads are normed before the rotation
};

enum rope_scaling { ROPE_PLAIN, ROPE_LINEAR, ROPE_YARN };

struct rope { // see rope.h
    float base;
    int32_t dimensions; // rotated elements of a head, even
    enum rope_scaling scaling;
    float factor;
    int32_t original_context;
    float attention_factor, beta_fast, beta_slow;
};

struct model_config {
    const struct family *family;
    int32_t dim, layers, heads, kv_heads, head_size, ffn;
    int32_t vocabulary;
    int32_t context; // the longest that it was made for
    float norm_eps;
    struct rope rope;
};

const struct family *family_find(const char *name, size_t length); // or NULL
const char *family_names(void);                                    // "llama, qwen2, qwen3"

// Reads and checks the keys. UNSUPPORTED names the family or the feature that quire lacks;
// BAD_FILE the key that is missing or out of range. `vocabulary` is left 0: the embedding
// tensor says it.
MUST_CHECK enum status model_config_read(const struct gguf *gguf, struct model_config *config,
                                         struct error *err);

#endif
