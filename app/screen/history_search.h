// app/screen/history_search.h — ^R: which entry of the history has these words?
//
//   (reverse-i-search)`rai': What is rain?
//
// What is typed is looked for as it grows, regardless of case as long as it has no capital. ^R
// finds an older entry, ^S a newer one, Backspace takes a character back. The line that is edited
// stays as it is until the search ends, and then it is the caller's to change: a search that finds
// nothing, and ^G and ^C, end with no entry.
//
//   off ──begin──► on ──press──► on … ──end──► off
//
// One for the process, as Readline's history is. Memory: owned. Threads: the UI's.
#ifndef APP_HISTORY_SEARCH_H
#define APP_HISTORY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "app/screen/keys.h"

void history_search_begin(bool newer); // the way to look; while it is on: the next entry that way
bool history_search_is_on(void);

enum history_search_answer { SEARCH_CONTINUES, SEARCH_ENDS, SEARCH_ENDS_BEFORE_KEY };
enum history_search_answer history_search_press(const struct key *key);

// What stands on the screen meanwhile. No entry: NULL.
const char *history_search_prompt(void);
const char *history_search_entry(size_t *at); // *at: where the words are in it

// The entry that was found, in Readline's history, or -1.
int history_search_end(void);

#endif
