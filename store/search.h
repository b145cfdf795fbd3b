// store/search.h — which conversations hold some words; nobody outside this room includes it.
#ifndef STORE_SEARCH_H
#define STORE_SEARCH_H

#include "store/statement.h"

enum { SEARCH_MAX_WORDS = 32 };

// The numbers of the at most `limit` conversations on whose path a message holds all words of
// the query, each as the beginning of a word (a single letter as a whole one), those with the
// newest such message first. *numbers is owned by the caller (free).
MUST_CHECK enum status search_conversations(struct db *db, const char *query, size_t limit,
                                            int64_t **numbers, size_t *count, struct error *err);

#endif
