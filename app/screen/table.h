// app/screen/table.h — a Markdown table: gathered line by line, drawn as a whole.
//
//   | River | Length |        River  │ Length
//   |---|---:|           ─►   ───────┼───────
//   | Nile | 6,650 km |       Nile   │  6,650
//                                    │     km
//
// Columns are as wide as their longest cell where the screen allows it; else the widest ones are
// narrowed, and their cells broken between words. Once a cell is broken, lines separate the rows.
// Where a column would get fewer than TABLE_COLUMN_LEAST columns, each row is a block of lines
// "River: Nile" instead.
//
//   empty ──push──► a header ──push, if it fits──► a table ──push …──► draw ──► empty
//
// Source: GitHub Flavored Markdown 0.29, section 4.10; a line that does not begin with | is none of
// a table's here. Input must be harmless (printable_text). Of escapes the output has only
// styles.
//
// {0} is empty; owned: table_deinit(). No threads.
#ifndef APP_TABLE_H
#define APP_TABLE_H

#include "app/screen/columns.h"

enum {
    TABLE_COLUMNS_MOST = COLUMNS_MOST,
    TABLE_COLUMN_LEAST = 6,
    TABLE_LINE_BYTES = 8192,    // a longer line is none of a table
    TABLE_BYTES_MOST = 1 << 18, // what comes after that many is another text
};

struct table {
    struct text lines; // as they came, each with its newline
    size_t count;      // of lines
    size_t columns;    // of the header
    bool too_long;     // for another line
};

void table_deinit(struct table *table);

// Adds a line without its newline; false: it is none of this table's. The second must be a
// delimiter row with as many cells as the header.
bool table_takes(const struct table *table, const char *line, size_t length);
MUST_CHECK enum status table_push(struct table *table, const char *line, size_t length);

// Appends the table, indented by so many columns, or its only line as it is; then it is empty.
// width 0: as wide as it is.
MUST_CHECK enum status table_draw(struct table *table, int indent, int width, struct text *out);

#endif
