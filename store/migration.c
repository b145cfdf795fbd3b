// store/migration.c — the schema as a list of steps, from an empty file to this version.
//
//   user_version 3 ── STEP_4, which also sets it to 4 ── 4 ── STEP_5 ── 5
//
// Each step is one transaction that ends with the new version, so a killed upgrade leaves a whole
// database of an older version, and the next opening continues. Two processes may upgrade at once:
// the version is read again inside the transaction, and the second finds the step done. Work that
// takes long is no step: `complete` does it in batches after the last one, each a transaction.
//
// Before anything is written, the file must be ours: SQLite would merge another program's log into
// its database merely by opening it. An empty file gets our application id at once, before the
// first step, so that it is known as ours if its creator dies.
#include "store/migration.h"

#include <stdio.h>
#include <string.h>

#include "store/search_index.h"
#include "store/transaction.h"

// message is narrow because paths and searches walk over it; the text is in message_body.
//   root      the first message of its tree           depth     messages on the path to it
//   opening   the first user message on that path     turns     user messages on it
// message_tokens.total is the length of the log up to here (tokens.h).
// conversation.used orders by use, because clocks jump. conversation_root holds every tree that a
// conversation has been in, so that deleting it leaves no text behind.
static const char STEP_1[] =
    "CREATE TABLE model(id INTEGER PRIMARY KEY AUTOINCREMENT, digest BLOB NOT NULL UNIQUE,"
    " name TEXT NOT NULL);"
    "CREATE TABLE model_file(path BLOB PRIMARY KEY, size INTEGER NOT NULL,"
    " mtime_ns INTEGER NOT NULL, digest BLOB NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE message(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " parent INTEGER REFERENCES message(id) CHECK(parent < id), root INTEGER,"
    " depth INTEGER NOT NULL, turns INTEGER NOT NULL, opening INTEGER, role INTEGER NOT NULL,"
    " stop INTEGER NOT NULL, created_ms INTEGER NOT NULL);"
    "CREATE INDEX message_parent ON message(parent);"
    "CREATE TABLE message_body(id INTEGER PRIMARY KEY REFERENCES message(id) ON DELETE CASCADE,"
    " prompt_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL,"
    " output_tokens INTEGER NOT NULL, first_token_us INTEGER NOT NULL,"
    " prefill_us INTEGER NOT NULL, decode_us INTEGER NOT NULL, text TEXT NOT NULL);"
    "CREATE TABLE message_tokens("
    " message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,"
    " model INTEGER NOT NULL REFERENCES model(id), count INTEGER NOT NULL,"
    " total INTEGER NOT NULL, ids BLOB NOT NULL, PRIMARY KEY(message, model));"
    "CREATE TABLE conversation(id INTEGER PRIMARY KEY, name TEXT UNIQUE,"
    " tip INTEGER REFERENCES message(id), model INTEGER REFERENCES model(id),"
    " forked_from INTEGER REFERENCES conversation(id),"
    " forked_at INTEGER REFERENCES message(id) ON DELETE SET NULL, used INTEGER NOT NULL UNIQUE,"
    " created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL);"
    "CREATE INDEX conversation_tip ON conversation(tip);"
    "CREATE INDEX conversation_forked_from ON conversation(forked_from);"
    "CREATE INDEX conversation_forked_at ON conversation(forked_at);"
    "CREATE TABLE conversation_root("
    " conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,"
    " root INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,"
    " PRIMARY KEY(conversation, root)) WITHOUT ROWID;"
    "CREATE INDEX conversation_root_root ON conversation_root(root);"
    "CREATE VIRTUAL TABLE message_search USING fts5(text, content='message_body',"
    " content_rowid='id', prefix='2 3', columnsize=0);"
    "CREATE TRIGGER message_body_added AFTER INSERT ON message_body BEGIN"
    " INSERT INTO message_search(rowid, text) VALUES(new.id, new.text); END;"
    "CREATE TRIGGER message_body_removed AFTER DELETE ON message_body BEGIN"
    " INSERT INTO message_search(message_search, rowid, text)"
    " VALUES('delete', old.id, old.text); END;"
    "CREATE TRIGGER message_body_changed AFTER UPDATE OF text ON message_body BEGIN"
    " INSERT INTO message_search(message_search, rowid, text)"
    " VALUES('delete', old.id, old.text);"
    " INSERT INTO message_search(rowid, text) VALUES(new.id, new.text); END;"
    "PRAGMA application_id = 0x71756972;" // "quir"
    "PRAGMA user_version = 1;";

// one_shot: a question asked outside a chat.
static const char STEP_2[] =
    "ALTER TABLE conversation ADD COLUMN one_shot INTEGER NOT NULL DEFAULT 0;"
    "PRAGMA user_version = 2;";

// said: offset in a message's text of its writer's own words, after attached files. title: shown
// for a conversation without a name, instead of its first message.
static const char STEP_3[] = "ALTER TABLE message_body ADD COLUMN said INTEGER NOT NULL DEFAULT 0;"
                             "ALTER TABLE conversation ADD COLUMN title TEXT;"
                             "PRAGMA user_version = 3;";

// model_source: how to open a conversation's model again (model_source.h). key: a hash of the row
// and its parts, which never change. used orders by use. Older conversations have no source.
static const char STEP_4[] =
    "CREATE TABLE model_source(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE,"
    " model INTEGER NOT NULL REFERENCES model(id), identity BLOB NOT NULL, kind INTEGER NOT NULL,"
    " name BLOB NOT NULL, server BLOB NOT NULL, listed INTEGER NOT NULL,"
    " key_from BLOB NOT NULL, used INTEGER NOT NULL);"
    "CREATE TABLE model_part("
    " source INTEGER NOT NULL REFERENCES model_source(id) ON DELETE CASCADE,"
    " place INTEGER NOT NULL, role INTEGER NOT NULL, path BLOB NOT NULL, bytes INTEGER NOT NULL,"
    " digest BLOB NOT NULL, scale_bits INTEGER NOT NULL,"
    " PRIMARY KEY(source, place)) WITHOUT ROWID;"
    "ALTER TABLE conversation ADD COLUMN source INTEGER REFERENCES model_source(id);"
    "PRAGMA user_version = 4;";

// search_state and the tokenizer are explained in search_index.h. New messages are indexed at once.
static const char STEP_5[] =
    "DROP TRIGGER message_body_added; DROP TRIGGER message_body_removed;"
    "DROP TRIGGER message_body_changed; DROP TABLE message_search;"
    "CREATE VIRTUAL TABLE message_search USING fts5(text, content='message_body',"
    " content_rowid='id', prefix='2 3', columnsize=0, tokenize='quire');"
    "CREATE TABLE search_state(indexed_from INTEGER NOT NULL);"
    "INSERT INTO search_state SELECT 1 + coalesce(max(seq), 0) FROM sqlite_sequence"
    " WHERE name = 'message';"
    "CREATE TRIGGER message_body_added AFTER INSERT ON message_body BEGIN"
    " INSERT INTO message_search(rowid, text) VALUES(new.id, new.text); END;"
    "CREATE TRIGGER message_body_removed AFTER DELETE ON message_body"
    " WHEN old.id >= (SELECT indexed_from FROM search_state) BEGIN"
    " INSERT INTO message_search(message_search, rowid, text)"
    " VALUES('delete', old.id, old.text); END;"
    "CREATE TRIGGER message_body_changed AFTER UPDATE OF text ON message_body"
    " WHEN old.id >= (SELECT indexed_from FROM search_state) BEGIN"
    " INSERT INTO message_search(message_search, rowid, text)"
    " VALUES('delete', old.id, old.text);"
    " INSERT INTO message_search(rowid, text) VALUES(new.id, new.text); END;"
    "PRAGMA user_version = 5;";

static const char *const STEPS[] = {STEP_1, STEP_2, STEP_3, STEP_4, STEP_5};

const struct schema MIGRATION_CONVERSATIONS = {
    .application_id = 0x71756972,
    .steps = STEPS,
    .version = sizeof STEPS / sizeof STEPS[0],
    .prepare = search_index_register,
    .complete = search_index_some,
};

struct header {
    int64_t application, version, objects;
};

static enum status read_header(struct db *db, struct header *header, struct error *err) {
    static const char sql[] = "SELECT application_id, user_version, (SELECT count(*) FROM"
                              " sqlite_schema) FROM pragma_application_id, pragma_user_version";
    struct statement statement;
    bool row;
    TRY(statement_start(db, sql, &statement, err));
    enum status status = statement_step(&statement, &row, err);
    if (status == STATUS_OK) {
        header->application = statement_integer(&statement, 0, INT32_MIN, UINT32_MAX);
        header->version = statement_integer(&statement, 1, INT32_MIN, INT32_MAX);
        header->objects = statement_integer(&statement, 2, 0, INT64_MAX);
        status = statement_sound(&statement, "header", 0, err);
    }
    statement_finish(&statement);
    return status;
}

enum status migration_refuse(const struct db *db, int64_t found, struct error *err) {
    return error_set(err, STATUS_BAD_FILE,
                     "%s is a database of another program (application id %lld, not %lld); move it "
                     "away, or choose another folder with QUIRE_HOME",
                     db->path, (long long)found, (long long)db->schema->application_id);
}

static enum status check_header(const struct db *db, const struct header *header,
                                struct error *err) {
    const bool ours = header->application == db->schema->application_id &&
                      (header->version > 0 || header->objects == 0);
    const bool empty = header->application == 0 && header->version == 0 && header->objects == 0;
    if (!ours && !empty) return migration_refuse(db, header->application, err);
    if (header->version > db->schema->version)
        return error_set(err, STATUS_UNSUPPORTED,
                         "%s was written by a newer version of quire (format %lld, this version "
                         "reads up to %d); use that version",
                         db->path, (long long)header->version, db->schema->version);
    return STATUS_OK;
}

// Another process may run the same step at the same time, so the version is read again inside the
// transaction.
static enum status run_step(struct db *db, struct error *err) {
    struct header header;
    TRY(db_begin(db, err));
    enum status status = read_header(db, &header, err);
    if (status == STATUS_OK) status = check_header(db, &header, err);
    if (status == STATUS_OK && header.version < db->schema->version) {
        const int code =
            sqlite3_exec(db->handle, db->schema->steps[header.version], NULL, NULL, NULL);
        if (code != SQLITE_OK) status = db_failure(db, code, err);
    }
    if (status == STATUS_OK) status = db_commit(db, err);
    if (status != STATUS_OK) db_rollback(db);
    return status;
}

// The offset of the id is from sqlite.org/fileformat2.html. Reads through SQLite's own file:
// opening and closing another descriptor would release the locks that this process has on the
// database.
bool migration_read_id(const char *path, int64_t *id) {
    enum { ID = 68, HEADER_BYTES = 100 };
    static const char magic[16] = "SQLite format 3";
    unsigned char bytes[HEADER_BYTES];
    sqlite3 *handle = NULL;
    sqlite3_file *file = NULL;
    bool whole =
        db_open_immutable(path, &handle) == SQLITE_OK &&
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK &&
        file && file->pMethods;
    whole = whole && file->pMethods->xRead(file, bytes, sizeof bytes, 0) == SQLITE_OK &&
            memcmp(bytes, magic, sizeof magic) == 0;
    sqlite3_close(handle);
    if (!whole) return false;
    *id = (int64_t)bytes[ID] << 24 | bytes[ID + 1] << 16 | bytes[ID + 2] << 8 | bytes[ID + 3];
    return true;
}

enum status migration_check(struct db *db, struct error *err) {
    struct header header;
    TRY(read_header(db, &header, err));
    return check_header(db, &header, err);
}

enum status migration_claim(struct db *db, struct error *err) {
    struct header header;
    TRY(read_header(db, &header, err));
    if (header.application != 0 || db_in_memory(db)) return STATUS_OK;
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA application_id = %lld",
             (long long)db->schema->application_id);
    const int code = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? STATUS_OK : db_failure(db, code, err);
}

enum status migration_run(struct db *db, struct error *err) {
    struct header header;
    TRY(read_header(db, &header, err));
    while (header.version < db->schema->version) {
        TRY(run_step(db, err));
        TRY(read_header(db, &header, err));
    }
    for (bool done = !db->schema->complete; !done;)
        TRY(db->schema->complete(db, &done, err));
    return STATUS_OK;
}
