// store/disk_cache/state.h — struct disk_cache, and what the sources of this folder share.
//
// Private to store/disk_cache/. disk_cache.c has the pool's ops; open.c opens the folder and makes
// rows and files agree; limit.c frees slots and keeps the limit; report.c answers people's
// questions.
#ifndef STORE_DISK_CACHE_STATE_H
#define STORE_DISK_CACHE_STATE_H

#include "store/disk_cache/disk_cache.h"
#include "store/disk_cache/ownership.h"
#include "store/disk_cache/readers.h"
#include "store/disk_cache/slots.h"

struct disk_cache {
    struct disk_pool pool; // must be first: the pool is cast to struct disk_cache
    char *path;
    uint64_t limit_bytes;
    uint64_t home;

    int folder;                 // -1: not open
    struct ownership ownership; // of the files in it, at opening
    struct db *index;           // NULL: not open
    bool index_damaged;         // remove it at closing
    bool erases;                // overwrite freed slots where holes cannot be punched
    bool no_holes;              // the file system cannot punch holes: free slots keep their bytes

    struct disk_format format; // of the pool; `model` below holds its model name
    char model[SLOTS_MODEL_BYTES];
    int64_t format_number;
    struct slot_file file;
    struct disk_listener listener; // its functions are NULL outside a pool
    struct readers *readers;       // NULL: none yet

    uint64_t blocks;        // of the format
    uint64_t stored_bytes;  // of the folder, at the last cache_measure()
    uint64_t index_bytes;   // of stored_bytes
    uint64_t payload_bytes; // written since opening
    uint64_t wiped_bytes;   // removed to start from an empty cache
};

// ---- open.c

// Opens the folder and the index. Replaces a damaged index, or the cache of an older quire, with an
// empty one. NOT_FOUND: `create` is false, and there is no folder, or no file of a cache in it.
MUST_CHECK enum status cache_open(struct disk_cache *cache, bool create, struct error *err);
// Opens a copy of the index in memory; writes nothing.
MUST_CHECK enum status cache_open_copy(struct disk_cache *cache, struct error *err);
// As disk_cache_set_aside(). Does not open the index.
MUST_CHECK enum status cache_set_aside(struct disk_cache *cache, struct text *aside,
                                       struct error *err);
void cache_close(struct disk_cache *cache); // {.folder = -1} is fine
// Removes the index and every slot file, and creates an empty index.
MUST_CHECK enum status cache_begin_anew(struct disk_cache *cache, struct error *err);
// For the open format: drops rows past the end of the file, and gives back bytes past the last row
// and of free slots.
MUST_CHECK enum status cache_settle(struct disk_cache *cache, struct error *err);

// Returns `status`, with BAD_INPUT turned into BAD_FILE; BAD_FILE marks the index as damaged.
enum status cache_answer(struct disk_cache *cache, enum status status);
void cache_warn(const struct error *err);

void cache_measure(struct disk_cache *cache);
size_t cache_count_files(const struct disk_cache *cache); // slot files

// ---- limit.c

// Frees the slots that `choose` chooses (slots.h), in one transaction, and gives their bytes back.
// With `tell`, the listener is called for those of the open format.
typedef enum status cache_choose(struct disk_cache *cache, void *user, struct error *err);
MUST_CHECK enum status cache_free(struct disk_cache *cache, cache_choose *choose, void *user,
                                  bool tell, struct error *err);
// Gives back the bytes of the format's free slots.
MUST_CHECK enum status cache_give_back(struct disk_cache *cache, const struct slots_format *format,
                                       struct error *err);

// Repairs chains and counts: drops unreachable blocks, *lost of them, and recomputes the counts if
// they may be wrong or if `always` is set.
MUST_CHECK enum status cache_mend(struct disk_cache *cache, bool always, uint64_t *lost,
                                  struct error *err);

// Makes space within the limit for the blocks of a write that have no slot yet, fresh[count]. The
// first *fitting of them fit. Never drops one of them for another, nor any of their ancestors.
MUST_CHECK enum status cache_make_space(struct disk_cache *cache,
                                        const struct disk_block *const *fresh, int32_t count,
                                        int32_t *fitting, struct error *err);
// Evicts the least valuable blocks until the limit holds.
MUST_CHECK enum status cache_shrink(struct disk_cache *cache, struct error *err);

#endif
