#include "app/shelf.h"

#include <string.h>

static size_t common_prefix(const struct sequence *sequence, const int32_t *ids, size_t count) {
    const size_t length = (size_t)sequence_length(sequence);
    const int32_t *tokens = sequence_tokens(sequence);
    const size_t most = length < count ? length : count;
    size_t common = 0;
    while (common < most && tokens[common] == ids[common])
        common++;
    return common;
}

static size_t worth(const struct sequence *sequence, size_t common) {
    const size_t cached = (size_t)sequence_cached(sequence);
    return common < cached ? common : cached;
}

static void take_off(struct shelf *shelf, const struct sequence *sequence) {
    for (size_t i = 0; i < shelf->count; i++)
        if (shelf->kept[i] == sequence) {
            shelf->count--;
            memmove(&shelf->kept[i], &shelf->kept[i + 1],
                    (shelf->count - i) * sizeof shelf->kept[0]);
            return;
        }
}

// The one whose cached beginning is the most of ids, or NULL; *common is how much they share.
static struct sequence *find_best(const struct shelf *shelf, const int32_t *ids, size_t count,
                                  struct sequence *current, size_t *common) {
    struct sequence *best = NULL;
    size_t best_worth = 0;
    for (size_t i = 0; i <= shelf->count; i++) {
        struct sequence *candidate = i < shelf->count ? shelf->kept[i] : current;
        if (!candidate) continue;
        const size_t shared = common_prefix(candidate, ids, count);
        const size_t value = worth(candidate, shared);
        if (value == 0 || value < best_worth) continue;
        best = candidate;
        best_worth = value;
        *common = shared;
    }
    return best;
}

void shelf_deinit(struct shelf *shelf) {
    while (shelf_give_way(shelf))
        continue;
}

enum status shelf_place(struct shelf *shelf, const int32_t *ids, size_t count,
                        struct sequence **current) {
    size_t common = 0;
    struct sequence *best = find_best(shelf, ids, count, *current, &common);
    const bool whole = best && common == (size_t)sequence_length(best);
    if (whole) {
        TRY(sequence_append(best, ids + common, count - common));
        if (best != *current) {
            take_off(shelf, best);
            shelf_keep(shelf, *current);
            *current = best;
        }
        return STATUS_OK;
    }
    struct sequence *fresh;
    TRY(best ? sequence_fork(best, &fresh) : sequence_create(shelf->engine, &fresh));
    sequence_truncate(fresh, (int32_t)common);
    const enum status status = sequence_append(fresh, ids + common, count - common);
    if (status != STATUS_OK) {
        sequence_destroy(fresh);
        return status;
    }
    shelf_keep(shelf, *current);
    *current = fresh;
    return STATUS_OK;
}

void shelf_keep(struct shelf *shelf, struct sequence *sequence) {
    if (!sequence) return;
    if (sequence_cached(sequence) == 0) {
        sequence_destroy(sequence);
        return;
    }
    if (shelf->count == SHELF_MAX_SEQUENCES) shelf_give_way(shelf);
    shelf->kept[shelf->count++] = sequence;
}

bool shelf_give_way(struct shelf *shelf) {
    if (shelf->count == 0) return false;
    struct sequence *oldest = shelf->kept[0];
    take_off(shelf, oldest);
    sequence_destroy(oldest);
    return true;
}
