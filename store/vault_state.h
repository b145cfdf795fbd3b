// store/vault_state.h — what a vault is made of, how its folder is opened, and its tail: the
// segment that this process appends to.
//
// Nobody outside this room includes it. Verbs of the tier are in vault.c, limit and compaction in
// vault_room.c, the reports for people in vault_report.c.
#ifndef STORE_VAULT_STATE_H
#define STORE_VAULT_STATE_H

#include "store/record.h"
#include "store/segment.h"
#include "store/vault.h"
#include "store/vault_index.h"

struct vault_tail {
    uint32_t number;       // 0: none
    int file;              // locked
    uint64_t durable, end; // bytes from `durable` to `end` are written, but no row knows them
};

struct vault {
    struct tier tier; // the first: a tier of ours is a vault
    char *path;
    uint64_t limit_bytes;
    bool read_only;

    int folder;       // -1: not open
    struct db *index; // NULL: not open; of a read-only vault, a copy in memory
    struct segment_files files;
    struct vault_tail tail;
    bool index_damaged; // it is to be made anew at the next opening

    struct tier_format format; // of the tier; its model is below
    char model[RECORD_MODEL_BYTES];
    int64_t format_number;
    tier_dropped *dropped; // may be NULL
    void *user;
    struct tier_speed speed;

    uint64_t blocks;                      // of the format
    uint64_t stored_bytes;                // of the folder, at the last vault_measure()
    uint64_t index_bytes;                 // of those
    uint64_t record_bytes, payload_bytes; // written since opening
};

// Opens folder and index, and makes rows and segments agree; `report` counts what that took. A
// damaged index is made anew. NOT_FOUND: read_only, and there is no folder.
MUST_CHECK enum status vault_open(struct vault *vault, struct vault_report *report,
                                  struct error *err);
// Makes the index anew from the segments.
MUST_CHECK enum status vault_rebuild(struct vault *vault, struct vault_report *report,
                                     struct error *err);
void vault_close(struct vault *vault); // what vault_open() opened; {.folder = -1} is fine

void vault_measure(struct vault *vault);

// Passes a status of the index on; remembers that it is damaged.
enum status vault_index_answer(struct vault *vault, enum status status);

// A tail that is not full. BUSY, IO, FULL, NO_MEMORY.
MUST_CHECK enum status vault_tail_take(struct vault *vault, struct error *err);
// Writes a record behind the others. The first piece begins the record.
MUST_CHECK enum status vault_tail_append(struct vault *vault, struct iovec *pieces, int count,
                                         struct tier_place *place, struct error *err);
// The transaction that makes rows of what was appended; `enter` adds the rows. When it returns OK
// the bytes and the rows are there; else none of both are.
typedef enum status vault_enter(void *user, struct error *err);
MUST_CHECK enum status vault_tail_commit(struct vault *vault, vault_enter *enter, void *user,
                                         struct error *err);
void vault_tail_forget(struct vault *vault);  // cuts off what was appended since the last commit
void vault_tail_release(struct vault *vault); // unlocks it

// Reads the records of [from, end of file) and enters those that are whole and new, up to the
// last of which the segment is then known. Unless the vault is read-only, the file's lock is the
// caller's, what is not entered is cut off or punched, and a segment of nothing is removed.
MUST_CHECK enum status vault_scan(struct vault *vault, uint32_t segment, int file, uint64_t from,
                                  struct vault_report *report, struct error *err);

#endif
