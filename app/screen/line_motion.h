// app/screen/line_motion.h — where the cursor goes in a draft of several lines.
//
// Works on Readline's line and point. Threads: the UI's.
#ifndef APP_LINE_MOTION_H
#define APP_LINE_MOTION_H

#include <stdbool.h>

// To the same column of the line above or below, or its end. False: there is no such line.
bool line_motion_up(void);
bool line_motion_down(void);

#endif
