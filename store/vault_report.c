// store/vault_report.c — the vault for people: what is in it, is it sound, and take it away.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/log.h"
#include "store/statement.h"
#include "store/vault_room.h"
#include "store/vault_tree.h"

// Opens a folder that is there: these functions make none.
static enum status open_existing(struct vault *vault, struct vault_report *report,
                                 struct error *err) {
    struct stat info;
    if (stat(vault->path, &info) != 0)
        return error_set(err, STATUS_NOT_FOUND, "there is no KV cache in %s", vault->path);
    return vault_open(vault, report, err);
}

static struct vault closed_vault(char *path, bool read_only) {
    return (struct vault){.path = path, .read_only = read_only, .folder = -1};
}

static int used_last_first(const void *left, const void *right) {
    const struct vault_format_usage *a = left, *b = right;
    return (a->used_ms < b->used_ms) - (a->used_ms > b->used_ms);
}

static enum status sum_formats(struct vault *vault, const struct vault_tree *tree,
                               struct vault_summary *summary, struct error *err) {
    struct vault_format_row *rows;
    size_t count;
    TRY(vault_index_formats(vault->index, &rows, &count, err));
    summary->formats = calloc(count + 1, sizeof *summary->formats);
    for (size_t i = 0; i < count && summary->formats; i++) {
        struct vault_format_usage *usage = &summary->formats[summary->format_count];
        *usage =
            (struct vault_format_usage){.format = rows[i].id, .block_size = rows[i].block_size};
        memcpy(usage->model, rows[i].model, sizeof usage->model);
        for (uint32_t k = 0; k < tree->count; k++) {
            const struct vault_row *block = &tree->nodes[k].row;
            if (block->format != rows[i].number) continue;
            usage->blocks++;
            usage->tokens += (uint64_t)block->count;
            usage->payload_bytes += rows[i].payload_bytes;
            if (usage->used_ms < block->used_ms) usage->used_ms = block->used_ms;
        }
        summary->format_count += usage->blocks > 0;
    }
    free(rows);
    if (!summary->formats) return STATUS_NO_MEMORY;
    qsort(summary->formats, summary->format_count, sizeof *summary->formats, used_last_first);
    return STATUS_OK;
}

// The tree's holders are sorted, so those of one number stand together.
static enum status sum_holders(const struct vault_tree *tree, struct vault_summary *summary) {
    summary->holders = calloc(tree->holder_count + 1, sizeof *summary->holders);
    if (!summary->holders) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < tree->holder_count; i++) {
        const uint64_t number = tree->holders[i].holder;
        if (i == 0 || tree->holders[i - 1].holder != number)
            summary->holders[summary->holder_count++].holder = number;
        struct vault_holder_usage *usage = &summary->holders[summary->holder_count - 1];
        for (const struct vault_node *node = vault_tree_leaf(tree, &tree->holders[i]); node;
             node = vault_tree_above(tree, node)) {
            usage->tokens += (uint64_t)node->row.count;
            *(node->holders > 1 ? &usage->shared_bytes : &usage->unique_bytes) += node->row.bytes;
        }
    }
    return STATUS_OK;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

// A file system that compresses stores less than the records have; the sum stays exact.
static void sum_bytes(const struct vault *vault, const struct vault_tree *tree,
                      struct vault_summary *summary) {
    const uint64_t in_segments = vault->stored_bytes - vault->index_bytes;
    uint64_t live = 0, unheld = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        live += tree->nodes[i].row.bytes;
        if (tree->nodes[i].holders == 0) unheld += tree->nodes[i].row.bytes;
    }
    summary->blocks = tree->count;
    summary->stored_bytes = vault->stored_bytes;
    summary->index_bytes = vault->index_bytes;
    summary->record_bytes = least(live, in_segments);
    summary->orphan_bytes = in_segments - summary->record_bytes;
    summary->unheld_bytes = least(unheld, summary->record_bytes);
}

static enum status sum_all(struct vault *vault, struct vault_summary *summary, struct error *err) {
    struct vault_tree tree = {0};
    uint32_t *numbers;
    size_t count;
    TRY(segment_list(vault->folder, &numbers, &count, err));
    free(numbers);
    summary->segments = count;
    vault_measure(vault);
    TRY(vault_index_limit(vault->index, &summary->limit_bytes, err));
    TRY(vault_tree_init(&tree, vault->index, 0, err));
    sum_bytes(vault, &tree, summary);
    enum status status = sum_formats(vault, &tree, summary, err);
    if (status == STATUS_OK) status = sum_holders(&tree, summary);
    vault_tree_deinit(&tree);
    return status;
}

enum status vault_summarise(const char *folder, struct vault_summary *result, struct error *err) {
    char *path = strdup(folder);
    if (!path) return STATUS_NO_MEMORY;
    struct vault vault = closed_vault(path, true);
    struct vault_report report = {0};
    struct vault_summary summary = {0};
    enum status status = open_existing(&vault, &report, err);
    if (status == STATUS_OK) status = sum_all(&vault, &summary, err);
    vault_close(&vault);
    free(path);
    if (status == STATUS_OK)
        *result = summary;
    else
        vault_summary_deinit(&summary);
    return status;
}

void vault_summary_deinit(struct vault_summary *summary) {
    free(summary->formats);
    free(summary->holders);
    *summary = (struct vault_summary){0};
}

struct check {
    struct vault *vault;
    void (*note)(void *user, const char *line);
    void *user;
    struct vault_report *report;
};

static void say(const struct check *check, const struct vault_row *row, const char *what) {
    char line[640];
    if (!check->note) return;
    snprintf(line, sizeof line, "segment %" PRIu32 ", offset %" PRIu64 ": %s: dropped",
             row->segment, row->offset, what);
    check->note(check->user, line);
}

static enum status verify(int file, const struct vault_row *row, struct error *err) {
    uint8_t *bytes = malloc((size_t)row->bytes);
    if (!bytes) return STATUS_NO_MEMORY;
    struct iovec piece = {bytes, (size_t)row->bytes};
    enum status status = segment_read(file, row->offset, &piece, 1, err);
    if (status == STATUS_OK && !vault_row_fits(row, bytes)) status = STATUS_BAD_FILE;
    free(bytes);
    return status;
}

// Reads the rows' records and keeps in rows[0, *bad) those that failed.
static enum status verify_rows(const struct check *check, int file, struct vault_row *rows,
                               size_t count, size_t *bad) {
    for (size_t i = 0; i < count; i++) {
        struct error err = {0};
        const enum status status = verify(file, &rows[i], &err);
        if (status == STATUS_NO_MEMORY) return status;
        if (status == STATUS_OK) {
            check->report->blocks++;
            check->report->bytes += rows[i].bytes;
            continue;
        }
        const bool missing = status == STATUS_NOT_FOUND;
        *(missing ? &check->report->missing : &check->report->damaged) += 1;
        say(check, &rows[i], missing ? "there is no record" : err.text[0] ? err.text : "damaged");
        rows[(*bad)++] = rows[i];
    }
    return STATUS_OK;
}

// Bytes that take room between the rows' records and before `durable`. With `punch` they are
// punched out as well.
static uint64_t measure_gaps(int file, const struct vault_row *rows, size_t count, uint64_t durable,
                             bool punch) {
    uint64_t at = 0, total = 0;
    for (size_t i = 0; i <= count; i++) {
        const uint64_t gap_end = i < count ? rows[i].offset : durable;
        if (gap_end > at) {
            if (punch) (void)!segment_punch(file, at, gap_end - at, NULL);
            total += segment_data(file, at, gap_end - at);
        }
        if (i < count && rows[i].offset + rows[i].bytes > at) at = rows[i].offset + rows[i].bytes;
    }
    return total;
}

static enum status clear_gaps(const struct check *check, int file,
                              const struct vault_extent *extent, struct error *err) {
    struct vault *vault = check->vault;
    struct vault_row *rows;
    size_t count;
    TRY(vault_index_segment_rows(vault->index, extent->number, &rows, &count, err));
    const uint64_t found = measure_gaps(file, rows, count, extent->durable, false);
    check->report->orphan_bytes += found;
    const uint64_t left = found > 0 ? measure_gaps(file, rows, count, extent->durable, true) : 0;
    free(rows);
    const enum status status =
        left > 0 ? vault_room_compact(vault, extent->number, err) : STATUS_OK;
    return status == STATUS_BUSY ? STATUS_OK : status; // whose writer may clear it
}

static enum status check_segment(const struct check *check, const struct vault_extent *extent,
                                 struct error *err) {
    struct vault *vault = check->vault;
    struct vault_row *rows;
    size_t count, bad = 0;
    int file;
    const enum status opened =
        segment_open(vault->folder, extent->number, SEGMENT_WRITE, &file, err);
    if (opened == STATUS_NOT_FOUND) return STATUS_OK; // removed since: its rows went with it
    TRY(opened);
    enum status status = vault_index_segment_rows(vault->index, extent->number, &rows, &count, err);
    if (status == STATUS_OK) {
        status = verify_rows(check, file, rows, count, &bad);
        if (status == STATUS_OK) status = vault_room_drop(vault, rows, bad, false, err);
        if (status == STATUS_OK) status = clear_gaps(check, file, extent, err);
        free(rows);
    }
    close(file);
    return status;
}

static enum status check_segments(const struct check *check, struct error *err) {
    struct vault *vault = check->vault;
    struct vault_extent *extents;
    size_t count;
    enum status status = STATUS_OK;
    TRY(vault_index_segments(vault->index, &extents, &count, err));
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = check_segment(check, &extents[i], err);
    free(extents);
    return status;
}

// An index that is damaged is made anew, which loses nothing that can be verified.
static enum status check_all(const struct check *check, struct error *err) {
    struct vault *vault = check->vault;
    enum status status = vault_index_check(vault->index, err);
    if (status == STATUS_OK) status = check_segments(check, err);
    if (status != STATUS_BAD_FILE) return status;
    *check->report = (struct vault_report){0};
    TRY(vault_rebuild(vault, check->report, err));
    return check_segments(check, err);
}

enum status vault_check(const char *folder, void (*note)(void *user, const char *line), void *user,
                        struct vault_report *result, struct error *err) {
    char *path = strdup(folder);
    if (!path) return STATUS_NO_MEMORY;
    struct vault vault = closed_vault(path, false);
    struct vault_report report = {0};
    const struct check check = {&vault, note, user, &report};
    enum status status = open_existing(&vault, &report, err);
    if (status == STATUS_OK) status = check_all(&check, err);
    vault_close(&vault);
    free(path);
    if (status == STATUS_OK) *result = report;
    return status;
}

static enum status remove_segment(struct vault *vault, uint32_t number, bool only_try,
                                  struct error *err) {
    int file;
    const enum status status =
        segment_open_locked(vault->folder, number, SEGMENT_WRITE, &file, err);
    if (status == STATUS_NOT_FOUND) return STATUS_OK;
    TRY(status);
    const enum status removed = only_try ? STATUS_OK : segment_remove(vault->folder, number, err);
    close(file);
    return removed;
}

static enum status clear_index(struct vault *vault, struct error *err) {
    TRY(db_begin(vault->index, err));
    enum status status = vault_index_clear(vault->index, err);
    if (status == STATUS_OK) status = db_commit(vault->index, err);
    if (status != STATUS_OK) db_rollback(vault->index);
    return status;
}

// Rows first: should it end in the middle, what is left has no rows and is found by a scan.
static enum status drop_all(struct vault *vault, struct error *err) {
    uint32_t *numbers;
    size_t count;
    TRY(segment_list(vault->folder, &numbers, &count, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = remove_segment(vault, numbers[i], true, err);
    if (status == STATUS_OK) status = clear_index(vault, err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = remove_segment(vault, numbers[i], false, err);
    free(numbers);
    return status;
}

static uint64_t stored_now(struct vault *vault) {
    vault_index_shrink_log(vault->index);
    vault_measure(vault);
    return vault->stored_bytes;
}

static uint64_t freed_since(struct vault *vault, uint64_t before) {
    const uint64_t now = stored_now(vault);
    return now < before ? before - now : 0;
}

enum status vault_drop(const char *folder, uint64_t *freed_bytes, struct error *err) {
    char *path = strdup(folder);
    if (!path) return STATUS_NO_MEMORY;
    struct vault vault = closed_vault(path, false);
    struct vault_report report = {0};
    uint64_t freed = 0;
    enum status status = open_existing(&vault, &report, err);
    if (status == STATUS_OK) {
        const uint64_t before = stored_now(&vault);
        status = drop_all(&vault, err);
        if (status == STATUS_OK) vault_index_shrink(vault.index);
        freed = freed_since(&vault, before);
    }
    vault_close(&vault);
    free(path);
    if (status == STATUS_OK) *freed_bytes = freed;
    return status;
}

// The blocks of the holder's paths that no other needs, and what hangs below them: nobody needs
// that either, and without them it is of no use.
static size_t collect_only_its(const struct vault_tree *tree, uint64_t holder,
                               struct vault_row *rows, bool *doomed) {
    size_t count = 0;
    for (size_t i = 0; i < tree->holder_count; i++) {
        if (tree->holders[i].holder != holder) continue;
        for (const struct vault_node *node = vault_tree_leaf(tree, &tree->holders[i]); node;
             node = vault_tree_above(tree, node))
            doomed[node - tree->nodes] = node->holders == 1;
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct vault_node *node = &tree->nodes[tree->order[i]];
        bool *is_doomed = &doomed[tree->order[i]];
        *is_doomed |= node->above != VAULT_NO_NODE && doomed[node->above];
        if (*is_doomed) rows[count++] = node->row;
    }
    return count;
}

static enum status let_go(struct vault *vault, uint64_t holder, struct error *err) {
    TRY(db_begin(vault->index, err));
    enum status status = vault_index_let_go(vault->index, holder, err);
    if (status == STATUS_OK) status = db_commit(vault->index, err);
    if (status != STATUS_OK) db_rollback(vault->index);
    return status;
}

static enum status strip(struct vault *vault, uint64_t holder, struct error *err) {
    struct vault_tree tree = {0};
    TRY(vault_tree_init(&tree, vault->index, 0, err));
    struct vault_row *rows = calloc(tree.count + (size_t)1, sizeof *rows);
    bool *doomed = calloc(tree.count + (size_t)1, sizeof *doomed);
    enum status status = rows && doomed ? STATUS_OK : STATUS_NO_MEMORY;
    if (status == STATUS_OK) status = let_go(vault, holder, err);
    if (status == STATUS_OK) {
        const size_t count = collect_only_its(&tree, holder, rows, doomed);
        status = vault_room_drop(vault, rows, count, false, err);
        if (status == STATUS_OK) status = vault_room_tidy(vault, rows, count, err);
    }
    free(rows);
    free(doomed);
    vault_tree_deinit(&tree);
    return status;
}

enum status vault_strip(const char *folder, uint64_t holder, uint64_t *freed_bytes,
                        struct error *err) {
    char *path = strdup(folder);
    if (!path) return STATUS_NO_MEMORY;
    struct vault vault = closed_vault(path, false);
    struct vault_report report = {0};
    uint64_t freed = 0;
    enum status status = open_existing(&vault, &report, err);
    if (status == STATUS_OK) {
        const uint64_t before = stored_now(&vault);
        status = strip(&vault, holder, err);
        freed = freed_since(&vault, before);
    }
    vault_close(&vault);
    free(path);
    if (status == STATUS_OK) *freed_bytes = freed;
    return status;
}
