// app/console/tree.h — a family of messages as a picture: one exchange per row, branches below the
// row that they leave.
//
//   * The capital of France? → Paris.
//     And of Spain? → Madrid.
//     ├─ And of Italy? → Rome.
//     └─ [other way] Tell me more. → Madrid is …
//
// A question with several answers has a row for each. A row shows the names of other
// conversations whose tip it is; the mark is this one's tip. What follows without a branch keeps
// its column, so that a long conversation stays on the screen.
//
// Memory: owned, tree_deinit(). No threads.
#ifndef APP_TREE_H
#define APP_TREE_H

#include "kernels/base/text.h"
#include "store/family.h"

enum { TREE_LEVELS_MOST = 12 }; // of branches that are indented

struct tree_row {
    int64_t message; // to go to when it is chosen
    char *text;      // owned
};

struct tree {
    struct tree_row *rows;
    size_t count;
    size_t here; // the row of this conversation's tip; SIZE_MAX: none
};

struct family {
    const struct family_message *messages; // [count], parents first
    size_t count;
    const struct conversation *conversations; // whose tips are in it
    size_t conversation_count;
    const struct conversation *current;
};

// Fills an empty one. A message whose parent is missing counts as a root.
MUST_CHECK enum status tree_draw(const struct family *family, struct tree *tree);
void tree_deinit(struct tree *tree); // leaves it empty

#endif
