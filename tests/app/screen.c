#include "tests/app/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "kernels/base/text.h"
#include "tests/check.h"

void screen_clear(struct screen *screen, int width, bool pictures) {
    assert_true(width <= SCREEN_COLUMNS);
    memset(screen->cells, 0, (size_t)(screen->lowest + 1) * sizeof screen->cells[0]);
    screen->width = width;
    screen->pictures = pictures;
    screen->row = screen->column = screen->lowest = 0;
    screen->broke_itself = screen->joins = false;
    screen->styles = screen->base = 0;
}

static void move_down(struct screen *screen) {
    assert_true(++screen->row < SCREEN_ROWS);
    if (screen->row > screen->lowest) screen->lowest = screen->row;
}

static void next_row(struct screen *screen) {
    screen->column = 0;
    move_down(screen);
}

static void erase(struct screen *screen, int row, int column) {
    for (int i = column; i < screen->width; i++)
        screen->cells[row][i].bytes[0] = '\0';
}

static void set_style(struct screen *screen, const char *numbers) {
    static const char *const KNOWN[] = {"0", "1", "2", "3", "4", "36"};
    char copy[64];
    assert_true(strlen(numbers) < sizeof copy);
    strcpy(copy, numbers);
    for (char *word = strtok(copy, ";"); word; word = strtok(NULL, ";")) {
        unsigned i = 0;
        while (i < sizeof KNOWN / sizeof KNOWN[0] && strcmp(word, KNOWN[i]) != 0)
            i++;
        assert_true(i < sizeof KNOWN / sizeof KNOWN[0]);
        screen->styles = i == 0 ? 0 : screen->styles | 1u << i;
    }
}

// Scrolling does not show: the screen is as high as what was written.
static void obey_two_bytes(struct screen *screen, char which) {
    switch (which) {
    case 'D':
        move_down(screen);
        break;
    case 'M':
        assert_true(screen->row > 0);
        screen->row--;
        break;
    case '7': // the place after a full line is not kept
        screen->saved_row = screen->row;
        screen->saved_column = screen->column < screen->width ? screen->column : screen->width - 1;
        break;
    case '8':
        screen->row = screen->saved_row;
        screen->column = screen->saved_column;
        break;
    default:
        print_error("an escape that is not ours: %c\n", which);
        fail();
    }
}

// Bytes of the escape, which has at most three numbers of style.
static size_t obey(struct screen *screen, const char *bytes, size_t length) {
    if (length > 1 && bytes[1] != '[') {
        obey_two_bytes(screen, bytes[1]);
        return 2;
    }
    char numbers[32] = "";
    size_t end = 2;
    assert_true(length > 2);
    while (end < length && strchr("0123456789;?", bytes[end]) && end - 2 < sizeof numbers - 1) {
        numbers[end - 2] = bytes[end];
        numbers[end - 1] = '\0';
        end++;
    }
    assert_true(end < length);
    const int number = numbers[0] ? atoi(numbers) : 1;
    switch (bytes[end]) {
    case 'm':
        set_style(screen, numbers);
        break;
    case 'G':
        assert_in_range(number, 1, screen->width);
        screen->column = number - 1;
        break;
    case 'K':
        assert_string_equal(numbers, "");
        erase(screen, screen->row, screen->column);
        break;
    case 'J':
        assert_string_equal(numbers, "");
        erase(screen, screen->row, screen->column);
        for (int row = screen->row + 1; row <= screen->lowest; row++)
            erase(screen, row, 0);
        break;
    case 'h':
    case 'l':
        assert_string_equal(numbers, "?2004"); // bracketed paste
        break;
    case 'A':
        assert_in_range(number, 1, screen->row);
        screen->row -= number;
        break;
    default:
        print_error("an escape that is not ours: %c\n", bytes[end]);
        fail();
    }
    return end + 1;
}

static bool is_picture(unsigned c) {
    return (c >= 0x2190 && c <= 0x2BFF) || (c >= 0x1F000 && c <= 0x1FAFF);
}

static void join_cell(struct screen *screen, const char *bytes, size_t length) {
    const int row = screen->row;
    int column = screen->column > 0 ? screen->column - 1 : 0;
    while (column > 0 && screen->cells[row][column].bytes[0] == '\1')
        column--;
    char *cell = screen->cells[row][column].bytes;
    if (strlen(cell) + length < SCREEN_CELL_BYTES) strncat(cell, bytes, length);
}

// Whether it becomes part of the picture before it, and of how many columns that is then.
static bool joins_picture(struct screen *screen, unsigned c) {
    const bool letter = c >= 0x1F1E6 && c <= 0x1F1FF;
    const bool pair = letter && screen->base >= 0x1F1E6 && screen->base <= 0x1F1FF;
    const bool tone = c >= 0x1F3FB && c <= 0x1F3FF && is_picture(screen->base);
    const bool joined = screen->joins && is_picture(screen->base) && is_picture(c);
    return screen->pictures && (pair || tone || joined);
}

static void put_character(struct screen *screen, const char *bytes, size_t length, unsigned c) {
    int columns = wcwidth((wchar_t)c);
    if (columns < 0) columns = 1;
    if (screen->pictures && c >= 0x1F1E6 && c <= 0x1F1FF) columns = 2;
    if (c == 0x200D) screen->joins = true;
    const bool widens = screen->pictures && c == 0xFE0F && screen->base &&
                        wcwidth((wchar_t)screen->base) == 1 && screen->column < screen->width;
    if (columns == 0 || joins_picture(screen, c)) {
        join_cell(screen, bytes, length);
        if (widens) screen->cells[screen->row][screen->column++].bytes[0] = '\1';
        if (c >= 0x1F1E6 && c <= 0x1F1FF) screen->base = 0; // a pair is whole
        if (columns > 0) screen->joins = false;
        return;
    }
    if (screen->column + columns > screen->width) {
        next_row(screen);
        screen->broke_itself = true;
    }
    screen->base = c;
    screen->joins = false;
    memcpy(screen->cells[screen->row][screen->column].bytes, bytes, length);
    screen->cells[screen->row][screen->column].bytes[length] = '\0';
    screen->cells[screen->row][screen->column].styles = screen->styles;
    if (columns == 2) strcpy(screen->cells[screen->row][screen->column + 1].bytes, "\1");
    screen->column += columns;
}

void screen_write(struct screen *screen, const char *bytes, size_t length) {
    for (size_t at = 0, used; at < length; at += used) {
        const unsigned c = utf8_decode(bytes + at, length - at, &used);
        if (c == '\033') {
            used = obey(screen, bytes + at, length - at);
        } else if (c == '\n') {
            next_row(screen);
            screen->base = 0;
        } else if (c == '\r') {
            screen->column = 0;
        } else if (c == '\t') {
            screen->column = screen->column / 8 * 8 + 8;
            if (screen->column > screen->width - 1) screen->column = screen->width - 1;
            screen->base = ' ';
        } else {
            assert_true(c >= 0x20 && (c < 0x7F || c >= 0xA0));
            put_character(screen, bytes + at, used, c);
        }
    }
}

const char *screen_row(const struct screen *screen, int row, char text[SCREEN_COLUMNS * 8]) {
    size_t length = 0, end = 0;
    for (int i = 0; i < screen->width; i++) {
        const char *cell = screen->cells[row][i].bytes;
        if (cell[0] == '\1') continue;
        const char *shown = cell[0] ? cell : " ";
        const size_t bytes = strlen(shown);
        if (length + bytes + 1 > SCREEN_COLUMNS * 8) break;
        memcpy(text + length, shown, bytes);
        length += bytes;
        if (strcmp(shown, " ") != 0) end = length;
    }
    text[end] = '\0';
    return text;
}
