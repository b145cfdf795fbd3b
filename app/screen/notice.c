#include "app/screen/notice.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "app/screen/complain.h"

enum { LINES = 16, LINE_BYTES = 1024 }; // what does not fit is counted

static struct {
    pthread_mutex_t mutex;
    bool holding;
    char lines[LINES][LINE_BYTES];
    size_t count, lost;
} notices = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static _Atomic int shown_from = LOG_WARNING;

static void take(enum log_level level, const char *text) {
    if ((int)level < shown_from) return;
    pthread_mutex_lock(&notices.mutex);
    if (!notices.holding)
        complain(text);
    else if (notices.count < LINES)
        snprintf(notices.lines[notices.count++], LINE_BYTES, "%s", text);
    else
        notices.lost++;
    pthread_mutex_unlock(&notices.mutex);
}

static void print_held(bool go_on_holding) {
    pthread_mutex_lock(&notices.mutex);
    for (size_t i = 0; i < notices.count; i++)
        complain(notices.lines[i]);
    if (notices.lost) {
        char line[64];
        snprintf(line, sizeof line, "and %zu more warnings", notices.lost);
        complain(line);
    }
    notices.count = notices.lost = 0;
    notices.holding = go_on_holding;
    pthread_mutex_unlock(&notices.mutex);
}

void notice_open(void) { log_set_sink(take); }

void notice_show_from(enum log_level level) { shown_from = (int)level; }

void notice_hold(void) {
    pthread_mutex_lock(&notices.mutex);
    notices.holding = true;
    pthread_mutex_unlock(&notices.mutex);
}

void notice_show(void) { print_held(true); }

void notice_release(void) { print_held(false); }
