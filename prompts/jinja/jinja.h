// prompts/jinja/jinja.h — a chat template as a program: parsed once, run for each prompt.
//
//   jinja_create ─► jinja_run (any number of times) ─► jinja_destroy
//
// The language is Jinja's as Hugging Face's apply_chat_template() sets it: trim_blocks and
// lstrip_blocks, an immutable sandbox, break and continue, tojson that keeps the order of keys and
// writes characters as they are, raise_exception() and strftime_now(). A template sees only what it
// is given: no loader, no clock, no environment.
//
// Differences: integers have 64 bits, and overflow is an error; no string is ever marked as safe
// HTML, so `safe` changes nothing; there are no complex numbers; filters that make HTML or random
// choices are unknown.
//
// Pieces: characters of the template's literals, and of variables given as control (bos_token), are
// output as control. Those of all other variables, and what the machine itself writes (numbers,
// JSON's brackets), are text. Characters keep their origin through every operation.
//
// Limits: JINJA_MAX_SOURCE_BYTES of source, JINJA_RUN_BYTES of memory and JINJA_RUN_STEPS steps in
// one run, values nested to VALUE_MAX_DEPTH. Every template ends.
//
// Memory: a template owns its tree; a run owns its output. Threads: a template is read-only, so any
// number of threads may run it at once.
#ifndef PROMPTS_JINJA_JINJA_H
#define PROMPTS_JINJA_JINJA_H

#include <time.h>

#include "kernels/base/piece.h"
#include "kernels/base/status.h"
#include "kernels/base/text.h"
#include "prompts/jinja/value.h"

enum {
    JINJA_MAX_SOURCE_BYTES = 1 << 20,
    JINJA_TREE_BYTES = 256 << 20,
    JINJA_RUN_BYTES = 256 << 20,
    JINJA_RUN_STEPS = 40 << 20,
};

struct jinja;

// BAD_INPUT: "LINE:COLUMN: what is wrong"; or the source is too large.
MUST_CHECK enum status jinja_create(const char *source, size_t length, struct jinja **jinja,
                                    struct error *err);
void jinja_destroy(struct jinja *jinja); // NULL is fine

struct jinja_variable {
    const char *name;
    struct value value;
};

struct jinja_run { // start with jinja_run_init(), end with jinja_run_deinit() whatever the outcome
    struct arena arena;                     // set by jinja_run_init(); variables live in it
    uint64_t steps;                         // the limit; jinja_run_init() sets JINJA_RUN_STEPS
    const struct jinja_variable *variables; // borrowed
    size_t variable_count;
    const struct tm *now; // the time that strftime_now() formats; borrowed

    struct piece *pieces; // the output: none is empty, and neighbours differ in kind
    size_t piece_count;
    const struct chars *refusal; // the full argument of raise_exception(), or NULL
};

void jinja_run_init(struct jinja_run *run);
void jinja_run_deinit(struct jinja_run *run); // frees the pieces' bytes too

// BAD_INPUT: the template refused (err is its message, as is *refusal), or failed: "LINE:COLUMN:
// …". CANCELLED: the user interrupted it (kernels/base/effort.h).
MUST_CHECK enum status jinja_run(const struct jinja *jinja, struct jinja_run *run,
                                 struct error *err);

#endif
