// app/bench/rows.h — the results of `quire bench decode|prefill`, for people and for programs.
#ifndef APP_BENCH_ROWS_H
#define APP_BENCH_ROWS_H

#include "app/bench/samples.h"
#include "app/cli/args.h"
#include "engine/engine.h"

enum {
    BENCH_ROWS_MAX = ARGS_NUMBERS_MAX * ARGS_NUMBERS_MAX + ARGS_NUMBERS_MAX,
    BENCH_MISSING_BYTES = 96,
};

struct bench_row {
    const char *name;                  // "decode", "prefill"
    char missing[BENCH_MISSING_BYTES]; // why there are no figures; "": there are some
    int32_t tokens;                    // decoded per sequence, or in the prompt
    int32_t depth;                     // tokens in the cache before them, per sequence
    int32_t batch;                     // sequences decoded together
    struct figure tokens_per_s;        // of all sequences together
    size_t bytes_per_token;            // bytes read per token; for a prefill, per pass
    size_t step_bytes;                 // read by a step, or by the whole prefill
};

struct bench_rows {
    struct engine_info info;
    double read_bytes_per_s;
    size_t least_bytes; // of a step that is compared with it
    struct bench_row rows[BENCH_ROWS_MAX];
    int32_t count;
};

void bench_rows_print_heading(const struct bench_rows *rows);
void bench_rows_print(const struct bench_rows *rows, const struct bench_row *row);

// False when memory is short.
bool bench_rows_print_json(const struct bench_rows *rows, bool one_line);

#endif
