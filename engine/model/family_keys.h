// engine/model/family_keys.h — does a family read a key that only some families have?
#ifndef ENGINE_FAMILY_KEYS_H
#define ENGINE_FAMILY_KEYS_H

#include <stdbool.h>

// How the experts of a mixture are weighed.
#define FAMILY_KEYS_ROUTED "expert_weights_scale, expert_weights_norm"

// Caps, scales, how experts are weighed and which layers are not rotated are read only by families
// that list them in `keys` (or NULL); every other key by all families.
bool family_keys_have(const char *keys, const char *key);

// Is the name one of "llama, mistral, mixtral"? NULL is the empty list.
bool family_keys_list(const char *list, const char *name);

#endif
