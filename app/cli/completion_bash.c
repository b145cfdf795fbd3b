#include "app/cli/completion.h"
#include "app/cli/options.h"

// Readline cuts "--opt=value" at the equals sign, so the option may be two words back. A name of
// a conversation may need quoting, or be in quotes already.
static const char HEAD[] =
    "# Completions of quire for bash, by `quire --completion bash`.\n"
    "_quire_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"); }\n"
    "_quire_files() {\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"; compgen -f -X \"!*$1\" -- \"$cur\" |\n"
    "        while IFS= read -r word; do [[ -d $word ]] || printf '%s\\n' \"$word\"; done)\n"
    "}\n"
    "_quire_folders() {\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")\n"
    "}\n"
    "_quire_ask() {\n"
    "    local word quoted\n"
    "    while IFS=$'\\t' read -r word _; do\n"
    "        printf -v quoted %q \"$word\"\n"
    "        if [[ $cur == [\\\"\\']* ]]; then\n"
    "            [[ $word != \"${cur:1}\"* ]] || COMPREPLY+=(\"$word\")\n"
    "        elif [[ $quoted == \"$cur\"* ]]; then\n"
    "            COMPREPLY+=(\"$quoted\")\n"
    "        fi\n"
    "    done < <(\"${COMP_WORDS[0]}\" --complete \"$1\" 2>/dev/null)\n"
    "}\n"
    "_quire() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=chat i\n"
    "    COMPREPLY=()\n"
    "    if [[ $cur == = ]]; then\n"
    "        cur=\n"
    "    elif [[ $prev == = ]]; then\n"
    "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n";

static void put_value(FILE *out, enum completes completes, const char *words) {
    static const char *const CALLS[COMPLETES_COUNT] = {
        [COMPLETES_NOTHING] = ":",
        [COMPLETES_FILES] = "_quire_files ''",
        [COMPLETES_MODELS] = "_quire_files .gguf",
        [COMPLETES_FOLDERS] = "_quire_folders",
        [COMPLETES_CONVERSATIONS] = "_quire_ask conversations",
        [COMPLETES_PRESETS] = "_quire_ask presets",
    };
    if (completes != COMPLETES_WORDS) {
        fputs(CALLS[completes], out);
        return;
    }
    fputs("_quire_words '", out);
    completion_put_choice(out, words);
    fputc('\'', out);
}

// The first word that is neither an option nor an option's value.
static void put_search(FILE *out) {
    fputs("    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        case ${COMP_WORDS[i - 1]} in\n        ",
          out);
    completion_put_takers(out, " | ");
    fputs(") continue ;;\n"
          "        esac\n"
          "        case ${COMP_WORDS[i]} in\n        ",
          out);
    completion_put_commands(out, " | ");
    fputs(")\n"
          "            command=${COMP_WORDS[i]}\n"
          "            break\n"
          "            ;;\n"
          "        esac\n"
          "    done\n",
          out);
}

// Values of the option before; only an optional one leaves room for the next option.
static void put_values(FILE *out) {
    fputs("    case $prev in\n", out);
    for (size_t i = 0; i < option_count(); i++) {
        const struct option *option = option_at(i);
        if (!option->help || option->kind == OPTION_FLAG || option->kind == OPTION_MAYBE_VALUE)
            continue;
        fputs("    ", out);
        if (option->letter) fprintf(out, "-%c | ", option->letter);
        fprintf(out, "--%s) ", option->name);
        if (option_may_take_word(option)) fputs("[[ $cur == -* ]] || { ", out);
        put_value(out, option_completes(option), option->argument);
        fputs(option_may_take_word(option) ? "; return; } ;;\n" : "; return ;;\n", out);
    }
    fputs("    esac\n", out);
}

static void put_options(FILE *out) {
    fputs("    if [[ $cur == -* ]]; then\n        case $command in\n", out);
    for (int command = 0; command < COMMAND_COUNT; command++) {
        const char *name = subcommand_at((enum command)command)->name;
        fprintf(out, "        %s) _quire_words '", *name ? name : "chat");
        for (size_t i = 0; i < option_count(); i++) {
            const struct option *option = option_at(i);
            if (option->help && option->commands & 1u << command)
                fprintf(out, "--%s ", option->name);
        }
        fputs("' ;;\n", out);
    }
    fputs("        esac\n        return\n    fi\n", out);
}

static void put_operands(FILE *out) {
    fputs("    case $command in\n", out);
    for (int command = 0; command < COMMAND_COUNT; command++) {
        const struct subcommand *row = subcommand_at((enum command)command);
        fprintf(out, "    %s) ", *row->name ? row->name : "chat");
        put_value(out, row->completes, row->words);
        if (command == COMMAND_CHAT) {
            fputs("\n        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W '", out);
            completion_put_commands(out, " ");
            fputs("' -- \"$cur\")", out);
        }
        fputs(" ;;\n", out);
    }
    fputs("    esac\n}\ncomplete -F _quire quire\n", out);
}

void completion_print_bash(FILE *out) {
    fputs(HEAD, out);
    put_search(out);
    put_values(out);
    put_options(out);
    put_operands(out);
}
