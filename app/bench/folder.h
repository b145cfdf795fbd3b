// app/bench/folder.h — a temporary folder for a measurement.
//
// Created under a unique name in another folder, and removed with its contents.
#ifndef APP_BENCH_FOLDER_H
#define APP_BENCH_FOLDER_H

#include <limits.h>
#include <stdbool.h>

#include "kernels/base/status.h"

struct bench_folder {
    char path[PATH_MAX]; // "": none
};

// Creates it in `parent`, which is created if missing. If that fails and `fallback` is set, uses
// $TMPDIR or /tmp. IO; the error names the folder.
MUST_CHECK enum status bench_folder_open(struct bench_folder *folder, const char *parent,
                                         bool fallback, struct error *err);
void bench_folder_close(struct bench_folder *folder); // {0} is fine

#endif
