// app/chat/thinking.h — which part of what a model writes is thinking, and which the answer?
//
// Models mark their thinking in the text: <think>…</think> and its like before the answer, or
// channels (<|channel|>analysis<|message|>…<|end|>). A mark counts where the answer has not begun,
// so an answer may speak of <think>. White space around the thinking is dropped, as far as it is
// held. A message keeps all of it, marks too, so its text always says what the model wrote; it is
// taken apart where it is shown.
//
//   beginning ──mark──► thought ──its end──► beginning ──anything else──► answer
//                                               ▲  └─────mark──► channel of the answer ─┐
//                                               └───────────────its end─────────────────┘
//
// Text comes in any pieces; what may become a mark is held. {0} begins; owned: thinking_deinit().
#ifndef APP_THINKING_H
#define APP_THINKING_H

#include <stdbool.h>

#include "kernels/base/text.h"

enum { THINKING_HELD_BLANKS = 256 };

struct thinking {
    struct text held; // what came, from `taken` on still to be handed out
    size_t taken;
    const struct thinking_mark *mark; // whose end is looked for; NULL: none
    bool answering;                   // without a mark: the rest is the answer
    bool past_mark;                   // one came: white space before what follows is dropped
    bool begun;                       // the thought has text
};

struct thinking_part {
    bool thought;
    const char *text; // borrowed until the next append
    size_t length;
};

void thinking_deinit(struct thinking *thinking);
MUST_CHECK enum status thinking_append(struct thinking *thinking, const char *text, size_t length);

// The next part that is certain; false: none. `ended`: no more text comes.
bool thinking_next(struct thinking *thinking, bool ended, struct thinking_part *part);

// A whole message taken apart; both are appended to. `thought` or `answer` may be NULL.
MUST_CHECK enum status thinking_split(const char *text, size_t length, struct text *thought,
                                      struct text *answer);

// Does text that a model's prompt ends with leave a thought open? What opens it then, as the
// answer's own text would: "<think>\n"; else NULL.
const char *thinking_left_open(const char *prompt, size_t length);

// Is this the text of a token that a mark is made of? Such tokens are text of the answer even
// where the tokenizer shows no control tokens.
bool thinking_is_mark(const char *text, size_t length);

#endif
