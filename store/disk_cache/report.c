// store/disk_cache/report.c — the cache for people: summary, check and deletion.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/assert.h"
#include "store/disk_cache/state.h"

static struct disk_cache closed_cache(const char *folder) {
    struct disk_cache cache = {.folder = -1, .file = {.file = -1}};
    cache.path = strdup(folder); // NULL: no memory
    return cache;
}

static void deinit(struct disk_cache *cache) {
    cache_close(cache);
    free(cache->path);
}

// ---- the summary

static int used_last_first(const void *left, const void *right) {
    const struct disk_format_usage *a = left, *b = right;
    return (a->used_ms < b->used_ms) - (a->used_ms > b->used_ms);
}

static enum status sum_formats(struct disk_cache *cache, struct disk_cache_summary *summary,
                               uint64_t *block_bytes, struct error *err) {
    struct slots_format *formats;
    size_t count;
    TRY(slots_formats(cache->index, &formats, &count, err));
    summary->formats = calloc(count + 1, sizeof *summary->formats);
    for (size_t i = 0; i < count && summary->formats; i++) {
        const struct slots_format *format = &formats[i];
        if (format->blocks == 0) continue;
        struct disk_format_usage *found = &summary->formats[summary->format_count++];
        *found = (struct disk_format_usage){.format = format->id,
                                            .block_size = format->block_size,
                                            .blocks = format->blocks,
                                            .tokens = format->tokens,
                                            .payload_bytes = format->blocks * format->payload_bytes,
                                            .used_ms = format->used_ms};
        memcpy(found->model, format->model, sizeof found->model);
        summary->blocks += format->blocks;
        *block_bytes += format->blocks * format->stride;
    }
    free(formats);
    if (!summary->formats) return STATUS_NO_MEMORY;
    qsort(summary->formats, summary->format_count, sizeof *summary->formats, used_last_first);
    return STATUS_OK;
}

static enum status sum_references(struct disk_cache *cache, struct disk_cache_summary *summary,
                                  struct error *err) {
    struct slots_conversation *found;
    size_t count;
    TRY(slots_conversations(cache->index, &found, &count, err));
    summary->references = calloc(count + 1, sizeof *summary->references);
    for (size_t i = 0; i < count && summary->references; i++)
        summary->references[summary->reference_count++] =
            (struct disk_reference_usage){.conversation = found[i].conversation,
                                          .tokens = found[i].tokens,
                                          .unique_bytes = found[i].unique_bytes,
                                          .shared_bytes = found[i].shared_bytes,
                                          .home = found[i].home};
    free(found);
    return summary->references ? STATUS_OK : STATUS_NO_MEMORY;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

// A compressing file system stores less than the size of the slots; the sum stays exact.
static enum status sum_all(struct disk_cache *cache, struct disk_cache_summary *summary,
                           struct error *err) {
    uint64_t blocks = 0, unreferenced;
    cache_measure(cache);
    const uint64_t in_files = cache->stored_bytes - cache->index_bytes;
    TRY(slots_limit(cache->index, &summary->limit_bytes, err));
    TRY(sum_formats(cache, summary, &blocks, err));
    TRY(sum_references(cache, summary, err));
    TRY(slots_unreferenced_bytes(cache->index, &unreferenced, err));
    summary->files = cache_count_files(cache);
    summary->foreign_files = cache->ownership.foreign_files;
    memcpy(summary->foreign, cache->ownership.foreign, sizeof summary->foreign);
    summary->stored_bytes = cache->stored_bytes;
    summary->index_bytes = cache->index_bytes;
    summary->block_bytes = least(blocks, in_files);
    summary->free_bytes = in_files - summary->block_bytes;
    summary->unreferenced_bytes = least(unreferenced, summary->block_bytes);
    return STATUS_OK;
}

enum status disk_cache_summarise(const char *folder, struct disk_cache_summary *result,
                                 struct error *err) {
    struct disk_cache cache = closed_cache(folder);
    struct disk_cache_summary summary = {0};
    enum status status = cache.path ? cache_open_copy(&cache, err) : STATUS_NO_MEMORY;
    if (status == STATUS_OK) status = sum_all(&cache, &summary, err);
    cache.index_damaged = false; // nothing is written
    deinit(&cache);
    if (status == STATUS_OK)
        *result = summary;
    else
        disk_cache_summary_deinit(&summary);
    return status;
}

void disk_cache_summary_deinit(struct disk_cache_summary *summary) {
    free(summary->formats);
    free(summary->references);
    *summary = (struct disk_cache_summary){0};
}

// ---- the check

struct check {
    struct disk_cache *cache;
    void (*note)(void *user, const char *line);
    void *user;
    struct disk_cache_report *report;

    const struct slots_format *format; // the current one
    struct slot_file file;             // closed: no file
    uint8_t *payload;
    struct suspect {
        struct slots_entry entry;
        bool is_missing;
    } * suspects;
    size_t suspect_count, suspect_capacity;
};

static enum status suspect(struct check *check, const struct slots_entry *entry, bool is_missing) {
    if (!array_reserve(&check->suspects, check->suspect_count, &check->suspect_capacity,
                       sizeof check->suspects[0]))
        return STATUS_NO_MEMORY;
    check->suspects[check->suspect_count++] = (struct suspect){*entry, is_missing};
    return STATUS_OK;
}

// NOT_FOUND: past the end of the file.
static enum status read_entry(struct check *check, const struct slots_entry *entry) {
    struct slot_read read = {
        .slot = entry->slot, .payload = check->payload, .checksum = entry->checksum};
    if (check->file.file < 0) return STATUS_NOT_FOUND;
    slot_read_run(&check->file, &read);
    return read.outcome;
}

static enum status verify(void *user, const struct slots_entry *entry) {
    const enum status status = read_entry(user, entry);
    return status == STATUS_OK ? status : suspect(user, entry, status == STATUS_NOT_FOUND);
}

// If somebody else's file has its name, ours is gone.
static enum status open_file(struct check *check, struct error *err) {
    const enum status status = slot_file_open(&check->file, false, err);
    return status == STATUS_NOT_FOUND || status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

static void say_dropped(const struct check *check, const struct suspect *found) {
    char line[256];
    if (!check->note) return;
    snprintf(line, sizeof line, "%s, slot %" PRIu32 ": dropped: %s", check->file.name,
             found->entry.slot, found->is_missing ? "the file ends before it" : "damaged");
    check->note(check->user, line);
}

// Inside a transaction. Blocks that another process has dropped since they were listed are not
// damaged, and neither are blocks in a file that it has created since ours was opened.
static enum status choose_suspects(struct disk_cache *cache, void *user, struct error *err) {
    struct check *check = user;
    uint64_t bad = 0, all;
    TRY(open_file(check, err));
    for (size_t i = 0; i < check->suspect_count; i++) {
        const struct suspect *found = &check->suspects[i];
        bool is_there;
        if (read_entry(check, &found->entry) == STATUS_OK) continue;
        TRY(slots_choose_entry(cache->index, check->format->number, &found->entry, &is_there, err));
        if (!is_there) continue;
        *(found->is_missing ? &check->report->missing : &check->report->damaged) += 1;
        say_dropped(check, found);
        bad++;
    }
    TRY(slots_choose_below(cache->index, err));
    TRY(slots_count_chosen(cache->index, &all, err));
    check->report->lost += all - bad;
    return STATUS_OK;
}

static enum status check_format(struct check *check, struct error *err) {
    struct disk_cache *cache = check->cache;
    TRY(open_file(check, err));
    TRY(slots_walk(cache->index, check->format->number, verify, check, err));
    if (check->suspect_count > 0) TRY(cache_free(cache, choose_suspects, check, false, err));
    return cache_give_back(cache, check->format, err);
}

static enum status check_formats(struct check *check, struct error *err) {
    struct slots_format *formats;
    size_t count;
    TRY(slots_formats(check->cache->index, &formats, &count, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        check->format = &formats[i];
        check->suspect_count = 0;
        slot_file_init(&check->file, check->cache->folder, formats[i].id,
                       (size_t)formats[i].payload_bytes);
        check->payload = malloc((size_t)formats[i].payload_bytes);
        status = check->payload ? check_format(check, err) : STATUS_NO_MEMORY;
        free(check->payload);
        slot_file_close(&check->file);
    }
    free(check->suspects);
    free(formats);
    return status;
}

static enum status count_good(struct check *check, struct error *err) {
    struct slots_format *formats;
    size_t count;
    TRY(slots_formats(check->cache->index, &formats, &count, err));
    for (size_t i = 0; i < count; i++) {
        check->report->blocks += formats[i].blocks;
        check->report->bytes += formats[i].blocks * formats[i].stride;
    }
    free(formats);
    return STATUS_OK;
}

// Bytes of files outside blocks. Measured again at the end of the check, this tells how many were
// given back.
static enum status measure_free(struct disk_cache *cache, uint64_t *bytes, struct error *err) {
    struct slots_format *formats;
    size_t count;
    uint64_t blocks = 0;
    TRY(slots_formats(cache->index, &formats, &count, err));
    for (size_t i = 0; i < count; i++)
        blocks += formats[i].blocks * formats[i].stride;
    free(formats);
    cache_measure(cache);
    const uint64_t in_files = cache->stored_bytes - cache->index_bytes;
    *bytes = in_files > blocks ? in_files - blocks : 0;
    return STATUS_OK;
}

static enum status check_all(struct check *check, struct error *err) {
    struct disk_cache *cache = check->cache;
    uint64_t before, after;
    TRY(slots_check(cache->index, err));
    TRY(measure_free(cache, &before, err));
    TRY(cache_mend(cache, true, &check->report->lost, err));
    TRY(check_formats(check, err));
    TRY(count_good(check, err));
    TRY(measure_free(cache, &after, err));
    check->report->free_bytes = before > after ? before - after : 0;
    return STATUS_OK;
}

enum status disk_cache_check(const char *folder, void (*note)(void *user, const char *line),
                             void *user, struct disk_cache_report *result, struct error *err) {
    struct disk_cache cache = closed_cache(folder);
    struct disk_cache_report report = {0};
    struct check check = {.cache = &cache, .note = note, .user = user, .report = &report};
    enum status status = cache.path ? cache_open(&cache, false, err) : STATUS_NO_MEMORY;
    if (status == STATUS_OK) status = cache_answer(&cache, check_all(&check, err));
    if (status == STATUS_BAD_FILE) { // its blocks cannot be found any more
        report = (struct disk_cache_report){.damaged = 1};
        status = cache_begin_anew(&cache, err);
        if (note) note(user, "the index is damaged; every block was dropped");
    }
    deinit(&cache);
    if (status == STATUS_OK) *result = report;
    return status;
}

// ---- deletion

static uint64_t stored_now(struct disk_cache *cache, bool all) {
    slots_shrink(cache->index, all);
    cache_measure(cache);
    return cache->stored_bytes;
}

// Frees the blocks that `choose` picks, and erases them from the files.
static enum status take_away(const char *folder, cache_choose *choose, void *user,
                             uint64_t *freed_bytes, struct error *err) {
    struct disk_cache cache = closed_cache(folder);
    cache.erases = true;
    uint64_t before = 0, after = 0;
    enum status status = cache.path ? cache_open(&cache, false, err) : STATUS_NO_MEMORY;
    if (status == STATUS_OK) {
        uint64_t lost;
        before = stored_now(&cache, false);
        status = cache_mend(&cache, false, &lost, err);
        if (status == STATUS_OK) status = cache_free(&cache, choose, user, false, err);
        after = stored_now(&cache, true);
    }
    deinit(&cache);
    if (status == STATUS_OK)
        *freed_bytes = cache.wiped_bytes + (before > after ? before - after : 0);
    return status;
}

static enum status choose_all(struct disk_cache *cache, void *user, struct error *err) {
    (void)user;
    TRY(slots_set_limit(cache->index, 0, err)); // the next process to open it sets its own
    return slots_free_all(cache->index, err);
}

enum status disk_cache_set_aside(const char *folder, struct text *aside, struct error *err) {
    struct disk_cache cache = closed_cache(folder);
    enum status status = cache.path ? cache_set_aside(&cache, aside, err) : STATUS_NO_MEMORY;
    deinit(&cache);
    return status;
}

enum status disk_cache_drop(const char *folder, uint64_t *freed_bytes, struct error *err) {
    return take_away(folder, choose_all, NULL, freed_bytes, err);
}

struct forgotten {
    const uint64_t *conversations; // [count]
    size_t count;
};

static enum status choose_forgotten(struct disk_cache *cache, void *user, struct error *err) {
    const struct forgotten *forgotten = user;
    for (size_t i = 0; i < forgotten->count; i++)
        TRY(slots_dereference(cache->index, forgotten->conversations[i], err));
    return slots_choose_unneeded(cache->index, err);
}

enum status disk_cache_forget(const char *folder, const uint64_t *conversations, size_t count,
                              uint64_t *freed_bytes, struct error *err) {
    struct forgotten forgotten = {conversations, count};
    return take_away(folder, choose_forgotten, &forgotten, freed_bytes, err);
}
