// app/screen/history_search.h — ^R: which history entry contains these words?
//
//   (reverse-i-search)`rai': What is rain?
//
// Searches incrementally as you type, ignoring case unless you type a capital letter. ^R finds an
// older entry, ^S a newer one, Backspace deletes a character. The line being edited stays unchanged
// until the search ends; then the caller replaces it. ^G, ^C, and a search without a match end with
// no entry.
//
//   off ──begin──► on ──press──► on … ──end──► off
//
// There is one per process, like Readline's history. Memory: owned. Threads: the UI's.
#ifndef APP_HISTORY_SEARCH_H
#define APP_HISTORY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "app/screen/keys.h"

void history_search_begin(bool newer); // direction; while it is on: next entry that way
bool history_search_is_on(void);

enum history_search_answer { SEARCH_CONTINUES, SEARCH_ENDS, SEARCH_ENDS_BEFORE_KEY };
enum history_search_answer history_search_press(const struct key *key);

// What to show meanwhile. NULL: no entry.
const char *history_search_prompt(void);
const char *history_search_entry(size_t *at); // *at: offset of the match in it

// The index of the found entry in Readline's history, or -1.
int history_search_end(void);

#endif
