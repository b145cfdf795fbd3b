// engine/model/model.h — a model's weights, each in its place, ready for the device.
//
// Comes from a GGUF file (checked tensor by tensor: name, shape, type; a tensor that the layers
// have no place for is refused) or from a named shape with random weights, for benchmarks.
//
// Memory: on a processor matrices are the file's mapped bytes (kernels/huge_pages.h may move those
// into other pages), on a card copies, some of them in host memory (placement.h) or the file's
// bytes; so the gguf must outlive the model. Everything the model took from the device goes back in
// model_close(). Immutable after opening.
#ifndef ENGINE_MODEL_H
#define ENGINE_MODEL_H

#include "engine/model/model_config.h"
#include "engine/model/placement.h"
#include "kernels/backend.h"

struct adapters;
struct shape;

// What is added to the product of a matrix W: y = W x + b (a x). {0}: nothing.
struct low_rank {
    struct weight a; // [rank, W.columns]
    struct weight b; // [W.rows, rank]
};

struct norm {                   // of the residual
    const float *weight, *bias; // [dim]; a bias: of NORM_LAYER
};

// The weights of config.specs[i]; the sizes below are its. Matrices are [rows, columns], vectors
// fp32; NULL: there is none.
struct layer {
    struct norm attn_norm, ffn_norm;
    const float *attn_post_norm, *ffn_post_norm; // [dim]
    const float *q_norm, *k_norm;                // [head_size]; of the whole width as the biases
    const float *q_bias, *k_bias, *v_bias; // [heads * head_size], [kv_heads * head_size] twice
    const float *o_bias, *down_bias;       // [dim]
    const float *gate_bias, *up_bias;      // [ffn]
    const float *sinks;                    // [heads]
    struct weight q;                       // [heads * head_size, dim]; twice as many rows where
                                           // it is gated, each head's gate behind the head
    struct weight k, v;                    // [kv_heads * head_size, dim]
    struct weight attn_gate;               // [heads * head_size, dim]; rows 0: none of its own
    struct weight o;                       // [dim, heads * head_size]
    const float *conv;                     // [width, dim] of a short convolution

    // Of a recurrence, whose o is [dim, values]: values = value_heads * value_size, channels are
    // those of values and of q and k, and its conv is [width, channels], of SSD with a bias below.
    struct weight qkv, z; // [channels, dim], [values, dim]
    struct weight alpha,
        beta; // [value_heads, dim]; SSD has alpha; a delta net
              // may have both in beta: for each key head the rows of beta and then those of alpha
    const float *decay, *decay_bias, *skip; // [value_heads]
    const float *o_norm;                    // [value_size], of SSD [values]
    struct weight gate, up;                 // [ffn, dim]
    struct weight down;                     // [dim, ffn]

    // Of latent attention, whose q is [heads * (plain + rotated), q_rank or dim].
    const float *q_a_norm, *kv_a_norm; // [q_rank], [kv_rank]
    struct weight q_a;                 // [q_rank, dim]
    struct weight kv_a, k_rope;        // [kv_rank, dim], [rotated, dim]
    struct weight *k_b, *v_b;          // [heads] of [kv_rank, plain], [value, kv_rank]; host

    struct {
        struct low_rank q, k, v, o, gate, up, down;
    } lora; // what adapters add (adapter.h)

    struct weight router;                    // [experts, dim]; rows 0: no mixture
    struct weight shared_gate;               // [1, dim] of the shared expert; rows 0: none
    const float *router_bias, *expert_gains; // [experts]
    const float *choice_bias;                // [experts]; see struct route
    const float *router_norm, *expert_norm;  // [dim] where a layer has experts and a dense part
    const float *dense_post_norm, *expert_post_norm; // [dim], as well
    struct expert_weights expert_gate, expert_up;    // [experts, expert_ffn, dim]
    struct expert_weights expert_down;               // [experts, dim, expert_ffn]

    // Of the per-layer embedding: what the stream and the token's embedding are projected by, and
    // what comes of both.
    struct weight embedding_gate, embedding_projection; // [per_layer_embedding, dim]
    struct weight embedding_output;                     // [dim, per_layer_embedding]
    const float *embedding_post_norm;                   // [dim]

    const float *inv_freq;  // [rope.dimensions / 2]; zeros where the layer is not rotated
    float magnitude;        // of cosine and sine
    int group, view, place; // of the cache (kv_shape.h)
    float output_scale;     // of what leaves the layer; 1 where nothing is scaled
    size_t weight_bytes;    // of a file's layer; what a visit of it reads
};

// Of the layers that draft (mtp.h); {0}: there are none.
struct mtp {
    struct weight eh_proj;           // [dim, 2 * dim]
    const float *enorm, *hnorm;      // [dim] of the embedding, and of hidden states
    const float *norm;               // [dim] before the logits
    const float *shift;              // [2, dim]: 1 for the token before, 0 for its own
    struct weight embedding, output; // [vocabulary, dim]: its own, or the model's
};

struct model {
    struct model_config config;
    struct weight embedding;  // [vocabulary, dim]
    struct weight output;     // the same; the embedding itself where the two are tied
    const float *output_bias; // [vocabulary]
    struct norm output_norm;
    const float *ones;                     // [head_size or dim]; a norm without a weight
    struct weight per_layer_embedding;     // [vocabulary * layers, config.per_layer_embedding]
    const float *per_layer_embedding_norm; // [config.per_layer_embedding]
    struct layer *layers;                  // [config.layers + config.mtp_layers]
    struct mtp mtp;
    bool long_rope;       // LongRoPE's factors for long contexts are in use
    int32_t rank;         // the highest of all adapters' pairs; 0: no adapter
    enum dtype main_type; // that most weight bytes have
    size_t weight_bytes;
    int64_t parameters;

    const struct backend *backend;  // borrowed
    struct device *device;          // borrowed
    struct allocation *allocations; // from the device, a list
};

// fraction 0 … 1 of the bytes are in place.
typedef void model_progress(void *user, double fraction);

struct model_options {
    const struct backend *backend; // borrowed, as the device
    struct device *device;
    int32_t context; // the longest that a sequence will be; 0: as long as the model was made for
    const struct placement *placement; // borrowed until model_open() returns; needs a device that
                                       // computes with weights in host memory (kernels/offload.h);
                                       // NULL: all weights are on the device
    const struct adapters *adapters;   // borrowed until model_open() returns; NULL: none
    const struct model_config *config; // what to open the file as; NULL: what its metadata says
    model_progress *progress;          // or NULL
    void *user;
};

// BAD_FILE names the tensor, the shape expected and the shape found. UNSUPPORTED: a type or a
// tensor that quire does not know. Both may be of an adapter, as adapters_apply() says.
// CANCELLED: the user interrupted (effort.h). *model is the caller's until model_close().
MUST_CHECK enum status model_open(struct model *model, const struct gguf *gguf,
                                  const struct model_options *options, struct error *err);

// Random weights of one type at a known shape (shape.h), except where files of that type have
// others: routers are fp32, only experts are MXFP4, and rows that are no whole blocks are of a type
// in shorter blocks. Of the options only the device and the placement count.
MUST_CHECK enum status model_random(struct model *model, const struct shape *shape, enum dtype type,
                                    const struct model_options *options, struct error *err);

// What those weights take, on a device of the backend, which need not be opened, or in host memory;
// kv_bytes, buffer_bytes and row_bytes are 0.
MUST_CHECK enum status model_random_need(const struct shape *shape, enum dtype type,
                                         const struct backend *backend, struct placement_need *need,
                                         struct error *err);
void model_close(struct model *model); // {0} is fine

// Bytes of weights that a step of `rows` tokens reads: all but the embedding rows that it does not
// use, and of the experts those that the rows can be expected to choose.
size_t model_step_bytes(const struct model *model, int32_t rows);
// Whether that is an expectation, because rows may choose the same experts.
bool model_step_bytes_vary(const struct model *model, int32_t rows);

#endif
