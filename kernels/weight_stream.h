// kernels/weight_stream.h — how does a card compute with weights that stay in host memory?
//
// The weights of one op after another cross into a buffer on the card, the slot, and the card
// computes with them there. For many tokens all weights of an op cross; of a mixture, as many
// experts at a time as the slot holds. For a lone token the processor reads most of the weights,
// but some cross so that the link is not idle: the first rows of dense matrices, or the experts
// that the router chose first.
//
// Copies are enqueued like ops, so weights are not overwritten before they have been read. If an op
// turns out not to fit, part of the slot was filled for nothing, which does no other harm.
//
// Memory: owns the slot, which takes a little more than slot_bytes, and pinned lists of where
// experts lie in it, from reserve() to release(). Call release() even after a reserve() that
// failed. Threads: all calls come from the thread that enqueues ops. Private to kernels/.
#ifndef WEIGHT_STREAM_H
#define WEIGHT_STREAM_H

#include "kernels/backend.h"

struct slot_list;

struct weight_stream {
    const struct backend *card; // borrowed, as are the next two
    struct device *on_card;
    enum status *failure;     // set if there is no memory for a list
    size_t slot_bytes;        // 0: no weights cross
    int32_t dense_tokens;     // with at least that many tokens, all weights of a dense op cross
    int32_t expert_tokens;    // the same for a mixture
    int32_t gathered_experts; // at most so many of a lone token's cross; at least one does not
    double crossing_share;    // the share of a dense matrix's rows that cross for a lone token

    char *slot;              // on the card; this and what follows is zeros at first
    size_t used;             // bytes of the slot, by this op
    struct slot_list *lists; // made when first needed: few, as layers are alike
    void *mark;              // pinned: see wait_for_matrices()
};

MUST_CHECK enum status weight_stream_reserve(struct weight_stream *stream);
void weight_stream_release(struct weight_stream *stream);

// A card takes memory for what is on its way when it first has to. This makes it do so now, while a
// plan can still manage with less, and not in the middle of an answer. `largest` is the largest
// matrix that may cross; its data are NULL if none may.
MUST_CHECK enum status weight_stream_warm_up(struct weight_stream *stream,
                                             const struct weight *largest);

// Let all weights of an op cross, and enqueue it. False: there are too few tokens, or the slot is
// too small, and the processor has to compute.
bool weight_stream_linear(struct weight_stream *stream, const struct linear *args);
bool weight_stream_gated_linear(struct weight_stream *stream, const struct gated_linear *args);
bool weight_stream_experts(struct weight_stream *stream, const struct experts *args);

// For a lone token, the first rows of each matrix cross: rows[] of them. split() sets *rest to the
// op with the other rows; false: none cross. first() enqueues what the card computes, from x, which
// are the rows that the op reads, normed already.
bool weight_stream_split_linear(const struct weight_stream *stream, struct linear *rest,
                                int32_t rows[LINEAR_PARTS]);
void weight_stream_first_linear(struct weight_stream *stream, const struct linear *args,
                                const void *x, const int32_t rows[LINEAR_PARTS]);
bool weight_stream_split_gated(const struct weight_stream *stream, struct gated_linear *rest,
                               int32_t rows[LINEAR_PARTS]);
void weight_stream_first_gated(struct weight_stream *stream, const struct gated_linear *args,
                               const void *x, const int32_t rows[LINEAR_PARTS]);

// For a lone token, the experts that the router chose first cross, but at least one is left to the
// processor. False: none cross.
bool weight_stream_plan_experts(struct weight_stream *stream, const struct experts *args,
                                struct gather_experts *gather);
void weight_stream_first_experts(struct weight_stream *stream, const struct experts *args,
                                 const struct gather_experts *gather);

#endif
