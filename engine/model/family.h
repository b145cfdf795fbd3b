// engine/model/family.h — what a model's metadata says about its shape.
//
// Families are rows of a table over one forward pass: a row says how the family differs. A
// file whose family, or any detail of it, is not understood is refused with a sentence that
// names what is missing; nothing half-works.
//
// Sources: LLaMA, arXiv 2302.13971; Llama 3, arXiv 2407.21783; Mistral, 2310.06825; Mixtral,
// 2401.04088; Qwen2, 2407.10671; Qwen3, 2505.09388; Gemma, 2403.08295; Gemma 2, 2408.00118;
// Gemma 3, 2503.19786; Gemma 4 by its published configurations; Phi-3, 2404.14219; OLMo 2,
// 2501.00656; gpt-oss, 2508.10925; SmolLM3 and Granite by their published configurations; keys as
// in the GGUF specification.
#ifndef ENGINE_FAMILY_H
#define ENGINE_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/model/gguf.h"
#include "kernels/backend.h"
#include "kernels/base/status.h"

enum {
    FAMILY_MAX_LAYERS = 512,
    FAMILY_MAX_DIM = 1 << 17, // of hidden and feed-forward rows
    FAMILY_MAX_HEADS = 1 << 10,
    FAMILY_MAX_HEAD_SIZE = 512,
    FAMILY_MAX_CONTEXT = 1 << 24,
    FAMILY_MAX_VOCABULARY = 1 << 22,
};

enum qk_norm { // before the rotation, q and k are not normed; each head; all heads as one row
    QK_NORM_NONE,
    QK_NORM_HEAD,
    QK_NORM_WIDTH,
};

struct family {
    const char *name;      // general.architecture
    bool interleaved_rope; // rotary pairs lie side by side (Llama's files), not half a head apart
    bool qkv_bias;         // q, k and v have biases; other families' files may have them
    bool output_bias;      // and so has attention's output
    enum qk_norm qk_norm;
    bool no_pre_norm;     // attention and feed-forward read the residual as it is
    bool post_norm;       // what they add to it is normed
    const char *ffn_norm; // the tensor's name, where it is not "ffn_norm"
    enum act act;
    bool scaled_embedding; // by the root of dim
    bool fused;            // q, k and v are one matrix in the file, gate and up another
    bool experts;          // its feed-forward may be a mixture
    bool expert_bias;      // whose matrices have biases
    bool sinks;            // heads have one
    bool windowed;         // a window in the file is for all layers, or for all but those below
    int32_t global_period; // each so many-th layer has no window; 0: none
    int32_t usual_window;  // of files that do not say it; 0: those are refused
    float usual_attention_softcap, usual_logit_softcap; // the same; 0: none
    int32_t still_period;      // each so many-th layer is not rotated; 0: all are
    float window_rope_base;    // of layers with a window, unscaled; 0: they turn like the others
    int32_t wide_scale_layers; // with so many layers, scores are scaled by dim / heads
    bool exact_yarn;           // YaRN's ramp begins and ends between pairs
    bool mixed_layers;         // the file lists which layers have a window: these have heads of
                               // another size and number; the last may see others' keys and values;
                               // each may be told of the token by an embedding of its own
    bool value_norm;           // values are normed, without a weight; where there is no matrix for
                               // them they are the keys, before their norm and rotation
    bool unscaled;             // scores are as they are
    bool pair_divisors;        // layers without a window are rotated by a file's own divisors
    bool layer_gains;          // what leaves a layer is multiplied by a number
    bool other_senses;         // a file may hold what sees and hears, too, which is left aside
    bool dense_beside;         // experts answer beside a dense feed-forward, not in its place
};

enum rope_scaling { ROPE_PLAIN, ROPE_LINEAR, ROPE_YARN, ROPE_LONG };

struct rope { // see rope.h
    float base;
    int32_t dimensions; // rotated elements of a head, even
    enum rope_scaling scaling;
    float factor;
    int32_t original_context;
    float attention_factor, beta_fast, beta_slow;
    bool exact_yarn;
};

struct model_config {
    const struct family *family;
    int32_t dim, layers, heads, kv_heads, head_size, ffn;
    int32_t vocabulary;
    int32_t context; // the longest that it was made for
    float norm_eps;
    struct rope rope;        // of layers without a window, and of all where they turn alike
    struct rope window_rope; // of the others
    int32_t window;          // keys that a query sees in layers with one; 0: there are none
    bool still;              // no layer is rotated
    bool interleaved_rope;   // as the family, but for weights that no converter has reordered
    float attention_scale;   // of scores
    float attention_softcap, logit_softcap;             // 0: none
    float embedding_scale, residual_scale, logit_scale; // 1: as they are
    int32_t experts, experts_used, expert_ffn;          // 0: the feed-forward is no mixture

    // Where layers are mixed; kv_heads and head_size are of those without a window, and ffn is the
    // widest.
    int32_t window_kv_heads, window_head_size;
    bool windows[FAMILY_MAX_LAYERS];
    int32_t ffns[FAMILY_MAX_LAYERS];
    int32_t shared_kv_layers; // the last so many have no keys and values of their own
    int32_t layer_input;      // elements that each layer is told of a token; 0: none
};

const struct family *family_find(const char *name, size_t length); // or NULL
const char *family_names(void);                                    // "llama, qwen2, …"

// Reads and checks the keys. UNSUPPORTED names the family or the feature that quire lacks;
// BAD_FILE the key that is missing or out of range. `vocabulary` is left 0: the embedding
// tensor says it.
MUST_CHECK enum status model_config_read(const struct gguf *gguf, struct model_config *config,
                                         struct error *err);

// What follows from the shape alone, for configurations that come from no file.
void model_config_set_scales(struct model_config *config);

// What one layer is. A window is none where it is as long as the context.
bool layer_has_window(const struct model_config *config, int32_t layer);
int32_t layer_kv_heads(const struct model_config *config, int32_t layer);
int32_t layer_head_size(const struct model_config *config, int32_t layer);
int32_t layer_ffn(const struct model_config *config, int32_t layer);
int32_t layer_kv_source(const struct model_config *config, int32_t layer); // whose keys it sees
bool layer_is_rotated(const struct model_config *config, int32_t layer);

#endif
