// app/screen/cells.h — how many columns of a terminal does the next character occupy?
//
// Most characters occupy what wcwidth() says on any terminal. But where several form one picture,
// terminals disagree: some add up the parts, some show the picture in two columns.
//
//   man U+200D woman        4 or 2     joined pictures
//   hand, skin tone         4 or 2     a modifier
//   heavy heart, U+FE0F     1 or 2     a symbol in emoji presentation, or the reverse
//   two regional letters    2          after the first: 1 or 2
//   not in the tables       1 or 2     newer than the C library
//
// So the result is the most that any terminal uses, and whether all of them agree. Lines that are
// broken by this maximum are never broken again by the terminal.
//
// Source: Unicode 15, UAX #11 (East Asian Width), UAX #29 (grapheme clusters), UTS #51 (emoji).
//
// Embedded by its owner; {0} is the beginning of a line. The C library's locale must be UTF-8.
#ifndef APP_CELLS_H
#define APP_CELLS_H

#include <stdbool.h>
#include <stdint.h>

struct cells {
    uint32_t base;    // the character that the next one may join, or 0
    int base_columns; // its columns, at most
    bool joins;       // U+200D came last
    bool letter;      // the base is a regional letter without its second
};

struct cells_added {
    int columns; // at most
    bool sure;   // on every terminal
    bool joined; // it belongs to the character before: no line break between the two
};

// Does the next character continue a script of wide characters, which breaks anywhere?
bool cells_runs_on(const struct cells *cells, uint32_t code_point);

struct cells_added cells_add(struct cells *cells, uint32_t code_point);

#endif
