// store/search.h — which conversations contain given words? Private to store/.
#ifndef STORE_SEARCH_H
#define STORE_SEARCH_H

#include "store/statement.h"

enum { SEARCH_MAX_WORDS = 32, SEARCH_SHOWN_BYTES = 121 };

struct search_hit {
    int64_t conversation;           // its number
    char shown[SEARCH_SHOWN_BYTES]; // the words in context, on one line; "": they are in the name
};

// At most `limit` conversations: first those whose name contains all words of the query, then those
// with a message on their path that contains them all, newest message first. Each query word
// matches the start of a word; a single letter matches only a whole word. *hits is owned by the
// caller (free).
MUST_CHECK enum status search_conversations(struct db *db, const char *query, size_t limit,
                                            struct search_hit **hits, size_t *count,
                                            struct error *err);

#endif
