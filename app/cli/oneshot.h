// app/cli/oneshot.h — one question, one answer: `quire -p`, pipes and scripts.
//
// stdout gets only the answer, as it is decoded; stderr gets thinking, progress, figures and
// warnings. A terminal shows rendered Markdown; a pipe gets the answer's bytes. ^C (130) and
// SIGTERM (143) keep the answer so far. If the reader goes away, the answer ends quietly.
#ifndef APP_ONESHOT_H
#define APP_ONESHOT_H

#include "app/chat/chat_turn.h"
#include "app/cli/launch.h"

// Builds the prompt: files first, then the text, then piped stdin after an empty line. *said is the
// offset after the files. The prompt may be empty. BAD_INPUT: it is not UTF-8.
MUST_CHECK enum status oneshot_gather(const struct args *args, struct text *prompt, size_t *said,
                                      struct error *err);

// From now on SIGINT, SIGTERM and SIGHUP exit with 128 + their number, after storing the answer
// being written, if any. Call it before the model is loaded.
void oneshot_catch_signals(void);

// Asks in the chat in front of launch->session. Returns the exit code.
int oneshot_run(const struct launch *launch, const struct outgoing *prompt);

#endif
