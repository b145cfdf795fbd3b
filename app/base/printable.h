// app/base/printable.h — text of unknown origin, so that a terminal only shows it.
//
// Hidden are C0 and C1 characters, DEL, the line and paragraph separators, and what changes the
// direction or the shape of text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+206F):
// these move the cursor, talk to the terminal, or make text look like other text. So are characters
// that nobody sees and no script needs, in which words for another reader can hide: tags (U+E0000
// to U+E007F), interlinear annotations (U+FFF9 to U+FFFB), shorthand and musical format controls,
// and the byte order mark (U+FEFF), whose place is the first of a file. Zero-width spaces and
// joiners (U+200B to U+200D, U+2060) and variation selectors pass: Thai, Khmer, Persian, the
// languages of India, Japanese names and emoji are written with them.
//
// Source: ECMA-48, section 5; Unicode 15, UAX #9, section 2 (directional formatting characters).
#ifndef APP_PRINTABLE_H
#define APP_PRINTABLE_H

#include "kernels/base/text.h"

bool printable_is_hidden(uint32_t code_point);

// Appends the bytes as text for a terminal: ESC, DEL and other C0 characters become visible
// symbols, other hidden characters and ill-formed bytes U+FFFD; CR, the three marks of direction
// and U+FEFF are dropped; \n and \t are kept.
MUST_CHECK enum status printable_text(const char *bytes, size_t length, struct text *out);

// Appends the bytes as one line, with every hidden character, backslash and ill-formed byte written
// as an escape: \n, \t, \\, \x1b. Other characters stay.
MUST_CHECK enum status printable_append(struct text *out, const char *bytes, size_t length);

#endif
