// app/screen/paste.h — long texts that stand in a draft as one character.
//
//   > Compare these two: [60 lines pasted, 2.0 KB: "first words…"] and
//
// In the line that is edited a folded text is one private character, so it moves, goes and comes
// back as one. Whoever shows the line writes its label; whoever sends it writes the text itself.
//
// One table for the process, as there is one editor: the history and the undo list may hold such
// characters for as long as it runs. Owned, paste_forget_all(). Threads: the UI's.
#ifndef APP_PASTE_H
#define APP_PASTE_H

#include <stdbool.h>

#include "kernels/base/text.h"

enum { PASTE_MOST = 200 }; // later ones are not folded

// Appends the text with U+FFFD for what is no UTF-8; *bad counts those.
MUST_CHECK enum status paste_repair(const char *text, size_t length, struct text *out, size_t *bad);

// Does the text take more than so many rows of this width?
bool paste_is_tall(const char *text, size_t length, int columns, int rows);

// Appends what stands on the screen for such a text. `pasted`: false for what was not pasted now.
MUST_CHECK enum status paste_describe(const char *text, size_t length, bool pasted,
                                      struct text *label);

// Copies the text and writes the character that stands for it. False: the table is full, or memory
// is short. `pasted` is for the label.
bool paste_fold(const char *text, size_t length, bool pasted, char character[UTF8_MAX_BYTES + 1]);

// The label of the folded text that the code point stands for, or NULL. Harmless.
const char *paste_label(uint32_t code_point);

// Appends the line with each folded text in place of its character.
MUST_CHECK enum status paste_unfold(const char *line, struct text *out);

void paste_forget_all(void);

#endif
