#include "app/cli/confirm.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/base/printable.h"

bool confirm_possible(void) { return isatty(STDIN_FILENO) && isatty(STDERR_FILENO); }

bool confirm(const char *question) {
    char answer[8];
    struct text shown = {0};
    const bool asked = printable_text(question, strlen(question), &shown) == STATUS_OK;
    if (asked) fprintf(stderr, "%s? y/n ", text_string(&shown));
    text_deinit(&shown);
    return asked && fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}
