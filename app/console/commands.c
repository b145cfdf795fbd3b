#include "app/console/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "app/base/figures.h"
#include "app/base/nearness.h"
#include "app/base/path.h"
#include "app/base/verbatim.h"
#include "app/chat/front.h"
#include "app/chat/presets.h"
#include "app/console/command.h"
#include "app/console/command_line.h"
#include "app/console/pager.h"
#include "app/screen/row.h"
#include "app/screen/terminal.h"

enum {
    NAME_BYTES = 32,
    HELP_COLUMNS = 23,
    NEAR_EDITS = 2,        // a name with more typos is not suggested
    COMPLETE_LIMIT = 1000, // conversations
};

enum completes { WITH_NOTHING, WITH_CONVERSATIONS, WITH_FILES, WITH_MODELS, WITH_PRESETS };

struct command {
    const char *names[4]; // help shows the first
    const char *usage;    // after the name
    const char *help;
    const char *example; // example arguments and their effect; "": the name says it all
    command_handler *handler;
    enum completes completes;
    const char *words; // first arguments, for completion, separated by spaces; or NULL
};

static command_handler help, save, quit;

// clang-format off
static const struct command TABLE[] = {
    {{"help", "?"}, "[COMMAND]", "list the commands, or explain one",
     "fork: what /fork does, and how", help, WITH_NOTHING, NULL},
    {{"new", "clear"}, "[NAME]", "start a new conversation; the old one is kept",
     "trip to Oslo: an empty conversation with this name", command_new, WITH_NOTHING, NULL},
    {{"list", "ls"}, "[QUERY|--all]", "list conversations, newest first, or search them",
     "fox bear: those with both words in one message; --all: those started with quire -p too",
     command_list, WITH_NOTHING, "--all"},
    {{"resume", "switch"}, "[ID|NAME|-]", "go to another conversation; - is the previous one",
     "3f2a: the one whose id starts with this; without an argument: choose from a list", command_resume,
     WITH_CONVERSATIONS, "-"},
    {{"fork", "branch"}, "[NAME|N|Na|-]", "fork this conversation and go there; N: before turn N",
     "3: before turn 3; 3a: after its answer; -: from a list", command_fork, WITH_NOTHING, "-"},
    {{"bg"}, "", "leave the answer to the background; open a new chat", "", command_bg,
     WITH_NOTHING, NULL},
    {{"diff"}, "[A [B]]", "compare two branches or two answers side by side",
     "1 2: the first two answers to the last message; 3f2a: this conversation and that one",
     command_diff, WITH_CONVERSATIONS, "-"},
    {{"tree"}, "", "show all messages as a tree, and move in it",
     "", command_tree, WITH_NOTHING, NULL},
    {{"rewind", "undo"}, "[N]", "go back N turns and edit that message",
     "2: undo the last two turns; nothing is deleted", command_rewind, WITH_NOTHING,
     NULL},
    {{"redo"}, "[N]", "go forward again after /rewind",
     "2: two turns; alone: back to where you were", command_redo, WITH_NOTHING, NULL},
    {{"edit"}, "[N]", "go back to turn N and edit its message",
     "1: to ask the first question another way", command_edit, WITH_NOTHING, NULL},
    {{"regen", "retry"}, "[K]", "write another answer, or K at once; keep the old one",
     "4: four answers at once, to pick from", command_regen, WITH_NOTHING, NULL},
    {{"alt"}, "[N]", "pick one of the answers to the last message",
     "2: continue with the second", command_alt, WITH_NOTHING, NULL},
    {{"beam"}, "K", "write another answer by beam search with K beams",
     "4: the best answer that four beams find", command_beam, WITH_NOTHING, NULL},
    {{"continue"}, "", "continue an answer that was cut off", "", command_continue, WITH_NOTHING, NULL},
    {{"ask"}, "ID,ID… TEXT", "send one message to several conversations at once",
     "3f2a,\"a name\" And in winter?: asks both", command_ask, WITH_NOTHING, NULL},
    {{"read"}, "[FILE…|-]", "attach files to the next message (- drops them); also @FILE",
     "notes.txt todo.txt: attaches both", command_read, WITH_FILES, NULL},
    {{"system"}, "[TEXT|@FILE|-]", "show or set the system prompt; - removes it",
     "You answer in rhymes.: a conversation with this prompt", command_system, WITH_NOTHING, NULL},
    {{"preset"}, "[NAME]", "list presets, or start with one",
     "brief: short answers", command_preset, WITH_PRESETS, NULL},
    {{"shots"}, "[FILE|-]", "read few-shot turns from lines of USER: and ASSISTANT:",
     "examples.txt: the model sees these turns first", command_shots, WITH_FILES, "-"},
    {{"set"}, "[KEY VALUE]", "show or change settings",
     "temp 0: always take the likeliest token", command_set, WITH_NOTHING, NULL},
    {{"show"}, "[system|params|template|tokens]", "show the chat's system prompt, settings, template or tokens",
     "tokens: the exact token log", command_show, WITH_NOTHING, "system params template tokens"},
    {{"history"}, "[N]", "show the conversation, or its last N turns, page by page",
     "3: the last three turns", command_history, WITH_NOTHING, NULL},
    {{"think"}, "[on|off|hide|show]", "turn reasoning on or off, or hide it; alone: show the last",
     "off: ask the model not to think; hide: show one line instead of the reasoning",
     command_think, WITH_NOTHING, "on off hide show"},
    {{"context"}, "", "show what fills the context, and how much is free for messages and answers", "", command_context, WITH_NOTHING, NULL},
    {{"compact"}, "[FOCUS]", "replace old turns with a summary, in a fork",
     "the recipe: a summary that focuses on the recipe", command_compact, WITH_NOTHING, NULL},
    {{"stats"}, "", "show figures for the last turn", "", command_stats, WITH_NOTHING, NULL},
    {{"verbose"}, "[on|off]", "show /stats after each answer",
     "on: figures after each answer", command_verbose, WITH_NOTHING, "on off"},
    {{"model"}, "[FILE|NAME]", "continue with another model, in a fork",
     "qwen3-8b: a fork that uses this model; the original is kept", command_model, WITH_MODELS, NULL},
    {{"kv"}, "", "show the KV cache: its pools, and each conversation's share", "", command_kv, WITH_NOTHING,
     NULL},
    {{"name"}, "[NAME]", "name this conversation",
     "trip to Oslo: /resume finds it by this name", command_name, WITH_NOTHING, NULL},
    {{"export"}, "[FILE]", "write this conversation as Markdown, .jsonl or .html",
     "talk.jsonl: a file that /import reads", command_export, WITH_FILES, NULL},
    {{"import"}, "FILE.jsonl", "import an exported conversation",
     "talk.jsonl: opens it as a new conversation", command_import, WITH_FILES, NULL},
    {{"copy"}, "[N|code [N]]", "copy an answer or a code block to the clipboard",
     "2: the answer to turn 2; code: the last code block; code 1: the first of that answer",
     command_copy, WITH_NOTHING, "code"},
    {{"delete"}, "ID|NAME", "delete a conversation; forks keep what they share",
     "3f2a: asks first", command_delete, WITH_CONVERSATIONS, NULL},
    {{"strip"}, "ID|NAME", "drop a conversation's cache, not its text",
     "3f2a: its next turn is recomputed", command_strip, WITH_CONVERSATIONS, NULL},
    {{"save"}, "", "does nothing: every turn is saved", "", save, WITH_NOTHING, NULL},
    {{"quit", "exit", "bye"}, "", "quit (also ^D)", "", quit, WITH_NOTHING, NULL},
};
// clang-format on
enum { COMMAND_COUNT = sizeof TABLE / sizeof TABLE[0], NAMES_PER_COMMAND = 4 };

static const char *const KEYS[][2] = {
    {"^J, Alt-Enter", "start a new line; also Enter after \\, or between \"\"\" and \"\"\""},
    {"^C, Esc", "stop the answer; at the prompt, ^C clears the line"},
    {"type-ahead", "Enter queues the line; /bg /new /resume /fork let the answer run on"},
    {"^R, ↑, ↓", "recall earlier input; ^G opens $EDITOR"},
    {"^O", "show the last reasoning; while it is written, keep it open"},
    {"Esc Esc", "on an empty line: list the turns"},
    {"@FILE, @\"my file.txt\"", "in a message: attach that file"},
    {"//text", "send a message that starts with a slash"},
};

static const struct command *command_find(const char *name) {
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        for (size_t j = 0; j < NAMES_PER_COMMAND && TABLE[i].names[j]; j++)
            if (strcasecmp(TABLE[i].names[j], name) == 0) return &TABLE[i];
    return NULL;
}

// The name of this command in other programs.
static const char *same_meaning(const char *name) {
    static const char *const MEANT[][2] = {
        {"cost", "stats"},
        {"usage", "stats"},
        {"tokens-used", "stats"},
        {"load", "resume"},
        {"open", "resume"},
        {"chat", "resume"},
        {"chats", "list"},
        {"sessions", "list"},
        {"search", "list"},
        {"find", "list"},
        {"models", "model"},
        {"settings", "set"},
        {"config", "set"},
        {"params", "set"},
        {"info", "show"},
        {"rm", "delete"},
        {"remove", "delete"},
        {"rename", "name"},
        {"title", "name"},
        {"file", "read"},
        {"attach", "read"},
        {"add", "read"},
        {"prompt", "system"},
        {"persona", "preset"},
        {"summarize", "compact"},
        {"summarise", "compact"},
        {"reset", "new"},
        {"cls", "new"},
        {"web", "read"},
        {"url", "read"},
        {"image", "read"},
        {"q", "quit"},
        {"x", "quit"},
        {"ctx", "context"},
        {"tokens", "stats"},
        {"status", "stats"},
        {"session", "resume"},
        {"goto", "resume"},
        {"login", "model"},
        {"use", "model"},
        {"role", "preset"},
        {"clearhistory", "new"},
        {"restart", "new"},
        {"log", "history"},
        {"checkpoint", "fork"},
        {"go", "continue"},
        {"more", "continue"},
        {"del", "delete"},
        {"again", "regen"},
        {"regenerate", "regen"},
        {"back", "rewind"},
        {"clone", "fork"},
        {"write", "export"},
        {"cache", "kv"},
        {"reasoning", "think"},
        {"commands", "help"},
        {"stop", "quit"},
    };
    for (size_t i = 0; i < sizeof MEANT / sizeof MEANT[0]; i++)
        if (strcasecmp(MEANT[i][0], name) == 0) return MEANT[i][1];
    return NULL;
}

// The most similar name, or NULL.
static const char *nearest(const char *name) {
    const char *meant = same_meaning(name);
    if (meant) return meant;
    const char *best = NULL;
    size_t best_edits = NEAR_EDITS + 1;
    const size_t length = strlen(name);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        for (size_t j = 0; j < NAMES_PER_COMMAND && TABLE[i].names[j]; j++) {
            const char *candidate = TABLE[i].names[j];
            const bool begins = length >= 2 && strncmp(candidate, name, length) == 0;
            const size_t distance = begins ? 0 : nearness_edits(name, candidate);
            if (distance >= best_edits || 2 * distance > length) continue;
            best = candidate;
            best_edits = distance;
        }
    }
    return best;
}

static void say_unknown(const char *name) {
    const char *meant = nearest(name);
    if (meant)
        terminal_tell(STYLE_ERROR, "unknown command /%.40s; did you mean /%s?\n", name, meant);
    else
        terminal_tell(STYLE_ERROR, "unknown command /%.40s; /help lists them\n", name);
}

static void help_one(const struct command *command) {
    terminal_tell(STYLE_BOLD, "/%s %s\n", command->names[0], command->usage);
    terminal_tell(STYLE_PLAIN, "%s\n", command->help);
    if (command->example[0])
        terminal_tell(STYLE_DIM, "example: /%s %s\n", command->names[0], command->example);
    for (size_t i = 1; i < NAMES_PER_COMMAND && command->names[i]; i++)
        terminal_say(STYLE_DIM, "%s/%s", i == 1 ? "also " : ", ", command->names[i]);
    terminal_say(STYLE_PLAIN, "%s", command->names[1] ? "\n\n" : "\n");
}

// Its help, and its other names.
static enum status describe(const struct command *command, struct text *text) {
    TRY(text_append_string(text, command->help));
    for (size_t i = 1; i < NAMES_PER_COMMAND && command->names[i]; i++)
        TRY(text_format(text, "%s/%s", i == 1 ? "; also " : ", ", command->names[i]));
    return STATUS_OK;
}

static void help_row(const char *left, const char *right) {
    row_show(
        &(struct row){.label = left, .columns = HELP_COLUMNS, .text = right, .style = WRAP_DIM});
}

static void help_all(struct console *console) {
    struct pager pager;
    pager_begin(&pager, console);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        char left[64];
        const bool short_usage = text_columns(TABLE[i].usage) < 16;
        snprintf(left, sizeof left, "/%s %s", TABLE[i].names[0],
                 short_usage ? TABLE[i].usage : "[WHAT]");
        struct text text = {0};
        if (describe(&TABLE[i], &text) == STATUS_OK) help_row(left, text_string(&text));
        text_deinit(&text);
    }
    terminal_say(STYLE_PLAIN, "\n");
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++)
        help_row(KEYS[i][0], KEYS[i][1]);
    terminal_say(STYLE_PLAIN, "\n");
    pager_end(&pager);
}

static void help(struct console *console, const char *argument) {
    if (argument[0] == '/') argument++;
    const struct command *command = command_find(argument);
    if (!argument[0])
        help_all(console);
    else if (command)
        help_one(command);
    else
        say_unknown(argument);
}

static void save(struct console *console, const char *argument) {
    (void)argument;
    struct error err = {0};
    if (console_failed(front_save(console->session, &err), &err)) return;
    if (console->saved)
        terminal_tell(STYLE_DIM, "Everything is already saved.\n");
    else
        terminal_tell(STYLE_DIM, "This chat is not saved (--no-save).\n");
}

static void quit(struct console *console, const char *argument) {
    (void)argument;
    console_quit(console);
}

bool command_number(const char *text, int64_t *number) {
    char *end;
    if (text[0] < '0' || text[0] > '9') return false;
    const long long value = strtoll(text, &end, 10);
    if (*end || value < 1) return false;
    *number = value;
    return true;
}

static const char BLANKS[] = " \t\n";

enum line_timing commands_timing(const char *line) {
    static command_handler *const MOVES[] = {command_bg, command_new, command_resume, command_fork};
    static command_handler *const RUNS[] = {
        help, command_list, command_stats, command_show, command_context, command_kv, save, quit};
    const char *slashed = command_line_with_slash(line);
    char name[NAME_BYTES];
    if (!slashed || sscanf(slashed, "/%31s", name) != 1) return LINE_WAITS;
    const struct command *command = command_find(name);
    for (size_t i = 0; command && i < sizeof MOVES / sizeof MOVES[0]; i++)
        if (command->handler == MOVES[i]) return LINE_MOVES;
    for (size_t i = 0; command && i < sizeof RUNS / sizeof RUNS[0]; i++)
        if (command->handler == RUNS[i]) return LINE_RUNS;
    return LINE_WAITS;
}

// The text after the command's name, trimmed and without marks, except for /system, where a pasted
// "@" is text. A name may be in quotation marks; /read and /ask take several.
static enum status read_argument(const struct command *command, const char *rest,
                                 struct text *argument, struct error *err) {
    static command_handler *const NAMES[] = {
        command_resume, command_delete, command_strip,  command_fork,  command_name,
        command_new,    command_export, command_import, command_model, command_shots};
    rest += strspn(rest, BLANKS);
    size_t length = strlen(rest);
    while (length > 0 && strchr(BLANKS, rest[length - 1]))
        length--;
    TRY(text_append(argument, "", 0));
    TRY(command->handler == command_system ? text_append(argument, rest, length)
                                           : verbatim_plain(argument, rest, length));
    for (size_t i = 0; argument->length && i < sizeof NAMES / sizeof NAMES[0]; i++)
        if (command->handler == NAMES[i]) path_unquote(argument->bytes);
    if (argument->length > 0 && !command->usage[0])
        return error_set(err, STATUS_BAD_INPUT, "/%s takes no argument", command->names[0]);
    if (argument->length == 0 || argument->bytes[0]) return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "a name needs at least one character");
}

static enum status set(struct console *console, const char *key_and_value) {
    struct text argument = {0};
    const enum status status = verbatim_plain(&argument, key_and_value, strlen(key_and_value));
    if (status == STATUS_OK) command_set(console, text_string(&argument));
    text_deinit(&argument);
    return status;
}

void commands_run(struct console *console, const char *line) {
    const char *slashed = command_line_with_slash(line);
    if (slashed) line = slashed;
    const size_t name_length = strcspn(line + 1, " \t\n="); // "/temp=0.3"
    struct text name = {0}, argument = {0};
    struct error err = {0};
    enum status status = verbatim_plain(&name, line + 1, name_length);
    const struct command *command = command_find(text_string(&name));
    if (status == STATUS_OK && command)
        status = read_argument(command, line + 1 + name_length, &argument, &err);
    if (!console_failed(status, &err)) {
        if (command)
            command->handler(console, text_string(&argument));
        else if (command_sets(text_string(&name))) // "/temp 0.3"
            console_failed(set(console, line + 1), &err);
        else
            say_unknown(text_string(&name));
    }
    text_deinit(&name);
    text_deinit(&argument);
}

// ---- what is pasted

// Does a file's name come after this?
static bool expects_file(const char *before) {
    const size_t length = strlen(before);
    char name[NAME_BYTES];
    int used = 0;
    if (length > 0 && before[length - 1] == '@' &&
        (length == 1 || strchr(" \t\n(", before[length - 2])))
        return true;
    if (sscanf(before, "/%31s%n", name, &used) != 1 || !strchr(BLANKS, before[used])) return false;
    const struct command *command = command_find(name);
    return command && (command->completes == WITH_FILES || command->completes == WITH_MODELS) &&
           length > 0 && strchr(BLANKS, before[length - 1]);
}

// Appends the quoted name of a file that needs quotes; appends nothing otherwise.
static enum status quote_pasted(const char *text, struct text *line) {
    struct text name = {0}, path = {0};
    size_t length = strlen(text);
    while (length > 0 && strchr(BLANKS, text[length - 1]))
        length--;
    enum status status = text_append(&name, text, length);
    if (status == STATUS_OK && length > 0 && path_needs_quotes(name.bytes)) {
        status = path_expand(name.bytes, &path);
        if (status == STATUS_OK && access(path.bytes, F_OK) == 0)
            status = path_quote(name.bytes, line);
    }
    text_deinit(&name);
    text_deinit(&path);
    return status;
}

static bool begins_with_command(const char *text) {
    char name[NAME_BYTES];
    return command_line_is_command(text) && sscanf(text, "/%31s", name) == 1 && command_find(name);
}

const char *commands_paste(void *user, const char *before, const char *text, struct text *line) {
    (void)user;
    enum status status = expects_file(before) ? quote_pasted(text, line) : STATUS_OK;
    if (status == STATUS_OK && line->length == 0)
        status = verbatim_append(line, text, strlen(text));
    if (status != STATUS_OK) return status_text(status);
    return !before[0] && begins_with_command(text) ? "pasted as text; type / to run it" : NULL;
}

// ---- completion

struct candidates { // a NULL-terminated array that grows
    char **strings;
    size_t count, capacity;
};

static void candidates_add(struct candidates *candidates, const char *prefix, const char *string) {
    if (candidates->count + 2 > candidates->capacity) {
        const size_t capacity = 2 * candidates->capacity + 16;
        char **strings = realloc(candidates->strings, capacity * sizeof *strings);
        if (!strings) return;
        candidates->strings = strings;
        candidates->capacity = capacity;
    }
    char *joined = NULL;
    if (asprintf(&joined, "%s%s", prefix, string) < 0) return;
    candidates->strings[candidates->count++] = joined;
    candidates->strings[candidates->count] = NULL;
}

// Adds it only if it begins with the word.
static void candidates_push(struct candidates *candidates, const char *prefix, const char *string,
                            const char *word) {
    if (strncmp(word, prefix, strlen(prefix)) != 0) return;
    const size_t prefix_length = strlen(prefix), word_length = strlen(word);
    if (strncmp(string, word + prefix_length, word_length - prefix_length) == 0)
        candidates_add(candidates, prefix, string);
}

static void complete_commands(struct candidates *found, const char *word) {
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        for (size_t j = 0; j < NAMES_PER_COMMAND && TABLE[i].names[j]; j++)
            candidates_push(found, "/", TABLE[i].names[j], word);
}

static void complete_conversations(struct candidates *found, struct console *console,
                                   const char *word) {
    struct conversation_row *rows = NULL;
    size_t count = 0;
    struct error err;
    if (conversation_list(console->session->db,
                          &(struct conversation_query){.words = "", .limit = COMPLETE_LIMIT}, &rows,
                          &count, &err) != STATUS_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        candidates_push(found, "", rows[i].conversation.id, word);
        if (rows[i].conversation.name[0])
            candidates_push(found, "", rows[i].conversation.name, word);
    }
    free(rows);
}

// Where a quoted name that is still open at the end of the line begins, after its mark; NULL: none.
static const char *open_quotation(const char *line) {
    while (*line) {
        line += strspn(line, BLANKS);
        const char *mark = line + strspn(line, "(@");
        const size_t length = (size_t)(mark - line) + path_word_length(mark);
        const char *end = line + length;
        if (*mark == '"' && (end - mark < 2 || end[-1] != '"')) return mark + 1;
        line = end;
    }
    return NULL;
}

// Collects paths as they come for a word. If one needs quotation marks they all have them, so that
// they begin alike.
struct path_candidates {
    struct text *paths; // each ends with a NUL
    bool quoted;
};

static void collect_path(void *user, const char *path) {
    struct path_candidates *found = user;
    found->quoted = found->quoted || path_needs_quotes(path);
    const enum status ignored = text_append(found->paths, path, strlen(path) + 1);
    (void)ignored;
}

// Writes a path as it appears in the line: a folder does not end the name.
static enum status write_path(const char *path, bool quoted, struct text *out) {
    const size_t length = strlen(path);
    if (!quoted) return text_append(out, path, length);
    TRY(path_put_in_quotes(path, out));
    if (length > 0 && path[length - 1] == '/') out->bytes[--out->length] = '\0';
    return STATUS_OK;
}

// `before` and `word` as commands_complete() has them; the name is what follows `prefix`, or an
// open quotation mark in front of the word.
static void complete_paths(struct candidates *found, const char *before, const char *prefix,
                           const char *word) {
    struct text paths = {0}, typed = {0}, written = {0};
    struct path_candidates collected = {.paths = &paths};
    const char *quotation = open_quotation(before);
    const size_t skipped = quotation ? strlen(quotation) + 1 : 0; // of what is written
    const char *begun = word + (quotation ? 0 : strlen(prefix));
    if (quotation || begun[0] == '"') collected.quoted = true;
    if (!quotation && begun[0] == '"') begun++;
    if (text_format(&typed, "\"%s%s\"", quotation ? quotation : "", begun) == STATUS_OK) {
        path_unquote(typed.bytes);
        path_complete(typed.bytes, collect_path, &collected);
    }
    for (size_t at = 0; at < paths.length; at += strlen(paths.bytes + at) + 1) {
        text_clear(&written);
        if (write_path(paths.bytes + at, collected.quoted, &written) != STATUS_OK) break;
        if (skipped <= written.length &&
            (!quotation || strncmp(written.bytes + 1, quotation, skipped - 1) == 0))
            candidates_add(found, quotation ? "" : prefix, written.bytes + skipped);
    }
    text_deinit(&paths);
    text_deinit(&typed);
    text_deinit(&written);
}

struct name_candidates {
    struct candidates *found;
    const char *word;
};

static void push_name(void *user, const char *name) {
    const struct name_candidates *names = user;
    candidates_push(names->found, "", name, names->word);
}

// Completes the models of /model's list, or any file.
static void complete_models(struct candidates *found, struct console *console, const char *before,
                            const char *word) {
    struct name_candidates names = {found, word};
    command_model_names(console, push_name, &names);
    if (word[0] || found->count == 0) complete_paths(found, before, "", word);
}

static void complete_presets(struct candidates *found, const struct console *console,
                             const char *word) {
    struct preset *presets = NULL;
    size_t count = 0;
    if (presets_list(console->config_path, &presets, &count) != STATUS_OK) return;
    for (size_t i = 0; i < count; i++)
        candidates_push(found, "", presets[i].name, word);
    free(presets);
}

static void complete_argument(struct candidates *found, const struct command *command,
                              struct console *console, const char *before, const char *word) {
    switch (command->completes) {
    case WITH_CONVERSATIONS:
        complete_conversations(found, console, word);
        break;
    case WITH_FILES:
        complete_paths(found, before, "", word);
        break;
    case WITH_MODELS:
        complete_models(found, console, before, word);
        break;
    case WITH_PRESETS:
        complete_presets(found, console, word);
        break;
    case WITH_NOTHING:
        break;
    }
}

static void complete_words(struct candidates *found, const char *words, const char *word) {
    char one[NAME_BYTES];
    int used = 0;
    for (; sscanf(words, " %31[^ ]%n", one, &used) == 1; words += used)
        candidates_push(found, "", one, word);
}

// Is the word the rest of a quoted name after an @?
static bool attaches(const char *before) {
    const char *quotation = open_quotation(before);
    return quotation && quotation - before >= 2 && quotation[-2] == '@';
}

char **commands_complete(void *user, const char *before, const char *word) {
    struct console *console = user;
    struct candidates found = {0};
    char name[NAME_BYTES] = "";
    if (!before[0] && word[0] == '/') complete_commands(&found, word);
    if (word[0] == '@' || attaches(before)) complete_paths(&found, before, "@", word);
    int used = 0;
    if (sscanf(before, "/%31s %n", name, &used) != 1) return found.strings;
    const struct command *command = command_find(name);
    const bool first = !before[used];
    char key[NAME_BYTES];
    if (!first && command && command->handler == command_set &&
        sscanf(before + used, "%31s", key) == 1)
        complete_words(&found, command_set_words(key), word);
    if (!command || (!first && command->completes != WITH_FILES)) return found.strings;
    complete_argument(&found, command, console, before, word);
    if (first && command->handler == help)
        for (size_t i = 0; i < COMMAND_COUNT; i++)
            candidates_push(&found, "", TABLE[i].names[0], word);
    if (first && command->handler == command_set)
        for (size_t i = 0; command_set_key(i); i++)
            candidates_push(&found, "", command_set_key(i), word);
    if (first && command->words) complete_words(&found, command->words, word);
    return found.strings;
}

// Where an unquoted file name that ends the line could begin: after the last @ that begins a word,
// or at the start of the argument. 0: nowhere.
static size_t name_start(const char *line) {
    for (size_t at = strlen(line); at-- > 0;)
        if (line[at] == '@' && (at == 0 || strchr(" \t\n(", line[at - 1]))) return at + 1;
    char name[NAME_BYTES];
    int used = 0;
    if (sscanf(line, "/%31s %n", name, &used) != 1) return 0;
    const struct command *command = command_find(name);
    return command && command->completes == WITH_FILES ? (size_t)used : 0;
}

char **commands_complete_name(void *user, const char *line, size_t *start) {
    (void)user;
    struct candidates found = {0};
    struct text name = {0};
    *start = name_start(line);
    const char *typed = line + *start;
    if (*start > 0 && typed[0] != '"' && strpbrk(typed, BLANKS) &&
        verbatim_plain(&name, typed, strlen(typed)) == STATUS_OK) {
        path_unquote(name.bytes);
        complete_paths(&found, "", "", name.bytes);
    }
    text_deinit(&name);
    return found.strings;
}

bool commands_text(size_t index, struct command_text *text) {
    if (index >= COMMAND_COUNT) return false;
    const struct command *command = &TABLE[index];
    *text = (struct command_text){command->names[0], command->usage, command->help};
    return true;
}

bool commands_key(size_t index, struct command_text *text) {
    if (index >= sizeof KEYS / sizeof KEYS[0]) return false;
    *text = (struct command_text){KEYS[index][0], "", KEYS[index][1]};
    return true;
}
