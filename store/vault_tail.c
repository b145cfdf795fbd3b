// store/vault_tail.c — the segment that this process appends to.
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "kernels/base/log.h"
#include "store/statement.h"
#include "store/vault_state.h"

static const uint64_t FULL_BYTES = (uint64_t)VAULT_SEGMENT_MIB << 20;

static void start(struct vault *vault, uint32_t number, int file, uint64_t end) {
    vault->tail = (struct vault_tail){.number = number, .file = file, .durable = end, .end = end};
}

// A segment with room that nobody has locked. Behind its durable bytes may lie those of a
// process that has died.
static enum status try_one(struct vault *vault, uint32_t number, struct error *err) {
    int file;
    uint64_t durable = 0;
    TRY(segment_open_locked(vault->folder, number, SEGMENT_WRITE, &file, err));
    enum status status = vault_index_durable(vault->index, number, &durable, err);
    if (status == STATUS_NOT_FOUND) status = STATUS_OK;
    if (status == STATUS_OK && segment_size(file) > durable) {
        struct vault_report report = {0};
        status = vault_scan(vault, number, file, durable, &report, err);
        durable = segment_size(file);
    }
    const bool usable = status == STATUS_OK && durable < FULL_BYTES &&
                        segment_size(file) == durable && !segment_is_gone(file);
    if (usable)
        start(vault, number, file, durable);
    else
        close(file);
    return status == STATUS_OK && !usable ? STATUS_BUSY : status;
}

static enum status try_all(struct vault *vault, const uint32_t *numbers, size_t count) {
    for (size_t i = count; i-- > 0;) {
        int file;
        if (segment_open(vault->folder, numbers[i], SEGMENT_READ, &file, NULL) != STATUS_OK)
            continue;
        const bool full = segment_size(file) >= FULL_BYTES;
        close(file);
        if (!full && try_one(vault, numbers[i], NULL) == STATUS_OK) return STATUS_OK;
    }
    return STATUS_NOT_FOUND;
}

static enum status make_one(struct vault *vault, uint32_t number, struct error *err) {
    enum { TRIES = 16 }; // other processes make theirs, and remove those that nobody has locked
    int file;
    enum status status = STATUS_BUSY;
    for (int i = 0; i < TRIES && (status == STATUS_BUSY || status == STATUS_NOT_FOUND); i++)
        status = segment_open_locked(vault->folder, ++number, SEGMENT_CREATE, &file, err);
    if (status != STATUS_OK) return status;
    start(vault, number, file, 0);
    if (fsync(vault->folder) != 0) // the file's name must be durable like its bytes
        log_write(LOG_WARNING, "%s cannot be synced: a power cut may take new blocks", vault->path);
    return STATUS_OK;
}

enum status vault_tail_take(struct vault *vault, struct error *err) {
    ASSERT(vault->tail.durable == vault->tail.end);
    const bool usable = vault->tail.number != 0 && vault->tail.end < FULL_BYTES &&
                        !segment_is_gone(vault->tail.file);
    if (usable) return STATUS_OK;
    vault_tail_release(vault);
    uint32_t *numbers, last;
    size_t count;
    TRY(vault_index_last_segment(vault->index, &last, err));
    TRY(segment_list(vault->folder, &numbers, &count, err));
    enum status status = try_all(vault, numbers, count);
    if (count > 0 && numbers[count - 1] > last) last = numbers[count - 1];
    free(numbers);
    if (status != STATUS_OK) status = make_one(vault, last, err);
    return status;
}

enum status vault_tail_append(struct vault *vault, struct iovec *pieces, int count,
                              struct tier_place *place, struct error *err) {
    struct vault_tail *tail = &vault->tail;
    ASSERT(tail->number != 0 && tail->end % RECORD_ALIGNMENT == 0);
    uint64_t bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += pieces[i].iov_len;
    ASSERT(bytes % RECORD_ALIGNMENT == 0);
    TRY(segment_write(tail->file, tail->end, pieces, count, err));
    *place = (struct tier_place){.segment = tail->number, .offset = tail->end};
    tail->end += bytes;
    return STATUS_OK;
}

static enum status enter_rows(struct vault *vault, vault_enter *enter, void *user,
                              struct error *err) {
    struct db *db = vault->index;
    TRY(db_begin(db, err));
    enum status status = vault_index_set_durable(db, vault->tail.number, vault->tail.end, err);
    if (status == STATUS_OK) status = enter(user, err);
    if (status == STATUS_OK) status = db_commit(db, err);
    if (status != STATUS_OK) db_rollback(db);
    return vault_index_answer(vault, status);
}

enum status vault_tail_commit(struct vault *vault, vault_enter *enter, void *user,
                              struct error *err) {
    struct vault_tail *tail = &vault->tail;
    enum status status = segment_sync(tail->file, err);
    if (status == STATUS_OK) status = enter_rows(vault, enter, user, err);
    if (status != STATUS_OK) {
        vault_tail_forget(vault);
        return status;
    }
    vault->record_bytes += tail->end - tail->durable;
    tail->durable = tail->end;
    return STATUS_OK;
}

// Where the bytes cannot be cut off, they stay for the next opening to look at.
void vault_tail_forget(struct vault *vault) {
    struct vault_tail *tail = &vault->tail;
    if (tail->number == 0) return;
    const bool cut = segment_cut(tail->file, tail->durable, NULL) == STATUS_OK;
    tail->end = tail->durable;
    if (!cut) vault_tail_release(vault);
}

void vault_tail_release(struct vault *vault) {
    struct vault_tail *tail = &vault->tail;
    if (tail->number == 0) return;
    if (tail->durable == 0 && segment_size(tail->file) == 0)
        (void)!segment_remove(vault->folder, tail->number, NULL);
    close(tail->file);
    *tail = (struct vault_tail){0};
}
