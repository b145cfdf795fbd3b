#include "app/cli/manual.h"

#include <stddef.h>

const char MANUAL_TITLE[] = "chat in the terminal with language models that run on this machine";

const struct manual_row MANUAL_EXAMPLES[] = {
    {"quire -m Qwen3-0.6B-Q8_0.gguf", "Chat with this model."},
    {"quire -p 'What is a quire of paper?'", "Get one answer from the demo model."},
    {"git diff | quire -p 'Write a commit message for this.' --temp 0",
     "Append piped input to the prompt; --temp 0 always takes the likeliest token."},
    {"quire -C -p 'Say it in one sentence.' --format json | jq -r .text",
     "Continue the latest conversation; print the answer and its figures as JSON."},
    {"quire -r 3f2a --fork -f notes.txt -p 'And what do the notes say?'",
     "Ask in a fork of a conversation, with a file attached."},
    {NULL, NULL},
};

const struct manual_row MANUAL_EXITS[] = {
    {"0", "done"},
    {"1", "failure"},
    {"2", "wrong usage"},
    {"3", "model or GPU cannot be used"},
    {"4", "does not fit the context"},
    {"5", "no such conversation"},
    {"130", "interrupted"},
    {"143", "terminated"},
    {NULL, NULL},
};

const struct manual_row MANUAL_FILES[] = {
    {"$XDG_CONFIG_HOME/quire/config", "Options, one per line: the long name, an equals sign and "
                                      "the value; # begins a comment (~/.config/quire/config)."},
    {"$XDG_DATA_HOME/quire/quire.db",
     "All conversations, in SQLite (~/.local/share/quire/quire.db)."},
    {"$XDG_CACHE_HOME/quire/kv",
     "Cached keys and values; safe to delete when quire is not running (~/.cache/quire/kv)."},
    {"$XDG_STATE_HOME/quire/history", "Input history (~/.local/state/quire/history)."},
    {NULL, NULL},
};
