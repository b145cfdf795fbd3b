#include "app/base/verbatim.h"

#include <stdbool.h>
#include <string.h>

enum { FIRST = 0x10FD00 }; // near the end of the last private plane, where fonts have nothing

static const char BLANKS[] = " \t\n";

static bool begins_word(const char *text, size_t at) {
    return at == 0 || strchr(BLANKS, text[at - 1]) || text[at - 1] == '(';
}

static bool is_letter(char byte) { return (byte | 32) >= 'a' && (byte | 32) <= 'z'; }

static bool is_one_word(const char *text, size_t length) {
    size_t letters = 0;
    while (letters < length && is_letter(text[letters]))
        letters++;
    return letters > 0 && strspn(text + letters, BLANKS) == length - letters;
}

// Would the character be special if it had been typed?
static bool means_more(const char *text, size_t length, size_t at) {
    const char next = at + 1 < length ? text[at + 1] : '\n';
    switch (text[at]) {
    case '@':
        return true;
    case '/':
        return begins_word(text, at);
    case '\\':
        return next == '@' || next == '\n';
    case '"':
        return (at == 0 || text[at - 1] == '\n') && length - at >= 3 &&
               memcmp(text + at, "\"\"\"", 3) == 0;
    default:
        return false;
    }
}

static enum status append_mark(struct text *out, char character) {
    char bytes[UTF8_MAX_BYTES];
    const size_t used = utf8_encode((uint32_t)FIRST + (unsigned char)character, bytes);
    return text_append(out, bytes, used);
}

enum status verbatim_append(struct text *out, const char *text, size_t length) {
    size_t at = 0;
    if (is_one_word(text, length)) TRY(append_mark(out, text[at++]));
    for (; at < length; at++)
        TRY(means_more(text, length, at) ? append_mark(out, text[at])
                                         : text_append(out, text + at, 1));
    return STATUS_OK;
}

char verbatim_character(uint32_t code_point) {
    return code_point > FIRST && code_point < FIRST + 0x80 ? (char)(code_point - FIRST) : 0;
}

enum status verbatim_plain(struct text *out, const char *line, size_t length) {
    for (size_t at = 0, used; at < length; at += used) {
        const char character = verbatim_character(utf8_decode(line + at, length - at, &used));
        TRY(character ? text_append(out, &character, 1) : text_append(out, line + at, used));
    }
    return STATUS_OK;
}

static size_t word_length(const char *word) {
    size_t length = 0;
    while (word[length] && !strchr(BLANKS, word[length]))
        length++;
    return length;
}

// Works word by word, because the other program may have moved words.
enum status verbatim_restore(struct text *out, const char *line, const char *edited) {
    struct text marked = {0};
    enum status status = STATUS_OK;
    while (*edited && status == STATUS_OK) {
        const size_t length = word_length(edited);
        text_clear(&marked);
        status = verbatim_append(&marked, edited, length);
        const bool known = marked.length > length && strstr(line, text_string(&marked));
        if (status == STATUS_OK)
            status = known ? text_append(out, marked.bytes, marked.length)
                           : text_append(out, edited, length);
        edited += length;
        if (status == STATUS_OK && *edited) status = text_append(out, edited++, 1);
    }
    text_deinit(&marked);
    return status;
}
