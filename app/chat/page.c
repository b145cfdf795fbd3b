#include "app/chat/page.h"

#include <cmark-gfm-core-extensions.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/printable.h"
#include "engine/tokenizer/thinking.h"
#include "kernels/base/array.h"
#include "prompts/preamble.h"

static const char HEAD[] = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                           "<meta name=\"viewport\" content=\"width=device-width\">\n"
                           "<meta name=\"referrer\" content=\"no-referrer\">\n"
                           "<meta http-equiv=\"Content-Security-Policy\""
                           " content=\"default-src 'none'; style-src 'unsafe-inline'\">\n";

static const char STYLE[] =
    "<style>\n"
    "body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:1rem/1.55 system-ui,sans-serif;"
    "color:#222;background:#fff}\n"
    ".user{white-space:pre-wrap;overflow-wrap:anywhere;background:#eef2f6;border-radius:.5rem;"
    "padding:.6rem .9rem;margin:1.5rem 0 .8rem}\n"
    ".system,.thought{white-space:pre-wrap;color:#666}\n"
    ".plain{white-space:pre-wrap}\n"
    ".cut,summary,.about{color:#666;font-size:.9rem}\n"
    "details.branch{border-left:3px solid #cdd5dd;padding-left:.9rem;margin:.8rem 0}\n"
    "pre{background:#f6f6f4;padding:.7rem;overflow-x:auto;border-radius:.4rem}\n"
    "table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2rem .6rem}\n"
    "blockquote{border-left:3px solid #ccc;margin-left:0;padding-left:.9rem;color:#555}\n"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1c1e}.user{background:#2a2f36}"
    "pre{background:#26282b}a{color:#8ab4f8}}\n"
    "</style>\n";

static const size_t NOWHERE = SIZE_MAX;

struct node {
    size_t parent, first_reply, next; // indices of messages, or NOWHERE
    size_t number;                    // among the replies to its parent, from 1
    size_t replies;
    bool on_path; // to the conversation's tip
};

struct tree {
    const struct page *page;
    struct node *nodes; // [count], and one above all roots
};

// ---- text

// Escapes for HTML; hidden characters become U+FFFD.
static enum status append_escaped(struct text *out, const char *bytes, size_t length) {
    for (size_t at = 0, used; at < length; at += used) {
        const uint32_t code_point = utf8_decode(bytes + at, length - at, &used);
        const bool hidden =
            printable_is_hidden(code_point) && code_point != '\n' && code_point != '\t';
        if (code_point == '\r') continue;
        if (hidden || code_point == UTF8_REPLACEMENT)
            TRY(text_append_string(out, "\xEF\xBF\xBD"));
        else if (code_point == '&')
            TRY(text_append_string(out, "&amp;"));
        else if (code_point == '<')
            TRY(text_append_string(out, "&lt;"));
        else if (code_point == '>')
            TRY(text_append_string(out, "&gt;"));
        else if (code_point == '"')
            TRY(text_append_string(out, "&quot;"));
        else
            TRY(text_append(out, bytes + at, used));
    }
    return STATUS_OK;
}

// ---- Markdown

// Turns HTML into its source text.
static bool show_html(cmark_node *node) {
    const bool block = cmark_node_get_type(node) == CMARK_NODE_HTML_BLOCK;
    cmark_node *text = cmark_node_new(block ? CMARK_NODE_CODE_BLOCK : CMARK_NODE_TEXT);
    return text && cmark_node_set_literal(text, cmark_node_get_literal(node)) &&
           cmark_node_replace(node, text);
}

// Turns a picture into a link.
static bool link_picture(cmark_node *node) {
    cmark_node *link = cmark_node_new(CMARK_NODE_LINK);
    bool whole = link && cmark_node_set_url(link, cmark_node_get_url(node)) &&
                 cmark_node_insert_before(node, link);
    for (cmark_node *child; whole && (child = cmark_node_first_child(node));)
        whole = cmark_node_append_child(link, child);
    if (whole) cmark_node_unlink(node);
    return whole;
}

struct nodes {
    cmark_node **items; // [count], owned array of nodes of the document
    size_t count, capacity;
};

static enum status nodes_push(struct nodes *nodes, cmark_node *node) {
    if (!array_reserve(&nodes->items, nodes->count, &nodes->capacity, sizeof nodes->items[0]))
        return STATUS_NO_MEMORY;
    nodes->items[nodes->count++] = node;
    return STATUS_OK;
}

// Collects the nodes that must be replaced.
static enum status find_foreign(cmark_node *document, struct nodes *nodes) {
    cmark_iter *iterator = cmark_iter_new(document);
    enum status status = STATUS_OK;
    for (cmark_event_type event; (event = cmark_iter_next(iterator)) != CMARK_EVENT_DONE;) {
        cmark_node *node = cmark_iter_get_node(iterator);
        const cmark_node_type type = cmark_node_get_type(node);
        if (event != CMARK_EVENT_ENTER || status != STATUS_OK) continue;
        if (type == CMARK_NODE_HTML_BLOCK || type == CMARK_NODE_HTML_INLINE ||
            type == CMARK_NODE_IMAGE)
            status = nodes_push(nodes, node);
    }
    cmark_iter_free(iterator);
    return status;
}

static enum status tame(cmark_node *document) {
    struct nodes nodes = {0};
    enum status status = find_foreign(document, &nodes);
    for (size_t i = 0; i < nodes.count && status == STATUS_OK; i++) {
        cmark_node *node = nodes.items[i];
        const bool picture = cmark_node_get_type(node) == CMARK_NODE_IMAGE;
        if (picture ? link_picture(node) : show_html(node))
            cmark_node_free(node);
        else
            status = STATUS_NO_MEMORY;
    }
    free(nodes.items);
    return status;
}

static enum status append_block(struct text *out, const char *class, const char *text,
                                size_t length) {
    TRY(text_format(out, "<div class=\"%s\">", class));
    TRY(append_escaped(out, text, length));
    return text_append_string(out, "</div>\n");
}

// ---- limits for the library
//
// It pads each row of a table to the columns of its head, and
// walks over every list and quotation around a line: a few kilobytes of input can cost it a
// gigabyte, or minutes. So a table with too many cells stays plain text, and so does a message with
// too deeply nested lists and quotations.

enum { MAX_CELLS = 50000, MAX_COLUMNS = 500, MAX_NESTED = 100, MAX_MARKDOWN_BYTES = 4 << 20 };

struct shape { // lower bounds for a text
    size_t cells, columns, nested;
};

// Could the line be the second of a table? Dashes and bars, perhaps in lists and quotations.
static bool may_head(const char *line, size_t length, size_t *columns) {
    size_t bars = 0, dashes = 0;
    for (size_t i = 0; i < length; i++) {
        if (!strchr("|-: \t\r>*+.)0123456789", line[i]) || !line[i]) return false;
        bars += line[i] == '|';
        dashes += line[i] == '-';
    }
    *columns = bars + 1;
    return bars > 0 && dashes > 0;
}

static size_t count_nested(const char *line, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < length && strchr(" \t>*+-.)0123456789", line[i]) && line[i]; i++)
        count += strchr(">*+-.)", line[i]) != NULL;
    return count;
}

// A line of dashes, as under a heading, or of stars is not part of a list.
static bool is_rule(const char *line, size_t length) {
    for (size_t i = 1; i < length; i++)
        if (line[i] != line[0] && line[i] != '\r') return false;
    return length > 0 && line[0] != '>';
}

static bool is_blank_line(const char *line, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!strchr(" \t\r>", line[i]) || !line[i]) return false;
    return true;
}

// Counts each row for all heads before it, up to a blank line.
static struct shape shape_of(const char *text, size_t length) {
    struct shape shape = {0};
    size_t heads = 0, columns;
    for (size_t at = 0, line_length; at < length; at += line_length + 1) {
        const char *line = text + at, *end = memchr(line, '\n', length - at);
        line_length = end ? (size_t)(end - line) : length - at;
        const size_t nested = count_nested(line, line_length);
        if (nested > shape.nested && !is_rule(line, line_length)) shape.nested = nested;
        if (is_blank_line(line, line_length)) heads = 0;
        shape.cells += heads;
        if (!may_head(line, line_length, &columns)) continue;
        heads += columns;
        if (columns > shape.columns) shape.columns = columns;
    }
    return shape;
}

static enum status append_markdown(struct text *out, const char *text, size_t length) {
    const struct shape shape = shape_of(text, length);
    if (shape.nested > MAX_NESTED || length > MAX_MARKDOWN_BYTES)
        return append_block(out, "plain", text, length);
    const bool tables = shape.cells <= MAX_CELLS && shape.columns <= MAX_COLUMNS;
    static const char *const extensions[] = {"table", "strikethrough"};
    const int options = CMARK_OPT_VALIDATE_UTF8; // unsafe content is omitted by default
    cmark_gfm_core_extensions_ensure_registered();
    cmark_parser *parser = cmark_parser_new(options);
    for (size_t i = tables ? 0 : 1; i < sizeof extensions / sizeof extensions[0]; i++)
        cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension(extensions[i]));
    cmark_parser_feed(parser, text, length);
    cmark_node *document = cmark_parser_finish(parser);
    enum status status = document ? tame(document) : STATUS_NO_MEMORY;
    char *html = status == STATUS_OK ? cmark_render_html(document, options,
                                                         cmark_parser_get_syntax_extensions(parser))
                                     : NULL;
    if (status == STATUS_OK) status = html ? text_append_string(out, html) : STATUS_NO_MEMORY;
    free(html);
    if (document) cmark_node_free(document);
    cmark_parser_free(parser);
    return status;
}

// ---- messages

static enum status append_thought(struct text *out, const struct text *thought) {
    if (thought->length == 0) return STATUS_OK;
    TRY(text_append_string(out, "<details><summary>thinking</summary>\n"));
    TRY(append_block(out, "thought", thought->bytes, thought->length));
    return text_append_string(out, "</details>\n");
}

static enum status append_answer(struct text *out, const struct message *message) {
    struct text thought = {0}, answer = {0}, harmless = {0};
    enum status status = thinking_split(message->text, message->length, &thought, &answer);
    if (status == STATUS_OK)
        status = printable_text(text_string(&answer), answer.length, &harmless);
    if (status == STATUS_OK) status = append_thought(out, &thought);
    if (status == STATUS_OK) status = text_append_string(out, "<div class=\"assistant\">\n");
    if (status == STATUS_OK) status = append_markdown(out, text_string(&harmless), harmless.length);
    if (status == STATUS_OK) status = text_append_string(out, "</div>\n");
    if (status == STATUS_OK && message->stop != STOP_END && message->stop != STOP_STRING)
        status =
            text_format(out, "<p class=\"cut\">cut: %s</p>\n", message_stop_name(message->stop));
    text_deinit(&thought);
    text_deinit(&answer);
    text_deinit(&harmless);
    return status;
}

static enum status append_system(struct text *out, const struct message *message) {
    struct text preamble = {0};
    enum status status = preamble_show(message->text, &preamble);
    if (status == STATUS_OK)
        status = append_block(out, "system", text_string(&preamble), preamble.length);
    text_deinit(&preamble);
    return status;
}

static enum status append_message(struct text *out, const struct message *message) {
    switch (message->role) {
    case MESSAGE_SYSTEM:
        return append_system(out, message);
    case MESSAGE_USER:
        return append_block(out, "user", message->text, message->length);
    case MESSAGE_ASSISTANT:
        return append_answer(out, message);
    }
    return STATUS_OK;
}

// ---- the tree

static size_t find_message(const struct page *page, int64_t id) {
    size_t low = 0, high = page->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (page->messages[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < page->count && page->messages[low].id == id ? low : NOWHERE;
}

static struct node *parent_of(const struct tree *tree, size_t place) {
    const size_t parent = tree->nodes[place].parent;
    return &tree->nodes[parent == NOWHERE ? tree->page->count : parent];
}

// Replies to one message are in the order of their /alt numbers (message_replies()).
static bool is_earlier(const struct message *a, const struct message *b) {
    return a->created_ms != b->created_ms ? a->created_ms < b->created_ms : a->id < b->id;
}

// From the last to the first, so that most are put before their siblings at once.
static void link_nodes(struct tree *tree) {
    const struct page *page = tree->page;
    for (size_t i = 0; i <= page->count; i++)
        tree->nodes[i] = (struct node){.parent = NOWHERE, .first_reply = NOWHERE, .next = NOWHERE};
    for (size_t i = page->count; i-- > 0;) {
        struct node *node = &tree->nodes[i];
        const size_t parent = find_message(page, page->messages[i].parent);
        node->parent = parent < i ? parent : NOWHERE;
        struct node *above = parent_of(tree, i);
        size_t *link = &above->first_reply;
        while (*link != NOWHERE && is_earlier(&page->messages[*link], &page->messages[i]))
            link = &tree->nodes[*link].next;
        node->next = *link;
        *link = i;
        above->replies++;
    }
    for (size_t i = 0; i < page->count; i++) {
        struct node *node = &tree->nodes[i];
        node->number = 1;
        for (size_t before = parent_of(tree, i)->first_reply; before != i;
             before = tree->nodes[before].next)
            node->number++;
    }
    for (size_t at = find_message(page, page->conversation->tip); at != NOWHERE;
         at = tree->nodes[at].parent)
        tree->nodes[at].on_path = true;
}

static size_t siblings_of(const struct tree *tree, size_t place) {
    return parent_of(tree, place)->replies;
}

static enum status open_branch(const struct tree *tree, size_t place, struct text *out) {
    const struct node *node = &tree->nodes[place];
    const bool answer = tree->page->messages[place].role == MESSAGE_ASSISTANT;
    if (siblings_of(tree, place) < 2) return STATUS_OK;
    return text_format(out, "<details class=\"branch\"%s><summary>%s %zu of %zu</summary>\n",
                       node->on_path ? " open" : "", answer ? "answer" : "branch", node->number,
                       siblings_of(tree, place));
}

static enum status close_branch(const struct tree *tree, size_t place, struct text *out) {
    if (siblings_of(tree, place) < 2) return STATUS_OK;
    return text_append_string(out, "</details>\n");
}

// Each message before its replies.
static enum status append_tree(const struct tree *tree, struct text *out) {
    size_t at = tree->nodes[tree->page->count].first_reply;
    while (at != NOWHERE) {
        TRY(open_branch(tree, at, out));
        TRY(append_message(out, &tree->page->messages[at]));
        size_t next = tree->nodes[at].first_reply;
        while (next == NOWHERE && at != NOWHERE) {
            TRY(close_branch(tree, at, out));
            next = tree->nodes[at].next;
            at = tree->nodes[at].parent;
        }
        at = next;
    }
    return STATUS_OK;
}

static enum status append_heading(const struct page *page, struct text *out) {
    const struct conversation *conversation = page->conversation;
    const char *name = conversation->name[0] ? conversation->name : conversation->id;
    TRY(text_append_string(out, HEAD));
    TRY(text_append_string(out, "<title>"));
    TRY(append_escaped(out, name, strlen(name)));
    TRY(text_append_string(out, "</title>\n"));
    TRY(text_append_string(out, STYLE));
    TRY(text_append_string(out, "</head>\n<body>\n<h1>"));
    TRY(append_escaped(out, name, strlen(name)));
    return text_format(out, "</h1>\n<p class=\"about\">%s, %zu message%s, by quire</p>\n",
                       conversation->id, page->count, page->count == 1 ? "" : "s");
}

enum status page_append(const struct page *page, struct text *out) {
    struct tree tree = {.page = page, .nodes = calloc(page->count + 1, sizeof *tree.nodes)};
    if (!tree.nodes) return STATUS_NO_MEMORY;
    link_nodes(&tree);
    enum status status = append_heading(page, out);
    if (status == STATUS_OK) status = append_tree(&tree, out);
    if (status == STATUS_OK) status = text_append_string(out, "</body>\n</html>\n");
    free(tree.nodes);
    return status;
}
