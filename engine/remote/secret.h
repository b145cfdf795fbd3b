// engine/remote/secret.h — the key of a server, kept out of everything that the server says.
//
// A server that repeats the key does so as it is, percent-encoded, in base64 (where each of three
// alignments looks different), or with the escapes of JSON. Each of these forms is replaced by four
// asterisks, whatever its length, which is nobody's business either. No form is shorter, so a text
// can be masked where it stands. One that comes in pieces goes through a reader, which holds back
// what may become the key.
//
// A key that everybody knows ("none", "EMPTY", "ollama"), for servers that want none, is no secret;
// nor is one of fewer than four bytes.
//
// Method: one automaton of Knuth, Morris and Pratt for each form, so time is linear in the text
// whatever a server sends.
//
// Memory: owned; {0} has no key. Threads: a secret is only read once it is set.
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
        uint32_t
            *fallback; // [length] the longest prefix that also ends at each byte, the KMP table
    } forms[SECRET_FORMS];
    int count;
};

MUST_CHECK enum status secret_set(struct secret *secret, const char *key, size_t length);
void secret_deinit(struct secret *secret);

// Masks a whole text where it stands. Returns its length then; behind a shorter one is a NUL.
size_t secret_hide(const struct secret *secret, char *bytes, size_t length);

struct secret_reader { // {0} begins, with its secret
    const struct secret *secret;
    struct text held;
    uint32_t matched[SECRET_FORMS]; // bytes of each form that `held` ends with
};

// Appends to `out` what is certain.
MUST_CHECK enum status secret_read(struct secret_reader *reader, const char *bytes, size_t length,
                                   struct text *out);
MUST_CHECK enum status secret_read_end(struct secret_reader *reader, struct text *out); // the rest
void secret_reader_deinit(struct secret_reader *reader); // leaves it empty, with its secret

#endif
