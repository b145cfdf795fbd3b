// app/cli/fit.h — would a model run on this machine, and how well?
//
// The memory it needs follows from its tensors: the weights, and K and V for each token of context.
// Its highest possible speed follows from the bytes that must be read for each token and from the
// machine's read bandwidth, which is measured here in a fraction of a second.
#ifndef APP_FIT_H
#define APP_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/model/gguf.h"
#include "engine/model/model_config.h"

struct fit_need {
    size_t weight_bytes;
    size_t active_bytes;   // of them, that one token reads: not all experts, no idle embedding
    size_t kv_token_bytes; // of layers that see everything; 0: not known, or there are none
    size_t kv_window_token_bytes; // of layers with a window, for each of its tokens
    int64_t window;               // tokens
    int64_t context;              // that it was made for; -1: not known
};

struct fit {
    char machine[96];   // "AMD EPYC, 2 threads, avx2"; empty where it could not be measured
    size_t memory_free; // bytes
    bool card;          // they are a card's
    char trial[96];     // of a card: where its kernels have been tested
    bool holds;         // the weights and some context
    int64_t context;    // tokens that fit beside the weights, at most the trained length
    double read_bytes_s;
    double tokens_s; // at most, with a short context
};

// Computed from the tensors; experts count by the share of them that a token uses.
struct fit_need fit_need_of(const struct gguf *gguf, const struct fit_need *shape, int64_t experts,
                            int64_t used);

// K and V of a token, of 16 bits, and of the windows.
struct fit_need fit_kv_of(const struct model_config *config);

// Bytes with a context of so many tokens.
size_t fit_bytes(const struct fit_need *need, int64_t context);

// The machine alone, or its speed too: the card, if there is one and it may be, otherwise the
// processor. False: it could not be measured.
bool fit_machine(bool card, bool speed, struct fit *fit);

// On a card if there is one, otherwise on the processor.
void fit_measure(const struct fit_need *need, struct fit *fit);

#endif
