// app/screen/paste.h — folds long texts in a draft into one character each.
//
//   > Compare these two: [60 lines pasted, 2.0 KB: "first words…"] and
//
// In the line being edited a folded text is one private character, so it is moved, deleted and
// restored as one. Code that shows the line writes the label; code that sends it writes the text
// itself.
//
// There is one table per process, because the history and the undo list may contain such characters
// as long as it runs. Owned, paste_forget_all(). Threads: the UI's.
#ifndef APP_PASTE_H
#define APP_PASTE_H

#include <stdbool.h>

#include "kernels/base/text.h"

enum { PASTE_MOST = 200 }; // later ones are not folded

// Appends the text with U+FFFD in place of invalid UTF-8; *bad counts the replacements.
MUST_CHECK enum status paste_repair(const char *text, size_t length, struct text *out, size_t *bad);

// Does the text take more than `rows` rows at this width?
bool paste_is_tall(const char *text, size_t length, int columns, int rows);

// Appends the label of a folded text. `pasted`: false unless it was pasted just now.
MUST_CHECK enum status paste_describe(const char *text, size_t length, bool pasted,
                                      struct text *label);

// Copies the text and returns the character that stands for it. False: the table is full, or memory
// is short. `pasted` is for the label.
bool paste_fold(const char *text, size_t length, bool pasted, char character[UTF8_MAX_BYTES + 1]);

// The label of the folded text that the code point stands for, or NULL. Safe to print.
const char *paste_label(uint32_t code_point);

// Appends the line with each folded text instead of its character.
MUST_CHECK enum status paste_unfold(const char *line, struct text *out);

void paste_forget_all(void);

#endif
