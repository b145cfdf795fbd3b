// app/bench/folder.h — a folder for the duration of a measurement.
//
// It is made with a name of its own inside another one, and is removed with what is in it.
#ifndef APP_BENCH_FOLDER_H
#define APP_BENCH_FOLDER_H

#include <limits.h>
#include <stdbool.h>

#include "kernels/base/status.h"

struct bench_folder {
    char path[PATH_MAX]; // "": none
};

// In `parent`, which is made if missing; where that cannot be and `fallback` is set, in $TMPDIR
// or /tmp. IO names the folder.
MUST_CHECK enum status bench_folder_open(struct bench_folder *folder, const char *parent,
                                         bool fallback, struct error *err);
void bench_folder_close(struct bench_folder *folder); // {0} is fine

#endif
