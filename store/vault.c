#include "store/vault.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "kernels/base/log.h"
#include "kernels/base/size.h"
#include "kernels/base/text.h"
#include "store/statement.h"
#include "store/vault_room.h"
#include "store/vault_tree.h"

enum { TOUCH_MS = 10 * 60 * 1000 }; // a time of use that is younger is not written again

static struct vault *vault_of(struct tier *tier) { return (struct vault *)tier; }

static void warn(const struct error *err) {
    log_write(LOG_WARNING, "the KV cache: %s", err->text[0] ? err->text : status_text(err->status));
}

// As much of the name as a record has room for.
static void copy_model(const char *name, char model[RECORD_MODEL_BYTES]) {
    size_t length = strlen(name);
    if (!utf8_valid(name, length, NULL)) length = 0;
    if (length >= RECORD_MODEL_BYTES) {
        length = RECORD_MODEL_BYTES - 1;
        length -= utf8_incomplete_tail(name, length);
    }
    memcpy(model, name, length);
    model[length] = '\0';
}

static enum status enter_format(struct vault *vault, struct error *err) {
    struct db *db = vault->index;
    TRY(vault_index_format(db, &vault->format, &vault->format_number, err));
    TRY(vault_index_set_limit(db, vault->limit_bytes, err));
    TRY(vault_index_speed(db, vault->format_number, &vault->speed, err));
    return vault_index_count(db, vault->format_number, &vault->blocks, err);
}

static enum status begin(struct tier *tier, const struct tier_format *format, tier_dropped *dropped,
                         void *user, struct error *err) {
    struct vault *vault = vault_of(tier);
    struct vault_report report = {0};
    if (format->block_size < 1 || format->block_size > RECORD_MAX_TOKENS ||
        format->payload_bytes < 1 || format->payload_bytes > RECORD_MAX_PAYLOAD)
        return error_set(err, STATUS_UNSUPPORTED,
                         "the KV cache keeps blocks of up to %d tokens and 1 GiB",
                         RECORD_MAX_TOKENS);
    enum status status = vault_open(vault, &report, err);
    if (status == STATUS_NOT_FOUND) status = STATUS_IO;
    if (status != STATUS_OK) return status;
    copy_model(format->model, vault->model);
    vault->format = *format;
    vault->format.model = vault->model;
    status = enter_format(vault, err);
    if (status == STATUS_BAD_FILE) {
        TRY(vault_rebuild(vault, &report, err));
        status = enter_format(vault, err);
    }
    if (status != STATUS_OK) return status;
    vault->dropped = dropped;
    vault->user = user;
    vault_measure(vault);
    return STATUS_OK;
}

static enum status list_once(struct vault *vault, struct vault_tree *tree, struct error *err) {
    return vault_index_answer(vault,
                              vault_tree_init(tree, vault->index, vault->format_number, err));
}

static enum status list(struct tier *tier, tier_list_block *each_block,
                        tier_list_holder *each_holder, void *user, struct error *err) {
    struct vault *vault = vault_of(tier);
    struct vault_tree tree = {0};
    enum status status = list_once(vault, &tree, err);
    if (status == STATUS_BAD_FILE) {
        struct vault_report report = {0};
        TRY(vault_rebuild(vault, &report, err));
        TRY(enter_format(vault, err));
        status = list_once(vault, &tree, err);
    }
    if (status != STATUS_OK) return status;
    vault->blocks = 0;
    for (uint32_t i = 0; i < tree.count; i++) {
        const struct vault_node *node = &tree.nodes[tree.order[i]];
        if (node->row.count > vault->format.block_size) continue; // a record that cannot be ours
        vault->blocks++;
        const struct tier_block block = {
            .key = node->row.key,
            .parent = node->row.parent,
            .ids = tree.ids + node->ids_at,
            .count = node->row.count,
            .place = {.segment = node->row.segment, .offset = node->row.offset},
        };
        each_block(user, &block);
    }
    for (size_t i = 0; i < tree.holder_count; i++)
        each_holder(user, tree.holders[i].holder, tree.holders[i].leaf);
    vault_tree_deinit(&tree);
    return STATUS_OK;
}

static struct tier_speed speed(struct tier *tier) { return vault_of(tier)->speed; }

static uint64_t bytes_of(const struct vault *vault, const struct tier_block *block) {
    return record_bytes(block->count, vault->format.payload_bytes);
}

struct batch {
    struct vault *vault;
    const struct tier_block *blocks; // [count]
    const void *const *payloads;
    struct tier_place places[TIER_MAX_BATCH];
    bool fresh[TIER_MAX_BATCH]; // it has no row, and no earlier one of the batch is the same
    int32_t count, fresh_count;
    uint64_t fresh_bytes;
};

static bool is_earlier_one(const struct batch *batch, int32_t index) {
    for (int32_t i = 0; i < index; i++)
        if (hash_equal(batch->blocks[i].key, batch->blocks[index].key)) return true;
    return false;
}

static enum status find_fresh(struct batch *batch, struct error *err) {
    struct vault *vault = batch->vault;
    for (int32_t i = 0; i < batch->count; i++) {
        struct vault_row row = {0};
        const struct tier_block *block = &batch->blocks[i];
        ASSERT(block->count >= 1 && block->count <= vault->format.block_size);
        const enum status status =
            vault_index_find(vault->index, vault->format_number, block->key, &row, err);
        if (status != STATUS_OK && status != STATUS_NOT_FOUND)
            return vault_index_answer(vault, status);
        batch->places[i] = (struct tier_place){.segment = row.segment, .offset = row.offset};
        batch->fresh[i] = status == STATUS_NOT_FOUND && !is_earlier_one(batch, i);
        if (!batch->fresh[i]) continue;
        batch->fresh_count++;
        batch->fresh_bytes += bytes_of(vault, block);
    }
    return STATUS_OK;
}

// The payload goes from the caller's memory to the file, with nothing between.
static enum status append_block(struct batch *batch, int32_t index, struct error *err) {
    static const uint8_t zeros[RECORD_ALIGNMENT];
    const struct tier_format *format = &batch->vault->format;
    const struct tier_block *block = &batch->blocks[index];
    const void *payload = batch->payloads[index];
    uint8_t header[RECORD_MAX_HEADER];
    struct record record = {.format = format->id,
                            .key = block->key,
                            .parent = block->parent,
                            .payload_hash = record_hash(payload, format->payload_bytes),
                            .payload_bytes = format->payload_bytes,
                            .block_size = format->block_size,
                            .count = block->count};
    memcpy(record.model, batch->vault->model, sizeof record.model);
    memcpy(record.ids, block->ids, (size_t)block->count * sizeof *block->ids);
    record_encode(&record, header);
    const size_t header_bytes = record_header_bytes(block->count);
    const uint64_t padding = bytes_of(batch->vault, block) - header_bytes - format->payload_bytes;
    struct iovec pieces[] = {{header, header_bytes},
                             {(void *)(uintptr_t)payload, format->payload_bytes},
                             {(void *)(uintptr_t)zeros, (size_t)padding}};
    return vault_tail_append(batch->vault, pieces, 3, &batch->places[index], err);
}

static enum status append_fresh(struct batch *batch, struct error *err) {
    TRY(vault_tail_take(batch->vault, err));
    for (int32_t i = 0; i < batch->count; i++) {
        if (!batch->fresh[i]) continue;
        const enum status status = append_block(batch, i, err);
        if (status != STATUS_OK) {
            vault_tail_forget(batch->vault);
            return status;
        }
    }
    return STATUS_OK;
}

static enum status enter_block(struct batch *batch, int32_t index, int64_t now_ms,
                               struct error *err) {
    struct vault *vault = batch->vault;
    const struct tier_block *block = &batch->blocks[index];
    struct vault_row row;
    const enum status status =
        vault_index_find(vault->index, vault->format_number, block->key, &row, err);
    if (status == STATUS_OK) { // so it is, or another process was faster
        batch->places[index] = (struct tier_place){.segment = row.segment, .offset = row.offset};
        return STATUS_OK;
    }
    if (status != STATUS_NOT_FOUND) return status;
    if (!batch->fresh[index])
        return error_set(err, STATUS_BUSY, "another quire has dropped a block of this write");
    row = (struct vault_row){.format = vault->format_number,
                             .key = block->key,
                             .parent = block->parent,
                             .count = block->count,
                             .segment = batch->places[index].segment,
                             .offset = batch->places[index].offset,
                             .bytes = bytes_of(vault, block),
                             .used_ms = now_ms};
    return vault_index_add(vault->index, &row, block->ids, err);
}

static enum status enter_batch(void *user, struct error *err) {
    struct batch *batch = user;
    const int64_t now_ms = store_now_ms();
    for (int32_t i = 0; i < batch->count; i++)
        TRY(enter_block(batch, i, now_ms, err));
    return STATUS_OK;
}

// Its rows take some pages, which first lie in SQLite's log and then in its file.
static uint64_t bytes_of_rows(const struct batch *batch) {
    enum { PAGE_BYTES = 4096, PAGES_EACH = 2, PAGES = 16 };
    return PAGE_BYTES * (PAGES + PAGES_EACH * (uint64_t)batch->fresh_count);
}

static enum status write_fresh(struct batch *batch, struct error *err) {
    struct vault *vault = batch->vault;
    TRY(vault_room_make(vault, batch->fresh_bytes + bytes_of_rows(batch), batch->blocks,
                        batch->count, err));
    TRY(append_fresh(batch, err));
    TRY(vault_tail_commit(vault, enter_batch, batch, err));
    vault->blocks += (uint64_t)batch->fresh_count;
    vault->payload_bytes += (uint64_t)batch->fresh_count * vault->format.payload_bytes;
    vault_measure(vault);
    if (vault->limit_bytes > 0 && vault->stored_bytes > vault->limit_bytes) {
        vault_index_shrink_log(vault->index);
        vault_measure(vault);
    }
    return STATUS_OK;
}

static enum status write_blocks(struct tier *tier, struct tier_block *blocks,
                                const void *const *payloads, int32_t count, struct error *err) {
    struct batch batch = {
        .vault = vault_of(tier), .blocks = blocks, .payloads = payloads, .count = count};
    ASSERT(count >= 1 && count <= TIER_MAX_BATCH);
    if (batch.vault->read_only)
        return error_set(err, STATUS_UNSUPPORTED, "the KV cache is open to be read only");
    TRY(find_fresh(&batch, err));
    if (batch.fresh_count > 0) TRY(write_fresh(&batch, err));
    for (int32_t i = 0; i < count; i++)
        blocks[i].place = batch.places[i];
    return STATUS_OK;
}

// Asks the kernel for all of the batch before the first of it is waited for.
static void read_ahead(struct vault *vault, const struct tier_block *blocks, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        int file;
        const struct tier_place place = blocks[i].place;
        if (place.segment == 0 || place.offset > INT64_MAX ||
            segment_files_get(&vault->files, place.segment, &file, NULL) != STATUS_OK)
            continue;
        posix_fadvise(file, (off_t)place.offset, (off_t)bytes_of(vault, &blocks[i]),
                      POSIX_FADV_WILLNEED);
    }
}

static bool is_of_block(const struct vault *vault, const struct record *record,
                        const struct tier_block *block) {
    return hash_equal(record->parent, block->parent) && record->count == block->count &&
           record->payload_bytes == vault->format.payload_bytes &&
           memcmp(record->ids, block->ids, (size_t)block->count * sizeof *block->ids) == 0;
}

// The header is read with the payload, in one call, by the length that it must have.
static enum status read_at(struct vault *vault, struct tier_place place,
                           const struct tier_block *block, void *payload) {
    int file;
    struct record record;
    uint8_t header[RECORD_MAX_HEADER];
    const size_t header_bytes = record_header_bytes(block->count);
    const size_t payload_bytes = vault->format.payload_bytes;
    struct iovec pieces[] = {{header, header_bytes}, {payload, payload_bytes}};
    if (place.segment == 0) return STATUS_NOT_FOUND;
    TRY(segment_files_get(&vault->files, place.segment, &file, NULL));
    TRY(segment_read(file, place.offset, pieces, 2, NULL));
    if (!record_decode(header, header_bytes, &record)) return STATUS_BAD_FILE;
    if (!hash_equal(record.key, block->key) || !hash_equal(record.format, vault->format.id))
        return STATUS_NOT_FOUND;
    if (!is_of_block(vault, &record, block) ||
        !hash_equal(record_hash(payload, payload_bytes), record.payload_hash))
        return STATUS_BAD_FILE;
    return STATUS_OK;
}

// A block that is not where it was may have been moved by compaction; its row knows.
static enum status read_block(struct vault *vault, const struct tier_block *block, void *payload,
                              struct vault_row *row) {
    *row = (struct vault_row){0};
    const enum status status = read_at(vault, block->place, block, payload);
    if (status == STATUS_OK || status == STATUS_IO) return status;
    struct vault_row found;
    if (vault_index_find(vault->index, vault->format_number, block->key, &found, NULL) != STATUS_OK)
        return status;
    *row = found;
    if (found.segment == block->place.segment && found.offset == block->place.offset) return status;
    const struct tier_place place = {.segment = found.segment, .offset = found.offset};
    return read_at(vault, place, block, payload);
}

static bool is_missing(const struct vault *vault, uint32_t segment) {
    int file;
    const enum status status = segment_open(vault->folder, segment, SEGMENT_READ, &file, NULL);
    if (status == STATUS_OK) close(file);
    return status == STATUS_NOT_FOUND;
}

struct missing { // a segment that is gone
    uint32_t segment;
    size_t failed; // blocks of it that were to be read
};

// Those of the rows' segments; returns how many.
static size_t find_missing(const struct vault *vault, const struct vault_row *rows, size_t count,
                           struct missing missing[TIER_MAX_BATCH]) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < found && missing[at].segment != rows[i].segment)
            at++;
        if (at == found && !is_missing(vault, rows[i].segment)) continue;
        if (at == found) missing[found++] = (struct missing){.segment = rows[i].segment};
        missing[at].failed++;
    }
    return found;
}

// What else lay in it.
static void drop_segment(struct vault *vault, const struct missing *missing) {
    struct error err = {0};
    struct vault_row *rows;
    size_t count;
    enum status status =
        vault_index_segment_rows(vault->index, missing->segment, &rows, &count, &err);
    if (status == STATUS_OK) {
        log_write(LOG_WARNING, "the KV cache: segment %u is gone, and %zu blocks with it",
                  missing->segment, missing->failed + count);
        status = vault_room_drop(vault, rows, count, true, &err);
        free(rows);
    }
    if (status != STATUS_OK) warn(&err);
}

static void drop_failed(struct vault *vault, struct vault_row *rows, size_t count) {
    struct error err = {0};
    struct missing missing[TIER_MAX_BATCH];
    const size_t missing_count = find_missing(vault, rows, count, missing);
    if (vault_room_drop(vault, rows, count, false, &err) != STATUS_OK) warn(&err);
    for (size_t i = 0; i < missing_count; i++)
        drop_segment(vault, &missing[i]);
}

static void read_blocks(struct tier *tier, const struct tier_block *blocks, void *const *payloads,
                        int32_t count, enum status *outcomes) {
    struct vault *vault = vault_of(tier);
    struct vault_row failed[TIER_MAX_BATCH];
    size_t failed_count = 0;
    ASSERT(count >= 1 && count <= TIER_MAX_BATCH);
    read_ahead(vault, blocks, count);
    for (int32_t i = 0; i < count; i++) {
        struct vault_row row;
        outcomes[i] = read_block(vault, &blocks[i], payloads[i], &row);
        if (outcomes[i] == STATUS_OK || outcomes[i] == STATUS_IO) continue;
        if (row.id != 0) failed[failed_count++] = row;
        vault_tell_dropped(vault, vault->format_number, blocks[i].key);
    }
    if (failed_count > 0) drop_failed(vault, failed, failed_count);
}

static void drop(struct tier *tier, const struct tier_block *blocks, int32_t count) {
    struct vault *vault = vault_of(tier);
    struct error err = {0};
    size_t found = 0;
    struct vault_row *rows = malloc(((size_t)count + 1) * sizeof *rows);
    if (!rows) return;
    for (int32_t i = 0; i < count; i++)
        found += vault_index_find(vault->index, vault->format_number, blocks[i].key, &rows[found],
                                  NULL) == STATUS_OK;
    if (vault_room_drop(vault, rows, found, false, &err) != STATUS_OK) warn(&err);
    free(rows);
    vault_measure(vault);
}

// Ends a transaction of bookkeeping, whose failure costs efficiency only.
static void finish(struct vault *vault, enum status status, struct error *err) {
    if (status == STATUS_OK) status = db_commit(vault->index, err);
    if (status == STATUS_OK) return;
    db_rollback(vault->index);
    vault_index_answer(vault, status);
    warn(err);
}

static void touch(struct tier *tier, const struct tier_block *blocks, int32_t count) {
    struct vault *vault = vault_of(tier);
    struct error err = {0};
    const int64_t now_ms = store_now_ms();
    enum status status = db_begin(vault->index, &err);
    for (int32_t i = 0; i < count && status == STATUS_OK; i++)
        status = vault_index_touch(vault->index, vault->format_number, blocks[i].key, now_ms,
                                   now_ms - TOUCH_MS, &err);
    finish(vault, status, &err);
}

static void hold(struct tier *tier, uint64_t holder, struct hash128 leaf) {
    struct vault *vault = vault_of(tier);
    struct error err = {0};
    const struct vault_holder row = {
        .holder = holder, .format = vault->format_number, .leaf = leaf};
    enum status status = db_begin(vault->index, &err);
    if (status == STATUS_OK) status = vault_index_hold(vault->index, &row, &err);
    finish(vault, status, &err);
}

static void let_go(struct tier *tier, uint64_t holder) {
    struct vault *vault = vault_of(tier);
    struct error err = {0};
    enum status status = db_begin(vault->index, &err);
    if (status == STATUS_OK) status = vault_index_let_go(vault->index, holder, &err);
    finish(vault, status, &err);
}

static void note_speed(struct tier *tier, struct tier_speed now) {
    struct vault *vault = vault_of(tier);
    struct error err = {0};
    enum status status = db_begin(vault->index, &err);
    if (status == STATUS_OK)
        status = vault_index_set_speed(vault->index, vault->format_number, now, &err);
    finish(vault, status, &err);
    vault->speed = now;
}

static struct tier_usage usage(struct tier *tier) {
    const struct vault *vault = vault_of(tier);
    return (struct tier_usage){
        .blocks = vault->blocks,
        .stored_bytes = vault->stored_bytes,
        .limit_bytes = vault->limit_bytes,
        .written_bytes =
            vault->record_bytes +
            (vault->index && !vault->read_only ? vault_index_written(vault->index) : 0),
        .payload_bytes = vault->payload_bytes,
    };
}

static void close_tier(struct tier *tier) {
    struct vault *vault = vault_of(tier);
    vault_close(vault);
    free(vault->path);
    free(vault);
}

static const struct tier_verbs VERBS = {
    .begin = begin,
    .list = list,
    .speed = speed,
    .write = write_blocks,
    .read = read_blocks,
    .drop = drop,
    .touch = touch,
    .hold = hold,
    .let_go = let_go,
    .note_speed = note_speed,
    .usage = usage,
    .close = close_tier,
};

struct tier *vault_create(const struct vault_options *options) {
    struct vault *vault = calloc(1, sizeof *vault);
    if (!vault) return NULL;
    vault->tier.verbs = &VERBS;
    vault->folder = -1;
    vault->limit_bytes = options->limit_bytes;
    vault->read_only = options->read_only;
    vault->path = strdup(options->folder);
    if (vault->path) return &vault->tier;
    free(vault);
    return NULL;
}
