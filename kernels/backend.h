// kernels/backend.h — the one door to the hardware.
//
// A backend is a table of ops over device memory. reference/ defines what they compute: plain
// loops in fp32, to be read first. cpu/ is the fast one for processors, cuda/ for NVIDIA cards
// (cuda_absent.c in a build without CUDA). The engine holds a pointer to one table and never asks
// which. An op enters this table only together with its reference, its cost (cost.h) and its test.
//
// Ops enqueue work on the device's one stream, in order, and return nothing. A shape that breaks a
// stated rule is a bug in the caller (ASSERT); a failure of the device is kept and returned by the
// next sync(). So the forward pass in engine/model/forward.c reads as its formulas, and checks
// once, at its end.
//
// Words: a batch holds `num_seqs` sequences and `num_tokens` new tokens, the tokens of one sequence
// side by side. Activations are rows of backend->activation elements, one row a token. "device"
// pointers are from alloc() or weights(); on the CPU they are host pointers.
// Memory: ops allocate nothing; scratch is allocated once, in reserve().
// Threads: one thread at a time calls into a device.
#ifndef KERNELS_BACKEND_H
#define KERNELS_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"
#include "kernels/dtype.h"
#include "kernels/kv_cache.h"

#ifdef __cplusplus
extern "C" {
#endif

struct device; // one opened GPU, or the CPU's threads

struct device_options {
    int32_t threads;    // CPU: threads that compute; 0: one for each physical core we may use
    bool deterministic; // the order of every reduction depends on its row alone
    int32_t spin_us;    // CPU: how long a thread waits awake for the next op; 0: as long as one
                        // that follows at once takes to come
};

// How paged_attention computes. Those that read packed pages are PagedAttention as it was published
// (Kwon et al., SOSP 2023), for sequences with one query; other sequences are gathered.
enum attention_kernel {
    ATTENTION_AUTO,   // the backend's best over rows
    ATTENTION_GATHER, // simple and slow, over either layout
    ATTENTION_FLASH,  // tensor cores, over rows
    ATTENTION_V1,     // one thread block for a context, over packed pages
    ATTENTION_V2,     // one thread block for each partition of it, over packed pages
    ATTENTION_PAGED,  // V1 or V2, by vLLM's rule
};
enum { ATTENTION_KERNELS = ATTENTION_PAGED + 1 };

static inline const char *attention_name(enum attention_kernel kernel) {
    static const char *const NAMES[] = {"auto", "gather", "flash", "v1", "v2", "paged"};
    return NAMES[kernel];
}

// The largest shapes that ops will be called with until the next reserve().
struct workspace {
    int32_t max_tokens;   // rows of one linear
    int32_t max_features; // columns (in) of any linear
    int32_t max_seqs;     // of one paged_attention
    int32_t max_context;  // keys of one sequence
    int32_t num_heads, head_size;
    enum attention_kernel attention;
    int32_t max_logits, vocabulary; // rows of candidates, and their length; 0: none
    int32_t experts, experts_used;  // of the op experts; 0: none
    int32_t expert_rows;            // of an expert's gate
    int32_t expert_outputs;         // rows of an expert's down
};

enum { READ_PATTERNS = 3 };

struct device_info {
    char name[96];                    // "AMD EPYC, 2 threads, AVX2"
    char trial[96];                   // of a card: where its kernels have been tested; else ""
    size_t memory_total, memory_free; // bytes; of the machine for a CPU
    int32_t threads;                  // that compute; 0 for a card
    size_t cache_bytes;               // of the caches before memory, all together; 0: unknown
    // What runs on a slow, plain kernel here, among what weights() and attention_check() were
    // given.
    size_t plain_bytes;      // of matrices
    int32_t plain_head_size; // of attention; 0: none
    bool plain_instructions; // a processor without instructions that we have loops for
};

// A matrix [rows, columns]. In a file and on a processor it is row by row in blocks of `type`
// (dtype.h); a card stores it, scale and all, in an order of its own, which only its ops know.
struct weight {
    const void *data; // from weights()
    enum dtype type;
    int32_t rows, columns;
    float scale;  // NVFP4 alone: multiplies every value; 0: none
    bool in_host; // of a card whose other weights lie in host memory (offload.h); else false
    bool pinned;  // embedding() alone reads it, and weights() leaves it in host memory
};

static inline float weight_scale(const struct weight *weight) {
    return weight->type == DTYPE_NVFP4 && weight->scale != 0 ? weight->scale : 1;
}

static inline enum kv_layout attention_layout(enum attention_kernel kernel) {
    return kernel < ATTENTION_V1 ? KV_LAYOUT_ROWS : KV_LAYOUT_PACKED;
}

// A stretch of the past that several sequences have in common: their block tables have the same
// blocks for keys [begin, end).
struct shared_span {
    int32_t first, count; // these sequences are order[first ... first + count); 0: no span
    int32_t begin, end;   // keys, multiples of the backend's shared_keys
    int32_t shortest;     // of their seq_lens_kv
    int32_t depth;        // spans before it on the way from key 0
};

enum {
    SHARED_SPANS_MAX = 32,
    SHARED_DEPTH_MAX = 6, // spans of one sequence
};

// What sequences with one query have in common (shared_past.h finds it): it only repeats what their
// block tables say, so an op may ignore it. A sequence's spans follow one another from key 0 to
// own[sequence] and lie before its new token. Spans form a tree, and a span comes before those that
// continue it.
struct shared_past {       // all pointers are NULL where nothing is shared
    const int32_t *order;  // [num_seqs] the sequences, those of a span side by side
    const int32_t *common; // [num_seqs] keys in spans of both order[i] and order[i + 1]; the last 0
    const int32_t *own;    // [num_seqs] of each sequence, the first key that is in no span
    const struct shared_span *spans; // [SHARED_SPANS_MAX]
    int32_t depth;                   // spans of a sequence, at most
};

// Which queries attend to which keys. All pointers are device memory, int32. Sequence s has
// q_len[s] = cu_seqlens_q[s+1] - cu_seqlens_q[s] queries, at least one. Its query i sees keys
// 0 ... seq_lens_kv[s] - q_len[s] + i of that sequence only. Key j of s lies in slot
// block_table[s][j / block_size] * block_size + j % block_size.
struct batch {
    int32_t num_seqs, num_tokens;
    int32_t max_blocks_per_seq;
    const int32_t *cu_seqlens_q; // [num_seqs + 1], starts with 0, ends with num_tokens
    const int32_t *seq_lens_kv;  // [num_seqs], including the new tokens
    const int32_t *block_table;  // [num_seqs, max_blocks_per_seq], right-padded with 0
    const int32_t *positions;    // [num_tokens]
    const int64_t *slot_mapping; // [num_tokens], the slot of each new token's K and V
    struct shared_past shared;
};

struct embedding {            // y[t] = table[token_ids[t] * stride + first] * scale
    void *y;                  // [tokens, columns] residual, out
    const int32_t *token_ids; // [tokens] device, so that each row is one of the table's
    struct weight table;      // [vocabulary * stride, columns]
    int32_t tokens;
    float scale;
    int32_t stride, first; // 1 and 0 where a token has one row
};

struct rmsnorm {         // y = x / sqrt(mean(x^2) + eps) * weight, a row each
    void *y;             // [rows, dim] activation, out, not x
    const void *x;       // [rows, dim] residual
    const float *weight; // [dim] device
    int32_t rows, dim;
    float eps;
    bool centered;     // of x - mean(x), so that it is LayerNorm (arXiv 1607.06450)
    const float *bias; // [dim] device, added to y where it is centered; or NULL
};

struct narrow {    // y = x, as activations
    void *y;       // [rows, dim] activation, out, not x
    const void *x; // [rows, dim] residual
    int32_t rows, dim;
};

// x = gain * (x + scale * y), or, with a norm, gain * (x + scale * y / sqrt(mean(y^2) + eps) *
// norm)
struct add_rows {
    void *x;           // [rows, dim] residual, in and out, not y
    const void *y;     // [rows, dim] residual
    const float *norm; // [dim] device, or NULL
    int32_t rows, dim;
    float eps, scale;
    float gain;
    bool overwrites; // x counts as 0 and is not read
};

// What a product reads: activations or, with a norm, the residual stream, which is normed first
// as by rmsnorm.
struct linear_input {
    const void *x;     // [tokens, columns] activation; with a norm residual
    const float *norm; // [columns] device; NULL: x as it is
    void *normed;      // [tokens, columns] activation, scratch with a norm; not x
    int32_t tokens;
    float eps;
    bool keeps; // with a norm: `normed` is an output, too
};

struct projection {
    void *y; // [tokens, weight.rows] activation, out, not the input
    struct weight weight;
    const float *bias; // [weight.rows] device, or NULL
};

enum { LINEAR_PARTS = 3 };

enum linear_store {
    LINEAR_ACTIVATION, // y is activation
    LINEAR_RESIDUAL,   // y is of the residual's type
    LINEAR_ADD,        // the same, and the product is added to it; without a bias
};

struct linear { // y = x W^T + bias for each part, all with the same input
    struct linear_input in;
    struct projection parts[LINEAR_PARTS];
    int32_t count;
    enum linear_store store;
};

// The activation functions of gated layers, of a gate g and an up projection u:
//   SILU     g / (1 + exp(-g)) * u                                     (arXiv 2002.05202)
//   GELU     g / 2 * (1 + tanh(sqrt(2 / pi) * (g + 0.044715 g^3))) * u (arXiv 1606.08415)
//   GELU_ALONE  the same without u
//   CLAMPED  g / (1 + exp(-1.702 g)) * (u + 1), first g at most 7 and u within -7 ... 7 (gpt-oss)
//   LIMITED  SILU's first factor at most limit, u within -limit ... limit
//   RELU     g * u where g is above 0, else 0; of u = g, its square             (arXiv 2109.08668)
//   SIGMOID  u / (1 + exp(-g))
//   SOFTPLUS u * log(1 + exp(g))
//   XIELU    positive g^2 + slope g where g is above 0, else negative (exp(g) - 1 - g) + slope g;
//            of act_and_mul alone, and without u                                 (arXiv 2411.13010)
enum act {
    ACT_SILU,
    ACT_GELU,
    ACT_CLAMPED,
    ACT_LIMITED,
    ACT_RELU,
    ACT_GELU_ALONE,
    ACT_SIGMOID,
    ACT_SOFTPLUS,
    ACT_XIELU
};

struct xielu {
    float positive, negative, slope;
};

#define ACT_CLAMP 7.0f
#define ACT_SLOPE 1.702f

struct gated_linear { // y = act(x gate^T, x up^T)
    struct linear_input in;
    void *y;                // [tokens, gate.rows] activation, out, not the input
    void *up_rows;          // the same shape, scratch
    struct weight gate, up; // of one shape
    enum act act;
};

enum { EXPERT_NONE = -1 }; // among the chosen, on a processor: nothing is added
enum { EXPERTS_MAX = 1024, EXPERTS_USED_MAX = 32, EXPERT_GROUPS_MAX = 32 };

enum gating { GATING_SOFTMAX, GATING_SIGMOID, GATING_SPARSE_MIXER };

// The router of a mixture (arXiv 1701.06538, 2401.04088; with groups, sigmoid and bias 2412.19437).
// An expert's weight is the softmax of a token's scores, or the sigmoid of its own. chosen[t] are
// the `used` experts of the highest weight + bias, in that order, ties by the lower number. With
// groups, each of experts / groups neighbours, only groups_used groups are considered: those with
// the largest sum of their two highest, or those with the highest. shares[t] are the weights of
// the chosen, divided by their sum unless they are raw, each times its expert's gain. NaN counts as
// the lowest score.
//
// A sparse mixer (arXiv 2409.12136) has neither groups nor bias. The weight of a chosen expert is
// its softmax among those that were not chosen before it and whose scores are near its own:
// best - score <= nearness * max(|score|, best).
struct route {
    int32_t *chosen;    // [tokens, used] device, out
    float *shares;      // [tokens, used] device, out
    const void *scores; // [tokens, experts] residual
    int32_t tokens, experts, used;
    const float *gains; // [experts] device; NULL: 1
    const float *bias;  // [experts] device; NULL: 0
    enum gating gating;
    float nearness; // of a sparse mixer
    bool raw;
    int32_t groups, groups_used; // at least two experts in each; groups 0: all are one
    bool best_of_group;          // ranks groups (arXiv 2405.04434)
};

#define ROUTE_LEAST_SUM 1e-20 // that shares are divided by

static inline bool route_is_possible(const struct route *args) {
    const int32_t each = args->groups > 0 ? args->experts / args->groups : args->experts;
    const int32_t left = args->groups > 0 ? each * args->groups_used : each;
    return args->used > 0 && args->used <= EXPERTS_USED_MAX && args->experts <= EXPERTS_MAX &&
           args->used <= left && left <= args->experts && args->groups >= 0 &&
           args->groups <= EXPERT_GROUPS_MAX &&
           (args->groups == 0 || (each >= 2 && each * args->groups == args->experts)) &&
           (args->gating != GATING_SPARSE_MIXER || (args->groups == 0 && !args->bias));
}

// One matrix for each expert, all of one type and shape.
struct expert_weights {
    const void *const *data; // [experts] device, of pointers from weights()
    enum dtype type;
    int32_t rows, columns;
    const float *bias;   // [experts, rows] device, or NULL
    const float *scales; // NVFP4 alone: [experts] device, as in struct weight; or NULL
    bool in_host;        // all of it, with the list, the biases and the scales (offload.h)
};

// An expert's matrix, where device memory is the host's.
static inline struct weight expert_weight(const struct expert_weights *weights, int32_t expert) {
    const struct weight weight = {weights->data[expert],
                                  weights->type,
                                  weights->rows,
                                  weights->columns,
                                  weights->scales ? weights->scales[expert] : 0,
                                  false,
                                  false};
    return weight;
}

struct expert_range { // experts first ... first + count - 1; {0}: all
    int32_t first, count;
};

static inline bool expert_within(const struct expert_range *range, int32_t expert) {
    return range->count == 0 || (expert >= range->first && expert < range->first + range->count);
}

// y[t] = sum over j of shares[t][j] * (down h + bias), h = act(gate x[t] + bias, up x[t] + bias),
// with the matrices and biases of expert chosen[t][j]; summed in the order of j.
struct experts {
    void *y;                              // [tokens, down.rows] residual, out
    const void *x;                        // [tokens, gate.columns] activation
    const int32_t *chosen;                // [tokens, used] device; no expert twice for a token, but
                                          // any number of EXPERT_NONE
    const float *shares;                  // [tokens, used] device
    struct expert_weights gate, up, down; // gate and up of one type
    int32_t tokens, experts, used;        // as reserved, or fewer
    enum act act;
    float limit; // of ACT_LIMITED
    bool add;    // y is in and out: the sum is added to it
    // The choices of other experts add nothing, and their matrices are not read. Of one token on a
    // card all.
    struct expert_range only;
};

// q/k norm, rotary embedding (RoFormer, arXiv 2104.09864) and reshape_and_cache in one:
// q is normed and rotated in place; k is normed and rotated, and k and v are written to the
// slots of `batch`. Pair p of a head is rotated by positions[t] * inv_freq[p]: elements
// (p, p + rotary/2) or, interleaved, (2p, 2p + 1); elements past `rotary` stay. Without k there is
// no v either: only q is rotated, and the keys it attends to are in the cache already. A latent
// cache takes k alone.
struct rope_and_cache {
    void *q;       // [num_tokens, num_heads, head_size] activation, in and out
    void *k;       // [num_tokens, num_kv_heads, head_size] activation, in, overwritten; or NULL
    const void *v; // [num_tokens, num_kv_heads, head_size] activation
    const float *q_norm, *k_norm; // [head_size] device; NULL: no norm
    const float *inv_freq;        // [rotary / 2] device
    float eps;
    float magnitude; // of cosine and sine: 1, or YaRN's attention factor
    bool interleaved;
    bool norm_last; // heads are normed when they are rotated already
    int32_t rotary; // even, at most head_size
    int32_t num_heads;
    int32_t layer;
    const struct kv_cache *cache;
    const struct batch *batch;
};

// out = softmax(q K^T * scale) V, causal, grouped-query. A score s is capped before the softmax,
// s = softcap * tanh(s / softcap) (Gemma 2, arXiv 2408.00118). A query at position p sees keys
// p - window + 1 ... p, and no other is read (Mistral, arXiv 2310.06825). A head's sink is one more
// logit in the softmax's denominator, without a value (arXiv 2309.17453). Of a latent cache V is K.
struct paged_attention {
    void *out;         // [num_tokens, num_heads, head_size] activation
    const void *q;     // the same shape
    int32_t num_heads; // a multiple of cache->num_kv_heads
    int32_t layer;
    float scale;
    enum attention_kernel kernel; // one for the cache's layout; as reserved
    float softcap;                // 0: none
    int32_t window;               // keys; 0: all before the query
    const float *sinks;           // [num_heads] device; NULL: none
    const struct kv_cache *cache;
    const struct batch *batch;
};

// rope_and_cache, then paged_attention of its result, both with the same q, num_heads, layer, cache
// and batch. q is overwritten as k is. Except for its new tokens, everything a sequence attends to
// was in the cache before the last embedding() or copy between host and device. So it may be read
// while ops that were enqueued since then still run.
struct attention {
    struct rope_and_cache rope;
    struct paged_attention attend;
};

// A gated short convolution (LFM2, arXiv 2511.23404). With u = k * v of a token, of zeros before
// the sequence's first, out[t] = q[t] * sum over j < width of weight[j] * u[t - width + 1 + j],
// summed in the order of j. The u of new tokens are written to the cache, and earlier ones read
// from it: as if the first half of each were its key and the second half its value, of one head.
struct short_conv {
    void *out;             // [num_tokens, dim] activation, none of q, k and v
    const void *q, *k, *v; // the same shape
    const float *weight;   // [width, dim] device
    int32_t dim, width;    // width at most SHORT_CONV_MAX
    int32_t layer;
    const struct kv_cache *cache; // F32, in rows, one head of dim / 2
    const struct batch *batch;
};

enum { SHORT_CONV_MAX = 8 };

static inline bool short_conv_fits(const struct short_conv *args) { // what every backend asserts
    return args->cache->type == DTYPE_F32 && args->cache->layout == KV_LAYOUT_ROWS &&
           args->cache->num_kv_heads == 1 && 2 * args->cache->head_size == args->dim &&
           args->layer >= 0 && args->layer < args->cache->num_layers && args->width > 0 &&
           args->width <= SHORT_CONV_MAX;
}

// How a state S [key_size, value_size] of a head, and o of a token, follow from its q, k and v,
// with g = exp(decay * step), step = log(1 + exp(alpha + bias)):
//   DELTA  a gated delta net (arXiv 2412.06464); q and k are divided by sqrt(their squares' sum +
//          eps), q by sqrt(key_size) too
//          S = g S;  S = S + k (sigmoid(beta) * (v - S^T k))^T;  o = S^T q
//          z = silu(z) * norm * o / sqrt(mean(o^2) + eps), the mean being a head's
//   SSD    Mamba-2 (arXiv 2405.21060)
//          S = g S + k (step * v)^T;  o = S^T q + skip * v;  z = silu(z) * o
//          z = norm * z / sqrt(mean(z^2) + eps), the mean being of all heads of a key head; or,
//          without a norm, z
enum recurrence_rule { RECURRENCE_DELTA, RECURRENCE_SSD };

// A layer that has a state in place of keys and values. Of each token, c = silu(sum over j < width
// of conv[j] * qkv[t - width + 1 + j], and of SSD conv[width]), with zeros before the sequence's
// first, has the q and the k of all key heads and the v of all value heads, in the order
// of recurrence_parts_of(). A value head has the q and k of key head h % key_heads where they are
// tiled, else of h / (value_heads / key_heads).
// What a sequence's state is after its last token, [width - 1, channels] of qkv and then
// [value_heads, key_size, value_size] of S, is written to that token's block; what it was before
// its first new token is read from the block of the token before, which may be the same one.
struct recurrence {
    enum recurrence_rule rule;
    void *z;                   // [num_tokens, value_heads, value_size] activation, in and out
    void *qkv;                 // [num_tokens, recurrence_channels()] activation, overwritten; not z
    const void *alpha, *beta;  // [num_tokens, value_heads] activation; beta of DELTA
    const float *conv;         // [width, or of SSD 1 more, recurrence_channels()] device
    const float *decay, *bias; // [value_heads] device
    const float *skip;         // the same, of SSD
    const float *norm;         // device; DELTA [value_size], SSD [value_heads, value_size] or NULL
    int32_t key_heads, value_heads, key_size, value_size, width;
    bool tiled;
    float eps;
    int32_t layer;
    const struct kv_cache *cache; // F32, with state_bytes
    const struct batch *batch;
};

enum { RECURRENCE_SIZE_MAX = 256 }; // of keys and of values

struct recurrence_parts { // of a row of qkv: where they begin
    int32_t q, k, v;
};

static inline struct recurrence_parts recurrence_parts_of(const struct recurrence *args) {
    const int32_t keys = args->key_heads * args->key_size;
    const int32_t values = args->value_heads * args->value_size;
    const struct recurrence_parts delta = {0, keys, 2 * keys}, ssd = {values + keys, values, 0};
    return args->rule == RECURRENCE_DELTA ? delta : ssd;
}

static inline int32_t recurrence_channels(const struct recurrence *args) {
    return 2 * args->key_heads * args->key_size + args->value_heads * args->value_size;
}

static inline size_t recurrence_state_bytes(const struct recurrence *args) {
    return sizeof(float) *
           ((size_t)(args->width - 1) * (size_t)recurrence_channels(args) +
            (size_t)args->value_heads * (size_t)args->key_size * (size_t)args->value_size);
}

static inline bool recurrence_fits(const struct recurrence *args) { // what every backend asserts
    return args->width > 0 && args->width <= SHORT_CONV_MAX && args->key_size > 0 &&
           args->key_size <= RECURRENCE_SIZE_MAX && args->value_size > 0 &&
           args->value_size <= RECURRENCE_SIZE_MAX && args->value_heads % args->key_heads == 0 &&
           args->layer >= 0 && args->layer < args->cache->num_layers &&
           args->cache->state_bytes == recurrence_state_bytes(args);
}

// y[a][b] = x[a][b], `elements` of them each, for a < rows and b < columns: parts of rows put
// together or taken apart, or the heads of a token put head by head.
struct copy_parts {
    void *y;       // activation, out, not x
    const void *x; // activation
    int32_t rows, columns, elements;
    size_t y_row, y_column, x_row, x_column; // elements from one to the next
};

struct scale_rows { // x[r] = factors[r] * x[r], and then factors[r] = 1 unless it keeps them
    void *x;        // [rows, dim] activation, in and out
    float *factors; // [rows] device, in and out
    int32_t rows, dim;
    bool keeps;
};

struct act_and_mul { // gate = act(gate, up)
    void *gate;      // [rows, dim] activation, in and out
    const void *up;  // [rows, dim] activation; may be gate
    int32_t rows, dim;
    enum act act;
    struct xielu xielu;
    float limit; // of ACT_LIMITED
};

// y[r] = (x[row_index[r]] W^T + bias) * scale, always in fp32, and then
// softcap * tanh(y / softcap).
struct logits {
    float *y;                 // [rows, weight.rows] device
    const void *x;            // [tokens, weight.columns] activation
    const int32_t *row_index; // [rows] device
    struct weight weight;
    int32_t rows;
    float scale, softcap; // softcap 0: none
    const float *bias;    // [weight.rows] device, or NULL
};

enum {
    CANDIDATES_MAX = 256,                // of a row
    CANDIDATES_VOCABULARY_MAX = 1 << 20, // the longest row
    PENALTIES_MAX = 256,                 // penalised ids of a row
};

struct candidate {
    int32_t id; // -1: the row has no more
    float logit;
};

struct penalty { // an id of the recent tokens, each once
    int32_t id, occurrences;
};

struct choice {                           // which candidates of a row of logits are requested
    int32_t count;                        // of candidates, 0 to CANDIDATES_MAX
    int32_t first_penalty, num_penalties; // of candidates.penalties, those of this row
    float repeat_penalty, presence_penalty, frequency_penalty;
    bool log_total; // is log_totals of this row requested too? Only where there are candidates
};

// The formula of all backends, for every id in the penalties of a row.
static inline float penalised_logit(float logit, const struct choice *choice, int32_t occurrences) {
    logit = logit > 0 ? logit / choice->repeat_penalty : logit * choice->repeat_penalty;
    return logit - choice->presence_penalty - choice->frequency_penalty * (float)occurrences;
}

// best[r] = the choices[r].count highest logits of row r after its penalties, highest first, of
// equal ones the lower id first. NaN is never a candidate; -0 counts as 0; -infinity is a value
// like others. Choices, penalties and results lie in memory, so that they can change between
// replays of a recorded step.
//
// log_totals[r] = log(sum of exp(logit)) over row r before its penalties, NaN left out, where its
// choice asks for it: a candidate's logit minus this is the logarithm of its probability.
struct candidates {
    struct candidate *best;          // [rows, CANDIDATES_MAX] from alloc_host(), out
    float *log_totals;               // [rows] from alloc_host(), out; NULL: no row asks for it
    float *logits;                   // [rows, vocabulary] device, in; penalised ones may change
    const struct choice *choices;    // [rows] device
    const struct penalty *penalties; // device
    int32_t rows, vocabulary;        // vocabulary at most CANDIDATES_VOCABULARY_MAX
    int32_t most;                    // at least any choice's count
};

struct copy_blocks { // extent destination[i] = extent source[i]; no block is on both sides
    const struct kv_cache *cache;
    const uint32_t *source, *destination; // [pairs] host
    int32_t pairs;
};

// Moves extents between the cache and a slab of host memory from alloc_host(), laid out alike:
// extent blocks[i] <-> extent slots[i]. In order with all other ops; the host may read and change
// the slab after a sync(). No block and no slot occurs twice in one call.
struct swap_blocks {
    const struct kv_cache *cache;
    void *host;                     // [slots] x extent
    const uint32_t *blocks, *slots; // [pairs] host
    int32_t pairs;
    bool out; // device to host; else host to device
};

// Where a device and a thread of the host meet in the middle of a step. From alloc_host(), zeros at
// first; one for each device. The device waits for one answer at a time.
struct host_mail {
    uint64_t job;             // of the newest request
    uint32_t request;         // how many so far; written after the job and all rows
    char request_padding[52]; // each side writes a cache line of its own
    uint32_t reply; // the newest request that is answered; written by the host after its results
    char reply_padding[60];
};

enum { ASK_PARTS = 3 };

// Copies parts to the host, and then tells it what to do with them.
struct ask_host {
    struct host_mail *mail;
    uint64_t job; // the host's own
    struct {
        void *to; // from alloc_host()
        const void *from;
        size_t bytes; // even
    } parts[ASK_PARTS];
    int32_t count; // of parts
};

// Waits until the newest request is answered, then y = or += the results.
struct take_answer {
    struct host_mail *mail;
    void *y;             // [count] of `type`, out
    const void *results; // [count] of `type`, from alloc_host()
    size_t count;
    enum dtype type; // F32, or F16 where nothing is added
    bool add;        // y is in and out
};

enum { GATHERED_STACKS = 3 }; // up, gate and down; of an expert without a gate two

// Matrices of the experts that a token chose first, out of host memory that the device reads in
// place, and their biases. Experts are numbered 0, 1, ... from then on. The bytes of a matrix are a
// multiple of 16, and aligned so.
struct gathered {
    struct expert_weights from; // [experts], with list and biases, from alloc_host()
    void *rows;                 // [count] device, out: matrices as in the file, side by side
    float *bias;                // [count, from.rows] device, out; NULL: they have no bias
    const void **list;          // [count] device, out: to, to + stride_bytes, ...
    char *to;
    size_t stride_bytes;
};

struct gather_experts {
    const int32_t *chosen; // [count] device
    int32_t *ids;          // [count] device, out: the new numbers
    int32_t count;
    struct gathered stacks[GATHERED_STACKS];
    int32_t stack_count;
};

enum { CROSSING_PARTS = 3, CROSSING_PART_BYTES = 64 << 20 };

struct swap_time {
    double us; // that the device took
    int64_t pairs;
};

struct backend {
    const char *name;
    enum dtype activation; // of all rows except the residual's; F32 on processors
    enum dtype residual;   // of the stream that embedding starts and linears add to
    int32_t batch_tokens;  // of one batch; with more, the time per token stops falling
    bool weights_in_file;  // weights() returns the file's own bytes, which ops read where they are

    // Attention reads a span of a shared past once. It begins and ends at multiples of shared_keys;
    // 0: each sequence reads its own past. It pays if together that saves reading shared_least
    // keys.
    int32_t shared_keys, shared_least;

    MUST_CHECK enum status (*open)(const struct device_options *options, struct device **device,
                                   struct error *err);
    void (*close)(struct device *device); // NULL is fine
    void (*info)(struct device *device, struct device_info *info);

    // Can paged_attention be called with args->kernel and args->num_heads over a cache shaped like
    // *args->cache and contexts of up to max_context keys? If not: UNSUPPORTED, with the reason.
    // NULL: the backend has ATTENTION_AUTO only.
    MUST_CHECK enum status (*attention_check)(struct device *device,
                                              const struct paged_attention *args,
                                              int32_t max_context, struct error *err);

    // Allocates scratch for ops up to these shapes; replaces an earlier reservation.
    MUST_CHECK enum status (*reserve)(struct device *device, const struct workspace *workspace);

    // An upper bound of the device memory that reserve() and the device itself take, beyond what
    // callers allocate. NULL: too little to count.
    size_t (*reserve_bytes)(const struct workspace *workspace);

    // Device memory, 64-byte aligned, contents undefined. On a processor it is committed when
    // first touched. release() takes the size that was allocated; NULL is fine.
    MUST_CHECK enum status (*alloc)(struct device *device, size_t bytes, void **memory);
    void (*release)(struct device *device, void *memory, size_t bytes);

    // Host memory that the device copies from and to at full speed, 64-byte aligned: pinned for a
    // card, ordinary on a processor. Committed and released as above.
    MUST_CHECK enum status (*alloc_host)(struct device *device, size_t bytes, void **memory);
    void (*release_host)(struct device *device, void *memory, size_t bytes);

    // Makes a matrix usable whose data are a file's mapped bytes. On a processor this is the same
    // pointer (the mapping must outlive the device), on a card a copy that is kept until the device
    // is closed: in its own memory, or, if the weight is `pinned` and the system allows it, in host
    // memory that the card reads in place. UNSUPPORTED: the device cannot compute with rows of this
    // length, or a weight exceeds its range.
    MUST_CHECK enum status (*weights)(struct device *device, const struct weight *in_file,
                                      const void **data);

    // The same into the caller's device memory, weight_bytes() of it, enqueued as an op: the bytes
    // must stay until the next sync(). Much faster from memory that alloc_host() returned. A card
    // takes memory for what is on the way when it first has to, at most CROSSING_PARTS of the
    // largest matrix or of CROSSING_PART_BYTES.
    void (*copy_weights)(struct device *device, const struct weight *in_file, void *memory);

    // The same, of bytes that are on the device already: what to_device() has brought there, or
    // gather_experts(). Whatever reads weights before its turn (experts.cu) needs a copy between
    // the two.
    void (*arrange_weights)(struct device *device, const struct weight *on_device, void *memory);

    // As copy_weights(), but concurrent with the ops, at a lower priority: the copy begins at once.
    // When background_copies_done() returns true, all such copies are done, and in_file may change.
    // False: there is no memory for what is on the way, and some of it may not be copied. NULL: use
    // copy_weights().
    bool (*copy_in_background)(struct device *device, const struct weight *in_file, void *memory);
    bool (*background_copies_done)(struct device *device);

    // Device memory that weights() allocates for such a matrix. If stacked matrices together need
    // as much as one by one, they are stacked on the device too. NULL: none is allocated.
    size_t (*weight_bytes)(const struct weight *weight);

    void (*to_device)(struct device *device, void *memory, const void *host, size_t bytes);
    void (*to_host)(struct device *device, void *host, const void *memory, size_t bytes);
    MUST_CHECK enum status (*sync)(struct device *device); // first failure since the last sync

    // Calls a function on the host, in order with ops and copies: what was enqueued before is done,
    // and what is enqueued afterwards waits for it. It must not call into the device. On a
    // processor it is called at once. A recorded step calls it each time that it is replayed.
    void (*call_host)(struct device *device, void (*function)(void *user), void *user);

    // The same for a thread of the host that watches the mail: a few rows go there and back within
    // a step much faster than by copies and calls. The caller has to make sure that an answer
    // comes, because the device waits for it forever. NULL: there are only copies and calls.
    void (*ask_host)(struct device *device, const struct ask_host *args);
    void (*take_answer)(struct device *device, const struct take_answer *args);

    // NULL: the device does not read host memory.
    void (*gather_experts)(struct device *device, const struct gather_experts *args);

    void (*embedding)(struct device *device, const struct embedding *args);
    void (*rmsnorm)(struct device *device, const struct rmsnorm *args);
    void (*narrow)(struct device *device, const struct narrow *args);
    void (*add_rows)(struct device *device, const struct add_rows *args);
    void (*linear)(struct device *device, const struct linear *args);
    void (*gated_linear)(struct device *device, const struct gated_linear *args);
    void (*rope_and_cache)(struct device *device, const struct rope_and_cache *args);
    void (*paged_attention)(struct device *device, const struct paged_attention *args);
    void (*attention)(struct device *device, const struct attention *args);
    void (*short_conv)(struct device *device, const struct short_conv *args);
    void (*recurrence)(struct device *device, const struct recurrence *args);
    void (*copy_parts)(struct device *device, const struct copy_parts *args);
    void (*scale_rows)(struct device *device, const struct scale_rows *args);
    void (*act_and_mul)(struct device *device, const struct act_and_mul *args);
    void (*route)(struct device *device, const struct route *args);
    void (*experts)(struct device *device, const struct experts *args);
    void (*logits)(struct device *device, const struct logits *args);
    void (*candidates)(struct device *device, const struct candidates *args);
    void (*copy_blocks)(struct device *device, const struct copy_blocks *args);
    void (*swap_blocks)(struct device *device, const struct swap_blocks *args);

    // How long swaps from host to device took that have ended since the last call; it may miss
    // some. NULL: a swap is done when swap_blocks() returns.
    struct swap_time (*swap_time)(struct device *device);

    // On a card the launches of a decode step cost more than its small kernels, so steps of one
    // shape are recorded and replayed. replay() returns true when it has enqueued what was recorded
    // under the key. If false, the caller enqueues its ops, always the same ones with the same
    // arguments for the same key, and calls recorded(). If that returns false, nothing was
    // enqueued, and the caller enqueues them once more. reserve() forgets all recordings. NULL on
    // backends where recording does not pay.
    bool (*replay)(struct device *device, uint64_t key); // key > 0
    bool (*recorded)(struct device *device);

    // Reads `bytes` of device memory once with every thread and does nothing else, in one of
    // READ_PATTERNS ways; which is fastest depends on the machine: read_speed.h.
    void (*read)(struct device *device, const void *memory, size_t bytes, int pattern);
};

const struct backend *backend_reference(void);
const struct backend *backend_cpu(void);
const struct backend *backend_cuda(void); // NULL in a build without CUDA

// The op attention as two ops, for backends and batches for which fusing them does not pay.
static inline void attention_unfused(const struct backend *backend, struct device *device,
                                     const struct attention *args) {
    backend->rope_and_cache(device, &args->rope);
    backend->paged_attention(device, &args->attend);
}

#ifdef __cplusplus
}
#endif
#endif
