// engine/remote/secret.h — masks the API key in everything that a server sends.
//
// A server may echo the key as it is, percent-encoded, in base64 (which looks different in each of
// three alignments), or with JSON escapes. Each of these forms is replaced by four asterisks, so
// that not even its length shows. No form is shorter than that, so a text can be masked in place.
// Text that arrives in pieces goes through a reader, which holds back what could become the key.
//
// Well-known dummy keys ("none", "EMPTY", "ollama") for servers without one are not secret; nor are
// keys of fewer than four bytes.
//
// Method: one Knuth-Morris-Pratt automaton per form, so time is linear in the text whatever a
// server sends.
//
// Memory: owned; {0} has no key. Threads: a secret is read-only once set.
#ifndef ENGINE_REMOTE_SECRET_H
#define ENGINE_REMOTE_SECRET_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"
#include "kernels/base/text.h"

enum { SECRET_FORMS = 10 };

struct secret {
    struct secret_form {
        struct text bytes;
        uint32_t *fallback; // [length] the KMP table: longest prefix that also ends there
    } forms[SECRET_FORMS];
    int count;
};

MUST_CHECK enum status secret_set(struct secret *secret, const char *key, size_t length);
void secret_deinit(struct secret *secret);

// Masks a whole text in place and returns its new length. If that is shorter, a NUL follows the
// text.
size_t secret_hide(const struct secret *secret, char *bytes, size_t length);

struct secret_reader { // starts as {0} with its secret
    const struct secret *secret;
    struct text held;
    uint32_t matched[SECRET_FORMS]; // how many bytes of each form `held` ends with
};

// Appends to `out` the text that cannot become part of the key.
MUST_CHECK enum status secret_read(struct secret_reader *reader, const char *bytes, size_t length,
                                   struct text *out);
MUST_CHECK enum status secret_read_end(struct secret_reader *reader, struct text *out); // the rest
void secret_reader_deinit(struct secret_reader *reader); // leaves it empty but keeps the secret

#endif
