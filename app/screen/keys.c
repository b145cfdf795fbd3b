#include "app/screen/keys.h"

#include <string.h>

#include "kernels/base/assert.h"

enum {
    ESCAPE = 27,
    ENTER = 13,
    DELETE = 127,
    PARAMETERS = 3,
    NUMBER_MOST = 0x10FFFF,
    SHIFT = 1, // bits of a modifier, less 1
    ALT = 2,
    CONTROL = 4,
    FUNCTIONAL_FROM = 0xE000, // private characters, which stand for keys without a character
    FUNCTIONAL_TO = 0xF8FF,
    PASTE_BEGINS = 200,
    RELEASED = 3, // the event of a key that went up
};

static const char PASTE_BEGIN[] = "\033[200~", PASTE_END[] = "\033[201~";
enum { PASTE_BEGIN_BYTES = sizeof PASTE_BEGIN - 1, PASTE_END_BYTES = sizeof PASTE_END - 1 };

void keys_deinit(struct keys *keys) {
    text_deinit(&keys->in);
    text_deinit(&keys->pasted);
    *keys = (struct keys){0};
}

enum status keys_put(struct keys *keys, const char *bytes, size_t length) {
    return text_append(&keys->in, bytes, length);
}

enum status keys_put_back(struct keys *keys, char byte) {
    if (keys->at > 0) {
        keys->in.bytes[--keys->at] = byte;
        return STATUS_OK;
    }
    TRY(text_append(&keys->in, "", 1));
    memmove(keys->in.bytes + 1, keys->in.bytes, keys->in.length - 1);
    keys->in.bytes[0] = byte;
    return STATUS_OK;
}

static size_t left(const struct keys *keys) { return keys->in.length - keys->at; }

static void consume(struct keys *keys, size_t length) {
    ASSERT(length <= left(keys));
    keys->at += length;
    if (left(keys) > 0) return;
    text_clear(&keys->in);
    keys->at = 0;
}

bool keys_begin_word(const struct keys *keys) {
    const char *begin = text_string(&keys->in) + keys->at;
    const unsigned char byte = left(keys) > 0 ? (unsigned char)*begin : 0;
    const bool pasted =
        left(keys) >= PASTE_BEGIN_BYTES && memcmp(begin, PASTE_BEGIN, PASTE_BEGIN_BYTES) == 0;
    return !keys->pasting && (pasted || (byte > ' ' && byte != DELETE));
}

bool keys_are_partial(const struct keys *keys) { return !keys->pasting && left(keys) > 0; }

bool keys_take_interrupt(struct keys *keys) {
    enum { INTERRUPT = 'C' & 0x1F };
    char *begin = keys->in.bytes + keys->at, *found = NULL;
    if (left(keys) > 0 && !keys->pasting &&
        !memmem(begin, left(keys), PASTE_BEGIN, PASTE_BEGIN_BYTES))
        found = memchr(begin, INTERRUPT, left(keys));
    if (!found) return false;
    memmove(found, found + 1, left(keys) - (size_t)(found - begin)); // its NUL too
    keys->in.length--;
    return true;
}

// Consumes the bytes and makes them a key.
static void read_bytes(struct keys *keys, size_t length, enum key_kind kind, struct key *key) {
    ASSERT(length <= sizeof key->bytes);
    memcpy(key->bytes, keys->in.bytes + keys->at, length);
    key->length = length;
    key->kind = kind;
    consume(keys, length);
}

static void read_escape(struct keys *keys, struct key *key) {
    key->code = KEY_ESCAPE;
    read_bytes(keys, 1, KEY_SEQUENCE, key);
}

// ---- a paste

// Works in place: terminals send \r for a line's end, and copied text may have \r\n.
static void clean_paste(struct text *text) {
    size_t to = 0;
    for (size_t at = 0; at < text->length; at++) {
        const char byte = text->bytes[at];
        if (byte == '\r' && at + 1 < text->length && text->bytes[at + 1] == '\n') continue;
        if (byte != '\0') text->bytes[to++] = byte == '\r' ? '\n' : byte;
    }
    if (text->bytes) text->bytes[to] = '\0';
    text->length = to;
}

static void next_of_paste(struct keys *keys, struct key *key) {
    const char *from = text_string(&keys->in) + keys->at;
    const char *end = memmem(from, left(keys), PASTE_END, PASTE_END_BYTES);
    const size_t unsure = left(keys) < PASTE_END_BYTES ? left(keys) : PASTE_END_BYTES - 1;
    const size_t length = end ? (size_t)(end - from) : left(keys) - unsure;
    const enum status ignored = text_append(&keys->pasted, from, length);
    (void)ignored;
    consume(keys, length);
    if (!end) return;
    consume(keys, PASTE_END_BYTES);
    keys->pasting = false;
    clean_paste(&keys->pasted);
    key->kind = KEY_PASTE;
    key->paste = &keys->pasted;
}

// ---- sequences

static enum key_code code_of(char final, int number) {
    if (final == 'A') return KEY_UP;
    if (final == 'B') return KEY_DOWN;
    if (final == 'H' || (final == '~' && (number == 1 || number == 7))) return KEY_HOME;
    if (final == 'F' || (final == '~' && (number == 4 || number == 8))) return KEY_END;
    if (final == '~' && number == 5) return KEY_PAGE_UP;
    if (final == '~' && number == 6) return KEY_PAGE_DOWN;
    return KEY_OTHER;
}

struct parameters {
    int numbers[PARAMETERS];
    int event; // of the second
    int count;
};

// "13;2:1u": drops everything after a colon, except the second number's event.
static struct parameters read_parameters(const char *bytes, size_t length) {
    struct parameters read = {.count = length > 0};
    bool behind_colon = false;
    for (size_t at = 0; at < length && read.count <= PARAMETERS; at++) {
        const char byte = bytes[at];
        int *number = behind_colon ? &read.event : &read.numbers[read.count - 1];
        if (byte == ';') read.count++;
        if (byte == ';' || byte == ':') behind_colon = byte == ':';
        const bool counts = byte >= '0' && byte <= '9' && (!behind_colon || read.count == 2);
        if (counts && *number < NUMBER_MOST / 10) *number = *number * 10 + byte - '0';
    }
    if (read.count > PARAMETERS) read.count = PARAMETERS;
    return read;
}

static void put_byte(struct key *key, char byte) { key->bytes[key->length++] = byte; }

// A character with modifiers, as terminals sent it before they could say both.
static void translate(int character, int modifiers, struct key *key) {
    const bool letter = character >= '@' && character <= '~';
    if (character <= 0 || (character >= FUNCTIONAL_FROM && character <= FUNCTIONAL_TO)) return;
    key->kind = character == ESCAPE ? KEY_SEQUENCE : KEY_BYTES;
    key->code = character == ESCAPE ? KEY_ESCAPE : KEY_OTHER;
    key->length = 0;
    if (character == ENTER && (modifiers & (SHIFT | CONTROL))) {
        put_byte(key, '\n');
        return;
    }
    if (modifiers & ALT) put_byte(key, ESCAPE);
    if ((modifiers & CONTROL) && letter)
        put_byte(key, (char)(character & 0x1F));
    else if ((modifiers & CONTROL) && character == ' ')
        put_byte(key, '\0');
    else if ((modifiers & SHIFT) && character >= 'a' && character <= 'z')
        put_byte(key, (char)(character - 'a' + 'A'));
    else
        key->length += utf8_encode((uint32_t)character, key->bytes + key->length);
}

// Reads a complete control sequence of `length` bytes. False: it makes no key.
static bool read_sequence(struct keys *keys, size_t length, struct key *key) {
    const char *bytes = keys->in.bytes + keys->at;
    const char final = bytes[length - 1];
    const struct parameters read = read_parameters(bytes + 2, length - 3);
    const int first = read.numbers[0], second = read.numbers[1];
    const int modifiers = second > 0 ? second - 1 : 0;
    key->code = code_of(final, first);
    if (final == 'u' || (final == '~' && first == 27 && read.count == 3)) {
        consume(keys, length);
        if (read.event != RELEASED)
            translate(final == 'u' ? first : read.numbers[2], modifiers, key);
        return key->kind != KEY_NONE;
    }
    keys->pasting = final == '~' && first == PASTE_BEGINS;
    if (keys->pasting) text_clear(&keys->pasted);
    if (keys->pasting || length > KEY_MOST_BYTES || read.event == RELEASED) {
        consume(keys, length);
        return false;
    }
    read_bytes(keys, length, KEY_SEQUENCE, key);
    return true;
}

static bool in_range(char byte, char from, char to) { return byte >= from && byte <= to; }

// How long the control sequence is that begins here; 0: its end is not there yet. One that is
// broken ends before the byte that cannot be in it, and then *whole is false.
static size_t sequence_length(const struct keys *keys, bool *whole) {
    const char *bytes = keys->in.bytes + keys->at;
    size_t at = 2;
    *whole = true;
    if (left(keys) > at && bytes[at] == '[') // ESC [ [ A: a function key of Linux's console
        return left(keys) > at + 1 ? at + 2 : 0;
    while (at < left(keys) && in_range(bytes[at], ' ', '?'))
        at++;
    if (at == left(keys)) return 0;
    *whole = in_range(bytes[at], '@', '~');
    return *whole ? at + 1 : at;
}

// True when it came to a key, or needs more bytes.
static bool next_sequence(struct keys *keys, bool ended, struct key *key) {
    bool whole;
    const size_t length = sequence_length(keys, &whole);
    if (length == 0) {
        if (ended) consume(keys, left(keys));
        return true;
    }
    if (whole) return read_sequence(keys, length, key);
    consume(keys, length);
    return false;
}

// ESC O and a letter.
static bool next_function_key(struct keys *keys, bool ended, struct key *key) {
    if (left(keys) < 3) {
        if (ended) consume(keys, left(keys));
        return true;
    }
    key->code = code_of(keys->in.bytes[keys->at + 2], 0);
    read_bytes(keys, 3, KEY_SEQUENCE, key);
    return true;
}

// True when it came to a key, or needs more bytes.
static bool next_escape(struct keys *keys, bool ended, struct key *key) {
    const char *bytes = keys->in.bytes + keys->at;
    const size_t length = left(keys);
    if (length == 1) {
        if (!ended) return true;
        read_escape(keys, key);
        return true;
    }
    if (bytes[1] == '[') return next_sequence(keys, ended, key);
    if (bytes[1] == 'O') return next_function_key(keys, ended, key);
    if (bytes[1] == '/' || (unsigned char)bytes[1] >= 0x80) { // Esc, and then a line that begins so
        read_escape(keys, key);
        return true;
    }
    if (bytes[1] != ESCAPE) {
        read_bytes(keys, 2, KEY_BYTES, key);
        return true;
    }
    if (length == 2 && !ended) return true;
    const bool alt = length > 2 && (bytes[2] == '[' || bytes[2] == 'O'); // and an arrow, say
    if (alt)
        consume(keys, 1);
    else
        read_escape(keys, key);
    return !alt;
}

enum key_kind keys_next(struct keys *keys, bool ended, struct key *key) {
    *key = (struct key){.kind = KEY_NONE};
    while (left(keys) > 0) {
        if (keys->pasting) {
            next_of_paste(keys, key);
            return key->kind;
        }
        if (keys->in.bytes[keys->at] != ESCAPE) {
            read_bytes(keys, 1, KEY_BYTES, key);
            return key->kind;
        }
        if (next_escape(keys, ended, key)) return key->kind;
    }
    return KEY_NONE;
}
