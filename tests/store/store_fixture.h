// tests/store/store_fixture.h — a database in a folder of its own, and the words of the store's
// tests.
#ifndef TESTS_STORE_FIXTURE_H
#define TESTS_STORE_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/conversation.h"
#include "store/db.h"
#include "store/message.h"

struct store_fixture {
    char folder[64], path[96];
    struct db *db;
    int64_t model;
    struct error err;
};

// Makes the folder; with `open`, the database as well, and a model in it.
void store_fixture_init(struct store_fixture *fixture, bool open);
// Checks the database (if it is open), closes it, and removes the folder.
void store_fixture_deinit(struct store_fixture *fixture);
void store_fixture_reopen(struct store_fixture *fixture);

// Fails the test, with the error's text, unless the status is OK.
void must(enum status status, const struct error *err);

// A message with one token for each byte of its text.
int64_t store_fixture_add(struct store_fixture *fixture, int64_t parent, enum message_role role,
                          const char *text);

// A conversation with these texts, user and assistant in turn; *ids may be NULL.
struct conversation store_fixture_talk(struct store_fixture *fixture, const char *name,
                                       size_t count, const char *const *texts, int64_t *ids);

// Runs SQL behind the store's back; for a query, the first column of its last row as a number.
int store_fixture_sql(const struct store_fixture *fixture, const char *sql);

#endif
