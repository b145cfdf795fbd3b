#include "app/screen/cells.h"

#include <wchar.h>

enum {
    JOINER = 0x200D,
    AS_TEXT = 0xFE0E,
    AS_PICTURE = 0xFE0F,
    SOFT_HYPHEN = 0xAD, // some terminals show it, some do not
};

// The ranges of the characters that Unicode lists as Extended_Pictographic; they contain a few
// others.
static bool is_picture(uint32_t c) {
    return (c >= 0x2190 && c <= 0x2BFF) || (c >= 0x1F000 && c <= 0x1FAFF);
}

static bool is_skin_tone(uint32_t c) { return c >= 0x1F3FB && c <= 0x1F3FF; }

static bool is_regional_letter(uint32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }

bool cells_runs_on(const struct cells *cells, uint32_t code_point) {
    const bool pictures = is_picture(cells->base) || is_picture(code_point);
    return cells->base_columns == 2 && wcwidth((wchar_t)code_point) == 2 && !pictures;
}

static struct cells_added begin(struct cells *cells, uint32_t code_point) {
    const int columns = wcwidth((wchar_t)code_point);
    const bool letter = is_regional_letter(code_point);
    const bool known = columns >= 0 && code_point != SOFT_HYPHEN && !letter;
    *cells = (struct cells){.base = code_point, .letter = letter};
    cells->base_columns = letter || columns < 0 ? 2 : columns;
    return (struct cells_added){.columns = cells->base_columns, .sure = known};
}

static struct cells_added join(struct cells *cells, int columns, bool sure) {
    cells->joins = false;
    cells->base_columns += columns;
    return (struct cells_added){.columns = columns, .sure = sure, .joined = true};
}

struct cells_added cells_add(struct cells *cells, uint32_t code_point) {
    if (code_point >= 0x20 && code_point < 0x7F) { // most text
        *cells = (struct cells){.base = code_point, .base_columns = 1};
        return (struct cells_added){.columns = 1, .sure = true};
    }
    const bool joins = cells->joins && is_picture(cells->base) && is_picture(code_point);
    const bool paired = cells->letter && is_regional_letter(code_point);
    cells->letter = false;
    if (code_point == JOINER) {
        cells->joins = true;
        return (struct cells_added){.sure = true, .joined = true};
    }
    if (paired) return join(cells, 0, true);
    if (code_point == AS_PICTURE && cells->base)
        return join(cells, cells->base_columns == 1, cells->base_columns != 1);
    if (code_point == AS_TEXT && cells->base) return join(cells, 0, cells->base_columns == 1);
    if (joins || (is_skin_tone(code_point) && is_picture(cells->base)))
        return join(cells, wcwidth((wchar_t)code_point) == 1 ? 1 : 2, false);
    if (wcwidth((wchar_t)code_point) == 0) return join(cells, 0, true);
    return begin(cells, code_point);
}
