// tests/app/screen.h — as much of a terminal as quire's streams need, and nothing that they must
// not use: any other escape or control character fails the test.
//
// Two kinds of it: one adds up the columns of what makes one picture, the other shows the picture
// in two (app/screen/cells.h). Both break a line by themselves when it is full.
#ifndef TESTS_APP_SCREEN_H
#define TESTS_APP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

enum { SCREEN_ROWS = 2048, SCREEN_COLUMNS = 400, SCREEN_CELL_BYTES = 64 };

struct screen {
    int width;
    bool pictures;           // of several characters are two columns
    int row, column, lowest; // the lowest row there was
    int saved_row, saved_column;
    bool broke_itself; // a line that was full went on
    unsigned styles;   // numbers of the style that holds, as bits; 0: plain
    struct {
        char bytes[SCREEN_CELL_BYTES]; // "": a blank; a wide character's second half is "\1"
        unsigned styles;
    } cells[SCREEN_ROWS][SCREEN_COLUMNS];
    unsigned base; // character that the next may join
    bool joins;
};

void screen_clear(struct screen *screen, int width, bool pictures);
void screen_write(struct screen *screen, const char *bytes, size_t length);

// Row without blanks at its end.
const char *screen_row(const struct screen *screen, int row, char text[SCREEN_COLUMNS * 8]);

#endif
