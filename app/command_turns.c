#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/figures.h"
#include "app/terminal.h"
#include "app/view.h"
#include "engine/beams.h"

enum { SYSTEM_MAX_BYTES = 1 << 20 };

void command_new(struct console *console, const char *argument) {
    struct error err = {0};
    const bool had_turns = chat_turn_count(console->chat) > 0;
    if (console_failed(chat_new(console->chat, argument, &err), &err)) return;
    terminal_say(STYLE_DIM, "A new conversation.%s\n\n",
                 had_turns ? " /resume - goes back to the last one." : "");
}

static void say_forked(struct console *console, const char *what) {
    const struct conversation *fork = chat_conversation(console->chat);
    terminal_say(STYLE_DIM, "%s %s%s%s; /resume - goes back.\n\n", what, fork->id,
                 fork->name[0] ? " " : "", fork->name);
}

static void fork_at(struct console *console, int64_t turn) {
    struct text draft = {0};
    struct error err = {0};
    if (!console_failed(chat_fork_at(console->chat, turn, "", &draft, &err), &err)) {
        char what[64];
        snprintf(what, sizeof what, "Before turn %" PRId64 ", in the fork", turn);
        say_forked(console, what);
        console_set_draft(console, text_string(&draft));
    }
    text_deinit(&draft);
}

static void show_turn_list(const struct chat *chat) {
    const size_t count = chat_message_count(chat);
    int64_t turn = 0;
    for (size_t i = 0; i < count; i++) {
        const struct message *message = chat_message(chat, i);
        if (message->role != MESSAGE_USER) continue;
        struct text line = {0};
        if (text_fit(&line, message->text, terminal_width() - 6, false) == STATUS_OK)
            terminal_say(STYLE_PLAIN, "%4" PRId64 "  %s\n", ++turn, text_string(&line));
        text_deinit(&line);
    }
}

static void fork_where_asked(struct console *console) {
    struct text answer = {0};
    int64_t turn;
    if (chat_turn_count(console->chat) == 0) {
        terminal_say(STYLE_ERROR, "there is no turn to fork at yet\n");
        return;
    }
    show_turn_list(console->chat);
    if (console_ask(console, "fork before turn (Enter: not at all): ", &answer)) {
        if (command_number(answer.bytes, &turn))
            fork_at(console, turn);
        else
            terminal_say(STYLE_ERROR, "this is no number of a turn\n");
    }
    text_deinit(&answer);
}

void command_fork(struct console *console, const char *argument) {
    struct error err = {0};
    int64_t turn;
    if (strcmp(argument, "-") == 0)
        fork_where_asked(console);
    else if (command_number(argument, &turn))
        fork_at(console, turn);
    else if (!console_failed(chat_fork(console->chat, argument, &err), &err))
        say_forked(console, "Now in the fork");
}

void command_rewind(struct console *console, const char *argument) {
    struct text draft = {0};
    struct error err = {0};
    int64_t turns = 1;
    if (argument[0] && !command_number(argument, &turns)) {
        terminal_say(STYLE_ERROR, "how many turns back? /rewind [N]\n");
        return;
    }
    if (!console_failed(chat_rewind(console->chat, turns, &draft, &err), &err)) {
        char left[TURNS_TEXT_BYTES];
        terminal_say(STYLE_DIM, "Back to %s; the message is in the editor.\n\n",
                     turns_format(chat_turn_count(console->chat), left));
        console_set_draft(console, text_string(&draft));
    }
    text_deinit(&draft);
}

void command_regen(struct console *console, const char *argument) {
    int64_t answers = 1;
    if (argument[0] && (!command_number(argument, &answers) || answers > CHAT_MAX_ANSWERS))
        terminal_say(STYLE_ERROR, "how many answers? /regen [K], K from 1 to %d\n",
                     CHAT_MAX_ANSWERS);
    else
        console_regenerate(console, (int32_t)answers);
}

static void show_alternatives(const struct message *answers, size_t count, size_t current) {
    for (size_t i = 0; i < count; i++) {
        struct text line = {0};
        if (text_fit(&line, answers[i].text, terminal_width() - 7, false) == STATUS_OK)
            terminal_say(STYLE_PLAIN, "%c%4zu  %s\n", i == current ? '*' : ' ', i + 1,
                         text_string(&line));
        text_deinit(&line);
    }
    terminal_say(STYLE_DIM, count > 1 ? "/alt N goes on with number N.\n\n"
                                      : "It is the only answer; /regen writes another.\n\n");
}

static void choose_alternative(struct console *console, const struct message *answers, size_t count,
                               const char *argument) {
    struct error err = {0};
    int64_t number;
    if (!command_number(argument, &number) || number > (int64_t)count) {
        terminal_say(STYLE_ERROR, "which answer? /alt [N], N from 1 to %zu\n", count);
        return;
    }
    const struct message *chosen = &answers[number - 1];
    if (console_failed(chat_choose(console->chat, chosen->id, &err), &err)) return;
    terminal_say(STYLE_DIM, "[answer %" PRId64 " of %zu]\n", number, count);
    view_answer(chosen);
    terminal_say(STYLE_PLAIN, "\n");
}

void command_alt(struct console *console, const char *argument) {
    struct message *answers;
    struct error err = {0};
    size_t count, current;
    const enum status status = chat_alternatives(console->chat, &answers, &count, &current, &err);
    if (console_failed(status, &err)) return;
    if (argument[0])
        choose_alternative(console, answers, count, argument);
    else
        show_alternatives(answers, count, current);
    message_path_free(answers, count);
}

void command_beam(struct console *console, const char *argument) {
    int64_t width;
    if (!command_number(argument, &width) || width < 2 || width > BEAMS_MAX_WIDTH)
        terminal_say(STYLE_ERROR, "how many beams? /beam K, K from 2 to %d\n", BEAMS_MAX_WIDTH);
    else
        console_search(console, (int32_t)width);
}

void command_continue(struct console *console, const char *argument) {
    if (argument[0])
        terminal_say(STYLE_ERROR, "/continue takes nothing\n");
    else
        console_continue(console);
}

static enum status read_text_file(const char *path, struct text *text, struct error *err) {
    FILE *file = fopen(path, "re");
    if (!file) return error_set(err, STATUS_IO, "%s: %m", path);
    char bytes[4096];
    enum status status = STATUS_OK;
    for (size_t got; status == STATUS_OK && (got = fread(bytes, 1, sizeof bytes, file)) > 0;) {
        status = text_append(text, bytes, got);
        if (status == STATUS_OK && text->length > SYSTEM_MAX_BYTES)
            status = error_set(err, STATUS_BAD_INPUT, "%s: larger than 1 MiB", path);
    }
    if (status == STATUS_OK && ferror(file))
        status = error_set(err, STATUS_IO, "%s: cannot be read", path);
    fclose(file);
    if (status == STATUS_OK && (!utf8_valid(text_string(text), text->length, NULL) ||
                                strlen(text_string(text)) != text->length))
        status = error_set(err, STATUS_BAD_INPUT, "%s: is not UTF-8 text", path);
    return status;
}

static void show_system(const struct chat *chat) {
    const char *system = chat_system(chat);
    if (system[0]) {
        terminal_text(STYLE_PLAIN, system, strlen(system));
        terminal_say(STYLE_PLAIN, "\n");
    } else {
        terminal_say(STYLE_DIM, "There is no system prompt.\n");
    }
}

void command_system(struct console *console, const char *argument) {
    struct text system = {0};
    struct error err = {0};
    if (!argument[0]) {
        show_system(console->chat);
        return;
    }
    const bool had_turns = chat_turn_count(console->chat) > 0;
    enum status status = argument[0] == '@' ? read_text_file(argument + 1, &system, &err)
                                            : text_append_string(&system, argument);
    if (status == STATUS_OK) status = chat_set_system(console->chat, text_string(&system), &err);
    if (!console_failed(status, &err))
        terminal_say(STYLE_DIM, had_turns
                                    ? "A new conversation begins under this system prompt; "
                                      "/resume - goes back.\n\n"
                                    : "The conversation begins under this system prompt.\n\n");
    text_deinit(&system);
}
