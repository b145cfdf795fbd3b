// app/bench/template.h — quire bench template: what rendering and tokenising a new turn takes.
//
// A new message of 4 KB after conversations of several lengths, with the model's own template and
// vocabulary, or with a template file's: rendering, which reads the whole conversation twice, and
// the tokens of what the log lacks. No weights are read.
#ifndef APP_BENCH_TEMPLATE_H
#define APP_BENCH_TEMPLATE_H

#include <stdbool.h>
#include <stdint.h>

struct bench_template_options {
    const char *model_path;    // of the vocabulary, and of the template unless
    const char *template_path; // is given: a template file or a model; or NULL
    int32_t runs;              // 0: as many as are usual
    bool json, one_line;
};

int bench_template_run(const struct bench_template_options *options); // the exit code

#endif
