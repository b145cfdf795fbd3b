// kernels/base/log.h — how code below app/ tells a person something.
//
// Only app/ prints. Everything else calls log_write(); app/ sets the sink, which
// decides where a line goes and whether it is shown. Without a sink, lines vanish.
// Thread-safe as far as the sink is; set the sink before other threads start.
#ifndef BASE_LOG_H
#define BASE_LOG_H

#ifdef __cplusplus
extern "C" {
#endif

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING };

// `text` is one line without its newline, valid during the call only.
typedef void log_sink(enum log_level level, const char *text);

void log_set_sink(log_sink *sink); // NULL: silence
void log_write(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif
#endif
