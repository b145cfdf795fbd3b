#include "store/model_source.h"

#include <string.h>

#include "kernels/base/assert.h"
#include "store/preview.h"
#include "store/statement.h"
#include "store/transaction.h"

void model_source_deinit(struct model_source *source) {
    text_deinit(&source->name);
    text_deinit(&source->server);
    text_deinit(&source->key_from);
    for (size_t i = 0; i < source->part_count; i++)
        text_deinit(&source->parts[i].path);
    *source = (struct model_source){0};
}

enum status model_source_add(struct model_source *source, const struct model_part *part,
                             const char *path) {
    if (source->part_count == MODEL_PARTS_MAX) return STATUS_FULL;
    struct model_part *added = &source->parts[source->part_count];
    *added = *part;
    added->path = (struct text){0};
    TRY(text_append_string(&added->path, path));
    source->part_count++;
    return STATUS_OK;
}

enum status model_source_copy(const struct model_source *source, struct model_source *result) {
    struct model_source copy = *source;
    copy.name = copy.server = copy.key_from = (struct text){0};
    copy.part_count = 0;
    enum status status = text_append_string(&copy.name, text_string(&source->name));
    if (status == STATUS_OK)
        status = text_append_string(&copy.server, text_string(&source->server));
    if (status == STATUS_OK)
        status = text_append_string(&copy.key_from, text_string(&source->key_from));
    for (size_t i = 0; i < source->part_count && status == STATUS_OK; i++)
        status = model_source_add(&copy, &source->parts[i], text_string(&source->parts[i].path));
    if (status == STATUS_OK)
        *result = copy;
    else
        model_source_deinit(&copy);
    return status;
}

const struct model_part *model_source_part(const struct model_source *source,
                                           enum model_role role) {
    for (size_t i = 0; i < source->part_count; i++)
        if (source->parts[i].role == role) return &source->parts[i];
    return NULL;
}

static int64_t scale_bits(float scale) {
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    return bits;
}

static enum status append_text(struct text *all, const struct text *text) {
    return text_append(all, text_string(text), text->length + 1);
}

// A hash of everything that is stored.
static enum status key_of(const struct model_source *source, struct hash128 *key) {
    const int64_t facts[] = {source->model, source->kind, source->listed,
                             (int64_t)source->part_count};
    struct text all = {0};
    enum status status = text_append(&all, (const char *)facts, sizeof facts);
    if (status == STATUS_OK)
        status = text_append(&all, (const char *)&source->identity, sizeof source->identity);
    if (status == STATUS_OK) status = append_text(&all, &source->name);
    if (status == STATUS_OK) status = append_text(&all, &source->server);
    if (status == STATUS_OK) status = append_text(&all, &source->key_from);
    for (size_t i = 0; i < source->part_count && status == STATUS_OK; i++) {
        const struct model_part *part = &source->parts[i];
        const int64_t more[] = {part->role, part->bytes, scale_bits(part->scale)};
        status = text_append(&all, (const char *)more, sizeof more);
        if (status == STATUS_OK)
            status = text_append(&all, (const char *)&part->digest, sizeof part->digest);
        if (status == STATUS_OK) status = append_text(&all, &part->path);
    }
    if (status == STATUS_OK) *key = hash_bytes(all.bytes, all.length, 0);
    text_deinit(&all);
    return status;
}

static enum status find_key(struct db *db, struct hash128 key, int64_t *id, struct error *err) {
    static const char sql[] = "SELECT id FROM model_source WHERE key = ?1";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_digest(&statement, 1, key);
    return statement_first_integer(&statement, id, err);
}

static enum status insert_part(struct db *db, int64_t id, size_t place,
                               const struct model_part *part, struct error *err) {
    static const char sql[] = "INSERT INTO model_part(source, place, role, path, bytes, digest,"
                              " scale_bits) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, id);
    statement_bind_integer(&statement, 2, (int64_t)place);
    statement_bind_integer(&statement, 3, part->role);
    statement_bind_blob(&statement, 4, text_string(&part->path), part->path.length);
    statement_bind_integer(&statement, 5, part->bytes);
    statement_bind_digest(&statement, 6, part->digest);
    statement_bind_integer(&statement, 7, scale_bits(part->scale));
    return statement_run(&statement, err);
}

static enum status insert_source(struct db *db, const struct model_source *source,
                                 struct hash128 key, int64_t *id, struct error *err) {
    static const char sql[] = "INSERT INTO model_source(key, model, identity, kind, name, server,"
                              " key_from, listed, used) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0)";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_digest(&statement, 1, key);
    statement_bind_integer(&statement, 2, source->model);
    statement_bind_digest(&statement, 3, source->identity);
    statement_bind_integer(&statement, 4, source->kind);
    statement_bind_blob(&statement, 5, text_string(&source->name), source->name.length);
    statement_bind_blob(&statement, 6, text_string(&source->server), source->server.length);
    statement_bind_blob(&statement, 7, text_string(&source->key_from), source->key_from.length);
    statement_bind_integer(&statement, 8, source->listed);
    TRY(statement_run(&statement, err));
    TRY(find_key(db, key, id, err));
    for (size_t i = 0; i < source->part_count; i++)
        TRY(insert_part(db, *id, i, &source->parts[i], err));
    return STATUS_OK;
}

static enum status note_use(struct db *db, int64_t id, struct error *err) {
    static const char sql[] =
        "UPDATE model_source SET used = (SELECT 1 + max(used) FROM model_source) WHERE id = ?1";
    struct statement statement;
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, id);
    return statement_run(&statement, err);
}

enum status model_source_enter(struct db *db, const struct model_source *source, int64_t *id,
                               struct error *err) {
    struct hash128 key;
    ASSERT(source->kind != MODEL_NONE && source->model != 0);
    TRY(key_of(source, &key));
    TRY(db_begin(db, err));
    enum status status = find_key(db, key, id, err);
    if (status == STATUS_NOT_FOUND) status = insert_source(db, source, key, id, err);
    if (status == STATUS_OK) status = note_use(db, *id, err);
    if (status == STATUS_OK) status = db_commit(db, err);
    if (status != STATUS_OK) db_rollback(db);
    return status;
}

static enum status read_text(struct statement *statement, int column, struct text *text) {
    size_t length;
    const char *bytes = statement_blob(statement, column, &length);
    return text_append(text, bytes, memchr(bytes, '\0', length) ? strlen(bytes) : length);
}

static enum status read_source(struct statement *statement, struct model_source *source,
                               struct error *err) {
    size_t length;
    source->id = statement_integer(statement, 0, 1, INT64_MAX);
    source->model = statement_integer(statement, 1, 1, INT64_MAX);
    source->identity = statement_digest(statement, 2);
    source->kind = (enum model_kind)statement_integer(statement, 3, MODEL_DEMO, MODEL_SECTION);
    source->listed = statement_integer(statement, 8, 0, 1);
    const char *name = statement_text(statement, 7, &length);
    preview_make(name, length, source->model_name, sizeof source->model_name);
    TRY(read_text(statement, 4, &source->name));
    TRY(read_text(statement, 5, &source->server));
    TRY(read_text(statement, 6, &source->key_from));
    return statement_sound(statement, "model source", source->id, err);
}

static enum status read_parts(struct db *db, struct model_source *source, struct error *err) {
    static const char sql[] = "SELECT role, path, bytes, digest, scale_bits FROM model_part"
                              " WHERE source = ?1 ORDER BY place LIMIT 12";
    struct statement statement;
    bool row = false;
    _Static_assert(MODEL_PARTS_MAX == 12, "the limit of the statement");
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, source->id);
    enum status status = statement_step(&statement, &row, err);
    while (status == STATUS_OK && row) {
        struct model_part *part = &source->parts[source->part_count++];
        part->role =
            (enum model_role)statement_integer(&statement, 0, PART_WEIGHTS, PART_VOCABULARY);
        part->bytes = statement_integer(&statement, 2, 0, INT64_MAX);
        part->digest = statement_digest(&statement, 3);
        const uint32_t bits = (uint32_t)statement_integer(&statement, 4, 0, UINT32_MAX);
        memcpy(&part->scale, &bits, sizeof part->scale);
        status = read_text(&statement, 1, &part->path);
        if (status == STATUS_OK) status = statement_sound(&statement, "model", source->id, err);
        if (status == STATUS_OK) status = statement_step(&statement, &row, err);
    }
    statement_finish(&statement);
    return status;
}

enum status model_source_get(struct db *db, int64_t id, struct model_source *result,
                             struct error *err) {
    static const char sql[] =
        "SELECT s.id, s.model, s.identity, s.kind, s.name, s.server, s.key_from, k.name,"
        " s.listed"
        " FROM model_source s JOIN model k ON k.id = s.model WHERE s.id = ?1";
    struct statement statement;
    struct model_source source = {0};
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, id);
    enum status status = statement_first(&statement, err);
    if (status == STATUS_NOT_FOUND)
        status = error_set(err, status, "model source %lld is not stored", (long long)id);
    if (status == STATUS_OK) status = read_source(&statement, &source, err);
    statement_finish(&statement);
    if (status == STATUS_OK) status = read_parts(db, &source, err);
    if (status == STATUS_OK)
        *result = source;
    else
        model_source_deinit(&source);
    return status;
}

enum status model_source_identity(struct db *db, int64_t id, struct hash128 *identity,
                                  struct error *err) {
    struct model_source source;
    TRY(model_source_get(db, id, &source, err));
    *identity = source.identity;
    model_source_deinit(&source);
    return STATUS_OK;
}

static enum status read_id(struct statement *statement, void *item, struct error *err) {
    *(int64_t *)item = statement_integer(statement, 0, 1, INT64_MAX);
    return statement_sound(statement, "model source", 0, err);
}

enum status model_source_recent(struct db *db, size_t limit, int64_t **ids, size_t *count,
                                struct error *err) {
    static const char sql[] = "SELECT id FROM model_source ORDER BY used DESC, id DESC LIMIT ?1";
    struct statement statement;
    struct rows rows = {.item_bytes = sizeof(int64_t)};
    TRY(statement_start(db, sql, &statement, err));
    statement_bind_integer(&statement, 1, limit < INT64_MAX ? (int64_t)limit : INT64_MAX);
    TRY(statement_rows(&statement, read_id, &rows, err));
    *ids = rows.items;
    *count = rows.count;
    return STATUS_OK;
}
