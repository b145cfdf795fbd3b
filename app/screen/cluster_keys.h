// app/screen/cluster_keys.h — keys that move, delete, swap and change case by visible characters.
//
// Readline's own commands work on code points: Backspace would remove the girl from a picture of a
// family. These replace them on all keys they are bound to, in the Emacs and vi insertion keymaps.
#ifndef APP_CLUSTER_KEYS_H
#define APP_CLUSTER_KEYS_H

void cluster_keys_bind(void); // after rl_initialize() and all other bindings

#endif
