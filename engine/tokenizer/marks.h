// engine/tokenizer/marks.h — where is the next marked token in this text?
//
// Some include the adjacent whitespace, and some match only between characters that are not part of
// a word (enum token_match). Otherwise the longest text that matches wins.
#ifndef ENGINE_MARKS_H
#define ENGINE_MARKS_H

#include "engine/tokenizer/vocabulary.h"

struct mark {
    size_t begin, end; // with the whitespace it takes
    int32_t id;
};

struct marks_search {
    const struct vocabulary *vocabulary;
    const struct prefix_index *index; // of the tokens that are looked for
    const char *bytes;
    size_t from; // whitespace before this is not taken: another mark's, or not in the text
    size_t at;   // where the search begins
    size_t stop; // tokens end here at the latest
    size_t end;  // of the text: up to where whitespace is taken
};

// The first mark at or after `at`; false if no mark follows.
bool marks_next(const struct marks_search *search, struct mark *mark);

#endif
