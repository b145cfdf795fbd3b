#include <stdlib.h>

#include "app/base/figures.h"
#include "app/chat/chat_move.h"
#include "app/chat/chat_turn.h"
#include "app/chat/front.h"
#include "app/console/command.h"
#include "app/console/picker.h"
#include "app/console/view.h"
#include "app/screen/terminal.h"
#include "engine/beams.h"
#include "engine/tokenizer/thinking.h"

// How to come back, and what happens there meanwhile.
static const char *way_back(const struct console *console, bool had_turns) {
    if (front_is_writing(console->session, console->session->previous))
        return " The answer continues in the background; /resume - goes back to it.";
    return had_turns ? " /resume - goes back to the last one." : "";
}

void command_new(struct console *console, const char *argument) {
    const bool had_turns = chat_turn_count(console->session->front) > 0;
    struct error err = {0};
    if (console_failed(front_new(console->session, argument, &err), &err)) return;
    const char *name = console->session->front->conversation.name;
    terminal_tell(STYLE_DIM, "New conversation%s%s%s.%s\n\n", name[0] ? " \"" : "", name,
                  name[0] ? "\"" : "", way_back(console, had_turns));
}

void command_bg(struct console *console, const char *argument) {
    (void)argument;
    if (console->session->front->turn.state != TURN_IDLE)
        command_new(console, "");
    else
        terminal_tell(STYLE_ERROR, "no answer is being written here\n");
}

void command_rewind(struct console *console, const char *argument) {
    struct text draft = {0};
    struct error err = {0};
    int64_t turns = 1;
    if (argument[0] && !command_number(argument, &turns)) {
        terminal_tell(STYLE_ERROR, "usage: /rewind [N]\n");
        return;
    }
    if (chat_turn_count(console->session->front) == 0) {
        terminal_tell(STYLE_ERROR, "no turn to go back to yet\n");
        return;
    }
    if (!console_failed(chat_rewind(console->session->front, turns, &draft, &err), &err)) {
        char turns_left[TURNS_TEXT_BYTES];
        const int64_t left = chat_turn_count(console->session->front);
        terminal_tell(STYLE_DIM,
                      "Back to %s; the message is in the editor. /redo goes forward.\n\n",
                      left > 0 ? turns_format(left, turns_left) : "the beginning");
        console_say_cost(console);
        console_give_back_message(console, text_string(&draft));
    }
    text_deinit(&draft);
}

void command_regen(struct console *console, const char *argument) {
    struct error err = {0};
    int64_t answers = 1;
    if (argument[0] && (!command_number(argument, &answers) || answers > CHAT_MAX_ANSWERS))
        terminal_tell(STYLE_ERROR, "usage: /regen [K], where K is from 1 to %d\n",
                      CHAT_MAX_ANSWERS);
    else
        console_failed(chat_regenerate(console->session->front, (int32_t)answers, 1, &err), &err);
}

static void choose_alternative(struct console *console, const struct message *answers, size_t count,
                               size_t index) {
    struct error err = {0};
    if (console_failed(chat_choose(console->session->front, answers[index].id, &err), &err)) return;
    terminal_tell(STYLE_DIM, "[answer %zu of %zu]\n", index + 1, count);
    view_answer(&answers[index]);
    terminal_say(STYLE_PLAIN, "\n");
}

// "  3  the text" for each answer: the number that /regen showed and /alt N expects.
static enum status number_answers(const struct message *answers, size_t count, char **lines) {
    for (size_t i = 0; i < count; i++) {
        struct text line = {0};
        enum status status = text_format(&line, "%3zu  ", i + 1);
        if (status == STATUS_OK)
            status = thinking_split(answers[i].text, answers[i].length, NULL, &line);
        lines[i] = line.bytes;
        TRY(status);
    }
    return STATUS_OK;
}

static void pick_alternative(struct console *console, const struct message *answers, size_t count,
                             size_t current) {
    struct error err = {0};
    size_t chosen;
    if (count == 1) {
        terminal_tell(STYLE_DIM, "This is the only answer; /regen writes another.\n\n");
        return;
    }
    char **lines = calloc(count, sizeof *lines);
    const enum status status = lines ? number_answers(answers, count, lines) : STATUS_NO_MEMORY;
    const struct picker_options options = {
        .title = "answers", .items = (const char *const *)lines, .count = count, .at = current};
    if (!console_failed(status, &err) && picker_run(console, &options, &chosen))
        choose_alternative(console, answers, count, chosen);
    for (size_t i = 0; lines && i < count; i++)
        free(lines[i]);
    free(lines);
}

void command_alt(struct console *console, const char *argument) {
    struct message *answers;
    struct error err = {0};
    size_t count, current;
    int64_t number;
    const enum status status =
        chat_alternatives(console->session->front, &answers, &count, &current, &err);
    if (console_failed(status, &err)) return;
    if (!argument[0])
        pick_alternative(console, answers, count, current);
    else if (command_number(argument, &number) && number <= (int64_t)count)
        choose_alternative(console, answers, count, (size_t)number - 1);
    else if (count == 1)
        terminal_tell(STYLE_ERROR, "only one answer; /regen writes another\n");
    else
        terminal_tell(STYLE_ERROR, "no answer %.20s; choose 1 to %zu\n", argument, count);
    message_path_free(answers, count);
}

void command_beam(struct console *console, const char *argument) {
    struct error err = {0};
    int64_t width;
    if (!command_number(argument, &width) || width < 2 || width > BEAMS_MAX_WIDTH)
        terminal_tell(STYLE_ERROR, "usage: /beam K, where K is from 2 to %d\n", BEAMS_MAX_WIDTH);
    else
        console_failed(chat_regenerate(console->session->front, 1, (int32_t)width, &err), &err);
}

void command_continue(struct console *console, const char *argument) {
    struct error err = {0};
    (void)argument;
    console_failed(chat_continue(console->session->front, &err), &err);
}
