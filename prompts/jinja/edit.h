// prompts/jinja/edit.h — string operations behind filters and methods: strip, split, replace, case.
//
// A character that is kept, or turned into another, keeps its origin; padding is text.
#ifndef PROMPTS_JINJA_EDIT_H
#define PROMPTS_JINJA_EDIT_H

#include "prompts/jinja/machine.h"

enum edit_sides { EDIT_LEFT = 1, EDIT_RIGHT = 2, EDIT_BOTH = 3 };

// Removes characters of `set` (NULL: white space) from the ends.
MUST_CHECK enum status edit_strip(struct machine *machine, const struct chars *string,
                                  const struct chars *set, enum edit_sides sides,
                                  struct value *result);

struct edit_split {
    const struct chars *separator; // NULL: runs of white space, and no empty parts
    int64_t most;                  // maximum number of splits; below 0: no limit
    bool from_right;
};
MUST_CHECK enum status edit_split(struct machine *machine, const struct chars *string,
                                  const struct edit_split *how, struct value *result);
MUST_CHECK enum status edit_split_lines(struct machine *machine, const struct chars *string,
                                        bool keep_ends, struct value *result);

// Replaces at most `most` occurrences; below 0: all.
MUST_CHECK enum status edit_replace(struct machine *machine, const struct chars *string,
                                    const struct chars *old, const struct chars *by, int64_t most,
                                    struct value *result);

enum edit_case {
    EDIT_UPPER,
    EDIT_LOWER,
    EDIT_FOLD, // for comparing: "ß" is "ss"
    EDIT_SWAP,
    EDIT_CAPITALIZE, // the first character of the string
    EDIT_TITLE,      // the first of each run of letters
    EDIT_TITLE_WORDS // after white space and opening brackets, as the `title` filter does
};
MUST_CHECK enum status edit_case(struct machine *machine, const struct chars *string,
                                 enum edit_case how, struct value *result);

// Pads to at least `width` characters with `fill` on the given sides.
MUST_CHECK enum status edit_pad(struct machine *machine, const struct chars *string, int64_t width,
                                const struct chars *fill, enum edit_sides sides,
                                struct value *result);

// Joins the items of a list, each as str().
MUST_CHECK enum status edit_join(struct machine *machine, const struct list *items,
                                 const struct chars *separator, struct value *result);

#endif
