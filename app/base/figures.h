// app/base/figures.h — numbers, ages and columns as a person reads them.
//
// All write into the caller's buffer and return it. Nothing is owned, no threads.
#ifndef APP_FIGURES_H
#define APP_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/text.h"

enum { COUNT_TEXT_BYTES = 28, TURNS_TEXT_BYTES = 36, AGE_TEXT_BYTES = 24 };

const char *count_format(int64_t count, char text[COUNT_TEXT_BYTES]); // "1,204"
const char *turns_format(int64_t count, char text[TURNS_TEXT_BYTES]); // "1 turn", "2 turns"
const char *age_format(int64_t age_ms, char text[AGE_TEXT_BYTES]);    // "now", "3 min", "2 d"

int64_t clock_ms(void);    // monotonic
int64_t calendar_ms(void); // since 1970, UTC

int character_columns(uint32_t code_point); // 0, 1 or 2 on a terminal
int text_columns(const char *text);         // that a terminal shows it in; wide characters take two

// Appends what fits `columns` of one line of `text`: its first line breaks become spaces, and
// what is cut off ends in "…". Pads with spaces if `pad`.
MUST_CHECK enum status text_fit(struct text *out, const char *text, int columns, bool pad);

#endif
