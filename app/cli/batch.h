// app/cli/batch.h — `quire batch FILE.jsonl`: many requests, one a line, answered together.
//
// Requests run as many at once as the engine takes; what they begin with alike is computed once. A
// result is one line of JSON on stdout, in the order of the requests (--unordered: as they finish):
//
//   {"line": 3, "request": "<hash of the line>", "id": …, "text": "…", "thinking": null,
//    "stop_reason": "end", "prompt_tokens": 40, "cached_tokens": 32, "output_tokens": 12,
//    "seed": 5}
//   {"line": 4, "request": "…", "id": null, "error": "not JSON"}
//
// A line that cannot be answered has an error for its result, and the others go on; then the exit
// code is 1. What a failed device was computing is begun again on a fresh one, once until that has
// answered a line. Empty lines have no result. Nothing is saved as a conversation.
//
// --resume-batch FILE keeps a journal of results there as they finish (journal.h). The same
// command after a crash or ^C computes what is missing and prints all.
#ifndef APP_BATCH_H
#define APP_BATCH_H

#include "app/cli/launch.h"

// From here on SIGINT, SIGTERM and SIGHUP end the run soon: what is finished by then is printed.
void batch_catch_signals(void);

// launch has a model. Returns the exit code.
int batch_run(struct launch *launch);

#endif
