// engine/kv/disk_pool.h — what the engine asks of a place that keeps blocks when quire is closed.
//
// The prefix tree (prefix.h) is the only index of what is cached where. A disk pool has no tree: it
// keeps bytes under a key, says at opening which keys it has, and gives the bytes back.
// store/disk_cache/ implements it with files; tests implement it in memory, with failures.
//
//   key        of a block: hash of (parent's key, token ids, format id); see prefix.h
//   format     digest of everything that the bytes depend on besides the tokens: weights,
//              tokenizer, RoPE, KV type, block size, layout and numerics version. Never of a name,
//              a path, a context length or a thread count. A pool keeps blocks of many formats;
//              an engine asks for those of one.
//   reference  of a saved conversation, which goes by a number that the caller chose: it needs the
//              blocks from the root to its leaf, or as far as they are there.
//
// Chains. A block hangs on the one before it, its parent, and is there only as long as that is:
// what a pool has is whole prefixes. Blocks that hang on one that is dropped are dropped with it. A
// block with fewer tokens than the block size is the tail of a conversation; its payload has the
// size of a full one, and the rows past `count` mean nothing. A state of recurrent layers has the
// key of the block whose tokens it comes after, which is of another format, and hangs on that.
//
// Eviction. A pool with a limit drops leaves: what no conversation needs before what one needs, and
// that before what several begin with; of those what was used longest ago, then the deepest. A
// write drops as much as it takes, and nothing that was used just now and lies no deeper; so a
// conversation that does not fit keeps its beginning, and the rest of it is not written. The pool
// applies this, as only the pool knows the blocks of other models and of other processes; the tree
// is told by `dropped`.
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

// Hears, from inside open(), of every block of the format, parents before children, and then of
// every reference; and, from inside any later call and on its thread, of each block that is not
// there any more.
struct disk_listener {
    void (*block)(void *user, const struct disk_block *block);
    void (*reference)(void *user, uint64_t conversation, struct hash128 leaf);
    void (*dropped)(void *user, struct hash128 key);
    void *user;
};

struct disk_pool;

struct disk_pool_ops {
    // Once, first. The listener is copied. UNSUPPORTED, IO, BAD_FILE, BUSY: this pool cannot be
    // used now; it is still to be closed.
    MUST_CHECK enum status (*open)(struct disk_pool *pool, const struct disk_format *format,
                                   const struct disk_listener *listener, struct disk_speed *speed,
                                   struct error *err);

    // Makes blocks durable, parents before children: when it returns OK, outcomes[i] is OK for
    // those that survive a power cut, FULL for those that the limit leaves no space for, and
    // NOT_FOUND where the parent is not there. Any other status, none was written: FULL: the disk;
    // IO, BUSY. payloads[i] has format.payload_bytes. What is there is not written again.
    MUST_CHECK enum status (*write)(struct disk_pool *pool, const struct disk_block *blocks,
                                    const void *const *payloads, int32_t count,
                                    enum status *outcomes, struct error *err);

    // Reads blocks[i] into payloads[i] and verifies it: its parent, its token ids and its checksum.
    // outcomes[i]: OK; NOT_FOUND, BAD_FILE (damaged): either way the block is not there any more;
    // IO. What was read of a failed one means nothing.
    void (*read)(struct disk_pool *pool, const struct disk_block *blocks, void *const *payloads,
                 int32_t count, enum status *outcomes);

    // Bookkeeping; what fails is logged and costs efficiency only.
    void (*drop)(struct disk_pool *pool, const struct hash128 *keys, int32_t count);
    // The conversation needs the path to `leaf`, which is there and used now, and no other, in
    // this format; zero: none in any.
    void (*reference)(struct disk_pool *pool, uint64_t conversation, struct hash128 leaf);

    // One more pool at the same place, for another format. NULL when memory is short.
    struct disk_pool *(*twin)(struct disk_pool *pool);

    struct disk_usage (*usage)(struct disk_pool *pool); // cheap
    // Frees it, and tells the listener nothing. The speeds are kept for the next opening; NULL:
    // those of before.
    void (*close)(struct disk_pool *pool, const struct disk_speed *speed);
};

struct disk_pool {
    const struct disk_pool_ops *ops; // the implementation's struct begins with this
};

#endif
