// store/search_index.h — how text is split into search tokens. Private to store/.
//
// The tokenizer of message_search is `quire`: SQLite's unicode61, except that a character of a
// script that writes no blanks between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese; Korean,
// whose words grow at both ends) is a token by itself. A word is then found anywhere as the phrase
// of its characters, and so is a single character. FTS5's trigram tokenizer finds neither one nor
// two characters.
//
// A program without this tokenizer reads every other table, but cannot use message_search.
//
// search_state.indexed_from: messages from this id on are in the index. Opening a database adds
// older ones, newest first, one batch per transaction, so an interrupted run continues the next
// time. The triggers ignore messages that are not in the index yet.
#ifndef STORE_SEARCH_INDEX_H
#define STORE_SEARCH_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/status.h"

struct db;

// Is this character a token by itself?
bool search_index_is_single(uint32_t code_point);

// Registers the tokenizer with this connection.
MUST_CHECK enum status search_index_register(struct db *db, struct error *err);

// Indexes one batch of messages that are not indexed yet; *done is true when none are left.
MUST_CHECK enum status search_index_some(struct db *db, bool *done, struct error *err);

#endif
