#include "tests/store/store_fixture.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/search_index.h"
#include "store/statement.h"
#include "tests/check.h"

enum { TOKENS_MOST = 256 };

static void remove_folder(const char *path) {
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.') assert_int_equal(unlinkat(dirfd(folder), entry->d_name, 0), 0);
    closedir(folder);
    assert_int_equal(rmdir(path), 0);
}

void must(enum status status, const struct error *err) {
    if (status != STATUS_OK) print_error("%s: %s\n", status_text(status), err->text);
    assert_int_equal(status, STATUS_OK);
}

void store_fixture_reopen(struct store_fixture *fixture) {
    db_close(fixture->db);
    must(db_open(fixture->path, &fixture->db, &fixture->err), &fixture->err);
    must(db_model(fixture->db, (struct hash128){1, 2}, "model", &fixture->model, &fixture->err),
         &fixture->err);
}

void store_fixture_init(struct store_fixture *fixture, bool open) {
    const bool fast = access("/dev/shm", W_OK) == 0; // where syncing takes no time
    *fixture = (struct store_fixture){0};
    snprintf(fixture->folder, sizeof fixture->folder, "%s/quire-store-XXXXXX",
             fast ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->path, sizeof fixture->path, "%s/quire.db", fixture->folder);
    if (open) store_fixture_reopen(fixture);
}

void store_fixture_deinit(struct store_fixture *fixture) {
    if (fixture->db) must(db_check(fixture->db, &fixture->err), &fixture->err);
    db_close(fixture->db);
    remove_folder(fixture->folder);
}

int64_t store_fixture_add(struct store_fixture *fixture, int64_t parent, enum message_role role,
                          const char *text) {
    int32_t tokens[TOKENS_MOST];
    char *copy = strdup(text);
    assert_non_null(copy);
    const struct message message = {
        .parent = parent, .role = role, .text = copy, .length = strlen(text)};
    assert_true(message.length <= TOKENS_MOST);
    for (size_t i = 0; i < message.length; i++)
        tokens[i] = (unsigned char)text[i];
    int64_t id = 0;
    must(message_add(fixture->db, &message, fixture->model, tokens, message.length, &id,
                     &fixture->err),
         &fixture->err);
    free(copy);
    return id;
}

struct conversation store_fixture_talk(struct store_fixture *fixture, const char *name,
                                       size_t count, const char *const *texts, int64_t *ids) {
    struct conversation talk;
    struct error *err = &fixture->err;
    must(conversation_create(fixture->db, name, fixture->model, &talk, err), err);
    for (size_t i = 0; i < count; i++) {
        talk.tip = store_fixture_add(fixture, talk.tip, i % 2 ? MESSAGE_ASSISTANT : MESSAGE_USER,
                                     texts[i]);
        if (ids) ids[i] = talk.tip;
    }
    must(conversation_move(fixture->db, talk.id, talk.tip, fixture->model, err), err);
    must(conversation_find(fixture->db, talk.id, &talk, err), err);
    return talk;
}

static int keep_number(void *number, int columns, char **values, char **names) {
    (void)columns, (void)names;
    *(int *)number = values[0] ? atoi(values[0]) : 0;
    return 0;
}

int store_fixture_sql(const struct store_fixture *fixture, const char *sql) {
    sqlite3 *handle = NULL;
    char *message = NULL;
    int number = 0;
    assert_int_equal(sqlite3_open(fixture->path, &handle), SQLITE_OK);
    sqlite3_busy_timeout(handle, DB_BUSY_MS);
    struct db own = {.handle = handle, .path = (char[]){"raw"}};
    must(search_index_register(&own, NULL), NULL);
    if (sqlite3_exec(handle, sql, keep_number, &number, &message) != SQLITE_OK)
        fail_msg("%s", message);
    sqlite3_close(handle);
    return number;
}
