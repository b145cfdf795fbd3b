// app/bench/report.h — how a bench prints: the model's heading, and JSON.
//
// JSON is built member by member and printed whole or not at all:
//
//   report_object(NULL) ─► members, report_array ─► report_object(NULL) … report_end ─►
//   report_print
//
// Once memory runs out, all that follows is ignored, and report_print() returns false. Tables are
// printed with printf and samples.h. A row without figures says why in `missing`.
#ifndef APP_BENCH_REPORT_H
#define APP_BENCH_REPORT_H

#include <cjson/cJSON.h>

#include "app/bench/samples.h"
#include "engine/engine.h"

enum { REPORT_DEPTH = 5, MISSING_BYTES = 80 };

struct report {
    cJSON *open[REPORT_DEPTH]; // [0] is the document: owned; the others are its parts
    int32_t depth;             // of the innermost that is open
    bool failed;
};

// Two lines within 80 columns, and the read bandwidth.
void report_print_heading(const struct engine_info *info, double read_bytes_per_s);

// Opens the document, a member, or an element of an array (name NULL).
void report_object(struct report *report, const char *name);
void report_array(struct report *report, const char *name);
void report_end(struct report *report); // of the innermost

// Members of the innermost object.
void report_number(struct report *report, const char *name, double value);
void report_text(struct report *report, const char *name, const char *value); // NULL: null
void report_figure(struct report *report, const char *name, const struct figure *figure,
                   double unit); // an object, or null
// "not_measured": null, or the reason; returns whether there are figures.
bool report_measured(struct report *report, const char *missing);
// The same as report_print_heading().
void report_model(struct report *report, const struct engine_info *info, double read_bytes_per_s);

// Prints and frees the document.
bool report_print(struct report *report, bool one_line);
void report_discard(struct report *report); // {0} is fine

#endif
