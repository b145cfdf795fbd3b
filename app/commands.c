#include "app/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/figures.h"
#include "app/terminal.h"

enum {
    NAME_BYTES = 32,
    NEAR_EDITS = 2,        // a name with more typing mistakes is not suggested
    COMPLETE_LIMIT = 1000, // conversations
};

struct command {
    const char *names[4]; // the first is the one that help shows
    const char *usage;    // after the name
    const char *help;
    command_handler *handler;
    const char *words; // first arguments, for completion, separated by spaces
    bool takes_conversation;
};

static command_handler help, save, quit;

static const struct command TABLE[] = {
    {{"help", "?"}, "[COMMAND]", "this list, or one command", help, "", false},
    {{"new", "clear"},
     "[NAME]",
     "starts afresh; the old conversation is kept",
     command_new,
     "",
     false},
    {{"list", "ls"},
     "[QUERY]",
     "conversations, newest first; or those with these words",
     command_list,
     "",
     false},
    {{"resume", "switch"},
     "[ID|NAME|-]",
     "goes to another one; - is the previous",
     command_resume,
     "-",
     true},
    {{"fork", "branch"},
     "[NAME|N|-]",
     "copies this one and goes there; N: before turn N",
     command_fork,
     "-",
     false},
    {{"rewind", "undo"},
     "[N]",
     "goes N turns back, the text into the editor",
     command_rewind,
     "",
     false},
    {{"regen", "retry"},
     "[K]",
     "another answer, or K at once; the old one is kept",
     command_regen,
     "",
     false},
    {{"alt"}, "[N]", "the answers to the last message, or number N", command_alt, "", false},
    {{"beam"}, "K", "another answer, the likeliest of K beams", command_beam, "", false},
    {{"continue"}, "", "goes on with a cut answer", command_continue, "", false},
    {{"ask"},
     "ID,ID… TEXT",
     "one message to several conversations at once",
     command_ask,
     "",
     false},
    {{"system"}, "[TEXT|@FILE]", "shows or sets the system prompt", command_system, "", false},
    {{"set"}, "[KEY VALUE]", "sampling and display settings", command_set, "", false},
    {{"show"},
     "[system|params|template|tokens]",
     "what the chat stands on",
     command_show,
     "system params template tokens",
     false},
    {{"stats"}, "", "the last turn in numbers", command_stats, "", false},
    {{"kv"}, "", "the cache: its pools, and who has what in them", command_kv, "", false},
    {{"name"}, "NAME", "names this conversation", command_name, "", false},
    {{"delete"},
     "ID",
     "deletes a conversation; forks keep what they share",
     command_delete,
     "",
     true},
    {{"strip"}, "ID", "drops what is cached of one, not its text", command_strip, "", true},
    {{"save"}, "", "nothing to do: every turn is saved", save, "", false},
    {{"quit", "exit", "bye"}, "", "leaves (also ^D)", quit, "", false},
};
enum { COMMAND_COUNT = sizeof TABLE / sizeof TABLE[0], NAMES_PER_COMMAND = 4 };

static const char *const KEYS[][2] = {
    {"^J, Alt-Enter", "a new line; so is Enter after \\, or between \"\"\" and \"\"\""},
    {"^C", "stops the answer; at the prompt, clears the line"},
    {"^R, ↑, ↓", "what was typed before; ^G opens $EDITOR"},
    {"//text", "sends a message that begins with one slash"},
};

static const struct command *command_find(const char *name) {
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        for (size_t j = 0; j < NAMES_PER_COMMAND && TABLE[i].names[j]; j++)
            if (strcmp(TABLE[i].names[j], name) == 0) return &TABLE[i];
    return NULL;
}

static size_t smallest(size_t a, size_t b, size_t c) {
    const size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

// How many letters must be changed, added or removed (Levenshtein). Both < NAME_BYTES.
static size_t edits(const char *a, const char *b) {
    size_t row[NAME_BYTES + 1];
    const size_t length = strlen(b);
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            const size_t above = row[j + 1];
            row[j + 1] = smallest(diagonal + (a[i] != b[j]), above + 1, row[j] + 1);
            diagonal = above;
        }
    }
    return row[length];
}

// The name that was probably meant, or NULL.
static const char *nearest(const char *name) {
    const char *best = NULL;
    size_t best_edits = NEAR_EDITS + 1;
    const size_t length = strlen(name);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        for (size_t j = 0; j < NAMES_PER_COMMAND && TABLE[i].names[j]; j++) {
            const char *candidate = TABLE[i].names[j];
            const bool begins = length >= 2 && strncmp(candidate, name, length) == 0;
            const size_t distance = begins ? 0 : edits(name, candidate);
            if (distance >= best_edits || distance >= strlen(candidate)) continue;
            best = candidate;
            best_edits = distance;
        }
    }
    return best;
}

static void say_unknown(const char *name) {
    const char *meant = strlen(name) < NAME_BYTES ? nearest(name) : NULL;
    if (meant)
        terminal_say(STYLE_ERROR, "no command /%.40s; did you mean /%s?\n", name, meant);
    else
        terminal_say(STYLE_ERROR, "no command /%.40s; /help lists them\n", name);
}

static void help_one(const struct command *command) {
    terminal_say(STYLE_BOLD, "/%s %s\n", command->names[0], command->usage);
    terminal_say(STYLE_PLAIN, "%s\n", command->help);
    for (size_t i = 1; i < NAMES_PER_COMMAND && command->names[i]; i++)
        terminal_say(STYLE_DIM, "%s/%s", i == 1 ? "also " : ", ", command->names[i]);
    terminal_say(STYLE_PLAIN, "%s", command->names[1] ? "\n\n" : "\n");
}

static void help_all(void) {
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        char left[64];
        const bool short_usage = strlen(TABLE[i].usage) < 16;
        snprintf(left, sizeof left, "/%s %s", TABLE[i].names[0],
                 short_usage ? TABLE[i].usage : "[WHAT]");
        terminal_say(STYLE_PLAIN, "%-22s", left);
        terminal_say(STYLE_DIM, "%s\n", TABLE[i].help);
    }
    terminal_say(STYLE_PLAIN, "\n");
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        struct text left = {0};
        if (text_fit(&left, KEYS[i][0], 22, true) == STATUS_OK)
            terminal_say(STYLE_PLAIN, "%s", text_string(&left));
        terminal_say(STYLE_DIM, "%s\n", KEYS[i][1]);
        text_deinit(&left);
    }
    terminal_say(STYLE_PLAIN, "\n");
}

static void help(struct console *console, const char *argument) {
    (void)console;
    if (argument[0] == '/') argument++;
    const struct command *command = command_find(argument);
    if (!argument[0])
        help_all();
    else if (command)
        help_one(command);
    else
        say_unknown(argument);
}

static void save(struct console *console, const char *argument) {
    (void)argument;
    if (console->saved)
        terminal_say(STYLE_DIM, "Everything is saved already.\n");
    else
        terminal_say(STYLE_DIM, "Nothing is saved in this chat (--no-save).\n");
}

static void quit(struct console *console, const char *argument) {
    (void)argument;
    console->leave = true;
}

bool command_number(const char *text, int64_t *number) {
    char *end;
    if (text[0] < '0' || text[0] > '9') return false;
    const long long value = strtoll(text, &end, 10);
    if (*end || value < 1) return false;
    *number = value;
    return true;
}

bool commands_is_command(const char *line) { return line[0] == '/' && line[1] != '/'; }

void commands_run(struct console *console, const char *line) {
    static const char blanks[] = " \t\n";
    const size_t name_length = strcspn(line + 1, blanks);
    const char *rest = line + 1 + name_length;
    rest += strspn(rest, blanks);
    size_t length = strlen(rest);
    while (length > 0 && strchr(blanks, rest[length - 1]))
        length--;
    char *name = strndup(line + 1, name_length), *argument = strndup(rest, length);
    const struct command *command = name ? command_find(name) : NULL;
    if (!name || !argument)
        terminal_say(STYLE_ERROR, "%s\n", status_text(STATUS_NO_MEMORY));
    else if (command)
        command->handler(console, argument);
    else
        say_unknown(name);
    free(name);
    free(argument);
}

struct candidates { // a NULL-terminated array that grows
    char **strings;
    size_t count, capacity;
};

static void candidates_push(struct candidates *candidates, const char *prefix, const char *string,
                            const char *word) {
    if (strncmp(word, prefix, strlen(prefix)) != 0) return;
    const size_t prefix_length = strlen(prefix), word_length = strlen(word);
    if (strncmp(string, word + prefix_length, word_length - prefix_length) != 0) return;
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
    if (conversation_list(console->db, "", COMPLETE_LIMIT, &rows, &count, &err) != STATUS_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        candidates_push(found, "", rows[i].conversation.id, word);
        if (rows[i].conversation.name[0])
            candidates_push(found, "", rows[i].conversation.name, word);
    }
    free(rows);
}

static void complete_words(struct candidates *found, const char *words, const char *word) {
    char one[NAME_BYTES];
    int used = 0;
    for (; sscanf(words, " %31[^ ]%n", one, &used) == 1; words += used)
        candidates_push(found, "", one, word);
}

char **commands_complete(void *console, const char *before, const char *word) {
    struct candidates found = {0};
    char name[NAME_BYTES] = "";
    if (!before[0]) {
        if (word[0] == '/') complete_commands(&found, word);
        return found.strings;
    }
    int used = 0;
    if (sscanf(before, "/%31s %n", name, &used) != 1 || before[used]) return NULL;
    const struct command *command = command_find(name);
    if (!command) return NULL;
    if (command->takes_conversation) complete_conversations(&found, console, word);
    if (command->handler == help)
        for (size_t i = 0; i < COMMAND_COUNT; i++)
            candidates_push(&found, "", TABLE[i].names[0], word);
    if (command->handler == command_set)
        for (size_t i = 0; command_set_key(i); i++)
            candidates_push(&found, "", command_set_key(i), word);
    complete_words(&found, command->words, word);
    return found.strings;
}
