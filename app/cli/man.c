#include "app/cli/man.h"

#include <string.h>

#include "app/cli/manual.h"
#include "app/cli/options.h"
#include "app/console/commands.h"
#include "kernels/base/text.h"

static const char DESCRIPTION[] =
    ".Sh DESCRIPTION\n.Nm\nopens a chat, or with\n.Fl p\nprints one answer.\nIt runs the model "
    "itself,\non the CPU or on an NVIDIA GPU.\nEvery turn is saved the moment it ends,\nand every "
    "conversation can be resumed and forked.\n.Pp\nStandard output has only the answer;\nprogress, "
    "figures and warnings go to standard error.\nIf standard input is not a terminal, its text is "
    "the prompt;\nwith\n.Fl p\nit follows the prompt after an empty line.\n.Pp\nThe first word "
    "that is not an option can be a command:\n";

static const char CHAT[] = ".Sh IN THE CHAT\n"
                           "A line that begins with a slash is a command.\n"
                           "The first four characters of an id are enough.\n";

static const char ENVIRONMENT[] =
    ".Sh ENVIRONMENT\n"
    "Every option has an environment variable:\n"
    ".Fl \\-top\\-k\n"
    "is\n"
    ".Ev QUIRE_TOP_K .\n"
    "An option on the command line wins, then the environment, then the config file.\n"
    "A variable that begins with QUIRE_ and is unknown is ignored with a warning.\n"
    ".Bl -tag -width Ds\n"
    ".It Ev QUIRE_HOME\n"
    "The folder for configuration, conversations, cache and history,\n"
    "instead of the four below.\n"
    ".It Ev QUIRE_MODELS\n"
    "Folders to look for models in, separated by colons.\n"
    ".It Ev QUIRE_API_KEY\n"
    "The key of a model on a server, unless\n"
    ".Fl \\-key\\-from\n"
    "says otherwise.\n"
    ".It Ev QUIRE_ISA\n"
    "The instruction set that a processor computes with, instead of the best it has:\n"
    "amx, avx512, avxvnni, avx2 or generic.\n"
    ".It Ev NO_COLOR\n"
    "If set and not empty, turns colors off.\n"
    ".It Ev VISUAL , EDITOR\n"
    "The editor that ^G opens.\n"
    ".El\n";

enum { ELLIPSIS = 0x2026 };

// Escapes text for the formatter: backslashes, hyphens that mean minus, and everything beyond
// ASCII. An ellipsis becomes three dots, which every locale has.
static void put_bytes(FILE *out, const char *text, size_t length) {
    for (size_t at = 0, used; at < length; at += used) {
        const uint32_t code_point = utf8_decode(text + at, length - at, &used);
        if (code_point == ELLIPSIS)
            fputs("\\&...", out);
        else if (code_point >= 0x80)
            fprintf(out, "\\[u%04X]", (unsigned)code_point);
        else if (code_point == '\\')
            fputs("\\e", out);
        else if (code_point == '-')
            fputs("\\-", out);
        else if (code_point == '"')
            fputs("\\(dq", out);
        else if (code_point == '\'')
            fputs("\\(aq", out);
        else
            fputc((int)code_point, out);
    }
}

static void put_escaped(FILE *out, const char *text) { put_bytes(out, text, strlen(text)); }

// Prints words in short lines and starts a new line for each sentence. A line must not begin with a
// dot, which would make it a macro.
static void put_text(FILE *out, const char *text) {
    enum { LINE_BYTES = 60 };
    size_t column = 0;
    for (size_t length; *text; text += length + (text[length] == ' ')) {
        length = strcspn(text, " ");
        if (column == 0 && *text == '.') fputs("\\&", out);
        put_bytes(out, text, length);
        column += length + 1;
        const bool ends = column > LINE_BYTES || (length && text[length - 1] == '.');
        fputc(ends || !text[length] ? '\n' : ' ', out);
        if (ends) column = 0;
    }
}

// Prints the line unchanged, but protects a leading dot, which would make it a macro.
static void put_line(FILE *out, const char *text) {
    if (*text == '.') fputs("\\&", out);
    put_escaped(out, text);
    fputc('\n', out);
}

// `text` as one argument of a macro.
static void put_argument(FILE *out, const char *text) {
    fputs(" \"", out);
    if (*text && strchr(".,:;()[]?!|", *text)) fputs("\\&", out);
    put_escaped(out, text);
    fputc('"', out);
}

static void put_commands(FILE *out) {
    char text[SUBCOMMAND_TEXT_BYTES];
    fputs(".Bl -tag -width Ds\n", out);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct subcommand *row = subcommand_at((enum command)i);
        if (i == COMMAND_CHAT) continue;
        fprintf(out, ".It Cm %s", row->name);
        if (*row->operands) {
            fputs(" Ar", out);
            put_argument(out, row->operands);
        }
        fputc('\n', out);
        put_text(out, subcommand_describe(row, text));
    }
    fputs(".El\n", out);
}

static void put_option(FILE *out, const struct option *option) {
    fputs(".It", out);
    if (option->letter) fprintf(out, " Fl %c ,", option->letter);
    fputs(" Fl \\-", out);
    put_escaped(out, option->name);
    if (option->argument) {
        fputs(option->kind == OPTION_MAYBE_VALUE ? " Ns Ar" : " Ar", out);
        put_argument(out, option->argument);
    }
    fputc('\n', out);
    put_text(out, option->help);
}

static void put_options(FILE *out) {
    bool open = false;
    fputs(".Sh OPTIONS\n", out);
    for (size_t i = 0; i < option_count(); i++) {
        const struct option *option = option_at(i);
        if (option->section) {
            fprintf(out, "%s.Ss %s\n.Bl -tag -width Ds\n", open ? ".El\n" : "", option->section);
            open = true;
        }
        put_option(out, option);
    }
    fputs(".El\n", out);
}

static void put_chat(FILE *out) {
    struct command_text text;
    fputs(CHAT, out);
    fputs(".Bl -tag -width Ds\n", out);
    for (size_t i = 0; commands_text(i, &text); i++) {
        fprintf(out, ".It Ic /%s", text.name);
        if (*text.usage) {
            fputs(" Ar", out);
            put_argument(out, text.usage);
        }
        fputc('\n', out);
        put_text(out, text.help);
    }
    fputs(".El\n.Pp\nKeys:\n.Bl -tag -width Ds\n", out);
    for (size_t i = 0; commands_key(i, &text); i++) {
        fputs(".It", out);
        put_argument(out, text.name);
        fputc('\n', out);
        put_text(out, text.help);
    }
    fputs(".El\n", out);
}

static void put_rows(FILE *out, const char *macro, const struct manual_row *rows) {
    fputs(".Bl -tag -width Ds\n", out);
    for (; rows->what; rows++) {
        fprintf(out, ".It%s", macro);
        put_argument(out, rows->what);
        fputc('\n', out);
        put_text(out, rows->meaning);
    }
    fputs(".El\n", out);
}

static void put_examples(FILE *out) {
    fputs(".Sh EXAMPLES\n", out);
    for (const struct manual_row *row = MANUAL_EXAMPLES; row->what; row++) {
        put_text(out, row->meaning);
        fputs(".Bd -literal -offset indent\n", out);
        put_line(out, row->what);
        fputs(row[1].what ? ".Ed\n.Pp\n" : ".Ed\n", out);
    }
}

void man_print(FILE *out) {
    fprintf(out, ".Dd %s\n.Dt QUIRE 1\n.Os\n.Sh NAME\n.Nm quire\n.Nd %s\n", QUIRE_DATE,
            MANUAL_TITLE);
    fputs(".Sh SYNOPSIS\n.Nm\n.Op Ar options\n.Op Ar MODEL.gguf\n"
          ".Nm\n.Op Ar options\n.Fl p Ar TEXT\n"
          ".Nm\n.Ar command\n.Op Ar options\n.Op Ar word\n",
          out);
    fputs(DESCRIPTION, out);
    put_commands(out);
    put_options(out);
    put_chat(out);
    fputs(ENVIRONMENT, out);
    fputs(".Sh FILES\n", out);
    put_rows(out, " Pa", MANUAL_FILES);
    fputs(".Pp\nFolders are created with mode 0700, files with 0600.\n.Sh EXIT STATUS\n", out);
    put_rows(out, "", MANUAL_EXITS);
    put_examples(out);
    fputs(".Sh SEE ALSO\n"
          "In a chat, /help explains each command with an example.\n"
          "README.md, installed in share/doc/quire, leads through the first five minutes.\n",
          out);
}
