#include <string.h>

#include "app/console/command.h"
#include "app/screen/stream.h"
#include "app/screen/terminal.h"

static void show_setting(void) {
    switch (stream_wishes()->look) {
    case THOUGHT_FOLDS:
        terminal_tell(STYLE_PLAIN, "reasoning is shown while it is written, then folded\n");
        break;
    case THOUGHT_STAYS:
        terminal_tell(STYLE_PLAIN, "reasoning is shown and stays on the screen\n");
        break;
    case THOUGHT_HIDDEN:
        terminal_tell(STYLE_PLAIN, "reasoning is hidden; only its duration is shown\n");
        break;
    }
}

void command_think(struct console *console, const char *argument) {
    struct session_settings *settings = &console->session->settings;
    if (strcmp(argument, "on") == 0)
        settings->think = THINK_ON;
    else if (strcmp(argument, "off") == 0)
        settings->think = THINK_OFF;
    else if (strcmp(argument, "show") == 0)
        stream_wishes()->look = THOUGHT_FOLDS;
    else if (strcmp(argument, "hide") == 0)
        stream_wishes()->look = THOUGHT_HIDDEN;
    else if (argument[0])
        terminal_tell(STYLE_ERROR, "usage: /think [on|off|hide|show]\n");
    if (!argument[0]) command_unfold(console);
    show_setting();
    if (settings->think != THINK_AS_IT_DOES)
        terminal_tell(STYLE_PLAIN, "the model is asked %s, if it can\n",
                      settings->think == THINK_ON ? "to think" : "not to think");
}

void command_unfold(void *user) {
    const struct console *console = user;
    const struct chat *chat = console->session->front;
    size_t i = chat_message_count(chat);
    while (i > 0 && chat_message(chat, i - 1)->role != MESSAGE_ASSISTANT)
        i--;
    const struct message *last = i > 0 ? chat_message(chat, i - 1) : NULL;
    if (!last || !stream_show_thought(last->text, last->length))
        terminal_tell(STYLE_DIM, "[the last answer has no reasoning]\n");
}
