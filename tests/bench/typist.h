// tests/bench/typist.h — a chat in a pseudo-terminal, and somebody who types in it.
//
//   typist_open ─► typist_wait_prompt ─► typist_press … ─► typist_send ─► typist_rest,
//               typist_press … ─► typist_close
//
// The chat is in a process and a session of its own, on 24 lines of 80 columns, with the home
// folder that it is given; its answers are random words without an end. What it writes is followed
// as far as the echo of a key needs: a key is echoed when it is written as the last character of
// the prompt's line or, after typist_send(), of the footer, which is drawn as a whole.
//
// A wait ends with CANCELLED soon after a signal that harness_catch_signals() takes, and otherwise
// when the chat has ended or shows nothing for minutes: IO, or UNSUPPORTED for a model that it
// could not use; the error has the last line that it wrote.
//
// Threads: one.
#ifndef TESTS_BENCH_TYPIST_H
#define TESTS_BENCH_TYPIST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernels/base/status.h"

enum { TYPIST_ESCAPE_BYTES = 32, TYPIST_LINE_BYTES = 160 };

struct typist {
    pid_t chat;   // 0: none
    int terminal; // our end of it

    char escape[TYPIST_ESCAPE_BYTES]; // the sequence under way, without its ESC
    int escape_length;
    bool escaped;                 // there is one
    char line[TYPIST_LINE_BYTES]; // what came since the cursor was moved
    int line_length;
    char said[TYPIST_LINE_BYTES]; // the last line before it that was not empty
    bool sent;                    // typist_send() was called
    bool in_footer;               // the cursor is in the line below the answer
    char last;                    // character where keys are echoed
    char key;                     // that was pressed
    bool echoed;                  // it is on the screen
    int lines;                    // of the answer
    uint64_t text_bytes;          // of the answer, on the screen
};

// The folder becomes the chat's QUIRE_HOME.
MUST_CHECK enum status typist_open(struct typist *typist, const char *quire, const char *model,
                                   const char *folder, struct error *err);
void typist_close(struct typist *typist); // ends the chat; {0} is fine

MUST_CHECK enum status typist_wait_prompt(struct typist *typist, struct error *err);

// *ms: from the write of the key to the end of the read that brought its echo. *ended: the answer
// ended before.
MUST_CHECK enum status typist_press(struct typist *typist, char key, double *ms, bool *ended,
                                    struct error *err);

// Enter; returns when an answer streams. *ended: it is over already.
MUST_CHECK enum status typist_send(struct typist *typist, bool *ended, struct error *err);

// Watches for that long.
MUST_CHECK enum status typist_rest(struct typist *typist, double ms, struct error *err);

#endif
