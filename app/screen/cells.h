// app/screen/cells.h — how many columns of a terminal does the next character occupy?
//
// Most characters occupy what wcwidth() says on any terminal. But when several characters form one
// picture, terminals disagree: some add up the parts, some show the picture in two columns.
//
//   man U+200D woman        4 or 2     joined pictures
//   hand, skin tone         4 or 2     a modifier
//   heavy heart, U+FE0F     1 or 2     a symbol in emoji presentation, or the reverse
//   two regional letters    2          after the first: 1 or 2
//   not in the tables       1 or 2     newer than the C library
//
// So the result is the maximum over all terminals, and whether they all agree. A terminal never
// breaks a line again that was broken by this maximum.
//
// Source: Unicode 15, UAX #11 (East Asian Width), UAX #29 (grapheme clusters), UTS #51 (emoji).
//
// Embedded by its owner; {0} is the start of a line. The C library's locale must be UTF-8.
#ifndef APP_CELLS_H
#define APP_CELLS_H

#include <stdbool.h>
#include <stdint.h>

struct cells {
    uint32_t base;    // the character that the next one could join, or 0
    int base_columns; // its maximum columns
    bool joins;       // the last character was U+200D
    bool letter;      // `base` is a regional letter that waits for a second
};

struct cells_added {
    int columns; // maximum
    bool sure;   // every terminal agrees
    bool joined; // part of the character before: no line break between them
};

// Does the next character continue text in a script of wide characters, which can break anywhere?
bool cells_runs_on(const struct cells *cells, uint32_t code_point);

struct cells_added cells_add(struct cells *cells, uint32_t code_point);

#endif
