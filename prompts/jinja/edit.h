// prompts/jinja/edit.h — what filters and methods do to a string: strip, split, replace, case.
//
// Each keeps the origin of every character that it keeps or turns into another; padding is text.
#ifndef PROMPTS_JINJA_EDIT_H
#define PROMPTS_JINJA_EDIT_H

#include "prompts/jinja/machine.h"

enum edit_sides { EDIT_LEFT = 1, EDIT_RIGHT = 2, EDIT_BOTH = 3 };

// Without the characters of `set` (NULL: white space) at its ends.
MUST_CHECK enum status edit_strip(struct machine *machine, const struct chars *string,
                                  const struct chars *set, enum edit_sides sides,
                                  struct value *result);

struct edit_split {
    const struct chars *separator; // NULL: any white space, and nothing empty
    int64_t most;                  // cuts; below 0: all
    bool from_right;
};
MUST_CHECK enum status edit_split(struct machine *machine, const struct chars *string,
                                  const struct edit_split *how, struct value *result);
MUST_CHECK enum status edit_split_lines(struct machine *machine, const struct chars *string,
                                        bool keep_ends, struct value *result);

// At most `most` times; below 0: wherever it is.
MUST_CHECK enum status edit_replace(struct machine *machine, const struct chars *string,
                                    const struct chars *old, const struct chars *by, int64_t most,
                                    struct value *result);

enum edit_case {
    EDIT_UPPER,
    EDIT_LOWER,
    EDIT_SWAP,
    EDIT_CAPITALIZE, // the first character of all
    EDIT_TITLE,      // of each run of letters
    EDIT_TITLE_WORDS // after white space and opening brackets: the filter's way
};
MUST_CHECK enum status edit_case(struct machine *machine, const struct chars *string,
                                 enum edit_case how, struct value *result);

// Of at least `width` characters, `fill` on the sides that are named.
MUST_CHECK enum status edit_pad(struct machine *machine, const struct chars *string, int64_t width,
                                const struct chars *fill, enum edit_sides sides,
                                struct value *result);

// Items of a list joined, each as str().
MUST_CHECK enum status edit_join(struct machine *machine, const struct list *items,
                                 const struct chars *separator, struct value *result);

#endif
