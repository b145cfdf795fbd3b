// app/bench/stream.h — what showing an answer costs beside writing it.
//
// `quire bench stream` plays texts as a model would write them, four bytes a token, one write for
// each, onto a pseudo-terminal of 80 columns that a second thread reads, and takes the processor
// time of the first: rendering and the kernel's part of each write. The texts: prose with
// Markdown, code, a thought that folds, wide characters and pictures, and marks that nothing
// closes. In per cent of a core at 200 tokens a second; the budget is 1 %.
#ifndef APP_BENCH_STREAM_H
#define APP_BENCH_STREAM_H

#include "app/bench/bench.h"

// tokens: of each text, 0: 20,000; runs. Prints to stdout; returns the exit code.
int bench_stream_run(const struct bench_options *options);

#endif
