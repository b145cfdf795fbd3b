// app/screen/notice.h — what the floors below say by log_write(), between the lines of everything
// else.
//
// A notice may come at any time, from any thread: a damaged block, a full disk. It is printed on
// stderr as one line of its own. While something else is on the screen that a line would break,
// such as an answer as it streams or a line of progress, it is held.
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
void notice_show(void);    // prints what was held, and goes on holding
void notice_release(void); // prints what was held, and from now on at once

#endif
