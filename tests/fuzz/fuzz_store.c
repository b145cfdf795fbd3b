// tests/fuzz/fuzz_store.c — any rows, or any bytes in the file: the verbs answer, with a value or
// an error, and never crash.
//
//   byte 0      even: the rest is rows, put in behind the store's back:
//               u8 table | a value for each column: u8 type | bytes (see read_value)
//               odd: u16 place | the rest overwrites a sound database file there, 16 * place on
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "store/conversation.h"
#include "store/message.h"
#include "store/statement.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { MAX_ROWS = 24, MOST_COLUMNS = 9, IDS = 6, FILE_MOST = 1 << 19 };

struct input {
    const uint8_t *bytes;
    size_t length;
};

static uint8_t take_byte(struct input *input) {
    if (input->length == 0) return 0;
    input->length--;
    return *input->bytes++;
}

static struct input take_input(struct input *input, size_t length) {
    if (length > input->length) length = input->length;
    const struct input taken = {input->bytes, length};
    input->bytes += length;
    input->length -= length;
    return taken;
}

static void read_value(struct input *input, sqlite3_stmt *statement, int parameter) {
    const uint8_t type = take_byte(input);
    if (type % 6 == 0) {
        sqlite3_bind_null(statement, parameter);
    } else if (type % 6 <= 2) {
        sqlite3_bind_int64(statement, parameter, (int8_t)take_byte(input));
    } else if (type % 6 == 3) {
        uint64_t value = 0;
        for (int i = 0; i < 8; i++)
            value = value << 8 | take_byte(input);
        sqlite3_bind_int64(statement, parameter, (int64_t)value);
    } else {
        const struct input value = take_input(input, take_byte(input));
        const char *start = value.length ? (const char *)value.bytes : "";
        if (type % 6 == 4)
            sqlite3_bind_text64(statement, parameter, start, value.length, SQLITE_TRANSIENT,
                                SQLITE_UTF8);
        else
            sqlite3_bind_blob64(statement, parameter, start, value.length, SQLITE_TRANSIENT);
    }
}

static void insert_row(struct db *db, struct input *input) {
    static const struct {
        int columns;
        const char *sql;
    } tables[] = {
        {9, "INSERT OR REPLACE INTO message VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"},
        {8, "INSERT OR REPLACE INTO message_body VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?3)"},
        {5, "INSERT OR REPLACE INTO message_tokens VALUES(?, ?, ?, ?, ?)"},
        {9, "INSERT OR REPLACE INTO conversation VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?4, ?2, NULL)"},
        {2, "INSERT OR REPLACE INTO conversation_root VALUES(?, ?)"},
        {3, "INSERT OR REPLACE INTO model VALUES(?, ?, ?)"},
        {4, "INSERT OR REPLACE INTO model_file VALUES(?, ?, ?, ?)"},
    };
    const size_t table = take_byte(input) % (sizeof tables / sizeof tables[0]);
    sqlite3_stmt *statement = NULL;
    ASSERT(sqlite3_prepare_v2(db->handle, tables[table].sql, -1, &statement, NULL) == SQLITE_OK);
    for (int i = 1; i <= tables[table].columns; i++)
        read_value(input, statement, i);
    sqlite3_step(statement); // what SQLite itself refuses is not our matter
    sqlite3_finalize(statement);
}

// An answer is OK or says what it found.
static bool fine(enum status status, const struct error *err) {
    ASSERT(status == STATUS_OK || (err->status == status && err->text[0]));
    return status == STATUS_OK;
}

static void read_messages(struct db *db) {
    for (int64_t id = 0; id < IDS; id++) {
        struct error err = {0};
        struct message message = {0}, *path = NULL;
        int32_t *tokens = NULL;
        size_t count = 0;
        if (fine(message_get(db, id, &message, &err), &err)) {
            ASSERT(message.text[message.length] == '\0');
            message_deinit(&message);
        }
        if (fine(message_path(db, id, &path, &count, &err), &err)) {
            ASSERT(count == 0 || path[count - 1].id == id);
            message_path_free(path, count);
        }
        for (int64_t model = 0; model < 3; model++)
            if (fine(message_tokens(db, id, model, &tokens, &count, &err), &err)) {
                for (size_t i = 0; i < count; i++)
                    ASSERT(tokens[i] >= 0);
                free(tokens);
            }
    }
}

static void read_conversations(struct db *db) {
    static const char *const queries[] = {"", "a", "word ab"};
    struct conversation found;
    struct hash128 digest;
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        struct error err = {0};
        struct conversation_row *rows = NULL;
        size_t count = 0;
        if (!fine(conversation_list(db,
                                    &(struct conversation_query){.words = queries[i], .limit = 20},
                                    &rows, &count, &err),
                  &err))
            continue;
        for (size_t k = 0; k < count; k++)
            ASSERT(strlen(rows[k].preview) < sizeof rows[k].preview &&
                   strlen(rows[k].model_name) < sizeof rows[k].model_name);
        free(rows);
    }
    struct error err = {0};
    fine(conversation_latest(db, false, &found, &err), &err);
    fine(conversation_find(db, "name", &found, &err), &err);
    fine(conversation_find(db, "0000", &found, &err), &err);
    (void)!db_digest_find(db, "/m", 1, 2, &digest);
}

static void write_something(struct db *db, uint8_t verb) {
    static char text[] = "word";
    static const int32_t tokens[] = {1, 2};
    const struct message message = {
        .parent = verb % IDS, .role = MESSAGE_ASSISTANT, .text = text, .length = 4};
    struct conversation made = {.id = "00000001"};
    struct error err = {0};
    int64_t id;
    if (verb % 7 == 0) fine(message_add(db, &message, 1, tokens, 2, &id, &err), &err);
    if (verb % 7 == 1) fine(message_extend(db, verb % IDS, &message, 1, tokens, 2, &err), &err);
    if (verb % 7 == 2) fine(message_set_tokens(db, verb % IDS, 1, tokens, 2, &err), &err);
    if (verb % 7 == 3) fine(conversation_delete(db, made.id, &err), &err);
    if (verb % 7 == 4) fine(conversation_move(db, made.id, verb % IDS, 1, &err), &err);
    if (verb % 7 == 5) fine(conversation_fork(db, &made, verb % IDS, "", &made, &err), &err);
    if (verb % 7 == 6) fine(conversation_rename(db, made.id, "name", &err), &err);
}

static void fuzz_rows(struct input input) {
    static struct db *db; // reachable until the end
    const uint8_t verb = take_byte(&input);
    if (!db) {
        ASSERT(db_open(":memory:", &db, NULL) == STATUS_OK);
        sqlite3_exec(db->handle, "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON",
                     NULL, NULL, NULL);
    }
    ASSERT(db_begin(db, NULL) == STATUS_OK);
    for (int i = 0; i < MAX_ROWS && input.length > 0; i++)
        insert_row(db, &input);
    read_messages(db);
    read_conversations(db);
    write_something(db, verb);
    db_rollback(db);
    sqlite3_exec(db->handle, "DELETE FROM sqlite_sequence", NULL, NULL, NULL);
}

static const char *file_path(const char *suffix) {
    static char path[96];
    snprintf(path, sizeof path, "%s/quire-fuzz-%ld.db%s",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid(), suffix);
    return path;
}

static void remove_files(void) {
    unlink(file_path(""));
    unlink(file_path("-wal"));
    unlink(file_path("-shm"));
}

// A sound file with a conversation in it.
static size_t make_file(uint8_t *file) {
    struct db *db;
    struct conversation talk;
    int64_t model, id = 0;
    static char text[] = "a word";
    remove_files();
    ASSERT(db_open(file_path(""), &db, NULL) == STATUS_OK);
    ASSERT(db_model(db, (struct hash128){1, 1}, "m", &model, NULL) == STATUS_OK);
    ASSERT(conversation_create(db, "name", model, &talk, NULL) == STATUS_OK);
    for (int i = 0; i < 4; i++) {
        const struct message message = {
            .parent = id, .role = MESSAGE_USER, .text = text, .length = 6};
        ASSERT(message_add(db, &message, model, (int32_t[]){1}, 1, &id, NULL) == STATUS_OK);
    }
    ASSERT(conversation_move(db, talk.id, id, model, NULL) == STATUS_OK);
    db_close(db);
    const int handle = open(file_path(""), O_RDONLY);
    const ssize_t length = read(handle, file, FILE_MOST);
    ASSERT(length > 0 && length < FILE_MOST);
    close(handle);
    return (size_t)length;
}

static void fuzz_file(struct input input) {
    static uint8_t sound[FILE_MOST], damaged[FILE_MOST];
    static size_t length;
    struct error err = {0};
    struct db *db = NULL;
    if (length == 0) length = make_file(sound);
    size_t place = 16 * (size_t)(take_byte(&input) << 8);
    place = (place + 16 * (size_t)take_byte(&input)) % length;
    memcpy(damaged, sound, length);
    const struct input over = take_input(&input, length - place);
    if (over.length > 0) memcpy(damaged + place, over.bytes, over.length);
    remove_files();
    const int handle = open(file_path(""), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ASSERT(handle >= 0 && write(handle, damaged, length) == (ssize_t)length);
    close(handle);
    if (fine(db_open(file_path(""), &db, &err), &err)) {
        read_messages(db);
        read_conversations(db);
        write_something(db, over.length > 0 ? over.bytes[0] : 0);
        fine(db_check(db, &err), &err);
    }
    db_close(db);
    remove_files();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct input input = {bytes, length};
    if (take_byte(&input) % 2 == 0)
        fuzz_rows(input);
    else
        fuzz_file(input);
    return 0;
}
