// store/search_index.h — how texts become the tokens that are searched for; nobody outside this
// room includes it.
//
// The tokenizer of message_search is `quire`: SQLite's unicode61, except that a character of a
// script that writes no blanks between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese; Korean,
// whose words grow at both ends) is a token by itself. Such a word is then found as the phrase of
// its characters, wherever it stands; and so is one character. FTS5's trigram tokenizer finds
// neither one nor two.
//
// A program without this tokenizer reads every other table, but cannot use message_search.
//
// search_state.indexed_from: messages from this id on are in the index. Older ones are added when a
// database is opened, the newest first, a batch in each transaction, so whoever is interrupted goes
// on the next time; the triggers leave alone what is not in the index yet.
#ifndef STORE_SEARCH_INDEX_H
#define STORE_SEARCH_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/status.h"

struct db;

// Is this character a token by itself?
bool search_index_is_single(uint32_t code_point);

// Makes the tokenizer known to this connection.
MUST_CHECK enum status search_index_register(struct db *db, struct error *err);

// Indexes a batch of the messages that are not indexed yet; *done: there are none left.
MUST_CHECK enum status search_index_some(struct db *db, bool *done, struct error *err);

#endif
