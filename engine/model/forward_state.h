// engine/model/forward_state.h — what a forward pass holds while it runs. Private to forward.c,
// which owns the memory and builds the batch, and to forward_layers.c, which enqueues the layers.
#ifndef ENGINE_FORWARD_STATE_H
#define ENGINE_FORWARD_STATE_H

#include "engine/model/forward.h"
#include "engine/model/kv_shape.h"
#include "kernels/shared_past.h"

enum { BUFFERS_MAX = 30 };

// Activations, one row a token, in the backend's own type.
struct activations {
    void *x;            // [max_tokens, dim] the residual stream
    void *normed;       // [max_tokens, dim]
    void *q, *attended; // [max_tokens, heads * head_size]
    void *k, *v;        // [max_tokens, kv_heads * head_size]
    void *gate, *up;    // [max_tokens, ffn]

    // Where a layer needs them; the first three are of the residual's type.
    void *branch;    // [max_tokens, dim] what is to be added to the stream
    void *wide_q;    // [max_tokens, heads * head_size] before the norm of all heads as one row
    void *wide_k;    // [max_tokens, kv_heads * head_size]; or before that of values
    void *scores;    // [max_tokens, experts]
    int32_t *chosen; // [max_tokens, experts_used]
    float *shares;   // [max_tokens, experts_used]
    void *sum;       // [max_tokens, dim] residual, of the dense part and the experts beside it; or
                     // what a layer makes that joins the next

    // Of latent attention: queries, or what comes of their heads, as the model has them, and a part
    // of each head by head. Of gated attention, queries and gates, and the gates; of a delta net,
    // what its convolution reads, and its gates as they are stored.
    void *full; // [max_tokens, heads * (plain + rotated) or heads * value or heads * 2 * head_size]
    void *part; // [heads, max_tokens, plain or value]; or [max_tokens, q_rank or q's row]

    // Where matrices have something beside them: a x of each of a product's parts, and, where
    // activations are of another type than the residual, the parts before they are narrowed.
    void *low;  // [parts, max_tokens, rank]
    void *wide; // [max_tokens, the widest of all parts together] residual; or NULL

    // Where layers have an embedding of the token each: the stream as it began, what it and the
    // layer's own embedding come to, and these two before they are added.
    void *start;                // [max_tokens, dim]
    void *layer_embedding;      // [max_tokens, per_layer_embedding]
    void *embedded, *projected; // [max_tokens, per_layer_embedding] residual
};

// What a batch says about its tokens: filled on the host, copied to the device by a run, in one
// piece that ends with as much of the block table as is used.
struct step_data {
    int32_t *token_ids, *positions;   // [max_tokens]
    int32_t *cu_seqlens_q;            // [max_seqs + 1]
    int32_t *seq_lens_kv;             // [max_seqs]
    int32_t *row_index;               // [max_logits]
    struct choice *choices;           // [max_logits]
    int64_t *slot_mapping[KV_GROUPS]; // [max_tokens]
    struct shared_past_arrays shared[KV_GROUPS];
    int32_t *block_tables;     // [groups, max_seqs, max_blocks], used as [groups, num_seqs, widest]
    struct penalty *penalties; // [max_logits, PENALTIES_MAX], sent apart, where there are any
};

struct buffer {
    void *memory;
    size_t bytes;
};

struct forward {
    const struct model *model;
    int groups;
    struct kv_cache views[KV_GROUPS][KV_VIEWS]; // of the groups' caches, as their layers see them
    const struct backend *backend;
    struct device *device;
    struct forward_limits limits;
    int32_t block_size, max_blocks; // of one sequence

    int32_t num_seqs, num_tokens, num_logits;
    struct block_table *tables;    // [max_seqs, groups] of this batch; their blocks are borrowed
    void *host_step, *device_step; // [step_bytes]
    size_t step_bytes;
    struct step_data host, on_device; // in them
    struct batch batches[KV_GROUPS];  // the batch, as the layers of each group see it

    struct activations activations;
    float *logits;          // [max_logits, vocabulary]
    float *host_logits;     // the same shape: rows that are wanted whole
    struct candidate *best; // [max_logits, CANDIDATES_MAX] host
    float *log_totals;      // [max_logits] host
    size_t logits_bytes, best_bytes, totals_bytes;
    int32_t most; // candidates of a row, rounded up to a class; 0: no row is chosen from
    bool totals;  // does a row ask for log_totals?
    int32_t num_penalties;
    struct buffer buffers[BUFFERS_MAX];
    int32_t buffer_count;
    bool short_of_memory;
};

// Enqueues y = x / sqrt(mean(x^2) + eps) * weight, for every token of the batch.
void forward_norm_rows(const struct forward *forward, void *y, const void *x, const float *weight,
                       int32_t dim);

// Enqueues all layers, over the embedded tokens in activations.x, in and out.
void forward_layers(struct forward *forward);

#endif
