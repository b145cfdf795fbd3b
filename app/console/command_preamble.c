// app/console/command_preamble.c — /system /preset /shots: what a conversation begins with.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/attachment.h"
#include "app/base/figures.h"
#include "app/base/path.h"
#include "app/base/verbatim.h"
#include "app/chat/chat_move.h"
#include "app/chat/chat_preamble.h"
#include "app/chat/presets.h"
#include "app/console/command.h"
#include "app/console/pager.h"
#include "app/screen/row.h"
#include "app/screen/terminal.h"
#include "prompts/preamble.h"

enum { NAME_COLUMNS = 19 }; // of a preset

// "[11 tokens, 10 cached, shared with 3 conversations]"
static void say_cost(struct console *console) {
    struct chat_preamble preamble;
    struct error err = {0};
    char tokens[COUNT_TEXT_BYTES], cached[COUNT_TEXT_BYTES], shared[64] = "not shared";
    if (console_failed(chat_preamble(console->session->front, &preamble, &err), &err)) return;
    if (preamble.tokens == 0) return;
    if (preamble.others > 0)
        snprintf(shared, sizeof shared, "shared with %" PRId64 " conversation%s", preamble.others,
                 preamble.others == 1 ? "" : "s");
    terminal_tell(STYLE_DIM, "[%s, %s cached, %s]\n", tokens_format(preamble.tokens, tokens),
                  count_format(preamble.cached, cached), shared);
}

static void show_preamble(struct console *console) {
    struct text text = {0};
    const char *preamble = chat_preamble_text(console->session->front);
    if (!preamble[0]) {
        terminal_tell(STYLE_DIM, "No system prompt.\n\n");
        return;
    }
    struct wrap wrap = {.width = terminal_styled() ? terminal_width() : 0};
    if (preamble_show(preamble, &text) == STATUS_OK)
        terminal_wrapped(STYLE_PLAIN, &wrap, text_string(&text), text.length);
    wrap_deinit(&wrap);
    terminal_say(STYLE_PLAIN, "\n");
    say_cost(console);
    terminal_say(STYLE_PLAIN, "\n");
    text_deinit(&text);
}

// `what` names the changed part: "system prompt".
static void begin_under(struct console *console, const char *preamble, const char *what) {
    struct error err = {0};
    const bool had_turns = chat_turn_count(console->session->front) > 0;
    if (console_failed(chat_set_preamble(console->session->front, preamble, &err), &err)) return;
    if (had_turns)
        terminal_tell(
            STYLE_DIM,
            "Started a new conversation with this %s; /resume - goes back to the old one.\n", what);
    else
        terminal_tell(STYLE_DIM, "%c%s set.\n", what[0] + 'A' - 'a', what + 1);
    say_cost(console);
    terminal_say(STYLE_PLAIN, "\n");
}

// The argument still has its marks: a pasted "@" begins a text, not a file's name.
static enum status read_system(const char *argument, struct text *system, struct error *err) {
    struct text plain = {0}, path = {0};
    const bool from_file = argument[0] == '@';
    size_t offset;
    enum status status = verbatim_plain(&plain, argument, strlen(argument));
    if (status == STATUS_OK && from_file) {
        path_unquote(plain.bytes + 1);
        status = path_expand(plain.bytes + 1, &path);
        if (status == STATUS_OK) status = file_read(text_string(&path), system, err);
        text_trim_end(system);
    } else if (status == STATUS_OK) {
        status = text_append(system, text_string(&plain), plain.length);
    }
    if (status == STATUS_OK && system->length > 0 &&
        !utf8_valid(system->bytes, system->length, &offset))
        status = error_set(err, STATUS_BAD_INPUT, "%s is not UTF-8 text: bad byte at offset %zu",
                           text_string(&plain), offset);
    if (status == STATUS_OK)
        status = preamble_check_system(text_string(system), system->length, err);
    text_deinit(&plain);
    text_deinit(&path);
    return status;
}

// Keeps the few-shot turns.
void command_system(struct console *console, const char *argument) {
    struct text system = {0}, preamble = {0};
    struct error err = {0};
    if (!argument[0]) {
        show_preamble(console);
        return;
    }
    enum status status =
        strcmp(argument, "-") == 0 ? STATUS_OK : read_system(argument, &system, &err);
    if (status == STATUS_OK)
        status = preamble_join(text_string(&system), chat_preamble_text(console->session->front),
                               &preamble);
    if (!console_failed(status, &err))
        begin_under(console, text_string(&preamble), "system prompt");
    text_deinit(&system);
    text_deinit(&preamble);
}

// If the file has a system prompt, that is used too.
void command_shots(struct console *console, const char *argument) {
    struct text path = {0}, shots = {0}, preamble = {0};
    struct error err = {0};
    enum status status = STATUS_OK;
    const bool none = strcmp(argument, "-") == 0;
    if (!argument[0]) {
        terminal_tell(STYLE_PLAIN,
                      "%zu few-shot pairs; /shots FILE replaces them, /shots - removes them\n",
                      preamble_shots(chat_preamble_text(console->session->front)));
        return;
    }
    if (!none) status = path_expand(argument, &path);
    if (!none && status == STATUS_OK) status = preset_read_file(path.bytes, &shots, &err);
    if (!none && status == STATUS_OK && preamble_shots(text_string(&shots)) == 0)
        status = error_set(&err, STATUS_BAD_INPUT, "%.200s has no USER: and ASSISTANT: pair",
                           path.bytes);
    const bool whole = shots.length > 0 && shots.bytes[0] != PREAMBLE_SEPARATOR;
    if (status == STATUS_OK)
        status = preamble_join(whole ? shots.bytes : chat_preamble_text(console->session->front),
                               text_string(&shots), &preamble);
    if (!console_failed(status, &err))
        begin_under(console, text_string(&preamble), "few-shot preamble");
    text_deinit(&path);
    text_deinit(&shots);
    text_deinit(&preamble);
}

static void show_presets(struct console *console) {
    struct preset *presets = NULL;
    size_t count = 0;
    struct error err = {0};
    struct pager pager;
    if (console_failed(presets_list(console->config_path, &presets, &count), &err)) return;
    pager_begin(&pager, console);
    for (size_t i = 0; i < count; i++) {
        struct text label = {0};
        if (text_format(&label, "%c %s", presets[i].own ? '+' : ' ', presets[i].name) == STATUS_OK)
            row_show(&(struct row){.label = label.bytes,
                                   .columns = NAME_COLUMNS,
                                   .text = presets[i].about,
                                   .style = WRAP_DIM});
        text_deinit(&label);
    }
    terminal_tell(STYLE_DIM, count ? "/preset NAME starts with one; + marks your own.\n\n"
                                   : "No presets.\n\n");
    pager_end(&pager);
    free(presets);
}

void command_preset(struct console *console, const char *argument) {
    struct text preamble = {0};
    struct error err = {0};
    if (!argument[0]) {
        show_presets(console);
        return;
    }
    if (!console_failed(preset_read(console->config_path, argument, &preamble, &err), &err))
        begin_under(console, text_string(&preamble), "preset");
    text_deinit(&preamble);
}
