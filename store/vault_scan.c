// store/vault_scan.c — finds the records of a segment by reading it.
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "kernels/base/log.h"
#include "kernels/base/size.h"
#include "store/statement.h"
#include "store/vault_state.h"

struct scan {
    struct vault *vault;
    uint32_t segment;
    int file;
    uint64_t size;
    uint64_t known_end;     // of the last record that was entered, or where the scan began
    uint64_t entered_bytes; // of records
    uint64_t entered;
    int64_t used_ms; // of what is entered: when the file was last written
    uint8_t *payload;
    size_t payload_capacity;
    struct record record; // the one being looked at
};

// Whether a whole record that verifies lies at the offset; it is then in scan->record.
static enum status look(struct scan *scan, uint64_t offset, bool *found, struct error *err) {
    uint8_t header[RECORD_MAX_HEADER];
    struct record *record = &scan->record;
    const uint64_t left = scan->size - offset;
    struct iovec piece = {header, left < sizeof header ? (size_t)left : sizeof header};
    const size_t length = piece.iov_len;
    *found = false;
    TRY(segment_read(scan->file, offset, &piece, 1, err));
    if (!record_decode(header, length, record) ||
        record_bytes(record->count, record->payload_bytes) > left)
        return STATUS_OK;
    if (record->payload_bytes > scan->payload_capacity) {
        uint8_t *grown = realloc(scan->payload, record->payload_bytes);
        if (!grown) return STATUS_NO_MEMORY;
        scan->payload = grown;
        scan->payload_capacity = record->payload_bytes;
    }
    piece = (struct iovec){scan->payload, record->payload_bytes};
    TRY(segment_read(scan->file, offset + record_header_bytes(record->count), &piece, 1, err));
    *found = hash_equal(record_hash(scan->payload, record->payload_bytes), record->payload_hash);
    return STATUS_OK;
}

// A block that has a row elsewhere needs no second one: its bytes are nobody's then.
static enum status enter(struct scan *scan, uint64_t offset, bool *entered, struct error *err) {
    const struct record *record = &scan->record;
    struct db *db = scan->vault->index;
    const struct tier_format format = {.id = record->format,
                                       .block_size = record->block_size,
                                       .payload_bytes = record->payload_bytes,
                                       .model = record->model};
    struct vault_row row = {.key = record->key,
                            .parent = record->parent,
                            .count = record->count,
                            .segment = scan->segment,
                            .offset = offset,
                            .bytes = record_bytes(record->count, record->payload_bytes),
                            .used_ms = scan->used_ms};
    struct vault_row known;
    TRY(vault_index_format(db, &format, &row.format, err));
    const enum status status = vault_index_find(db, row.format, row.key, &known, err);
    *entered = status == STATUS_NOT_FOUND;
    return *entered ? vault_index_add(db, &row, record->ids, err) : status;
}

static void punch(struct scan *scan, uint64_t from, uint64_t to) {
    if (scan->vault->read_only || from >= to) return;
    (void)!segment_punch(scan->file, from, to - from, NULL); // else compaction will have it
}

static enum status scan_records(struct scan *scan, struct error *err) {
    uint64_t offset = scan->known_end;
    while (offset < scan->size && scan->size - offset >= RECORD_IDS_OFFSET) {
        bool found, entered = false;
        const enum status status = look(scan, offset, &found, err);
        if (status == STATUS_NO_MEMORY) return status;
        if (status != STATUS_OK) break; // what cannot be read is not kept
        if (found) TRY(enter(scan, offset, &entered, err));
        const uint64_t bytes =
            found ? record_bytes(scan->record.count, scan->record.payload_bytes) : RECORD_ALIGNMENT;
        if (entered) {
            punch(scan, scan->known_end, offset);
            scan->known_end = offset + bytes;
            scan->entered_bytes += bytes;
            scan->entered++;
        }
        offset += bytes;
    }
    return vault_index_set_durable(scan->vault->index, scan->segment, scan->known_end, err);
}

static int64_t modified_ms(int file) {
    struct stat info;
    if (fstat(file, &info) != 0 || info.st_mtim.tv_sec < 0) return 0;
    return (int64_t)info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1000000;
}

static enum status scan_in_transaction(struct scan *scan, struct error *err) {
    struct db *db = scan->vault->index;
    TRY(db_begin(db, err));
    // A block's row refers to its segment's.
    enum status status = vault_index_set_durable(db, scan->segment, scan->known_end, err);
    if (status == STATUS_OK) status = scan_records(scan, err);
    if (status == STATUS_OK) status = db_commit(db, err);
    if (status != STATUS_OK) db_rollback(db);
    return vault_index_answer(scan->vault, status);
}

// Cuts off what is behind the last record; what cannot be cut off is looked at again next time.
static enum status tidy(const struct scan *scan, struct error *err) {
    struct db *db = scan->vault->index;
    if (scan->size > scan->known_end) TRY(segment_cut(scan->file, scan->known_end, err));
    if (scan->known_end > 0) return STATUS_OK;
    TRY(vault_index_forget_segment(db, scan->segment, err));
    return segment_remove(scan->vault->folder, scan->segment, err);
}

enum status vault_scan(struct vault *vault, uint32_t segment, int file, uint64_t from,
                       struct vault_report *report, struct error *err) {
    struct scan scan = {.vault = vault,
                        .segment = segment,
                        .file = file,
                        .size = segment_size(file),
                        .known_end = size_round_up(from, RECORD_ALIGNMENT),
                        .used_ms = modified_ms(file)};
    enum status status = scan_in_transaction(&scan, err);
    free(scan.payload);
    if (status != STATUS_OK) return status;
    report->orphans += scan.entered;
    if (scan.size > from) report->orphan_bytes += scan.size - from - scan.entered_bytes;
    if (!vault->read_only) status = tidy(&scan, err);
    if (scan.entered > 0)
        log_write(LOG_INFO,
                  "segment %" PRIu32 " of the KV cache had %" PRIu64
                  " blocks without a row: entered",
                  segment, scan.entered);
    return status;
}
