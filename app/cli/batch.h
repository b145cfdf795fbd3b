// app/cli/batch.h — `quire batch FILE.jsonl`: answers many requests, one per line, together.
//
// Runs as many requests at once as the engine takes; a shared prefix is computed only once. Each
// result is one line of JSON on stdout, in the order of the requests (--unordered: as they finish):
//
//   {"line": 3, "request": "<hash of the line>", "id": …, "text": "…", "thinking": null,
//    "stop_reason": "end", "prompt_tokens": 40, "cached_tokens": 32, "output_tokens": 12,
//    "seed": 5}
//   {"line": 4, "request": "…", "id": null, "error": "not JSON"}
//
// The result of a line that cannot be answered is an error; the others continue, and the exit code
// is 1. If the device fails, its requests restart on a fresh device; if that fails too before it
// has answered a line, their results are errors. Empty lines have no result.
//
// A result depends on its line alone, whatever the order and whatever ran before: no conversation
// is saved or read, and drafts come from the line's own text, or the model's, not from the answers
// of other lines (engine/draft/history.h stays empty).
//
// --resume-batch FILE writes each finished result to a journal (journal.h). After a crash or ^C the
// same command computes only the missing results and prints all.
#ifndef APP_BATCH_H
#define APP_BATCH_H

#include "app/cli/launch.h"

// From now on SIGINT, SIGTERM and SIGHUP end the run early, with the results so far printed.
void batch_catch_signals(void);

// Reads the requests, opens the model, and answers them: what is wrong with a file is said before a
// model is loaded, but a pipe is read while it fills. Returns the exit code.
int batch_run(struct launch *launch);

#endif
