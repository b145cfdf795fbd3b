#include "app/cli/manual.h"

#include <stddef.h>

const char MANUAL_TITLE[] = "chat with language models in the terminal, computed on this machine";

const struct manual_row MANUAL_EXAMPLES[] = {
    {"quire -m Qwen3-0.6B-Q8_0.gguf", "A chat with this model."},
    {"quire -p 'What is a quire of paper?'", "One answer, of the demo model."},
    {"git diff | quire -p 'Write a commit message for this.' --temp 0",
     "What comes through the pipe follows the prompt; the answer is the likeliest."},
    {"quire -C -p 'Say it in one sentence.' --format json | jq -r .text",
     "Goes on with the latest conversation; the answer with its figures, as JSON."},
    {"quire -r 3f2a --fork -f notes.txt -p 'And what do the notes say?'",
     "Asks in a fork of a conversation, with a file."},
    {NULL, NULL},
};

const struct manual_row MANUAL_EXITS[] = {
    {"0", "done"},
    {"1", "failure"},
    {"2", "usage"},
    {"3", "model or GPU cannot be used"},
    {"4", "does not fit the context"},
    {"5", "no such conversation"},
    {"130", "interrupted"},
    {"143", "terminated"},
    {NULL, NULL},
};

const struct manual_row MANUAL_FILES[] = {
    {"$XDG_CONFIG_HOME/quire/config",
     "Options, one a line, as the long name, an equals sign and the value; # begins a comment "
     "(~/.config/quire/config)."},
    {"$XDG_DATA_HOME/quire/quire.db",
     "All conversations, in SQLite (~/.local/share/quire/quire.db)."},
    {"$XDG_CACHE_HOME/quire/kv",
     "Cached keys and values; safe to delete while no quire runs (~/.cache/quire/kv)."},
    {"$XDG_STATE_HOME/quire/history", "What was typed (~/.local/state/quire/history)."},
    {NULL, NULL},
};
