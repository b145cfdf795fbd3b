// engine/remote/answer_text.h — assembles the text of one answer from the pieces that a server
// sends.
//
//   text, thought ─► join halves ─► mask the key ─► mark thoughts as thinking.h expects ─► log
//
// Servers separate thoughts from the answer in three ways: by a field of its own; by marks that the
// model wrote; or, if the prompt already opened the thought, by the closing mark alone. The last is
// the hard case, because shown text is never taken back. So the beginning of an answer is held back
// for a moment (answer_text_waits(), answer_text_release()). If the closing mark arrives in time,
// the text before it becomes a thought; if it arrives later, THINKING_CLOSE is inserted for readers
// of the whole message. A closing mark inside a sentence, or one with an opening mark, is plain
// text.
//
//   NEW ──thought──► THINKS ──text──► ANSWERS ──thought──► THINKS_AGAIN ─┐
//    └──text, and its time is over──────▲  └──────────text───────────────┘
//
// White space between two parts of a thought belongs to the thought. The halves of a split
// surrogate pair are joined into one character; a lone half becomes U+FFFD.
//
// Embedded by its owner. Memory: owned. Threads: one.
#ifndef ENGINE_REMOTE_ANSWER_TEXT_H
#define ENGINE_REMOTE_ANSWER_TEXT_H

#include "engine/remote/secret.h"

enum answer_state { ANSWER_NEW, ANSWER_THINKS, ANSWER_ANSWERS, ANSWER_THINKS_AGAIN };

enum { ANSWER_TEXT_MAX_HELD = 64 << 10 };

struct answer_part { // either of the two streams, text and thought
    char begun[3];   // start of a character that may be half of a pair
    int begun_bytes;
    uint32_t high; // high half waiting for the low one; 0: none
    struct secret_reader reader;
};

struct answer_text {
    enum answer_state state;
    struct answer_part text, thought;
    struct text held; // final text that may be answer or thought
    size_t scanned;   // bytes of `held` known to contain no mark
    char last;        // byte before `held`
    bool watches;     // a closing mark can still turn the text so far into a thought
    bool answered;    // there is text besides thoughts
};

// `state`: that of the answer being continued, or ANSWER_NEW.
void answer_text_begin(struct answer_text *answer, const struct secret *secret,
                       enum answer_state state);
void answer_text_deinit(struct answer_text *answer);

// Each appends the text that is final to `out`.
MUST_CHECK enum status answer_text_add(struct answer_text *answer, const struct text *thought,
                                       const struct text *text, struct text *out);
bool answer_text_waits(const struct answer_text *answer);
MUST_CHECK enum status answer_text_release(struct answer_text *answer, struct text *out);

// No more text follows. `whole`: the model ended the answer; else it may be continued.
MUST_CHECK enum status answer_text_end(struct answer_text *answer, bool whole, struct text *out);

#endif
