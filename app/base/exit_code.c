#include "app/base/exit_code.h"

#include <stdbool.h>

int exit_code_for(enum status status) {
    switch (status) {
    case STATUS_OK:
        return EXIT_DONE;
    case STATUS_BAD_INPUT:
        return EXIT_USAGE;
    case STATUS_TOO_LONG:
        return EXIT_CONTEXT;
    case STATUS_NOT_FOUND:
        return EXIT_NO_CONVERSATION;
    case STATUS_CANCELLED:
        return EXIT_INTERRUPTED;
    case STATUS_NO_MEMORY:
    case STATUS_BAD_FILE:
    case STATUS_UNSUPPORTED:
    case STATUS_DEVICE:
        return EXIT_MODEL;
    case STATUS_FULL:
    case STATUS_BUSY:
    case STATUS_IO:
        return EXIT_RUN_TIME;
    }
    return EXIT_RUN_TIME;
}

int exit_code_for_file(enum status status) {
    if (status == STATUS_NOT_FOUND || status == STATUS_IO) return EXIT_RUN_TIME;
    const bool of_contents = status == STATUS_UNSUPPORTED || status == STATUS_TOO_LONG;
    return of_contents ? EXIT_USAGE : exit_code_for(status);
}

int exit_code_for_store(enum status status) {
    return status == STATUS_BAD_FILE ? EXIT_RUN_TIME : exit_code_for(status);
}

int exit_code_for_model(enum status status) {
    if (status == STATUS_OK) return EXIT_DONE;
    return status == STATUS_BAD_INPUT ? EXIT_USAGE : EXIT_MODEL;
}

int exit_code_for_bench(enum status status) {
    const bool unopened = status == STATUS_NOT_FOUND || status == STATUS_IO;
    return unopened ? EXIT_MODEL : exit_code_for(status);
}
