// app/bench/store.h — `quire bench store`: how long a person waits for a large database.
//
// Makes one of 10,000 conversations (one in ten a fork) and 1,000,000 messages in a folder of its
// own, which goes afterwards, through the same calls as a chat. Words are made up, a few of them
// frequent and most rare, as in a language. Then it times what the commands ask for; each row has
// the limit that it is held to. No model is needed.
#ifndef APP_BENCH_STORE_H
#define APP_BENCH_STORE_H

#include <stdbool.h>
#include <stdint.h>

struct bench_store_options {
    const char *folder;  // where it is made, or NULL: $TMPDIR or /tmp
    int32_t runs;        // 0: 9
    bool json, one_line; // the rows as JSON; without line breaks
    bool quiet;
};

// Prints to stdout; returns the exit code.
int bench_store_run(const struct bench_store_options *options);

#endif
