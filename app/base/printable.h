// app/base/printable.h — makes text of unknown origin safe to show on a terminal.
//
// Hidden characters are, first, those that move the cursor, control the terminal, or make text look
// like other text: C0 and C1 characters, DEL, the line and paragraph separators, and characters
// that change the direction or shape of text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
// U+206F). Second, invisible characters that no script needs and that can smuggle words to another
// reader: tags (U+E0000 to U+E007F), interlinear annotations (U+FFF9 to U+FFFB), shorthand and
// musical format controls, and the byte order mark (U+FEFF), which belongs only at the start of a
// file. Zero-width spaces and joiners (U+200B to U+200D, U+2060) and variation selectors are not
// hidden: Thai, Khmer, Persian, the languages of India, Japanese names and emoji need them.
//
// Source: ECMA-48, section 5; Unicode 15, UAX #9, section 2 (directional formatting characters).
#ifndef APP_PRINTABLE_H
#define APP_PRINTABLE_H

#include "kernels/base/text.h"

bool printable_is_hidden(uint32_t code_point);

// Appends the bytes as text for a terminal: ESC, DEL and other C0 characters become visible
// symbols, other hidden characters and ill-formed bytes U+FFFD; CR, the three directional marks and
// U+FEFF are dropped; \n and \t are kept.
MUST_CHECK enum status printable_text(const char *bytes, size_t length, struct text *out);

// Appends the bytes as one line, with every hidden character, backslash and ill-formed byte written
// as an escape: \n, \t, \\, \x1b. Other characters are copied.
MUST_CHECK enum status printable_append(struct text *out, const char *bytes, size_t length);

#endif
