// app/screen/cluster_keys.h — the keys that move, delete, swap and change case, by characters as a
// person sees them.
//
// Readline's own commands go by code points: of a family of three, Backspace would take a girl.
// These take their place on whatever keys they are, in the maps of Emacs and of vi's insertion.
#ifndef APP_CLUSTER_KEYS_H
#define APP_CLUSTER_KEYS_H

void cluster_keys_bind(void); // after rl_initialize(), and after the keys of others

#endif
