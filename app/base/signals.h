// app/base/signals.h — the signals that ask a program to end.
#ifndef APP_SIGNALS_H
#define APP_SIGNALS_H

// Installs the handler for SIGINT, SIGTERM and SIGHUP; SIG_DFL restores the default.
void signals_catch(void (*handler)(int));

#endif
