// tests/fault/change.h — a change of a file, as the shim records it and power.c makes it again.
#ifndef TESTS_FAULT_CHANGE_H
#define TESTS_FAULT_CHANGE_H

#include <stdint.h>

enum change_kind {
    CHANGE_WRITE,    // `data_bytes` at `offset`
    CHANGE_TRUNCATE, // to `offset` bytes
    CHANGE_EXTEND,   // to `offset` bytes, if it is shorter
    CHANGE_PUNCH,    // `length` bytes at `offset` are zeros
    CHANGE_SYNC,     // of a file, or of a folder's names
    CHANGE_CREATE,
    CHANGE_MKDIR,
    CHANGE_UNLINK,
    CHANGE_RENAME, // from the path to the path that is its data
};

struct change { // then the path, then the data
    uint32_t kind, path_bytes;
    uint64_t offset, length, data_bytes;
};

#endif
