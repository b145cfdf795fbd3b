// app/console/command_tree.c — /tree /redo /edit: back, forward and across the whole tree.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/figures.h"
#include "app/chat/chat_move.h"
#include "app/console/command.h"
#include "app/console/picker.h"
#include "app/console/tree.h"
#include "app/console/view.h"
#include "app/screen/terminal.h"
#include "engine/tokenizer/thinking.h"
#include "store/preview.h"

enum { MESSAGES_MOST = 20000, CONVERSATIONS_MOST = 1000, SHOWN_EXCHANGES = 1 };

// Shows where the conversation stands after a move in its tree.
static void show_place(struct console *console) {
    char turns[TURNS_TEXT_BYTES];
    view_replay(console->session->front, SHOWN_EXCHANGES);
    terminal_tell(STYLE_DIM, "[%s; /undo, /redo and /tree move around]\n\n",
                  turns_format(chat_turn_count(console->session->front), turns));
    console_say_cost(console);
    console_give_back_message(console, chat_draft(console->session->front));
}

// If the message is another conversation's tip, goes to that conversation.
static void go_to(struct console *console, const struct family *family, int64_t message) {
    struct error err = {0};
    if (message == family->current->tip) return;
    for (size_t i = 0; i < family->conversation_count; i++) {
        const struct conversation *other = &family->conversations[i];
        if (other->tip != message) continue;
        command_resume(console, other->id);
        return;
    }
    if (!console_failed(chat_go(console->session->front, message, &err), &err)) show_place(console);
}

static void choose_message(struct console *console, const struct family *family,
                           const struct tree *tree) {
    struct error err = {0};
    size_t chosen;
    const char **items = malloc((tree->count + 1) * sizeof *items);
    if (!items) {
        console_failed(STATUS_NO_MEMORY, &err);
        return;
    }
    for (size_t i = 0; i < tree->count; i++)
        items[i] = tree->rows[i].text;
    const struct picker_options options = {
        .title = family->count < MESSAGES_MOST ? "tree" : "tree, oldest part",
        .items = items,
        .count = tree->count,
        .at = tree->here < tree->count ? tree->here : tree->count - 1,
    };
    if (picker_run(console, &options, &chosen)) go_to(console, family, tree->rows[chosen].message);
    free(items);
}

// Does the answer begin with thinking?
static enum status thinks_first(const struct family_message *message, bool *thinks) {
    struct text answer = {0};
    const size_t length = strlen(message->preview);
    *thinks = false;
    if (message->role != MESSAGE_ASSISTANT) return STATUS_OK;
    const enum status status = thinking_split(message->preview, length, NULL, &answer);
    *thinks = strcmp(text_string(&answer), message->preview) != 0;
    text_deinit(&answer);
    return status;
}

// For an answer that begins with thinking, shows the text after it.
static enum status pass_thinking(struct db *db, struct family_message *shown, struct error *err) {
    struct message message;
    struct text answer = {0};
    bool thinks;
    TRY(thinks_first(shown, &thinks));
    if (!thinks) return STATUS_OK;
    TRY(message_get(db, shown->id, &message, err));
    const enum status status = thinking_split(message.text, message.length, NULL, &answer);
    if (answer.length > 0)
        preview_make(answer.bytes, answer.length, shown->preview, sizeof shown->preview);
    else
        snprintf(shown->preview, sizeof shown->preview, "[only reasoning]");
    text_deinit(&answer);
    message_deinit(&message);
    return status;
}

// A message without words of the user, such as the request for a summary or files alone, shows the
// beginning of its text.
static enum status show_unsaid(struct db *db, struct family_message *shown, struct error *err) {
    struct message message;
    if (shown->role != MESSAGE_USER || shown->preview[0]) return STATUS_OK;
    TRY(message_get(db, shown->id, &message, err));
    preview_make(message.text, message.length, shown->preview, sizeof shown->preview);
    message_deinit(&message);
    return STATUS_OK;
}

void command_tree(struct console *console, const char *argument) {
    struct family_message *messages = NULL;
    struct conversation *conversations = NULL;
    struct family family = {.current = &console->session->front->conversation};
    struct tree tree = {0};
    struct error err = {0};
    enum status status = STATUS_OK;
    (void)argument;
    const char *id = family.current->id;
    if (id[0])
        status = family_messages(console->session->db, id, MESSAGES_MOST, &messages, &family.count,
                                 &err);
    if (status == STATUS_OK && id[0])
        status = family_conversations(console->session->db, id, CONVERSATIONS_MOST, &conversations,
                                      &family.conversation_count, &err);
    for (size_t i = 0; status == STATUS_OK && i < family.count; i++) {
        status = pass_thinking(console->session->db, &messages[i], &err);
        if (status == STATUS_OK) status = show_unsaid(console->session->db, &messages[i], &err);
    }
    family.messages = messages;
    family.conversations = conversations;
    if (status == STATUS_OK) status = tree_draw(&family, &tree);
    if (!console_failed(status, &err)) {
        if (tree.count > 0)
            choose_message(console, &family, &tree);
        else
            terminal_tell(STYLE_DIM, "This conversation is empty.\n");
    }
    tree_deinit(&tree);
    free(messages);
    free(conversations);
}

void command_redo(struct console *console, const char *argument) {
    struct error err = {0};
    int64_t turns = 0;
    if (argument[0] && !command_number(argument, &turns))
        terminal_tell(STYLE_ERROR, "usage: /redo [N]\n");
    else if (!console_failed(chat_redo(console->session->front, turns, &err), &err))
        show_place(console);
}

void command_edit(struct console *console, const char *argument) {
    struct text draft = {0};
    struct error err = {0};
    const int64_t turns = chat_turn_count(console->session->front);
    int64_t turn = turns;
    if (turns > 0 && argument[0] && (!command_number(argument, &turn) || turn > turns)) {
        terminal_tell(STYLE_ERROR, "no turn %.20s; choose 1 to %" PRId64 "\n", argument, turns);
        return;
    }
    if (turns == 0)
        terminal_tell(STYLE_ERROR, "no turn to edit yet\n");
    else if (!console_failed(chat_rewind(console->session->front, turns - turn + 1, &draft, &err),
                             &err)) {
        terminal_tell(STYLE_DIM, "Turn %" PRId64 " is in the editor; /redo undoes that.\n\n", turn);
        console_say_cost(console);
        console_give_back_message(console, text_string(&draft));
    }
    text_deinit(&draft);
}
