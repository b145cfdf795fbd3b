// engine/remote/event_stream.h — server-sent events, put together from bytes as they arrive.
//
// Lines end with CR, LF or both, wherever the bytes are divided; a byte order mark at the beginning
// is dropped. Of an event, `data` counts: its lines are joined by newlines. Comments (which servers
// send so that a connection stays open) and other fields are dropped, and so is an event without
// data. Beyond the standard, since servers do so: an `error` field is data, a line that begins with
// "{" is an event, and where the stream ends so does its last event (event_stream_end()).
//
// Source: the HTML standard, section 9.2, Server-sent events.
//
// {0} begins; owned: event_stream_deinit().
#ifndef ENGINE_REMOTE_EVENT_STREAM_H
#define ENGINE_REMOTE_EVENT_STREAM_H

#include <stdbool.h>

#include "kernels/base/status.h"
#include "kernels/base/text.h"

enum { EVENT_STREAM_MAX_BYTES = 4 << 20 }; // of a line, and of an event's data

// Takes an event's data, which is NUL-terminated and borrowed for the call. A failure ends the
// push.
typedef enum status event_stream_take(void *user, const char *data, size_t length);

struct event_stream {
    event_stream_take *take;
    void *user;
    struct text line, data;
    bool has_data;
    bool after_cr; // an LF that comes next belongs to it
    bool begun;    // the first line is over
};

// TOO_LONG: a line or an event is longer than it may be. NO_MEMORY, or what `take` returned.
MUST_CHECK enum status event_stream_push(struct event_stream *stream, const char *bytes,
                                         size_t length);
// No more comes: hands out the event that no empty line has ended. It may be half of one.
MUST_CHECK enum status event_stream_end(struct event_stream *stream);
void event_stream_deinit(struct event_stream *stream);

#endif
