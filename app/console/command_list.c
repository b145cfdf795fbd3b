#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/figures.h"
#include "app/base/printable.h"
#include "app/chat/chat_move.h"
#include "app/chat/front.h"
#include "app/console/command.h"
#include "app/console/picker.h"
#include "app/screen/row.h"
#include "app/screen/terminal.h"
#include "engine/tokenizer/thinking.h"

enum {
    LIST_LIMIT = 1000,
    LIST_OTHER_LINES = 6, // the command, the header, what is left, and the next prompt
    LIST_LEAST = 1,
    PREVIEW_BYTES = 2000, // of an answer
    PICK_FIRST = 1000,    // conversations, until the user looks further
    TITLE_COLUMNS = 200,  // of a picker's line, which the screen cuts
    DEPTH_SHOWN = 6,      // deeper forks are not indented further
    FIGURES_COLUMNS = 40, // without the model
    MODEL_LEAST = 12,     // columns of its name; more on a wide screen
    MODEL_MOST = 24,
    TITLE_WIDE = 34, // columns of the title before the name gets more
    TITLE_LEAST =
        20,    // columns next to the figures; if there are fewer, the figures go below the title
    BELOW = 4, // and are indented by this much
    WORD_COLUMNS = 8, // that a row broken between words may leave empty
    ID_COLUMNS = 12,  // with the mark before it and the blanks after it
};

// "Paris trip · And the trains?", or below its parent " └ turn 5 · What is a hen?": its title and
// its position, or where it left its parent.
static enum status append_title(const struct conversation_row *row, struct text *title) {
    const char *name = row->conversation.name, *title_of = conversation_row_title(row);
    const int depth = row->depth < DEPTH_SHOWN ? (int)row->depth : DEPTH_SHOWN;
    if (row->conversation.one_shot) TRY(text_append_string(title, "-p "));
    for (int i = 0; i < depth; i++)
        TRY(text_append_string(title, i + 1 < depth ? "  " : "└ "));
    if (depth > 0 && row->fork_turn > 0 && row->fork_preview[0])
        return text_format(title, "%s%sturn %" PRId64 " · %s", name, name[0] ? " · " : "",
                           row->fork_turn, row->fork_preview);
    TRY(text_append_string(title, title_of));
    const bool further =
        row->last[0] && (title_of != row->preview || strcmp(row->last, row->preview) != 0);
    return further ? text_format(title, " · %s", row->last) : STATUS_OK;
}

static enum status row_title(const struct conversation_row *row, int columns, struct text *out) {
    struct text title = {0};
    enum status status = append_title(row, &title);
    if (status == STATUS_OK) status = text_fit(out, text_string(&title), columns, false);
    text_deinit(&title);
    return status;
}

static const char NOT_CACHED[] = "none"; // under the heading "cache"

// The tier that has most of a conversation's tokens.
static const char *place_of(const struct conversation_usage *usage) {
    if (usage->device_tokens + usage->host_tokens + usage->disk_tokens == 0) return NOT_CACHED;
    if (usage->device_tokens >= usage->host_tokens && usage->device_tokens >= usage->disk_tokens)
        return "device";
    return usage->host_tokens >= usage->disk_tokens ? "host" : "disk";
}

static int model_columns(void) {
    const int columns = terminal_width() - FIGURES_COLUMNS - TITLE_WIDE - 1;
    return columns < MODEL_LEAST ? MODEL_LEAST : columns > MODEL_MOST ? MODEL_MOST : columns;
}

static int figures_columns(void) { return FIGURES_COLUMNS + model_columns() + 1; }

static bool is_narrow(void) { return terminal_width() < figures_columns() + TITLE_LEAST; }

static enum status model_name(const struct conversation_row *row, bool pad, struct text *out) {
    struct text harmless = {0};
    const char *name = row->model_name;
    enum status status = printable_text(name, strlen(name), &harmless);
    if (status == STATUS_OK) status = text_fit(out, text_string(&harmless), model_columns(), pad);
    text_deinit(&harmless);
    return status;
}

// Nothing if the number is unknown.
static const char *format_tokens(const struct conversation_row *row, char text[COUNT_TEXT_BYTES]) {
    return row->tokens < 0 ? "" : count_format(row->tokens, text);
}

// "1,204 tokens" after `before`, or nothing.
static enum status append_tokens(const struct conversation_row *row, const char *before,
                                 struct text *out) {
    char tokens[COUNT_TEXT_BYTES];
    if (row->tokens < 0) return STATUS_OK;
    return text_format(out, "%s%s", before, tokens_format(row->tokens, tokens));
}

// Its age, or "writing" if an answer is being written in it.
static void format_age(const struct console *console, const struct conversation *conversation,
                       char age[AGE_TEXT_BYTES]) {
    if (front_is_writing(console->session, conversation->id))
        snprintf(age, AGE_TEXT_BYTES, "writing");
    else
        age_format(calendar_ms() - conversation->updated_ms, age);
}

// Five columns of figures and the model, then the title in the rest of the line.
static void show_row(const struct console *console, const struct conversation_row *row,
                     const struct conversation_usage *usage) {
    char age[AGE_TEXT_BYTES], turns[COUNT_TEXT_BYTES], tokens[COUNT_TEXT_BYTES];
    const struct conversation *conversation = &row->conversation;
    const bool here = strcmp(conversation->id, console->session->front->conversation.id) == 0;
    format_age(console, conversation, age);
    count_format(row->turns, turns);
    struct text title = {0}, model = {0};
    if (row_title(row, terminal_width() - figures_columns(), &title) == STATUS_OK &&
        model_name(row, true, &model) == STATUS_OK)
        terminal_say(here ? STYLE_BOLD : STYLE_PLAIN, "%c %s %7s %5s %7s %-6s %s %s\n",
                     here ? '*' : ' ', conversation->id, age, turns, format_tokens(row, tokens),
                     place_of(usage), text_string(&model), text_string(&title));
    text_deinit(&title);
    text_deinit(&model);
}

// The id and the title in one line, the figures below them.
static void show_narrow_row(const struct console *console, const struct conversation_row *row,
                            const struct conversation_usage *usage) {
    char age[AGE_TEXT_BYTES], turns[TURNS_TEXT_BYTES];
    const struct conversation *conversation = &row->conversation;
    const bool here = strcmp(conversation->id, console->session->front->conversation.id) == 0;
    const bool cached = strcmp(place_of(usage), NOT_CACHED) != 0;
    const int room = terminal_width() - ID_COLUMNS;
    struct text title = {0}, figures = {0}, model = {0};
    format_age(console, conversation, age);
    if (row_title(row, room > 0 ? room : 0, &title) == STATUS_OK)
        terminal_say(here ? STYLE_BOLD : STYLE_PLAIN, "%c %s  %s\n", here ? '*' : ' ',
                     conversation->id, text_string(&title));
    if (model_name(row, false, &model) == STATUS_OK &&
        text_format(&figures, "%s · %s", age, turns_format(row->turns, turns)) == STATUS_OK &&
        append_tokens(row, " · ", &figures) == STATUS_OK &&
        text_format(&figures, "%s%s%s%s", cached ? " · in the cache: " : "",
                    cached ? place_of(usage) : "", model.length ? " · " : "",
                    text_string(&model)) == STATUS_OK)
        row_show(&(struct row){
            .label = "", .columns = BELOW, .text = text_string(&figures), .style = WRAP_DIM});
    text_deinit(&title);
    text_deinit(&figures);
    text_deinit(&model);
}

static void show_rows(struct console *console, const struct conversation_row *rows, size_t count) {
    struct conversation_usage *usage = calloc(count + 1, sizeof *usage);
    if (!usage || !command_conversation_usage(console, rows, count, usage)) {
        free(usage);
        return;
    }
    const bool narrow = is_narrow();
    if (!narrow)
        terminal_say(STYLE_DIM, "  %-8s %7s %5s %7s %-6s %s\n", "id", "age", "turns", "tokens",
                     "cache", "model");
    for (size_t i = 0; i < count; i++) {
        (narrow ? show_narrow_row : show_row)(console, &rows[i], &usage[i]);
        if (rows[i].found[0])
            row_show(&(struct row){
                .label = "", .columns = BELOW, .text = rows[i].found, .style = WRAP_DIM});
    }
    free(usage);
}

// Mentions that Enter opens a picker with the rows that do not fit the screen: `left`, or at least
// that many.
static void say_more(struct console *console, const char *query, int64_t left, bool at_least) {
    char count[COUNT_TEXT_BYTES];
    if (left > 0)
        terminal_tell(STYLE_DIM, "%s%s more · Enter lists all to pick from\n",
                      count_format(left, count), at_least ? "+" : "");
    else
        terminal_tell(STYLE_DIM, "Enter picks one\n");
    free(console->listed);
    console->listed = strdup(query);
}

// "--all" alone adds questions asked with -p, which a search finds anyway.
static struct conversation_query query_of(const char *argument, size_t limit) {
    const bool all = strcmp(argument, "--all") == 0;
    return (struct conversation_query){all ? "" : argument, limit, all};
}

// Counts what a list without words has, or returns `otherwise` if that fails.
static int64_t count_all(struct console *console, bool one_shot, int64_t otherwise) {
    struct error ignored;
    int64_t count;
    const enum status status = conversation_count(console->session->db, one_shot, &count, &ignored);
    return status == STATUS_OK ? count : otherwise;
}

// The newest must not leave the screen at its top.
static size_t rows_that_fit(const struct conversation_row *rows, size_t count, int lines) {
    const int columns = terminal_width() - BELOW - WORD_COLUMNS;
    size_t fit = 0;
    for (; fit < count; fit++) {
        const int found = text_columns(rows[fit].found);
        lines -= is_narrow() ? 2 : 1;
        lines -= columns > 0 ? (found + columns - 1) / columns : 0;
        if (lines < 0) break;
    }
    return fit > LIST_LEAST ? fit : LIST_LEAST;
}

void command_list(struct console *console, const char *argument) {
    struct conversation_row *rows = NULL;
    size_t count = 0;
    struct error err = {0};
    const struct conversation_query query = query_of(argument, LIST_LIMIT);
    if (console_failed(conversation_list(console->session->db, &query, &rows, &count, &err), &err))
        return;
    const bool search = query.words[0], limited = count == LIST_LIMIT;
    const int64_t listed = (int64_t)count;
    const int64_t all = limited && !search ? count_all(console, query.one_shot, listed) : listed;
    const int64_t left_out = search || query.one_shot ? 0 : count_all(console, true, all) - all;
    const size_t most =
        rows_that_fit(rows, count, terminal_height() - LIST_OTHER_LINES - (left_out > 0));
    if (count > 0) show_rows(console, rows, count < most ? count : most);
    if (count > 1) say_more(console, argument, all - (int64_t)most, limited && search);
    if (count == 0)
        terminal_tell(STYLE_DIM, search ? "No conversation contains these words.\n"
                                        : "No conversations yet.\n");
    if (left_out > 0) {
        char left[COUNT_TEXT_BYTES];
        terminal_tell(STYLE_DIM, "%s asked with -p left out · /list --all\n",
                      count_format(left_out, left));
    }
    if (count > 0) terminal_say(STYLE_PLAIN, "\n");
    free(rows);
}

static void resume(struct console *console, const char *which) {
    struct conversation found;
    struct error err = {0};
    if (!console_failed_to_find(front_find(console->session, which, &found, &err), &err))
        command_resume_held(console, &found);
}

struct listing {                   // conversations, and their lines in a picker
    struct conversation_row *rows; // [count], owned
    char **lines, **words;         // the same
    size_t count;
};

struct picking {
    struct console *console;
    const char *query;
    struct listing shown;
    struct listing first; // once all are shown: the newest, whose lines the picker still uses
};

static void listing_deinit(struct listing *listing) {
    for (size_t i = 0; i < listing->count; i++) {
        if (listing->lines) free(listing->lines[i]);
        if (listing->words) free(listing->words[i]);
    }
    free(listing->lines);
    free(listing->words);
    free(listing->rows);
    *listing = (struct listing){0};
}

// "3f2a91bc    2 h    1,204  name · question"; on a narrow screen without id and tokens.
static enum status make_line(const struct conversation_row *row, char **result) {
    char age[AGE_TEXT_BYTES], tokens[COUNT_TEXT_BYTES];
    struct text line = {0};
    age_format(calendar_ms() - row->conversation.updated_ms, age);
    enum status status = is_narrow() ? text_format(&line, "%6s  ", age)
                                     : text_format(&line, "%s  %7s  %7s  ", row->conversation.id,
                                                   age, format_tokens(row, tokens));
    if (status == STATUS_OK) status = row_title(row, TITLE_COLUMNS, &line);
    *result = line.bytes;
    return status;
}

// Makes the text that the filter matches.
static enum status make_words(const struct conversation_row *row, char **result) {
    struct text words = {0};
    const enum status status =
        text_format(&words, "%s %s %s %s %s %s", row->conversation.id, row->conversation.name,
                    row->conversation.title, row->preview, row->last, row->fork_preview);
    *result = words.bytes;
    return status;
}

// Fills an empty one with the newest; it can be deinitialised even after a failure.
static enum status listing_load(struct db *db, const char *argument, size_t limit,
                                struct listing *listing, struct error *err) {
    const struct conversation_query query = query_of(argument, limit);
    TRY(conversation_list(db, &query, &listing->rows, &listing->count, err));
    listing->lines = calloc(listing->count + 1, sizeof *listing->lines);
    listing->words = calloc(listing->count + 1, sizeof *listing->words);
    if (!listing->lines || !listing->words) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < listing->count; i++) {
        TRY(make_line(&listing->rows[i], &listing->lines[i]));
        TRY(make_words(&listing->rows[i], &listing->words[i]));
    }
    return STATUS_OK;
}

static void offer(const struct listing *listing, struct picker_options *options) {
    options->items = (const char *const *)listing->lines;
    options->words = (const char *const *)listing->words;
    options->count = listing->count;
}

static bool load_all(void *user, struct picker_options *options) {
    struct picking *picking = user;
    struct listing all = {0};
    struct error err = {0};
    if (console_failed(
            listing_load(picking->console->session->db, picking->query, SIZE_MAX, &all, &err),
            &err)) {
        listing_deinit(&all);
        return false;
    }
    picking->first = picking->shown;
    picking->shown = all;
    offer(&all, options);
    return true;
}

// The beginning of its last answer, broken between words.
static enum status append_answer(struct db *db, const struct conversation_row *row, int columns,
                                 struct text *text) {
    struct message tip;
    struct error err;
    struct text answer = {0}, harmless = {0};
    struct wrap wrap = {.width = columns, .whole_words = true};
    if (row->conversation.tip == MESSAGE_NONE) return STATUS_OK;
    TRY(message_get(db, row->conversation.tip, &tip, &err));
    enum status status = STATUS_OK;
    if (tip.role == MESSAGE_ASSISTANT) status = thinking_split(tip.text, tip.length, NULL, &answer);
    if (answer.length > PREVIEW_BYTES) answer.length = PREVIEW_BYTES;
    if (status == STATUS_OK)
        status = printable_text(text_string(&answer), answer.length, &harmless);
    if (status == STATUS_OK)
        status = wrap_append(&wrap, text_string(&harmless), harmless.length, text);
    if (status == STATUS_OK) status = wrap_flush(&wrap, text);
    wrap_deinit(&wrap);
    text_deinit(&answer);
    text_deinit(&harmless);
    message_deinit(&tip);
    return status;
}

// "3f2a91bc · 3 turns · 1,204 tokens · MODEL", the last question, and its answer.
static enum status preview(void *user, size_t item, int columns, int lines, struct text *text) {
    const struct picking *picking = user;
    const struct conversation_row *row = &picking->shown.rows[item];
    char turns[TURNS_TEXT_BYTES];
    (void)lines;
    TRY(text_format(text, "%s · %s", row->conversation.id, turns_format(row->turns, turns)));
    TRY(append_tokens(row, " · ", text));
    TRY(text_format(text, "%s%s\n", row->model_name[0] ? " · " : "", row->model_name));
    if (row->turns == 0) return text_append_string(text, "no messages yet\n");
    TRY(text_format(text, "> %s\n", row->last));
    return append_answer(picking->console->session->db, row, columns, text);
}

static bool pick(struct picking *picking) {
    const char *here = picking->console->session->front->conversation.id;
    const struct listing *newest = &picking->shown;
    size_t at = 0, chosen;
    while (at < newest->count && strcmp(newest->rows[at].conversation.id, here) != 0)
        at++;
    struct picker_options options = {
        .title = "conversations",
        .at = at < newest->count ? at : 0,
        .more = newest->count >= PICK_FIRST ? load_all : NULL,
        .preview = preview,
        .user = picking,
    };
    offer(newest, &options);
    if (!picker_run(picking->console, &options, &chosen)) return false;
    resume(picking->console, picking->shown.rows[chosen].conversation.id);
    return true;
}

bool command_pick(struct console *console, const char *query) {
    bool picked = true;
    struct picking picking = {.console = console, .query = query};
    struct error err = {0};
    const enum status status =
        listing_load(console->session->db, query, PICK_FIRST, &picking.shown, &err);
    if (!console_failed(status, &err)) {
        if (picking.shown.count > 0)
            picked = pick(&picking);
        else
            terminal_tell(STYLE_DIM, "No conversations yet.\n");
    }
    listing_deinit(&picking.shown);
    listing_deinit(&picking.first);
    return picked;
}

void command_resume(struct console *console, const char *argument) {
    if (argument[0])
        resume(console, argument);
    else
        command_pick(console, "");
}

void command_name(struct console *console, const char *argument) {
    struct error err = {0};
    const struct conversation *conversation = &console->session->front->conversation;
    if (!argument[0])
        terminal_say(STYLE_PLAIN, "%s\n", conversation->name[0] ? conversation->name : "(no name)");
    else if (!console_failed(chat_rename(console->session->front, argument, &err), &err))
        terminal_tell(STYLE_DIM, "This conversation is now \"%s\".\n", argument);
}
