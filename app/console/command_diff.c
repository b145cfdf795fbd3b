// app/console/command_diff.c — /diff: two branches or two answers side by side.
//
// The common part is folded into one line. If the screen is too narrow for two columns, messages go
// below each other.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/base/figures.h"
#include "app/base/path.h"
#include "app/base/printable.h"
#include "app/chat/chat_turn.h"
#include "app/console/command.h"
#include "app/console/pager.h"
#include "app/screen/columns.h"
#include "app/screen/markdown.h"
#include "app/screen/stream.h"
#include "app/screen/terminal.h"
#include "engine/tokenizer/thinking.h"

enum {
    LABEL_BYTES = 192,
    LEAST_COLUMNS = 26, // of one side
};

struct side {
    char label[LABEL_BYTES];
    struct message *path; // [count], owned
    size_t count;
};

static void side_deinit(struct side *side) { message_path_free(side->path, side->count); }

// ---- what is compared

static enum status load_branch(struct console *console, const char *which, struct side *side,
                               struct error *err) {
    struct conversation found;
    const char *name = strcmp(which, "-") == 0 ? console->session->previous : which;
    if (!name[0]) return error_set(err, STATUS_NOT_FOUND, "no previous conversation yet");
    TRY(conversation_find_begun(console->session->db, name, &found, err));
    snprintf(side->label, sizeof side->label, "%s%s%s", found.id, found.name[0] ? " " : "",
             found.name);
    return message_path(console->session->db, found.tip, &side->path, &side->count, err);
}

// Loads the path to an answer to the last message; 0: the current one.
static enum status load_answer(struct console *console, int64_t number, struct side *side,
                               struct error *err) {
    struct message *answers;
    size_t count, current;
    TRY(chat_alternatives(console->session->front, &answers, &count, &current, err));
    enum status status = STATUS_OK;
    const size_t index = number > 0 ? (size_t)number - 1 : current;
    if (index >= count && count == 1)
        status = error_set(err, STATUS_BAD_INPUT, "no answer %" PRId64 "; /regen writes another",
                           number);
    else if (index >= count)
        status = error_set(err, STATUS_BAD_INPUT, "no answer %" PRId64 "; choose 1 to %zu", number,
                           count);
    snprintf(side->label, sizeof side->label, "answer %zu%s", index + 1,
             index == current ? ", the current one" : "");
    if (status == STATUS_OK)
        status =
            message_path(console->session->db, answers[index].id, &side->path, &side->count, err);
    message_path_free(answers, count);
    return status;
}

// A number that is too short for an id.
static bool is_answer(const char *word, int64_t *number) {
    return strlen(word) < CONVERSATION_ID_SHORTEST && command_number(word, number);
}

static enum status load(struct console *console, const char *which, struct side *side,
                        struct error *err) {
    int64_t number;
    if (is_answer(which, &number)) return load_answer(console, number, side, err);
    return load_branch(console, which, side, err);
}

// The newest message below `id`: its last reply, the last reply to that, and so on.
static enum status find_leaf(struct db *db, int64_t *id, struct error *err) {
    size_t count = 1;
    while (count > 0) {
        struct message *replies;
        TRY(message_replies(db, *id, &replies, &count, err));
        if (count > 0) *id = replies[count - 1].id;
        message_path_free(replies, count);
    }
    return STATUS_OK;
}

// Finds where this conversation last branched: going back from its last message, the newest reply
// that is not on its path. *other is MESSAGE_NONE without a branch.
static enum status find_other_way(const struct chat *chat, int64_t *other, struct error *err) {
    *other = MESSAGE_NONE;
    int64_t next = MESSAGE_NONE;
    for (size_t i = chat_message_count(chat); i-- > 0 && *other == MESSAGE_NONE;) {
        struct message *replies;
        size_t count;
        TRY(message_replies(chat->session->db, chat_message(chat, i)->id, &replies, &count, err));
        for (size_t j = 0; j < count; j++)
            if (replies[j].id != next) *other = replies[j].id;
        message_path_free(replies, count);
        next = chat_message(chat, i)->id;
    }
    return *other == MESSAGE_NONE ? STATUS_OK : find_leaf(chat->session->db, other, err);
}

// Without arguments: compares a fork with its original, else the last two answers, else the branch
// that /rewind left with the current one.
static enum status load_usual(struct console *console, struct side sides[2], struct error *err) {
    struct chat *chat = console->session->front;
    struct db *db = console->session->db;
    struct message *answers;
    size_t count = 0, current = 0;
    int64_t other;
    if (chat->conversation.forked_from[0]) {
        TRY(load_branch(console, chat->conversation.forked_from, &sides[0], err));
        return load_branch(console, chat->conversation.id, &sides[1], err);
    }
    if (chat_alternatives(chat, &answers, &count, &current, err) == STATUS_OK)
        message_path_free(answers, count);
    if (count > 1) {
        TRY(load_answer(console, (int64_t)(current > 0 ? current : 2), &sides[0], err));
        return load_answer(console, (int64_t)current + 1, &sides[1], err);
    }
    TRY(find_other_way(chat, &other, err));
    if (other == MESSAGE_NONE)
        return error_set(
            err, STATUS_BAD_INPUT,
            "nothing to compare yet: /regen writes another answer, /fork makes a branch");
    snprintf(sides[0].label, sizeof sides[0].label, "the other branch");
    snprintf(sides[1].label, sizeof sides[1].label, "here");
    TRY(message_path(db, other, &sides[0].path, &sides[0].count, err));
    return message_path(db, chat->conversation.tip, &sides[1].path, &sides[1].count, err);
}

static bool is_same(const struct message *a, const struct message *b) {
    return a->role == b->role && a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

// The number of common messages at the start; `turns` of them are the user's.
static size_t find_common(const struct side sides[2], int64_t *turns) {
    size_t at = 0;
    *turns = 0;
    for (; at < sides[0].count && at < sides[1].count; at++) {
        if (!is_same(&sides[0].path[at], &sides[1].path[at])) break;
        *turns += sides[0].path[at].role == MESSAGE_USER;
    }
    return at;
}

// ---- how it looks

static const char *mark_of(const struct message *message) {
    switch (message->stop) {
    case STOP_LENGTH:
    case STOP_INTERRUPTED:
    case STOP_CONTEXT:
        return "\n[cut]";
    case STOP_NONE:
    case STOP_END:
    case STOP_STRING:
        return "";
    }
    return "";
}

// Appends a message as shown: safe to print, without its thinking.
static enum status append_text(const struct message *message, struct text *text) {
    struct text answer = {0};
    enum status status = STATUS_OK;
    if (message->role == MESSAGE_ASSISTANT)
        status = thinking_split(message->text, message->length, NULL, &answer);
    else
        status = text_append(&answer, message->text, message->length);
    if (status == STATUS_OK) status = printable_text(text_string(&answer), answer.length, text);
    text_deinit(&answer);
    while (text->length > 0 && text->bytes[text->length - 1] == '\n')
        text->bytes[--text->length] = '\0';
    return status == STATUS_OK ? text_append_string(text, mark_of(message)) : status;
}

// Lines of this width, with styles and nothing else.
static enum status lay_out(const struct message *message, int width, struct text *lines) {
    struct markdown markdown = {.wrap = {.width = width, .whole_words = true}};
    struct text text = {0};
    enum status status = append_text(message, &text);
    if (status == STATUS_OK && message->role == MESSAGE_USER) {
        markdown.wrap.style = WRAP_BOLD;
        status = wrap_append(&markdown.wrap, "> ", 2, lines);
        markdown.wrap.style = WRAP_PLAIN;
        if (status == STATUS_OK)
            status = wrap_append(&markdown.wrap, text_string(&text), text.length, lines);
    } else if (status == STATUS_OK) {
        status = markdown_append(&markdown, text_string(&text), text.length, lines);
    }
    if (status == STATUS_OK) status = markdown_end(&markdown, lines);
    if (status == STATUS_OK) status = text_append_string(lines, "\n");
    markdown_deinit(&markdown);
    text_deinit(&text);
    return status;
}

static enum status put_columns(const struct side sides[2], size_t index, int width,
                               struct text *out) {
    struct text lines[2] = {{0}, {0}};
    enum status status = STATUS_OK;
    for (int i = 0; i < 2 && status == STATUS_OK; i++)
        if (index < sides[i].count) status = lay_out(&sides[i].path[index], width, &lines[i]);
    const struct column columns[2] = {{.text = text_string(&lines[0]), .width = width},
                                      {.text = text_string(&lines[1]), .width = width}};
    if (status == STATUS_OK) status = columns_put(columns, 2, 0, out);
    text_deinit(&lines[0]);
    text_deinit(&lines[1]);
    return status;
}

// Two columns under their labels, an empty line between messages.
static enum status draw_columns(const struct side sides[2], size_t from, int width,
                                struct text *out) {
    struct text labels[2] = {{0}, {0}};
    struct column columns[2];
    enum status status = STATUS_OK;
    for (int i = 0; i < 2; i++) {
        if (status == STATUS_OK) status = text_append_string(&labels[i], "\033[1m");
        if (status == STATUS_OK) status = text_fit(&labels[i], sides[i].label, width, false);
        if (status == STATUS_OK) status = text_append_string(&labels[i], "\033[0m\n");
        columns[i] = (struct column){.text = text_string(&labels[i]), .width = width};
    }
    if (status == STATUS_OK) status = columns_put(columns, 2, 0, out);
    if (status == STATUS_OK) status = columns_put_rule(columns, 2, 0, out);
    columns[0].text = columns[1].text = "\n";
    const size_t most = sides[0].count > sides[1].count ? sides[0].count : sides[1].count;
    for (size_t i = from; i < most && status == STATUS_OK; i++) {
        if (i > from) status = columns_put(columns, 2, 0, out);
        if (status == STATUS_OK) status = put_columns(sides, i, width, out);
    }
    text_deinit(&labels[0]);
    text_deinit(&labels[1]);
    return status;
}

static void show_below(const struct side *side, size_t index) {
    struct text text = {0};
    const struct message *message = &side->path[index];
    terminal_tell(STYLE_DIM, "[%s]\n", side->label);
    if (message->role == MESSAGE_USER) terminal_say(STYLE_BOLD, "> ");
    if (append_text(message, &text) == STATUS_OK) stream_show(text_string(&text), text.length);
    terminal_say(STYLE_PLAIN, "\n");
    text_deinit(&text);
}

static void show_common(const struct side sides[2], size_t common, int64_t turns) {
    char count[TURNS_TEXT_BYTES];
    const struct message *last = common > 0 ? &sides[0].path[common - 1] : NULL;
    const bool asked = last && last->role == MESSAGE_USER;
    turns -= asked;
    if (turns > 0) terminal_tell(STYLE_DIM, "[%s shared]\n\n", turns_format(turns, count));
    if (!asked) return;
    terminal_say(STYLE_BOLD, "> ");
    terminal_text(STYLE_PLAIN, last->text, last->length);
    terminal_say(STYLE_PLAIN, "\n\n");
}

static void show(const struct side sides[2]) {
    int64_t turns;
    const size_t common = find_common(sides, &turns);
    if (common == sides[0].count && common == sides[1].count) {
        if (strcmp(sides[0].label, sides[1].label) == 0)
            terminal_tell(STYLE_DIM, "Both are %s; name another to compare.\n\n", sides[0].label);
        else
            terminal_tell(STYLE_DIM, "%s and %s are the same.\n\n", sides[0].label, sides[1].label);
        return;
    }
    const int width = (terminal_width() - COLUMNS_APART) / 2;
    struct text out = {0};
    struct error err = {0};
    show_common(sides, common, turns);
    if (terminal_styled() && width >= LEAST_COLUMNS) {
        if (!console_failed(draw_columns(sides, common, width, &out), &err))
            terminal_stream(text_string(&out), out.length);
        terminal_say(STYLE_PLAIN, "\n");
    } else {
        for (size_t i = common; i < sides[0].count || i < sides[1].count; i++)
            for (int side = 0; side < 2; side++)
                if (i < sides[side].count) show_below(&sides[side], i);
    }
    text_deinit(&out);
}

// A single argument is compared with the current conversation.
static enum status load_words(struct console *console, const struct text words[3],
                              struct side sides[2], struct error *err) {
    const char *first = text_string(&words[0]), *second = text_string(&words[1]);
    int64_t number;
    if (words[2].length > 0)
        return error_set(err, STATUS_BAD_INPUT, "usage: /diff [A [B]], \"a name\" in quotes");
    if (!first[0]) return load_usual(console, sides, err);
    TRY(load(console, first, &sides[0], err));
    if (second[0]) return load(console, second, &sides[1], err);
    if (is_answer(first, &number)) return load_answer(console, 0, &sides[1], err);
    return load_branch(console, console->session->front->conversation.id, &sides[1], err);
}

void command_diff(struct console *console, const char *argument) {
    struct side sides[2] = {0};
    struct text words[3] = {{0}, {0}, {0}};
    struct error err = {0};
    struct pager pager;
    for (int i = 0; i < 3 && path_next(&argument, &words[i]);)
        i++;
    if (!console_failed(load_words(console, words, sides, &err), &err)) {
        pager_begin(&pager, console);
        show(sides);
        pager_end(&pager);
    }
    for (int i = 0; i < 3; i++)
        text_deinit(&words[i]);
    side_deinit(&sides[0]);
    side_deinit(&sides[1]);
}
