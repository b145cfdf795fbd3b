// app/screen/notice.h — shows what lower floors log with log_write(), between other output.
//
// A notice may come at any time, from any thread: a damaged block, a full disk. It is printed on
// stderr as one line of its own. While a line would break something else on the screen, such as a
// streaming answer or a progress line, it is held.
//
//   printing ──hold──► holding ──release──► printing
//
// One for the process, as stderr is. Threads: hold, show and release are the UI's; notices come
// from any.
#ifndef APP_NOTICE_H
#define APP_NOTICE_H

#include "kernels/base/log.h"

void notice_open(void);                      // becomes the log's sink; warnings are shown
void notice_show_from(enum log_level level); // LOG_WARNING + 1: none

void notice_hold(void);
void notice_show(void);    // prints what was held, and continues to hold
void notice_release(void); // prints what was held, and everything else at once from now on

#endif
