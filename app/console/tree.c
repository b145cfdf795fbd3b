#include "app/console/tree.h"

#include <stdlib.h>
#include <string.h>

#include "app/base/figures.h"

enum { QUESTION_COLUMNS = 32 };

static const size_t NOWHERE = SIZE_MAX;

// A message with a row of its own: an answer, a question without one, or a system prompt.
struct node {
    size_t message;                               // of the family
    size_t question;                              // of an answer; or NOWHERE
    size_t parent;                                // the row that it hangs below, or NOWHERE
    size_t first_child, last_child, next, branch; // branch: the nearest row, this or above, that
    size_t child_count;                           // has siblings; or NOWHERE
};

struct drawing {
    const struct family *family;
    struct node *nodes; // [count], parents first
    size_t count;
    size_t *row_of; // [messages] node of each, or NOWHERE
    struct node top;
};

static size_t find_message(const struct family *family, int64_t id) {
    size_t low = 0, high = family->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (family->messages[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < family->count && family->messages[low].id == id ? low : NOWHERE;
}

static struct node *parent_of(struct drawing *drawing, const struct node *node) {
    return node->parent == NOWHERE ? &drawing->top : &drawing->nodes[node->parent];
}

// Answers that are written side by side are stored in the order in which they end, and numbered in
// the order in which they began.
static bool is_earlier(const struct drawing *drawing, size_t left, size_t right) {
    const struct family_message *messages = drawing->family->messages;
    const struct family_message *a = &messages[drawing->nodes[left].message];
    const struct family_message *b = &messages[drawing->nodes[right].message];
    return a->created_ms != b->created_ms ? a->created_ms < b->created_ms : a->id < b->id;
}

static void add_child(struct drawing *drawing, struct node *parent, size_t index) {
    size_t before = parent->last_child;
    if (before != NOWHERE && is_earlier(drawing, index, before)) {
        before = NOWHERE;
        for (size_t at = parent->first_child; !is_earlier(drawing, index, at);
             at = drawing->nodes[at].next)
            before = at;
    }
    size_t *link = before == NOWHERE ? &parent->first_child : &drawing->nodes[before].next;
    drawing->nodes[index].next = *link;
    *link = index;
    if (drawing->nodes[index].next == NOWHERE) parent->last_child = index;
    parent->child_count++;
}

static void add_node(struct drawing *drawing, size_t message, size_t question, size_t above) {
    const size_t index = drawing->count++;
    struct node *node = &drawing->nodes[index];
    *node = (struct node){.message = message,
                          .question = question,
                          .parent = above == NOWHERE ? NOWHERE : drawing->row_of[above],
                          .first_child = NOWHERE,
                          .last_child = NOWHERE,
                          .next = NOWHERE,
                          .branch = NOWHERE};
    drawing->row_of[message] = index;
    add_child(drawing, parent_of(drawing, node), index);
}

// A question is shown in the rows of its answers.
static void add_nodes(struct drawing *drawing) {
    const struct family *family = drawing->family;
    for (size_t i = 0; i < family->count; i++)
        drawing->row_of[i] = NOWHERE;
    for (size_t i = 0; i < family->count; i++) { // mark questions that have answers
        const struct family_message *message = &family->messages[i];
        const size_t above = find_message(family, message->parent);
        if (message->role == MESSAGE_ASSISTANT && above != NOWHERE) drawing->row_of[above] = 0;
    }
    for (size_t i = 0; i < family->count; i++) {
        const struct family_message *message = &family->messages[i];
        const size_t above = find_message(family, message->parent);
        const bool answered = message->role == MESSAGE_USER && drawing->row_of[i] == 0;
        const bool carries = message->role == MESSAGE_ASSISTANT && above != NOWHERE &&
                             family->messages[above].role == MESSAGE_USER;
        drawing->row_of[i] = NOWHERE;
        if (answered)
            continue;
        else if (carries)
            add_node(drawing, i, above, find_message(family, family->messages[above].parent));
        else
            add_node(drawing, i, NOWHERE, above);
    }
    for (size_t i = 0; i < drawing->count; i++) {
        struct node *node = &drawing->nodes[i];
        const bool alone = parent_of(drawing, node)->child_count == 1;
        const bool below = node->parent != NOWHERE;
        node->branch = !alone ? i : below ? drawing->nodes[node->parent].branch : NOWHERE;
    }
}

// The branches above a row, outermost first, at most the TREE_LEVELS_MOST innermost.
static enum status append_branches(const struct drawing *drawing, size_t index, struct text *out) {
    size_t levels[TREE_LEVELS_MOST], count = 0;
    for (size_t at = drawing->nodes[index].branch; at != NOWHERE && count < TREE_LEVELS_MOST;) {
        levels[count++] = at;
        const size_t parent = drawing->nodes[at].parent;
        at = parent == NOWHERE ? NOWHERE : drawing->nodes[parent].branch;
    }
    while (count-- > 0) {
        const bool last = drawing->nodes[levels[count]].next == NOWHERE;
        if (levels[count] == index)
            TRY(text_append_string(out, last ? "└─ " : "├─ "));
        else
            TRY(text_append_string(out, last ? "   " : "│  "));
    }
    return STATUS_OK;
}

static enum status append_standing(const struct family *family, int64_t message, struct text *out) {
    for (size_t i = 0; i < family->conversation_count; i++) {
        const struct conversation *other = &family->conversations[i];
        if (other->tip != message || strcmp(other->id, family->current->id) == 0) continue;
        TRY(text_format(out, "[%s] ", other->name[0] ? other->name : other->id));
    }
    return STATUS_OK;
}

static const char *mark_of(const struct family_message *message) {
    if (message->role == MESSAGE_USER) return " (no answer)";
    if (message->stop == STOP_INTERRUPTED || message->stop == STOP_LENGTH) return " (cut)";
    return message->stop == STOP_CONTEXT ? " (context full)" : "";
}

static enum status append_row(const struct drawing *drawing, size_t index, struct text *out) {
    const struct family *family = drawing->family;
    const struct node *node = &drawing->nodes[index];
    const struct family_message *message = &family->messages[node->message];
    TRY(text_append_string(out, message->id == family->current->tip ? "* " : "  "));
    TRY(append_branches(drawing, index, out));
    TRY(append_standing(family, message->id, out));
    if (message->role == MESSAGE_SYSTEM) TRY(text_append_string(out, "system: "));
    if (node->question != NOWHERE) {
        TRY(text_fit(out, family->messages[node->question].preview, QUESTION_COLUMNS, false));
        TRY(text_append_string(out, " → "));
    }
    return text_format(out, "%s%s", message->preview, mark_of(message));
}

// The next row from the top down; NOWHERE: this is the last.
static size_t next_row(const struct drawing *drawing, size_t index) {
    const struct node *nodes = drawing->nodes;
    if (nodes[index].first_child != NOWHERE) return nodes[index].first_child;
    while (index != NOWHERE && nodes[index].next == NOWHERE)
        index = nodes[index].parent;
    return index == NOWHERE ? NOWHERE : nodes[index].next;
}

static enum status write_rows(const struct drawing *drawing, struct tree *tree) {
    const struct family *family = drawing->family;
    for (size_t at = drawing->top.first_child; at != NOWHERE; at = next_row(drawing, at)) {
        struct text text = {0};
        const int64_t message = family->messages[drawing->nodes[at].message].id;
        const enum status status = append_row(drawing, at, &text);
        if (status != STATUS_OK) {
            text_deinit(&text);
            return status;
        }
        if (message == family->current->tip) tree->here = tree->count;
        tree->rows[tree->count++] = (struct tree_row){message, text.bytes};
    }
    return STATUS_OK;
}

enum status tree_draw(const struct family *family, struct tree *tree) {
    struct drawing drawing = {.family = family,
                              .nodes = calloc(family->count + 1, sizeof *drawing.nodes),
                              .row_of = calloc(family->count + 1, sizeof *drawing.row_of),
                              .top = {.first_child = NOWHERE, .last_child = NOWHERE}};
    *tree = (struct tree){.rows = calloc(family->count + 1, sizeof *tree->rows), .here = NOWHERE};
    enum status status =
        drawing.nodes && drawing.row_of && tree->rows ? STATUS_OK : STATUS_NO_MEMORY;
    if (status == STATUS_OK) {
        add_nodes(&drawing);
        status = write_rows(&drawing, tree);
    }
    free(drawing.nodes);
    free(drawing.row_of);
    if (status != STATUS_OK) tree_deinit(tree);
    return status;
}

void tree_deinit(struct tree *tree) {
    for (size_t i = 0; i < tree->count; i++)
        free(tree->rows[i].text);
    free(tree->rows);
    *tree = (struct tree){.here = NOWHERE};
}
