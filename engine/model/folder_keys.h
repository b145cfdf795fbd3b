// engine/model/folder_keys.h — the keys of a config.json that change no answer.
//
// What quire neither reads nor finds here is refused by name (folder_config.h).
#ifndef ENGINE_FOLDER_KEYS_H
#define ENGINE_FOLDER_KEYS_H

#include <stdbool.h>

bool folder_key_is_harmless(const char *key);

#endif
