// engine/tokenizer/normalizer.h — how a text is changed before it is cut and merged.
//
// A list of steps in the order of a tokenizer.json. Unicode's normal forms are those of UAX 15,
// by libunistring. Ill-formed UTF-8 is left as it is, and the text before and after it is
// normalised as if it stood alone.
//
// Memory: owned. Immutable once its steps are in; any number of threads may apply it.
#ifndef ENGINE_NORMALIZER_H
#define ENGINE_NORMALIZER_H

#include "engine/tokenizer/expression.h"
#include "kernels/base/text.h"

enum { NORMALIZER_MAX_STEPS = 16, NORMALIZER_TEXT_BYTES = 32 };

enum normalizer_kind {
    NORMALIZE_NFC,
    NORMALIZE_NFD,
    NORMALIZE_NFKC,
    NORMALIZE_NFKD,
    NORMALIZE_LOWERCASE,
    NORMALIZE_STRIP_LEFT,  // whitespace
    NORMALIZE_STRIP_RIGHT, // the same at the end
    NORMALIZE_PREPEND,     // `with`, before any text that is not empty
    NORMALIZE_BEGIN_WITH,  // the same unless the text begins with it
    NORMALIZE_BEGIN_FIRST, // the same for the first text of an input
    NORMALIZE_REPLACE,     // each match of `expression` by `with`
};

struct normalizer_step {
    enum normalizer_kind kind;
    struct expression *expression; // owned, or NULL
    char with[NORMALIZER_TEXT_BYTES];
    size_t with_length;
};

struct normalizer { // {0} changes nothing
    struct normalizer_step steps[NORMALIZER_MAX_STEPS];
    size_t count;
};

// The step's expression moves in, also on failure. UNSUPPORTED: too many steps.
MUST_CHECK enum status normalizer_add(struct normalizer *normalizer, struct normalizer_step step,
                                      struct error *err);
void normalizer_deinit(struct normalizer *normalizer); // {0} is fine

// Overwrites *out, which must not hold bytes[0..length). `first`: nothing of the input comes
// before this text. TOO_LONG: more than `limit` bytes in between or at the end.
MUST_CHECK enum status normalizer_apply(const struct normalizer *normalizer, const char *bytes,
                                        size_t length, bool first, size_t limit, struct text *out);

#endif
