#include "app/cli/subcommands.h"

#include <stdio.h>
#include <string.h>

#include "app/base/nearness.h"
#include "kernels/base/assert.h"

enum { NEAR_EDITS = 1, SHORTEST = 4 }; // every word is near to a short one

static const struct subcommand TABLE[COMMAND_COUNT] = {
    [COMMAND_CHAT] = {"", "[MODEL.gguf]", "chat with a model", 1, COMPLETES_MODELS, NULL},
    [COMMAND_LIST] = {"list", "[QUERY]", "list conversations, or search them", 1, COMPLETES_NOTHING,
                      NULL},
    [COMMAND_SHOW] = {"show", "ID|NAME", "print a conversation", 1, COMPLETES_CONVERSATIONS, NULL},
    [COMMAND_EXPORT] = {"export", "ID|NAME", "export one as Markdown, HTML or JSON", 1,
                        COMPLETES_CONVERSATIONS, NULL},
    [COMMAND_IMPORT] = {"import", "FILE.jsonl", "import an exported conversation", 1,
                        COMPLETES_FILES, NULL},
    [COMMAND_RM] = {"rm", "ID|NAME", "delete one; forks keep what they share", 1,
                    COMPLETES_CONVERSATIONS, NULL},
    [COMMAND_BATCH] = {"batch", "FILE.jsonl", "answer many requests, one per line", 1,
                       COMPLETES_FILES, NULL},
    [COMMAND_PULL] = {"pull", "hf:ORG/REPO[:TYPE|FILE]", "download a model and verify it", 1,
                      COMPLETES_NOTHING, NULL},
    [COMMAND_MODELS] = {"models", "[rm NAME]", "list models on this machine; rm: delete one", 2,
                        COMPLETES_WORDS, "rm"},
    [COMMAND_DOCTOR] = {"doctor", "", "find problems and say how to fix them", 0, COMPLETES_NOTHING,
                        NULL},
    [COMMAND_INSPECT] = {"inspect", "MODEL", "describe a model and check if it runs here", 1,
                         COMPLETES_MODELS, NULL},
    [COMMAND_TOKENIZE] = {"tokenize", "[-m MODEL] < TEXT", "split text into tokens", 0,
                          COMPLETES_NOTHING, NULL},
    [COMMAND_TEMPLATE] = {"template", "FILE|MODEL < JSON",
                          "print the prompt that a chat template makes", 1, COMPLETES_FILES, NULL},
    [COMMAND_BENCH] = {"bench", "[WHAT]", "measure the speed here", 2, COMPLETES_WORDS,
                       "decode|prefill|attention|swap|batch|kv"},
    [COMMAND_KV] = {"kv", "[check|drop]", "list, check or empty the disk cache", 1, COMPLETES_WORDS,
                    "check|drop"},
};

const struct subcommand *subcommand_at(enum command command) {
    ASSERT(TABLE[command].name);
    return &TABLE[command];
}

const char *subcommand_hint(const char *word) {
    static const char *const HINTS[][2] = {
        {"run", "to choose a model: quire -m MODEL"},
        {"serve", "quire is not a server; to use one: quire -m URL"},
        {"server", "quire is not a server; to use one: quire -m URL"},
        {"chat", "to open the chat: quire"},
        {"ask", "to ask a question: quire -p \"TEXT\""},
        {"download", "to download a model: quire pull hf:ORG/REPO"},
        {"install", "to download a model: quire pull hf:ORG/REPO"},
        {"search", "to search conversations: quire list WORDS"},
        {"history", "to list conversations: quire list; to print one: quire show ID"},
        {"resume", "to continue a conversation: quire -r ID; the latest: quire -C"},
        {"delete", "to delete a conversation: quire rm ID"},
        {"remove", "to delete a conversation: quire rm ID"},
        {"ps", "to see what is cached: quire kv; which models are here: quire models"},
        {"info", "to describe a model: quire inspect MODEL"},
    };
    for (size_t i = 0; i < sizeof HINTS / sizeof HINTS[0]; i++)
        if (strcmp(word, HINTS[i][0]) == 0) return HINTS[i][1];
    return NULL;
}

bool subcommand_find(const char *word, enum command *command) {
    if (strcmp(word, "ls") == 0) word = "list";
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (i == COMMAND_CHAT || strcmp(word, TABLE[i].name) != 0) continue;
        *command = (enum command)i;
        return true;
    }
    return false;
}

const char *subcommand_nearest(const char *word) {
    if (strpbrk(word, "./")) return NULL;
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strlen(TABLE[i].name) >= SHORTEST && nearness_edits(word, TABLE[i].name) <= NEAR_EDITS)
            return TABLE[i].name;
    return NULL;
}

const char *subcommand_describe(const struct subcommand *row, char text[SUBCOMMAND_TEXT_BYTES]) {
    size_t at = (size_t)snprintf(text, SUBCOMMAND_TEXT_BYTES, "%s", row->help);
    if (!row->words || strchr(row->operands, '|') || strstr(row->operands, row->words)) return text;
    const char *before = ": ";
    for (const char *word = row->words; *word; before = ", ") {
        const size_t length = strcspn(word, "|");
        at += (size_t)snprintf(text + at, SUBCOMMAND_TEXT_BYTES - at, "%s%.*s", before, (int)length,
                               word);
        ASSERT(at < SUBCOMMAND_TEXT_BYTES);
        word += length + (word[length] == '|');
    }
    return text;
}
