// tests/fuzz/fuzz_markdown.c — any bytes as an answer, in any pieces and at any width: nothing that
// a terminal obeys goes out but our own escapes, and the pieces do not matter.
//
// The first byte is the width, the second how the rest is cut; the rest is the answer.
#include <locale.h>
#include <stdint.h>
#include <string.h>

#include "app/base/printable.h"
#include "app/screen/stream.h"
#include "app/screen/terminal.h"
#include "kernels/base/assert.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static struct text written;

static void append_written(const char *bytes, size_t length) {
    ASSERT(text_append(&written, bytes, length) == STATUS_OK);
}

// Styles, the erasing of a word or of a thought's rows.
static void check_output(const struct text *out) {
    const char *text = text_string(out);
    ASSERT(utf8_valid(text, out->length, NULL));
    for (size_t at = 0, used; at < out->length; at += used) {
        const uint32_t c = utf8_decode(text + at, out->length - at, &used);
        if (c == '\033') {
            ASSERT(text[at + 1] == '[');
            const size_t end = at + 2 + strspn(text + at + 2, "0123456789;");
            ASSERT(text[end] && strchr("mGKA", text[end]));
            used = end - at;
        } else {
            ASSERT(c == '\n' || c == '\t' || c == '\r' || (c >= 0x20 && c < 0x7F) || c >= 0xA0);
        }
    }
}

static size_t piece_at(const char *text, size_t at, size_t length, unsigned cut) {
    size_t end = at;
    for (unsigned n = cut ? 1 + (unsigned)(at * 7) % cut : (unsigned)length; n > 0 && end < length;
         n--) {
        size_t used;
        utf8_decode(text + end, length - end, &used);
        end += used;
    }
    return end - at;
}

static void render(const struct text *text, int width, unsigned cut, struct text *out) {
    struct markdown markdown = {.wrap = {.width = width}};
    const char *string = text_string(text);
    for (size_t at = 0, piece; at < text->length; at += piece) {
        piece = piece_at(string, at, text->length, cut);
        ASSERT(markdown_append(&markdown, string + at, piece, out) == STATUS_OK);
    }
    ASSERT(markdown_end(&markdown, out) == STATUS_OK);
    markdown_deinit(&markdown);
}

static void play_text(const char *text, size_t length, int width, unsigned cut) {
    const struct stream_options options = {
        .write = append_written,
        .width = width,
        .styled = width > 0,
        .markdown = width > 0,
        .thought = {
            .look = (enum thought_look)(cut % 3), .styled = width > 0, .width = width, .rows = 3}};
    struct stream stream;
    stream_begin(&stream, &options);
    for (size_t at = 0, piece; at < length; at += piece) {
        piece = piece_at(text, at, length, cut);
        stream_append(&stream, text + at, piece, 1);
        if (at % 97 == 96) stream_resize(&stream, 1 + (int)(at % 90));
    }
    stream_end(&stream);
    stream_deinit(&stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < 2) return 0;
    setlocale(LC_CTYPE, "C.UTF-8");
    const char *text = (const char *)bytes + 2;
    struct text harmless = {0}, at_once = {0}, in_pieces = {0};
    ASSERT(printable_text(text, length - 2, &harmless) == STATUS_OK);
    render(&harmless, bytes[0], 0, &at_once);
    render(&harmless, bytes[0], 1 + bytes[1] % 9, &in_pieces);
    check_output(&at_once);
    ASSERT(at_once.length == in_pieces.length);
    ASSERT(at_once.length == 0 || memcmp(at_once.bytes, in_pieces.bytes, at_once.length) == 0);
    text_clear(&written);
    play_text(text, length - 2, bytes[0], bytes[1] % 9);
    check_output(&written);
    text_deinit(&harmless);
    text_deinit(&at_once);
    text_deinit(&in_pieces);
    return 0;
}
