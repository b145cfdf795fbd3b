// tests/fuzz/fuzz_keys.c — any bytes from a terminal: every key is bounded, and the same keys come
// whether the bytes arrive at once or one by one.
#include <stdint.h>
#include <string.h>

#include "app/screen/keys.h"
#include "kernels/base/assert.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void note(struct text *noted, const struct key *key) {
    ASSERT(key->length <= KEY_MOST_BYTES);
    ASSERT(text_format(noted, "%d %d ", (int)key->kind,
                       key->kind == KEY_SEQUENCE ? (int)key->code : 0) == STATUS_OK);
    ASSERT(text_append(noted, key->bytes, key->length) == STATUS_OK);
    if (key->kind != KEY_PASTE) return;
    ASSERT(!memchr(text_string(key->paste), '\0', key->paste->length));
    ASSERT(text_append(noted, text_string(key->paste), key->paste->length) == STATUS_OK);
}

static void note_keys(struct keys *keys, bool ended, struct text *noted) {
    for (struct key key = {0}; keys_next(keys, ended, &key) != KEY_NONE; key = (struct key){0})
        note(noted, &key);
}

static void read_keys(const uint8_t *bytes, size_t length, size_t part, struct text *noted) {
    struct keys keys = {0};
    for (size_t at = 0; at < length; at += part) {
        const size_t count = length - at < part ? length - at : part;
        ASSERT(keys_put(&keys, (const char *)bytes + at, count) == STATUS_OK);
        note_keys(&keys, false, noted);
    }
    note_keys(&keys, true, noted);
    ASSERT(!keys_are_partial(&keys));
    keys_deinit(&keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct text whole = {0}, parts = {0};
    read_keys(bytes, length, length + 1, &whole);
    read_keys(bytes, length, 1, &parts);
    ASSERT(whole.length == parts.length);
    ASSERT(memcmp(text_string(&whole), text_string(&parts), whole.length) == 0);
    text_deinit(&whole);
    text_deinit(&parts);
    return 0;
}
