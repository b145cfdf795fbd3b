// app/console/command_model.c — /model: continues the conversation with another model, in a fork.
// The messages are the same, but they are tokenized and computed again. The other model's file
// tells the cost before this model is left. Memory holds one model at a time, so the chat ends and
// starts again in the fork: app/main.c.
#include <stdlib.h>
#include <string.h>

#include "app/base/figures.h"
#include "app/base/path.h"
#include "app/chat/chat_move.h"
#include "app/chat/front.h"
#include "app/chat/model_cost.h"
#include "app/console/command.h"
#include "app/console/keys.h"
#include "app/console/picker.h"
#include "app/screen/terminal.h"

static enum status check(const struct console *console, struct error *err) {
    if (console->session->front->turn.state != TURN_IDLE ||
        session_unfollowed(console->session) > 0)
        return error_set(err, STATUS_BUSY,
                         "cannot change the model while answers are being written");
    if (!console->saved && chat_turn_count(console->session->front) > 0)
        return error_set(
            err, STATUS_BAD_INPUT,
            "this chat is not saved, and another model would end it; /export keeps it");
    return STATUS_OK;
}

// False: the user said no, or it is impossible; the reason was printed.
static bool wants(struct console *console, const char *path) {
    const struct chat *chat = console->session->front;
    char tokens[COUNT_TEXT_BYTES];
    struct text line = {0};
    struct model_cost cost = {0};
    struct error err = {0};
    enum status status =
        model_cost_read(path, console->session->db, chat->conversation.tip, &cost, &err);
    if (status == STATUS_OK && cost.tokens >= cost.context)
        status = error_set(&err, STATUS_TOO_LONG,
                           "the conversation has about %s there, but the model supports %d; "
                           "/compact makes it shorter",
                           tokens_format(cost.tokens, tokens), (int)cost.context);
    if (status == STATUS_OK) status = model_cost_describe(&cost, &line);
    const bool failed = console_failed(status, &err);
    const bool asks = !failed && chat_turn_count(chat) > 0;
    if (asks)
        terminal_tell(STYLE_PLAIN, "%s It continues there in a fork and is kept here as it is.\n",
                      text_string(&line));
    text_deinit(&line);
    return asks ? keys_agree(console) : !failed;
}

// Leaves for *wanted, which is moved in.
static void leave_for(struct console *console, struct wanted_model *wanted) {
    console->wanted = *wanted;
    console->leave = true;
}

// The open model, in a conversation that uses it already, needs no switch.
static bool is_here(const struct console *console, const struct wanted_model *wanted) {
    const struct session *session = console->session;
    struct hash128 identity;
    struct error ignored;
    return wanted->source && !session->front->reads_only &&
           model_source_identity(session->db, wanted->source, &identity, &ignored) == STATUS_OK &&
           hash_equal(identity, session->identity);
}

static void go_on_in(struct console *console, enum status status, struct wanted_model *wanted,
                     const struct error *err) {
    const struct conversation *here = &console->session->front->conversation;
    bool goes = !console_failed(status, err);
    if (goes && is_here(console, wanted)) {
        terminal_tell(STYLE_DIM, "This conversation already uses that model.\n");
        goes = false;
    }
    if (!goes || !(wanted->elsewhere || wants(console, text_string(&wanted->model)))) {
        text_deinit(&wanted->model);
        return;
    }
    if (here->id[0])
        terminal_tell(STYLE_DIM, "/resume %s goes back to this conversation.\n", here->id);
    leave_for(console, wanted);
}

static void choices_deinit(struct model_choices *choices) {
    for (size_t i = 0; i < choices->count; i++) {
        free(choices->items[i].line);
        free(choices->items[i].name);
    }
    free(choices->items);
}

static void choose_model(struct console *console, const struct model_choices *choices) {
    const struct model_finder *models = &console->models;
    struct db *db = console->session->db;
    struct wanted_model wanted = {0};
    struct error err = {0};
    const char **lines = calloc(choices->count + 1, sizeof *lines);
    size_t chosen;
    for (size_t i = 0; lines && i < choices->count; i++)
        lines[i] = choices->items[i].line;
    const struct picker_options options = {
        .title = "models", .items = lines, .count = choices->count};
    if (lines && picker_run(console, &options, &chosen)) {
        const struct model_choice *choice = &choices->items[chosen];
        const enum status status =
            choice->source ? models->open(models->user, db, choice->source, &wanted, &err)
                           : models->find(models->user, db, choice->name, &wanted, &err);
        go_on_in(console, status, &wanted, &err);
    }
    free(lines);
}

static void pick_model(struct console *console) {
    struct model_choices choices = {0};
    struct error err = {0};
    const struct model_finder *models = &console->models;
    const enum status status = models->list(models->user, console->session->db, &choices, &err);
    if (!console_failed(status, &err)) choose_model(console, &choices);
    choices_deinit(&choices);
}

void command_model_names(struct console *console, void (*push)(void *user, const char *name),
                         void *user) {
    struct model_choices choices = {0};
    struct error ignored;
    const struct model_finder *models = &console->models;
    if (models->list(models->user, console->session->db, &choices, &ignored) == STATUS_OK)
        for (size_t i = 0; i < choices.count; i++)
            push(user, choices.items[i].name);
    choices_deinit(&choices);
}

void command_model(struct console *console, const char *argument) {
    const struct model_finder *models = &console->models;
    struct text typed = {0};
    struct wanted_model wanted = {0};
    struct error err = {0};
    enum status status = check(console, &err);
    if (status != STATUS_OK || argument[0] == '\0') {
        if (!console_failed(status, &err)) pick_model(console);
        return;
    }
    status = path_expand(argument, &typed);
    if (status == STATUS_OK)
        status =
            models->find(models->user, console->session->db, text_string(&typed), &wanted, &err);
    text_deinit(&typed);
    go_on_in(console, status, &wanted, &err);
}

// ---- a conversation that is held with another model

// A conversation without a stored model uses the open one.
static void say_taken(struct console *console, const struct conversation *before) {
    struct engine_info info;
    if (before->source || before->tip == MESSAGE_NONE || !console->session->source) return;
    engine_info(console->session->engine, &info);
    terminal_tell(STYLE_DIM, "[saved without its model; it uses %s from now on]\n\n",
                  info.model_name);
}

static void show(struct console *console, const struct conversation *to) {
    struct error err = {0};
    if (console_failed(front_resume(console->session, to->id, &err), &err)) return;
    console->again = console->session->front->turn.state != TURN_IDLE;
    console_arrive(console);
    say_taken(console, to);
}

void command_resume_held(struct console *console, const struct conversation *to) {
    const struct model_finder *models = &console->models;
    struct wanted_model wanted = {0};
    struct error err = {0};
    bool differs = false;
    enum status status = session_differs(console->session, to, &differs, &err);
    if (status == STATUS_OK && differs) status = check(console, &err);
    if (console_failed(status, &err)) return;
    if (!differs) {
        show(console, to);
        return;
    }
    status = models->open(models->user, console->session->db, to->source, &wanted, &err);
    text_deinit(&wanted.model);
    if (console_failed(status, &err)) {
        show(console, to);
        return;
    }
    wanted = (struct wanted_model){0};
    memcpy(wanted.conversation, to->id, sizeof wanted.conversation);
    leave_for(console, &wanted);
}
