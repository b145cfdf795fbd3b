#include <string.h>

#include "app/cli/completion.h"
#include "app/cli/options.h"

static const char HEAD[] =
    "#compdef quire\n"
    "# Completions of quire for zsh, by `quire --completion zsh`.\n"
    "_quire_ask() {\n"
    "    local -a found\n"
    "    local line\n"
    "    for line in \"${(@f)$(_call_program $1 ${(q)words[1]} --complete $1 "
    "2>/dev/null)}\"; do\n"
    "        [[ -z $line ]] || found+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
    "    done\n"
    "    _describe -V $1 found\n"
    "}\n"
    "_quire_conversations() { _quire_ask conversations }\n"
    "_quire_presets() { _quire_ask presets }\n";

// In single quotes, within which a bracket would end the explanation.
static void put_quoted(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

// ":message:action"
static void put_action(FILE *out, const char *message, enum completes completes,
                       const char *words) {
    static const char *const ACTIONS[COMPLETES_COUNT] = {
        [COMPLETES_NOTHING] = " ",
        [COMPLETES_FILES] = "_files",
        [COMPLETES_MODELS] = "_files -g \"*.gguf\"",
        [COMPLETES_FOLDERS] = "_files -/",
        [COMPLETES_CONVERSATIONS] = "_quire_conversations",
        [COMPLETES_PRESETS] = "_quire_presets",
    };
    fputc(':', out);
    put_quoted(out, message);
    fputc(':', out);
    if (completes != COMPLETES_WORDS) {
        fputs(ACTIONS[completes], out);
        return;
    }
    fputc('(', out);
    completion_put_choice(out, words);
    fputc(')', out);
}

// How _arguments wants to know whether, and where, there is a value.
static const char *value_mark(const struct option *option, bool letter) {
    switch (option->kind) {
    case OPTION_FLAG:
        return "";
    case OPTION_MAYBE_VALUE:
        return "=-";
    case OPTION_MAYBE_WORD:
    case OPTION_MAYBE_CHOICE:
    case OPTION_TEXT:
    case OPTION_LIST:
    case OPTION_CHOICE:
    case OPTION_WHOLE:
    case OPTION_WHOLES:
    case OPTION_NUMBER:
    case OPTION_SEED:
    case OPTION_BYTES:
        return letter ? "+" : "=";
    }
    return "";
}

// One word for _arguments: '(-m --model)--model=[help]:FILE:_files'
static void put_spec(FILE *out, const struct option *option, bool letter) {
    fputs(" '", out);
    if (option->kind == OPTION_LIST)
        fputc('*', out);
    else if (option->letter)
        fprintf(out, "(-%c --%s)", option->letter, option->name);
    if (letter)
        fprintf(out, "-%c", option->letter);
    else
        fprintf(out, "--%s", option->name);
    fprintf(out, "%s[", value_mark(option, letter));
    put_quoted(out, option->help);
    fputc(']', out);
    if (option->kind != OPTION_FLAG) {
        if (option_may_take_word(option) || option->kind == OPTION_MAYBE_VALUE) fputc(':', out);
        put_action(out,
                   option_completes(option) == COMPLETES_WORDS ? option->name : option->argument,
                   option_completes(option), option->argument);
    }
    fputc('\'', out);
}

static void put_option(FILE *out, const struct option *option) {
    fputs("    [[ $command == (", out);
    for (int command = 0, put = 0; command < COMMAND_COUNT; command++) {
        const char *name = subcommand_at((enum command)command)->name;
        if (option->commands & 1u << command)
            fprintf(out, "%s%s", put++ ? "|" : "", *name ? name : "chat");
    }
    fputs(") ]] && specs+=(", out);
    if (option->letter) put_spec(out, option, true);
    put_spec(out, option, false);
    fputs(" )\n", out);
}

static void put_search(FILE *out) {
    fputs("_quire() {\n"
          "    local command=chat i\n"
          "    local -a specs\n"
          "    for ((i = 2; i < CURRENT; i++)); do\n"
          "        [[ ${words[i-1]} == (",
          out);
    completion_put_takers(out, "|");
    fputs(") ]] && continue\n"
          "        [[ ${words[i]} == (",
          out);
    completion_put_commands(out, "|");
    fputs(") ]] && command=${words[i]} && break\n"
          "    done\n",
          out);
}

// The word where a command can be, and after it what the command takes.
static void put_operands(FILE *out) {
    fputs("    case $command in\n    chat) specs+=( '1: :_quire_first' ) ;;\n", out);
    for (int command = 0; command < COMMAND_COUNT; command++) {
        const struct subcommand *row = subcommand_at((enum command)command);
        if (command == COMMAND_CHAT) continue;
        fprintf(out, "    %s) specs+=( '1: : '", row->name);
        if (row->most > 0) {
            fputs(" '*", out);
            put_action(out, row->operands, row->completes, row->words);
            fputc('\'', out);
        }
        fputs(" ) ;;\n", out);
    }
    fputs("    esac\n    _arguments -s -S $specs\n}\n", out);
}

static void put_first(FILE *out) {
    fputs("_quire_first() {\n    local -a commands\n    commands=(\n", out);
    for (int command = 0; command < COMMAND_COUNT; command++) {
        const struct subcommand *row = subcommand_at((enum command)command);
        if (command == COMMAND_CHAT) continue;
        fprintf(out, "        '%s:", row->name);
        put_quoted(out, row->help);
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    _describe command commands\n"
          "    _files -g '*.gguf'\n"
          "}\n",
          out);
}

void completion_print_zsh(FILE *out) {
    fputs(HEAD, out);
    put_first(out);
    put_search(out);
    for (size_t i = 0; i < option_count(); i++)
        if (option_at(i)->help) put_option(out, option_at(i));
    put_operands(out);
    // Read from a file in $fpath it is the function itself; else it is to be called.
    fputs("if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
          "    _quire \"$@\"\n"
          "else\n"
          "    compdef _quire quire\n"
          "fi\n",
          out);
}
