// engine/model/mapped_file.h — the bytes of a file, read-only and in place.
//
// Memory: the mapping is the caller's until mapped_file_close(). Any thread may read it. Where a
// file becomes shorter while it is mapped, reading what is lost is a SIGBUS, whose handler asks
// mapped_file_at(). Model files are to be replaced, not rewritten. kernels/huge_pages.h may replace
// the pages of a mapping by copies.
#ifndef ENGINE_MAPPED_FILE_H
#define ENGINE_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"

// Which file, or files, and as of when: what a digest is remembered for.
struct file_state {
    int64_t bytes;
    int64_t changed_ns; // the later of the times at which content and inode changed
    uint64_t inodes;    // a sum over the files
};
struct stat;
void file_state_add(struct file_state *state, const struct stat *file);
void file_state_join(struct file_state *state, const struct file_state *other);
bool file_state_equal(const struct file_state *a, const struct file_state *b);

struct mapped_file {
    const unsigned char *bytes; // NULL where length is 0
    size_t length;
    struct file_state state; // of the open file, when it was mapped
};

enum { MAPPED_FILE_PATH_SHOWN = 200 }; // so that what follows a long path still fits an error

// IO when the system refuses. BAD_FILE when the path is not a regular file, or is a Git LFS
// pointer; `kind` is what was expected, "a GGUF file".
MUST_CHECK enum status mapped_file_open(const char *path, const char *kind,
                                        struct mapped_file *file, struct error *err);
void mapped_file_close(struct mapped_file *file); // {0} is fine

// The end of the path of the file that is mapped at this address, for people, or NULL. Of more than
// MAPPED_FILE_MOST_KNOWN files at once, the last ones are not known. Async-signal-safe.
enum { MAPPED_FILE_MOST_KNOWN = 256 };
const char *mapped_file_at(const void *address);

// Tells the kernel that all of it will be read soon, in huge pages where its file system has them
// (madvise).
void mapped_file_prefetch(const struct mapped_file *file);

// For each of the files that something is made of.
typedef void mapped_file_visitor(const struct mapped_file *file, void *user);

// The end of a path, as much of it as errors show.
const char *mapped_file_shown(const char *path);

#endif
