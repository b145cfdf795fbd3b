#include "app/cli/confirm.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/base/printable.h"

bool confirm_possible(void) { return isatty(STDIN_FILENO) && isatty(STDERR_FILENO); }

char confirm_letter(const char *question, const char *choices) {
    char answer[8];
    struct text shown = {0};
    const bool asked = printable_text(question, strlen(question), &shown) == STATUS_OK;
    if (asked) fprintf(stderr, "%s? %s ", text_string(&shown), choices);
    text_deinit(&shown);
    if (!asked || !fgets(answer, sizeof answer, stdin)) return 'n';
    return (char)tolower((unsigned char)answer[0]);
}

bool confirm(const char *question) { return confirm_letter(question, "[y/N]") == 'y'; }
