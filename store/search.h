// store/search.h — which conversations have some words; nobody outside this room includes it.
#ifndef STORE_SEARCH_H
#define STORE_SEARCH_H

#include "store/statement.h"

enum { SEARCH_MAX_WORDS = 32, SEARCH_SHOWN_BYTES = 121 };

struct search_hit {
    int64_t conversation;           // its number
    char shown[SEARCH_SHOWN_BYTES]; // the words and what is around them, one line; "": in its name
};

// The at most `limit` conversations whose name has all words of the query, and then those on whose
// path a message has them all, each as the beginning of a word (a single letter as a whole one),
// those with the newest such message first. *hits is owned by the caller (free).
MUST_CHECK enum status search_conversations(struct db *db, const char *query, size_t limit,
                                            struct search_hit **hits, size_t *count,
                                            struct error *err);

#endif
