// app/cli/fit.h — would a model run on this machine, and how fast?
//
// Its memory follows from its tensors: the weights, and K and V per token of context. An upper
// bound of its speed is the rate at which the machine reads as many bytes as a token does, measured
// here in a fraction of a second, divided by these bytes. Of a small model that is a cache's rate.
#ifndef APP_FIT_H
#define APP_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/model/gguf.h"
#include "engine/model/model_config.h"

struct fit_need {
    size_t weight_bytes;
    size_t active_bytes;   // the part that one token reads: not all experts, no idle embedding
    size_t kv_token_bytes; // of layers with full attention; 0: unknown, or none
    struct fit_window {
        size_t token_bytes; // of all layers with this window, per token in it
        int64_t tokens;
    } windows[KV_GROUPS]; // and states, as short windows
    int window_count;
    int64_t context; // trained length; -1: unknown
};

struct fit {
    char machine[96];   // "AMD EPYC, 2 threads, avx2"; "" if it could not be measured
    char refused[160];  // why not, as QUIRE_ISA may be wrong
    size_t memory_free; // bytes
    bool card;          // memory_free is a GPU's
    char trial[96];     // GPU only: where its kernels have been tested
    bool holds;         // the weights and some context fit
    int64_t context;    // tokens that fit besides the weights, at most the trained length
    double tokens_s;    // upper bound, at a short context; 0: it could not be measured
};

// Computes the need from the tensors. Experts count by the share that a token uses, used / experts.
struct fit_need fit_need_of(const struct gguf *gguf, const struct fit_need *shape, int64_t experts,
                            int64_t used);

// Bytes of K and V of this type per token, and of the windows.
struct fit_need fit_kv_of(const struct model_config *config, enum dtype kv_type);

// All windows as one: their bytes per token together, and the tokens of the longest.
struct fit_window fit_windows(const struct fit_need *need);

// Total bytes with `context` tokens.
size_t fit_bytes(const struct fit_need *need, int64_t context);

// Describes the machine: the GPU if there is one and `card` is set, else the CPU. False: it could
// not be opened.
bool fit_machine(bool card, struct fit *fit);

// The same device with `threads` threads (0: all): what fits, and how fast it would be.
void fit_measure(const struct fit_need *need, bool card, int32_t threads, struct fit *fit);

#endif
