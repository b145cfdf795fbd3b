// app/base/trace_file.h — the file of --trace: what kernels/base/trace.h hears, as Chrome's trace
// format.
//
// Each event is one line and one write, so a process that is killed leaves a file that lacks its
// closing bracket alone, which Perfetto does not ask for. Writing stops, with a warning, where the
// disk does not take it.
//
//   trace_file_open ─► (events, from any thread) ─► trace_file_close
//
// One for the process. Open it while there is one thread, and close it when there is one again.
#ifndef APP_TRACE_FILE_H
#define APP_TRACE_FILE_H

#include "kernels/base/status.h"

// What is in the file already is replaced. IO names the file.
MUST_CHECK enum status trace_file_open(const char *path, struct error *err);
void trace_file_close(void); // when none is open, nothing

#endif
