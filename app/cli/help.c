#include "app/cli/help.h"

#include <string.h>

#include "app/cli/manual.h"
#include "app/cli/options.h"
#include "app/cli/subcommands.h"

enum { WIDTH = 80, OPTION_COLUMN = 29, COMMAND_COLUMN = 37, LEFT_BYTES = 112 };

static const char SOURCES[] =
    "\n"
    "Every option can also be set in the environment (--top-k is QUIRE_TOP_K) and in\n"
    "~/.config/quire/config (top-k = 20). The command line wins, then the\n"
    "environment, then the file. QUIRE_HOME=DIR keeps configuration, conversations\n"
    "and cache in DIR.\n";

// Prints words in lines that begin at `column`, where the cursor already is.
static void print_words(FILE *out, int column, const char *text) {
    int at = column;
    for (int length; *text; text += length + (text[length] == ' ')) {
        length = (int)strcspn(text, " ");
        if (at > column && at + 1 + length > WIDTH)
            at = fprintf(out, "\n%*s", column, "") - 1;
        else if (at > column)
            at += fprintf(out, " ");
        at += fprintf(out, "%.*s", length, text);
    }
    fprintf(out, "\n");
}

// Prints `right` in its column, next to `left` if there is space, else below it.
static void print_pair(FILE *out, const char *left, int column, const char *right) {
    const int length = (int)strlen(left);
    if (length >= column && length + 2 + (int)strlen(right) <= WIDTH) {
        fprintf(out, "%s  %s\n", left, right);
        return;
    }
    if (length < column)
        fprintf(out, "%-*s", column, left);
    else
        fprintf(out, "%s\n%*s", left, column, "");
    print_words(out, column, right);
}

static void print_commands(FILE *out) {
    char left[LEFT_BYTES], text[SUBCOMMAND_TEXT_BYTES];
    snprintf(left, sizeof left, "  quire [OPTIONS] %s", subcommand_at(COMMAND_CHAT)->operands);
    print_pair(out, left, COMMAND_COLUMN, subcommand_at(COMMAND_CHAT)->help);
    print_pair(out, "  quire [OPTIONS] -p TEXT", COMMAND_COLUMN,
               "answer once; piped stdin follows TEXT");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct subcommand *row = subcommand_at((enum command)i);
        if (i == COMMAND_CHAT) continue;
        snprintf(left, sizeof left, "  quire %s %s", row->name, row->operands);
        print_pair(out, left, COMMAND_COLUMN, subcommand_describe(row, text));
    }
}

static void print_option(FILE *out, const struct option *option) {
    char left[LEFT_BYTES];
    const char letter[] = {'-', option->letter, ',', ' ', '\0'};
    const char *argument = option->argument ? option->argument : "";
    const bool joined = option->kind == OPTION_MAYBE_VALUE || !*argument;
    snprintf(left, sizeof left, "  %s--%s%s%s", option->letter ? letter : "    ", option->name,
             joined ? "" : " ", argument);
    print_pair(out, left, OPTION_COLUMN, option->help);
}

// "Exit: 0 done, 1 failure, …", on as many lines as necessary.
static void print_exits(FILE *out) {
    char item[LEFT_BYTES];
    int column = fprintf(out, "Exit:");
    for (const struct manual_row *row = MANUAL_EXITS; row->what; row++) {
        const int length = snprintf(item, sizeof item, " %s %s%s", row->what, row->meaning,
                                    row[1].what ? "," : ".");
        if (column + length > WIDTH) column = fprintf(out, "\n") - 1;
        column += fprintf(out, "%s", item + (column == 0));
    }
    fprintf(out, "\n");
}

void help_print(FILE *out) {
    fprintf(out, "quire: %s.\n\n", MANUAL_TITLE);
    print_commands(out);
    for (size_t i = 0; i < option_count(); i++) {
        const struct option *option = option_at(i);
        if (option->section) fprintf(out, "\n%s\n", option->section);
        print_option(out, option);
    }
    fputs(SOURCES, out);
    print_exits(out);
    fputs("\nExamples:\n", out);
    for (const struct manual_row *row = MANUAL_EXAMPLES; row->what; row++)
        fprintf(out, "  %s\n", row->what);
}

static void print_command(FILE *out, enum command command) {
    const struct subcommand *row = subcommand_at(command);
    char text[SUBCOMMAND_TEXT_BYTES];
    fprintf(out, "quire %s %s\n  %s\n\n", row->name, row->operands, subcommand_describe(row, text));
    for (size_t i = 0; i < option_count(); i++)
        if (option_at(i)->commands & 1u << command) print_option(out, option_at(i));
}

bool help_print_topic(FILE *out, const char *topic) {
    const size_t dashes = strspn(topic, "-");
    const struct option *option = option_find(topic + dashes, strlen(topic + dashes));
    enum command command;
    const bool is_command = dashes == 0 && subcommand_find(topic, &command);
    if (is_command)
        print_command(out, command);
    else if (option)
        print_option(out, option);
    return is_command || option;
}

void version_print(FILE *out) { fputs("quire " QUIRE_VERSION "\n", out); }
