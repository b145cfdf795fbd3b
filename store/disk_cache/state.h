// store/disk_cache/state.h — what a disk cache is made of, and what its files share.
//
// Nobody outside this room includes it. The operations of the pool are in disk_cache.c; opening,
// and making rows and files agree, in open.c; freeing and the limit in limit.c; what people ask for
// in report.c.
#ifndef STORE_DISK_CACHE_STATE_H
#define STORE_DISK_CACHE_STATE_H

#include "store/disk_cache/disk_cache.h"
#include "store/disk_cache/ownership.h"
#include "store/disk_cache/readers.h"
#include "store/disk_cache/slots.h"

struct disk_cache {
    struct disk_pool pool; // the first: a pool of ours is a disk cache
    char *path;
    uint64_t limit_bytes;
    uint64_t home;

    int folder;                 // -1: not open
    struct ownership ownership; // of the files in it, at opening
    struct db *index;           // NULL: not open
    bool index_damaged;         // it is to be removed at closing
    bool erases;                // where it cannot, freed slots are written over
    bool no_holes; // the file system cannot punch: free slots keep their bytes until used anew

    struct disk_format format; // of the pool; its model is below
    char model[SLOTS_MODEL_BYTES];
    int64_t format_number;
    struct slot_file file;
    struct disk_listener listener; // its functions are NULL outside of a pool
    struct readers *readers;       // NULL: none yet

    uint64_t blocks;        // of the format
    uint64_t stored_bytes;  // of the folder, at the last cache_measure()
    uint64_t index_bytes;   // of those
    uint64_t payload_bytes; // written since opening
    uint64_t wiped_bytes;   // removed to begin anew
};

// ---- open.c

// Opens folder and index. A damaged index is replaced by an empty one, and so is a cache of an
// older quire. NOT_FOUND: there is no folder, and `create` is not set.
MUST_CHECK enum status cache_open(struct disk_cache *cache, bool create, struct error *err);
// A copy of the index in memory; nothing is written.
MUST_CHECK enum status cache_open_copy(struct disk_cache *cache, struct error *err);
// As disk_cache_set_aside(). The index is not opened.
MUST_CHECK enum status cache_set_aside(struct disk_cache *cache, struct text *aside,
                                       struct error *err);
void cache_close(struct disk_cache *cache); // what those opened; {.folder = -1} is fine
// Removes the index and every file of slots, and begins anew.
MUST_CHECK enum status cache_begin_anew(struct disk_cache *cache, struct error *err);
// Drops rows past the file's end, and bytes past the last row's; of the open format.
MUST_CHECK enum status cache_settle(struct disk_cache *cache, struct error *err);

// Passes a status of the index on; remembers that it is damaged.
enum status cache_answer(struct disk_cache *cache, enum status status);
void cache_warn(const struct error *err);

void cache_measure(struct disk_cache *cache);
size_t cache_count_files(const struct disk_cache *cache); // of slots

// ---- limit.c

// Frees what `choose` puts into the chosen slots (slots.h), in a transaction of their own, and
// gives their bytes back. With `tell`, the listener hears of those of the format.
typedef enum status cache_choose(struct disk_cache *cache, void *user, struct error *err);
MUST_CHECK enum status cache_free(struct disk_cache *cache, cache_choose *choose, void *user,
                                  bool tell, struct error *err);
// Gives the bytes of the format's free slots back.
MUST_CHECK enum status cache_give_back(struct disk_cache *cache, const struct slots_format *format,
                                       struct error *err);

// Mends what breaks an invariant of chains or counts: blocks out of reach, *lost of them, are
// dropped. Counts are made anew where they are not known to be right, or `always`.
MUST_CHECK enum status cache_mend(struct disk_cache *cache, bool always, uint64_t *lost,
                                  struct error *err);

// Makes space for the blocks of a write that have no slot, fresh[count], within the limit: for the
// first *fitting of them. Never drops one of them for another, nor what they hang on.
MUST_CHECK enum status cache_make_space(struct disk_cache *cache,
                                        const struct disk_block *const *fresh, int32_t count,
                                        int32_t *fitting, struct error *err);
// Frees the least valuable until the limit is kept; no more.
MUST_CHECK enum status cache_shrink(struct disk_cache *cache, struct error *err);

#endif
