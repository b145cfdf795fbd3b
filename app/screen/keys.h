// app/screen/keys.h — which keys do the bytes of a terminal mean?
//
// Bytes go in as they are read, whole keys come out. Terminals that report keys in newer ways
// (CSI u, modifyOtherKeys) are translated into what all others send, so their users type the same
// characters; Shift-Enter and Ctrl-Enter become ^J. A paste is one key, however long.
//
//   a, ^A, a byte of é, ESC b (Alt-b)    KEY_BYTES     as they are
//   ESC [ A, ESC O P, ESC [ 1 5 ~        KEY_SEQUENCE  to be swallowed by whoever has no use for it
//   ESC, and nothing after it            KEY_SEQUENCE  with the code KEY_ESCAPE
//   ESC [ 200 ~ … ESC [ 201 ~            KEY_PASTE     line ends are \n, NULs are left out
//
// Source: ECMA-48, section 5.4 (control sequences); xterm's ctlseqs (modifyOtherKeys, bracketed
// paste); fixterms and the kitty keyboard protocol (CSI u).
//
// Embedded by its owner, {0} is empty. Memory: owned, keys_deinit(). No threads.
#ifndef APP_SCREEN_KEYS_H
#define APP_SCREEN_KEYS_H

#include <stdbool.h>

#include "kernels/base/text.h"

enum { KEY_MOST_BYTES = 32 }; // of a sequence; a longer one is swallowed

enum key_kind { KEY_NONE, KEY_BYTES, KEY_SEQUENCE, KEY_PASTE };

enum key_code { // what a sequence usually means, beyond the bytes
    KEY_OTHER = 256,
    KEY_UP,
    KEY_DOWN,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_HOME,
    KEY_END,
    KEY_ESCAPE,
};

struct key {
    enum key_kind kind;
    char bytes[KEY_MOST_BYTES]; // of KEY_BYTES and KEY_SEQUENCE
    size_t length;
    enum key_code code;       // of KEY_SEQUENCE
    const struct text *paste; // borrowed from the struct keys until the next call
};

struct keys {
    struct text in; // bytes that are not keys yet, from `at` on
    size_t at;
    bool pasting;
    struct text pasted;
};

void keys_deinit(struct keys *keys);
MUST_CHECK enum status keys_put(struct keys *keys, const char *bytes, size_t length);

// The next whole key; KEY_NONE: more bytes are needed. `ended`: none will follow in time, so what
// is there is all of it. NO_MEMORY in a paste loses the paste.
enum key_kind keys_next(struct keys *keys, bool ended, struct key *key);

// Takes ^C away from the bytes that are not keys yet, all else stays. A pasted one does not count.
bool keys_take_interrupt(struct keys *keys);

// Has a key begun that the next bytes may complete? Not so within a paste, which takes its time.
bool keys_begin_word(const struct keys *keys); // the next is a character, not a blank or a control
bool keys_are_partial(const struct keys *keys);

#endif
