// tests/fuzz/fuzz_import.c — any bytes as an exported conversation, and as a preamble: refused with
// a reason, or what is written of it reads as the same.
#include <stdint.h>
#include <string.h>

#include "app/chat/export.h"
#include "app/chat/import.h"
#include "kernels/base/assert.h"
#include "prompts/preamble.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_again(const struct import *import) {
    const struct conversation none = {0};
    const struct exported exported = {&none, "", import->messages, import->count};
    struct text text = {0};
    struct import again = {0};
    const enum status written = export_append(&exported, EXPORT_JSONL, &text);
    ASSERT(written == STATUS_OK);
    const enum status read = import_read(text.bytes, text.length, &again, NULL);
    ASSERT(read == STATUS_OK && again.count == import->count);
    for (size_t i = 0; i < again.count; i++) {
        ASSERT(again.messages[i].role == import->messages[i].role);
        ASSERT(again.messages[i].stop == import->messages[i].stop);
        ASSERT(strcmp(again.messages[i].text, import->messages[i].text) == 0);
    }
    import_deinit(&again);
    text_deinit(&text);
}

static void check_head(const char *bytes, size_t length) {
    struct text preamble = {0}, shown = {0};
    struct error err = {0};
    struct chat_message parts[PREAMBLE_MAX_PARTS];
    const enum status status = preamble_read(bytes, length, &preamble, &err);
    if (status == STATUS_OK) {
        const size_t count = preamble_messages(text_string(&preamble), preamble.length, parts);
        ASSERT(count <= PREAMBLE_MAX_PARTS && preamble_shots(text_string(&preamble)) <= count);
        const enum status showed = preamble_show(text_string(&preamble), &shown);
        ASSERT(showed == STATUS_OK);
    } else {
        ASSERT(err.text[0]);
    }
    text_deinit(&preamble);
    text_deinit(&shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct import import = {0};
    struct error err = {0};
    if (import_read((const char *)bytes, length, &import, &err) == STATUS_OK)
        check_again(&import);
    else
        ASSERT(err.text[0]);
    import_deinit(&import);
    check_head((const char *)bytes, length);
    return 0;
}
