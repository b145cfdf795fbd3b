#include "app/cli/subcommands.h"

#include <stdio.h>
#include <string.h>

#include "app/base/nearness.h"
#include "kernels/base/assert.h"

enum { NEAR_EDITS = 1, SHORTEST = 4 }; // every word is near to a short one

static const struct subcommand TABLE[COMMAND_COUNT] = {
    [COMMAND_CHAT] = {"", "[MODEL.gguf]", "chat", 1, COMPLETES_MODELS, NULL},
    [COMMAND_LIST] = {"list", "[QUERY]", "conversations, newest first; or by words", 1,
                      COMPLETES_NOTHING, NULL},
    [COMMAND_SHOW] = {"show", "ID|NAME", "what was said in one", 1, COMPLETES_CONVERSATIONS, NULL},
    [COMMAND_EXPORT] = {"export", "ID|NAME", "the same, to keep: Markdown, HTML, JSON", 1,
                        COMPLETES_CONVERSATIONS, NULL},
    [COMMAND_IMPORT] = {"import", "FILE.jsonl", "a conversation that export wrote", 1,
                        COMPLETES_FILES, NULL},
    [COMMAND_RM] = {"rm", "ID|NAME", "deletes one; forks keep what they share", 1,
                    COMPLETES_CONVERSATIONS, NULL},
    [COMMAND_BATCH] = {"batch", "FILE.jsonl", "many requests, one a line, as one batch", 1,
                       COMPLETES_FILES, NULL},
    [COMMAND_PULL] = {"pull", "hf:ORG/REPO[:TYPE|FILE]", "downloads a model, and verifies it", 1,
                      COMPLETES_NOTHING, NULL},
    [COMMAND_MODELS] = {"models", "[rm NAME]", "models on this machine; rm: deletes one", 2,
                        COMPLETES_WORDS, "rm"},
    [COMMAND_DOCTOR] = {"doctor", "", "is anything wrong here, and what mends it", 0,
                        COMPLETES_NOTHING, NULL},
    [COMMAND_INSPECT] = {"inspect", "MODEL", "what is in a model, and would it run here", 1,
                         COMPLETES_MODELS, NULL},
    [COMMAND_TOKENIZE] = {"tokenize", "[-m MODEL] < TEXT", "its tokens", 0, COMPLETES_NOTHING,
                          NULL},
    [COMMAND_TEMPLATE] = {"template", "FILE|MODEL < JSON", "what a chat template makes of it", 1,
                          COMPLETES_FILES, NULL},
    [COMMAND_BENCH] = {"bench", "[WHAT]", "how fast it is here", 2, COMPLETES_WORDS,
                       "decode|prefill|attention|swap|batch|kv"},
    [COMMAND_KV] = {"kv", "[check|drop]", "what is cached on the disk, and of what", 1,
                    COMPLETES_WORDS, "check|drop"},
};

const struct subcommand *subcommand_at(enum command command) {
    ASSERT(TABLE[command].name);
    return &TABLE[command];
}

const char *subcommand_hint(const char *word) {
    static const char *const HINTS[][2] = {
        {"run", "a model is chosen with -m: quire -m MODEL"},
        {"serve", "quire has no server; it talks to one with -m URL"},
        {"server", "quire has no server; it talks to one with -m URL"},
        {"chat", "quire alone opens the chat"},
        {"ask", "a question is asked with -p: quire -p \"TEXT\""},
        {"download", "quire pull hf:ORG/REPO downloads a model"},
        {"install", "quire pull hf:ORG/REPO downloads a model"},
        {"search", "quire list WORDS searches conversations"},
        {"history", "quire list has the conversations, quire show ID one of them"},
        {"resume", "quire -r ID opens a conversation, quire -C the latest"},
        {"delete", "quire rm ID deletes a conversation"},
        {"remove", "quire rm ID deletes a conversation"},
        {"ps", "quire kv has what is cached, quire models which models are here"},
        {"info", "quire inspect MODEL looks into a model"},
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
