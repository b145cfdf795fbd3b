// app/base/exit_code.h — what the shell is told, and which failure means which.
#ifndef APP_EXIT_CODE_H
#define APP_EXIT_CODE_H

#include "kernels/base/status.h"

enum exit_code {
    EXIT_DONE = 0,
    EXIT_RUN_TIME = 1,
    EXIT_USAGE = 2,
    EXIT_MODEL = 3,   // model or device cannot be used
    EXIT_CONTEXT = 4, // does not fit the context
    EXIT_NO_CONVERSATION = 5,
    EXIT_INTERRUPTED = 130,
    EXIT_TERMINATED = 143,
};

// Of a call on the person's input or on the engine at work.
int exit_code_for(enum status status);

// Of a call on the database: a damaged one says nothing of the model.
int exit_code_for_store(enum status status);

// Of opening a model: what is not a wrong option means that this model cannot be used.
int exit_code_for_model(enum status status);

// Of a measurement, which knows no conversations: what it cannot open is the model.
int exit_code_for_bench(enum status status);

#endif
