#include "app/console/interactive.h"

#include <string.h>

#include "app/base/exit_code.h"
#include "app/base/figures.h"
#include "app/chat/kv_report.h"
#include "app/console/commands.h"
#include "app/console/compose.h"
#include "app/console/console.h"
#include "app/console/view.h"
#include "app/screen/editor.h"
#include "app/screen/notice.h"
#include "app/screen/terminal.h"

static const char PROMPT[] = "> ";
enum { NAME_LEAST = 20 }; // columns of the model's name, on any screen

// Where KV is kept, and how much of it there is.
static void show_pools(const struct console *console) {
    struct kv_usage usage;
    struct text line = {0};
    engine_kv_usage(console->engine, &usage);
    if (kv_report_pools(&usage, &line) == STATUS_OK)
        terminal_tell(STYLE_DIM, "cache · %s\n", text_string(&line));
    text_deinit(&line);
}

// What can go on at once: "limits · 64 answers, 512 tokens a step, 1,024 blocks of 16 tokens".
static void show_limits(const struct engine_info *info) {
    char blocks[COUNT_TEXT_BYTES];
    terminal_tell(STYLE_DIM,
                  "limits · %d answers at once, %d tokens a step, %s blocks of %d tokens\n",
                  ENGINE_MAX_REQUESTS, (int)info->step_tokens,
                  count_format(info->blocks_total, blocks), (int)info->block_size);
}

// "quire · NAME · q8_0 · cpu · 2,048 tokens"; a long name gives way, down to NAME_LEAST.
static void show_start(const struct console *console) {
    struct engine_info info;
    engine_info(console->engine, &info);
    char context[COUNT_TEXT_BYTES];
    struct text facts = {0}, line = {0};
    const enum status status = text_format(&facts, " · %s · %s · %s tokens", info.file_type,
                                           info.backend, count_format(info.context, context));
    const int room =
        terminal_width() - text_columns("quire · ") - text_columns(text_string(&facts));
    if (status == STATUS_OK && text_append_string(&line, " · ") == STATUS_OK &&
        text_fit(&line, info.model_name, room < NAME_LEAST ? NAME_LEAST : room, false) ==
            STATUS_OK &&
        text_format(&line, "%s\n", text_string(&facts)) == STATUS_OK) {
        struct wrap wrap = {.width = terminal_styled() ? terminal_width() : 0};
        terminal_wrapped(STYLE_BOLD, &wrap, "quire", 5);
        terminal_wrapped(STYLE_PLAIN, &wrap, text_string(&line), line.length);
        wrap_deinit(&wrap);
    }
    text_deinit(&facts);
    text_deinit(&line);
    show_pools(console);
    show_limits(&info);
    if (chat_template_guessed(chat_template_of(console->chat)))
        terminal_tell(STYLE_DIM, "The model file has no chat template: ChatML is used.\n");
    terminal_tell(STYLE_DIM, "/help lists the commands, ^D leaves%s\n\n",
                  console->saved ? "" : "; nothing is saved");
}

static void obey_line(struct console *console, const struct text *line) {
    const char *text = text_string(line);
    if (commands_is_command(text)) {
        commands_run(console, text);
        return;
    }
    const size_t skipped = text[0] == '/'; // "//text" sends "/text"
    compose_send(console, text + skipped, line->length - skipped);
}

// What was sent while an answer was written.
static bool obey_queue(struct console *console) {
    struct text line = {0};
    if (!console_unqueue(console, &line)) return false;
    terminal_say(STYLE_BOLD, "%s", PROMPT);
    terminal_text(STYLE_PLAIN, text_string(&line), line.length);
    terminal_say(STYLE_PLAIN, "\n");
    obey_line(console, &line);
    text_deinit(&line);
    return true;
}

// Where things stand, when that has changed since it was last said.
static void show_status(struct console *console) {
    struct text line = {0};
    if (view_status_line(console->chat, console->engine, &line) != STATUS_OK) line.length = 0;
    if (line.length && strcmp(text_string(&line), text_string(&console->status_line)) != 0)
        terminal_say(STYLE_DIM, "%s\n", text_string(&line));
    text_deinit(&console->status_line);
    console->status_line = line;
}

// One prompt and what comes of it.
static void read_and_obey(struct console *console) {
    struct text draft = console->draft, line = {0};
    console->draft = (struct text){0};
    const struct editor_prompt prompt = {.text = PROMPT, .draft = text_string(&draft)};
    int signal = 0;
    console->prompts++;
    notice_show();
    if (console_has_news(console)) console_tell_news(console);
    if (console->status) show_status(console);
    switch (editor_read(&prompt, &line, &signal)) {
    case EDITOR_LINE:
        if (line.length > 0) obey_line(console, &line);
        break;
    case EDITOR_INTERRUPT:
        terminal_say(STYLE_DIM, "^D or /quit leaves.\n");
        break;
    case EDITOR_LEAVE:
        console_quit(console);
        break;
    case EDITOR_SIGNAL:
        console->leave = true;
        console->exit_code = 128 + signal;
        break;
    }
    text_deinit(&draft);
    text_deinit(&line);
}

static void greet(struct console *console, const struct interactive_options *options) {
    if (!options->quiet) show_start(console);
    if (options->resumed) console_arrive(console);
    if (!options->first_prompt) return;
    terminal_say(STYLE_BOLD, "%s", PROMPT);
    terminal_text(STYLE_PLAIN, options->first_prompt, strlen(options->first_prompt));
    terminal_say(STYLE_PLAIN, "\n");
    if (console_send(console, options->first_prompt, strlen(options->first_prompt)) == SENT_BACK)
        console_give_back(console, options->first_prompt);
}

int interactive_run(const struct interactive_options *options) {
    struct console console = {
        .chat = *options->chat,
        .engine = options->engine,
        .db = options->db,
        .config_path = options->config_path,
        .status = !options->quiet,
        .verbose = options->verbose,
        .saved = options->saved,
        .warned_at = -1,
        .exit_code = EXIT_DONE,
    };
    if (!terminal_open()) return EXIT_RUN_TIME;
    notice_hold(); // what comes while an answer streams is shown before the next prompt
    editor_open(&(struct editor_options){.history_path = options->history_path,
                                         .complete = commands_complete,
                                         .event_fd = engine_event_fd(options->engine),
                                         .notice = console_has_news,
                                         .tell = console_tell_news,
                                         .unfold = commands_unfold,
                                         .user = &console});
    desk_open(&console.desk, options->engine, console.chat);
    greet(&console, options);
    while (!console.leave && !terminal_gone())
        if (chat_running(console.chat))
            console_follow(&console);
        else if (!obey_queue(&console))
            read_and_obey(&console);
    *options->chat = desk_close(&console.desk);
    editor_remember(text_string(&console.draft)); // what would have stood in the next prompt
    editor_close();
    terminal_close();
    notice_release();
    console_deinit(&console);
    compose_deinit(&console);
    *options->model = console.model;
    return console.exit_code;
}
