#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/figures.h"
#include "app/chat/chat_move.h"
#include "app/chat/front.h"
#include "app/console/command.h"
#include "app/console/picker.h"
#include "app/screen/row.h"
#include "app/screen/terminal.h"

enum {
    LIST_LIMIT = 200,
    PICK_FIRST = 1000,   // conversations, until the person looks further
    TITLE_COLUMNS = 200, // of a picker's line, which the screen cuts
    DEPTH_SHOWN = 6,     // deeper forks are not indented further
    FIGURES_COLUMNS = 46,
    TITLE_LEAST =
        20,    // columns next to the figures; if there are fewer, the figures go below the title
    BELOW = 4, // and are indented by this much
    ID_COLUMNS = 12, // with the mark before it and the blanks after it
};

// "  └ Paris trip · Tell me about …": name and beginning, indented below the parent.
static enum status row_title(const struct conversation_row *row, int columns, struct text *out) {
    const int depth = row->depth < DEPTH_SHOWN ? (int)row->depth : DEPTH_SHOWN;
    struct text title = {0};
    enum status status = STATUS_OK;
    for (int i = 0; i < depth && status == STATUS_OK; i++)
        status = text_append_string(&title, i + 1 < depth ? "  " : "└ ");
    const char *name = row->conversation.name;
    if (status == STATUS_OK)
        status = text_format(&title, "%s%s%s", name, name[0] && row->preview[0] ? " · " : "",
                             row->preview);
    if (status == STATUS_OK) status = text_fit(out, text_string(&title), columns, false);
    text_deinit(&title);
    return status;
}

// The tier that has most of a conversation's tokens.
static const char *place_of(const struct conversation_usage *usage) {
    if (usage->device_tokens + usage->host_tokens + usage->disk_tokens == 0) return "none";
    if (usage->device_tokens >= usage->host_tokens && usage->device_tokens >= usage->disk_tokens)
        return "device";
    return usage->host_tokens >= usage->disk_tokens ? "host" : "disk";
}

static bool is_narrow(void) { return terminal_width() < FIGURES_COLUMNS + TITLE_LEAST; }

// Its age, or that an answer is being written in it.
static void format_age(const struct console *console, const struct conversation *conversation,
                       char age[AGE_TEXT_BYTES]) {
    if (front_is_writing(console->session, conversation->id))
        snprintf(age, AGE_TEXT_BYTES, "writing");
    else
        age_format(calendar_ms() - conversation->updated_ms, age);
}

// Five columns of figures, then the title in the rest of the line.
static void show_row(const struct console *console, const struct conversation_row *row,
                     const struct conversation_usage *usage) {
    char age[AGE_TEXT_BYTES], turns[COUNT_TEXT_BYTES], tokens[COUNT_TEXT_BYTES];
    const struct conversation *conversation = &row->conversation;
    const bool here = strcmp(conversation->id, console->session->front->conversation.id) == 0;
    format_age(console, conversation, age);
    count_format(row->turns, turns);
    count_format(row->tokens, tokens);
    struct text title = {0};
    if (row_title(row, terminal_width() - FIGURES_COLUMNS, &title) == STATUS_OK)
        terminal_say(here ? STYLE_BOLD : STYLE_PLAIN, "%c %s  %7s  %5s  %7s  %-6s  %s\n",
                     here ? '*' : ' ', conversation->id, age, turns, tokens, place_of(usage),
                     text_string(&title));
    text_deinit(&title);
}

// The id and the title in one line, the figures below them.
static void show_narrow_row(const struct console *console, const struct conversation_row *row,
                            const struct conversation_usage *usage) {
    char age[AGE_TEXT_BYTES], turns[TURNS_TEXT_BYTES], tokens[COUNT_TEXT_BYTES];
    const struct conversation *conversation = &row->conversation;
    const bool here = strcmp(conversation->id, console->session->front->conversation.id) == 0;
    const int room = terminal_width() - ID_COLUMNS;
    struct text title = {0}, figures = {0};
    format_age(console, conversation, age);
    if (row_title(row, room > 0 ? room : 0, &title) == STATUS_OK)
        terminal_say(here ? STYLE_BOLD : STYLE_PLAIN, "%c %s  %s\n", here ? '*' : ' ',
                     conversation->id, text_string(&title));
    if (text_format(&figures, "%s · %s · %s tokens · %s", age, turns_format(row->turns, turns),
                    count_format(row->tokens, tokens), place_of(usage)) == STATUS_OK)
        row_show(&(struct row){
            .label = "", .columns = BELOW, .text = text_string(&figures), .style = WRAP_DIM});
    text_deinit(&title);
    text_deinit(&figures);
}

static void show_rows(struct console *console, const struct conversation_row *rows, size_t count) {
    struct conversation_usage *usage = calloc(count + 1, sizeof *usage);
    if (!usage || !command_conversation_usage(console, rows, count, usage)) {
        free(usage);
        return;
    }
    const bool narrow = is_narrow();
    if (!narrow)
        terminal_say(STYLE_DIM, "  %-8s  %7s  %5s  %7s  %-6s\n", "id", "age", "turns", "tokens",
                     "cache");
    for (size_t i = 0; i < count; i++)
        (narrow ? show_narrow_row : show_row)(console, &rows[i], &usage[i]);
    free(usage);
}

void command_list(struct console *console, const char *argument) {
    struct conversation_row *rows = NULL;
    size_t count = 0;
    struct error err = {0};
    if (console_failed(
            conversation_list(console->session->db, argument, LIST_LIMIT + 1, &rows, &count, &err),
            &err))
        return;
    if (count > 0) show_rows(console, rows, count < LIST_LIMIT ? count : LIST_LIMIT);
    if (count > LIST_LIMIT)
        terminal_tell(STYLE_DIM, "  and older ones: /list WORDS, or /resume, finds them\n");
    if (count == 0)
        terminal_tell(STYLE_DIM, argument[0] ? "No conversation has these words.\n"
                                             : "There is no conversation yet.\n");
    else
        terminal_say(STYLE_PLAIN, "\n");
    free(rows);
}

static void resume(struct console *console, const char *which) {
    struct error err = {0};
    if (console_failed(front_resume(console->session, which, &err), &err)) return;
    console->again = console->session->front->turn.active;
    console_arrive(console);
}

struct listing {                   // conversations, and the lines that a picker shows of them
    struct conversation_row *rows; // [count], owned
    char **lines;                  // the same
    size_t count;
};

struct picking {
    struct console *console;
    struct listing shown;
    struct listing first; // once all are shown: the newest, whose lines the picker still uses
};

static void listing_deinit(struct listing *listing) {
    for (size_t i = 0; listing->lines && i < listing->count; i++)
        free(listing->lines[i]);
    free(listing->lines);
    free(listing->rows);
    *listing = (struct listing){0};
}

// "3f2a91bc    2 h    4  name · beginning".
static enum status make_line(const struct conversation_row *row, char **result) {
    char age[AGE_TEXT_BYTES];
    struct text line = {0};
    age_format(calendar_ms() - row->conversation.updated_ms, age);
    enum status status =
        text_format(&line, "%s  %7s  %4" PRId64 "  ", row->conversation.id, age, row->turns);
    if (status == STATUS_OK) status = row_title(row, TITLE_COLUMNS, &line);
    *result = line.bytes;
    return status;
}

// Fills an empty one with the newest; it can be deinitialised even after a failure.
static enum status listing_load(struct db *db, size_t limit, struct listing *listing,
                                struct error *err) {
    TRY(conversation_list(db, "", limit, &listing->rows, &listing->count, err));
    listing->lines = calloc(listing->count + 1, sizeof *listing->lines);
    if (!listing->lines) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < listing->count; i++)
        TRY(make_line(&listing->rows[i], &listing->lines[i]));
    return STATUS_OK;
}

static bool load_all(void *user, const char *const **items, size_t *count) {
    struct picking *picking = user;
    struct listing all = {0};
    struct error err = {0};
    if (console_failed(listing_load(picking->console->session->db, SIZE_MAX, &all, &err), &err)) {
        listing_deinit(&all);
        return false;
    }
    picking->first = picking->shown;
    picking->shown = all;
    *items = (const char *const *)all.lines;
    *count = all.count;
    return true;
}

static void pick(struct picking *picking) {
    const char *here = picking->console->session->front->conversation.id;
    const struct listing *newest = &picking->shown;
    size_t at = 0, chosen;
    while (at < newest->count && strcmp(newest->rows[at].conversation.id, here) != 0)
        at++;
    const struct picker_options options = {
        .title = "conversations",
        .items = (const char *const *)newest->lines,
        .count = newest->count,
        .at = at < newest->count ? at : 0,
        .more = newest->count == PICK_FIRST ? load_all : NULL,
        .user = picking,
    };
    if (picker_run(picking->console, &options, &chosen))
        resume(picking->console, picking->shown.rows[chosen].conversation.id);
}

void command_resume(struct console *console, const char *argument) {
    struct picking picking = {.console = console};
    struct error err = {0};
    if (argument[0]) {
        resume(console, argument);
        return;
    }
    const enum status status = listing_load(console->session->db, PICK_FIRST, &picking.shown, &err);
    if (!console_failed(status, &err)) {
        if (picking.shown.count > 0)
            pick(&picking);
        else
            terminal_tell(STYLE_DIM, "There is no conversation yet.\n");
    }
    listing_deinit(&picking.shown);
    listing_deinit(&picking.first);
}

// The lock tells whether another quire has it open.
static void delete_locked(struct console *console, const struct conversation *conversation) {
    struct error err = {0};
    const bool here = strcmp(conversation->id, console->session->front->conversation.id) == 0;
    if (here && console_failed(chat_new(console->session->front, "", &err), &err)) return;
    if (console_failed(conversation_lock(console->session->db, conversation->id, &err), &err))
        return;
    const enum status status = conversation_delete(console->session->db, conversation->id, &err);
    conversation_unlock(console->session->db, conversation->id);
    if (console_failed(status, &err)) return;
    engine_strip(console->session->engine, conversation_number(conversation->id));
    terminal_tell(STYLE_DIM, "%s is deleted.%s\n", conversation->id,
                  here ? " This is a new conversation." : "");
}

void command_delete(struct console *console, const char *argument) {
    struct conversation conversation;
    struct error err = {0};
    if (!argument[0]) {
        terminal_tell(STYLE_ERROR, "which one? /delete ID\n");
        return;
    }
    if (console_failed(conversation_find(console->session->db, argument, &conversation, &err),
                       &err))
        return;
    terminal_say(STYLE_PLAIN, "%s %s\n", conversation.id, conversation.name);
    if (console_confirm(console, "delete it for ever? y/n "))
        delete_locked(console, &conversation);
    else
        terminal_tell(STYLE_DIM, "It is kept.\n");
}

void command_name(struct console *console, const char *argument) {
    struct error err = {0};
    const struct conversation *conversation = &console->session->front->conversation;
    if (!argument[0])
        terminal_say(STYLE_PLAIN, "%s\n", conversation->name[0] ? conversation->name : "(no name)");
    else if (!console_failed(chat_rename(console->session->front, argument, &err), &err))
        terminal_tell(STYLE_DIM, "This conversation is “%s” now.\n", argument);
}
