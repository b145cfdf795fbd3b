// engine/kv/tier.h — what the engine asks of a place that keeps blocks when quire is closed.
//
// The engine finds blocks by the tokens they hold; a tier stores their bytes, says at opening
// which it has, and gives them back. store/vault implements it in files; tests implement it in
// memory, with failures.
//
//   key     of a block: hash of (parent's key, token ids, format id); see prefix.h
//   format  digest of everything that the bytes depend on besides the tokens: weights,
//           tokenizer, RoPE, KV type, block size, layout and numerics version. Never of a name, a
//           path, a context length or a thread count. A tier keeps blocks of many formats; one
//           engine asks for those of one.
//   holder  a saved conversation, by a number that the caller chose: it needs the blocks from
//           the root to its leaf. What no holder needs goes first when room is short.
//
// A block with fewer tokens than the block size is the tail of a conversation; its payload has
// the size of a full one, and the rows past `count` mean nothing.
//
// Threads: one call at a time, from the engine's I/O thread; open and list before it runs, close
// after it ended. Every verb may be slow; none may be relied on to return (the engine waits with a
// deadline and goes on without).
// Memory: what a verb is given is borrowed for the call.
#ifndef ENGINE_TIER_H
#define ENGINE_TIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/hash.h"
#include "kernels/base/status.h"

enum { TIER_MAX_BATCH = 32 }; // blocks of one read or write

enum kv_restore {      // what is in host memory or on the disk is
    KV_RESTORE_AUTO,   // read back where that is faster than computing it again, as measured
    KV_RESTORE_ALWAYS, // always read back
    KV_RESTORE_NEVER,  // always computed again
};

struct tier_format {
    struct hash128 id;
    int32_t block_size;   // tokens of a full block
    size_t payload_bytes; // of every block
    const char *model;    // a name for people
};

struct tier_place { // where a block's record lies; meaningless to the engine
    uint32_t segment;
    uint64_t offset;
};

struct tier_block {
    struct hash128 key;
    struct hash128 parent; // zero: the block starts at token 0
    const int32_t *ids;    // [count]; may be NULL in drop() and touch()
    int32_t count;         // 1 … block_size
    struct tier_place place;
};

struct tier_speed {              // running averages of earlier runs; 0: not known
    double prefill_us_per_token; // of this format
    double read_us_per_byte;     // of the tier, verification counted
};

struct tier_usage {
    uint64_t blocks;        // of this format
    uint64_t stored_bytes;  // on the disk, all formats, everything counted
    uint64_t limit_bytes;   // 0: none
    uint64_t written_bytes; // since opening: records, rows and what compaction moved
    uint64_t payload_bytes; // since opening: of blocks written for the first time
};

// Called by list(), and by the verbs for what they had to give up: the key's block is gone.
typedef void tier_list_block(void *user, const struct tier_block *block);
typedef void tier_list_holder(void *user, uint64_t holder, struct hash128 leaf);
typedef void tier_dropped(void *user, struct hash128 key);

struct tier;

struct tier_verbs {
    // Once, first: the format that every later call is about, and who hears of dropped blocks
    // (from inside any later verb, on its thread). UNSUPPORTED, IO, BAD_FILE: this tier cannot
    // be used now.
    MUST_CHECK enum status (*begin)(struct tier *tier, const struct tier_format *format,
                                    tier_dropped *dropped, void *user, struct error *err);

    // Every block of the format, parents before children, then every holder whose leaf may be
    // one of them.
    MUST_CHECK enum status (*list)(struct tier *tier, tier_list_block *block,
                                   tier_list_holder *holder, void *user, struct error *err);
    struct tier_speed (*speed)(struct tier *tier);

    // Makes `count` blocks durable, all or none: when it returns OK, they survive a power cut.
    // payloads[i] has format.payload_bytes. Fills blocks[i].place. A block that is there already
    // is not written again. FULL: no room within the limit or on the disk; IO.
    MUST_CHECK enum status (*write)(struct tier *tier, struct tier_block *blocks,
                                    const void *const *payloads, int32_t count, struct error *err);

    // Reads blocks[i] into payloads[i] and verifies it: its key, its parent, its token ids and its
    // checksums. outcomes[i]: OK; NOT_FOUND (the record is gone or is another's), BAD_FILE
    // (damaged): either way the block was dropped; IO. What was read of a failed one means nothing.
    void (*read)(struct tier *tier, const struct tier_block *blocks, void *const *payloads,
                 int32_t count, enum status *outcomes);

    // Bookkeeping; what fails is logged and costs efficiency only.
    void (*drop)(struct tier *tier, const struct tier_block *blocks, int32_t count);
    void (*touch)(struct tier *tier, const struct tier_block *blocks, int32_t count); // used now
    void (*hold)(struct tier *tier, uint64_t holder, struct hash128 leaf); // instead of its last
    void (*let_go)(struct tier *tier, uint64_t holder);
    void (*note_speed)(struct tier *tier, struct tier_speed speed);

    struct tier_usage (*usage)(struct tier *tier); // cheap
    void (*close)(struct tier *tier);              // frees it
};

struct tier {
    const struct tier_verbs *verbs; // the implementation's struct begins with this
};

#endif
