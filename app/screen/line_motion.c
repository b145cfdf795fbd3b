#include "app/screen/line_motion.h"

// After <stdio.h>: Readline's headers use FILE.
#include <readline/readline.h>

#include "app/base/clusters.h"

static int line_start(int point) {
    while (point > 0 && rl_line_buffer[point - 1] != '\n')
        point--;
    return point;
}

static int line_end(int point) {
    while (point < rl_end && rl_line_buffer[point] != '\n')
        point++;
    return point;
}

static int next_character(int point) {
    return (int)cluster_end(rl_line_buffer, (size_t)rl_end, (size_t)point);
}

static int characters_between(int from, int to) {
    int count = 0;
    for (; from < to; from = next_character(from))
        count++;
    return count;
}

// `count` characters into the line that begins at `start`, or its end.
static int point_in_line(int start, int count) {
    const int end = line_end(start);
    int point = start;
    for (; count > 0 && point < end; count--)
        point = next_character(point);
    return point < end ? point : end;
}

bool line_motion_up(void) {
    const int start = line_start(rl_point);
    if (start == 0) return false;
    rl_point = point_in_line(line_start(start - 1), characters_between(start, rl_point));
    return true;
}

bool line_motion_down(void) {
    const int start = line_start(rl_point), end = line_end(rl_point);
    if (end == rl_end) return false;
    rl_point = point_in_line(end + 1, characters_between(start, rl_point));
    return true;
}
