#include "app/help.h"

#include <string.h>

#include "app/options.h"

enum { WIDTH = 80, HELP_COLUMN = 29 };

static const char HEAD[] =
    "quire: chat with language models in the terminal, computed on this machine.\n"
    "\n"
    "  quire [OPTIONS] [MODEL.gguf]       chat\n"
    "  quire [OPTIONS] -p TEXT            answer once; piped stdin follows TEXT\n"
    "  quire batch FILE.jsonl             many requests, one a line, as one batch\n"
    "  quire list [QUERY]                 conversations, newest first\n"
    "  quire show|export|rm ID            one conversation\n"
    "  quire inspect MODEL.gguf           what is in a model file\n"
    "  quire tokenize [-m MODEL] < TEXT   its tokens\n"
    "  quire bench [decode|prefill|attention|swap|batch|kv]  how fast it is here\n"
    "  quire kv [check|drop]              what is cached on the disk, and of what\n";

static const char TAIL[] =
    "\n"
    "Every option can be set in the environment (--top-k is QUIRE_TOP_K) and in\n"
    "~/.config/quire/config (top-k = 20); an option wins, then the environment.\n"
    "QUIRE_HOME=DIR keeps configuration, conversations and cache in DIR.\n"
    "Exit: 0 done, 1 failure, 2 usage, 3 model or GPU can not be used, 4 does not\n"
    "fit the context, 5 no such conversation, 130 interrupted, 143 terminated.\n"
    "\n"
    "Examples:\n"
    "  quire -m Qwen3-0.6B-Q8_0.gguf\n"
    "  quire -p 'What is a quire of paper?'\n"
    "  git diff | quire -p 'Write a commit message for this.' --temp 0\n"
    "  quire -C -p 'Say it in one sentence.' --format json | jq -r .text\n"
    "  quire -r 3f2a --fork -f notes.txt -p 'And what do the notes say?'\n";

static void print_option(FILE *out, const struct option *option) {
    char left[96];
    const char letter[] = {'-', option->letter, ',', ' ', '\0'};
    const char *argument = option->argument ? option->argument : "";
    const bool joined = option->kind == OPTION_MAYBE_VALUE || !*argument;
    snprintf(left, sizeof left, "  %s--%s%s%s", option->letter ? letter : "    ", option->name,
             joined ? "" : " ", argument);
    const int length = (int)strlen(left);
    if (length + 1 < HELP_COLUMN)
        fprintf(out, "%-*s%s\n", HELP_COLUMN, left, option->help);
    else if (length + 2 + (int)strlen(option->help) <= WIDTH)
        fprintf(out, "%s  %s\n", left, option->help);
    else
        fprintf(out, "%s\n%*s%s\n", left, HELP_COLUMN, "", option->help);
}

void help_print(FILE *out) {
    fputs(HEAD, out);
    for (size_t i = 0; i < option_count(); i++) {
        const struct option *option = option_at(i);
        if (option->section) fprintf(out, "\n%s\n", option->section);
        print_option(out, option);
    }
    fputs(TAIL, out);
}

void version_print(FILE *out) { fputs("quire " QUIRE_VERSION "\n", out); }
