// store/disk_cache/ownership.h — which files of a folder are quire's, so that no other is touched?
//
// --kv-dir may name any folder, and somebody's files may have our names. Before anything in a
// folder is written or removed, each file with a name of ours must show whose it is:
//
//   quire-kv-cache       the marker, a text of ours
//   index.db             SQLite's header, with the application id of our index or of an older one
//   index.db-wal, …      beside such an index, or beside the marker
//   <format id>.kv       begins with SLOT_FILE_MAGIC
//   segment-<number>.kv  of an older quire: begins with its magic number
//
// An empty file is nobody's loss and counts as ours; a symbolic link or a folder never does. A
// cache without the marker is an older quire's: its files of slots begin with no magic number, but
// its index names them.
//
// Nothing works without the marker and the index, so a foreign one is an error. A foreign file of
// blocks is only in the way of one model: it is counted, named and skipped.
//
// Nobody outside this room includes it. Threads: any, each with its folder.
#ifndef STORE_OWNERSHIP_H
#define STORE_OWNERSHIP_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/status.h"
#include "kernels/base/text.h"

extern const char *const OWNERSHIP_FILES[]; // the index and what SQLite keeps beside it, the marker
enum { OWNERSHIP_FILE_COUNT = 5 };

enum { OWNERSHIP_NAME_BYTES = 64 };

struct ownership {
    bool is_old;                        // an older quire's cache, to be removed
    size_t foreign_files;               // files of blocks that are not ours
    char foreign[OWNERSHIP_NAME_BYTES]; // the name of one of them, or of its beginning
};

// Writes nothing. UNSUPPORTED: the marker, the index or a file beside it is not ours, and the error
// names it and what helps; IO.
MUST_CHECK enum status ownership_check(int folder, const char *path, struct ownership *found,
                                       struct error *err);
bool ownership_has_blocks(int folder, const char *name); // a file of blocks, by its first bytes

// Marks the folder. As for ownership_check(); FULL.
MUST_CHECK enum status ownership_mark(int folder, const char *path, struct error *err);

// Where the folder is marked and its index is a file but not ours (damage and another's look the
// same), moves the index and what lies beside it into a new folder inside, so that nothing is lost
// and a new index can be made. Appends that folder's path to *aside; appends nothing where there is
// nothing to move. As for ownership_mark().
MUST_CHECK enum status ownership_set_aside(int folder, const char *path, struct text *aside,
                                           struct error *err);

// Removes what is ours, the index last, and leaves the rest and the marker. The index is closed.
void ownership_remove(int folder, const char *path);

#endif
