// app/bench/keys.h — how soon is a key on the screen?
//
// `quire bench keys` opens a chat in a pseudo-terminal (typist.h), types a question with pauses of
// 5 to 45 ms, sends it, and goes on typing while the answer streams as fast as it comes. Of each
// key it takes the time from its write to the read that brought its echo: at the prompt and beside
// the answer apart. A run is one chat with 40 keys of both kinds; the limit beside an answer is 5
// ms for 99 of 100.
#ifndef APP_BENCH_KEYS_H
#define APP_BENCH_KEYS_H

#include "app/bench/bench.h"

// Of the subject: a model's file. runs, 0: 5. Prints to stdout; returns the exit code.
int bench_keys_run(const struct bench_options *options);

#endif
