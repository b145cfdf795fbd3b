// app/screen/notice.h — shows the messages of log_write() between other output.
//
// A notice can come at any time and from any thread: a damaged block, a full disk. It is printed to
// stderr on a line of its own. While that would disturb something on the screen, such as a
// streaming answer or a progress line, notices are held.
//
//   printing ──hold──► holding ──release──► printing
//
// There is one per process, like stderr. Threads: hold, show and release are the UI's; notices come
// from any.
#ifndef APP_NOTICE_H
#define APP_NOTICE_H

#include "kernels/base/log.h"

void notice_open(void);                      // becomes the log's sink; warnings are shown
void notice_show_from(enum log_level level); // LOG_WARNING + 1: none

void notice_hold(void);
void notice_show(void);    // prints what was held, and continues to hold
void notice_release(void); // prints what was held; from now on prints at once

#endif
