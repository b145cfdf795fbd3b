// app/console/tree.h — draws a family of messages: one exchange per row, branches below the row
// they leave.
//
//   * The capital of France? → Paris.
//     And of Spain? → Madrid.
//     ├─ And of Italy? → Rome.
//     └─ [other way] Tell me more. → Madrid is …
//
// A question with several answers has a row for each. A row shows the names of other conversations
// whose tip it is; "*" marks the tip of this one. Only branches are indented, so that a long
// conversation stays on the screen.
//
// Memory: owned, tree_deinit(). Threads: no state.
#ifndef APP_TREE_H
#define APP_TREE_H

#include "kernels/base/text.h"
#include "store/family.h"

enum { TREE_LEVELS_MOST = 12 }; // most levels of indentation

struct tree_row {
    int64_t message; // where to go if this row is chosen
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
    const struct conversation *conversations; // with their tips in the family
    size_t conversation_count;
    const struct conversation *current;
};

// Fills an empty tree. A message whose parent is missing counts as a root.
MUST_CHECK enum status tree_draw(const struct family *family, struct tree *tree);
void tree_deinit(struct tree *tree); // leaves it empty

#endif
