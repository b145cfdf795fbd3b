// engine/remote/answer_text.h — the text of one answer, put together from what a server adds to it.
//
//   text, thought ─► halves joined ─► key masked ─► thoughts marked as thinking.h reads them ─► log
//
// Servers tell thoughts from the answer in three ways: in a field of their own; by marks that the
// model wrote; or, where the prompt already opened the thought, by the closing mark alone. The last
// is the hard one, since text that is shown is never taken back. So the beginning of an answer is
// held back for a moment (answer_text_waits(), answer_text_release()). If the closing mark comes in
// time the text before it becomes a thought; if it comes later, a mark tells who reads the whole
// message (THINKING_CLOSE). A closing mark that stands in a sentence, or was opened, is text.
//
//   NEW ──thought──► THINKS ──text──► ANSWERS ──thought──► THINKS_AGAIN ─┐
//    └──text, and its time is over──────▲  └──────────text───────────────┘
//
// White space between two parts of a thought belongs to it. A surrogate pair that was cut in two is
// one character, half of one is U+FFFD.
//
// Embedded by its owner. Memory: owned. Threads: one.
#ifndef ENGINE_REMOTE_ANSWER_TEXT_H
#define ENGINE_REMOTE_ANSWER_TEXT_H

#include "engine/remote/secret.h"

enum answer_state { ANSWER_NEW, ANSWER_THINKS, ANSWER_ANSWERS, ANSWER_THINKS_AGAIN };

enum { ANSWER_TEXT_MAX_HELD = 64 << 10 };

struct answer_part { // of the two that a server tells apart
    char begun[3];   // a character that may be half of a pair
    int begun_bytes;
    uint32_t high; // half that waits for the other; 0: none
    struct secret_reader reader;
};

struct answer_text {
    enum answer_state state;
    struct answer_part text, thought;
    struct text held; // certain, but it is not: whether it is answer or thought
    size_t scanned;   // bytes of it without a mark
    char last;        // byte before it
    bool watches;     // a closing mark still says that what came was a thought
    bool answered;    // there is text that is no thought
};

// `state`: where an answer that is continued stands; ANSWER_NEW: it begins.
void answer_text_begin(struct answer_text *answer, const struct secret *secret,
                       enum answer_state state);
void answer_text_deinit(struct answer_text *answer);

// Each appends what is certain to `out`.
MUST_CHECK enum status answer_text_add(struct answer_text *answer, const struct text *thought,
                                       const struct text *text, struct text *out);
bool answer_text_waits(const struct answer_text *answer);
MUST_CHECK enum status answer_text_release(struct answer_text *answer, struct text *out);

// No more comes. `whole`: the model ended it, else it may go on.
MUST_CHECK enum status answer_text_end(struct answer_text *answer, bool whole, struct text *out);

#endif
