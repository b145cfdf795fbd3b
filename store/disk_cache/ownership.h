// store/disk_cache/ownership.h — which files of a folder are quire's, so that no other is touched?
//
// --kv-dir may name any folder, and somebody else's files may have our names. Before anything in a
// folder is written or removed, each file with a name of ours must prove that it is ours:
//
//   quire-kv-cache       the marker, a text of ours
//   index.db             SQLite's header, with the application id of our index or of an older one
//   index.db-wal, …      next to such an index, or next to the marker
//   <format id>.kv       begins with SLOT_FILE_MAGIC
//   segment-<number>.kv  of an older quire: begins with its magic number
//
// An empty file counts as ours, since nothing can be lost; a symbolic link or a folder never does.
// A cache without the marker was made by an older quire: its slot files have no magic number, but
// its index names them.
//
// Nothing works without the marker and the index, so a foreign one is an error. A foreign file of
// blocks affects only one model: it is counted, named and skipped.
//
// Private to store/disk_cache/. Threads: any, each with its own folder.
#ifndef STORE_OWNERSHIP_H
#define STORE_OWNERSHIP_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/status.h"
#include "kernels/base/text.h"

extern const char *const OWNERSHIP_FILES[]; // the index, SQLite's files next to it, the marker
enum { OWNERSHIP_FILE_COUNT = 5 };

enum { OWNERSHIP_NAME_BYTES = 64 };

struct ownership {
    bool is_old;                        // an older quire's cache, to be removed
    size_t foreign_files;               // files of blocks that are not ours
    char foreign[OWNERSHIP_NAME_BYTES]; // the name of one of them, truncated to fit
};

// `descriptor` is the folder's, as everywhere here. Writes nothing. UNSUPPORTED: the marker, the
// index or a file next to it is not ours; the error names it and says what to do. IO.
MUST_CHECK enum status ownership_check(int descriptor, const char *path, struct ownership *found,
                                       struct error *err);
bool ownership_has_blocks(int descriptor, const char *name); // a file of blocks, by its first bytes

// Writes the marker. Outcomes as for ownership_check(), and FULL.
MUST_CHECK enum status ownership_mark(int descriptor, const char *path, struct error *err);

// If the folder is marked and its index is a file but not ours (damage looks the same as somebody
// else's file), moves the index and SQLite's files next to it into a new subfolder, so that nothing
// is lost and a new index can be created. Appends the subfolder's path to *aside, or nothing if
// there was nothing to move. Outcomes as for ownership_mark().
MUST_CHECK enum status ownership_set_aside(int descriptor, const char *path, struct text *aside,
                                           struct error *err);

// Removes our files except the marker, the index last. The caller has closed the index.
void ownership_remove(int descriptor, const char *path);

#endif
