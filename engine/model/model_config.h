// engine/model/model_config.h — what a model is made of, layer by layer.
//
// A family (family.h) turns a file's metadata into this list. Loading, the cache's layout and the
// forward pass walk it and never ask which family it came from. A new kind of mixer or feed-forward
// is a new value of the tag, a struct of its figures next to the others, and a part with a source
// of its own (layer_part.h).
//
//   layer   x = x + mix(norm(x));  x = x + feed_forward(norm(x)), each part optionally normed again
//
// A layer of the list has one mixer and one place in the cache. Where a block of the file has two
// mixers side by side, it is two layers, of which the first joins the next: both read what the
// first one reads, and what both make is added after the second.
//
// A layer may be visited again: a later layer of the list has the same weights (revisits).
//
// Invariants of what model_config_read() returns: kv_heads divides heads; keys and values have one
// or two shapes over all layers; kv_source is an earlier layer with keys of its own and the same
// shape, or the layer itself.
#ifndef ENGINE_MODEL_CONFIG_H
#define ENGINE_MODEL_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/model/gguf.h"
#include "kernels/backend.h"
#include "kernels/base/status.h"

enum {
    MODEL_MAX_LAYERS = 512,
    MODEL_MAX_DIM = 1 << 17, // of hidden and feed-forward rows
    MODEL_MAX_HEADS = 1 << 10,
    MODEL_MAX_HEAD_SIZE = 576,
    MODEL_MAX_CONTEXT = 1 << 24,
    MODEL_MAX_VOCABULARY = 1 << 22,
};

enum rope_scaling { ROPE_PLAIN, ROPE_LINEAR, ROPE_YARN, ROPE_LONG };

// Tensors of divisors, one a pair, that a file may have: rope_freqs, or LongRoPE's two.
enum rope_divisors { DIVISORS_OPTIONAL, DIVISORS_REQUIRED, DIVISORS_IGNORED };

struct rope { // see rope.h
    float base;
    int32_t dimensions; // rotated elements of a head, even
    enum rope_scaling scaling;
    float factor;
    int32_t original_context;
    float attention_factor; // that cosine and sine are multiplied by
    float beta_fast, beta_slow;
    bool exact_yarn;  // the ramp begins and ends between pairs
    bool interleaved; // pairs lie side by side, not half a head apart
    enum rope_divisors divisors;
};

enum qk_norm { // of q and k before the rotation: none; each head by itself; all heads as one row
    QK_NORM_NONE,
    QK_NORM_HEAD,
    QK_NORM_ROW,
};

enum attention_gate { // of each head's result, by numbers of the layer's input
    GATE_NONE,
    GATE_WITH_Q, // as many as it has elements: q's matrix has each head's gate behind the head
    GATE_MATRIX, // as many, of a matrix of its own
    GATE_HEAD,   // one for each head, of a matrix of its own
};

// Latent attention (arXiv 2405.04434): keys and values of all heads are products of one row of
// kv_rank elements, which alone is cached, behind the part of a key that is rotated. Queries are
// multiplied by the keys' matrices and results by the values', so that the row is the key and the
// value of one KV head: head_size is rope.dimensions + kv_rank.
struct latent_spec {
    int32_t kv_rank;    // 0: keys and values are cached themselves
    int32_t q_rank;     // of the row that queries are products of; 0: the layer's input
    int32_t plain_size; // elements of a head that are not rotated
    int32_t value_size;
};

// Queries that see far are multiplied by 1 + scale * log(1 + floor(position / length)), as in Llama
// 4 and its heirs.
struct temperature {
    float scale;
    int32_t length; // 0: no layer is tempered
};

struct attention_spec {
    int32_t heads, kv_heads, head_size;
    int32_t value_size; // of a head's values, where they are narrower than its keys; 0: head_size
    struct latent_spec latent;
    int32_t window;    // keys that a query sees; 0: all that came before
    int32_t kv_source; // the layer whose keys and values it sees
    bool no_rope;
    struct rope rope; // of no effect with no_rope
    enum qk_norm qk_norm;
    bool unit_norm;      // q and k are, each head by itself and without a weight
    bool norm_last;      // q and k are normed after the rotation
    bool tempered;       // q is multiplied by what follows from its position: temperature
    bool value_norm;     // values are normed, without a weight
    bool value_optional; // without a matrix for them values are the keys, not yet normed or rotated
    bool qkv_bias, output_bias; // required; where not, the file may have them
    enum attention_gate gate;
    bool softplus_gate; // of the gate's numbers, where not the sigmoid
    bool sinks;         // a logit for each head that no key has
    float scale;        // of scores
    float softcap;      // of scores; 0: none
    float value_scale;  // of what attention adds; 0: 1
};

enum norm_kind {   // of the residual, by what a mixer and a feed-forward read
    NORM_RMS,      // x / sqrt(mean(x^2))
    NORM_CENTERED, // the same of x - mean(x)
    NORM_LAYER,    // the same, and a bias is added (arXiv 1607.06450)
};

enum ffn_kind {
    FFN_DENSE,
    FFN_EXPERTS,
    FFN_SHARED_EXPERT,     // and experts: every token asks it, maybe through a gate of its own
    FFN_DENSE_AND_EXPERTS, // each with norms of its own
    FFN_NONE,
};

struct ffn_spec {
    enum ffn_kind kind;
    enum act act;
    struct xielu xielu;        // of ACT_XIELU
    float limit, expert_limit; // of SILU, as ACT_LIMITED has it, in the dense part or the shared
                               // expert, and in experts; 0: none
    int32_t width;             // of the dense part, or of the shared expert
    bool fused;                // gate and up are one matrix in the file
    bool ungated;              // up serves as gate
    int32_t experts, experts_used, expert_width; // 0 where there are none
    bool expert_bias, shared_gate;
    enum gating gating; // see struct route
    float nearness;
    bool raw_shares;
    float share_scale; // of all shares
    int32_t expert_groups, expert_groups_used;
    bool best_of_group;
    bool averaged;       // what it adds is the mean of the shared expert's result and the others'
    bool routed_first;   // its router reads what enters the layer, before the mixer, not normed
    bool share_of_input; // an expert's share is of what it reads; of one expert alone
};

enum mixer_kind {
    MIXER_ATTENTION,
    MIXER_SHORT_CONV, // struct short_conv of what q, k and v make of the layer's input
    MIXER_RECURRENCE, // struct recurrence
    MIXER_NONE,       // its attention is that of an earlier layer, so that it has no place
};

struct recurrence_spec { // see struct recurrence
    enum recurrence_rule rule;
    int32_t key_heads, value_heads, key_size, value_size, width;
    bool tiled;
    bool norm_optional; // of SSD
};

struct layer_spec {
    int32_t block;    // of the file, whose tensors it has
    int32_t revisits; // how many layers before it the one is whose weights these are again; 0:
                      // none. Its place in the cache is its own all the same
    enum mixer_kind mixer;
    bool joins_next;                 // it has no feed-forward then
    struct attention_spec attention; // or what its place in the cache is like
    struct recurrence_spec recurrence;
    struct ffn_spec ffn;
    const char *ffn_norm;    // the tensor's name, where it is not "ffn_norm.weight"
    bool parallel;           // the feed-forward reads what the mixer reads
    bool no_pre_norm;        // mixer and feed-forward read the residual as it is
    bool post_norm;          // what they add to it is normed
    bool stream_norm;        // what leaves the layer is normed as what leaves the last one is
    bool layer_output_scale; // what leaves the layer is multiplied by a number of the file
    float residual_scale;    // of what mixer and feed-forward add
};

struct model_config {
    const char *family; // general.architecture
    int32_t dim, layers;
    int32_t draft_layers; // behind them in the file, which predict further tokens
    int32_t mtp_layers;   // of specs behind them, with which a block of these drafts: mtp.h; or 0
    int32_t vocabulary;
    int32_t context;                // the longest that it was made for
    struct temperature temperature; // of layers that are tempered
    float norm_eps;
    float post_norm_eps; // of norms of what layers add
    enum norm_kind norms;
    bool embedding_norm; // the embedding is normed, without a weight
    float embedding_scale, logit_scale;
    float logit_softcap;         // 0: none
    int32_t per_layer_embedding; // elements that each layer has of a token's embedding; 0: none
    bool multimodal;             // a file may hold image and sound encoders, which are not loaded
    struct layer_spec specs[MODEL_MAX_LAYERS]; // [layers + mtp_layers]
};

size_t recurrence_spec_state_bytes(const struct recurrence_spec *spec);
int32_t recurrence_spec_channels(const struct recurrence_spec *spec);

bool layer_shares_kv(const struct model_config *config, int32_t layer); // it has none of its own
bool layer_is_joined(const struct model_config *config, int32_t layer); // by the one before it
int32_t model_config_blocks(const struct model_config *config);
int32_t model_config_all_layers(const struct model_config *config); // with those that draft

// The largest of each over all layers.
struct layer_maxima {
    int32_t heads, head_size, ffn, experts, experts_used, expert_width;
};
struct layer_maxima model_config_maxima(const struct model_config *config);

#endif
