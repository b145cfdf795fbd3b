// app/chat/presets.h — named preambles: built-in ones, and the user's in ~/.config/quire/presets.
//
// Preset NAME is the file NAME.txt in the format of prompts/preamble.h; its first comment line
// describes it. A user's preset replaces a built-in one of the same name.
//
// Memory: lists are the caller's (free). Threads: no state.
#ifndef APP_PRESETS_H
#define APP_PRESETS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/text.h"

enum { PRESET_NAME_BYTES = 64, PRESET_ABOUT_BYTES = 121, PRESETS_MOST = 500 };

struct preset {
    char name[PRESET_NAME_BYTES];
    char about[PRESET_ABOUT_BYTES]; // its first comment, or ""
    bool own;                       // the user's, not built in
};

// `config_path` is the config file; the user's folder is next to it. BAD_INPUT: no such preset, or
// malformed; the error names file and line.
MUST_CHECK enum status preset_read(const char *config_path, const char *name, struct text *preamble,
                                   struct error *err);

// Ordered by name.
MUST_CHECK enum status presets_list(const char *config_path, struct preset **presets,
                                    size_t *count);

// Reads a preamble from any file. Outcomes as for preset_read().
MUST_CHECK enum status preset_read_file(const char *path, struct text *preamble, struct error *err);

#endif
