#include "app/cli/completion.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/base/figures.h"
#include "app/base/printable.h"
#include "app/chat/presets.h"
#include "app/cli/options.h"
#include "app/screen/terminal.h"
#include "store/conversation.h"

enum { OFFERED_MOST = 200 };

// Readline splits "--opt=value" at the equals sign. A conversation's name may need quoting, or be
// quoted already.
static const char BASH[] =
    "# Completions of quire for bash, by `quire --completion bash`.\n"
    "_quire_paths() {\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen \"$@\" -- \"$cur\")\n"
    "}\n"
    "_quire() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} word quoted\n"
    "    COMPREPLY=()\n"
    "    [[ $cur != = ]] || cur=\n"
    "    while IFS=$'\\t' read -r word _; do\n"
    "        printf -v quoted %q \"$word\"\n"
    "        case $word in\n"
    "        :files) _quire_paths -f ;;\n"
    "        :folders) _quire_paths -d ;;\n"
    "        :models) _quire_paths -d; _quire_paths -f -X '!*.gguf' ;;\n"
    "        *)\n"
    "            if [[ $cur == [\\\"\\']* ]]; then\n"
    "                [[ $word != \"${cur:1}\"* ]] || COMPREPLY+=(\"$word\")\n"
    "            elif [[ $quoted == \"$cur\"* ]]; then\n"
    "                COMPREPLY+=(\"$quoted\")\n"
    "            fi\n"
    "            ;;\n"
    "        esac\n"
    "    done < <(\"${COMP_WORDS[0]}\" --complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _quire quire\n";

// In a file of $fpath this is the function itself; else the function must be called.
static const char ZSH[] =
    "#compdef quire\n"
    "# Completions of quire for zsh, by `quire --completion zsh`.\n"
    "_quire() {\n"
    "    local line\n"
    "    local -a found\n"
    "    for line in \"${(@f)$(_call_program quire ${(q)words[1]} --complete "
    "${(@q)words[2,CURRENT]} 2>/dev/null)}\"; do\n"
    "        case $line in\n"
    "        '') ;;\n"
    "        :files) compset -P '-*='; _files ;;\n"
    "        :models) compset -P '-*='; _files -g '*.gguf' ;;\n"
    "        :folders) compset -P '-*='; _files -/ ;;\n"
    "        *) found+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    _describe -V quire found\n"
    "}\n"
    "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
    "    _quire \"$@\"\n"
    "else\n"
    "    compdef _quire quire\n"
    "fi\n";

static const char FISH[] =
    "# Completions of quire for fish, by `quire --completion fish`.\n"
    "function __quire\n"
    "    set -l words (commandline -opc)\n"
    "    set -l quire $words[1]\n"
    "    set -e words[1]\n"
    "    set -l current (commandline -ct)\n"
    "    set -l option (string match -r -- '^-[^=]*=' \"$current\")\n"
    "    set -l path (string replace -r -- '^-[^=]*=' '' \"$current\")\n"
    "    for line in ($quire --complete $words \"$current\" 2>/dev/null)\n"
    "        switch $line\n"
    "            case :files\n"
    "                printf '%s\\n' \"$option\"(__fish_complete_path $path)\n"
    "            case :models\n"
    "                printf '%s\\n' \"$option\"(string match -r '.*(?:\\.gguf|/)(?:\\t.*)?$' -- "
    "(__fish_complete_path $path))\n"
    "            case :folders\n"
    "                printf '%s\\n' \"$option\"(__fish_complete_directories $path)\n"
    "            case '*'\n"
    "                printf '%s\\n' $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c quire -f -k -a '(__quire)'\n";

void completion_print(FILE *out, const char *shell) {
    fputs(strcmp(shell, "bash") == 0 ? BASH : strcmp(shell, "zsh") == 0 ? ZSH : FISH, out);
}

// ---- what to offer

// Names and previews come from people or models, and this goes to a terminal.
static void print_harmless(FILE *out, const char *text) {
    struct text harmless = {0};
    if (printable_text(text, strlen(text), &harmless) == STATUS_OK)
        fputs(text_string(&harmless), out);
    text_deinit(&harmless);
}

static void offer_conversation(FILE *out, const struct conversation_row *row, const char *before) {
    const struct conversation *conversation = &row->conversation;
    const char *title = conversation_row_title(row);
    char age[AGE_TEXT_BYTES];
    age_format(calendar_ms() - conversation->updated_ms, age);
    fprintf(out, "%s%s\t", before, conversation->id);
    print_harmless(out, title);
    fprintf(out, ", %s\n", age);
    if (!conversation->name[0]) return;
    fputs(before, out);
    print_harmless(out, conversation->name);
    fprintf(out, "\t%s, %s\n", conversation->id, age);
}

static void offer_conversations(FILE *out, const struct config *config, const char *before) {
    const char *path = text_string(&config->db_path);
    struct db *db = NULL;
    struct conversation_row *rows = NULL;
    size_t count = 0;
    struct error ignored;
    if (access(path, R_OK | W_OK) != 0 || db_open(path, &db, &ignored) != STATUS_OK) return;
    if (conversation_list(db, &(struct conversation_query){"", OFFERED_MOST, true}, &rows, &count,
                          &ignored) == STATUS_OK)
        for (size_t i = 0; i < count; i++)
            offer_conversation(out, &rows[i], before);
    free(rows);
    db_close(db);
}

static void offer_presets(FILE *out, const struct config *config, const char *before) {
    struct preset *presets = NULL;
    size_t count = 0;
    if (presets_list(text_string(&config->config_path), &presets, &count) != STATUS_OK) return;
    for (size_t i = 0; i < count; i++) {
        fputs(before, out);
        print_harmless(out, presets[i].name);
        fputc('\t', out);
        print_harmless(out, presets[i].about);
        fputc('\n', out);
    }
    free(presets);
}

static void offer_choice(FILE *out, const char *words, const char *before) {
    for (size_t length; *words; words += length + (words[length] == '|')) {
        length = strcspn(words, "|");
        fprintf(out, "%s%.*s\t\n", before, (int)length, words);
    }
}

// `before` is the typed start of the word: "--format=".
static void offer_value(FILE *out, enum completes completes, const char *words, const char *before,
                        const struct config *config) {
    switch (completes) {
    case COMPLETES_NOTHING:
        return;
    case COMPLETES_WORDS:
        return offer_choice(out, words, before);
    case COMPLETES_FILES:
        fputs(":files\n", out);
        return;
    case COMPLETES_MODELS:
        fputs(":models\n", out);
        return;
    case COMPLETES_FOLDERS:
        fputs(":folders\n", out);
        return;
    case COMPLETES_CONVERSATIONS:
        return offer_conversations(out, config, before);
    case COMPLETES_PRESETS:
        return offer_presets(out, config, before);
    }
}

static void offer_options(FILE *out, enum command command) {
    for (size_t i = 0; i < option_count(); i++) {
        const struct option *option = option_at(i);
        if (!(option->commands & 1u << command)) continue;
        if (option->letter) fprintf(out, "-%c\t%s\n", option->letter, option->help);
        fprintf(out, "--%s\t%s\n", option->name, option->help);
    }
}

static void offer_operand(FILE *out, enum command command, const struct config *config) {
    const struct subcommand *row = subcommand_at(command);
    for (int i = 0; i < COMMAND_COUNT && command == COMMAND_CHAT; i++)
        if (i != COMMAND_CHAT)
            fprintf(out, "%s\t%s\n", subcommand_at((enum command)i)->name,
                    subcommand_at((enum command)i)->help);
    offer_value(out, row->completes, row->words, "", config);
}

// ---- where the cursor is

// The option that a value can follow, in this word or in the next one; or NULL.
static const struct option *option_in(const char *word) {
    const struct option *option = NULL;
    if (word[0] == '-' && word[1] == '-')
        option = option_find(word + 2, strcspn(word + 2, "="));
    else if (word[0] == '-' && word[1] && !word[2])
        option = option_by_letter(word[1]);
    const bool takes = option && (option_takes_value(option) || option_may_take_word(option));
    return takes ? option : NULL;
}

// The first word that is neither an option nor an option's value.
static enum command command_in(char *const *words, int count) {
    enum command command = COMMAND_CHAT;
    for (int i = 0; i < count; i++)
        if ((i == 0 || !option_in(words[i - 1])) && subcommand_find(words[i], &command)) break;
    return command;
}

void completion_offer(FILE *out, char *const *words, int count, const struct config *config) {
    const char *current = count > 0 ? words[count - 1] : "", *equals = strchr(current, '=');
    char before[OPTION_TWIN_BYTES] = "";
    int at = count - 2; // the word before
    if (strcmp(current, "=") == 0)
        current = "";
    else if (at >= 0 && strcmp(words[at], "=") == 0)
        at--;
    const struct option *option = at >= 0 ? option_in(words[at]) : NULL;
    if (current[0] == '-' && equals) {
        option = option_in(current);
        snprintf(before, sizeof before, "%.*s", (int)(equals + 1 - current), current);
    } else if (option && option_may_take_word(option) && current[0] == '-') {
        option = NULL;
    }
    const enum command command = command_in(words, count - 1);
    if (option)
        offer_value(out, option_completes(option), option->argument, before, config);
    else if (current[0] == '-')
        offer_options(out, command);
    else
        offer_operand(out, command, config);
}
