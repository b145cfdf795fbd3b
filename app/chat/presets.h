// app/chat/presets.h — preambles by name: quire's own, and the person's in ~/.config/quire/presets.
//
// A preset NAME is the file NAME.txt, which prompts/preamble.h reads; its first comment line says
// what it is for. The person's own comes before quire's of the same name.
//
// Memory: lists are the caller's (free). No threads.
#ifndef APP_PRESETS_H
#define APP_PRESETS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/text.h"

enum { PRESET_NAME_BYTES = 64, PRESET_ABOUT_BYTES = 121, PRESETS_MOST = 500 };

struct preset {
    char name[PRESET_NAME_BYTES];
    char about[PRESET_ABOUT_BYTES]; // its comment, or ""
    bool own;                       // the person's
};

// `config_path` is the config file; the person's folder is next to it. BAD_INPUT: there is no such
// preset, or it is malformed: with file and line.
MUST_CHECK enum status preset_read(const char *config_path, const char *name, struct text *preamble,
                                   struct error *err);

// By name.
MUST_CHECK enum status presets_list(const char *config_path, struct preset **presets,
                                    size_t *count);

// A preamble from any file, as preset_read().
MUST_CHECK enum status preset_read_file(const char *path, struct text *preamble, struct error *err);

#endif
