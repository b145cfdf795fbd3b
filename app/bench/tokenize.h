// app/bench/tokenize.h — how fast does text become tokens?
//
// `quire bench tokenize [FILE]` opens the model's tokenizer several times, and encodes texts of
// several kinds: the file, or made ones (words as frequent as in prose, a program,
// characters of many scripts), one turn of 4 KB, and what is worst for one part or another: a
// letter, spaces, digits, marks and a line without spaces, a megabyte each. Times are of the
// processor, in one thread.
#ifndef APP_BENCH_TOKENIZE_H
#define APP_BENCH_TOKENIZE_H

#include <stdbool.h>
#include <stdint.h>

struct bench_tokenize_options {
    const char *model_path; // a file or a folder
    const char *file;       // NULL: made texts
    int32_t runs;           // 0: 5
    bool json, one_line;    // the results as JSON; without line breaks
};

// Prints to stdout; returns the exit code.
int bench_tokenize_run(const struct bench_tokenize_options *options);

#endif
