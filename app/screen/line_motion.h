// app/screen/line_motion.h — moves the cursor between the lines of a draft.
//
// Works on Readline's line and point. Threads: the UI's.
#ifndef APP_LINE_MOTION_H
#define APP_LINE_MOTION_H

#include <stdbool.h>

// Moves to the same column of the line above or below, or to its end. False: no such line.
bool line_motion_up(void);
bool line_motion_down(void);

#endif
