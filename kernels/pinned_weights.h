// kernels/pinned_weights.h — which weights in host memory have a pinned copy?
//
// Pinned memory is never dropped by the system, and a card copies from it at full speed. Weights
// that cannot be pinned, or whose copies would leave too little memory to others, are used where
// they lie in the file, and locked there if the system allows it.
//
// Memory: owns the copies until deinit(). Threads: one at a time. Private to kernels/.
#ifndef PINNED_WEIGHTS_H
#define PINNED_WEIGHTS_H

#include "kernels/backend.h"

struct pinned_copy;

struct pinned_weights {         // zeros at first, except for the card
    const struct backend *card; // borrowed, as is the next
    struct device *on_card;
    struct pinned_copy *copies;
    struct weight largest; // of the copies; data NULL: there are no copies
    bool incomplete;       // some weights have no copy
    size_t granted_bytes;  // may still be pinned before free memory is looked at again
    size_t unpinned_bytes; // of weights without a copy, since the last report
    size_t unlocked_bytes; // of these, the bytes that the system may drop
};

// Makes a pinned copy of these weights, which *all owns. NULL: that is not possible; use the file's
// bytes.
const void *pinned_weights_copy(struct pinned_weights *all, const struct weight *in_file);

// Logs how many bytes have no copy, as a warning unless that was `expected`. Says nothing twice.
void pinned_weights_report(struct pinned_weights *all, bool expected);

void pinned_weights_deinit(struct pinned_weights *all);

#endif
