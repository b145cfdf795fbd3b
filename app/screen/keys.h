// app/screen/keys.h — which keys do a terminal's bytes mean?
//
// Bytes go in as they are read, and whole keys come out. Newer key reports (CSI u, modifyOtherKeys)
// are translated to what other terminals send; Shift-Enter and Ctrl-Enter become ^J. A paste is one
// key, however long.
//
//   a, ^A, a byte of é, ESC b (Alt-b)    KEY_BYTES     as they are
//   ESC [ A, ESC O P, ESC [ 1 5 ~        KEY_SEQUENCE  to be dropped if unknown
//   ESC alone                            KEY_SEQUENCE  with the code KEY_ESCAPE
//   ESC [ 200 ~ … ESC [ 201 ~            KEY_PASTE     line ends become \n, NULs are dropped
//
// Source: ECMA-48, section 5.4 (control sequences); xterm's ctlseqs (modifyOtherKeys, bracketed
// paste); fixterms and the kitty keyboard protocol (CSI u).
//
// Embedded by its owner, {0} is empty. Memory: owned, keys_deinit(). Threads: no state.
#ifndef APP_SCREEN_KEYS_H
#define APP_SCREEN_KEYS_H

#include <stdbool.h>

#include "kernels/base/text.h"

enum { KEY_MOST_BYTES = 32 }; // per sequence; a longer one is dropped

enum key_kind { KEY_NONE, KEY_BYTES, KEY_SEQUENCE, KEY_PASTE };

enum key_code { // usual meaning of a sequence; values above all bytes
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
    struct text in; // bytes from `at` on are not keys yet
    size_t at;
    bool pasting;
    struct text pasted;
};

void keys_deinit(struct keys *keys);
MUST_CHECK enum status keys_put(struct keys *keys, const char *bytes, size_t length);

// The next whole key; KEY_NONE: needs more bytes. `ended`: no more will follow in time, so treat
// what is there as complete. If memory is short during a paste, the paste is lost.
enum key_kind keys_next(struct keys *keys, bool ended, struct key *key);

// Puts a byte before the keys that follow, as if it had not been read yet.
MUST_CHECK enum status keys_put_back(struct keys *keys, char byte);

// Removes ^C from the bytes that are not keys yet and keeps the rest. True if there was one; a
// pasted ^C does not count.
bool keys_take_interrupt(struct keys *keys);

// Is the next key a character or a paste, not a blank or a control?
bool keys_begin_word(const struct keys *keys);

// Has a key begun that the next bytes could complete? False within a paste, which may take long.
bool keys_are_partial(const struct keys *keys);

#endif
