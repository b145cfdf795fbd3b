#include "store/vault_room.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "kernels/base/log.h"
#include "kernels/base/size.h"
#include "store/statement.h"
#include "store/vault_tree.h"

void vault_tell_dropped(const struct vault *vault, int64_t format, struct hash128 key) {
    if (vault->dropped && format == vault->format_number) vault->dropped(vault->user, key);
}

static int by_place(const void *left, const void *right) {
    const struct vault_row *a = left, *b = right;
    if (a->segment != b->segment) return a->segment < b->segment ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static enum status remove_rows(struct vault *vault, const struct vault_row *rows, size_t count,
                               struct error *err) {
    TRY(db_begin(vault->index, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = vault_index_remove(vault->index, rows[i].id, err);
    if (status == STATUS_OK) status = db_commit(vault->index, err);
    if (status != STATUS_OK) db_rollback(vault->index);
    return vault_index_answer(vault, status);
}

// Removes a segment in which no row lies. The lock keeps others from beginning to append to it.
static enum status remove_if_empty(struct vault *vault, uint32_t segment, struct error *err) {
    int file;
    uint64_t live = 0;
    if (segment == vault->tail.number) return STATUS_BUSY;
    TRY(segment_open_locked(vault->folder, segment, SEGMENT_WRITE, &file, NULL));
    enum status status = db_begin(vault->index, err);
    if (status == STATUS_OK) {
        status = vault_index_live(vault->index, segment, &live, err);
        if (status == STATUS_OK && live > 0) status = STATUS_BUSY;
        if (status == STATUS_OK) status = vault_index_forget_segment(vault->index, segment, err);
        if (status == STATUS_OK) status = db_commit(vault->index, err);
        if (status != STATUS_OK) db_rollback(vault->index);
    }
    if (status == STATUS_OK) status = segment_remove(vault->folder, segment, err);
    close(file);
    return vault_index_answer(vault, status);
}

// rows[0, count) lie in one segment, by offset. What cannot be punched stays for compaction.
static void punch_rows(struct vault *vault, const struct vault_row *rows, size_t count) {
    int file;
    if (segment_open(vault->folder, rows[0].segment, SEGMENT_WRITE, &file, NULL) != STATUS_OK)
        return;
    for (size_t i = 0; i < count;) {
        const uint64_t from = rows[i].offset;
        uint64_t to = from;
        for (; i < count && rows[i].offset == to; i++)
            to += rows[i].bytes;
        if (to > from)
            (void)!segment_punch(file, from, to - from, NULL);
        else
            i++; // a row over another's bytes, which only a damaged index has
    }
    close(file);
}

static void free_rows(struct vault *vault, struct vault_row *rows, size_t count) {
    qsort(rows, count, sizeof *rows, by_place);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && rows[end].segment == rows[i].segment; end++)
            continue;
        uint64_t live;
        const bool known =
            vault_index_live(vault->index, rows[i].segment, &live, NULL) == STATUS_OK;
        if (!known || live > 0 || remove_if_empty(vault, rows[i].segment, NULL) != STATUS_OK)
            punch_rows(vault, rows + i, end - i);
    }
}

enum status vault_room_drop(struct vault *vault, struct vault_row *rows, size_t count, bool tell,
                            struct error *err) {
    if (count == 0) return STATUS_OK;
    TRY(remove_rows(vault, rows, count, err));
    for (size_t i = 0; i < count; i++) {
        vault->blocks -= rows[i].format == vault->format_number && vault->blocks > 0;
        if (tell) vault_tell_dropped(vault, rows[i].format, rows[i].key);
    }
    if (!vault->read_only) free_rows(vault, rows, count);
    return STATUS_OK;
}

struct move {
    struct vault *vault;
    const struct vault_row *rows; // [count]
    struct tier_place *places;    // [count] of the copies; segment 0: it was damaged
    size_t count;
};

static enum status enter_moved(void *user, struct error *err) {
    const struct move *move = user;
    struct db *db = move->vault->index;
    for (size_t i = 0; i < move->count; i++)
        TRY(move->places[i].segment != 0
                ? vault_index_move(db, &move->rows[i], move->places[i], err)
                : vault_index_remove(db, move->rows[i].id, err));
    return STATUS_OK;
}

bool vault_row_fits(const struct vault_row *row, const uint8_t *bytes) {
    struct record record;
    return record_decode(bytes, (size_t)row->bytes, &record) &&
           record_bytes(record.count, record.payload_bytes) == row->bytes &&
           record.count == row->count && hash_equal(record.key, row->key) &&
           hash_equal(record.parent, row->parent) &&
           hash_equal(record_hash(bytes + RECORD_IDS_OFFSET, 4 * (size_t)record.count),
                      row->ids_hash) &&
           hash_equal(record_hash(bytes + record_header_bytes(record.count), record.payload_bytes),
                      record.payload_hash);
}

// Copies the record behind the others; one that is damaged gets no place.
static enum status copy_record(struct vault *vault, int from, const struct vault_row *row,
                               struct tier_place *place, struct error *err) {
    uint8_t *bytes = malloc((size_t)row->bytes);
    if (!bytes) return STATUS_NO_MEMORY;
    struct iovec piece = {bytes, (size_t)row->bytes};
    *place = (struct tier_place){0};
    enum status status = segment_read(from, row->offset, &piece, 1, err);
    if (status == STATUS_OK && vault_row_fits(row, bytes)) {
        piece = (struct iovec){bytes, (size_t)row->bytes};
        status = vault_tail_append(vault, &piece, 1, place, err);
    }
    free(bytes);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static enum status move_rows(struct vault *vault, int from, const struct vault_row *rows,
                             size_t count, struct error *err) {
    struct tier_place places[TIER_MAX_BATCH];
    struct move move = {vault, rows, places, count};
    TRY(vault_tail_take(vault, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = copy_record(vault, from, &rows[i], &places[i], err);
    if (status != STATUS_OK) {
        vault_tail_forget(vault);
        return status;
    }
    TRY(vault_tail_commit(vault, enter_moved, &move, err));
    for (size_t i = 0; i < count; i++)
        if (places[i].segment == 0) vault_tell_dropped(vault, rows[i].format, rows[i].key);
    return STATUS_OK;
}

enum status vault_room_compact(struct vault *vault, uint32_t segment, struct error *err) {
    struct vault_row *rows = NULL;
    size_t count = 0;
    int file;
    if (segment == vault->tail.number) vault_tail_release(vault);
    TRY(segment_open_locked(vault->folder, segment, SEGMENT_WRITE, &file, err));
    enum status status = vault_index_segment_rows(vault->index, segment, &rows, &count, err);
    for (size_t i = 0; i < count && status == STATUS_OK; i += TIER_MAX_BATCH) {
        const size_t some = count - i < TIER_MAX_BATCH ? count - i : TIER_MAX_BATCH;
        status = move_rows(vault, file, rows + i, some, err);
    }
    free(rows);
    close(file);
    if (status == STATUS_OK) status = remove_if_empty(vault, segment, err);
    return vault_index_answer(vault, status);
}

// A segment's bytes on the disk that no record needs. File systems count some of their own
// bookkeeping as a file's, which moving would not save.
static uint64_t waste(const struct vault *vault, const struct vault_extent *extent) {
    enum { BOOKKEEPING = 64 << 10 };
    int file;
    if (segment_open(vault->folder, extent->number, SEGMENT_READ, &file, NULL) != STATUS_OK)
        return 0;
    const uint64_t stored = segment_stored(file);
    close(file);
    return stored > extent->live_bytes + BOOKKEEPING ? stored - extent->live_bytes : 0;
}

// The one that gives most for what moving it costs, or 0.
static uint32_t find_sparsest(const struct vault *vault, const struct vault_extent *extents,
                              size_t count) {
    uint32_t sparsest = 0;
    double best = 0;
    for (size_t i = 0; i < count; i++) {
        const double gain = (double)waste(vault, &extents[i]) / ((double)extents[i].live_bytes + 1);
        if (gain > best) {
            best = gain;
            sparsest = extents[i].number;
        }
    }
    return sparsest;
}

// rows are by place, as vault_room_drop() leaves them.
enum status vault_room_tidy(struct vault *vault, const struct vault_row *rows, size_t count,
                            struct error *err) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (i > 0 && rows[i - 1].segment == rows[i].segment) continue;
        struct vault_extent extent = {.number = rows[i].segment};
        status = vault_index_live(vault->index, extent.number, &extent.live_bytes, err);
        if (status == STATUS_OK && waste(vault, &extent) > 0)
            status = vault_room_compact(vault, extent.number, err);
        if (status == STATUS_BUSY) status = STATUS_OK;
    }
    return status;
}

static bool fits(struct vault *vault, uint64_t incoming) {
    vault_measure(vault);
    return vault->stored_bytes + incoming <= vault->limit_bytes;
}

// Compacts the sparsest segments until the incoming bytes fit or nothing is won any more.
static enum status compact_some(struct vault *vault, uint64_t incoming, struct error *err) {
    struct vault_extent *extents;
    size_t count;
    enum status status = vault_index_segments(vault->index, &extents, &count, err);
    if (status != STATUS_OK) return vault_index_answer(vault, status);
    for (size_t left = count; left > 0 && status == STATUS_OK && !fits(vault, incoming); left--) {
        const uint32_t segment = find_sparsest(vault, extents, count);
        if (segment == 0) break;
        status = vault_room_compact(vault, segment, err);
        if (status == STATUS_BUSY) status = STATUS_OK;
        for (size_t i = 0; i < count; i++)
            if (extents[i].number == segment) extents[i].live_bytes = UINT64_MAX / 4; // done with
    }
    free(extents);
    return status;
}

enum rank { RANK_UNHELD, RANK_HELD, RANK_KEPT };

struct candidate {
    uint32_t node, place;
    enum rank rank;
    int64_t used_ms;
};

// Ranks and times never fall from a block to the one above it, so this order has leaves first.
static int least_valuable_first(const void *left, const void *right) {
    const struct candidate *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    if (a->used_ms != b->used_ms) return a->used_ms < b->used_ms ? -1 : 1;
    return (a->place < b->place) - (a->place > b->place);
}

static void keep_path(const struct vault_tree *tree, struct candidate *candidates, uint32_t node) {
    for (; node != VAULT_NO_NODE; node = tree->nodes[node].above)
        candidates[node].rank = RANK_KEPT;
}

static void rank_all(const struct vault *vault, const struct vault_tree *tree,
                     const struct tier_block *blocks, int32_t count, struct candidate *candidates) {
    for (uint32_t i = 0; i < tree->count; i++)
        candidates[i] = (struct candidate){
            .node = i,
            .place = tree->nodes[i].place,
            .rank = tree->nodes[i].holders > 0 ? RANK_HELD : RANK_UNHELD,
            .used_ms = tree->nodes[i].used_ms,
        };
    for (int32_t i = 0; i < count; i++) {
        keep_path(tree, candidates, vault_tree_find(tree, vault->format_number, blocks[i].key));
        keep_path(tree, candidates, vault_tree_find(tree, vault->format_number, blocks[i].parent));
    }
    qsort(candidates, tree->count, sizeof *candidates, least_valuable_first);
}

// Drops blocks until those of `bytes` are gone, or all that may be.
static enum status drop_some(struct vault *vault, uint64_t bytes, const struct tier_block *blocks,
                             int32_t count, struct error *err) {
    struct vault_tree tree = {0};
    uint64_t freed = 0;
    size_t doomed = 0;
    enum status status = vault_tree_init(&tree, vault->index, 0, err);
    if (status != STATUS_OK) return vault_index_answer(vault, status);
    struct candidate *candidates = malloc((tree.count + (size_t)1) * sizeof *candidates);
    struct vault_row *rows = malloc((tree.count + (size_t)1) * sizeof *rows);
    if (candidates && rows) {
        rank_all(vault, &tree, blocks, count, candidates);
        for (; doomed < tree.count && freed < bytes && candidates[doomed].rank != RANK_KEPT;
             doomed++) {
            rows[doomed] = tree.nodes[candidates[doomed].node].row;
            freed += rows[doomed].bytes;
        }
        status = vault_room_drop(vault, rows, doomed, true, err);
    } else {
        status = STATUS_NO_MEMORY;
    }
    free(candidates);
    free(rows);
    vault_tree_deinit(&tree);
    return status;
}

static enum status sum_live(struct vault *vault, uint64_t *live_bytes, struct error *err) {
    struct vault_extent *extents;
    size_t count;
    const enum status status = vault_index_segments(vault->index, &extents, &count, err);
    if (status != STATUS_OK) return vault_index_answer(vault, status);
    *live_bytes = 0;
    for (size_t i = 0; i < count; i++)
        *live_bytes += extents[i].live_bytes;
    free(extents);
    return STATUS_OK;
}

// One process makes room at a time: bytes whose rows another has removed, and which it is about to
// punch, would look like bytes that more blocks must be dropped for. The lock is on the folder
// and vanishes with the process; one that is stopped is not waited for for ever.
static void lock_room(const struct vault *vault) {
    enum { TRIES = 1000, PAUSE_US = DB_BUSY_MS };
    for (int i = 0; i < TRIES && flock(vault->folder, LOCK_EX | LOCK_NB) != 0; i++) {
        if (errno != EWOULDBLOCK) return; // a file system without such locks
        usleep(PAUSE_US);
    }
}

// First down to nine tenths by what the records count, so that it is not needed at each write;
// where that does not do (others hold segments that waste room, or write meanwhile), by what is
// still too much.
static enum status make_room(struct vault *vault, uint64_t incoming,
                             const struct tier_block *blocks, int32_t count, struct error *err) {
    enum { ROUNDS = 4 };
    const uint64_t goal = vault->limit_bytes - vault->limit_bytes / 10;
    for (int round = 0; round < ROUNDS && !fits(vault, incoming); round++) {
        uint64_t live = 0;
        TRY(sum_live(vault, &live, err));
        const uint64_t expected = live + vault->index_bytes + incoming;
        uint64_t excess = expected > goal ? expected - goal : 0;
        if (round > 0) excess = vault->stored_bytes + incoming - goal;
        TRY(drop_some(vault, excess, blocks, count, err));
        vault_index_shrink_log(vault->index);
        TRY(compact_some(vault, incoming, err));
    }
    if (fits(vault, incoming)) return STATUS_OK;
    char limit[SIZE_TEXT_BYTES];
    return error_set(err, STATUS_FULL, "the KV cache in %s is full (limit %s)", vault->path,
                     size_format(vault->limit_bytes, limit));
}

enum status vault_room_make(struct vault *vault, uint64_t incoming, const struct tier_block *blocks,
                            int32_t count, struct error *err) {
    if (vault->limit_bytes == 0 || fits(vault, incoming)) return STATUS_OK;
    lock_room(vault);
    vault_index_shrink_log(vault->index);
    const enum status status = make_room(vault, incoming, blocks, count, err);
    flock(vault->folder, LOCK_UN);
    return status;
}
