// app/base/signals.h — what asks a program to end.
#ifndef APP_SIGNALS_H
#define APP_SIGNALS_H

// For SIGINT, SIGTERM and SIGHUP; SIG_DFL gives them back.
void signals_catch(void (*handler)(int));

#endif
