// engine/model/forward_state.h — what a forward pass holds while it runs, and what it is made of.
//
// Private to forward.c, which owns the memory and builds the batch, to forward_products.c, and to
// the parts of layers (layer_part.h), which enqueue them.
#ifndef ENGINE_FORWARD_STATE_H
#define ENGINE_FORWARD_STATE_H

#include <stdatomic.h>

#include "engine/model/forward.h"
#include "engine/model/kv_shape.h"
#include "kernels/shared_past.h"

enum { BUFFERS_MAX = 30 };

// What more than one part of a layer reads: one row a token, in the backend's own type or, where it
// says so, in the residual's. What a single part needs is in its scratch.
struct activations {
    void *residual; // [max_tokens, dim] residual
    void *normed;   // [max_tokens, dim] what a part reads of it
    void *branch; // [max_tokens, dim] residual: what is to be added; or NULL where no layer has one
    void *sum;    // [max_tokens, dim] residual: the dense part's and the experts', or what a layer
                  // makes that joins the next; or NULL
    void *start;  // [max_tokens, dim] the residual's beginning, for per-layer embeddings

    // Where matrices have the pairs of adapters: a x of each of a product's parts, and, where
    // activations are of another type than the residual, the parts before they are narrowed.
    void *low;  // [parts, max_tokens, rank]
    void *wide; // [max_tokens, the widest of all parts together] residual; or NULL
};

// An arena for what a single part of a layer needs. Each part takes its rows from the beginning, by
// way of a copy of this struct, over those of the layer before. Sizes follow from the spec, so a
// layer's rows always lie in the same place. Without memory it only adds sizes up.
struct scratch {
    const struct forward *forward;
    char *memory;
    size_t used;
    int32_t widest; // row that was laid out, in elements
};

// What a batch says about its tokens: filled on the host, copied to the device by a run, in one
// piece that ends with as much of the block table as is used.
struct step_data {
    int32_t *token_ids, *positions;   // [max_tokens]
    float *query_scales;              // [max_tokens] where a layer is tempered
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
    bool on_host;
};

struct forward {
    const struct model *model;
    int groups;
    struct kv_cache views[KV_GROUPS][KV_VIEWS]; // of the groups' caches, as their layers see them
    int32_t reach[KV_GROUPS];                   // as of kv_shape.h
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
    struct scratch mtp_scratch;
    struct scratch mixer_scratch, ffn_scratch; // apart: a feed-forward's kernels may begin while
                                               // the mixer's last one reads
    float *logits;                             // [max_logits, vocabulary]
    float *host_logits;                        // the same shape: rows that are wanted whole
    struct candidate *best;                    // [max_logits, CANDIDATES_MAX] host
    float *log_totals;                         // [max_logits] host
    int32_t most; // candidates of a row, rounded up to a class; 0: no row is chosen from
    bool totals;  // does a row ask for log_totals?
    int32_t num_penalties;
    struct buffer buffers[BUFFERS_MAX];
    int32_t buffer_count;
    forward_stops *stops; // of this run, or NULL
    void *stops_user;
    atomic_int layers_done; // of this run, where it streams
    int stuck_at;           // layers that were done when waiting for more was given up; -1: none
    bool short_of_memory;
    bool counts; // buffers are added up in `counted`, and none is taken
    size_t counted;
};

// [max_tokens] rows of a width, in the backend's activation or residual type, or of other elements.
void *scratch_rows(struct scratch *scratch, int32_t width);
void *scratch_residual_rows(struct scratch *scratch, int32_t width);
void *scratch_alloc(struct scratch *scratch, int32_t width, size_t element_bytes);

// Enqueues y = x, normed as the model norms, for every token of the batch.
void forward_norm_rows(const struct forward *forward, void *y, const void *x, struct norm norm,
                       int32_t dim);

// x = y, or x + y where it adds, for every token: rows of the residual's width and type; y is
// normed where there is a norm.
void forward_store_rows(const struct forward *forward, void *x, const void *y, const float *norm,
                        bool adds);

// y = x in the type of activations, for every token.
void forward_narrow_rows(const struct forward *forward, void *y, const void *x, int32_t dim);

// What a part's products read: rmsnorm(residual) * norm, or the residual where the layer norms
// afterwards. Products norm what they read themselves, but not around the mean.
struct linear_input forward_input(const struct forward *forward, struct norm norm);

// What a layer's feed-forward reads: where it is parallel, what the mixer has read.
struct linear_input forward_ffn_input(const struct forward *forward, int32_t index);

// Products of one input with what adapters have for each; one of rows, where NULL is nothing.
void forward_multiply(const struct forward *forward, const struct linear *product,
                      const struct low_rank *const lora[]);
void forward_project(const struct forward *forward, const void *rows, const struct projection *to,
                     enum linear_store store, const struct low_rank *lora);

struct addend { // W rows + bias, normed and scaled, and what the residual is multiplied by
                // afterwards
    const void *rows;
    const struct weight *weight;
    const struct low_rank *lora;
    const float *bias, *norm;
    float scale, gain;
};

// residual = gain * (residual + scale * y), y normed where there is a norm; and the same of the
// addend, by way of the branch where there is more to it than a product.
void forward_add_branch(const struct forward *forward, const float *y, const struct addend *addend);
void forward_add_product(const struct forward *forward, const struct addend *addend);

// What a mixer and a feed-forward add. A mixer that joins the next adds to the sum instead.
void forward_add_mixed(const struct forward *forward, int32_t index, const void *mixed);
struct addend forward_ffn_addend(const struct forward *forward, int32_t index, const void *rows);

void *forward_element(const struct forward *forward, void *rows, size_t nth); // of activations

// Every second part of each token's row [count, 2, elements], the first of them `begin` elements
// from its start: y [tokens, count, elements].
void forward_take_parts(const struct forward *forward, void *y, void *rows, int32_t begin,
                        int32_t count, int32_t elements);

// x = act(x, y)
void forward_gate(const struct forward *forward, enum act act, void *x, const void *y, int32_t dim);

// attention.c: attended = attention(rope(q), rope(k), v), through the layer's place in the cache.
struct head_rows {
    void *q, *attended; // [tokens, heads, head_size]
    void *k, *v;        // [tokens, kv_heads, head_size]; NULL: the cache has them, or v is in k
};
void forward_attend(const struct forward *forward, int32_t index, const struct head_rows *heads);

// dense.c: gated = act(gate(input), up(input)), for experts.c too.
struct dense_rows {
    void *gated, *up; // [tokens, width]; the second is scratch
};
struct dense_rows dense_lay_out(struct scratch *scratch, int32_t width);
void dense_gate(const struct forward *forward, int32_t index, const struct dense_rows *rows);

// layer_embedding.c: what comes after a layer that has an embedding of the token.
void layer_embedding_measure(struct scratch *scratch, const struct model_config *config);
void layer_embedding_enqueue(const struct forward *forward, int32_t index);

#endif
