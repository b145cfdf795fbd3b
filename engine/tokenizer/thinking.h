// engine/tokenizer/thinking.h — which part of a model's output is thinking, and which is the
// answer?
//
// Models mark their thinking in the text: <think>…</think> and its like before the answer, or
// channels (<|channel|>analysis<|message|>…<|end|>). A mark counts where the answer has not begun,
// so an answer may speak of <think>. White space around the thinking is dropped, as far as it is
// held back. A message keeps everything, marks included, so its text is always what the model
// wrote; it is split where it is shown.
//
// A server that tells thoughts from the answer may think again within it. Such a thought stands
// between THINKING_OPEN and THINKING_CLOSE, two noncharacters that no text has (Unicode 15, section
// 23.7). Without an opening, THINKING_CLOSE says that all before it was a thought: the server found
// out late. A reader that has shown it as the answer already continues with the answer. Only quire
// writes the two: they are replaced in whatever a model or a server writes (detokenizer.h), and no
// model is given them.
//
//   beginning ──mark──► thought ──its end──► beginning ──anything else──► answer
//                                               ▲  └─────mark──► channel of the answer ─┐
//                                               └───────────────its end─────────────────┘
//
// Text comes in pieces of any size; what may become a mark is held back. {0} begins; owned:
// thinking_deinit().
#ifndef ENGINE_THINKING_H
#define ENGINE_THINKING_H

#include <stdbool.h>

#include "kernels/base/text.h"

enum { THINKING_HELD_BLANKS = 256 };
#define THINKING_OPEN  "\xef\xb7\x90" // U+FDD0
#define THINKING_CLOSE "\xef\xb7\x91" // U+FDD1

struct thinking_form {
    const char *open, *close; // close NULL: what follows is still the beginning
    bool thought;
};

struct thinking {
    struct text held; // what came; from `taken` on it is still to be handed out
    size_t taken;
    const struct thinking_form *mark; // of the open block; NULL: none is open
    bool answering;                   // the rest is the answer
    bool past_mark;                   // a mark came: white space after it is dropped
    bool begun;                       // the thought has text
};

struct thinking_part {
    bool thought;
    const char *text; // borrowed until the next append
    size_t length;
};

void thinking_deinit(struct thinking *thinking);
MUST_CHECK enum status thinking_append(struct thinking *thinking, const char *text, size_t length);

// The next part that is certain. False: none. `ended`: no more text comes.
bool thinking_next(struct thinking *thinking, bool ended, struct thinking_part *part);

// Splits a whole message; appends to both. `thought` or `answer` may be NULL.
MUST_CHECK enum status thinking_split(const char *text, size_t length, struct text *thought,
                                      struct text *answer);

// Does it have one of the two noncharacters?
bool thinking_has_marks(const char *text, size_t length);

// Puts U+FFFD, which is as long, in the place of both.
void thinking_hide_marks(char *text, size_t length);

// The index-th mark; false: no such mark.
bool thinking_mark(size_t index, struct thinking_form *form);

// If a prompt that ends with this text leaves a thought open: what opens it, as it would stand in
// the answer's own text ("<think>\n"). Else NULL.
const char *thinking_left_open(const char *prompt, size_t length);

// Is this the text of a token that is part of a mark? Such tokens are part of the answer's text
// even where control tokens are not shown.
bool thinking_is_mark(const char *text, size_t length);

#endif
