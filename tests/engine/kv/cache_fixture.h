// tests/engine/kv/cache_fixture.h — a block cache without a model: the KV of a token is a function
// of the format and of all tokens up to it, so every byte of every table can be told right or
// wrong.
//
// With a window there is a second group of layers, or the only one has it.
//
// A fixture is one device (the reference backend's) and one cache at a time, on a memory_disk store
// that outlives it. A log is what a sequence is to the engine: token ids, the table that has some
// of them, and how many of those count. The engine's lock is held from open to close, as the cache
// wants it.
//
//   fixture_push (ids) ─► fixture_begin (room, grow) ─► fixture_commit (rows, seal) ─► fixture_park
//
// Between begin and commit a log is `pending`, as a sequence is while the device computes.
#ifndef TESTS_CACHE_FIXTURE_H
#define TESTS_CACHE_FIXTURE_H

#include "engine/kv/grouped_cache.h"
#include "tests/harness/memory_disk.h"

enum { FIXTURE_BLOCK = 8, FIXTURE_LONGEST = 56, FIXTURE_ROW_BYTES = 16 };

struct fixture_options {
    uint32_t blocks;         // 0: 24
    uint32_t host_slots;     // as in block_cache_options, as are the next four
    uint32_t disk_slots;     // 0: 12
    uint32_t disk_blocks;    // 0: 512
    uint32_t max_references; // 0: 64
    uint64_t format;         // seed of the format id
    int32_t window;          // of a group; 0: none has one
    bool windows_alone;      // no group sees everything
    bool states;             // the last group is recurrent
    bool no_disk, threads;   // threads: the cache's own I/O thread
};

struct cache_fixture {
    const struct backend *backend; // may be changed before open
    struct device *device;
    struct kv_cache shapes[KV_GROUPS];
    pthread_mutex_t lock;
    struct memory_store *store;
    struct grouped_cache all;  // count 0: closed
    struct block_cache *cache; // of the first group; NULL: closed
    struct hash128 format;
    struct fixture_options options;
    uint32_t changes; // calls of `changed`
};

struct fixture_log {
    int32_t ids[FIXTURE_LONGEST];
    int32_t length, cached; // tokens; those whose rows are written
    bool pending;
    struct grouped_table tables;
    uint64_t states[FIXTURE_LONGEST]; // what the KV of each token is made from
};

// clock_now_us() where the program is linked with --wrap=clock_now_us: each call is 10 us later.
void fixture_pass_time(int64_t us);

void fixture_init(struct cache_fixture *fixture, const struct fixture_options *options);
void fixture_deinit(struct cache_fixture *fixture); // closes
void fixture_open(struct cache_fixture *fixture);   // the cache, with the lock held afterwards
enum status fixture_try_open(struct cache_fixture *fixture, struct disk_pool *pool,
                             struct error *err);
void fixture_close(struct cache_fixture *fixture); // tables must be empty
void fixture_check(struct cache_fixture *fixture);
int fixture_work(struct cache_fixture *fixture); // all that the disk has to do; how many jobs
void fixture_write_all(struct cache_fixture *fixture);

void fixture_log_init(struct cache_fixture *fixture, struct fixture_log *log);
void fixture_log_deinit(struct cache_fixture *fixture, struct fixture_log *log); // parks it
void fixture_set(const struct cache_fixture *fixture, struct fixture_log *log, const char *text);
void fixture_push(const struct cache_fixture *fixture, struct fixture_log *log, int32_t id);
void fixture_rehash(const struct cache_fixture *fixture, struct fixture_log *log); // a new format

// Makes room by evictions alone. FULL: there is none.
enum status fixture_begin(struct cache_fixture *fixture, struct fixture_log *log, int32_t end);
void fixture_commit(struct cache_fixture *fixture, struct fixture_log *log);
void fixture_compute(struct cache_fixture *fixture, struct fixture_log *log); // all; must fit

void fixture_fork(struct cache_fixture *fixture, const struct fixture_log *log,
                  struct fixture_log *fork);
void fixture_truncate(struct cache_fixture *fixture, struct fixture_log *log, int32_t length);
void fixture_park(struct cache_fixture *fixture, struct fixture_log *log); // the log stays
int32_t fixture_adopt(struct cache_fixture *fixture, struct fixture_log *log);

// A plan for its first `length` tokens.
void fixture_plan(struct cache_fixture *fixture, const struct fixture_log *log, int32_t length,
                  enum kv_restore mode, double us_per_token, struct restore_plan *plan);

// Plans, and restores as far as it goes, doing the disk's work. Returns the tokens that came.
int32_t fixture_restore(struct cache_fixture *fixture, struct fixture_log *log,
                        enum kv_restore mode, struct restore_tally *tally);

void fixture_verify(const struct cache_fixture *fixture, const struct fixture_log *log); // bytes
int32_t fixture_depth(struct cache_fixture *fixture, const struct fixture_log *log); // known blocks
struct kv_usage fixture_usage(const struct cache_fixture *fixture);
#endif
