// engine/remote/event_stream.h — assembles server-sent events from bytes as they arrive.
//
// Lines end with CR, LF or both, even if split between pushes; a byte order mark at the start is
// dropped. Only the `data` field of an event is used; its lines are joined by newlines. Comments
// (which servers send to keep a connection open), other fields, and events without data are
// dropped. Three additions to the standard that servers require: an `error` field is data; a line
// that begins with "{" is an event; and the end of the stream ends its last event
// (event_stream_end()).
//
// Source: the HTML standard, section 9.2, Server-sent events.
//
// {0} begins; owned: event_stream_deinit().
#ifndef ENGINE_REMOTE_EVENT_STREAM_H
#define ENGINE_REMOTE_EVENT_STREAM_H

#include <stdbool.h>

#include "kernels/base/status.h"
#include "kernels/base/text.h"

enum { EVENT_STREAM_MAX_BYTES = 4 << 20 }; // per line, and per event's data

// Receives an event's data, NUL-terminated and borrowed for the call. A failure ends the push.
typedef enum status event_stream_take(void *user, const char *data, size_t length);

struct event_stream {
    event_stream_take *take;
    void *user;
    struct text line, data;
    bool has_data;
    bool after_cr; // skip an LF that follows
    bool begun;    // past the first line
};

// TOO_LONG: a line or an event exceeds EVENT_STREAM_MAX_BYTES. NO_MEMORY, or what `take` returned.
MUST_CHECK enum status event_stream_push(struct event_stream *stream, const char *bytes,
                                         size_t length);
// No more bytes follow: passes on an event that no empty line has ended, which may be incomplete.
MUST_CHECK enum status event_stream_end(struct event_stream *stream);
void event_stream_deinit(struct event_stream *stream);

#endif
