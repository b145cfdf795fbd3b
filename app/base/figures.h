// app/base/figures.h — formats numbers and ages for people, and fits text into columns.
//
// The format functions write into the caller's buffer and return it. Threads: no state.
#ifndef APP_FIGURES_H
#define APP_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/text.h"

enum { COUNT_TEXT_BYTES = 36, TURNS_TEXT_BYTES = 36, AGE_TEXT_BYTES = 24 };

const char *count_format(int64_t count, char text[COUNT_TEXT_BYTES]); // "1,204"
// "1 message", "2 messages"
const char *nouns_format(int64_t count, const char *noun, char text[COUNT_TEXT_BYTES]);
const char *turns_format(int64_t count, char text[TURNS_TEXT_BYTES]);  // "1 turn", "2 turns"
const char *tokens_format(int64_t count, char text[COUNT_TEXT_BYTES]); // "1 token", "2 tokens"
const char *age_format(int64_t age_ms, char text[AGE_TEXT_BYTES]);     // "now", "3 min", "2 d"

int64_t clock_ms(void);    // monotonic
int64_t calendar_ms(void); // since 1970, UTC

int character_columns(uint32_t code_point); // 0, 1 or 2 on a terminal
int text_columns(const char *text);         // on a terminal; wide characters take two

// Appends `text` as one line of at most `columns`: newlines become spaces, and a cut text ends in
// "…". Pads with spaces if `pad`.
MUST_CHECK enum status text_fit(struct text *out, const char *text, int columns, bool pad);

#endif
