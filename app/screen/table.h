// app/screen/table.h — a Markdown table: collected line by line, drawn as a whole.
//
//   | River | Length |        River  │ Length
//   |---|---:|           ─►   ───────┼───────
//   | Nile | 6,650 km |       Nile   │  6,650
//                                    │     km
//
// Columns are as wide as their longest cell if the screen allows; else the widest ones are
// narrowed, and their cells break between words. If any cell breaks, lines separate the rows. If a
// column would become narrower than TABLE_COLUMN_LEAST, each row is drawn as a block of lines
// "River: Nile" instead.
//
//   empty ──push──► a header ──push, if it fits──► a table ──push …──► draw ──► empty
//
// Source: GitHub Flavored Markdown 0.29, section 4.10; but here every line of a table must begin
// with |. Input must be safe (printable_text). The only escapes in the output are styles.
//
// {0} is empty; owned: table_deinit(). Threads: no state.
#ifndef APP_TABLE_H
#define APP_TABLE_H

#include "app/screen/columns.h"

enum {
    TABLE_COLUMNS_MOST = COLUMNS_MOST,
    TABLE_COLUMN_LEAST = 6,
    TABLE_LINE_BYTES = 8192,    // a longer line is not part of a table
    TABLE_BYTES_MOST = 1 << 18, // text beyond that is not part of the table
};

struct table {
    struct text lines; // as received, each with its newline
    size_t count;      // number of lines
    size_t columns;    // of the header
    bool too_long;     // no further line fits
};

void table_deinit(struct table *table);

// table_takes() says whether a line (without its newline) belongs to this table; table_push() adds
// it. The second line must be a delimiter row with as many cells as the header.
bool table_takes(const struct table *table, const char *line, size_t length);
MUST_CHECK enum status table_push(struct table *table, const char *line, size_t length);

// Appends the table, indented by `indent` columns, and empties it. A table of a single line is
// appended as it is. width 0: no limit.
MUST_CHECK enum status table_draw(struct table *table, int indent, int width, struct text *out);

#endif
