#include "engine/tokenizer/thinking.h"

#include <string.h>

// Sources: the chat templates that DeepSeek-R1 and Qwen3, Mistral (Magistral), ByteDance (Seed-OSS)
// and Moonshot (Kimi) published; OpenAI's description of the harmony format.
static const struct thinking_form MARKS[] = {
    {"<think>", "</think>", true},
    {"<thinking>", "</thinking>", true},
    {"[THINK]", "[/THINK]", true},
    {"<seed:think>", "</seed:think>", true},
    {"◁think▷", "◁/think▷", true},
    {"<|channel|>analysis<|message|>", "<|end|>", true},
    {"<|channel|>commentary<|message|>", "<|end|>", false},
    {"<|channel|>final<|message|>", "<|end|>", false},
    {"<|start|>assistant", NULL, false},
};
enum { MARK_COUNT = sizeof MARKS / sizeof MARKS[0] };

static const struct thinking_form AGAIN = {THINKING_OPEN, THINKING_CLOSE, true}; // in an answer
static const struct thinking_form LATE = {"", THINKING_CLOSE, true};             // all before it

static const char *const TOKENS[] = {"<think>",      "</think>",      "[THINK]",     "[/THINK]",
                                     "<seed:think>", "</seed:think>", "<|channel|>", "<|message|>",
                                     "<|end|>",      "<|start|>"};

static const char BLANKS[] = " \t\r\n";

static bool is_blank_byte(char c) { return c && strchr(BLANKS, c); }

// Is one of `string` and the text a prefix of the other?
static bool agree(const char *string, const char *text, size_t length) {
    const size_t bytes = strlen(string);
    return memcmp(string, text, bytes < length ? bytes : length) == 0;
}

// The first place where `string` stands or may still begin; the length if there is none.
static size_t find_string(const char *string, const char *text, size_t length) {
    const char *at = text;
    while ((at = memchr(at, string[0], length - (size_t)(at - text)))) {
        if (agree(string, at, length - (size_t)(at - text))) return (size_t)(at - text);
        at++;
    }
    return length;
}

static const char *rest_of(const struct thinking *thinking, size_t *length) {
    *length = thinking->held.length - thinking->taken;
    return text_string(&thinking->held) + thinking->taken;
}

// At the beginning: the mark there, if any. False: undecided until more text comes.
static bool find_mark(const char *text, size_t length, bool ended,
                      const struct thinking_form **mark) {
    *mark = NULL;
    for (size_t i = 0; i < MARK_COUNT; i++) {
        if (!agree(MARKS[i].open, text, length)) continue;
        if (strlen(MARKS[i].open) <= length)
            *mark = &MARKS[i];
        else if (!ended)
            return false;
    }
    return true;
}

// Is the rest a thought, as its end says that begins none?
static bool is_late(const char *text, size_t length) {
    const size_t end = find_string(THINKING_CLOSE, text, length);
    return length - end >= sizeof THINKING_CLOSE - 1 &&
           find_string(THINKING_OPEN, text, end) == end;
}

// Skips what stands before the answer, up to its text or a thought's. False: undecided until more
// text comes.
static bool pass_beginning(struct thinking *thinking, bool ended) {
    while (!thinking->mark && !thinking->answering) {
        const struct thinking_form *mark;
        size_t length, blanks = 0;
        const char *text = rest_of(thinking, &length);
        if (is_late(text, length)) {
            thinking->mark = &LATE;
            thinking->begun = false;
            thinking->past_mark = true;
            return true;
        }
        while (blanks < length && is_blank_byte(text[blanks]))
            blanks++;
        if (thinking->past_mark) {
            thinking->taken += blanks;
            text += blanks;
            length -= blanks;
            blanks = 0;
        }
        const bool many = blanks > THINKING_HELD_BLANKS;
        if (blanks == length && !ended && !many) return false;
        if (many)
            mark = NULL;
        else if (!find_mark(text + blanks, length - blanks, ended, &mark))
            return false;
        if (mark) thinking->taken += blanks;
        thinking->answering = !mark;
        if (!mark) break;
        thinking->taken += strlen(mark->open);
        thinking->past_mark = true;
        thinking->begun = false;
        if (mark->close) thinking->mark = mark;
    }
    return true;
}

// The text up to the closing mark, as far as it is certain.
static bool next_marked(struct thinking *thinking, bool ended, struct thinking_part *part) {
    const struct thinking_form *mark = thinking->mark;
    size_t length;
    const char *text = rest_of(thinking, &length);
    if (mark->thought && !thinking->begun) {
        const size_t blanks = strspn(text, BLANKS);
        thinking->taken += blanks;
        text += blanks;
        length -= blanks;
    }
    size_t end = find_string(mark->close, text, length);
    const bool closed = length - end >= strlen(mark->close);
    if (ended && !closed) end = length;
    const size_t taken = closed ? end + strlen(mark->close) : end;
    if (mark->thought)
        for (int i = 0; i < THINKING_HELD_BLANKS && end > 0 && is_blank_byte(text[end - 1]); i++)
            end--;
    thinking->taken +=
        closed || ended ? taken : end; // white space that may be its last is held back
    if (closed) thinking->mark = NULL;
    thinking->begun = thinking->begun || end > 0;
    *part = (struct thinking_part){mark->thought, text, end};
    return end > 0;
}

// The text up to the next thought, as far as it is certain.
static bool next_answer(struct thinking *thinking, bool ended, struct thinking_part *part) {
    size_t length;
    const char *text = rest_of(thinking, &length);
    const size_t opened = find_string(THINKING_OPEN, text, length);
    const size_t end = find_string(THINKING_CLOSE, text, opened);
    const bool open = length - opened >= sizeof THINKING_OPEN - 1;
    const bool late = opened - end >= sizeof THINKING_CLOSE - 1;
    const size_t certain = late || open || !ended ? end : length;
    thinking->taken += certain;
    *part = (struct thinking_part){false, text, certain};
    if (late)
        thinking->taken += sizeof THINKING_CLOSE - 1;
    else if (open)
        thinking->taken += sizeof THINKING_OPEN - 1;
    if (open && !late) {
        thinking->mark = &AGAIN;
        thinking->begun = false;
    }
    return certain > 0;
}

void thinking_deinit(struct thinking *thinking) { text_deinit(&thinking->held); }

enum status thinking_append(struct thinking *thinking, const char *text, size_t length) {
    struct text *held = &thinking->held;
    if (thinking->taken > 0) {
        held->length -= thinking->taken;
        memmove(held->bytes, held->bytes + thinking->taken, held->length + 1);
        thinking->taken = 0;
    }
    return text_append(held, text, length);
}

bool thinking_next(struct thinking *thinking, bool ended, struct thinking_part *part) {
    while (thinking->taken < thinking->held.length) {
        if (!pass_beginning(thinking, ended)) return false;
        if (thinking->mark) {
            if (next_marked(thinking, ended, part)) return true;
            if (thinking->mark) return false; // its end has not come yet
            continue;
        }
        const size_t taken = thinking->taken;
        if (next_answer(thinking, ended, part)) return true;
        if (thinking->taken == taken) return false; // a mark has only begun
    }
    return false;
}

enum status thinking_split(const char *text, size_t length, struct text *thought,
                           struct text *answer) {
    struct thinking thinking = {0};
    struct thinking_part part;
    bool answered = false;
    enum status status = thinking_append(&thinking, text, length);
    while (status == STATUS_OK && thinking_next(&thinking, true, &part)) {
        struct text *to = part.thought ? thought : answer;
        if (part.thought && to && to->length && answered) status = text_append_string(to, "\n");
        answered = !part.thought;
        if (status == STATUS_OK && to) status = text_append(to, part.text, part.length);
    }
    thinking_deinit(&thinking);
    return status;
}

// The first of the two noncharacters, or NULL.
static const char *find_own(const char *text, size_t length) {
    const char *at = text, *end = text + length;
    while ((at = memchr(at, THINKING_OPEN[0], (size_t)(end - at)))) {
        const size_t left = (size_t)(end - at);
        if (left >= sizeof THINKING_OPEN - 1 &&
            (agree(THINKING_OPEN, at, left) || agree(THINKING_CLOSE, at, left)))
            return at;
        at++;
    }
    return NULL;
}

bool thinking_has_marks(const char *text, size_t length) {
    return length > 0 && find_own(text, length);
}

void thinking_hide_marks(char *text, size_t length) {
    char *at = text, *end = text + length;
    while (at < end) {
        const char *own = find_own(at, (size_t)(end - at));
        if (!own) return;
        at += own - at;
        at += utf8_encode(UTF8_REPLACEMENT, at);
    }
}

bool thinking_mark(size_t index, struct thinking_form *form) {
    if (index >= MARK_COUNT) return false;
    *form = MARKS[index];
    return true;
}

const char *thinking_left_open(const char *prompt, size_t length) {
    static const char *const OPEN[] = {"<think>",      "<think>\n",    "<think>\n\n",
                                       "<thinking>\n", "<seed:think>", "[THINK]"};
    for (size_t i = 0; i < sizeof OPEN / sizeof OPEN[0]; i++) {
        const size_t bytes = strlen(OPEN[i]);
        if (bytes <= length && memcmp(prompt + length - bytes, OPEN[i], bytes) == 0) return OPEN[i];
    }
    return NULL;
}

bool thinking_is_mark(const char *text, size_t length) {
    for (size_t i = 0; i < sizeof TOKENS / sizeof TOKENS[0]; i++)
        if (strlen(TOKENS[i]) == length && memcmp(TOKENS[i], text, length) == 0) return true;
    return false;
}
