// app/base/exit_code.h — the exit codes, and which status maps to which.
#ifndef APP_EXIT_CODE_H
#define APP_EXIT_CODE_H

#include "kernels/base/status.h"

enum exit_code {
    EXIT_DONE = 0,
    EXIT_RUN_TIME = 1,
    EXIT_USAGE = 2,
    EXIT_MODEL = 3,   // the model or the device cannot be used
    EXIT_CONTEXT = 4, // the prompt does not fit the context
    EXIT_NO_CONVERSATION = 5,
    EXIT_INTERRUPTED = 130,
    EXIT_TERMINATED = 143,
};

// For a call about the user's input, or on a running engine.
int exit_code_for(enum status status);

// For reading a file that the user named: a missing or unreadable one failed at run time; contents
// that cannot be used are wrong usage.
int exit_code_for_file(enum status status);

// For a call on the database, whose damage says nothing about the model.
int exit_code_for_store(enum status status);

// For opening a model: any failure but a wrong option means that the model cannot be used.
int exit_code_for_model(enum status status);

// For `quire bench`, which has no conversations: NOT_FOUND and IO mean the model.
int exit_code_for_bench(enum status status);

#endif
