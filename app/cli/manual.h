// app/cli/manual.h — texts of --help and the manual page besides options and commands.
//
// Each list ends with a row whose `what` is NULL.
#ifndef APP_MANUAL_H
#define APP_MANUAL_H

struct manual_row {
    const char *what, *meaning;
};

extern const char MANUAL_TITLE[]; // the program in a few words, without a full stop

extern const struct manual_row MANUAL_EXAMPLES[]; // a command line and its effect
extern const struct manual_row MANUAL_EXITS[];
extern const struct manual_row MANUAL_FILES[];

#endif
