// kernels/weight_stream.h — how does a card compute with weights that stay in host memory?
//
// An op's weights cross into one slot on the card, one after the other, and the card computes with
// them there. For many tokens all weights of an op cross, those of a mixture as many experts at a
// time as the slot holds. For a lone token, while the processor reads most of the weights, some
// cross so that the link is not idle: the first rows of dense matrices, or the experts that the
// router chose first.
//
// Copies are in the card's order, so weights are not overwritten before they have been read. An op
// that turns out not to fit has filled a part of the slot for nothing, and no more.
//
// Memory: owns the slot, which takes a little more than slot_bytes, and pinned lists of where
// experts lie in it, from reserve() to release(). After a reserve() that failed, release() it, too.
// Threads: all calls come from the thread that enqueues ops. Private to kernels/.
#ifndef WEIGHT_STREAM_H
#define WEIGHT_STREAM_H

#include "kernels/backend.h"

struct slot_list;

struct weight_stream {
    const struct backend *card; // borrowed, as are the next two
    struct device *on_card;
    enum status *failure;     // set where memory for a list is missing
    size_t slot_bytes;        // 0: no weights cross
    int32_t dense_tokens;     // with at least that many tokens, all weights of a dense op cross
    int32_t expert_tokens;    // the same for a mixture
    int32_t gathered_experts; // of a lone token that cross, at most; at least one does not
    double crossing_share;    // of the rows of dense matrices, for a lone token

    char *slot;              // on the card; this and what follows is zeros at first
    size_t used;             // bytes of it, by this op
    struct slot_list *lists; // made when first needed: few, as layers are alike
    void *mark;              // pinned: see wait_for_matrices()
};

MUST_CHECK enum status weight_stream_reserve(struct weight_stream *stream);
void weight_stream_release(struct weight_stream *stream);

// A card keeps what is on its way in memory of its own, which it takes when it first has to. This
// has it do so now, when somebody can still plan with less, and not in the middle of an answer.
// `largest` is the largest matrix that may cross; its data are NULL if none may.
MUST_CHECK enum status weight_stream_warm_up(struct weight_stream *stream,
                                             const struct weight *largest);

// All weights of an op. False: there are too few tokens, or there is no room, and the processor has
// to compute.
bool weight_stream_linear(struct weight_stream *stream, const struct linear *args);
bool weight_stream_gated_linear(struct weight_stream *stream, const struct gated_linear *args);
bool weight_stream_experts(struct weight_stream *stream, const struct experts *args);

// A lone token's first rows. split() leaves `rest` the other ones, and false means that none cross.
// The second enqueues what the card computes, of x, the rows that the op reads, normed already.
bool weight_stream_split_linear(const struct weight_stream *stream, struct linear *rest,
                                int32_t rows[LINEAR_PARTS]);
void weight_stream_first_linear(struct weight_stream *stream, const struct linear *args,
                                const void *x, const int32_t rows[LINEAR_PARTS]);
bool weight_stream_split_gated(const struct weight_stream *stream, struct gated_linear *rest,
                               int32_t rows[LINEAR_PARTS]);
void weight_stream_first_gated(struct weight_stream *stream, const struct gated_linear *args,
                               const void *x, const int32_t rows[LINEAR_PARTS]);

// A lone token's first experts: at least one is left to the processor. False: none cross.
bool weight_stream_plan_experts(struct weight_stream *stream, const struct experts *args,
                                struct gather_experts *gather);
void weight_stream_first_experts(struct weight_stream *stream, const struct experts *args,
                                 const struct gather_experts *gather);

#endif
