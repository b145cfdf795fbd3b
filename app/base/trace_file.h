// app/base/trace_file.h — the file that --trace writes: events of kernels/base/trace.h in Chrome's
// trace format.
//
// Each event is one line and one write, so a process that is killed leaves a file without its
// closing bracket, which Perfetto accepts. Writing stops, with a warning, when a write fails.
//
//   trace_file_open ─► (events, from any thread) ─► trace_file_close
//
// There is one per process. Open and close it while the process has a single thread.
#ifndef APP_TRACE_FILE_H
#define APP_TRACE_FILE_H

#include "kernels/base/status.h"

// Creates the file, or replaces an empty file or an earlier trace. BAD_INPUT: not a regular file,
// or some other file, which stays unchanged; IO. The error names the file.
MUST_CHECK enum status trace_file_open(const char *path, struct error *err);
void trace_file_close(void); // does nothing if none is open

#endif
