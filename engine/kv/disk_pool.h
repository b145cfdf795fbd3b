// engine/kv/disk_pool.h — what the engine needs of a place that keeps blocks while quire is closed.
//
// The prefix tree (prefix.h) is the only index of what is cached where. A disk pool has no tree: it
// keeps bytes under keys, lists its keys at opening, and returns the bytes.
// store/disk_cache/ implements it with files; tests implement it in memory, with failures.
//
//   key        of a block: hash of (parent's key, token ids, format id); see prefix.h
//   format     digest of everything besides the tokens that the bytes depend on: weights,
//   tokenizer,
//              RoPE, KV type, block size, layout and numerics version; but of no name, path,
//              context length or thread count. A pool keeps blocks of many formats; an engine asks
//              for those of one.
//   reference  of a saved conversation, identified by a number that the caller chose: it needs the
//              blocks from the root to its leaf, as far as the pool has them.
//
// Chains. A block depends on the one before it, its parent: a pool has whole prefixes only. If a
// block is dropped, all that depend on it are dropped, too. A block with fewer tokens than the
// block size is the tail of a conversation; its payload has the size of a full one, and the rows
// from `count` on mean nothing. A state of recurrent layers depends on the block after whose tokens
// it is taken, and has its key, but another format.
//
// Eviction. A pool with a limit drops leaves: first those that no conversation needs, then those
// that one needs, then those that several begin with; among equals the least recently used, then
// the deepest. A write drops as much as it takes, but nothing that was used just now and lies no
// deeper. So a conversation that does not fit keeps its beginning, and the rest of it is not
// written. The pool decides, since only the pool knows the blocks of other models and of other
// processes; it tells the tree by `dropped`.
//
// Threads: one call at a time, from the engine's I/O thread; open before it runs, close after it
// ended. Every call may be slow or never return: the engine waits with a deadline, and then
// continues without the disk.
// Memory: what a call is given is borrowed for the call.
#ifndef ENGINE_DISK_POOL_H
#define ENGINE_DISK_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/hash.h"
#include "kernels/base/status.h"

enum { DISK_MAX_BATCH = 32 }; // blocks of one read, write or drop

enum kv_restore {      // what is in host memory or on the disk is
    KV_RESTORE_AUTO,   // read back where that is faster than computing it again, as measured
    KV_RESTORE_ALWAYS, // always read back
    KV_RESTORE_NEVER,  // always computed again
};

struct disk_format {
    struct hash128 id;
    int32_t block_size;   // tokens of a full block
    size_t payload_bytes; // of every block
    const char *model;    // a name for people
};

struct disk_block {
    struct hash128 key;
    struct hash128 parent; // zero: the block starts at token 0; key: it is a state
    const int32_t *ids;    // [count]
    int32_t count;         // 1 … block_size
    int32_t position;      // of its first token
};

struct disk_speed {              // running averages of earlier runs; 0: not known
    double prefill_us_per_token; // of this format
    double read_us_per_byte;     // of the pool, verification counted
};

struct disk_usage {
    uint64_t blocks;        // of this format
    uint64_t stored_bytes;  // on the disk, all formats, everything counted
    uint64_t limit_bytes;   // 0: none
    uint64_t written_bytes; // since opening: blocks and what describes them
    uint64_t payload_bytes; // since opening: of blocks
};

// open() calls it for every block of the format, parents before children, and then for every
// reference. Any later call may call `dropped`, on its own thread, for a block that is no longer
// there.
struct disk_listener {
    void (*block)(void *user, const struct disk_block *block);
    void (*reference)(void *user, uint64_t conversation, struct hash128 leaf);
    void (*dropped)(void *user, struct hash128 key);
    void *user;
};

struct disk_pool;

struct disk_pool_ops {
    // Called once, before all others. The listener is copied. UNSUPPORTED, IO, BAD_FILE, BUSY: the
    // pool cannot be used now, but must still be closed.
    MUST_CHECK enum status (*open)(struct disk_pool *pool, const struct disk_format *format,
                                   const struct disk_listener *listener, struct disk_speed *speed,
                                   struct error *err);

    // Makes blocks durable, parents before children. If it returns OK, outcomes[i] is OK for a
    // block that now survives a power cut, FULL if the limit leaves no space for it, and NOT_FOUND
    // if its parent is not there. Otherwise no block was written: FULL (the disk), IO or BUSY.
    // payloads[i] has format.payload_bytes. A block that is there already is not written again.
    MUST_CHECK enum status (*write)(struct disk_pool *pool, const struct disk_block *blocks,
                                    const void *const *payloads, int32_t count,
                                    enum status *outcomes, struct error *err);

    // Reads blocks[i] into payloads[i] and verifies its parent, its token ids and its checksum.
    // outcomes[i]: OK; NOT_FOUND or BAD_FILE (damaged), and then the block is no longer there; or
    // IO. If it is not OK, payloads[i] means nothing.
    void (*read)(struct disk_pool *pool, const struct disk_block *blocks, void *const *payloads,
                 int32_t count, enum status *outcomes);

    // Bookkeeping. Failures are logged and only cost efficiency.
    void (*drop)(struct disk_pool *pool, const struct hash128 *keys, int32_t count);
    // In this format the conversation now needs the path to `leaf`, which must be there and counts
    // as used, and no other path. Zero: it needs none in any format.
    void (*reference)(struct disk_pool *pool, uint64_t conversation, struct hash128 leaf);

    // One more pool at the same place, for another format. NULL when memory is short.
    struct disk_pool *(*twin)(struct disk_pool *pool);

    struct disk_usage (*usage)(struct disk_pool *pool); // cheap
    // Frees the pool without telling the listener. The speeds are kept for the next opening; NULL:
    // the earlier ones are kept.
    void (*close)(struct disk_pool *pool, const struct disk_speed *speed);
};

struct disk_pool {
    const struct disk_pool_ops *ops; // the implementation's struct begins with this
};

#endif
