#include "prompts/preamble.h"

#include <string.h>

static const char *const MARKS[] = {"USER:", "ASSISTANT:"}; // of the odd parts, of the even ones

struct reading {
    const char *bytes;
    size_t length, at, line; // line: number of the current line, from 1
    struct text *preamble;
    size_t parts;      // begun so far; 0: still in the system prompt
    size_t part_begin; // in *preamble
    size_t part_line;
};

static enum status refuse_preamble(size_t line, const char *why, struct error *err) {
    return error_set(err, STATUS_BAD_INPUT, "line %zu: %s", line, why);
}

static size_t line_length(const char *bytes, size_t length) {
    const char *end = memchr(bytes, '\n', length);
    return end ? (size_t)(end - bytes) : length;
}

static bool is_blank_byte(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

// Which mark does the line begin with? Its index, or -1.
static int mark_of(const char *line, size_t length) {
    for (int i = 0; i < 2; i++)
        if (length >= strlen(MARKS[i]) && memcmp(line, MARKS[i], strlen(MARKS[i])) == 0) return i;
    return -1;
}

static enum status check_bytes(const char *bytes, size_t length, struct error *err) {
    size_t offset, line = 1;
    const bool valid = length == 0 || utf8_valid(bytes, length, &offset);
    for (size_t i = 0; i < (valid ? length : offset); i++) {
        line += bytes[i] == '\n';
        if (bytes[i] == '\0' || bytes[i] == PREAMBLE_SEPARATOR)
            return refuse_preamble(line, "contains a control character, NUL or U+001E", err);
    }
    return valid ? STATUS_OK : refuse_preamble(line, "is not UTF-8 text", err);
}

// Trims blanks around the part that ends here; a part of a pair must not be empty.
static enum status end_part(struct reading *reading, struct error *err) {
    struct text *preamble = reading->preamble;
    size_t begin = reading->part_begin;
    while (preamble->length > begin && is_blank_byte(preamble->bytes[preamble->length - 1]))
        preamble->length--;
    while (begin < preamble->length && is_blank_byte(preamble->bytes[begin]))
        begin++;
    const size_t length = preamble->length - begin;
    if (length > 0) memmove(preamble->bytes + reading->part_begin, preamble->bytes + begin, length);
    preamble->length = reading->part_begin + length;
    if (preamble->bytes) preamble->bytes[preamble->length] = '\0';
    if (length > 0 || reading->parts == 0) return STATUS_OK;
    return refuse_preamble(reading->part_line, "the message after the mark is empty", err);
}

static enum status begin_part(struct reading *reading, int mark, struct error *err) {
    static const char separator = PREAMBLE_SEPARATOR;
    TRY(end_part(reading, err));
    if ((int)(reading->parts % 2) != mark)
        return refuse_preamble(reading->line,
                               mark ? "ASSISTANT: without USER: before it"
                                    : "USER: without ASSISTANT: before it",
                               err);
    if (reading->parts + 2 > PREAMBLE_MAX_PARTS)
        return refuse_preamble(reading->line, "more than 128 pairs", err);
    TRY(text_append(reading->preamble, &separator, 1));
    reading->parts++;
    reading->part_begin = reading->preamble->length;
    reading->part_line = reading->line;
    return STATUS_OK;
}

static enum status read_lines(struct reading *reading, struct error *err) {
    bool comments = true;
    for (; reading->at < reading->length; reading->line++) {
        const char *line = reading->bytes + reading->at;
        size_t length = line_length(line, reading->length - reading->at);
        reading->at += length + 1;
        comments = comments && length > 0 && line[0] == '#';
        if (comments) continue;
        const int mark = mark_of(line, length);
        if (mark >= 0) {
            TRY(begin_part(reading, mark, err));
            line += strlen(MARKS[mark]);
            length -= strlen(MARKS[mark]);
        }
        if (length > 0 && line[length - 1] == '\r') length--;
        TRY(text_append(reading->preamble, line, length));
        TRY(text_append(reading->preamble, "\n", 1));
    }
    TRY(end_part(reading, err));
    if (reading->parts % 2 == 0) return STATUS_OK;
    return refuse_preamble(reading->part_line, "USER: without ASSISTANT: after it", err);
}

enum status preamble_read(const char *bytes, size_t length, struct text *preamble,
                          struct error *err) {
    const size_t before = preamble->length;
    struct reading reading = {
        .bytes = bytes, .length = length, .line = 1, .preamble = preamble, .part_begin = before};
    TRY(check_bytes(bytes, length, err));
    const enum status status = read_lines(&reading, err);
    if (status == STATUS_OK) return status;
    preamble->length = before;
    if (preamble->bytes) preamble->bytes[before] = '\0';
    return status;
}

enum status preamble_check_system(const char *text, size_t length, struct error *err) {
    if (!memchr(text, '\0', length) && !memchr(text, PREAMBLE_SEPARATOR, length)) return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT,
                     "the system prompt contains a control character, NUL or U+001E");
}

// Splits at the separators; 0 when it is not a preamble with turns.
static size_t split_parts(const char *preamble, size_t length,
                          struct chat_message parts[PREAMBLE_MAX_PARTS]) {
    size_t count = 0;
    for (size_t at = 0; at <= length;) {
        const char *end = memchr(preamble + at, PREAMBLE_SEPARATOR, length - at);
        const size_t bytes = end ? (size_t)(end - preamble) - at : length - at;
        if (count == PREAMBLE_MAX_PARTS || (count > 0 && bytes == 0)) return 0;
        parts[count] = (struct chat_message){count == 0  ? ROLE_SYSTEM
                                             : count % 2 ? ROLE_USER
                                                         : ROLE_ASSISTANT,
                                             preamble + at, bytes};
        count++;
        at += bytes + 1;
    }
    return count % 2 == 1 ? count : 0;
}

size_t preamble_messages(const char *preamble, size_t length,
                         struct chat_message parts[PREAMBLE_MAX_PARTS]) {
    size_t count = split_parts(preamble, length, parts);
    if (count == 0) {
        parts[0] = (struct chat_message){ROLE_SYSTEM, preamble, length};
        count = 1;
    }
    if (parts[0].length > 0) return count;
    memmove(parts, parts + 1, (count - 1) * sizeof parts[0]);
    return count - 1;
}

size_t preamble_shots(const char *preamble) {
    struct chat_message parts[PREAMBLE_MAX_PARTS];
    const size_t count = split_parts(preamble, strlen(preamble), parts);
    return count / 2;
}

enum status preamble_join(const char *system, const char *shots, struct text *preamble) {
    const char *end = strchr(system, PREAMBLE_SEPARATOR),
               *begin = strchr(shots, PREAMBLE_SEPARATOR);
    TRY(text_append(preamble, system, end ? (size_t)(end - system) : strlen(system)));
    return begin ? text_append_string(preamble, begin) : STATUS_OK;
}

enum status preamble_show(const char *preamble, struct text *out) {
    struct chat_message parts[PREAMBLE_MAX_PARTS];
    const size_t count = preamble_messages(preamble, strlen(preamble), parts);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) TRY(text_append_string(out, parts[i].role == ROLE_USER ? "\n\n" : "\n"));
        if (parts[i].role != ROLE_SYSTEM)
            TRY(text_format(out, "%s ", MARKS[parts[i].role == ROLE_ASSISTANT]));
        TRY(text_append(out, parts[i].text, parts[i].length));
    }
    return STATUS_OK;
}

const char *preamble_comment(const char *bytes, size_t length, size_t *comment_length) {
    size_t end = line_length(bytes, length), begin = 0;
    *comment_length = 0;
    if (end == 0 || bytes[0] != '#') return bytes;
    while (begin < end && (bytes[begin] == '#' || is_blank_byte(bytes[begin])))
        begin++;
    while (end > begin && is_blank_byte(bytes[end - 1]))
        end--;
    *comment_length = end - begin;
    return bytes + begin;
}
