#include "engine/remote/answer_text.h"

#include <string.h>

#include "engine/tokenizer/thinking.h"
#include "kernels/base/assert.h"

enum { LEAD_OF_HALF = 0xed, LEAD_OF_MARK = 0xef };

static const char OPEN[] = "<think>\n", CLOSE[] = "\n</think>\n\n", BLANKS[] = " \t\r\n";

void answer_text_begin(struct answer_text *answer, const struct secret *secret,
                       enum answer_state state) {
    answer_text_deinit(answer);
    answer->state = state;
    answer->watches = state == ANSWER_NEW;
    answer->answered = state == ANSWER_ANSWERS || state == ANSWER_THINKS_AGAIN;
    answer->text.reader.secret = answer->thought.reader.secret = secret;
}

void answer_text_deinit(struct answer_text *answer) {
    secret_reader_deinit(&answer->text.reader);
    secret_reader_deinit(&answer->thought.reader);
    text_deinit(&answer->held);
    *answer = (struct answer_text){0};
}

// ---- characters

static enum status put_code(struct text *out, uint32_t code) {
    char bytes[UTF8_MAX_BYTES];
    return text_append(out, bytes, utf8_encode(code, bytes));
}

static enum status end_high(struct answer_part *part, struct text *out) {
    if (!part->high) return STATUS_OK;
    part->high = 0;
    return put_code(out, UTF8_REPLACEMENT);
}

static enum status end_begun(struct answer_part *part, struct text *out) {
    if (part->begun_bytes == 0) return STATUS_OK;
    TRY(end_high(part, out));
    const size_t count = (size_t)part->begun_bytes;
    part->begun_bytes = 0;
    return text_append(out, part->begun, count);
}

// The three bytes of half a pair, or of a mark that only quire writes.
static enum status end_three(struct answer_part *part, struct text *out) {
    const unsigned char *bytes = (const unsigned char *)part->begun;
    const uint32_t code = (bytes[0] & 15u) << 12 | (bytes[1] & 63u) << 6 | (bytes[2] & 63u);
    part->begun_bytes = 0;
    if (bytes[0] == LEAD_OF_MARK) {
        TRY(end_high(part, out));
        const bool mark = code == 0xfdd0 || code == 0xfdd1;
        return mark ? put_code(out, UTF8_REPLACEMENT) : text_append(out, part->begun, 3);
    }
    if (code < 0xdc00) {
        TRY(end_high(part, out));
        part->high = code;
        return STATUS_OK;
    }
    const uint32_t high = part->high;
    part->high = 0;
    return put_code(out,
                    high ? 0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00) : UTF8_REPLACEMENT);
}

// Does the byte belong to the three that have begun?
static bool continues(const struct answer_part *part, unsigned char byte) {
    if (part->begun_bytes == 0) return byte == LEAD_OF_HALF || byte == LEAD_OF_MARK;
    const bool half = (unsigned char)part->begun[0] == LEAD_OF_HALF;
    if (part->begun_bytes == 1) return half ? byte >= 0xa0 && byte <= 0xbf : byte == 0xb7;
    return byte >= 0x80 && byte <= 0xbf;
}

static enum status join_part(struct answer_part *part, const struct text *text, struct text *out) {
    for (size_t i = 0; i < text->length; i++) {
        const char byte = text->bytes[i];
        if (!continues(part, (unsigned char)byte)) TRY(end_begun(part, out));
        if (continues(part, (unsigned char)byte)) {
            part->begun[part->begun_bytes++] = byte;
            if (part->begun_bytes == sizeof part->begun) TRY(end_three(part, out));
            continue;
        }
        TRY(end_high(part, out));
        TRY(text_append(out, &byte, 1));
    }
    return STATUS_OK;
}

// ---- what the server tells apart

static enum status close_thought(struct answer_text *answer, struct text *out) {
    const bool again = answer->state == ANSWER_THINKS_AGAIN;
    answer->state = ANSWER_ANSWERS;
    return text_append_string(out, again ? THINKING_CLOSE : CLOSE);
}

// Releases the held text up to `end`.
static enum status put_held(struct answer_text *answer, size_t end, struct text *out) {
    struct text *held = &answer->held;
    ASSERT(end <= held->length);
    if (end == 0) return STATUS_OK;
    TRY(text_append(out, held->bytes, end));
    answer->last = held->bytes[end - 1];
    memmove(held->bytes, held->bytes + end, held->length - end + 1);
    held->length -= end;
    answer->scanned = answer->scanned > end ? answer->scanned - end : 0;
    return STATUS_OK;
}

static bool is_blank_text(const struct text *text) {
    return strspn(text_string(text), BLANKS) == text->length;
}

static enum status put_thought(struct answer_text *answer, const struct text *thought,
                               struct text *out) {
    if (thought->length == 0) return STATUS_OK;
    const enum answer_state before = answer->state;
    answer->watches = false;
    if (before == ANSWER_NEW && is_blank_text(&answer->held)) {
        text_clear(&answer->held);
        answer->answered = false;
        answer->state = ANSWER_THINKS;
        TRY(text_append_string(out, OPEN));
    } else if (before == ANSWER_NEW || before == ANSWER_ANSWERS) {
        TRY(put_held(answer, answer->held.length, out));
        answer->state = ANSWER_THINKS_AGAIN;
        TRY(text_append_string(out, THINKING_OPEN));
    }
    TRY(put_held(answer, answer->held.length, out)); // white space between two parts of it
    return text_append(out, thought->bytes, thought->length);
}

// ---- what the model wrote

enum mark_kind { NO_MARK, MARK_BEGINS, OPENING, CLOSING };

// Which mark does the text begin with, and how long is it?
static enum mark_kind find_mark(const char *text, size_t length, size_t *mark_bytes) {
    struct thinking_form form;
    enum mark_kind kind = NO_MARK;
    for (size_t i = 0; thinking_mark(i, &form); i++) {
        const char *const marks[] = {form.open, form.thought ? form.close : NULL};
        for (int j = 0; j < 2; j++) {
            const size_t bytes = marks[j] ? strlen(marks[j]) : SIZE_MAX;
            if (!marks[j] || strcmp(marks[j], "<|end|>") == 0 ||
                memcmp(text, marks[j], bytes < length ? bytes : length) != 0)
                continue;
            *mark_bytes = bytes;
            if (bytes <= length) return j == 0 ? OPENING : CLOSING;
            kind = MARK_BEGINS;
        }
    }
    return kind;
}

// Does a closing mark between these two bytes end a thought, rather than being part of a sentence?
static bool ends_thought(char before, char after) {
    const bool in_line = after != '\n' && after != '\r';
    return !in_line || !before || !strchr(" \t`'\"([{", before);
}

// Everything before the mark at `at` was a thought.
static enum status end_unopened(struct answer_text *answer, size_t at, size_t mark_bytes,
                                struct text *out) {
    const bool shown = answer->state == ANSWER_ANSWERS;
    if (!shown) TRY(text_append_string(out, OPEN));
    TRY(put_held(answer, at, out));
    TRY(text_append_string(out, shown ? THINKING_CLOSE : CLOSE));
    answer->state = ANSWER_ANSWERS;
    answer->watches = false;
    struct text mark = {0}; // it is dropped
    const enum status status = put_held(answer, mark_bytes, &mark);
    text_deinit(&mark);
    TRY(status);
    answer->answered = answer->held.length > 0;
    return put_held(answer, answer->held.length, out);
}

// Looks for marks in the held text. If there is none, *certain is where one may have begun.
static enum status scan(struct answer_text *answer, bool ended, size_t *certain, struct text *out) {
    const struct text *held = &answer->held;
    size_t at = answer->scanned, bytes = 0;
    for (; at < held->length; at++) {
        const char *text = held->bytes + at;
        if (*text != '<' && *text != '[' && *text != '\xe2') continue; // no mark begins so
        const enum mark_kind kind = find_mark(text, held->length - at, &bytes);
        if (kind == OPENING) { // the model marks its thoughts itself, or speaks of marks
            answer->watches = false;
            answer->state = ANSWER_ANSWERS;
            return put_held(answer, held->length, out);
        }
        if (kind == MARK_BEGINS && !ended) break;
        if (kind != CLOSING) continue;
        if (at + bytes == held->length && !ended) break; // what follows decides
        const char before = at ? text[-1] : answer->last;
        const char after = at + bytes < held->length ? text[bytes] : '\n';
        if (ends_thought(before, after)) return end_unopened(answer, at, bytes, out);
    }
    *certain = answer->scanned = at;
    return STATUS_OK;
}

static enum status put_text(struct answer_text *answer, const struct text *text, struct text *out) {
    if (text->length == 0) return STATUS_OK;
    TRY(text_append(&answer->held, text->bytes, text->length));
    if (answer->state == ANSWER_THINKS && is_blank_text(&answer->held)) {
        if (answer->held.length <= THINKING_HELD_BLANKS) return STATUS_OK;
    }
    answer->answered = true;
    if (answer->state == ANSWER_THINKS || answer->state == ANSWER_THINKS_AGAIN)
        TRY(close_thought(answer, out));
    size_t certain = answer->held.length;
    if (answer->watches) TRY(scan(answer, false, &certain, out));
    if (answer->state == ANSWER_NEW) {
        if (answer->held.length <= ANSWER_TEXT_MAX_HELD) return STATUS_OK;
        answer->state = ANSWER_ANSWERS;
    }
    return put_held(answer, certain < answer->held.length ? certain : answer->held.length, out);
}

// ---- all of it

static enum status end_part(struct answer_part *part, struct text *out) {
    struct text joined = {0};
    enum status status = end_begun(part, &joined);
    if (status == STATUS_OK) status = end_high(part, &joined);
    if (status == STATUS_OK)
        status = secret_read(&part->reader, text_string(&joined), joined.length, out);
    if (status == STATUS_OK) status = secret_read_end(&part->reader, out);
    text_deinit(&joined);
    return status;
}

static enum status add_part(struct answer_part *part, const struct text *bytes, struct text *out) {
    struct text joined = {0};
    enum status status = join_part(part, bytes, &joined);
    if (status == STATUS_OK)
        status = secret_read(&part->reader, text_string(&joined), joined.length, out);
    text_deinit(&joined);
    return status;
}

enum status answer_text_add(struct answer_text *answer, const struct text *thought,
                            const struct text *text, struct text *out) {
    struct text thoughts = {0}, texts = {0};
    enum status status = STATUS_OK;
    if (thought->length) { // so the text is over, for now
        status = end_part(&answer->text, &texts);
        if (status == STATUS_OK) status = put_text(answer, &texts, out);
        if (status == STATUS_OK) status = add_part(&answer->thought, thought, &thoughts);
        if (status == STATUS_OK) status = put_thought(answer, &thoughts, out);
    }
    text_clear(&texts);
    text_clear(&thoughts);
    if (text->length && status == STATUS_OK) {
        status = end_part(&answer->thought, &thoughts);
        if (status == STATUS_OK) status = put_thought(answer, &thoughts, out);
        if (status == STATUS_OK) status = add_part(&answer->text, text, &texts);
        if (status == STATUS_OK) status = put_text(answer, &texts, out);
    }
    text_deinit(&thoughts);
    text_deinit(&texts);
    return status;
}

bool answer_text_waits(const struct answer_text *answer) {
    return answer->state == ANSWER_NEW && answer->held.length > 0;
}

enum status answer_text_release(struct answer_text *answer, struct text *out) {
    if (!answer_text_waits(answer)) return STATUS_OK;
    answer->state = ANSWER_ANSWERS;
    return put_held(answer, answer->scanned, out);
}

enum status answer_text_end(struct answer_text *answer, bool whole, struct text *out) {
    struct text thoughts = {0}, texts = {0};
    size_t certain = 0;
    enum status status = end_part(&answer->thought, &thoughts);
    if (status == STATUS_OK) status = put_thought(answer, &thoughts, out);
    if (status == STATUS_OK) status = end_part(&answer->text, &texts);
    if (status == STATUS_OK) status = put_text(answer, &texts, out);
    text_deinit(&thoughts);
    text_deinit(&texts);
    TRY(status);
    if (answer->watches) TRY(scan(answer, true, &certain, out));
    if (answer->state == ANSWER_THINKS || answer->state == ANSWER_THINKS_AGAIN) {
        text_clear(&answer->held);
        return whole ? close_thought(answer, out) : STATUS_OK;
    }
    return put_held(answer, answer->held.length, out);
}
