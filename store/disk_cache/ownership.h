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
// Nobody outside this room includes it. Threads: any, each with its folder.
#ifndef STORE_OWNERSHIP_H
#define STORE_OWNERSHIP_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/status.h"

extern const char *const OWNERSHIP_FILES[]; // the index and what SQLite keeps beside it, the marker
enum { OWNERSHIP_FILE_COUNT = 5 };

// Writes nothing. UNSUPPORTED: a file with a name of ours is not ours, and the error names it; IO.
// *is_old: an older quire's cache, to be removed.
MUST_CHECK enum status ownership_check(int folder, const char *path, bool *is_old,
                                       struct error *err);

// Marks the folder. As for ownership_check(); FULL.
MUST_CHECK enum status ownership_mark(int folder, const char *path, struct error *err);

// Removes what is ours, the index last, and leaves the rest and the marker. The index is closed.
void ownership_remove(int folder, const char *path);

#endif
