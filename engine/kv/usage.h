// engine/kv/usage.h — where is every block of KV, and who needs it? Numbers for the user.
//
// Each group of layers has blocks of its own size on the device and in host memory; everything else
// counts all groups.
//
// Taken at one moment under the engine's lock, so that the sums are exact.
#ifndef ENGINE_KV_USAGE_H
#define ENGINE_KV_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/kv/cache_kind.h"
#include "kernels/kv_cache.h"

struct kv_group_usage {
    enum cache_kind kind;
    int32_t reach; // keys that a query sees; 0: all
    size_t block_bytes;
    // device_blocks = device_held + device_cached + device_free, exactly
    uint32_t device_blocks;
    uint32_t device_held;   // referenced by a sequence or a transfer
    uint32_t device_cached; // unreferenced: found by their tokens until they are evicted
    uint32_t device_free;
    uint32_t device_shared; // of device_held, those with two or more sequences
    uint64_t device_spared; // how many more blocks it would take if nothing were shared
    // host_blocks = host_cached + host_moving + host_free, exactly
    uint32_t host_blocks;
    uint32_t host_cached, host_moving, host_free; // moving: a transfer reads or writes it
};

struct kv_work {                                                  // of requests, since opening
    uint64_t device_hit_tokens, host_hit_tokens, disk_hit_tokens; // found there
    uint64_t prefilled_tokens, decoded_tokens;                    // computed
    uint64_t preempted_requests;                                  // that had to wait for blocks
};

struct kv_usage {
    int32_t group_count;
    struct kv_group_usage groups[KV_GROUPS]; // [group_count], then zeros
    uint64_t spared_bytes;                   // of device_spared, in all groups
    bool has_disk;
    uint32_t disk_blocks;      // of this model, known to be on the disk
    uint64_t disk_bytes;       // stored, for all models
    uint64_t disk_limit_bytes; // 0: none
    uint32_t unwritten_blocks; // sealed, and not yet on the disk
    struct kv_work work;
    // since opening
    uint64_t duplicate_blocks;                    // computed twice at once, and dropped
    uint64_t evicted_blocks;                      // from the device
    uint64_t lost_blocks;                         // given up on their last tier
    uint64_t swap_out_bytes, swap_in_bytes;       // device to host, host to device
    uint64_t disk_read_bytes, disk_written_bytes; // written: including rows and headers
    uint64_t disk_payload_bytes;                  // of that, KV written for the first time
    uint64_t failed_reads, failed_writes;         // blocks
    uint64_t refused_writes;                      // blocks that the disk's limit left no space for
};

struct conversation_usage {
    int32_t tokens;                                  // sealed, on its path
    int32_t device_tokens, host_tokens, disk_tokens; // of those, on the fastest tier that has them
    uint32_t unique_blocks, shared_blocks;           // shared: with another conversation
    uint64_t unique_bytes, shared_bytes;             // of blocks on any tier, windows included
};

size_t kv_usage_device_bytes(const struct kv_usage *usage); // of all groups, as is the next
size_t kv_usage_host_bytes(const struct kv_usage *usage);
uint32_t kv_usage_held(const struct kv_usage *usage, enum cache_kind kind); // device_held

#endif
