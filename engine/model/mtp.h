// engine/model/mtp.h — the block of a file that predicts further tokens: multi-token prediction.
//
// Of the hidden state of token p and of token p + 1 it computes logits for token p + 2, with keys
// and values of its own for all tokens before (DeepSeek-V3, arXiv 2412.19437, 2.2). What it says of
// its own hidden state and its own token continues the guess:
//
//   token            t0       t1       t2       t3      d4
//   hidden state     h0       h1       h2
//   the block reads          t1, h0   t2, h1   t3, h2  d4, h'3     h'3 is its own, of t3 and h2
//   and guesses                                d4      d5
//
// In the cache the block is two layers, which follow the trunk's. One keeps hidden states: a token
// needs the state of the token before it, just as a short convolution of width 2 needs the row
// before, so the states are stored as such rows, normed for the block. The other is the block's
// attention. The past that the block needs is thus forked, swapped and restored with the trunk's.
//
// A file of one of these families (family.h) that lacks the tensors has no such block, though it
// may count one.
#ifndef ENGINE_MTP_H
#define ENGINE_MTP_H

#include "engine/model/model_config.h"

struct forward;
struct loader;
struct scratch;

enum { MTP_LAYERS = 2 }; // in specs, behind the trunk's: hidden states, and the block

// Adds the layers, if the file has them and the trunk's layers say what they are like.
void mtp_read(const struct gguf *gguf, struct model_config *config);

// After the trunk's tensors. Nothing where there are no such layers, as all below.
void mtp_load(struct loader *loader);

void mtp_lay_out(struct scratch *scratch, const struct model_config *config);

// After the trunk's layers: keeps the batch's hidden states, and the block's keys and values.
void mtp_follow(const struct forward *forward);

// Instead of them, in a batch of one token for each sequence, the one before which was in the batch
// before, or in one that mtp_follow() saw: the residual becomes what mtp.norm is to norm for the
// logits, and the hidden state is kept.
void mtp_draft(const struct forward *forward);

#endif
