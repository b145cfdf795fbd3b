#include "app/cli/completion.h"
#include "app/cli/options.h"

static const char HEAD[] =
    "# Completions of quire for fish, by `quire --completion fish`.\n"
    "function __quire_ask\n"
    "    set -l words (commandline -opc)\n"
    "    $words[1] --complete $argv[1] 2>/dev/null\n"
    "end\n"
    "function __quire_models\n"
    "    set -l path (string replace -r '^-[^=]*=' '' -- (commandline -ct))\n"
    "    string match -r '.*(?:\\.gguf|/)(?:\\t.*)?$' -- (__fish_complete_path $path)\n"
    "end\n";

static const char IS[] = "function __quire_is\n"
                         "    contains -- (__quire_command) $argv\n"
                         "end\n"
                         "complete -c quire -f\n";

static void put_quoted(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
}

// The first word that is neither an option nor an option's value; else "chat".
static void put_search(FILE *out) {
    fputs("function __quire_command\n"
          "    set -l skip 0\n"
          "    for word in (commandline -opc)[2..-1]\n"
          "        if test $skip = 1\n"
          "            set skip 0\n"
          "            continue\n"
          "        end\n"
          "        switch $word\n"
          "            case ",
          out);
    completion_put_takers(out, " ");
    fputs("\n"
          "                set skip 1\n"
          "            case ",
          out);
    completion_put_commands(out, " ");
    fputs("\n"
          "                echo $word\n"
          "                return\n"
          "        end\n"
          "    end\n"
          "    echo chat\n"
          "end\n",
          out);
}

// The options of `complete` that say what a value can be.
static void put_value(FILE *out, enum completes completes, const char *words) {
    static const char *const VALUES[COMPLETES_COUNT] = {
        [COMPLETES_NOTHING] = "",
        [COMPLETES_FILES] = " -F",
        [COMPLETES_MODELS] = " -a '(__quire_models)'",
        [COMPLETES_FOLDERS] = " -a '(__fish_complete_directories)'",
        [COMPLETES_CONVERSATIONS] = " -k -a '(__quire_ask conversations)'",
        [COMPLETES_PRESETS] = " -k -a '(__quire_ask presets)'",
    };
    if (completes != COMPLETES_WORDS) {
        fputs(VALUES[completes], out);
        return;
    }
    fputs(" -a '", out);
    completion_put_choice(out, words);
    fputc('\'', out);
}

static void put_option(FILE *out, const struct option *option) {
    fputs("complete -c quire -n '__quire_is", out);
    for (int command = 0; command < COMMAND_COUNT; command++) {
        const char *name = subcommand_at((enum command)command)->name;
        if (option->commands & 1u << command) fprintf(out, " %s", *name ? name : "chat");
    }
    fprintf(out, "' -l %s", option->name);
    if (option->letter) fprintf(out, " -s %c", option->letter);
    if (option->kind != OPTION_FLAG && option->kind != OPTION_MAYBE_VALUE) {
        fputs(option_completes(option) == COMPLETES_FILES ? " -r" : " -x", out);
        put_value(out, option_completes(option), option->argument);
    }
    fputs(" -d '", out);
    put_quoted(out, option->help);
    fputs("'\n", out);
}

static void put_command(FILE *out, enum command command) {
    const struct subcommand *row = subcommand_at(command);
    if (command != COMMAND_CHAT) {
        fprintf(out, "complete -c quire -n '__quire_is chat' -a %s -d '", row->name);
        put_quoted(out, row->help);
        fputs("'\n", out);
    }
    if (row->completes == COMPLETES_NOTHING) return;
    fprintf(out, "complete -c quire -n '__quire_is %s'", *row->name ? row->name : "chat");
    put_value(out, row->completes, row->words);
    fputc('\n', out);
}

void completion_print_fish(FILE *out) {
    fputs(HEAD, out);
    put_search(out);
    fputs(IS, out);
    for (int command = 0; command < COMMAND_COUNT; command++)
        put_command(out, (enum command)command);
    for (size_t i = 0; i < option_count(); i++)
        if (option_at(i)->help) put_option(out, option_at(i));
}
