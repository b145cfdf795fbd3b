// app/cli/oneshot.h — one question, one answer: `quire -p`, pipes and scripts.
//
// stdout has the answer alone, as it is decoded; stderr has its thinking, progress, figures and
// warnings. On a terminal Markdown is shown; a pipe gets the answer's bytes as they are.
// ^C keeps what there is of the answer (130), so does SIGTERM (143); a reader that goes away
// ends the answer quietly.
#ifndef APP_ONESHOT_H
#define APP_ONESHOT_H

#include "app/chat/chat_turn.h"
#include "app/cli/launch.h"

// The prompt that args and stdin make: files first, then the text, then piped stdin after an
// empty line. *said is where the files end. BAD_INPUT: it is empty or not UTF-8.
MUST_CHECK enum status oneshot_gather(const struct args *args, struct text *prompt, size_t *said,
                                      struct error *err);

// From here on SIGINT, SIGTERM and SIGHUP leave with 128 + their number, after the answer that
// is being written, if any, is stored. Call it before the model is loaded.
void oneshot_catch_signals(void);

// the chat in front of launch->session is where the answer belongs. Returns the exit code.
int oneshot_run(const struct launch *launch, const struct outgoing *prompt);

#endif
